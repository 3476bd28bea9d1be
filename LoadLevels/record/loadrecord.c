/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A project of this host, and its power; see loadrecord.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include <PT.h>
#include "LoadLevels/core/loadrecord.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/format/frame.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"
#include "common/format/projectname.h"
#include "common/format/replacement.h"
#include "common/ini.h"
#include "recording/reason.h"

#define HOST_MAX 256
#define LABEL_MAX 16

struct hdLoadRecord {
	const char *tool;
	char host[HOST_MAX];
	char *project; /* That is written. */
	struct hdReplacement *replacement;
	hdTopology *topology;
	PowerTrace *power;
	bool isProjectWritten;
	size_t count;
	hdTrace **traces;
	hdTopoNode *hostNode;
	hdTrace *hostTrace;
};

/* ---- What a configuration says ------------------------------------------- */

static void ignore(void *context, long line, const char *text)
{
	/* libPT says what is wrong with it. */
	(void)context;
	(void)line;
	(void)text;
}

static int64_t cycleOf(const struct hdIni *ini)
{
	for (size_t i = 0; i < ini->count; i++) {
		const struct hdIniKey *key =
			hdIniFind(&ini->sections[i], "cycle");
		double ms = key ? g_ascii_strtod(key->value, NULL) : 0;

		if (ms > 0 && ms < 1e6)
			return (int64_t)(ms * 1e6);
	}
	return HD_LOAD_CYCLE_NS;
}

static bool readConfiguration(const char *tool, const char *path,
			      struct hdIni *ini)
{
	int ret = hdIniRead(path, ignore, NULL, ini);

	if (ret < 0)
		cliErrorRead(tool, path, ret);
	return ret == 0;
}

int64_t hdLoadCycle(const char *tool, const char *configuration)
{
	struct hdIni ini;
	int64_t cycle;

	if (!readConfiguration(tool, configuration, &ini))
		return -1;
	cycle = cycleOf(&ini);
	hdIniClear(&ini);
	return cycle;
}

/* Whether a node is the one of this project. As in libPT, %h is the host
 * without its domain, which is then the host of the project. */
static bool loadRecordIsNode(struct hdLoadRecord *self, const char *node)
{
	if (strcmp(node, "%h") == 0) {
		self->host[strcspn(self->host, ".")] = '\0';
		return true;
	}
	return strcmp(node, self->host) == 0;
}

/* Power of this host is what loads are compared with, and only this host is in
 * the project. */
static bool loadRecordIsOfHost(struct hdLoadRecord *self,
			       const struct hdLoadTarget *target)
{
	const char *other = NULL;
	struct hdIni ini;

	if (!readConfiguration(self->tool, target->configuration, &ini))
		return false;
	for (size_t i = 0; i < ini.count && !other; i++) {
		const struct hdIniKey *key =
			hdIniFind(&ini.sections[i], "node");

		if (key && !loadRecordIsNode(self, key->value))
			other = key->value;
	}
	/* What else is wrong libPT says. */
	if (other)
		outSay(stderr,
		       "%s: %s: node=%s is not this host; expected node=%s",
		       self->tool, target->configuration, other, self->host);
	hdIniClear(&ini);
	return !other;
}

/* ---- Files --------------------------------------------------------------- */

static int loadRecordWriteProject(const struct hdLoadRecord *self,
				  const struct hdLoadTarget *target)
{
	const char *groups[3] = { NULL };
	size_t groupCount = 0;
	char *levels[] = { (char *)HD_LEVEL_HOST, (char *)target->level };
	size_t nodeCount = target->count ? target->count : 1;
	struct hdProjectNode *nodes = g_new0(struct hdProjectNode, nodeCount);
	char **labels = g_new0(char *, 2 * nodeCount + 1);
	const struct hdProjectFile file = {
		.project = self->project,
		.levels = levels,
		.levelCount = target->count ? 2 : 1,
		.nodes = nodes,
		.nodeCount = nodeCount,
		.groups = groups,
	};
	int ret;

	if (target->configuration)
		groups[groupCount++] = "Energy";
	if (target->group)
		groups[groupCount++] = target->group;
	labels[0] = (char *)self->host;
	nodes[0] = (struct hdProjectNode){ labels, 1 };

	for (size_t i = 0; i < target->count; i++) {
		labels[2 * i] = (char *)self->host;
		labels[2 * i + 1] = g_strdup_printf("%d", target->labels[i]);
		nodes[i] = (struct hdProjectNode){ &labels[2 * i], 2 };
	}
	ret = hdProjectFileWrite(&file, false);
	for (size_t i = 0; i < target->count; i++)
		g_free(labels[2 * i + 1]);
	g_free(labels);
	g_free(nodes);
	return ret;
}

static hdTrace *loadRecordCreateTrace(const struct hdLoadRecord *self,
				      int number)
{
	char label[LABEL_MAX];
	const char *path[] = { self->host, label };
	hdTrace *trace = NULL;
	hdTopoNode *node;

	snprintf(label, sizeof(label), "%d", number);
	node = hdT_createTopoNode(self->topology, path, 2);
	if (node)
		trace = hdT_createTrace(node);
	if (node)
		hdT_destroyTopoNode(node);
	return trace;
}

static bool loadRecordCreateHost(struct hdLoadRecord *self,
				 const struct hdLoadTarget *target)
{
	const char *path[] = { self->host };

	if (!target->hasHost)
		return true;
	self->hostNode = hdT_createTopoNode(self->topology, path, 1);
	if (self->hostNode)
		self->hostTrace = hdT_createTrace(self->hostNode);
	if (!self->hostTrace)
		outSay(stderr, "%s: %s: %s", self->tool, target->project,
		       hdRecordReason(errno));
	if (self->hostTrace && target->createGroup)
		target->createGroup(target->context, self->hostNode);
	return self->hostTrace != NULL;
}

static bool loadRecordStartPower(struct hdLoadRecord *self,
				 const struct hdLoadTarget *target)
{
	int ret = pt_createTrace(target->configuration, self->topology,
				 &self->power);

	if (ret != PT_SUCCESS) {
		outSay(stderr, "%s: %s: cannot measure power%s", self->tool,
		       target->configuration,
		       ret == PT_EWRONGHOST
			       ? ": the meter is connected to another host"
			       : "");
		return false;
	}
	pt_startTracing(self->power);
	return true;
}

static bool createFiles(struct hdLoadRecord *self,
			const struct hdLoadTarget *target)
{
	const char *levels[] = { HD_LEVEL_HOST, target->level };

	self->topology = hdT_createTopology(self->project, levels,
					    target->count ? 2 : 1);
	if (!self->topology) {
		outSay(stderr, "%s: %s: invalid project name", self->tool,
		       cliErrorObject(target->project));
		return false;
	}
	for (; self->count < target->count; self->count++) {
		self->traces[self->count] = loadRecordCreateTrace(
			self, target->labels[self->count]);
		if (!self->traces[self->count]) {
			outSay(stderr, "%s: %s: %s", self->tool,
			       target->project, hdRecordReason(errno));
			return false;
		}
	}
	if (!loadRecordCreateHost(self, target))
		return false;
	return !target->configuration || loadRecordStartPower(self, target);
}

/* ---- Begin and end ------------------------------------------------------- */

static void sayNotCreated(const struct hdLoadRecord *self, const char *project,
			  int error)
{
	char *file = hdProjectFileName(project, ".proj");

	cliErrorCreate(self->tool, file ? file : project, error);
	free(file);
}

static bool loadRecordClaim(struct hdLoadRecord *self,
			    const struct hdLoadTarget *target)
{
	int ret = 0;

	if (target->isForced)
		ret = hdReplacementBegin(target->project, &self->replacement);
	self->project = g_strdup(
		self->replacement ? hdReplacementProject(self->replacement)
				  : target->project);
	if (ret == 0)
		ret = loadRecordWriteProject(self, target);
	self->isProjectWritten = ret == 0;
	if (ret == -EEXIST)
		outSay(stderr, "%s: " CLI_TEXT_EXISTS, self->tool,
		       target->project);
	else if (ret < 0)
		sayNotCreated(self, target->project, ret);
	return ret == 0;
}

/* All files are there. */
static bool loadRecordKeep(struct hdLoadRecord *self)
{
	int ret = hdReplacementKeepHost(self->replacement, self->host);

	self->replacement = NULL;
	if (ret < 0)
		outSay(stderr, "%s: cannot replace the old project: %s",
		       self->tool, strerror(-ret));
	return ret == 0;
}

static void removeFile(const struct hdLoadRecord *self, const char *end)
{
	char *both = g_strconcat(end, HD_FRAME_SUFFIX, NULL);
	char *file = hdProjectFileName(self->project, end);
	char *compressed = hdProjectFileName(self->project, both);

	if (file)
		unlink(file);
	if (compressed)
		unlink(compressed);
	free(file);
	free(compressed);
	g_free(both);
}

/* What was begun and is of no use. */
static void loadRecordDrop(struct hdLoadRecord *self,
			   const struct hdLoadTarget *target)
{
	char *end = g_strdup_printf("_%s_Energy.stat", self->host);

	if (self->power)
		removeFile(self, end);
	g_free(end);
	for (size_t i = 0; i < self->count; i++) {
		end = g_strdup_printf("_%s_%d.trc", self->host,
				      target->labels[i]);
		removeFile(self, end);
		g_free(end);
	}
	if (self->hostTrace) {
		end = g_strdup_printf("_%s.trc", self->host);
		removeFile(self, end);
		g_free(end);
		end = g_strdup_printf("_%s_%s.stat", self->host,
				      target->group ? target->group : "");
		removeFile(self, end);
		g_free(end);
	}
	if (self->isProjectWritten)
		removeFile(self, ".proj");
	hdReplacementDrop(self->replacement);
	self->replacement = NULL;
	hdLoadRecordEnd(self);
}

bool hdLoadRecordBegin(const struct hdLoadTarget *target,
		       struct hdLoadRecord **result)
{
	struct hdLoadRecord *self = g_new0(struct hdLoadRecord, 1);

	self->tool = target->tool;
	self->traces = g_new0(hdTrace *, target->count + 1);
	hdProjectHost(NULL, self->host, sizeof(self->host));
	if ((!target->configuration || loadRecordIsOfHost(self, target)) &&
	    loadRecordClaim(self, target) && createFiles(self, target) &&
	    loadRecordKeep(self)) {
		*result = self;
		return true;
	}
	loadRecordDrop(self, target);
	return false;
}

hdTrace *hdLoadRecordHostTrace(const struct hdLoadRecord *record)
{
	return record->hostTrace;
}

hdTrace *const *hdLoadRecordTraces(const struct hdLoadRecord *record)
{
	return record->traces;
}

static bool loadRecordEndTrace(const struct hdLoadRecord *self, hdTrace *trace)
{
	if (!trace || hdT_finalize(trace) == 0)
		return true;
	outSay(stderr, "%s: %s: incomplete trace: %s", self->tool,
	       self->project, hdRecordReason(errno));
	return false;
}

bool hdLoadRecordEnd(struct hdLoadRecord *self)
{
	bool isWhole = true;

	if (self->power && pt_finalizeTrace(self->power) != PT_SUCCESS) {
		outSay(stderr, "%s: power: measurement ended early",
		       self->tool);
		isWhole = false;
	}
	for (size_t i = 0; i < self->count; i++)
		isWhole &= loadRecordEndTrace(self, self->traces[i]);
	isWhole &= loadRecordEndTrace(self, self->hostTrace);
	if (self->hostNode)
		hdT_destroyTopoNode(self->hostNode);
	if (self->topology)
		hdT_destroyTopology(self->topology);
	g_free(self->traces);
	g_free(self->project);
	g_free(self);
	return isWhole;
}
