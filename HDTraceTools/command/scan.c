/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading the files of a project that were asked for.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/core/scan.h"

bool scanHasGroup(const struct scan *self, const hdIGroup *group)
{
	return group->isReadable &&
	       (!self->selection || selectionHasGroup(self->selection, group));
}

bool scanHasTrace(const struct scan *self, const hdITraceFile *trace)
{
	return !self->selection ||
	       selectionHasNode(self->selection, trace->node);
}

int64_t scanGroupsSize(const struct scan *self)
{
	int64_t size = 0;

	for (size_t i = 0; i < self->project->groupCount; i++) {
		const hdIGroup *group = self->project->groups[i];

		if (scanHasGroup(self, group))
			size += group->fileSize;
	}
	return size;
}

int64_t scanTracesSize(const struct scan *self)
{
	int64_t size = 0;

	for (size_t i = 0; i < self->project->traceCount; i++) {
		const hdITraceFile *trace = self->project->traces[i];

		if (scanHasTrace(self, trace))
			size += trace->fileSize;
	}
	return size;
}

void scanGroups(const struct scan *self, scanGroupTake *take, void *data)
{
	for (size_t i = 0; i < self->project->groupCount; i++) {
		const hdIGroup *group = self->project->groups[i];

		if (!scanHasGroup(self, group))
			continue;
		take(group, data);
		toolProgressFile(self->tool, group->fileSize);
	}
}

void scanTraces(const struct scan *self, scanTraceTake *take, void *data)
{
	for (size_t i = 0; i < self->project->traceCount; i++) {
		const hdITraceFile *trace = self->project->traces[i];

		if (!scanHasTrace(self, trace))
			continue;
		take(trace, data);
		toolProgressFile(self->tool, trace->fileSize);
	}
}

int64_t scanRelationsSize(const struct scan *self)
{
	int64_t size = 0;

	for (size_t i = 0; i < self->project->relationCount; i++)
		size += self->project->relations[i]->fileSize;
	return size;
}

static void scanShowOffset(void *data, int64_t offset)
{
	toolProgressAt(data, offset);
}

void scanRelations(const struct scan *self, struct forest *forest)
{
	for (size_t i = 0; i < self->project->relationCount; i++) {
		const hdIRelationFile *file = self->project->relations[i];
		int ret = forestRead(forest, file, self->sink, scanShowOffset,
				     self->tool);

		/* What is damaged was said. */
		if (ret < 0 && ret != -EBADMSG)
			toolErrorRead(self->tool, file->file, ret);
		toolProgressFile(self->tool, file->fileSize);
	}
}

/** A header that cannot be read was reported when the project was opened. */
static void scanSayWhyNot(const struct scan *self, const char *file)
{
	if (errno != EBADMSG)
		toolErrorRead(self->tool, file, errno);
}

hdIStatReader *scanOpenStat(const struct scan *self, const hdIGroup *group)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(self->project, group, self->sink);

	if (!reader)
		scanSayWhyNot(self, group->file);
	return reader;
}

hdITraceReader *scanOpenTrace(const struct scan *self,
			      const hdITraceFile *trace)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(self->project, trace, self->sink);

	if (!reader)
		scanSayWhyNot(self, trace->file);
	return reader;
}

hdIRelationReader *scanOpenRelations(const struct scan *self,
				     const hdIRelationFile *file)
{
	hdIRelationReader *reader =
		diagnosticsOpenRelations(self->project, file, self->sink);

	if (!reader)
		scanSayWhyNot(self, file->file);
	return reader;
}

/** Whether anybody takes what is made of what is read. */
static bool scanIsWanted(const struct scan *self)
{
	return !ferror(self->output ? self->output : stdout) &&
	       !toolIsStopped(self->tool);
}

int scanBlocks(const struct scan *self, hdIStatReader *reader, scanBlock *take,
	       void *data)
{
	const hdIBlock *block;
	int more = 1;

	while (reader && scanIsWanted(self) &&
	       (more = hdI_readStat(reader, &block)) == 1 && take(block, data))
		toolProgressAt(self->tool, block->offset[block->count - 1]);
	return more;
}

int scanRecords(const struct scan *self, hdITraceReader *reader,
		scanRecord *take, void *data)
{
	const hdIRecord *record;
	int more = 1;

	while (reader && scanIsWanted(self) &&
	       (more = hdI_readTrace(reader, &record)) == 1 &&
	       take(record, data))
		toolProgressAt(self->tool, record->offset);
	return more;
}

int scanElements(const struct scan *self, hdIRelationReader *reader,
		 scanElement *take, void *data)
{
	const hdIRelationRecord *record;
	int more = 1;

	while (reader && scanIsWanted(self) &&
	       (more = hdI_readRelationRecord(reader, &record)) == 1 &&
	       take(record, data))
		toolProgressAt(self->tool, record->offset);
	return more;
}

hdIStatReader *scanOpenStatFrom(const struct scan *self, const hdIGroup *group)
{
	hdIStatReader *reader = scanOpenStat(self, group);

	if (reader && self->selection)
		hdI_skipStat(reader, self->selection->start);
	return reader;
}

void scanGroup(const struct scan *self, const hdIGroup *group, scanBlock *take,
	       void *data)
{
	hdIStatReader *reader = scanOpenStat(self, group);

	scanBlocks(self, reader, take, data);
	hdI_closeStat(reader);
}

void scanGroupFrom(const struct scan *self, const hdIGroup *group,
		   scanBlock *take, void *data)
{
	hdIStatReader *reader = scanOpenStatFrom(self, group);

	scanBlocks(self, reader, take, data);
	hdI_closeStat(reader);
}

void scanTrace(const struct scan *self, const hdITraceFile *trace,
	       scanRecord *take, void *data)
{
	hdITraceReader *reader = scanOpenTrace(self, trace);

	scanRecords(self, reader, take, data);
	hdI_closeTrace(reader);
}

/** A series that is filled. */
struct scanFill {
	struct powerSeries *series;
	int error;
};

static bool scanFillSeries(const hdIBlock *block, void *data)
{
	struct scanFill *fill = data;

	fill->error = powerSeriesAdd(fill->series, block);
	return fill->error == 0;
}

int scanSeries(const struct scan *self, const hdIGroup *group,
	       struct powerSeries *series)
{
	struct scanFill fill = { .series = series };

	scanGroup(self, group, scanFillSeries, &fill);
	return fill.error ? fill.error : powerSeriesEnd(series);
}
