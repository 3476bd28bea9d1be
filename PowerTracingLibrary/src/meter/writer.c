/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics groups of the nodes; see writer.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <PT.h>
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/meter/writer.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/nodepower.h"
#include "recording/integral.h"
#include "recording/record.h"

/* The group of a node. */
struct writerGroup {
	const struct ptNode *node;
	struct hdRecord record;
};

struct ptWriter {
	struct ptSink sink; /* First: it is what the meter knows. */
	const struct ptConfig *config;
	struct writerGroup *groups; /* One for each node. */
	bool hasFailed;
	pthread_mutex_t mutex; /* Protects what follows. */
	struct hdIntegral *sums;
	int64_t firstNs, lastNs; /* Of the entries; 0 if there are none. */
	bool isMissing;          /* What comes since then. */
};

/* Whether a value tells power or energy. */
static bool writerTellsPower(const struct ptColumn *column)
{
	const char *unit = column->quantity->unit;

	return unit && (strcmp(unit, "W") == 0 || strcmp(unit, "J") == 0);
}

static int writerAddValue(struct writerGroup *group,
			  const struct ptConfig *config,
			  const struct ptColumn *column, const char *name)
{
	struct hdPowerChannel channel = {
		.device = config->driver->name,
		.label = column->label,
	};
	bool tellsPower = writerTellsPower(column);
	struct hdRecordColumn recorded = {
		.name = name,
		.type = column->quantity->type,
		.unit = column->quantity->unit,
		.grouping = column->quantity->grouping,
		.source = column->source,
		.resolution = column->resolution,
		.isSimulated = column->isSimulated,
		.kind = column->quantity->kind,
		.hardware = tellsPower ? column->hardware : NULL,
	};

	hdPowerClassify(&channel);
	if (tellsPower && channel.is != HD_POWER_UNKNOWN)
		recorded.role = hdPowerRoleName(channel.is);
	if (recorded.role && channel.container[0])
		recorded.partOf = channel.container;
	return hdRecordAddColumn(&group->record, &recorded);
}

/* Which level of the nodes is the host: Host, or the first (format.md). */
static size_t writerHostLevel(const struct ptConfig *config)
{
	size_t level =
		hdLevelFind(config->levels, config->levelCount, HD_LEVEL_HOST);

	return level > 0 ? level - 1 : 0;
}

/* Say whose clock the times are of, if it is not that of the node's host. */
static int writerAddClock(const struct ptConfig *config,
			  struct writerGroup *group)
{
	const struct ptNode *node = group->node;
	size_t level = writerHostLevel(config);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (level >= node->depth ||
	    ptConfigIsSameHost(node->labels[level], host))
		return 0;
	return hdRecordAddClock(&group->record, node->labels, level, host);
}

/* Readers must know that the delay is no longer in the time stamps. */
static int writerAddDelay(const struct ptConfig *config,
			  struct writerGroup *group)
{
	char text[32];

	if (config->delayNs == 0)
		return 0;
	snprintf(text, sizeof(text), "%" PRId64 ".%09" PRId64,
		 config->delayNs / HD_NS_PER_S, config->delayNs % HD_NS_PER_S);
	return hdS_addAttribute(group->record.group, "delayApplied", text);
}

static int writerCreateGroup(struct ptWriter *writer,
			     const struct ptFound *found, hdTopology *topology,
			     struct writerGroup *group)
{
	const struct ptConfig *config = writer->config;
	const struct ptNode *node = group->node;
	hdTopoNode *topoNode = hdT_createTopoNode(
		topology, (const char **)node->labels, (int)node->depth);
	int ret = 0;

	if (!topoNode)
		return PT_EHDLIB;
	ret = hdRecordOpen(&group->record, topoNode, (int)node->depth,
			   "Energy");
	hdT_destroyTopoNode(topoNode);
	if (ret == 0)
		ret = hdS_addAttribute(group->record.group, "device",
				       config->driver->name);
	if (ret == 0 && found->gapsFoundBy)
		ret = hdS_addAttribute(group->record.group, "gapsFoundBy",
				       found->gapsFoundBy);
	if (ret == 0)
		ret = writerAddDelay(config, group);
	if (ret == 0)
		ret = writerAddClock(config, group);
	for (size_t i = node->first; ret == 0 && i < node->first + node->count;
	     i++)
		ret = writerAddValue(group, config, &config->columns[i],
				     config->names[i]);
	return ret == 0 ? 0 : PT_EHDLIB;
}

/* A group that is not committed leaves no file. */
static int writerCreateGroups(struct ptWriter *writer,
			      const struct ptFound *found, hdTopology *topology,
			      const struct ptNode **culprit)
{
	const struct ptConfig *config = writer->config;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < config->nodeCount; i++) {
		*culprit = writer->groups[i].node = &config->nodes[i];
		ret = writerCreateGroup(writer, found, topology,
					&writer->groups[i]);
	}
	for (size_t i = 0; ret == 0 && i < config->nodeCount; i++) {
		*culprit = &config->nodes[i];
		if (hdRecordCommit(&writer->groups[i].record) < 0)
			ret = PT_EHDLIB;
	}
	return ret;
}

/* Add an entry of a group to the totals, over its interval in the file. */
static void writerAddUp(struct ptWriter *writer,
			const struct writerGroup *group,
			const union hdCell *cells)
{
	const struct hdRecord *record = &group->record;
	const struct ptNode *node = group->node;

	pthread_mutex_lock(&writer->mutex);
	if (writer->firstNs == 0)
		writer->firstNs = record->beginNs;
	writer->lastNs = record->lastNs;
	writer->isMissing = false;
	for (size_t i = node->first; i < node->first + node->count; i++)
		hdIntegralAdd(
			&writer->sums[i],
			hdCellNumber(writer->config->columns[i].quantity->type,
				     cells[i]),
			record->lastNs - record->beginNs);
	pthread_mutex_unlock(&writer->mutex);
}

static struct ptWriter *writerOf(struct ptSink *sink)
{
	return (struct ptWriter *)(void *)sink;
}

/* Say that a node's power is not recorded, if nobody has. */
static void writerSayLoss(const struct ptNode *node, int error)
{
	if (hdRecordIsSaid(error))
		ptMessage(HD_LOG_INFO, "node %s: not recorded: %s", node->path,
			  hdRecordReason(error));
	else
		ptLoss("node %s: not recorded: %s", node->path,
		       hdRecordReason(error));
}

static void writerAdd(struct ptSink *sink, const union hdCell *cells,
		      const struct ptReading *reading)
{
	struct ptWriter *writer = writerOf(sink);
	int64_t end = reading->endNs - writer->config->delayNs;
	int64_t start = end - reading->lengthNs;

	for (size_t i = 0; i < writer->config->nodeCount; i++) {
		struct writerGroup *group = &writer->groups[i];

		if (hdRecordAdd(&group->record, cells + group->node->first,
				start, end, reading->lost > 0) == 0) {
			writerAddUp(writer, group, cells);
			continue;
		}
		if (writer->hasFailed)
			continue;
		writer->hasFailed = true;
		writerSayLoss(group->node, errno);
	}
}

static void writerGap(struct ptSink *sink)
{
	struct ptWriter *writer = writerOf(sink);

	for (size_t i = 0; i < writer->config->nodeCount; i++)
		hdRecordGap(&writer->groups[i].record);
	pthread_mutex_lock(&writer->mutex);
	writer->isMissing = true;
	pthread_mutex_unlock(&writer->mutex);
}

static void writerStop(struct ptSink *sink)
{
	struct ptWriter *writer = writerOf(sink);

	for (size_t i = 0; i < writer->config->nodeCount; i++)
		hdRecordDisable(&writer->groups[i].record);
}

static const struct ptSinkCalls writerCalls = {
	.add = writerAdd,
	.gap = writerGap,
	.stop = writerStop,
};

struct ptSink *ptWriterSink(struct ptWriter *writer)
{
	return &writer->sink;
}

static int writerCreate(const struct ptConfig *config,
			const struct ptFound *found, hdTopology *topology,
			struct ptWriter **result)
{
	struct ptWriter *writer = calloc(1, sizeof(*writer));
	const struct ptNode *culprit = NULL;
	int ret, saved;

	if (!writer)
		return PT_EMEMORY;
	writer->sink.calls = &writerCalls;
	writer->config = config;
	pthread_mutex_init(&writer->mutex, NULL);
	writer->sums = calloc(config->columnCount, sizeof(*writer->sums));
	writer->groups = calloc(config->nodeCount, sizeof(*writer->groups));
	if (writer->sums && writer->groups)
		ret = writerCreateGroups(writer, found, topology, &culprit);
	else
		ret = PT_EMEMORY;
	if (ret == 0) {
		*result = writer;
		return 0;
	}
	saved = errno;
	if (ret == PT_EHDLIB)
		writerSayLoss(culprit, saved);
	ptWriterDestroy(writer);
	errno = saved;
	return ret;
}

int ptWriterCreate(const struct ptConfig *config, const struct ptFound *found,
		   hdTopology *topology, struct ptWriter **result)
{
	hdTopology *own = NULL;
	int ret, saved;

	if (!topology) {
		own = hdT_createTopology(config->project,
					 (const char **)config->levels,
					 (int)config->levelCount);
		if (!own) {
			ptLoss("project %s: not recorded: %s", config->project,
			       hdRecordReason(errno));
			return PT_EHDLIB;
		}
		topology = own;
	}
	ret = writerCreate(config, found, topology, result);
	saved = errno;
	if (own)
		hdT_destroyTopology(own);
	errno = saved;
	return ret;
}

struct ptResult ptWriterResult(struct ptWriter *writer, size_t column)
{
	struct ptResult result;
	int64_t now = hdClockNow() - writer->config->delayNs;
	int64_t until;

	pthread_mutex_lock(&writer->mutex);
	until = writer->lastNs;
	if (writer->isMissing && writer->firstNs != 0 && now > until)
		until = now;
	result = (struct ptResult){
		.total = writer->sums[column],
		.durationNs = until - writer->firstNs,
	};
	pthread_mutex_unlock(&writer->mutex);
	return result;
}

uint64_t ptWriterSteps(struct ptWriter *writer)
{
	hdLosses losses;
	uint64_t times = 0;

	for (size_t i = 0; i < writer->config->nodeCount; i++)
		if (hdS_getLosses(writer->groups[i].record.group, &losses) ==
			    0 &&
		    losses.times > times)
			times = losses.times;
	return times;
}

int ptWriterDestroy(struct ptWriter *writer)
{
	int ret = 0;

	if (!writer)
		return 0;
	for (size_t i = 0; writer->groups && i < writer->config->nodeCount; i++)
		if (hdRecordClose(&writer->groups[i].record) < 0)
			ret = -1;
	pthread_mutex_destroy(&writer->mutex);
	free(writer->groups);
	free(writer->sums);
	free(writer);
	return ret;
}
