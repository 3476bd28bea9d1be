/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report as text: call sites, kernels and hardware counters.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/report/text.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/report/report.h"

/* ---- Call sites -------------------------------------------------------- */

/** Columns below that are not always shown. */
enum {
	COLUMN_SITE_ENERGY = 5,
	COLUMN_SITE_KNOWN = 7,
	COLUMN_SITE_CYCLES = 8,
	COLUMN_SITE_RATIO = 10,
	COLUMN_SITE_MISSES = 11,
};

/** A number with two digits behind the point. */
static void addRatio(struct outTable *table, double ratio)
{
	char text[OUT_NUMBER_SIZE] = "-";

	if (isfinite(ratio))
		g_snprintf(text, sizeof(text), "%.2f", ratio);
	outTableAdd(table, text);
}

/** What the processor counted, marked if not in all of so many states. */
static void addCounted(struct outTable *table,
		       const struct profileEvents *events,
		       enum profileEvent event, uint64_t count)
{
	char text[OUT_NUMBER_SIZE + 8] = "-", buffer[OUT_NUMBER_SIZE];

	if (events->with[event])
		g_snprintf(text, sizeof(text), "%s%s",
			   events->with[event] < count ? ">= " : "",
			   outInteger(buffer, events->total[event]));
	outTableAdd(table, text);
}

static void addSiteEvents(struct outTable *table,
			  const struct profileSite *states)
{
	const struct profileEvents *events = &states->own.events;

	addCounted(table, events, PROFILE_CYCLES, states->count);
	addCounted(table, events, PROFILE_INSTRUCTIONS, states->count);
	addRatio(table, profileRatio(events));
	addCounted(table, events, PROFILE_CACHE_MISSES, states->count);
}

/** Leave out what no row tells. */
static void hideSiteEvents(struct outTable *table,
			   const struct profileEvents *all)
{
	bool hasRatio =
		all->with[PROFILE_CYCLES] || all->with[PROFILE_INSTRUCTIONS];

	for (size_t i = COLUMN_SITE_CYCLES; !hasRatio && i <= COLUMN_SITE_RATIO;
	     i++)
		outTableHide(table, i);
	if (!all->with[PROFILE_CACHE_MISSES])
		outTableHide(table, COLUMN_SITE_MISSES);
}

void reportPrintSites(const struct report *report)
{
	static const char *const headings[] = {
		"<Call site", "<State",        ">Count", ">Own time",
		">Longest",   ".Energy",       "<",      ">Known",
		">Cycles",    ">Instructions", ".IPC",   ">Cache misses",
		NULL,
	};
	const struct findings *findings = &report->findings;
	const GPtrArray *sites = findings->sites;
	guint count = report->isAll ? sites->len
				    : MIN(sites->len, (guint)report->top);
	struct outTable *table;
	char buffer[OUT_NUMBER_SIZE];
	struct profileEvents all = { 0 };
	bool isPartial = false;

	if (!sites->len)
		return;
	table = outTableNew(headings);
	for (guint i = 0; i < count; i++) {
		const struct profileSite *states = sites->pdata[i];
		const struct attributionAmount *amount =
			&states->own.amounts[0];
		struct known known = { amount->measured, states->own.time };
		char *place = siteText(states->site, findings->addresses);

		outTableAdd(table, place);
		outTableAdd(table, states->name);
		outTableAdd(table,
			    outInteger(buffer, (outInt128)states->count));
		outTableAdd(table, outDuration(buffer, states->own.time));
		outTableAdd(table, outDuration(buffer, states->longest));
		reportAddEnergy(table, known,
				knownTotal(known, attributionEnergy(amount)));
		reportAddKnown(table, known.knownNs);
		addSiteEvents(table, states);
		profileEventsAdd(&all, &states->own.events);
		isPartial |= !knownIsWhole(known);
		g_free(place);
	}
	for (size_t i = COLUMN_SITE_ENERGY;
	     !findings->energyCount && i < COLUMN_SITE_KNOWN; i++)
		outTableHide(table, i);
	if (!findings->energyCount || !isPartial)
		outTableHide(table, COLUMN_SITE_KNOWN);
	hideSiteEvents(table, &all);
	reportTitle(report, "Call sites by time");
	outTablePrint(table, "  ", findings->tool->isColored);
	if (count < sites->len)
		printf("  and %u more; --all lists them\n", sites->len - count);
}

void reportPrintOutside(const struct report *report)
{
	struct profileEvents outside = profileOutside(report->findings.profile);

	if (!outside.counted)
		return;
	reportTitle(report, "Outside of states");
	resultsTellOutside("  ", &outside);
}

/* ---- Kernels ----------------------------------------------------------- */

/** Columns below that are not always shown. */
enum {
	COLUMN_KERNEL_RATIO = 5,
	COLUMN_KERNEL_ENERGY = 6,
	COLUMN_KERNEL_KNOWN = 12,
};

/** Of all threads, as files say; more than a duration can be is the longest. */
static const char *threadTime(char *buffer, const struct kernel *kernel,
			      enum kernelPart part)
{
	double limit = (double)INT64_MAX / 2;
	double ns = kernel->seconds[part] * 1e9;

	return outDuration(buffer, (int64_t)CLAMP(ns, -limit, limit));
}

static void reportTextAddKernel(const struct report *report,
				struct outTable *table,
				const struct kernel *kernel)
{
	struct attributionAmount all = kernelEnergy(kernel);
	struct known known = { kernel->energy[KERNEL_BODY].measured,
			       kernel->busy[KERNEL_BODY] };
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, kernel->name);
	outTableAdd(table, reportNodeName(report, kernel->group->node));
	outTableAdd(table, outInteger(buffer, (outInt128)kernel->instances));
	outTableAdd(table, kernel->hasDispatch
				   ? threadTime(buffer, kernel, KERNEL_DISPATCH)
				   : "-");
	outTableAdd(table, threadTime(buffer, kernel, KERNEL_BODY));
	addRatio(table, kernel->ratio);
	for (int i = 0; i < KERNEL_PARTS; i++) {
		/* That of the dispatch stands before, as its time does. */
		int part = KERNEL_PARTS - 1 - i;

		reportAddEnergy(
			table, known,
			kernel->energy[part].measured
				? attributionEnergy(&kernel->energy[part])
				: NAN);
	}
	reportAddEnergy(table, known,
			all.measured && kernel->instances
				? attributionEnergy(&all) /
					  (double)kernel->instances
				: NAN);
	reportAddKnown(table, known.knownNs);
}

void reportPrintKernels(const struct report *report)
{
	static const char *const headings[] = {
		"<Kernel",   "<Node", ">Instances",    ">Dispatch",
		">Body",     ".IPC",  ".For dispatch", "<",
		".For body", "<",     ".Per instance", "<",
		">Known",    NULL,
	};
	const struct findings *findings = &report->findings;
	struct outTable *table = outTableNew(headings);
	char buffer[OUT_NUMBER_SIZE];
	bool isPartial = false, isKnown = false, hasRatio = false;

	for (guint i = 0; i < findings->kernels->len; i++) {
		const struct kernel *kernel =
			&g_array_index(findings->kernels, struct kernel, i);
		int64_t measured = kernel->energy[KERNEL_BODY].measured;

		reportTextAddKernel(report, table, kernel);
		isKnown |= measured > 0;
		hasRatio |= isfinite(kernel->ratio);
		isPartial |= !knownIsWhole(
			(struct known){ measured, kernel->busy[KERNEL_BODY] });
	}
	if (!findings->kernels->len) {
		outTableFree(table);
		return;
	}
	for (int i = COLUMN_KERNEL_ENERGY; !isKnown && i < COLUMN_KERNEL_KNOWN;
	     i++)
		outTableHide(table, (size_t)i);
	if (!isKnown || !isPartial)
		outTableHide(table, COLUMN_KERNEL_KNOWN);
	if (!hasRatio)
		outTableHide(table, COLUMN_KERNEL_RATIO);
	reportTitle(report, "Kernels");
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (isKnown)
		printf("  The energy of a node is divided among its kernels by "
		       "their thread time in each interval.\n  Unattributed, "
		       "less "
		       "than one thread in a kernel: %s\n",
		       quantityText(buffer,
				    (double)findings->kernelsRest / 1e12, "J"));
}

/* ---- Hardware counters ------------------------------------------------- */

/** A total, marked if it is at least that. */
static void reportTextAddEvents(struct outTable *table, struct known known,
				double total)
{
	char text[OUT_NUMBER_SIZE + 8] = "-", buffer[OUT_NUMBER_SIZE];

	total = knownTotal(known, total);
	if (isfinite(total))
		g_snprintf(text, sizeof(text), "%s%s", knownMark(known),
			   outRounded(buffer, total));
	outTableAdd(table, text);
}

void reportPrintCounters(const struct report *report)
{
	static const char *const headings[] = {
		"<Node",      ">Instructions", ">Cycles",      ".IPC",
		">Traffic B", "<Source",       ">Bytes per J", NULL,
	};
	const struct findings *findings = &report->findings;
	struct outTable *table = outTableNew(headings);
	bool isThere = false;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		struct findingsCounters is;
		char buffer[OUT_NUMBER_SIZE];

		if (!findingsCountersOf(findings, group, &is))
			continue;
		isThere = true;
		outTableAdd(table, reportNodeName(report, group->group->node));
		reportTextAddEvents(table, is.known, is.instructions);
		reportTextAddEvents(table, is.known, is.cycles);
		addRatio(table, is.instructions / is.cycles);
		reportTextAddEvents(table, is.trafficKnown, is.traffic);
		outTableAdd(table, isnan(is.traffic) ? "-"
				   : is.isOfMisses   ? "cache misses"
						     : "memory controllers");
		outTableAdd(table,
			    isfinite(is.bytesPerJoule)
				    ? outRounded(buffer, is.bytesPerJoule)
				    : "-");
	}
	if (!isThere) {
		outTableFree(table);
		return;
	}
	reportTitle(report, "Hardware counters");
	outTablePrint(table, "  ", report->findings.tool->isColored);
}
