/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: entries of groups, as metric events at the end of
 * their interval.
 */
#include "config.h"

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
	hdIType type = columnPlainType(of);
	OTF2_MetricValue value;

	if (type == HDI_INT32)
		value.signed_int = values->int32[entry];
	else if (type == HDI_INT64)
		value.signed_int = values->int64[entry];
	else if (type == HDI_UINT64)
		value.unsigned_int = values->uint64[entry];
	else
		value.floating_point = columnNumber(of, values, entry);
	return value;
}

static void otf2GroupsPutEntry(struct otf2 *self,
			       const struct exportGroup *group,
			       const GArray *numbers, const hdIBlock *block,
			       size_t entry)
{
	OTF2_Type types[OTF2_MEMBERS_MAX];
	OTF2_MetricValue values[OTF2_MEMBERS_MAX];
	OTF2_MetricRef metric = self->location->firstMetric + 1;

	for (guint first = 0; first < numbers->len; first += OTF2_MEMBERS_MAX) {
		guint count = MIN(numbers->len - first, OTF2_MEMBERS_MAX);

		for (guint i = 0; i < count; i++) {
			size_t at = g_array_index(numbers, size_t, first + i);
			const hdIValue *value = group->values[at];

			types[i] = otf2MetricType(columnPlainType(value));
			values[i] = metricValue(exportColumn(group, block, at),
						value, entry);
		}
		otf2Check(self, otf2Api.OTF2_EvtWriter_Metric(
					self->events, NULL,
					(OTF2_TimeStamp)block->end[entry],
					metric, (uint8_t)count, types, values));
		otf2CountEvent(self, block->end[entry]);
		metric += 2;
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
