/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: records of traces and of groups.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/export/paraver/paraver.h"
#include "HDTraceTools/model/column.h"

#define DEPTH_MAX 999999
#define VALUE_SCALE 1000

/* ---- Traces ------------------------------------------------------------ */

static void addEvent(struct paraver *self, struct paraverStream *stream,
		     int64_t time, unsigned int type, int64_t value)
{
	g_string_append_printf(stream->text,
			       "2:0:%u:%u:%u:%" PRId64 ":%u:%" PRId64 "\n",
			       stream->appl, stream->task, stream->thread,
			       paraverSince(self, time), type, value);
}

void paraverTakeStep(struct paraver *self, struct paraverStream *stream)
{
	int ret = exportReadTrace(self->export, stream->ordered, stream->trace,
				  &stream->step);

	stream->hasStep = ret == 1;
	self->hasFailed |= ret < 0;
}

/** Turn steps at one time into records; the state record comes later. */
static void gatherSteps(struct paraver *self, struct paraverStream *stream)
{
	stream->textTime = stream->step.time;
	while (stream->hasStep && stream->step.time == stream->textTime) {
		const hdIRecord *record = stream->step.record;
		size_t number = paraverNumber(self->names, self->nameList,
					      record->name);
		unsigned int depth = MIN(record->depth, DEPTH_MAX);

		switch (stream->step.kind) {
		case ORDERED_ENTER:
			depth = MIN(stream->stack->len, DEPTH_MAX);
			g_array_append_val(stream->stack, number);
			addEvent(self, stream, stream->textTime,
				 PARAVER_STATE + depth, (int64_t)number);
			self->depths = MAX(self->depths, depth + 1);
			exportLose(self->export, "attributes of states",
				   record->attributeCount +
					   record->elementCount);
			break;
		case ORDERED_LEAVE:
			g_array_set_size(stream->stack, stream->stack->len - 1);
			depth = MIN(stream->stack->len, DEPTH_MAX);
			addEvent(self, stream, stream->textTime,
				 PARAVER_STATE + depth, 0);
			break;
		case ORDERED_EVENT:
			addEvent(self, stream, stream->textTime, PARAVER_EVENT,
				 (int64_t)number);
			self->hasEvents = true;
			break;
		}
		paraverTakeStep(self, stream);
	}
}

void paraverWriteSteps(struct paraver *self, struct paraverStream *stream)
{
	guint depth;

	gatherSteps(self, stream);
	depth = stream->stack->len;
	if (stream->hasStep)
		fprintf(self->file,
			"1:0:%u:%u:%u:%" PRId64 ":%" PRId64 ":%zu\n",
			stream->appl, stream->task, stream->thread,
			paraverSince(self, stream->textTime),
			paraverSince(self, stream->step.time),
			depth ? g_array_index(stream->stack, size_t, depth - 1)
			      : 0);
	fwrite(stream->text->str, 1, stream->text->len, self->file);
	g_string_truncate(stream->text, 0);
	stream->time = stream->step.time;
	self->end = MAX(self->end, stream->textTime);
}

/* ---- Groups ------------------------------------------------------------ */

/** A value as an integer; false if it has none. */
static bool integerOf(struct paraver *self, const hdIColumn *values,
		      hdIType type, size_t entry, int64_t *integer)
{
	double number;

	switch (type) {
	case HDI_INT32:
		*integer = values->int32[entry];
		return true;
	case HDI_INT64:
		*integer = values->int64[entry];
		return true;
	case HDI_UINT64:
		*integer = (int64_t)MIN(values->uint64[entry],
					(uint64_t)INT64_MAX);
		exportLose(self->export, "UINT64 beyond 63 bits",
			   values->uint64[entry] > INT64_MAX);
		return true;
	default:
		break;
	}
	number = columnNumber(values, type, entry) * VALUE_SCALE;
	if (isnan(number) || fabs(number) >= 0x1p63) {
		exportLose(self->export,
			   "missing, infinite and very large values", 1);
		return false;
	}
	*integer = (int64_t)llrint(number);
	exportLose(self->export, "digits behind thousandths",
		   (double)*integer != number);
	return true;
}

void paraverTakeEntry(struct paraverStream *stream)
{
	stream->hasStep = true;
	if (stream->entries.block && ++stream->entry < stream->entries.last)
		return;
	stream->hasStep = exportReadStat(stream->reader, &stream->entries);
	stream->entry = stream->entries.first;
}

void paraverWriteEntry(struct paraver *self, struct paraverStream *stream)
{
	const struct exportGroup *group = stream->group;
	const hdIBlock *block = stream->entries.block;
	bool hasValue = false;

	for (size_t k = 0; k < group->valueCount; k++) {
		int64_t integer;

		if (!stream->types[k] ||
		    !integerOf(self, exportColumn(group, block, k),
			       group->values[k]->type, stream->entry, &integer))
			continue;
		if (!hasValue)
			fprintf(self->file, "2:0:%u:%u:%u:%" PRId64,
				stream->appl, stream->task, stream->thread,
				paraverSince(self,
					     block->start[stream->entry]));
		fprintf(self->file, ":%u:%" PRId64, stream->types[k], integer);
		hasValue = true;
	}
	if (hasValue)
		putc('\n', self->file);
	exportLose(self->export, "gaps; the value before goes on",
		   block->isAfterGap[stream->entry]);
	self->end = MAX(self->end, block->end[stream->entry]);
	paraverTakeEntry(stream);
	if (stream->hasStep)
		stream->time = stream->entries.block->start[stream->entry];
}
