/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A trace and its project file. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pt/pt.h"
#include "PowerTracingLibrary/src/message.h"
#include "common/format/projectfile.h"

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

static gboolean isThere(const char *project, const char *end)
{
	char *name = hdProjectFileName(project, end);
	gboolean is = name && access(name, F_OK) == 0;

	free(name);
	return is;
}

static gboolean projectIsThere(const struct ptConfig *config,
			       const char *project)
{
	gboolean is = isThere(project, ".proj");

	for (size_t i = 0; !is && i < config->nodeCount; i++) {
		char *end = g_strdup_printf("_%s_Energy.stat",
					    config->nodes[i].path);

		is = isThere(project, end);
		g_free(end);
	}
	return is;
}

static char *projectChoose(const struct ptConfig *config, gboolean isNumbered)
{
	char *name = g_strdup(config->project);

	for (int i = 2; isNumbered && projectIsThere(config, name); i++) {
		g_free(name);
		name = g_strdup_printf("%s-%d", config->project, i);
	}
	return name;
}

static int projectWrite(const struct ptConfig *config, const char *project,
			gboolean replace)
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
	ret = hdProjectFileWrite(&file, replace);
	g_free(nodes);
	if (ret == 0)
		return 0;
	ptMessage(HD_LOG_ERROR, "%s.proj: %s", project,
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

int sessionProject(const struct options *options, gboolean isNumbered,
		   struct ptConfig *config, char **project)
{
	int ret;

	*project = projectChoose(config, isNumbered);
	ret = projectWrite(config, *project, options->force);
	if (ret == 0) {
		config->project = *project;
		return 0;
	}
	g_free(*project);
	*project = NULL;
	return ret;
}

int sessionBegin(struct session *session, gboolean isNumbered)
{
	const struct options *options = session->options;
	struct ptConfig config;
	char *project = NULL;
	int ret = sessionRead(options, &config);

	if (ret < 0)
		return ret;
	/* The project file first: what was traced until a crash is readable. */
	ret = sessionProject(options, isNumbered, &config, &project);
	if (ret == 0) {
		/* A device has one user at a time. */
		sessionEnd(session);
		ret = ptTraceCreate(&config, NULL,
				    options->root ? options->root : "",
				    &session->trace);
		if (ret < 0)
			projectRemove(project);
	}
	ptConfigClear(&config);
	if (ret < 0) {
		g_free(project);
		return ret;
	}
	session->project = project;
	if (!session->isStopped)
		pt_startTracing(session->trace);
	return 0;
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
		ptMessage(HD_LOG_ERROR, "the trace is not complete");
	session->trace = NULL;
	g_free(session->project);
	session->project = NULL;
	return ret;
}
