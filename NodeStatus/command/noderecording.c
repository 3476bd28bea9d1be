/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What nodes say over time, as an HDTrace project; see noderecording.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <hdTopology.h>
#include "NodeStatus/command/columns.h"
#include "NodeStatus/command/noderecording.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"
#include "recording/record.h"

#define GROUP "Utilization"
#define ENERGY_GROUP "Energy"

/* What labels of a topology may have. */
#define LABEL_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".-"

/* A clock that is off by more than errors and drift explain was set: the drift
 * is within the errors. */
#define STEP_S 0.001
/* Readings of two clocks, of which the quickest counts. */
#define STEP_READINGS 5
/* Buffer of a file in KiB, unless the environment says it: nodes add some
 * hundred bytes per second, and there may be a thousand of them with two files
 * each. */
#define BUFFER_KB "16"
/* A time that lies in the future by more is none. */
#define FUTURE_NS HD_NS_PER_S

/* A node. */
struct recorded {
	char *label;
	unsigned int boots, restarts;
	double offset, offsetError; /* Of the last answer. */
	/* Of the last sample that was looked at. */
	double stamp;

	struct nodeColumns columns;
	struct hdRecord use, energy;
	union hdCell *cells;
	bool isOpen, hasEnergy, hasFailed;
	bool isSet; /* Its clock was, and no sample has ended since. */

	/* What the meters had counted, and when; NaN: not known. */
	double joules;
	int64_t joulesNs;
};

struct nodeRecording {
	const struct cliCommand *command;
	char *project;
	hdTopology *topology;
	GHashTable *nodes;  /* By their addresses. */
	GHashTable *silent; /* Addresses of those that did not answer. */
	GPtrArray *ordered; /* The same, as they came. */
	int64_t baseNs; /* Of our clock at the begin: wall minus monotonic. */
	bool hasEnergy, isChanged, hasFailed, isProjectSaid;
};

/* ---- The project --------------------------------------------------------- */

static int nodeRecordWriteProject(struct nodeRecording *recording, bool replace)
{
	char *levels[] = { (char *)HD_LEVEL_HOST };
	const char *groups[] = { GROUP, NULL, NULL };
	size_t count = recording->ordered->len;
	struct hdProjectNode *nodes = g_new0(struct hdProjectNode, count + 1);
	const struct hdProjectFile file = {
		.project = recording->project,
		.levels = levels,
		.levelCount = 1,
		.nodes = nodes,
		.nodeCount = count,
		.groups = groups,
	};
	int ret;

	for (size_t i = 0; i < count; i++) {
		struct recorded *node =
			g_ptr_array_index(recording->ordered, i);

		nodes[i] = (struct hdProjectNode){ &node->label, 1 };
	}
	if (recording->hasEnergy)
		groups[1] = ENERGY_GROUP;
	ret = hdProjectFileWrite(&file, replace);
	g_free(nodes);
	return ret;
}

static void sayProject(struct nodeRecording *recording, int error)
{
	char *file = hdProjectFileName(recording->project, ".proj");
	const char *name = file ? file : recording->project;

	if (error == -EEXIST)
		outSay(stderr, "%s: %s: exists; choose another name",
		       recording->command->name, name);
	else
		cliErrorCreate(recording->command->name, name, error);
	free(file);
}

/* Nodes and groups that are new; what cannot be written is tried again. */
static void followProject(struct nodeRecording *recording)
{
	int ret = recording->isChanged ? nodeRecordWriteProject(recording, true)
				       : 0;

	recording->isChanged = ret < 0;
	if (ret == 0 || recording->isProjectSaid)
		return;
	recording->isProjectSaid = recording->hasFailed = true;
	sayProject(recording, ret);
}

static void nodeRecordRemoveProject(struct nodeRecording *recording)
{
	char *name = hdProjectFileName(recording->project, ".proj");

	if (name)
		remove(name);
	free(name);
	outSay(stderr,
	       "%s: %s: no project was written, because no node answered",
	       recording->command->name, recording->project);
}

static void nodeRecordFreeNode(gpointer data)
{
	struct recorded *node = data;

	nodeColumnsClear(&node->columns);
	g_free(node->cells);
	g_free(node->label);
	g_free(node);
}

struct nodeRecording *nodeRecordingBegin(const struct cliCommand *command,
					 const char *project)
{
	struct nodeRecording *recording = g_new0(struct nodeRecording, 1);
	const char *levels[] = { HD_LEVEL_HOST };
	int ret;

	recording->command = command;
	/* Times are of other hosts, or go on from the first one of this. */
	unsetenv("HDTRACE_CLOCK");
	setenv("HDTRACE_BUFFER_SIZE_KB", BUFFER_KB, 0);
	recording->baseNs = hdWallNow() - hdMonotonicNow();
	recording->project = g_strdup(project);
	recording->ordered = g_ptr_array_new_with_free_func(nodeRecordFreeNode);
	recording->nodes =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	recording->silent =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	ret = nodeRecordWriteProject(recording, false);
	if (ret < 0) {
		sayProject(recording, ret);
	} else {
		recording->topology = hdT_createTopology(project, levels, 1);
		if (!recording->topology)
			outSay(stderr, "%s: %s: %s", command->name, project,
			       hdRecordReason(errno));
	}
	if (recording->topology)
		return recording;
	nodeRecordingEnd(recording);
	return NULL;
}

/* ---- Time ---------------------------------------------------------------- */

/* Now, by our clock as it was at the begin: it may be set meanwhile, and what
 * is recorded goes on. */
static int64_t nowOf(const struct nodeRecording *recording)
{
	return recording->baseNs + hdMonotonicNow();
}

/* How far the wall clock is ahead of the time of the recording. Of some
 * readings, the one counts between whose two readings of the other clock was
 * the least time: this thread may be interrupted. */
static int64_t clockStep(const struct nodeRecording *recording)
{
	int64_t least = INT64_MAX, step = 0;

	for (int i = 0; i < STEP_READINGS; i++) {
		int64_t before = nowOf(recording), wall = hdWallNow();
		int64_t after = nowOf(recording);

		if (after - before < least) {
			least = after - before;
			step = wall - before - least / 2;
		}
	}
	return step;
}

/* ---- Nodes --------------------------------------------------------------- */

static bool hasLabel(const struct nodeRecording *recording, const char *label)
{
	for (size_t i = 0; i < recording->ordered->len; i++) {
		const struct recorded *node =
			g_ptr_array_index(recording->ordered, i);

		if (strcmp(node->label, label) == 0)
			return true;
	}
	return false;
}

static char *labelFrom(const char *text)
{
	return g_strcanon(g_strdup(*text ? text : "-"), LABEL_CHARACTERS, '-');
}

/* The name of a node, unless another one has it: then its address. */
static char *nodeRecordLabelOf(const struct nodeRecording *recording,
			       const hdNode_Info *info)
{
	char *label = labelFrom(info->name), *first;

	if (!hasLabel(recording, label))
		return label;
	first = label;
	label = labelFrom(info->address);
	for (unsigned int i = 2; hasLabel(recording, label); i++) {
		char *base = labelFrom(info->address);

		g_free(label);
		label = g_strdup_printf("%s-%u", base, i);
		g_free(base);
	}
	outSay(stderr, "%s: %s: there is a node %s; this one is recorded as %s",
	       recording->command->name, info->address, first, label);
	g_free(first);
	return label;
}

static struct recorded *nodeRecordNodeOf(struct nodeRecording *recording,
					 const hdNode_Info *info)
{
	struct recorded *node =
		g_hash_table_lookup(recording->nodes, info->address);

	if (node)
		return node;
	node = g_new0(struct recorded, 1);
	node->label = nodeRecordLabelOf(recording, info);
	node->boots = info->boots;
	node->restarts = info->restarts;
	node->offset = node->offsetError = node->stamp = node->joules = NAN;
	g_hash_table_insert(recording->nodes, g_strdup(info->address), node);
	g_ptr_array_add(recording->ordered, node);
	recording->isChanged = true;
	return node;
}

/* Say once of a node that it cannot be recorded, with the cause. */
static void sayLoss(struct nodeRecording *recording, struct recorded *node)
{
	int error = errno;

	recording->hasFailed = true;
	if (!node->hasFailed && !hdRecordIsSaid(error))
		outSay(stderr, "%s: %s: node %s cannot be recorded: %s",
		       recording->command->name, recording->project,
		       node->label, hdRecordReason(error));
	node->hasFailed = true;
}

/* ---- Groups -------------------------------------------------------------- */

/* What the group says of its times: they are of our clock. */
static int nodeRecordAddClock(struct hdRecord *record, struct recorded *node,
			      const hdNode_Info *info)
{
	char *host = labelFrom(g_get_host_name()), text[64];
	int ret = hdS_addAttribute(record->group, "server", info->address);

	if (ret == 0 && strcmp(host, node->label) != 0)
		ret = hdRecordAddClock(record, &node->label, 0, host);
	g_free(host);
	g_ascii_formatd(text, sizeof(text), "%.9f", -info->offset);
	if (ret == 0)
		ret = hdS_addAttribute(record->group, "serverOffset", text);
	g_ascii_formatd(text, sizeof(text), "%.9f", info->offsetError);
	if (ret == 0)
		ret = hdS_addAttribute(record->group, "serverOffsetError",
				       text);
	return ret;
}

/* Begin a group; it is to be closed in any case. */
static int nodeRecordOpenGroup(struct nodeRecording *recording,
			       struct recorded *node, const hdNode_Info *info,
			       struct hdRecord *record, const char *name)
{
	const char *labels[] = { node->label };
	hdTopoNode *place = hdT_createTopoNode(recording->topology, labels, 1);
	int ret = -1;

	if (!place)
		return -1;
	ret = hdRecordOpen(record, place, 1, name);
	hdT_destroyTopoNode(place);
	return ret == 0 ? nodeRecordAddClock(record, node, info) : ret;
}

static void openUse(struct nodeRecording *recording, struct recorded *node,
		    const hdNode_Info *info, const json_t *status)
{
	int ret = nodeRecordOpenGroup(recording, node, info, &node->use, GROUP);

	node->isOpen = true;
	nodeColumnsFind(&node->columns, status);
	if (node->columns.left > 0)
		outSay(stderr,
		       "%s: node %s: %zu values of single units are not "
		       "recorded: the header of a file has no room for them",
		       recording->command->name, node->label,
		       node->columns.left);
	node->cells = g_new0(union hdCell, node->columns.count + 1);
	for (size_t i = 0; ret == 0 && i < node->columns.count; i++)
		ret = hdRecordAddColumn(&node->use,
					&node->columns.list[i].column);
	if (ret == 0)
		ret = hdRecordCommit(&node->use);
	if (ret == 0)
		return;
	sayLoss(recording, node);
	hdRecordClose(&node->use);
}

static void openEnergy(struct nodeRecording *recording, struct recorded *node,
		       const hdNode_Info *info, const json_t *power)
{
	const struct hdRecordColumn column = {
		.name = "ENERGY",
		.type = DOUBLE,
		.unit = "J",
		.grouping = "ENERGY",
		.source = json_string_value(json_object_get(power, "source")),
		.kind = HD_KIND_DELTA,
	};
	int ret = nodeRecordOpenGroup(recording, node, info, &node->energy,
				      ENERGY_GROUP);

	node->hasEnergy = true;
	if (ret == 0)
		ret = hdRecordAddColumn(&node->energy, &column);
	if (ret == 0)
		ret = hdRecordCommit(&node->energy);
	if (ret < 0) {
		sayLoss(recording, node);
		hdRecordClose(&node->energy);
		return;
	}
	recording->isChanged |= !recording->hasEnergy;
	recording->hasEnergy = true;
}

/* ---- Entries ------------------------------------------------------------- */

static double nodeRecordNumberOf(const json_t *object, const char *key)
{
	const json_t *number = json_object_get(object, key);

	return json_is_number(number) ? json_number_value(number) : NAN;
}

/* Write an entry, if its time is one that was not recorded yet. */
static void writeEntry(struct nodeRecording *recording, struct recorded *node,
		       struct hdRecord *record, const union hdCell *cells,
		       int64_t beginNs, int64_t endNs)
{
	/* Clocks are compared again and again, so ends and begins do not meet
	 * exactly. */
	int64_t near =
		(endNs - beginNs) / 10 + (int64_t)(2e9 * node->offsetError);
	bool isLost = beginNs - record->lastNs > near;

	if (!record->group)
		return;
	if (endNs <= record->lastNs || beginNs < record->lastNs - near) {
		hdRecordGap(record);
		return;
	}
	if (hdRecordAdd(record, cells, beginNs, endNs, isLost) < 0)
		sayLoss(recording, node);
}

static void takeUse(struct nodeRecording *recording, struct recorded *node,
		    const hdNode_Info *info, const json_t *status)
{
	double stamp = nodeRecordNumberOf(status, "stamp_s");
	double length = nodeRecordNumberOf(status, "interval_s");
	double end = stamp - info->offset;
	int64_t endNs;

	if (!(length > 0 && length < 1e6 && end > length && end < 9e9) ||
	    stamp == node->stamp)
		return;
	node->stamp = stamp;
	endNs = (int64_t)(end * 1e9);
	/* Nobody knows by which clock this one is. */
	if (node->isSet || endNs > nowOf(recording) + FUTURE_NS) {
		node->isSet = false;
		hdRecordGap(&node->use);
		return;
	}
	if (!node->isOpen)
		openUse(recording, node, info, status);
	nodeColumnsRead(&node->columns, status, length, node->cells);
	writeEntry(recording, node, &node->use, node->cells,
		   endNs - (int64_t)(length * 1e9), endNs);
}

static void nodeRecordAddPower(struct nodeRecording *recording,
			       struct recorded *node, const hdNode_Info *info,
			       const json_t *power)
{
	double joules = nodeRecordNumberOf(power, "joules");
	double age = nodeRecordNumberOf(power, "age_s");
	int64_t endNs, beginNs = node->joulesNs;
	union hdCell cell = { .d = joules - node->joules };

	/* The last known energy holds as long as the node does know power. */
	if (!isfinite(nodeRecordNumberOf(power, "watts")) ||
	    !isfinite(joules) || !(age >= 0 && age < 1e6)) {
		node->joules = NAN;
		return;
	}
	/* Nothing has come from the meter since. */
	if (joules == node->joules)
		return;
	endNs = nowOf(recording) - (int64_t)((info->age + age) * 1e9);
	node->joules = joules;
	node->joulesNs = endNs;
	if (!node->hasEnergy)
		openEnergy(recording, node, info, power);
	if (isfinite(cell.d) && cell.d >= 0 && endNs > beginNs)
		writeEntry(recording, node, &node->energy, &cell, beginNs,
			   endNs);
}

/* What is missing before the next entries. */
static void nodeRecordWriteGap(struct recorded *node)
{
	hdRecordGap(&node->use);
	hdRecordGap(&node->energy);
	node->joules = NAN;
}

/* Whether the clock of a node was set. */
static bool isStepped(const struct recorded *node, const hdNode_Info *info)
{
	return fabs(info->offset - node->offset) >
	       info->offsetError + node->offsetError + STEP_S;
}

static void nodeRecordAddNode(struct nodeRecording *recording,
			      const hdNode_Info *info, const json_t *status)
{
	struct recorded *node;

	if (!isfinite(info->offset) || !isfinite(info->offsetError))
		return;
	node = nodeRecordNodeOf(recording, info);
	node->isSet |= isStepped(node, info);
	if (node->isSet || node->boots != info->boots ||
	    node->restarts != info->restarts)
		nodeRecordWriteGap(node);
	node->boots = info->boots;
	node->restarts = info->restarts;
	node->offset = info->offset;
	node->offsetError = info->offsetError;
	takeUse(recording, node, info, status);
	nodeRecordAddPower(recording, node, info,
			   json_object_get(status, "power"));
}

/* A node that did not answer: say so, once until it does. */
static void missNode(struct nodeRecording *recording, const hdNode_Info *info)
{
	struct recorded *node =
		g_hash_table_lookup(recording->nodes, info->address);

	if (node)
		nodeRecordWriteGap(node);
	if (g_hash_table_add(recording->silent, g_strdup(info->address)))
		outSay(stderr, "%s: %s: %s%s%s", recording->command->name,
		       info->name, info->word, info->why ? ": " : "",
		       info->why ? info->why : "");
}

void nodeRecordingTake(struct nodeRecording *recording,
		       hdNode_Collector *collector)
{
	for (size_t i = 0; i < hdNode_count(collector); i++) {
		const char *text;
		hdNode_Info info;
		json_t *status;

		hdNode_info(collector, i, &info);
		if (info.state != HDNODE_OK) {
			missNode(recording, &info);
			continue;
		}
		g_hash_table_remove(recording->silent, info.address);
		info.offset += (double)clockStep(recording) / 1e9;
		text = hdNode_section(collector, i, HDNODE_STATUS);
		status = text ? json_loads(text, 0, NULL) : NULL;
		if (status)
			nodeRecordAddNode(recording, &info, status);
		json_decref(status);
	}
	followProject(recording);
}

/* ---- The end ------------------------------------------------------------- */

bool nodeRecordingEnd(struct nodeRecording *recording)
{
	bool isGood;

	for (size_t i = 0; i < recording->ordered->len; i++) {
		struct recorded *node =
			g_ptr_array_index(recording->ordered, i);

		if (hdRecordClose(&node->use) < 0)
			sayLoss(recording, node);
		if (hdRecordClose(&node->energy) < 0)
			sayLoss(recording, node);
	}
	if (recording->topology) {
		followProject(recording);
		hdT_destroyTopology(recording->topology);
		/* Without nodes it is none. */
		if (recording->ordered->len == 0)
			nodeRecordRemoveProject(recording);
	}
	isGood = !recording->hasFailed;
	g_hash_table_unref(recording->nodes);
	g_hash_table_unref(recording->silent);
	g_ptr_array_free(recording->ordered, TRUE);
	g_free(recording->project);
	g_free(recording);
	return isGood;
}
