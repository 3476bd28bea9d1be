/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: entries of groups, as metric events at the end of
 * their interval.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/column.h"

OTF2_Type otf2MetricType(hdIType type)
{
	switch (type) {
	case HDI_INT32:
	case HDI_INT64:
		return OTF2_TYPE_INT64;
	case HDI_UINT64:
		return OTF2_TYPE_UINT64;
	default:
		return OTF2_TYPE_DOUBLE;
	}
}

GArray *otf2NumbersOf(const struct exportGroup *group)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(size_t));

	for (size_t i = 0; i < group->valueCount; i++) {
		if (group->values[i]->type != HDI_STRING)
			g_array_append_val(numbers, i);
	}
	return numbers;
}

static OTF2_MetricValue metricValue(const hdIColumn *values, const hdIValue *of,
				    size_t entry)
{
	OTF2_MetricValue value;

	if (of->type == HDI_INT32)
		value.signed_int = values->int32[entry];
	else if (of->type == HDI_INT64)
		value.signed_int = values->int64[entry];
	else if (of->type == HDI_UINT64)
		value.unsigned_int = values->uint64[entry];
	else
		value.floating_point = columnNumber(of, values, entry);
	return value;
}

/** Put the sample of a value; none where it is missing. */
static void putSample(struct otf2 *self, const hdIValue *of,
		      const hdIColumn *values, size_t entry,
		      OTF2_TimeStamp time, OTF2_MetricRef metric)
{
	OTF2_Type type = otf2MetricType(of->type);
	OTF2_MetricValue value;

	if (isnan(columnNumber(of, values, entry))) {
		exportLose(self->export,
			   "missing values (the next value covers their time)",
			   1);
		return;
	}
	value = metricValue(values, of, entry);
	otf2Check(self,
		  otf2Api.OTF2_EvtWriter_Metric(self->events, NULL, time,
						metric, 1, &type, &value));
	otf2CountEvent(self, (int64_t)time);
}

static void otf2GroupsPutEntry(struct otf2 *self,
			       const struct exportGroup *group,
			       const GArray *numbers, const hdIBlock *block,
			       size_t entry)
{
	for (guint i = 0; i < numbers->len; i++) {
		size_t at = g_array_index(numbers, size_t, i);

		putSample(self, group->values[at],
			  exportColumn(group, block, at), entry,
			  (OTF2_TimeStamp)block->end[entry],
			  self->location->firstMetric + 1 + 2 * i);
	}
	exportLose(self->export, "strings", group->valueCount - numbers->len);
	exportLose(self->export, "gaps", block->isAfterGap[entry]);
}

void otf2PutGroup(struct otf2 *self, const struct exportGroup *group)
{
	struct exportReader *reader = exportOpenStat(self->export, group);
	GArray *numbers = otf2NumbersOf(group);
	struct otf2Location *location = self->location;
	struct exportEntries entries;

	while (self->error == OTF2_SUCCESS &&
	       exportReadStat(reader, &entries)) {
		location->first = MIN(location->first,
				      entries.block->start[entries.first]);
		for (size_t i = entries.first; i < entries.last; i++)
			otf2GroupsPutEntry(self, group, numbers, entries.block,
					   i);
	}
	g_array_unref(numbers);
	exportCloseStat(reader);
}
