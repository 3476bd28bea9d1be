/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report as text: phases and states.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/report/text.h"
#include "HDTraceTools/report/report.h"

/* ---- Phases ------------------------------------------------------------ */

void reportAddEnergy(struct outTable *table, struct known known, double joules)
{
	struct shownUnit unit = reportUnitOf("J", joules);
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
	outTableAdd(table, reportUnitName(&unit));
	g_free(text);
}

void reportAddKnown(struct outTable *table, int64_t ns)
{
	char buffer[OUT_NUMBER_SIZE];

	outTableAdd(table, outDuration(buffer, ns));
}

/** Returns whether the bound of an error is to be seen. */
static bool addPhaseRow(const struct report *report, struct outTable *table,
			const struct findingsPhase *phase, const char *node,
			const struct findingsEnergy *energy)
{
	struct shownUnit unit = reportUnitOf("J", energy->joules);
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
	hasBound =
		reportAddBounded(report, table, &unit, knownMark(energy->known),
				 energy->isKnown ? energy->joules : NAN,
				 energy->hasBound ? energy->bound : NAN);
	outTableAdd(table, energy->isKnown ? reportUnitName(&unit) : "");
	reportAddKnown(table, energy->isKnown ? energy->known.knownNs : 0);
	outTableAdd(table, reportWattsText(buffer, energy));
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
		text = reportEnergyText(report, &most.power->energy);
		printf("  Most power: ");
		outPrintable(most.power->name);
		printf(", %s on average, %s\n",
		       reportWattsText(buffer, &most.power->energy), text);
		g_free(text);
	}
	if (most.energy) {
		text = reportEnergyText(report, &most.energy->energy);
		printf("  Most energy: ");
		outPrintable(most.energy->name);
		printf(", %s\n", text);
		g_free(text);
	}
}

/** Columns below that are not always shown. */
enum { COLUMN_PHASE_ERROR = 5, COLUMN_PHASE_KNOWN = 7 };

void reportPrintPhases(const struct report *report)
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
				reportNodeName(report, group->group->node),
				&energy);
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

bool reportTextOtherDiffers(const struct report *report,
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
	reportAddEnergy(table, known,
			attributionEnergy(&amounts[FINDINGS_OTHER]));
	return true;
}

bool reportPrintTop(const struct report *report, bool isEnergy)
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
		reportAddEnergy(table, known,
				knownTotal(known, attributionEnergy(amount)));
		hasOther |= addOther(report, table, amount, known);
		reportAddKnown(table, known.knownNs);
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

void reportPrintStates(const struct report *report)
{
	bool hasOther;

	if (!report->findings.profile->states->len)
		return;
	hasOther = reportPrintTop(report, false);
	if (report->findings.energy.isKnown) {
		hasOther |= reportPrintTop(report, true);
		printAttribution(report, hasOther);
	}
}
