/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report of several runs: how they scale with the number of ranks.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/report/json/json.h"
#include "HDTraceTools/report/report.h"
#include "cli/quantity.h"

/** An efficiency falls if it is less than the first run's by so much. */
#define SCALING_FALLS 0.05

/** Those that others are products of. */
static const enum findingsEfficiency scalingFactors[] = {
	EFFICIENCY_OMP_BALANCE, EFFICIENCY_OMP_COMMUNICATION,
	EFFICIENCY_MPI_BALANCE, EFFICIENCY_SERIALISATION,
	EFFICIENCY_TRANSFER,    EFFICIENCY_INSTRUCTIONS,
	EFFICIENCY_IPC,         EFFICIENCY_FREQUENCY,
};

static const struct scalingRun *scalingAt(const GArray *runs, guint i)
{
	return &g_array_index(runs, struct scalingRun, i);
}

void scalingRunClear(void *data)
{
	struct scalingRun *run = data;

	g_free(run->name);
	g_free(run->file);
}

static gint scalingCompare(gconstpointer a, gconstpointer b)
{
	const struct scalingRun *x = a;
	const struct scalingRun *y = b;

	if (x->scale.ranks != y->scale.ranks)
		return x->scale.ranks > y->scale.ranks ? 1 : -1;
	if (x->scale.threads != y->scale.threads)
		return x->scale.threads > y->scale.threads ? 1 : -1;
	return strcmp(x->file, y->file);
}

void scalingFind(const struct report *report, GArray *runs)
{
	struct findingsScale first;
	bool isWeak;

	g_array_sort(runs, scalingCompare);
	first = scalingAt(runs, 0)->scale;
	isWeak = report->scaling
			 ? strcmp(report->scaling, "weak") == 0
			 : findingsScaleIsWeak(
				   &first,
				   &scalingAt(runs, runs->len - 1)->scale);
	for (guint i = 0; i < runs->len; i++)
		findingsScaleFrom(
			&g_array_index(runs, struct scalingRun, i).scale,
			&first, isWeak);
}

int scalingCheck(const struct report *report, int projects)
{
	struct tool *tool = report->findings.tool;

	if (report->scaling && strcmp(report->scaling, "strong") != 0 &&
	    strcmp(report->scaling, "weak") != 0)
		return toolUsage(tool,
				 "--scaling: invalid mode \"%s\"; expected "
				 "strong or weak",
				 report->scaling);
	if (projects > 1 && (report->html || report->isCsv || report->limits))
		return toolUsage(tool, "--html, --csv and --fail need a "
				       "single project");
	return -1;
}

/* ---- What falls -----------------------------------------------------------
 */

/** The first run in which an efficiency falls, and the one that falls most in
 *  it; false: none does. */
static bool scalingFalls(const GArray *runs, guint *place,
			 enum findingsEfficiency *what)
{
	const double *first = scalingAt(runs, 0)->scale.efficiencies.values;
	double most = SCALING_FALLS;

	for (guint i = 1; i < runs->len && most == SCALING_FALLS; i++) {
		const double *values =
			scalingAt(runs, i)->scale.efficiencies.values;
		bool isCounted = !isnan(values[EFFICIENCY_INSTRUCTIONS]);

		for (size_t k = 0; k <= G_N_ELEMENTS(scalingFactors); k++) {
			enum findingsEfficiency of =
				k < G_N_ELEMENTS(scalingFactors)
					? scalingFactors[k]
					: EFFICIENCY_SCALING;
			double fall = first[of] - values[of];

			/* Its factors say more. */
			if ((of == EFFICIENCY_SCALING && isCounted) ||
			    !(fall > most))
				continue;
			most = fall;
			*place = i;
			*what = of;
		}
	}
	return most > SCALING_FALLS;
}

/** An efficiency as text: "load balance". */
static void scalingPrintName(enum findingsEfficiency efficiency)
{
	for (const char *name = findingsEfficiencyName(efficiency); *name;
	     name++)
		putchar(*name == '_' ? ' ' : *name);
}

static void scalingPrintFall(const GArray *runs)
{
	const struct scalingRun *first = scalingAt(runs, 0);
	char buffer[OUT_NUMBER_SIZE];
	enum findingsEfficiency what = EFFICIENCY_PARALLEL;
	guint place = 0;

	if (isnan(first->scale.efficiencies.values[EFFICIENCY_PARALLEL]))
		return;
	if (!scalingFalls(runs, &place, &what)) {
		puts("  No efficiency falls by more than 5 points.");
		return;
	}
	printf("  First to fall: ");
	scalingPrintName(what);
	printf(", from %s %%",
	       outRounded(buffer,
			  100 * first->scale.efficiencies.values[what]));
	printf(" to %s %% with %" PRIu64 " ranks\n",
	       outRounded(buffer,
			  100 * scalingAt(runs, place)
					  ->scale.efficiencies.values[what]),
	       scalingAt(runs, place)->scale.ranks);
	printf("  Its findings: hdtrace report ");
	outPrintable(scalingAt(runs, place)->file);
	putchar('\n');
}

/* ---- Printing -------------------------------------------------------------
 */

/** A line of the table: a number of each run. */
static void scalingAddLine(struct outTable *table, const GArray *runs,
			   const char *name, enum findingsEfficiency of)
{
	char buffer[OUT_NUMBER_SIZE], text[OUT_NUMBER_SIZE + 2];
	bool isKnown = false;

	for (guint i = 0; i < runs->len; i++)
		isKnown |= !isnan(
			scalingAt(runs, i)->scale.efficiencies.values[of]);
	if (!isKnown)
		return;
	outTableAdd(table, name);
	for (guint i = 0; i < runs->len; i++) {
		double value =
			scalingAt(runs, i)->scale.efficiencies.values[of];

		g_snprintf(text, sizeof(text), "%s %%",
			   outRounded(buffer, 100 * value));
		outTableAdd(table, isnan(value) ? "-" : text);
	}
}

static void scalingAddHead(struct outTable *table, const GArray *runs)
{
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, "Ranks");
	for (guint i = 0; i < runs->len; i++)
		outTableAdd(table, outInteger(buffer,
					      scalingAt(runs, i)->scale.ranks));
	outTableAdd(table, "Threads");
	for (guint i = 0; i < runs->len; i++)
		outTableAdd(
			table,
			outInteger(buffer, scalingAt(runs, i)->scale.threads));
	outTableAdd(table, "Run time");
	for (guint i = 0; i < runs->len; i++)
		outTableAdd(
			table,
			outDuration(buffer, scalingAt(runs, i)->scale.runTime));
	outTableAdd(table, "Energy");
	for (guint i = 0; i < runs->len; i++) {
		double energy = scalingAt(runs, i)->scale.energy;

		outTableAdd(table, isnan(energy)
					   ? "-"
					   : quantityText(buffer, energy, "J"));
	}
	outTableAdd(table, "Speedup");
	for (guint i = 0; i < runs->len; i++)
		outTableAdd(
			table,
			outRounded(buffer, scalingAt(runs, i)->scale.speedup));
}

void scalingPrint(const struct report *report, const GArray *runs)
{
	static const struct {
		const char *name;
		enum findingsEfficiency of;
	} lines[] = {
		{ "Global efficiency", EFFICIENCY_GLOBAL },
		{ "  Parallel efficiency", EFFICIENCY_PARALLEL },
		{ "    OpenMP", EFFICIENCY_OMP_PARALLEL },
		{ "      Load balance", EFFICIENCY_OMP_BALANCE },
		{ "    MPI load balance", EFFICIENCY_MPI_BALANCE },
		{ "    MPI communication", EFFICIENCY_MPI_COMMUNICATION },
		{ "      Serialisation", EFFICIENCY_SERIALISATION },
		{ "      Transfer", EFFICIENCY_TRANSFER },
		{ "  Computation scaling", EFFICIENCY_SCALING },
		{ "    Instructions", EFFICIENCY_INSTRUCTIONS },
		{ "    IPC", EFFICIENCY_IPC },
		{ "    Frequency", EFFICIENCY_FREQUENCY },
		{ "Energy in computation", EFFICIENCY_ENERGY },
	};
	const char **headings = g_new0(const char *, runs->len + 2);
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	struct outTable *table;

	headings[0] = "<";
	for (guint i = 0; i < runs->len; i++) {
		g_ptr_array_add(
			names,
			g_strconcat(">", scalingAt(runs, i)->name, NULL));
		headings[i + 1] = names->pdata[i];
	}
	table = outTableNew(headings);
	scalingAddHead(table, runs);
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
		scalingAddLine(table, runs, lines[i].name, lines[i].of);
	printf("Scaling (%s): ", scalingAt(runs, 0)->scale.isWeak
					 ? "weak, the work grows with the ranks"
					 : "strong, the work is the same");
	printf("%u runs\n", runs->len);
	outTablePrint(table, "  ", report->findings.tool->isColored);
	scalingPrintFall(runs);
	g_ptr_array_unref(names);
	g_free(headings);
}

void scalingPut(struct outJson *json, const GArray *runs)
{
	outJsonArray(json, "scaling", false);
	for (guint i = 0; runs && i < runs->len; i++) {
		const struct scalingRun *run = scalingAt(runs, i);
		const struct findingsScale *scale = &run->scale;

		outJsonObject(json, NULL, false);
		outJsonText(json, "project", run->name);
		outJsonText(json, "file", run->file);
		outJsonText(json, "mode", scale->isWeak ? "weak" : "strong");
		outJsonInteger(json, "ranks", (int64_t)scale->ranks);
		outJsonInteger(json, "threads", (int64_t)scale->threads);
		outJsonSeconds(json, "duration_s", scale->runTime);
		outJsonDouble(json, "energy_j", scale->energy);
		outJsonDouble(json, "speedup_ratio", scale->speedup);
		reportJsonPutEfficiencies(json, &scale->efficiencies);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}
