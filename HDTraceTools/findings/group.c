/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the entries of a group amount to, found in one pass.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/power/node.h"

/** The usual interval is derived from so many at the beginning. */
#define PROBE_SIZE 4096

/** A group while it is read. */
struct reading {
	struct findings *findings;
	struct findingsGroup *group;
	GArray *probe; /**< struct findingsSpan, the first intervals. */
	bool isProbed;
	int64_t last; /**< End of the entry before. */
	struct amounts *amounts;
	struct summary *part; /**< Of the time that was asked for; or NULL. */
	/** Of a group that no traces are charged with, for its period; or NULL.
	 */
	struct powerSeries *power;
};

/** Add a span before one that is kept, or behind all. */
static void insertSpan(struct findingsSpans *spans, guint place, int64_t start,
		       int64_t end)
{
	struct findingsSpan span = { start, end };

	if (!spans->list)
		spans->list = g_array_new(FALSE, FALSE, sizeof(span));
	spans->count++;
	spans->total += end - start;
	if (place < FINDINGS_KEPT)
		g_array_insert_val(spans->list, place, span);
	if (spans->list->len > FINDINGS_KEPT)
		g_array_set_size(spans->list, FINDINGS_KEPT);
}

static void findingsGroupAddSpan(struct findingsSpans *spans, int64_t start,
				 int64_t end)
{
	insertSpan(spans, spans->list ? spans->list->len : 0, start, end);
}

static gint findingsGroupCompareLengths(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static void findingsGroupJudgeSpan(struct findingsGroup *group, int64_t start,
				   int64_t end)
{
	if (group->usual && end - start >= group->usual + group->usual / 2)
		findingsGroupAddSpan(&group->late, start, end);
}

/** Tell the usual length of an interval, if there is one. */
static void endProbe(struct reading *work)
{
	struct findingsGroup *group = work->group;
	GArray *lengths = g_array_new(FALSE, FALSE, sizeof(int64_t));
	guint count = work->probe->len;
	guint near = 0;
	int64_t median = 0;

	for (guint i = 0; i < count; i++) {
		const struct findingsSpan *span =
			&g_array_index(work->probe, struct findingsSpan, i);
		int64_t length = span->end - span->start;

		g_array_append_val(lengths, length);
	}
	g_array_sort(lengths, findingsGroupCompareLengths);
	if (count)
		median = g_array_index(lengths, int64_t, count / 2);
	for (guint i = 0; i < count; i++) {
		int64_t length = g_array_index(lengths, int64_t, i);

		near += length > median / 2 && length < median + median / 2;
	}
	/* Who writes when something happens has no usual interval. */
	if (count >= 4 && near >= count - count / 4)
		group->usual = median;
	for (guint i = 0; i < count; i++) {
		const struct findingsSpan *span =
			&g_array_index(work->probe, struct findingsSpan, i);

		findingsGroupJudgeSpan(group, span->start, span->end);
	}
	g_array_unref(lengths);
	work->isProbed = true;
}

static void findingsGroupAddInterval(struct reading *work, int64_t start,
				     int64_t end)
{
	struct findingsSpan span = { start, end };

	if (end > start)
		work->group->shortest = MIN(work->group->shortest, end - start);
	if (work->isProbed) {
		findingsGroupJudgeSpan(work->group, start, end);
		return;
	}
	g_array_append_val(work->probe, span);
	if (work->probe->len == PROBE_SIZE)
		endProbe(work);
}

/** An entry, as far as it is in the time that was asked for. */
static void findingsGroupAddEntry(struct reading *work, const hdIBlock *block,
				  size_t i)
{
	const struct selection *selection = &work->findings->selection;
	struct findingsGroup *group = work->group;
	int64_t start = MAX(block->start[i], selection->start);
	int64_t end = MIN(block->end[i], selection->end);

	if (block->isAfterGap[i] && block->start[i] > selection->start &&
	    work->last < selection->end) {
		findingsGroupAddSpan(
			&group->gaps,
			MAX(MIN(work->last, block->start[i]), selection->start),
			MIN(block->start[i], selection->end));
		group->interruptions++;
	}
	work->last = block->end[i];
	if (start > end || (start == end && block->start[i] < block->end[i]))
		return;
	findingsGroupAddInterval(work, block->start[i], block->end[i]);
	group->entries++;
	group->start = MIN(group->start, start);
	group->end = MAX(group->end, end);
}

static void findingsGroupAddBlock(struct reading *work, const hdIBlock *block)
{
	struct findingsGroup *group = work->group;
	bool isPart = findingsIsPart(work->findings);

	if (!isPart)
		amountsTake(work->amounts, block);
	for (size_t i = 0; !isPart && i < group->group->valueCount; i++)
		amountsAdd(work->amounts, i, &group->moments[i], 0,
			   block->count);
	for (size_t i = 0; i < block->count; i++)
		findingsGroupAddEntry(work, block, i);
}

/** The time that was asked for is over. */
static void takePart(struct summary *summary, const struct summarySlot *slot,
		     size_t name)
{
	struct reading *work = summary->data;

	(void)name;
	memcpy(work->group->moments, slot->moments,
	       work->group->group->valueCount * sizeof(*slot->moments));
}

void findingsEndGaps(const struct findings *findings,
		     struct findingsGroup *group)
{
	int64_t start = findings->start;
	int64_t end = findings->end;
	bool isEmpty = group->entries == 0;
	int64_t before = isEmpty ? end : group->start;
	int64_t after = isEmpty ? end : group->end;
	struct known inside = { after - before, end - start };

	/* Groups do not begin and end with the same tick. */
	if (start > end || !group->group->valueCount || knownIsWhole(inside))
		return;
	if (before > start)
		insertSpan(&group->gaps, 0, start, before);
	if (after < end)
		findingsGroupAddSpan(&group->gaps, after, end);
}

/** A phase of a group is over. */
static void takePhase(struct summary *summary, const struct summarySlot *slot,
		      size_t name)
{
	struct reading *work = summary->data;
	struct findings *findings = work->findings;
	size_t index = findings->phaseOptions.isByName ? name : summary->phase;
	struct findingsPhase *phase =
		&g_array_index(findings->phases, struct findingsPhase, index);

	phase->groups[work->group->energyIndex] =
		findingsGroupEnergy(work->group, slot->moments);
}

/** Read the entries for all that wants them. */
static int findingsGroupReadEntries(struct reading *work, hdIStatReader *reader,
				    struct summary *summary)
{
	struct powerSeries *series =
		work->group->series ? work->group->series : work->power;
	struct layerGauge *gauge =
		layersGauge(work->findings->layers, work->group->group);
	const hdIBlock *block;
	int64_t offset = 0;
	int ret = 0;

	/* All others need the entries before the selected time. */
	if (work->part && !summary && !series && !gauge &&
	    !work->group->busyPeriod)
		hdI_skipStat(reader, work->findings->selection.start);
	while (ret == 0 && hdI_readStat(reader, &block) == 1) {
		int64_t last = block->offset[block->count - 1];

		findingsGroupAddBlock(work, block);
		if (summary)
			summaryAddBlock(summary, block);
		if (work->part)
			summaryAddBlock(work->part, block);
		if (work->group->intervals)
			intervalsTake(work->group->intervals, block,
				      &work->findings->selection);
		if (gauge)
			layerGaugeTake(gauge, block);
		findingsTakeBusy(work->group, block);
		if (series)
			ret = powerSeriesAdd(series, block);
		findingsProgress(work->findings, last - offset);
		offset = last;
	}
	if (ret == 0 && series)
		ret = powerSeriesEnd(series);
	if (ret == 0 && series)
		ret = findingsTakePower(work->group, series);
	findingsProgress(work->findings, work->group->group->fileSize - offset);
	return ret;
}

int findingsReadGroup(struct findings *findings, struct findingsGroup *group,
		      const struct diagnosticSink *sink, int *spoolError)
{
	struct reading work = { .findings = findings, .group = group };
	struct summary summary = {
		.group = group->group,
		.phases = &findings->phaseList,
		.isByName = findings->phaseOptions.isByName,
		.take = takePhase,
		.data = &work,
	};
	struct summary part = {
		.group = group->group,
		.phases = &findings->selected,
		.take = takePart,
		.data = &work,
	};
	bool hasPhases = findings->hasPhases && group->powerCount;
	hdIStatReader *reader =
		diagnosticsOpenStat(findings->project, group->group, sink);

	if (!reader)
		return errno == EBADMSG ? 0 : -errno;
	if (!hdI_getStatStart(reader, &work.last))
		work.last = INT64_MAX;
	/* That traces are charged with. */
	if (group->traces || (group->isFirst && findings->relations.joules))
		group->series = powerSeriesOfNode(group->group, group->isPower);
	else if (group->powerPeriod)
		work.power = powerSeriesOfNode(group->group, group->isPower);
	work.amounts = amountsNew(group->group);
	work.probe = g_array_new(FALSE, FALSE, sizeof(struct findingsSpan));
	if (findingsIsPart(findings)) {
		summaryStart(&part, NULL);
		work.part = &part;
	}
	if (hasPhases)
		summaryStart(&summary, NULL);
	*spoolError = findingsGroupReadEntries(&work, reader,
					       hasPhases ? &summary : NULL);
	if (*spoolError == 0 && group->series)
		*spoolError =
			nodePowerComplete(findings->project, findings->powers,
					  group->group, &group->series);
	if (!work.isProbed)
		endProbe(&work);
	if (hasPhases)
		summaryFinish(&summary);
	if (work.part)
		summaryFinish(&part);
	powerSeriesFree(work.power);
	g_array_unref(work.probe);
	amountsFree(work.amounts);
	hdI_closeStat(reader);
	if (group->shortest == INT64_MAX)
		group->shortest = 0;
	return 0;
}
