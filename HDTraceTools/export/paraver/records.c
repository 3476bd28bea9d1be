/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: records of traces and of groups.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/export/paraver/paraver.h"
#include "HDTraceTools/model/column.h"

#define DEPTH_MAX 999999
#define VALUE_SCALE 1000

/** Room for what a record begins with, and for two fields and the end. */
#define RECORD_MAX \
	(sizeof(((struct paraverStream *)0)->place) + 3 * PARAVER_FIELD_MAX + 2)

/* ---- Records ----------------------------------------------------------- */

void paraverSetPlace(struct paraverStream *stream)
{
	char *end = stream->place;

	hdNumberPrepare();
	end = paraverPut(end, 0);
	end = paraverPut(end, stream->appl);
	end = paraverPut(end, stream->task);
	end = paraverPut(end, stream->thread);
	stream->placeLength = (size_t)(end - stream->place);
}

/** Put what a record begins with: its kind, where it was, and when. */
static char *putBegin(char *to, char kind, const struct paraver *self,
		      const struct paraverStream *stream, int64_t time)
{
	*to++ = kind;
	memcpy(to, stream->place, sizeof(stream->place));
	return paraverPut(to + stream->placeLength, paraverSince(self, time));
}

static void paraverRecordsPutRecord(FILE *file, const char *record, char *end)
{
	*end++ = '\n';
	fwrite_unlocked(record, 1, (size_t)(end - record), file);
}

/* ---- Traces ------------------------------------------------------------ */

static void paraverRecordsAddEvent(struct paraver *self,
				   struct paraverStream *stream, int64_t time,
				   unsigned int type, int64_t value)
{
	char record[RECORD_MAX];
	char *end = putBegin(record, '2', self, stream, time);

	end = paraverPut(end, type);
	end = paraverPut(end, value);
	*end++ = '\n';
	g_string_append_len(stream->text, record, end - record);
}

/** Write the state record of the innermost state since the last steps. */
static void writeState(struct paraver *self, const struct paraverStream *stream)
{
	const GArray *stack = stream->stack;
	size_t state =
		stack->len ? g_array_index(stack, size_t, stack->len - 1) : 0;
	char record[RECORD_MAX];
	char *end = putBegin(record, '1', self, stream, stream->textTime);

	end = paraverPut(end, paraverSince(self, stream->step.time));
	end = paraverPut(end, (int64_t)state);
	paraverRecordsPutRecord(self->file, record, end);
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
			paraverRecordsAddEvent(self, stream, stream->textTime,
					       PARAVER_STATE + depth,
					       (int64_t)number);
			self->depths = MAX(self->depths, depth + 1);
			exportLose(self->export, "attributes of states",
				   record->attributeCount +
					   record->elementCount);
			break;
		case ORDERED_LEAVE:
			g_array_set_size(stream->stack, stream->stack->len - 1);
			depth = MIN(stream->stack->len, DEPTH_MAX);
			paraverRecordsAddEvent(self, stream, stream->textTime,
					       PARAVER_STATE + depth, 0);
			break;
		case ORDERED_EVENT:
			paraverRecordsAddEvent(self, stream, stream->textTime,
					       PARAVER_EVENT, (int64_t)number);
			self->hasEvents = true;
			break;
		}
		paraverTakeStep(self, stream);
	}
}

void paraverWriteSteps(struct paraver *self, struct paraverStream *stream)
{
	gatherSteps(self, stream);
	if (stream->hasStep)
		writeState(self, stream);
	fwrite_unlocked(stream->text->str, 1, stream->text->len, self->file);
	g_string_truncate(stream->text, 0);
	stream->time = stream->step.time;
	self->end = MAX(self->end, stream->textTime);
}

/* ---- Groups ------------------------------------------------------------ */

/** A value as an integer; false if it has none. */
static bool integerOf(struct paraver *self, const hdIColumn *values,
		      const hdIValue *value, size_t entry, int64_t *integer)
{
	double number;

	switch (columnIsMissing(value, values, entry) ? HDI_DOUBLE
						      : value->type) {
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
	number = columnNumber(value, values, entry) * VALUE_SCALE;
	if (isnan(number) || fabs(number) >= 0x1p63) {
		exportLose(self->export,
			   "missing, infinite and very large values", 1);
		return false;
	}
	*integer = (int64_t)llrint(number);
	exportLose(self->export, "digits after thousandths",
		   (double)*integer != number);
	return true;
}

void paraverTakeEntry(struct paraverStream *stream)
{
	if (!stream->line)
		stream->line =
			g_malloc(RECORD_MAX + stream->group->valueCount * 2 *
						      PARAVER_FIELD_MAX);
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
	char *begun = putBegin(stream->line, '2', self, stream,
			       block->start[stream->entry]);
	char *end = begun;

	for (size_t k = 0; k < group->valueCount; k++) {
		int64_t integer;

		if (!stream->types[k] ||
		    !integerOf(self, exportColumn(group, block, k),
			       group->values[k], stream->entry, &integer))
			continue;
		end = paraverPut(end, stream->types[k]);
		end = paraverPut(end, integer);
	}
	if (end > begun)
		paraverRecordsPutRecord(self->file, stream->line, end);
	exportLose(self->export, "gaps (the last value is held)",
		   block->isAfterGap[stream->entry]);
	self->end = MAX(self->end, block->end[stream->entry]);
	paraverTakeEntry(stream);
	if (stream->hasStep)
		stream->time = stream->entries.block->start[stream->entry];
}
