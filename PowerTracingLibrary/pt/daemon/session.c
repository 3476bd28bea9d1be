/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A trace and its project file. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "cli/freename.h"
#include "common/format/projectfile.h"
#include "common/format/replacement.h"

int sessionRead(const struct options *options, struct ptConfig *config)
{
	const struct ptRequest request = {
		.file = options->config,
		.drivers = ptDrivers,
		.root = options->root ? options->root : "",
		.project = options->project,
		.topology = options->topology,
		.port = options->port,
		.depth = -1,
	};

	return ptConfigRead(&request, config);
}

static char *projectChoose(const struct ptConfig *config, gboolean isNumbered)
{
	char *name = isNumbered ? cliFreeName(config->project) : NULL;

	/* Where no name is free the message is that it exists. */
	return name ? name : g_strdup(config->project);
}

/* Write a project file; in messages it has its final name. */
static int projectWrite(const struct ptConfig *config, const char *project,
			const char *name)
{
	static const char *const groups[] = { "Energy", NULL };
	struct hdProjectNode *nodes =
		g_new(struct hdProjectNode, config->nodeCount);
	const struct hdProjectFile file = {
		.project = project,
		.levels = config->levels,
		.levelCount = config->levelCount,
		.nodes = nodes,
		.nodeCount = config->nodeCount,
		.groups = groups,
	};
	int ret;

	for (size_t i = 0; i < config->nodeCount; i++) {
		nodes[i].labels = config->nodes[i].labels;
		nodes[i].depth = config->nodes[i].depth;
	}
	ret = hdProjectFileWrite(&file, false);
	g_free(nodes);
	if (ret == 0)
		return 0;
	ptMessage(HD_LOG_ERROR, "%s.proj: %s", name,
		  ret == -EEXIST ? "exists; --force replaces it, --number "
				   "takes another name"
				 : strerror(-ret));
	return PT_EHDLIB;
}

static void projectRemove(const char *project)
{
	char *name = hdProjectFileName(project, ".proj");

	if (name)
		remove(name);
	free(name);
}

static int sessionReportReplace(const char *project, int ret)
{
	ptMessage(HD_LOG_ERROR, "%s.proj: cannot replace: %s", project,
		  ret == -EBUSY ? "it is being recorded" : strerror(-ret));
	return PT_EHDLIB;
}

void sessionProjectClear(struct sessionProject *project)
{
	hdReplacementDrop(project->replacement);
	g_free(project->name);
	g_free(project->written);
	*project = (struct sessionProject){ 0 };
}

int sessionProjectBegin(const struct options *options, gboolean isNumbered,
			struct ptConfig *config, struct sessionProject *project)
{
	int ret = 0;

	*project = (struct sessionProject){
		.name = projectChoose(config, isNumbered),
	};
	if (options->force)
		ret = hdReplacementBegin(project->name, &project->replacement);
	if (ret < 0)
		ret = sessionReportReplace(project->name, ret);
	project->written =
		g_strdup(project->replacement
				 ? hdReplacementProject(project->replacement)
				 : project->name);
	if (ret == 0)
		ret = projectWrite(config, project->written, project->name);
	if (ret < 0)
		sessionProjectClear(project);
	else
		/* The trace may look at it as long as it lives. */
		config->project = g_intern_string(project->written);
	return ret;
}

int sessionProjectKeep(struct sessionProject *project)
{
	int ret = hdReplacementKeep(project->replacement, false);

	project->replacement = NULL;
	return ret < 0 ? sessionReportReplace(project->name, ret) : 0;
}

void sessionProjectDrop(struct sessionProject *project)
{
	if (!project->replacement)
		projectRemove(project->written);
	sessionProjectClear(project);
}

int sessionBegin(struct session *session, gboolean isNumbered)
{
	const struct options *options = session->options;
	struct sessionProject project = { 0 };
	struct ptConfig config;
	int ret = sessionRead(options, &config);

	if (ret < 0)
		return ret;
	/* The project file first: what was traced until a crash is readable. */
	ret = sessionProjectBegin(options, isNumbered, &config, &project);
	if (ret == 0) {
		/* A device has one user at a time. */
		sessionEnd(session);
		ret = ptTraceCreate(&config, NULL,
				    options->root ? options->root : "",
				    &session->trace);
		if (ret < 0)
			sessionProjectDrop(&project);
	}
	ptConfigClear(&config);
	if (ret < 0)
		return ret;
	session->project = g_strdup(project.name);
	if (!session->isStopped)
		pt_startTracing(session->trace);
	/* The device is there, and so is the recording. */
	ret = sessionProjectKeep(&project);
	sessionProjectClear(&project);
	if (ret < 0)
		sessionEnd(session);
	return ret;
}

int sessionEnd(struct session *session)
{
	const struct options *options = session->options;
	int ret;

	if (!session->trace)
		return 0;
	pt_stopTracing(session->trace);
	if (!options->quiet && !options->syslog && !options->background)
		summaryPrint(stderr, session->trace, session->project);
	ret = pt_finalizeTrace(session->trace);
	if (ret == PT_EHDLIB)
		ptMessage(HD_LOG_ERROR, "incomplete trace");
	session->trace = NULL;
	g_free(session->project);
	session->project = NULL;
	return ret;
}
