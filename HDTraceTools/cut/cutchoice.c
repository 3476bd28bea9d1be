/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: ranks and regions.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/cut/cutchoice.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/mpi/messages.h"

/* ---- Ranks ------------------------------------------------------------- */

/** Parse a number, and go behind it; false: there is none. */
static bool cutRanksNumber(const char **at, int64_t *number)
{
	char *end;

	if (!g_ascii_isdigit(**at))
		return false;
	*number = g_ascii_strtoll(*at, &end, 10);
	*at = end;
	return *number < G_MAXINT64;
}

GArray *cutRanksParse(const char *text)
{
	GArray *ranks = g_array_new(FALSE, FALSE, sizeof(struct cutRange));
	struct cutRange range;
	bool isGood;

	do {
		isGood = cutRanksNumber(&text, &range.first);
		range.last = range.first;
		if (isGood && *text == '-') {
			text++;
			isGood = cutRanksNumber(&text, &range.last);
		}
		isGood = isGood && range.first <= range.last;
		if (isGood)
			g_array_append_val(ranks, range);
	} while (isGood && *text++ == ',');
	if (isGood && !text[-1])
		return ranks;
	g_array_unref(ranks);
	return NULL;
}

bool cutHasRank(const struct cut *cut, int64_t rank)
{
	for (guint i = 0; i < cut->ranks->len; i++) {
		const struct cutRange *range =
			&g_array_index(cut->ranks, struct cutRange, i);

		if (range->first <= rank && rank <= range->last)
			return true;
	}
	return false;
}

bool cutHasNode(const struct cut *cut, const hdINode *node)
{
	int64_t rank = cut->ranks ? messagesRankOf(cut->project, node) : -1;

	return rank < 0 || cutHasRank(cut, rank);
}

/* ---- Regions ----------------------------------------------------------- */

/** A trace in which a region is looked for. */
struct cutRegionSearch {
	const char *name;
	GArray *found;
};

/** Whether a state is a region of that name: libraries that cannot write a name
 *  as it is have it in an attribute. */
static bool cutRegionIs(const hdIRecord *record, const char *name)
{
	if (record->kind != HDI_STATE)
		return false;
	for (size_t i = 0; i < record->attributeCount; i++) {
		if (strcmp(record->attributes[i].name, "name") == 0 &&
		    strcmp(record->attributes[i].value, name) == 0)
			return true;
	}
	return strcmp(record->name, name) == 0;
}

static bool cutRegionSee(const hdIRecord *record, void *data)
{
	struct cutRegionSearch *self = data;
	struct cutRange range = { record->start, record->end };

	if (!cutRegionIs(record, self->name))
		return true;
	/* Those in it came before. */
	while (self->found->len > 0 &&
	       g_array_index(self->found, struct cutRange, self->found->len - 1)
			       .first >= range.first)
		g_array_set_size(self->found, self->found->len - 1);
	g_array_append_val(self->found, range);
	return true;
}

GArray *cutRegionFind(const struct cut *cut, const hdITraceFile *trace)
{
	struct scan scan = { .tool = cut->tool, .project = cut->project };
	struct cutRegionSearch self = {
		.name = cut->region,
		.found = g_array_new(FALSE, FALSE, sizeof(struct cutRange)),
	};
	/* cutTrace() reports problems. */
	hdITraceReader *reader =
		diagnosticsOpenTrace(cut->project, trace, &diagnosticsDropped);

	scanRecords(&scan, reader, cutRegionSee, &self);
	hdI_closeTrace(reader);
	return self.found;
}

bool cutRegionHas(const GArray *region, const hdIRecord *record)
{
	guint low = 0, high = region->len;

	/* The first one that begins behind the start of the record. */
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(region, struct cutRange, middle).first >
		    record->start)
			high = middle;
		else
			low = middle + 1;
	}
	if (low > 0) {
		const struct cutRange *before =
			&g_array_index(region, struct cutRange, low - 1);

		if (record->end <= before->last ||
		    (record->start == before->first &&
		     record->end >= before->last))
			return true;
	}
	return low < region->len &&
	       g_array_index(region, struct cutRange, low).last <= record->end;
}
