/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report as text: nodes and their groups.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/report/text.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/report/report.h"

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

struct shownUnit reportUnitOf(const char *unit, double largest)
{
	return (struct shownUnit){
		.name = unit,
		.large = unitForPeople(unit, largest),
	};
}

const char *reportUnitName(const struct shownUnit *unit)
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

bool reportAddBounded(const struct report *report, struct outTable *table,
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
	text = *boundText ? g_strdup_printf("%s %s", reportPlusMinus(report),
					    boundText)
			  : g_strdup("");
	outTableAdd(table, text);
	g_free(text);
	return *boundText != '\0';
}

static void addExtreme(struct outTable *table, const struct moments *moments,
		       hdIType type, enum hdKind kind,
		       const struct shownUnit *unit, double value,
		       outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];
	bool isFloat = type == HDI_FLOAT || type == HDI_DOUBLE;

	/* Of a counter that is a range of rates. */
	if (kind == HD_KIND_COUNTER)
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
	enum hdKind kind = group->kinds[i];
	bool isAmount = kindIsAmount(kind);
	struct shownUnit unit = reportUnitOf(
		value->unit, kind == HD_KIND_COUNTER
				     ? 0
				     : momentsLargest(moments, value->type));
	struct shownUnit total = reportUnitOf(
		found->totalUnit ? found->totalUnit : "", found->total);
	struct shownUnit rate = reportUnitOf(
		found->rateUnit ? found->rateUnit : "", found->rate);

	outTableAdd(table, group->group->name);
	outTableAdd(table, value->name);
	outTableAdd(table, valueKindTitle(group->group, value));
	outTableAdd(table, reportUnitName(&unit));
	/* What has no sense for a kind stays empty. */
	if (isAmount) {
		outTableAdd(table, "");
		outTableAdd(table, "");
	} else {
		shown->hasMeanBounds |= reportAddBounded(
			report, table, &unit, "", found->result.mean,
			found->bound.isKnown ? found->bound.mean : NAN);
	}
	addExtreme(table, moments, value->type, kind, &unit, moments->min,
		   moments->minInteger);
	addExtreme(table, moments, value->type, kind, &unit, moments->max,
		   moments->maxInteger);
	if (found->totalUnit) {
		shown->hasTotalBounds |= reportAddBounded(
			report, table, &total, knownMark(found->known),
			found->total, found->totalBound);
	} else {
		outTableAdd(table, "");
		outTableAdd(table, "");
	}
	outTableAdd(table, found->totalUnit ? reportUnitName(&total) : "");
	if (found->rateUnit)
		reportTextAddNumber(table, &rate, found->rate);
	else
		outTableAdd(table, "");
	outTableAdd(table, isnan(found->rate) ? "" : reportUnitName(&rate));
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
	reportPrintEnergy(report, &energy);
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

void reportTextPrintNode(const struct report *report, const hdINode *node)
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
	reportTitle(report, reportNodeName(report, node));
	if (power)
		printNodeEnergy(report, node);
	outTablePrint(table, "  ", report->findings.tool->isColored);
	if (hasGuesses)
		puts("  " KIND_GUESSED_NOTE);
}
