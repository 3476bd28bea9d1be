/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A project of this host, and its power; see record.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include <PT.h>
#include "LoadLevels/record/record.h"
#include "cli/errors.h"
#include "cli/output.h"
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

/* Power of this host is what loads are compared with, and only this host is in
 * the project. */
static bool isOfHost(const struct hdLoadRecord *self,
		     const struct hdLoadPlace *place)
{
	const char *other = NULL;
	struct hdIni ini;

	if (!readConfiguration(self->tool, place->configuration, &ini))
		return false;
	for (size_t i = 0; i < ini.count && !other; i++) {
		const struct hdIniKey *key =
			hdIniFind(&ini.sections[i], "node");

		if (key && strcmp(key->value, self->host) != 0)
			other = key->value;
	}
	/* What else is wrong libPT says. */
	if (other)
		outSay(stderr,
		       "%s: %s: node=%s is not this host; expected node=%s",
		       self->tool, place->configuration, other, self->host);
	hdIniClear(&ini);
	return !other;
}

/* ---- Files --------------------------------------------------------------- */

static int writeProject(const struct hdLoadRecord *self,
			const struct hdLoadPlace *place)
{
	static const char *const groups[] = { "Energy", NULL };
	static const char *const none[] = { NULL };
	char *levels[] = { (char *)HD_LEVEL_HOST, (char *)place->level };
	struct hdProjectNode *nodes =
		g_new0(struct hdProjectNode, place->count);
	char **labels = g_new0(char *, 2 * place->count + 1);
	const struct hdProjectFile file = {
		.project = self->project,
		.levels = levels,
		.levelCount = G_N_ELEMENTS(levels),
		.nodes = nodes,
		.nodeCount = place->count,
		.groups = place->configuration ? groups : none,
	};
	int ret;

	for (size_t i = 0; i < place->count; i++) {
		labels[2 * i] = (char *)self->host;
		labels[2 * i + 1] = g_strdup_printf("%d", place->labels[i]);
		nodes[i] = (struct hdProjectNode){ &labels[2 * i], 2 };
	}
	ret = hdProjectFileWrite(&file, false);
	for (size_t i = 0; i < place->count; i++)
		g_free(labels[2 * i + 1]);
	g_free(labels);
	g_free(nodes);
	return ret;
}

static hdTrace *createTrace(const struct hdLoadRecord *self, int number)
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

static bool startPower(struct hdLoadRecord *self,
		       const struct hdLoadPlace *place)
{
	int ret = pt_createTrace(place->configuration, self->topology,
				 &self->power);

	if (ret != PT_SUCCESS) {
		outSay(stderr, "%s: %s: cannot measure power%s", self->tool,
		       place->configuration,
		       ret == PT_EWRONGHOST
			       ? ": the meter is connected to another host"
			       : "");
		return false;
	}
	pt_startTracing(self->power);
	return true;
}

static bool createFiles(struct hdLoadRecord *self,
			const struct hdLoadPlace *place)
{
	const char *levels[] = { HD_LEVEL_HOST, place->level };

	self->topology = hdT_createTopology(self->project, levels, 2);
	if (!self->topology) {
		outSay(stderr, "%s: %s: invalid project name", self->tool,
		       cliErrorObject(place->project));
		return false;
	}
	for (; self->count < place->count; self->count++) {
		self->traces[self->count] =
			createTrace(self, place->labels[self->count]);
		if (!self->traces[self->count]) {
			outSay(stderr, "%s: %s: %s", self->tool, place->project,
			       hdRecordReason(errno));
			return false;
		}
	}
	return !place->configuration || startPower(self, place);
}

/* ---- Begin and end ------------------------------------------------------- */

static void sayNotCreated(const struct hdLoadRecord *self, const char *project,
			  int error)
{
	char *file = hdProjectFileName(project, ".proj");

	cliErrorCreate(self->tool, file ? file : project, error);
	free(file);
}

static bool claim(struct hdLoadRecord *self, const struct hdLoadPlace *place)
{
	int ret = 0;

	if (place->isForced)
		ret = hdReplacementBegin(place->project, &self->replacement);
	self->project = g_strdup(
		self->replacement ? hdReplacementProject(self->replacement)
				  : place->project);
	if (ret == 0)
		ret = writeProject(self, place);
	self->isProjectWritten = ret == 0;
	if (ret == -EEXIST)
		outSay(stderr, "%s: " CLI_TEXT_EXISTS, self->tool,
		       place->project);
	else if (ret < 0)
		sayNotCreated(self, place->project, ret);
	return ret == 0;
}

/* All files are there. */
static bool keep(struct hdLoadRecord *self)
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
	char *file = hdProjectFileName(self->project, end);

	if (file)
		unlink(file);
	free(file);
}

/* What was begun and is of no use. */
static void drop(struct hdLoadRecord *self, const struct hdLoadPlace *place)
{
	char *end = g_strdup_printf("_%s_Energy.stat", self->host);

	if (self->power)
		removeFile(self, end);
	g_free(end);
	for (size_t i = 0; i < self->count; i++) {
		end = g_strdup_printf("_%s_%d.trc", self->host,
				      place->labels[i]);
		removeFile(self, end);
		g_free(end);
	}
	if (self->isProjectWritten)
		removeFile(self, ".proj");
	hdReplacementDrop(self->replacement);
	self->replacement = NULL;
	hdLoadRecordEnd(self);
}

bool hdLoadRecordBegin(const struct hdLoadPlace *place,
		       struct hdLoadRecord **result)
{
	struct hdLoadRecord *self = g_new0(struct hdLoadRecord, 1);

	self->tool = place->tool;
	self->traces = g_new0(hdTrace *, place->count + 1);
	hdProjectHost(NULL, self->host, sizeof(self->host));
	if ((!place->configuration || isOfHost(self, place)) &&
	    claim(self, place) && createFiles(self, place) && keep(self)) {
		*result = self;
		return true;
	}
	drop(self, place);
	return false;
}

hdTrace *const *hdLoadRecordTraces(const struct hdLoadRecord *record)
{
	return record->traces;
}

bool hdLoadRecordEnd(struct hdLoadRecord *self)
{
	bool isWhole = true;

	if (self->power && pt_finalizeTrace(self->power) != PT_SUCCESS) {
		outSay(stderr, "%s: power: measurement ended early",
		       self->tool);
		isWhole = false;
	}
	for (size_t i = 0; i < self->count; i++) {
		if (hdT_finalize(self->traces[i]) == 0)
			continue;
		outSay(stderr, "%s: %s: incomplete trace: %s", self->tool,
		       self->project, hdRecordReason(errno));
		isWhole = false;
	}
	if (self->topology)
		hdT_destroyTopology(self->topology);
	g_free(self->traces);
	g_free(self->project);
	g_free(self);
	return isWhole;
}
