/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The project of "pt record"; see recordfiles.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/pt/client/recordfiles.h"
#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"
#include "recording/record.h"

/* What labels of a topology may have. */
#define LABEL_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".-"

/* A statistics group: the columns that a device has of a node. */
struct recordFile {
	const struct ptRecorderGroup *group;
	size_t number; /* Of the group. */
	const char *node;
	char **labels;
	size_t depth;
	unsigned int which; /* Of the node's groups, from 1. */
	size_t *columns;
	size_t count;
	struct hdRecord record;
	union hdCell *cells;
};

struct recordFiles {
	struct recordFile *list;
	size_t count;
	gboolean hasFailed;
};

/* ---- Which files ------------------------------------------------------- */

static struct recordFile *recordFilesFindFile(struct recordFiles *files,
					      size_t number, const char *node)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->list[i].number == number &&
		    strcmp(files->list[i].node, node) == 0)
			return &files->list[i];
	return NULL;
}

/* Make labels of a node's name: "rack1_node06" is a path of two. */
static char **recordFilesLabelsOf(const char *node)
{
	char **labels = g_strsplit(node, "_", -1);

	for (size_t i = 0; labels[i]; i++) {
		g_strcanon(labels[i], LABEL_CHARACTERS, '-');
		if (*labels[i])
			continue;
		g_free(labels[i]);
		labels[i] = g_strdup("-");
	}
	return labels;
}

static gboolean isSamePlace(const struct recordFile *a,
			    const struct recordFile *b)
{
	return g_strv_equal((const char *const *)a->labels,
			    (const char *const *)b->labels);
}

static struct recordFile *recordFilesAddFile(
	struct recordFiles *files, const struct ptRecorderGroup *group,
	size_t number, const char *node)
{
	struct recordFile *file;

	files->list = g_renew(struct recordFile, files->list, files->count + 1);
	file = &files->list[files->count];
	*file = (struct recordFile){
		.group = group,
		.number = number,
		.node = node,
		.labels = recordFilesLabelsOf(node),
		.which = 1,
	};
	file->depth = g_strv_length(file->labels);
	for (size_t i = 0; i < files->count; i++)
		file->which += isSamePlace(&files->list[i], file);
	files->count++;
	return file;
}

/* Two nodes whose names make the same labels would look like one. */
static int checkPlaces(const struct recordFiles *files)
{
	for (size_t i = 1; i < files->count; i++) {
		const struct recordFile *file = &files->list[i];

		for (size_t k = 0; k < i; k++) {
			const struct recordFile *other = &files->list[k];

			if (!isSamePlace(other, file) ||
			    strcmp(other->node, file->node) == 0)
				continue;
			ptMessage(HD_LOG_ERROR,
				  "nodes \"%s\" and \"%s\" would have the same "
				  "files; record only one of them",
				  other->node, file->node);
			return -EEXIST;
		}
	}
	return 0;
}

static void findFiles(struct recordFiles *files,
		      const struct ptRecorderGroup *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			const char *node = groups[i].columns[k].node;
			struct recordFile *file =
				recordFilesFindFile(files, i, node);

			if (!file)
				file = recordFilesAddFile(files, &groups[i], i,
							  node);
			file->columns =
				g_renew(size_t, file->columns, file->count + 1);
			file->columns[file->count++] = k;
		}
	}
}

/* ---- The project ------------------------------------------------------- */

static char *groupName(unsigned int which)
{
	return which == 1 ? g_strdup("Energy")
			  : g_strdup_printf("Energy-%u", which);
}

/* The host is the lowest level. */
static char **levelsOf(const struct recordFiles *files)
{
	GPtrArray *levels = g_ptr_array_new();
	size_t depth = 1;

	for (size_t i = 0; i < files->count; i++)
		depth = MAX(depth, files->list[i].depth);
	for (size_t i = 1; i < depth; i++)
		g_ptr_array_add(levels, g_strdup_printf("Level%zu", i));
	g_ptr_array_add(levels, g_strdup(HD_LEVEL_HOST));
	g_ptr_array_add(levels, NULL);
	return (char **)g_ptr_array_free(levels, FALSE);
}

static int recordFilesWriteProject(const struct recordFiles *files,
				   const struct recordFilesSetup *setup,
				   char **levels)
{
	struct hdProjectNode *nodes = g_new(struct hdProjectNode, files->count);
	struct hdProjectFile project = {
		.project = setup->project,
		.levels = levels,
		.levelCount = g_strv_length(levels),
		.nodes = nodes,
	};
	GPtrArray *groups = g_ptr_array_new_with_free_func(g_free);
	int ret;

	for (size_t i = 0; i < files->count; i++) {
		const struct recordFile *file = &files->list[i];

		if (file->which > groups->len)
			g_ptr_array_add(groups, groupName(file->which));
		if (file->which == 1)
			nodes[project.nodeCount++] = (struct hdProjectNode){
				.labels = file->labels,
				.depth = file->depth,
			};
	}
	g_ptr_array_add(groups, NULL);
	project.groups = (const char *const *)groups->pdata;
	ret = hdProjectFileWrite(&project, false);
	g_ptr_array_free(groups, TRUE);
	g_free(nodes);
	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "%s.proj: %s", setup->name,
			  ret == -EEXIST
				  ? "exists; --force replaces it, --number "
				    "takes another name"
				  : strerror(-ret));
	return ret;
}

static void recordFilesRemoveProject(const struct recordFilesSetup *setup)
{
	char *name = hdProjectFileName(setup->project, ".proj");

	if (name)
		remove(name);
	free(name);
}

/* ---- The groups -------------------------------------------------------- */

static const char *orNull(const char *text)
{
	return *text ? text : NULL;
}

static enum hdKind recordFilesKindOf(enum ptWireKind kind)
{
	switch (kind) {
	case PT_WIRE_AMOUNT:
		return HD_KIND_DELTA;
	case PT_WIRE_RUNNING:
		return HD_KIND_COUNTER;
	case PT_WIRE_MEAN:
		break;
	}
	return HD_KIND_GAUGE;
}

static int recordFilesAddValue(struct recordFile *file, size_t index)
{
	const struct ptRecorderColumn *column =
		&file->group->columns[file->columns[index]];
	char *name = ptRecorderColumnName(file->group, file->columns[index]);
	const struct hdRecordColumn recorded = {
		.name = name,
		.type = DOUBLE,
		.unit = orNull(column->unit),
		.grouping = orNull(column->grouping),
		.source = orNull(column->source),
		.resolution = orNull(column->resolution),
		.isSimulated = column->isSimulated,
		.kind = recordFilesKindOf(column->kind),
	};
	int ret = hdRecordAddColumn(&file->record, &recorded);

	g_free(name);
	return ret;
}

/* Times are those of our clock, whose node this is. */
static int recordFilesAddClock(struct recordFile *file,
			       const struct ptRemoteClock *clock)
{
	const char *host = g_get_host_name();
	char *label, text[64];
	int ret = 0;

	if (!ptConfigIsSameHost(file->labels[file->depth - 1], host)) {
		label = g_strcanon(g_strdup(host), LABEL_CHARACTERS, '-');
		ret = hdRecordAddClock(&file->record, file->labels,
				       file->depth - 1, label);
		g_free(label);
	}
	g_ascii_formatd(text, sizeof(text), "%.9f",
			(double)ptRemoteClockOffset(clock) / 1e9);
	if (ret == 0)
		ret = hdS_addAttribute(file->record.group, "serverOffset",
				       text);
	g_ascii_formatd(text, sizeof(text), "%.9f",
			(double)ptRemoteClockError(clock) / 1e9);
	return ret == 0 ? hdS_addAttribute(file->record.group,
					   "serverOffsetError", text)
			: ret;
}

static int createGroup(struct recordFile *file, hdTopology *topology)
{
	hdTopoNode *node = hdT_createTopoNode(
		topology, (const char **)file->labels, (int)file->depth);
	char *name = groupName(file->which);
	int ret = -1;

	if (node) {
		ret = hdRecordOpen(&file->record, node, (int)file->depth, name);
		hdT_destroyTopoNode(node);
	}
	g_free(name);
	return ret;
}

static int recordFilesOpenGroup(struct recordFile *file, hdTopology *topology,
				const struct recordFilesSetup *setup,
				const struct ptRemoteClock *clock)
{
	int ret = createGroup(file, topology);

	if (ret == 0)
		ret = hdS_addAttribute(file->record.group, "device",
				       file->group->device);
	if (ret == 0)
		ret = hdS_addAttribute(file->record.group, "server",
				       setup->server);
	if (ret == 0)
		ret = recordFilesAddClock(file, clock);
	for (size_t i = 0; ret == 0 && i < file->count; i++)
		ret = recordFilesAddValue(file, i);
	file->cells = g_new(union hdCell, file->count);
	return ret;
}

static int openGroups(struct recordFiles *files,
		      const struct recordFilesSetup *setup, char **levels,
		      const struct ptRemoteClock *clock)
{
	hdTopology *topology =
		hdT_createTopology(setup->project, (const char **)levels,
				   (int)g_strv_length(levels));
	const char *culprit = "";
	int ret = topology ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < files->count; i++) {
		culprit = files->list[i].node;
		ret = recordFilesOpenGroup(&files->list[i], topology, setup,
					   clock);
	}
	/* Groups that are not committed leave no file. */
	for (size_t i = 0; ret == 0 && i < files->count; i++) {
		culprit = files->list[i].node;
		ret = hdRecordCommit(&files->list[i].record);
	}
	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "%s: cannot create the files%s%s: %s",
			  setup->name, *culprit ? " of node " : "", culprit,
			  hdRecordReason(errno));
	if (topology)
		hdT_destroyTopology(topology);
	return ret < 0 ? -EIO : 0;
}

int recordFilesCreate(const struct recordFilesSetup *setup,
		      const struct ptRecorderGroup *groups, size_t count,
		      const struct ptRemoteClock *clock,
		      struct recordFiles **result)
{
	struct recordFiles *files = g_new0(struct recordFiles, 1);
	char **levels;
	int ret;

	findFiles(files, groups, count);
	levels = levelsOf(files);
	ret = checkPlaces(files);
	/* First: what was recorded until a crash is readable. */
	if (ret == 0)
		ret = recordFilesWriteProject(files, setup, levels);
	if (ret == 0) {
		ret = openGroups(files, setup, levels, clock);
		if (ret < 0)
			recordFilesRemoveProject(setup);
	}
	g_strfreev(levels);
	if (ret == 0) {
		*result = files;
		return 0;
	}
	/* Why was said. */
	files->hasFailed = TRUE;
	recordFilesEnd(files, 0);
	return ret;
}

/* ---- Readings ---------------------------------------------------------- */

/* Say once that something cannot be written. */
static void checkWritten(struct recordFiles *files,
			 const struct recordFile *file, int ret)
{
	if (ret == 0 || files->hasFailed)
		return;
	files->hasFailed = TRUE;
	ptMessage(HD_LOG_ERROR, "node %s: cannot write: %s", file->node,
		  hdRecordReason(errno));
}

bool recordFilesAdd(struct recordFiles *files, size_t group,
		    const struct ptRecorderReading *reading,
		    struct ptRecorderReading *recorded)
{
	int64_t begin = reading->endNs - reading->lengthNs;
	bool isWritten = false;

	*recorded = *reading;
	for (size_t i = 0; i < files->count; i++) {
		struct recordFile *file = &files->list[i];
		int ret;

		if (file->number != group)
			continue;
		for (size_t k = 0; k < file->count; k++)
			file->cells[k].d = reading->values[file->columns[k]];
		ret = hdRecordAdd(&file->record, file->cells, begin,
				  reading->endNs,
				  reading->hasGap || reading->lost > 0);
		checkWritten(files, file, ret);
		if (ret < 0)
			continue;
		/* All files of a group have the same intervals. */
		recorded->endNs = file->record.lastNs;
		recorded->lengthNs = file->record.lastNs - file->record.beginNs;
		isWritten = true;
	}
	return isWritten;
}

void recordFilesGap(struct recordFiles *files, size_t group)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->list[i].number == group)
			hdRecordGap(&files->list[i].record);
}

/* ---- The end ----------------------------------------------------------- */

/* A gap is what lies before an entry: let there be one, without values. */
static void markEnd(struct recordFiles *files, struct recordFile *file,
		    int64_t untilNs)
{
	for (size_t i = 0; i < file->count; i++)
		file->cells[i].d = NAN;
	hdRecordEnable(&file->record, untilNs);
	checkWritten(files, file,
		     hdRecordWrite(&file->record, file->cells, untilNs));
}

static void endFile(struct recordFiles *files, struct recordFile *file,
		    int64_t untilNs)
{
	if (file->record.isEnabled && file->record.hasGap &&
	    untilNs > file->record.lastNs)
		markEnd(files, file, untilNs);
	checkWritten(files, file, hdRecordClose(&file->record));
	g_strfreev(file->labels);
	g_free(file->columns);
	g_free(file->cells);
}

int recordFilesEnd(struct recordFiles *files, int64_t untilNs)
{
	int ret;

	if (!files)
		return 0;
	for (size_t i = 0; i < files->count; i++)
		endFile(files, &files->list[i], untilNs);
	ret = files->hasFailed ? -EIO : 0;
	g_free(files->list);
	g_free(files);
	return ret;
}
