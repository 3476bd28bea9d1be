/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: groups of statistics, as counters.
 *
 * A counter of Perfetto has its value from a time on, so an entry stands at the
 * start of its interval; one with nothing behind it also at its end. What a
 * counter of ours shows it shows at the end.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"

static uint64_t putCounterTrack(struct perfetto *self, const hdIGroup *group,
				const hdIValue *value)
{
	uint64_t parent = perfettoTrackOf(self, group->node);
	uint64_t track;

	g_string_printf(self->name, "%s %s%s", group->name, value->name,
			valueIsSimulated(group, value) ? " (simulated)" : "");
	track = perfettoStartTrack(self, parent, self->name->str);
	perfettoEmptied(&self->part);
	if (*value->unit)
		pbText(&self->part, COUNTER_UNIT_NAME, value->unit);
	pbMessage(&self->body, TRACK_COUNTER, &self->part);
	perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
	return track;
}

/** A value as a counter has it. */
struct number {
	bool isThere;
	bool isInteger;
	bool isReading; /**< What a counter shows at the end of the entry. */
	int64_t integer;
	double real;
};

static struct number perfettoValuesGetNumber(const hdIValue *value,
					     enum hdKind kind,
					     const hdIColumn *values,
					     size_t entry)
{
	hdIType type = columnIsMissing(value, values, entry) ? HDI_DOUBLE
							     : value->type;

	struct number number = { .isInteger = true,
				 .isReading = kind == HD_KIND_COUNTER };

	if (type == HDI_INT32) {
		number.integer = values->int32[entry];
	} else if (type == HDI_INT64) {
		number.integer = values->int64[entry];
	} else if (type == HDI_UINT64 && values->uint64[entry] <= INT64_MAX) {
		number.integer = (int64_t)values->uint64[entry];
	} else {
		number.isInteger = false;
		number.real = columnNumber(value, values, entry);
	}
	number.isThere = number.isInteger || !isnan(number.real);
	return number;
}

/** Put those that are counters' readings, or all others. */
static void putNumbers(struct perfetto *self, const uint64_t *tracks,
		       const struct number *numbers, size_t count, int64_t time,
		       bool isReading)
{
	for (size_t k = 0; k < count; k++) {
		struct pbBytes *body = perfettoEmptied(&self->body);

		if (!tracks[k] || !numbers[k].isThere ||
		    numbers[k].isReading != isReading)
			continue;
		pbNumber(body, EVENT_TYPE, EVENT_IS_COUNTER);
		pbNumber(body, EVENT_TRACK, tracks[k]);
		if (numbers[k].isInteger)
			pbNumber(body, EVENT_COUNTER,
				 (uint64_t)numbers[k].integer);
		else
			pbDouble(body, EVENT_DOUBLE_COUNTER, numbers[k].real);
		perfettoPutPacket(self, PACKET_TRACK_EVENT, &time);
	}
}

static void loseNumbers(struct perfetto *self, const struct exportGroup *group,
			const hdIBlock *block, size_t entry)
{
	struct export *export = self->export;

	exportLose(export, "gaps (the last value is held)",
		   block->isAfterGap[entry]);
	for (size_t k = 0; k < group->valueCount; k++) {
		hdIType type = group->values[k]->type;
		const hdIColumn *values = exportColumn(group, block, k);

		if (type == HDI_STRING)
			exportLose(export, "strings", 1);
		else if (isnan(columnNumber(group->values[k], values, entry)))
			exportLose(export,
				   "missing values (the last value is held)",
				   1);
		else if (type == HDI_UINT64 &&
			 values->uint64[entry] > INT64_MAX)
			exportLose(export, "last digits of large UINT64", 1);
	}
}

uint64_t perfettoGroupTracks(const struct exportGroup *group)
{
	uint64_t count = 0;

	for (size_t i = 0; i < group->valueCount; i++)
		count += group->values[i]->type != HDI_STRING;
	return count;
}

void perfettoPutGroup(struct perfetto *self, const struct exportGroup *group)
{
	struct exportReader *reader = exportOpenStat(self->export, group);
	size_t count = group->valueCount;
	uint64_t *tracks = g_new0(uint64_t, count + 1);
	struct number *numbers = g_new0(struct number, count + 1);
	enum hdKind *kinds = g_new0(enum hdKind, count + 1);
	struct exportEntries entries;
	int64_t end = 0;

	for (size_t k = 0; reader && k < count; k++) {
		kinds[k] = valueKind(group->group, group->values[k], NULL);
		exportLoseValue(self->export, group->values[k]);
		if (group->values[k]->type != HDI_STRING)
			tracks[k] = putCounterTrack(self, group->group,
						    group->values[k]);
	}
	while (exportReadStat(reader, &entries)) {
		const hdIBlock *block = entries.block;

		for (size_t i = entries.first; i < entries.last; i++) {
			loseNumbers(self, group, block, i);
			if (block->isAfterGap[i])
				putNumbers(self, tracks, numbers, count, end,
					   false);
			for (size_t k = 0; k < count; k++)
				numbers[k] = perfettoValuesGetNumber(
					group->values[k], kinds[k],
					exportColumn(group, block, k), i);
			end = block->end[i];
			putNumbers(self, tracks, numbers, count,
				   block->start[i], false);
			putNumbers(self, tracks, numbers, count, end, true);
		}
	}
	putNumbers(self, tracks, numbers, count, end, false);
	exportCloseStat(reader);
	g_free(kinds);
	g_free(numbers);
	g_free(tracks);
}
