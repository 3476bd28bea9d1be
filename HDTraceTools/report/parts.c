/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: regions and iterations, for people.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/report/report.h"
#include "HDTraceTools/report/text.h"

/** Columns below that are not always shown. */
enum { PARTS_ENERGY = 3, PARTS_ENERGY_UNIT };

static void partsAddPercent(struct outTable *table, double ratio)
{
	char buffer[OUT_NUMBER_SIZE], text[OUT_NUMBER_SIZE + 2] = "-";

	if (!isnan(ratio))
		g_snprintf(text, sizeof(text), "%s %%",
			   outRounded(buffer, 100 * ratio));
	outTableAdd(table, text);
}

static void partsAddRegion(struct outTable *table,
			   const struct findingsRegion *region, bool hasEnergy)
{
	const struct profileState *state = region->state;
	const struct attributionAmount *amount =
		&state->total.amounts[FINDINGS_RULE];
	struct known known = { amount->measured, state->total.time };
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, state->name);
	outTableAdd(table, outInteger(buffer, (outInt128)state->outer));
	outTableAdd(table, outDuration(buffer, state->total.time));
	reportAddEnergy(table, known,
			hasEnergy && amount->measured
				? attributionEnergy(amount)
				: NAN);
	partsAddPercent(table, region->efficiency.parallel);
	partsAddPercent(table, region->efficiency.loadBalance);
	partsAddPercent(table, region->efficiency.serialisation);
	partsAddPercent(table, region->efficiency.transfer);
}

static void partsPrintRegions(const struct report *report)
{
	static const char *const headings[] = {
		"<Region",   ">Count",   ">Time",          ".Energy",   "<",
		">Parallel", ">Balance", ">Serialisation", ">Transfer", NULL,
	};
	const struct findings *findings = &report->findings;
	bool hasEnergy =
		findings->profile->sources > 0 && findings->energy.isKnown;
	guint count = findings->regionList->len;
	struct outTable *table;

	if (!count || isnan(findings->efficiency.parallel))
		return;
	if (!report->isAll)
		count = MIN(count, (guint)report->top);
	table = outTableNew(headings);
	for (guint i = 0; i < count; i++)
		partsAddRegion(table,
			       &g_array_index(findings->regionList,
					      struct findingsRegion, i),
			       hasEnergy);
	if (!hasEnergy) {
		outTableHide(table, PARTS_ENERGY);
		outTableHide(table, PARTS_ENERGY_UNIT);
	}
	reportTitle(report, "Regions, with efficiencies");
	outTablePrint(table, "  ", findings->tool->isColored);
}

void reportPrintRegions(const struct report *report)
{
	partsPrintRegions(report);
}

void reportPrintIterations(const struct findings *findings)
{
	const struct findingsIterations *is = &findings->evenness;
	char buffer[OUT_NUMBER_SIZE];

	if (!findings->iterations->len)
		return;
	printf("  Iterations: %u", findings->iterations->len);
	if (findings->iterationRegion) {
		printf(" of ");
		outPrintable(findings->iterationRegion);
	}
	if (findings->iterationSeries.node) {
		printf(" by %s of ", findings->iterationSeries.name);
		outPrintable(findings->iterationSeries.node->path);
	}
	printf(", %s on average", outDuration(buffer, is->mean));
	printf(", spread %s %%", outRounded(buffer, 100 * is->spread));
	if (!isnan(is->trend))
		printf(", trend %s%s %%", is->trend < 0 ? "" : "+",
		       outRounded(buffer, 100 * is->trend));
	printf(", longest %u (%s)\n", is->first + is->longestPlace,
	       outDuration(buffer, is->longest));
}
