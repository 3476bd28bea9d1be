/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Phases of the utilization that a project measured; see hdload.h.
 *
 * The mean of each window of --level-time is a level. Time that is not known
 * has the level before it.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hdReading.h>
#include "LoadLevels/command/hdload.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/clock.h"

#define REPLAY_LEVEL_S 1.0
/* As many as a run has at most. */
#define REPLAY_WINDOWS_MAX 1000000

/* Where the load of a component is found, and how. */
struct replaySource {
	const char *component; /* Shell pattern. */
	const char *value;     /* Old files have a blank for each "_". */
	enum replayAmount {
		REPLAY_PERCENT,
		REPLAY_RATE, /* Bytes of an interval, of --rate. */
		REPLAY_HELD, /* Bytes, of --memory. */
	} amount;
};

static const struct replaySource replaySources[] = {
	{ "cpu-*", "CPU_TOTAL", REPLAY_PERCENT },
	{ "memory", "MEM_USED", REPLAY_HELD },
	{ "network", "NET_OUT", REPLAY_RATE },
	{ "disk-read", "HDD_READ", REPLAY_RATE },
	{ "disk-write", "HDD_WRITE", REPLAY_RATE },
	{ "disk-sync", "HDD_WRITE", REPLAY_RATE },
};

struct replay {
	const struct hdloadOptions *options;
	const struct replaySource *source;
	const hdIGroup *group;
	size_t column;
	bool isPerSecond; /* The file has rates, not amounts. */
	double full;      /* The amount at 100 %. */
	int64_t startNs;
	int64_t endNs;
	int64_t windowNs;
	GArray *sums;  /* double: level times known time, of each window. */
	GArray *known; /* double: known time, in ns. */
	size_t damaged;
};

static void replaySay(const hdIMessage *message, void *data)
{
	struct replay *self = data;

	if (message->severity == HDI_NOTE)
		return;
	if (message->severity == HDI_ERROR)
		self->damaged++;
	outSay(stderr, "hdload: %s: %s", message->file, message->text);
}

/* ---- What is replayed ---------------------------------------------------- */

static int replayFindSource(struct replay *self, const struct hdLevelJob *job)
{
	const char *name = job->kinds[0]->name;

	for (size_t i = 0; i < G_N_ELEMENTS(replaySources); i++) {
		if (fnmatch(replaySources[i].component, name, 0) == 0)
			self->source = &replaySources[i];
	}
	if (!self->source)
		return cliUsage(&hdloadCommand,
				"--replay: %s: libRUT does not measure it",
				name);
	if (job->kindCount > 1)
		return cliUsage(&hdloadCommand,
				"--replay: requires a single component");
	self->full = self->source->amount == REPLAY_PERCENT ? 100
		     : self->source->amount == REPLAY_RATE
			     ? self->options->rate
			     : self->options->memory * 1e6;
	if (self->full > 0)
		return -1;
	return cliUsage(&hdloadCommand,
			self->source->amount == REPLAY_RATE
				? "--replay: %s: requires --rate"
				: "--replay: %s: requires --memory",
			name);
}

static bool replayIsValue(const struct replay *self, const hdIValue *value)
{
	const char *name = value->name, *wanted = self->source->value;

	while (*wanted &&
	       (*name == *wanted || (*name == ' ' && *wanted == '_')))
		name++, wanted++;
	return !*name && !*wanted && value->type != HDI_STRING;
}

static bool replayTakesNode(const struct replay *self, const hdINode *node)
{
	const char *pattern = self->options->node;

	return !pattern || fnmatch(pattern, node->label, 0) == 0 ||
	       fnmatch(pattern, node->path, 0) == 0;
}

/* The number of groups with the value; the last one is kept. */
static size_t replayFindGroups(struct replay *self, const hdIProject *project,
			       GString *names)
{
	size_t count = 0;

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		if (!replayTakesNode(self, group->node))
			continue;
		for (size_t j = 0; j < group->valueCount; j++) {
			if (!replayIsValue(self, &group->values[j]))
				continue;
			self->group = group;
			self->column = j;
			g_string_append_printf(names, "%s%s", count ? ", " : "",
					       group->node->path);
			count++;
			break;
		}
	}
	return count;
}

static int replayFindGroup(struct replay *self, const hdIProject *project)
{
	GString *names = g_string_new(NULL);
	size_t count = replayFindGroups(self, project, names);

	if (count == 0)
		outSay(stderr, "hdload: %s: no node has the utilization %s",
		       self->options->replay, self->source->value);
	else if (count > 1)
		outSay(stderr,
		       "hdload: %s: several nodes have a utilization: %s; "
		       "use --node",
		       self->options->replay, names->str);
	g_string_free(names, TRUE);
	if (count != 1)
		return HDLOAD_FAILED;
	self->isPerSecond =
		g_str_has_suffix(self->group->values[self->column].unit, "/s");
	return -1;
}

/* ---- Windows ------------------------------------------------------------- */

static double replayNumber(const struct replay *self, const hdIBlock *block,
			   size_t entry)
{
	const hdIValue *value = &self->group->values[self->column];
	const hdIColumn *column = &block->columns[self->column];
	int64_t whole;

	switch (value->type) {
	case HDI_DOUBLE:
		return column->float64[entry];
	case HDI_FLOAT:
		return (double)column->float32[entry];
	case HDI_UINT64:
		return (double)column->uint64[entry];
	case HDI_INT32:
		whole = column->int32[entry];
		break;
	default:
		whole = column->int64[entry];
	}
	return value->hasMissing && whole == value->missing ? NAN
							    : (double)whole;
}

/* The load in an interval, as a fraction; NaN: unknown. */
static double replayLoad(const struct replay *self, double number,
			 int64_t lengthNs)
{
	if (self->source->amount == REPLAY_RATE && !self->isPerSecond)
		number /= (double)lengthNs / 1e9;
	number /= self->full;
	return isfinite(number) ? CLAMP(number, 0, 1) : (double)NAN;
}

static void replayAdd(struct replay *self, int64_t start, int64_t end,
		      double load)
{
	while (start < end) {
		size_t window =
			(size_t)((start - self->startNs) / self->windowNs);
		int64_t border =
			self->startNs + ((int64_t)window + 1) * self->windowNs;
		double part = (double)(MIN(border, end) - start);

		if (window >= REPLAY_WINDOWS_MAX)
			return;
		if (window >= self->known->len) {
			g_array_set_size(self->sums, (guint)window + 1);
			g_array_set_size(self->known, (guint)window + 1);
		}
		if (!isnan(load)) {
			g_array_index(self->sums, double, window) +=
				load * part;
			g_array_index(self->known, double, window) += part;
		}
		start = MIN(border, end);
	}
}

static void replayAddBlock(struct replay *self, const hdIBlock *block)
{
	for (size_t i = 0; i < block->count; i++) {
		int64_t start = block->start[i], end = block->end[i];

		if (self->endNs == INT64_MIN)
			self->startNs = self->endNs = start;
		/* Times never decrease; else there was a message. */
		if (end <= start || start < self->startNs)
			continue;
		replayAdd(self, start, end,
			  replayLoad(self, replayNumber(self, block, i),
				     end - start));
		self->endNs = MAX(self->endNs, end);
	}
}

static int replayRead(struct replay *self, const hdIProject *project)
{
	hdIStatReader *reader = hdI_openStat(project, self->group);
	const hdIBlock *block;
	int ret;

	if (!reader)
		return -errno;
	self->endNs = INT64_MIN;
	while ((ret = hdI_readStat(reader, &block)) > 0)
		replayAddBlock(self, block);
	hdI_closeStat(reader);
	return ret < 0 ? -errno : 0;
}

/* ---- Phases -------------------------------------------------------------- */

static int replayAddPhases(const struct replay *self, struct hdLevelJob *job)
{
	double level = 0, unknown = 0;
	int ret = 0;

	for (guint i = 0; i < self->known->len && ret == 0; i++) {
		int64_t start = self->startNs + (int64_t)i * self->windowNs;
		int64_t length = MIN(self->windowNs, self->endNs - start);
		double known = g_array_index(self->known, double, i);

		if (known > 0)
			level = CLAMP(g_array_index(self->sums, double, i) /
					      known,
				      0, 1);
		unknown += (double)length - known;
		if (length > 0)
			ret = hdLevelPhasesAdd(&job->phases, length, level,
					       false, false);
	}
	if (unknown >= 1e6)
		outSay(stderr,
		       "hdload: %s: %.3f s of the utilization are unknown; the "
		       "load before them continues",
		       self->options->replay, unknown / 1e9);
	return ret;
}

static int replayMakePhases(struct replay *self, const hdIProject *project,
			    struct hdLevelJob *job)
{
	int ret = replayRead(self, project);

	if (ret < 0) {
		cliErrorRead(hdloadCommand.name, self->group->file, -ret);
		return HDLOAD_FAILED;
	}
	if (self->known->len == 0) {
		outSay(stderr, "hdload: %s: no entries", self->group->file);
		return HDLOAD_FAILED;
	}
	if ((self->endNs - self->startNs) / self->windowNs >=
	    REPLAY_WINDOWS_MAX)
		return cliUsage(&hdloadCommand,
				"--replay: too many levels; use a longer "
				"--level-time");
	ret = replayAddPhases(self, job);
	if (ret == 0)
		return -1;
	outSay(stderr, "hdload: %s", strerror(-ret));
	return HDLOAD_FAILED;
}

int hdloadReplay(const struct hdloadOptions *options, struct hdLevelJob *job)
{
	struct replay self = { .options = options };
	double seconds =
		options->levelTime > 0 ? options->levelTime : REPLAY_LEVEL_S;
	hdIProject *project;
	int status = replayFindSource(&self, job);

	if (status >= 0)
		return status;
	project = hdI_openProject(options->replay, replaySay, &self);
	if (!project) {
		if (!self.damaged)
			cliErrorOpen(hdloadCommand.name, options->replay,
				     errno);
		return HDLOAD_FAILED;
	}
	self.windowNs = (int64_t)llrint(seconds * 1e9);
	self.sums = g_array_new(FALSE, TRUE, sizeof(double));
	self.known = g_array_new(FALSE, TRUE, sizeof(double));
	status = replayFindGroup(&self, project);
	if (status < 0)
		status = replayMakePhases(&self, project, job);
	g_array_unref(self.sums);
	g_array_unref(self.known);
	hdI_closeProject(project);
	return status;
}
