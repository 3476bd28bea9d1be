/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report as text: the parts that several files print.
 */
#ifndef HD_TEXT_H
#define HD_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "HDTraceTools/report/report.h"

/** The unit of some numbers, and that in which they are shown. */
struct shownUnit {
	const char *name;
	struct quantityUnit large;
};

const char *reportPlusMinus(const struct report *report);

const char *reportNodeName(const struct report *report, const hdINode *node);

/** ">= 12.5 +- 0.2 J (simulated)", or that it is not known. */
char *reportEnergyText(const struct report *report,
		       const struct findingsEnergy *energy);

/** "200 W", or "-" if too little is known for a mean. */
const char *reportWattsText(char *buffer, const struct findingsEnergy *energy);

void reportPrintEnergy(const struct report *report,
		       const struct findingsEnergy *energy);

struct shownUnit reportUnitOf(const char *unit, double largest);

const char *reportUnitName(const struct shownUnit *unit);

/** Two cells: a number, marked if it is a lower bound, and how far off it can
 *  be.
 *
 *  @return Whether there is such a bound to be seen.
 */
bool reportAddBounded(const struct report *report, struct outTable *table,
		      const struct shownUnit *unit, const char *mark,
		      double value, double bound);

void reportTextPrintNode(const struct report *report, const hdINode *node);

/** Two cells: a number, marked if it is a lower bound, and J with a prefix. */
void reportAddEnergy(struct outTable *table, struct known known, double joules);

void reportAddKnown(struct outTable *table, int64_t ns);

void reportPrintPhases(const struct report *report);

/** Whether the other rule says something else of amounts, so that both are
 *  told. */
bool reportTextOtherDiffers(const struct report *report,
			    const struct attributionAmount *amounts);

/** The states with most time or energy. @return whether the other rule says
 *  something else. */
bool reportPrintTop(const struct report *report, bool isEnergy);

void reportPrintStates(const struct report *report);

void reportPrintSites(const struct report *report);

/** What programs did between calls. */
void reportPrintOutside(const struct report *report);

void reportPrintKernels(const struct report *report);

void reportPrintCounters(const struct report *report);

#endif
