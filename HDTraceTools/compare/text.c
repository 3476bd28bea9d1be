/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace compare, for people.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/base/ranktest.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/compare/core/compare.h"
#include "cli/quantity.h"

static void compareTextPrintTitle(const struct compare *self, const char *text)
{
	printf("\n%s%s%s\n", self->tool->isColored ? "\033[1m" : "", text,
	       self->tool->isColored ? "\033[0m" : "");
}

/* ---- Numbers ----------------------------------------------------------- */

static const char *secondsText(char *buffer, double seconds)
{
	return outDuration(buffer, (int64_t)nearbyint(seconds * 1e9));
}

/** A median with its unit, for the row of a set; "-" if it is not known. */
static char *medianText(const struct compareRow *row, int measure, int set)
{
	double value = row->results[measure].medians[set];
	char buffer[OUT_NUMBER_SIZE];

	if (isnan(value))
		return g_strdup("-");
	switch (measure) {
	case COMPARE_TIME:
	case COMPARE_PATH:
		return g_strdup(secondsText(buffer, value));
	case COMPARE_ENERGY:
	case COMPARE_OTHER:
		return g_strconcat(row->isPartial[set] ? ">= " : "",
				   quantityText(buffer, value, "J"), NULL);
	case COMPARE_POWER:
		return g_strdup(quantityText(buffer, value, "W"));
	default:
		return g_strdup(outRounded(buffer, value));
	}
}

/** "+10.1 %"; "" if there is no change that is a share. */
static char *changeText(const struct compareResult *result)
{
	double change = compareChange(result);

	if (isnan(change))
		return g_strdup("");
	return g_strdup_printf("%+.1f %%", 100 * change);
}

/* ---- The runs ---------------------------------------------------------- */

static void printSet(const struct compare *self, int set)
{
	size_t first = compareFirst(self, set);

	printf("%s%s%s  ", self->tool->isColored ? "\033[1m" : "",
	       set == COMPARE_A ? "A" : "B",
	       self->tool->isColored ? "\033[0m" : "");
	if (self->counts[set] > 1)
		printf("%zu runs: ", self->counts[set]);
	for (size_t i = 0; i < self->counts[set]; i++) {
		if (i)
			printf(" ");
		outPrintable(self->runs[first + i].path);
	}
	putchar('\n');
	for (size_t i = 0; self->isVerbose && i < self->counts[set]; i++)
		powersPrint(self->runs[first + i].project,
			    self->runs[first + i].powers);
}

static void compareTextPrintDiagnostics(const struct compare *self)
{
	for (size_t i = 0; i < compareRuns(self); i++) {
		const struct compareRun *run = &self->runs[i];

		if (!run->diagnostics)
			continue;
		printf("  ");
		outPrintable(run->path);
		printf(" has %" PRIu64 " %s; hdtrace check lists %s\n",
		       run->diagnostics,
		       run->diagnostics == 1 ? "diagnostic" : "diagnostics",
		       run->diagnostics == 1 ? "it" : "them");
	}
}

/** The numbers of ranks of a set: "4", or "2 to 4". */
static void compareTextPrintRanks(const struct compare *self, int set)
{
	size_t first = compareFirst(self, set);
	uint64_t least = self->runs[first].ranks, most = least;

	for (size_t i = 1; i < self->counts[set]; i++) {
		least = MIN(least, self->runs[first + i].ranks);
		most = MAX(most, self->runs[first + i].ranks);
	}
	printf("%" PRIu64, least);
	if (most > least)
		printf(" to %" PRIu64, most);
}

static void compareTextPrintPerRank(const struct compare *self)
{
	if (!self->isPerRank)
		return;
	printf("  The numbers of ranks differ (A: ");
	compareTextPrintRanks(self, COMPARE_A);
	printf(", B: ");
	compareTextPrintRanks(self, COMPARE_B);
	puts("): functions and regions are compared per rank.");
}

/* ---- What differs ------------------------------------------------------ */

/** What there is instead of a verdict, if there is none. */
static void printUntested(const struct compare *self)
{
	size_t a = self->counts[COMPARE_A];
	size_t b = self->counts[COMPARE_B];
	size_t needed = compareNeeded(self);

	if (a == 1 && b == 1) {
		puts("  With one run on each side, differences cannot be "
		     "distinguished from noise.\n  Compare several runs on "
		     "each side: A1 A2 ... -- B1 B2 ...");
		return;
	}
	printf("  With %zu against %zu runs no difference can be significant: "
	       "the smallest p is %.2g,\n  above --significance=%g.",
	       a, b, rankTestLeast(a, b), self->level);
	if (needed)
		printf(" At least %zu runs on each side are needed.\n", needed);
	else
		puts(" No number of runs is sufficient.");
}

static void printTest(const struct compare *self)
{
	printf("  Mann-Whitney rank tests, corrected for all numbers over "
	       "%s%zu "
	       "assignments of the\n  %zu runs. The probability of any false "
	       "positive is at most %g %%.\n",
	       self->isExact ? "all " : "", self->ways, compareRuns(self),
	       100 * self->level);
}

/** "time from 1.000 s to 1.100 s, +10.0 %" */
static void printNamedMeasure(const struct compareRow *row, int measure)
{
	char *from = medianText(row, measure, COMPARE_A);
	char *to = medianText(row, measure, COMPARE_B);
	char *change = changeText(&row->results[measure]);

	printf("%s from %s to %s", compareMeasureNames[measure], from, to);
	if (*change)
		printf(", %s", change);
	g_free(from);
	g_free(to);
	g_free(change);
}

static const char *compareTextNameOf(const struct compareRow *row)
{
	return *row->name ? row->name : "all";
}

static void printNamed(const struct compare *self)
{
	guint count = self->isAll ? self->named->len
				  : MIN(self->named->len, (guint)self->top);

	compareTextPrintTitle(self, "Differences");
	if (!self->isTested) {
		printUntested(self);
		return;
	}
	if (!self->named->len)
		puts("  none");
	for (guint i = 0; i < count; i++) {
		const struct compareRow *row = self->named->pdata[i];
		const char *between = ": ";

		printf("  %u. %s ", i + 1, compareKindNames[row->kind]);
		outPrintable(compareTextNameOf(row));
		for (int k = 0; k < COMPARE_MEASURES; k++) {
			if (row->results[k].verdict != COMPARE_DIFFERS)
				continue;
			printf("%s", between);
			printNamedMeasure(row, k);
			between = "; ";
		}
		putchar('\n');
	}
	if (count < self->named->len)
		printf("  and %u more; --all lists them\n",
		       self->named->len - count);
	printTest(self);
}

/* ---- Tables ------------------------------------------------------------ */

static unsigned int bit(enum compareKind kind)
{
	return 1U << kind;
}

/** Columns of tables that are not always shown. */
enum {
	COLUMN_ENERGY = 6,
	COLUMN_POWER = 9,
	COLUMN_OTHER = 11,
	COLUMN_PATH = 13,
	COLUMN_SHARE = 15,
	COLUMN_VERDICT = 17,
};

/** An empty table; the headings that depend on the rule are those of the other
 *  one. */
static struct outTable *compareTextNewTable(const struct compare *self)
{
	static const char *headings[] = {
		"<Name",   ".Count A",       ".Count B",  ".Time A",
		".Time B", ".Change",        ".Energy A", ".Energy B",
		".Change", ".Power A",       ".Power B",  NULL,
		".B",      ".On the path A", ".B",        ".Share A",
		".B",      "<Verdict",       NULL,
	};

	headings[COLUMN_OTHER] =
		self->rule == ATTRIBUTION_CPU ? ".Equally A" : ".By CPU time A";
	return outTableNew(headings);
}

/** Whether the other rule says something else of a row, by more than 5 %, so
 * that both are told. */
static bool compareTextOtherDiffers(const struct compareRow *row)
{
	for (int set = 0; set < COMPARE_SETS; set++) {
		double one = row->results[COMPARE_ENERGY].medians[set];
		double other = row->results[COMPARE_OTHER].medians[set];

		if (fabs(one - other) > 0.05 * fmax(one, other))
			return true;
	}
	return false;
}

static void addMedians(struct outTable *table, const struct compareRow *row,
		       int measure)
{
	for (int set = 0; set < COMPARE_SETS; set++) {
		char *text = medianText(row, measure, set);

		outTableAdd(table, text);
		g_free(text);
	}
}

static void compareTextAddChange(struct outTable *table,
				 const struct compareRow *row, int measure)
{
	char *text = changeText(&row->results[measure]);

	outTableAdd(table, text);
	g_free(text);
}

/** The parts of the time of all ranks. */
static void compareTextAddShares(struct outTable *table,
				 const struct compareRow *row)
{
	for (int set = 0; set < COMPARE_SETS; set++) {
		char *text = isnan(row->shares[set])
				     ? g_strdup("")
				     : g_strdup_printf("%.1f %%",
						       100 * row->shares[set]);

		outTableAdd(table, text);
		g_free(text);
	}
}

/** Which measures differ, or why it is not said. */
static void addVerdict(struct outTable *table, const struct compareRow *row)
{
	GString *text = g_string_new(NULL);
	bool isTested = false;
	bool isSmall = false;

	for (int i = 0; i < COMPARE_MEASURES; i++) {
		enum compareVerdict verdict = row->results[i].verdict;

		isTested |= verdict == COMPARE_NOISE;
		isSmall |= verdict == COMPARE_TOO_SMALL;
		if (verdict == COMPARE_DIFFERS)
			g_string_append_printf(text, "%s%s",
					       text->len ? ", " : "",
					       compareMeasureNames[i]);
	}
	if (!text->len)
		g_string_append(text, isTested  ? "noise"
				      : isSmall ? "below 1 %"
						: "not comparable");
	outTableAdd(table, text->str);
	g_string_free(text, TRUE);
}

static void compareTextAddRow(struct outTable *table,
			      const struct compareRow *row)
{
	outTableAdd(table, compareTextNameOf(row));
	addMedians(table, row, COMPARE_COUNT);
	addMedians(table, row, COMPARE_TIME);
	compareTextAddChange(table, row, COMPARE_TIME);
	addMedians(table, row, COMPARE_ENERGY);
	compareTextAddChange(table, row, COMPARE_ENERGY);
	addMedians(table, row, COMPARE_POWER);
	if (compareTextOtherDiffers(row)) {
		addMedians(table, row, COMPARE_OTHER);
	} else {
		outTableAdd(table, "");
		outTableAdd(table, "");
	}
	addMedians(table, row, COMPARE_PATH);
	compareTextAddShares(table, row);
	addVerdict(table, row);
}

/** Whether any of the rows of a kind knows a measure. */
static bool compareTextIsKnown(const struct compare *self, unsigned int kinds,
			       int measure)
{
	for (guint i = 0; i < self->rows->len; i++) {
		const struct compareRow *row = self->rows->pdata[i];

		for (int set = 0; set < COMPARE_SETS; set++) {
			if (kinds >> row->kind & 1 &&
			    !isnan(row->results[measure].medians[set]))
				return true;
		}
	}
	return false;
}

static void hideColumns(const struct compare *self, unsigned int kinds,
			struct outTable *table)
{
	bool hasEnergy = compareTextIsKnown(self, kinds, COMPARE_ENERGY);
	bool hasOther = false;

	for (guint i = 0; i < self->rows->len; i++) {
		const struct compareRow *row = self->rows->pdata[i];

		hasOther |=
			kinds >> row->kind & 1 && compareTextOtherDiffers(row);
	}
	for (size_t i = COLUMN_ENERGY; i < COLUMN_OTHER && !hasEnergy; i++)
		outTableHide(table, i);
	for (size_t i = COLUMN_OTHER; i < COLUMN_PATH && !hasOther; i++)
		outTableHide(table, i);
	if (!compareTextIsKnown(self, kinds, COMPARE_PATH)) {
		outTableHide(table, COLUMN_PATH);
		outTableHide(table, COLUMN_PATH + 1);
	}
	for (size_t i = COLUMN_SHARE; i < COLUMN_VERDICT; i++)
		if (!self->isPerRank ||
		    !(kinds & (bit(COMPARE_FUNCTION) | bit(COMPARE_REGION))))
			outTableHide(table, i);
	if (!self->isTested)
		outTableHide(table, COLUMN_VERDICT);
}

/** Print the rows of some kinds, given as bits. */
static void compareTextPrintTable(const struct compare *self, const char *text,
				  unsigned int kinds)
{
	struct outTable *table = compareTextNewTable(self);
	guint listed = 0;
	guint count = 0;

	for (guint i = 0; i < self->rows->len; i++) {
		const struct compareRow *row = self->rows->pdata[i];

		if (!(kinds >> row->kind & 1))
			continue;
		if (self->isAll || count < (guint)self->top) {
			compareTextAddRow(table, row);
			listed++;
		}
		count++;
	}
	if (!count) {
		outTableFree(table);
		return;
	}
	hideColumns(self, kinds, table);
	compareTextPrintTitle(self, text);
	outTablePrint(table, "  ", self->tool->isColored);
	if (listed < count)
		printf("  and %u more; --all lists them\n", count - listed);
}

static void printCannot(const struct compare *self)
{
	if (!self->cannot->len)
		return;
	compareTextPrintTitle(self, "Not comparable");
	for (guint i = 0; i < self->cannot->len; i++) {
		printf("  ");
		outPrintable(self->cannot->pdata[i]);
		putchar('\n');
	}
}

void comparePrintText(const struct compare *self)
{
	for (int set = 0; set < COMPARE_SETS; set++)
		printSet(self, set);
	compareTextPrintDiagnostics(self);
	compareTextPrintPerRank(self);
	printNamed(self);
	savingPrint(self);
	compareTextPrintTable(self, "The whole run", bit(COMPARE_RUN));
	compareTextPrintTable(self,
			      self->isPerRank
				      ? "Functions and regions, per rank"
				      : "Functions and regions",
			      bit(COMPARE_FUNCTION) | bit(COMPARE_REGION));
	compareTextPrintTable(self, "Ranks", bit(COMPARE_RANK));
	compareTextPrintTable(self, "Traces without a rank",
			      bit(COMPARE_TRACE));
	compareTextPrintTable(self, "Nodes", bit(COMPARE_NODE));
	printCannot(self);
	if (self->counts[COMPARE_A] + self->counts[COMPARE_B] > 2)
		puts("\nNumbers are medians over the runs.");
}
