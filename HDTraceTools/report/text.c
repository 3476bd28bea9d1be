/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report, for people.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/clocksteps.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/report/report.h"

/** So many gaps and late samples of a group, and messages, are listed. */
#define LISTED 5

static const char *plusMinus(const struct report *report)
{
	return report->findings.tool->isUnicode ? "\302\261" : "+-";
}

void reportTitle(const struct report *report, const char *text)
{
	printf("\n%s", report->findings.tool->isColored ? "\033[1m" : "");
	outPrintable(text);
	puts(report->findings.tool->isColored ? "\033[0m" : "");
}

static const char *nodeName(const struct report *report, const hdINode *node)
{
	return *node->path ? node->path : report->findings.project->name;
}

/** ">= 12.5 +- 0.2 J (simulated)", or that it is not known. */
static char *energyText(const struct report *report,
			const struct findingsEnergy *energy)
{
	GString *text = g_string_new(NULL);
	char buffer[OUT_NUMBER_SIZE], bound[OUT_NUMBER_SIZE];
	struct quantityUnit unit;

	if (!energy->isKnown)
		return g_string_free(g_string_append(text, "not measured"),
				     FALSE);
	unit = quantityUnitFor(energy->joules, 1, "J");
	quantityBounded(buffer, bound, energy->joules,
			energy->hasBound ? energy->bound : NAN, &unit);
	g_string_append_printf(text, "%s%s", knownMark(energy->known), buffer);
	if (*bound)
		g_string_append_printf(text, " %s %s", plusMinus(report),
				       bound);
	g_string_append_printf(text, " %s", *unit.name ? unit.name : "J");
	if (energy->isSimulated)
		g_string_append(text, " (simulated)");
	return g_string_free(text, FALSE);
}

/** "200 W", or "-" if too little is known for a mean. */
static const char *wattsText(char *buffer, const struct findingsEnergy *energy)
{
	double watts = findingsWatts(energy);

	return isnan(watts) ? "-" : quantityText(buffer, watts, "W");
}

static void printEnergy(const struct report *report,
			const struct findingsEnergy *energy)
{
	char *text = energyText(report, energy);
	char buffer[OUT_NUMBER_SIZE];

	printf("%s", text);
	if (energy->isKnown && !knownIsWhole(energy->known)) {
		printf(", known for %s",
		       outDuration(buffer, energy->known.knownNs));
		printf(" of %s", outDuration(buffer, energy->known.durationNs));
	}
	if (energy->isKnown)
		printf(", %s on average", wattsText(buffer, energy));
	putchar('\n');
	g_free(text);
}

/* ---- The whole run ----------------------------------------------------- */

static void reportTextPrintCount(uint64_t count, const char *one,
				 const char *many)
{
	printf("%" PRIu64 " %s", count, count == 1 ? one : many);
}

/* Clocks that were set meanwhile. */
static void printSteps(const hdIProject *project)
{
	GArray *all = clockStepsOfNodes(project);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < all->len; i++) {
		const struct clockSteps *steps =
			&g_array_index(all, struct clockSteps, i);

		printf("  Clock         ");
		outPrintable(steps->node->path);
		printf(" was set ");
		reportTextPrintCount((size_t)steps->count, "time", "times");
		printf(", by %s%s s in all; times continue evenly\n",
		       steps->sum < 0 ? "" : "+",
		       outSeconds(buffer, steps->sum));
	}
	g_array_unref(all);
}

static void printHead(const struct report *report)
{
	const hdIProject *project = report->findings.project;
	char buffer[OUT_NUMBER_SIZE];

	printf("%s", report->findings.tool->isColored ? "\033[1m" : "");
	outPrintable(project->name);
	puts(report->findings.tool->isColored ? "\033[0m" : "");
	if (*project->description) {
		printf("  Description   ");
		outPrintable(project->description);
		putchar('\n');
	}
	if (report->findings.start <= report->findings.end) {
		printf("  Runtime       %s\n",
		       outDuration(buffer, report->findings.end -
						   report->findings.start));
		printf("  Started       %s UTC\n",
		       outDate(buffer, report->findings.start, 3));
	}
	printf("  Recorded      ");
	reportTextPrintCount(project->groupCount, "group of statistics",
			     "groups of statistics");
	printf(", ");
	reportTextPrintCount(project->traceCount, "trace", "traces");
	printf(" with ");
	reportTextPrintCount(report->findings.profile->stateCount, "state",
			     "states");
	printf(" and ");
	reportTextPrintCount(report->findings.profile->eventCount, "event",
			     "events");
	if (report->findings.relations.sums) {
		printf(", ");
		reportTextPrintCount(
			forestCount(report->findings.relations.forest),
			"relation", "relations");
	}
	putchar('\n');
	printf("  Energy        ");
	if (report->findings.energyCount)
		printEnergy(report, &report->findings.energy);
	else
		puts("not measured");
	for (size_t i = 0; i < project->clockCount; i++) {
		printf("  Clock         ");
		outPrintable(project->clocks[i].node);
		printf(" has an error of at most %s\n",
		       outDuration(buffer, project->clocks[i].error));
	}
	printSteps(project);
}

/* ---- Nodes ------------------------------------------------------------- */

static const char *const valueHeadings[] = {
	"<Group", "<Value", "<Kind", "<Unit", ".Mean", ".Error", ".Min", ".Max",
	".Total", ".Error", "<",     ".Rate", "<",     "<Note",  NULL,
};

/** What a table of values shows. */
struct shownValues {
	bool hasMeanBounds;
	bool hasTotals;
	bool hasTotalBounds;
	bool hasRates;
};

/** Columns above that are not always shown. */
enum {
	COLUMN_ERROR = 5,
	COLUMN_TOTAL = 8,
	COLUMN_TOTAL_ERROR = 9,
	COLUMN_TOTAL_UNIT = 10,
	COLUMN_RATE = 11,
};

/** The unit of some numbers, and that in which they are shown. */
struct shownUnit {
	const char *name;
	struct quantityUnit large;
};

static struct shownUnit shownUnitOf(const char *unit, double largest)
{
	return (struct shownUnit){
		.name = unit,
		.large = unitForPeople(unit, largest),
	};
}

static const char *unitName(const struct shownUnit *unit)
{
	return *unit->large.name ? unit->large.name : unit->name;
}

static void reportTextAddNumber(struct outTable *table,
				const struct shownUnit *unit, double value)
{
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table,
		    isnan(value) ? "-"
				 : quantityNumber(buffer, value, &unit->large));
}

/** Two cells: a number, marked if it is a lower bound, and how far off it can
 *  be.
 *
 *  @return Whether there is such a bound to be seen.
 */
static bool addBounded(const struct report *report, struct outTable *table,
		       const struct shownUnit *unit, const char *mark,
		       double value, double bound)
{
	char buffer[OUT_NUMBER_SIZE], boundText[OUT_NUMBER_SIZE];
	char *text;

	if (isnan(value)) {
		outTableAdd(table, "-");
		outTableAdd(table, "");
		return false;
	}
	quantityBounded(buffer, boundText, value, bound, &unit->large);
	text = g_strconcat(mark, buffer, NULL);
	outTableAdd(table, text);
	g_free(text);
	text = *boundText
		       ? g_strdup_printf("%s %s", plusMinus(report), boundText)
		       : g_strdup("");
	outTableAdd(table, text);
	g_free(text);
	return *boundText != '\0';
}

static void addExtreme(struct outTable *table, const struct moments *moments,
		       hdIType type, enum valueKind kind,
		       const struct shownUnit *unit, double value,
		       outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];
	bool isFloat = type == HDI_FLOAT || type == HDI_DOUBLE;

	/* Of a counter that is a range of rates. */
	if (kind == KIND_COUNTER)
		outTableAdd(table, "");
	else if (moments->count == 0 || type == HDI_STRING)
		outTableAdd(table, "-");
	else if (isFloat || *unit->large.name)
		reportTextAddNumber(table, unit,
				    isFloat ? value : (double)integer);
	else
		outTableAdd(table, outInteger(buffer, integer));
}

static void addNote(struct outTable *table, const struct findingsGroup *group,
		    size_t i)
{
	const hdIValue *value = &group->group->values[i];
	const struct moments *moments = &group->moments[i];
	GString *text = g_string_new(NULL);
	char buffer[OUT_NUMBER_SIZE];

	if (valueIsSimulated(group->group, value))
		g_string_append(text, "simulated");
	if (moments->resets)
		g_string_append_printf(text, "%sreset %" PRIu64 " %s",
				       text->len ? ", " : "", moments->resets,
				       moments->resets == 1 ? "time" : "times");
	if (moments->missing)
		g_string_append_printf(text, "%s%" PRIu64 " missing",
				       text->len ? ", " : "", moments->missing);
	if (momentsCount(moments) == 0)
		g_string_append_printf(text, "%sno values",
				       text->len ? ", " : "");
	else if (value->type != HDI_STRING &&
		 !knownIsWhole(group->values[i].known))
		g_string_append_printf(
			text, "%sknown for %s", text->len ? ", " : "",
			outDuration(buffer, group->values[i].known.knownNs));
	outTableAdd(table, text->str);
	g_string_free(text, TRUE);
}

static void reportTextAddValue(const struct report *report,
			       struct outTable *table,
			       const struct findingsGroup *group, size_t i,
			       struct shownValues *shown)
{
	const hdIValue *value = &group->group->values[i];
	const struct moments *moments = &group->moments[i];
	const struct findingsValue *found = &group->values[i];
	enum valueKind kind = group->kinds[i];
	bool isAmount = kindIsAmount(kind);
	struct shownUnit unit = shownUnitOf(
		value->unit, kind == KIND_COUNTER
				     ? 0
				     : momentsLargest(moments, value->type));
	struct shownUnit total = shownUnitOf(
		found->totalUnit ? found->totalUnit : "", found->total);
	struct shownUnit rate = shownUnitOf(
		found->rateUnit ? found->rateUnit : "", found->rate);

	outTableAdd(table, group->group->name);
	outTableAdd(table, value->name);
	outTableAdd(table, valueKindTitle(group->group, value));
	outTableAdd(table, unitName(&unit));
	/* What has no sense for a kind stays empty. */
	if (isAmount) {
		outTableAdd(table, "");
		outTableAdd(table, "");
	} else {
		shown->hasMeanBounds |= addBounded(
			report, table, &unit, "", found->result.mean,
			found->bound.isKnown ? found->bound.mean : NAN);
	}
	addExtreme(table, moments, value->type, kind, &unit, moments->min,
		   moments->minInteger);
	addExtreme(table, moments, value->type, kind, &unit, moments->max,
		   moments->maxInteger);
	if (found->totalUnit) {
		shown->hasTotalBounds |= addBounded(
			report, table, &total, knownMark(found->known),
			found->total, found->totalBound);
	} else {
		outTableAdd(table, "");
		outTableAdd(table, "");
	}
	outTableAdd(table, found->totalUnit ? unitName(&total) : "");
	if (found->rateUnit)
		reportTextAddNumber(table, &rate, found->rate);
	else
		outTableAdd(table, "");
	outTableAdd(table, isnan(found->rate) ? "" : unitName(&rate));
	addNote(table, group, i);
	shown->hasTotals |= found->totalUnit != NULL;
	shown->hasRates |= found->rateUnit != NULL;
}

/** Leave out columns that no row has. */
static void hideValues(struct outTable *table, const struct shownValues *shown)
{
	if (!shown->hasMeanBounds)
		outTableHide(table, COLUMN_ERROR);
	if (!shown->hasTotals) {
		outTableHide(table, COLUMN_TOTAL);
		outTableHide(table, COLUMN_TOTAL_UNIT);
	}
	if (!shown->hasTotalBounds)
		outTableHide(table, COLUMN_TOTAL_ERROR);
	if (!shown->hasRates) {
		outTableHide(table, COLUMN_RATE);
		outTableHide(table, COLUMN_RATE + 1);
	}
}

/** Print the energy of a node, and which of its values it is from. */
static void printNodeEnergy(const struct report *report, const hdINode *node)
{
	const struct findings *findings = &report->findings;
	struct findingsEnergy energy = findingsNodeEnergy(findings, node);

	printf("  Energy: ");
	printEnergy(report, &energy);
	printf("  (from ");
	powersPrintCounted(findings->project, findings->powers, node);
	puts(energy.isKnown && !energy.hasBound
		     ? "; error unknown: the source states no resolution or "
		       "class)"
		     : ")");
	if (powersPrintLeftOut(findings->project, findings->powers, node,
			       report->isVerbose ? POWERS_ALL : POWERS_FAULTS,
			       "  Left out: "))
		putchar('\n');
}

static void reportTextPrintNode(const struct report *report,
				const hdINode *node)
{
	struct outTable *table = NULL;
	const struct findings *findings = &report->findings;
	const struct powerGroup *power = powerChoiceOf(findings->powers, node);
	struct shownValues shown = { false };
	bool hasGuesses = false;

	for (size_t i = 0; i < report->findings.project->groupCount; i++) {
		const struct findingsGroup *group = &report->findings.groups[i];

		if (group->group->node != node || !group->group->valueCount)
			continue;
		if (!table)
			table = outTableNew(valueHeadings);
		for (size_t k = 0; k < group->group->valueCount; k++) {
			reportTextAddValue(report, table, group, k, &shown);
			hasGuesses |= group->isGuessed[k];
		}
	}
	if (!table)
		return;
	hideValues(table, &shown);
	reportTitle(report, nodeName(report, node));
	if (power)
		printNodeEnergy(report, node);
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (hasGuesses)
		puts("  " KIND_GUESSED_NOTE);
}

/* ---- Phases ------------------------------------------------------------ */

/** Two cells: a number, marked if it is a lower bound, and J with a prefix. */
static void addEnergy(struct outTable *table, struct known known, double joules)
{
	struct shownUnit unit = shownUnitOf("J", joules);
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (isnan(joules)) {
		outTableAdd(table, "-");
		outTableAdd(table, "");
		return;
	}
	text = g_strconcat(knownMark(known),
			   quantityNumber(buffer, joules, &unit.large), NULL);
	outTableAdd(table, text);
	outTableAdd(table, unitName(&unit));
	g_free(text);
}

static void addKnown(struct outTable *table, int64_t ns)
{
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, outDuration(buffer, ns));
}

/** Returns whether the bound of an error is to be seen. */
static bool addPhaseRow(const struct report *report, struct outTable *table,
			const struct findingsPhase *phase, const char *node,
			const struct findingsEnergy *energy)
{
	struct shownUnit unit = shownUnitOf("J", energy->joules);
	char buffer[OUT_NUMBER_SIZE];
	bool hasBound;
	char *name = phase->occurrences == 1
			     ? g_strdup(phase->name)
			     : g_strdup_printf("%s (%" PRIu64 ")", phase->name,
					       phase->occurrences);

	outTableAdd(table, name);
	g_free(name);
	if (phase->start <= phase->end) {
		snprintf(buffer, sizeof(buffer), "%.3f s",
			 (double)(phase->start - report->findings.start) / 1e9);
		outTableAdd(table, buffer);
		outTableAdd(table, outDuration(buffer, phase->length));
	} else {
		outTableAdd(table, "-");
		outTableAdd(table, "-");
	}
	outTableAdd(table, node);
	hasBound = addBounded(report, table, &unit, knownMark(energy->known),
			      energy->isKnown ? energy->joules : NAN,
			      energy->hasBound ? energy->bound : NAN);
	outTableAdd(table, energy->isKnown ? unitName(&unit) : "");
	addKnown(table, energy->isKnown ? energy->known.knownNs : 0);
	outTableAdd(table, wattsText(buffer, energy));
	outTableAdd(table, energy->isSimulated ? "simulated" : "");
	return hasBound;
}

/** Say which phases drew most, if there are several. */
static void reportTextPrintMost(const struct report *report)
{
	const struct findingsMost most = report->findings.most;
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	if (most.power) {
		text = energyText(report, &most.power->energy);
		printf("  Most power: ");
		outPrintable(most.power->name);
		printf(", %s on average, %s\n",
		       wattsText(buffer, &most.power->energy), text);
		g_free(text);
	}
	if (most.energy) {
		text = energyText(report, &most.energy->energy);
		printf("  Most energy: ");
		outPrintable(most.energy->name);
		printf(", %s\n", text);
		g_free(text);
	}
}

/** Columns below that are not always shown. */
enum { COLUMN_PHASE_ERROR = 5, COLUMN_PHASE_KNOWN = 7 };

static void printPhases(const struct report *report)
{
	static const char *const headings[] = {
		"<Phase", ">From",  ">Duration", "<Node", ".Energy", ".Error",
		"<",      ">Known", ">Power",    "<Note", NULL,
	};
	struct outTable *table = outTableNew(headings);
	bool hasBounds = false;
	bool isPartial = false;

	for (guint i = 0; i < report->findings.phases->len; i++) {
		const struct findingsPhase *phase = &g_array_index(
			report->findings.phases, struct findingsPhase, i);

		isPartial |= !knownIsWhole(phase->energy.known);
		if (report->findings.energyCount != 1)
			hasBounds |= addPhaseRow(report, table, phase, "all",
						 &phase->energy);
		for (size_t k = 0; k < report->findings.project->groupCount;
		     k++) {
			const struct findingsGroup *group =
				&report->findings.groups[k];

			struct findingsEnergy energy;

			if (!group->isFirst)
				continue;
			energy = findingsPhaseEnergy(&report->findings, phase,
						     group->group->node);
			hasBounds |= addPhaseRow(
				report, table, phase,
				nodeName(report, group->group->node), &energy);
		}
	}
	if (!hasBounds)
		outTableHide(table, COLUMN_PHASE_ERROR);
	if (!isPartial)
		outTableHide(table, COLUMN_PHASE_KNOWN);
	reportTitle(report, "Phases");
	outTablePrint(table, "  ", report->findings.tool->isColored);
	reportTextPrintMost(report);
}

/* ---- States ------------------------------------------------------------ */

/** Columns below that are not always shown. */
enum {
	COLUMN_STATE_ENERGY = 5,
	COLUMN_STATE_OTHER = 7,
	COLUMN_STATE_KNOWN = 9,
};

/** How the other rule divides energy, as a heading after '.'. */
static const char *otherHeading(const struct report *report)
{
	return report->findings.rule == ATTRIBUTION_CPU ? ".Equally"
							: ".By CPU time";
}

/** Whether the other rule says something else of amounts, so that both are
 *  told. */
static bool reportTextOtherDiffers(const struct report *report,
				   const struct attributionAmount *amounts)
{
	return report->findings.other && amounts[FINDINGS_OTHER].measured &&
	       attributionsDiffer(&amounts[FINDINGS_RULE],
				  &amounts[FINDINGS_OTHER]);
}

/** Two cells: the energy by the other rule, where that differs. */
static bool addOther(const struct report *report, struct outTable *table,
		     const struct attributionAmount *amounts,
		     struct known known)
{
	if (!reportTextOtherDiffers(report, amounts)) {
		outTableAdd(table, "");
		outTableAdd(table, "");
		return false;
	}
	addEnergy(table, known, attributionEnergy(&amounts[FINDINGS_OTHER]));
	return true;
}

/** Returns whether the other rule says something else. */
static bool printTop(const struct report *report, bool isEnergy)
{
	const char *const headings[] = {
		"<State",   ">Count",  ">Own time", ">Total time",
		">Longest", ".Energy", "<",         otherHeading(report),
		"<",        ">Known",  NULL,
	};
	struct outTable *table = outTableNew(headings);
	const GPtrArray *states =
		isEnergy ? report->findings.byEnergy : report->findings.byTime;
	guint count = report->isAll ? states->len
				    : MIN(states->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];
	bool isPartial = false;
	bool hasOther = false;

	for (guint i = 0; i < count; i++) {
		const struct profileState *state = states->pdata[i];
		const struct attributionAmount *amount = &state->own.amounts[0];
		struct known known = { amount->measured, state->own.time };

		outTableAdd(table, state->name);
		outTableAdd(table, outInteger(buffer, (outInt128)state->count));
		outTableAdd(table, outDuration(buffer, state->own.time));
		outTableAdd(table, outDuration(buffer, state->total.time));
		outTableAdd(table, outDuration(buffer, state->longest));
		addEnergy(table, known,
			  knownTotal(known, attributionEnergy(amount)));
		hasOther |= addOther(report, table, amount, known);
		addKnown(table, known.knownNs);
		isPartial |= !knownIsWhole(known);
	}
	if (!report->findings.energyCount) {
		outTableHide(table, COLUMN_STATE_ENERGY);
		outTableHide(table, COLUMN_STATE_ENERGY + 1);
	}
	if (!hasOther) {
		outTableHide(table, COLUMN_STATE_OTHER);
		outTableHide(table, COLUMN_STATE_OTHER + 1);
	}
	if (!report->findings.energyCount || !isPartial)
		outTableHide(table, COLUMN_STATE_KNOWN);
	reportTitle(report, isEnergy ? "States by energy" : "States by time");
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < states->len)
		printf("  and %u more; --all lists them\n",
		       states->len - count);
	return hasOther;
}

/** Explain how the energy of nodes was divided. */
static void printAttribution(const struct report *report, bool hasOther)
{
	const struct findings *findings = &report->findings;
	char buffer[OUT_NUMBER_SIZE];

	if (findings->relations.sums)
		puts("  Active relations are charged as if relations and ranks "
		     "had equal shares of\n  a node's energy.");
	printf("  At each instant the energy of a node is divided among its "
	       "active ranks,\n  %s. The share of a rank is divided among its "
	       "traces,\n  and charged to the innermost state of each trace.\n",
	       findings->rule == ATTRIBUTION_CPU
		       ? "by CPU time where it is known"
		       : "equally");
	if (hasOther)
		printf("  Energies that are divided %s are listed if they "
		       "differ by more\n  than 5 %%: waiting ranks may draw "
		       "less "
		       "power.\n",
		       findings->rule == ATTRIBUTION_CPU ? "equally"
							 : "by CPU time");
	if (findingsIsUnattributed(findings))
		printf("  Unattributed, no rank %sactive: %s\n",
		       findings->relations.sums ? "and no relation " : "",
		       quantityText(buffer,
				    (double)findings->unattributed / 1e12,
				    "J"));
}

static void printStates(const struct report *report)
{
	bool hasOther;

	if (!report->findings.profile->states->len)
		return;
	hasOther = printTop(report, false);
	if (report->findings.energy.isKnown) {
		hasOther |= printTop(report, true);
		printAttribution(report, hasOther);
	}
}

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

static void printSites(const struct report *report)
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
		addEnergy(table, known,
			  knownTotal(known, attributionEnergy(amount)));
		addKnown(table, known.knownNs);
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

/** What programs did between calls. */
static void printOutside(const struct report *report)
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
	outTableAdd(table, nodeName(report, kernel->group->node));
	outTableAdd(table, outInteger(buffer, (outInt128)kernel->instances));
	outTableAdd(table, kernel->hasDispatch
				   ? threadTime(buffer, kernel, KERNEL_DISPATCH)
				   : "-");
	outTableAdd(table, threadTime(buffer, kernel, KERNEL_BODY));
	addRatio(table, kernel->ratio);
	for (int i = 0; i < KERNEL_PARTS; i++) {
		/* That of the dispatch stands before, as its time does. */
		int part = KERNEL_PARTS - 1 - i;

		addEnergy(table, known,
			  kernel->energy[part].measured
				  ? attributionEnergy(&kernel->energy[part])
				  : NAN);
	}
	addEnergy(table, known,
		  all.measured && kernel->instances
			  ? attributionEnergy(&all) / (double)kernel->instances
			  : NAN);
	addKnown(table, known.knownNs);
}

static void printKernels(const struct report *report)
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

static void printCounters(const struct report *report)
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
		outTableAdd(table, nodeName(report, group->group->node));
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

/* ---- What it cost, and what is wrong ----------------------------------- */

static void addShare(struct outTable *table, int64_t part, int64_t all)
{
	char *text = g_strdup_printf(
		"%.1f %%", all > 0 ? 100.0 * (double)part / (double)all : 0.0);

	outTableAdd(table, text);
	g_free(text);
}

static void printPathRanks(const struct report *report)
{
	static const char *const headings[] = { "<Rank", ".Time", ".Share",
						".In MPI", NULL };
	const struct criticalPath *path = report->findings.path;
	struct outTable *table = outTableNew(headings);
	guint count = report->isAll ? path->ranks->len
				    : MIN(path->ranks->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < count; i++) {
		const struct pathRank *rank =
			&g_array_index(path->ranks, struct pathRank, i);

		outTableAdd(table, rank->rank < 0
					   ? "none"
					   : outInteger(buffer, rank->rank));
		outTableAdd(table, outDuration(buffer, rank->time));
		addShare(table, rank->time, path->end - path->start);
		outTableAdd(table, outDuration(buffer, rank->mpi));
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < path->ranks->len)
		printf("  and %u more; --all lists them\n",
		       path->ranks->len - count);
}

static void printPathStates(const struct report *report)
{
	static const char *const headings[] = { "<State", ".Time", ".Share",
						NULL };
	const struct criticalPath *path = report->findings.path;
	struct outTable *table = outTableNew(headings);
	guint count = report->isAll
			      ? path->states->len
			      : MIN(path->states->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < count; i++) {
		const struct pathState *state =
			&g_array_index(path->states, struct pathState, i);

		outTableAdd(table, state->name ? state->name : PATH_OUTSIDE);
		outTableAdd(table, outDuration(buffer, state->time));
		addShare(table, state->time, path->end - path->start);
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < path->states->len)
		printf("  and %u more; --all lists them\n",
		       path->states->len - count);
}

/** Of relations it matters where they were. */
static void printPathNodes(const struct report *report)
{
	static const char *const headings[] = { "<Relations at", ".Time",
						".Share", NULL };
	const struct criticalPath *path = report->findings.path;
	struct outTable *table;
	guint count = report->isAll ? path->nodes->len
				    : MIN(path->nodes->len, (guint)report->top);
	char buffer[OUT_NUMBER_SIZE];

	if (!path->nodes->len)
		return;
	table = outTableNew(headings);
	for (guint i = 0; i < count; i++) {
		const struct pathNode *node =
			&g_array_index(path->nodes, struct pathNode, i);

		outTableAdd(table, node->node->path);
		outTableAdd(table, outDuration(buffer, node->time));
		addShare(table, node->time, path->end - path->start);
	}
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (count < path->nodes->len)
		printf("  and %u more; --all lists them\n",
		       path->nodes->len - count);
}

/** What could not be put together, and so is no cause. */
static void printUnpaired(const struct dependencyCounts *counts)
{
	char buffer[OUT_NUMBER_SIZE];

	if (counts->loose)
		printf("  Unmatched message ends: %" PRIu64 "\n",
		       counts->loose);
	if (counts->collectives)
		printf("  Unmatched collective calls: %" PRIu64 "\n",
		       counts->collectives);
	if (counts->backwards)
		printf("  Dependencies that go back in time (up to %s) beyond "
		       "the clock errors: %" PRIu64 "\n",
		       outDuration(buffer, counts->worst), counts->backwards);
}

/** Energy on the path and beside it, by a rule. */
static void printPathEnergy(const struct report *report, int rule)
{
	const struct criticalPath *path = report->findings.path;
	bool isCpu = (report->findings.rule == ATTRIBUTION_CPU) ==
		     (rule == FINDINGS_RULE);
	struct known onIt = { path->energy[rule].measured,
			      path->end - path->start };
	struct known beside = { path->beside[rule].measured, path->waiting };
	char buffer[OUT_NUMBER_SIZE];

	printf("  %s: %s%s",
	       rule == FINDINGS_RULE ? "Energy on the path"
	       : isCpu               ? "Divided by CPU time"
				     : "Divided equally",
	       knownMark(onIt),
	       quantityText(buffer, attributionEnergy(&path->energy[rule]),
			    "J"));
	printf(", of waiting ranks: %s%s\n", knownMark(beside),
	       quantityText(buffer, attributionEnergy(&path->beside[rule]),
			    "J"));
}

static void printPath(const struct report *report)
{
	const struct criticalPath *path = report->findings.path;
	char buffer[OUT_NUMBER_SIZE];
	int64_t length;

	if (!criticalPathMatters(path))
		return;
	length = path->end - path->start;
	reportTitle(report, "Critical path");
	printf("  %s through %u %s", outDuration(buffer, length),
	       path->ranks->len, path->ranks->len == 1 ? "rank" : "ranks");
	printf(": %s computing",
	       outDuration(buffer, length - path->mpi - path->tracer));
	printf(", %s in MPI", outDuration(buffer, path->mpi));
	printf(" (%s of this in transfers)",
	       outDuration(buffer, path->transfer));
	if (path->tracer)
		printf(", %s tracing", outDuration(buffer, path->tracer));
	putchar('\n');
	printf("  Waiting off the path, all ranks: %s\n",
	       outDuration(buffer, path->waiting));
	if (path->energy[FINDINGS_RULE].measured)
		printPathEnergy(report, FINDINGS_RULE);
	if (reportTextOtherDiffers(report, path->energy) ||
	    reportTextOtherDiffers(report, path->beside))
		printPathEnergy(report, FINDINGS_OTHER);
	printUnpaired(&path->counts);
	if (report->isFolded)
		return;
	printPathRanks(report);
	printPathNodes(report);
	printPathStates(report);
}

static void printCost(const struct report *report)
{
	bool hasLength = report->findings.start < report->findings.end;
	double seconds = hasLength ? (double)(report->findings.end -
					      report->findings.start) /
					     1e9
				   : 0;
	char buffer[OUT_NUMBER_SIZE];

	reportTitle(report, "Cost of tracing");
	printf("  Files      %s", outSize(buffer, report->findings.size));
	if (hasLength)
		printf(", %s per second",
		       outSize(buffer, (int64_t)((double)report->findings.size /
						 seconds)));
	putchar('\n');
	if (report->findings.callsNs >= 0)
		printf("  MPI calls  about %s of their time is tracing\n",
		       outDuration(buffer, report->findings.callsNs));
	if (report->findings.tracerNs < 0) {
		puts("  CPU time   not recorded; rut --sources tracer records "
		     "it");
		return;
	}
	printf("  CPU time   %s",
	       outDuration(buffer, report->findings.tracerNs));
	if (hasLength)
		printf(", %s %% of one CPU",
		       outRounded(buffer, (double)report->findings.tracerNs /
						  1e7 / seconds));
	printf("\n  Late       %" PRId64 " %s\n", report->findings.tracerLate,
	       report->findings.tracerLate == 1 ? "sample" : "samples");
}

static void printSpans(const struct report *report,
		       const struct findingsGroup *group,
		       const struct findingsSpans *spans, const char *what,
		       const char *whats)
{
	char buffer[OUT_NUMBER_SIZE];
	guint count;

	if (!spans->count)
		return;
	count = report->isAll ? spans->list->len
			      : MIN(spans->list->len, LISTED);
	printf("  ");
	outPrintable(nodeName(report, group->group->node));
	printf(" ");
	outPrintable(group->group->name);
	printf(": %" PRIu64 " %s, %s in total", spans->count,
	       spans->count == 1 ? what : whats,
	       outDuration(buffer, spans->total));
	if (spans == &group->late)
		printf(" (usual interval: %s)",
		       outDuration(buffer, group->usual));
	putchar('\n');
	for (guint i = 0; i < count; i++) {
		const struct findingsSpan *span =
			&g_array_index(spans->list, struct findingsSpan, i);

		printf("    %.3f s: %s\n",
		       (double)(span->start - report->findings.start) / 1e9,
		       outDuration(buffer, span->end - span->start));
	}
	if (spans->count > count)
		printf("    and %" PRIu64 " more%s\n", spans->count - count,
		       report->isAll ? "" : "; --all lists them");
}

static void reportTextPrintDiagnostics(const struct report *report)
{
	guint count =
		report->isAll
			? report->findings.diagnostics.list->len
			: MIN(report->findings.diagnostics.list->len, LISTED);
	GString *line = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		const struct findingsDiagnostic *message =
			&g_array_index(report->findings.diagnostics.list,
				       struct findingsDiagnostic, i);

		g_string_truncate(line, 0);
		toolFormatDiagnostic(line, message->severity, message->rule,
				     message->file, message->offset,
				     message->text);
		printf("  %s\n", line->str);
	}
	if (report->findings.diagnostics.count > count)
		printf("  and %" PRIu64 " more diagnostics%s\n",
		       report->findings.diagnostics.count - count,
		       report->isAll ? "" : "; --all lists them");
	g_string_free(line, TRUE);
}

static void printProblems(const struct report *report)
{
	bool hasSome = report->findings.diagnostics.count > 0;

	reportTitle(report, "Gaps, late samples, problems");
	for (size_t i = 0; i < report->findings.project->groupCount; i++) {
		const struct findingsGroup *group = &report->findings.groups[i];

		hasSome |= group->gaps.count || group->late.count;
		printSpans(report, group, &group->gaps, "gap", "gaps");
		printSpans(report, group, &group->late,
			   "late or missing sample", "late or missing samples");
	}
	reportTextPrintDiagnostics(report);
	if (!hasSome)
		puts("  none");
}

/** What fits on a page. */
static void printFolded(const struct report *report)
{
	struct report shown = *report;

	shown.top = MIN(report->top, 4);
	shown.isFolded = true;
	if (report->findings.hasPhases)
		printPhases(&shown);
	if (report->findings.profile->states->len)
		printTop(&shown, false);
	printPath(&shown);
	reportPrintFoldedProblems(&shown);
}

static void printNodes(const struct report *report)
{
	const hdIProject *project = report->findings.project;
	bool hasRoot = false;

	for (size_t i = 0; i < project->nodeCount; i++) {
		hasRoot |= project->nodes[i] == project->root;
		reportTextPrintNode(report, project->nodes[i]);
	}
	if (!hasRoot)
		reportTextPrintNode(report, project->root);
}

void reportPrintText(const struct report *report)
{
	bool isFolded = reportIsFolded(report);

	printHead(report);
	reportPrintFindings(report);
	if (isFolded && !report->isOfNodes)
		reportPrintNodes(report);
	else
		printNodes(report);
	if (isFolded) {
		printFolded(report);
		return;
	}
	if (report->findings.hasPhases)
		printPhases(report);
	printStates(report);
	printSites(report);
	printOutside(report);
	printCounters(report);
	printKernels(report);
	printPath(report);
	reportPrintRelations(report);
	reportPrintLayers(report);
	printCost(report);
	printProblems(report);
}
