/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace relations: sums by name and layer.
 */
#include "config.h"

#include "HDTraceTools/model/relations/sums.h"
#include "HDTraceTools/relations/relations.h"

static const struct rowColumn columns[] = {
	{ "<Name", "name", ROW_TEXT, ROW_DASH },
	{ "<Layer", "layer", ROW_TEXT, 0 },
	{ ">Count", "count", ROW_COUNT, 0 },
	{ ">Not ended", "unended", ROW_COUNT, 0 },
	{ ">Failed", "failed", ROW_COUNT, 0 },
	{ ">Mean", "mean_s", ROW_DURATION, ROW_DASH },
	{ ">p50", "p50_s", ROW_DURATION, ROW_DASH },
	{ ">p95", "p95_s", ROW_DURATION, ROW_DASH },
	{ ">p99", "p99_s", ROW_DURATION, ROW_DASH },
	{ ">Max", "max_s", ROW_DURATION, ROW_DASH },
	{ ">Total", "total_s", ROW_DURATION, 0 },
	{ ">Self", "self_s", ROW_DURATION, 0 },
	{ ">Waited", "wait_s", ROW_DURATION, 0 },
	{ ">Energy", "energy_j", ROW_NUMBER, ROW_DASH },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_NAME,
	COLUMN_LAYER,
	COLUMN_COUNT,
	COLUMN_UNENDED,
	COLUMN_FAILED,
	COLUMN_MEAN,
	COLUMN_QUANTILES,
	COLUMN_MAX = COLUMN_QUANTILES + RELATION_QUANTILES,
	COLUMN_TOTAL,
	COLUMN_SELF,
	COLUMN_WAITED,
	COLUMN_ENERGY,
	COLUMN_KNOWN,
	COLUMN_DURATION,
};

static void relationsSumsPrintSum(struct rows *rows,
				  const struct relationSum *sum)
{
	rowsText(rows, COLUMN_NAME, sum->name);
	rowsText(rows, COLUMN_LAYER, sum->layer);
	rowsCount(rows, COLUMN_COUNT, sum->count);
	rowsCount(rows, COLUMN_UNENDED, sum->unended);
	rowsCount(rows, COLUMN_FAILED, sum->failed);
	if (sum->count > 0) {
		rowsTime(rows, COLUMN_MEAN,
			 (int64_t)(sum->ended / (outInt128)sum->count));
		rowsTime(rows, COLUMN_MAX, sum->largest);
		for (size_t i = 0; i < RELATION_QUANTILES; i++)
			rowsTime(rows, COLUMN_QUANTILES + i, sum->quantiles[i]);
	}
	rowsInteger(rows, COLUMN_TOTAL, sum->total);
	rowsInteger(rows, COLUMN_SELF, sum->self);
	rowsInteger(rows, COLUMN_WAITED, sum->waited);
	relationsShowEnergy(rows, COLUMN_ENERGY, &sum->energy, sum->active);
	rowsTime(rows, COLUMN_KNOWN, sum->energy.measured);
	rowsTime(rows, COLUMN_DURATION, sum->active);
	rowsEnd(rows);
}

void relationsPrintTheseSums(struct relationsRun *run, const GArray *sums)
{
	struct rows *rows = rowsNew(columns, run->format, run->json);
	bool hasUnended = false, hasFailed = false;

	rowsHeader(rows);
	if (run->format == OUT_JSON)
		outJsonArray(run->json, "sums", false);
	for (guint i = 0; i < sums->len; i++) {
		const struct relationSum *sum =
			&g_array_index(sums, struct relationSum, i);

		hasUnended |= sum->unended > 0;
		hasFailed |= sum->failed > 0;
		relationsSumsPrintSum(rows, sum);
	}
	if (run->format == OUT_JSON)
		outJsonEnd(run->json);
	if (!hasUnended)
		rowsHide(rows, COLUMN_UNENDED);
	if (!hasFailed)
		rowsHide(rows, COLUMN_FAILED);
	rowsPrint(rows, "  ", run->tool->isColored);
	rowsFree(rows);
}

void relationsPrintSums(struct relationsRun *run)
{
	struct relationSums *sums = relationSumsNew(run->forest, run->joules);
	struct forestRelation relation;
	int ret = 0;

	for (uint32_t i = 0; i < forestCount(run->forest) && ret == 0; i++) {
		ret = forestGet(run->forest, i, &relation);
		if (ret == 0 && relationsWants(run, &relation))
			ret = relationSumsAdd(sums, &relation);
	}
	if (ret == 0)
		ret = relationSumsEnd(sums);
	if (!relationsFailed(run, ret))
		relationsPrintTheseSums(run, relationSumsAll(sums));
	relationSumsFree(sums);
}
