/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace compare: what differs between two projects, or two sets of them, as
 * data; printed as text, CSV and JSON.
 *
 * A row is something that both have: the whole run, a function of MPI, a region
 * (any other state), a rank, a node. It has measures: how often, how long, how
 * many joules, and so on, of each run. Of several runs the median is shown, and
 * a rank test says which differences are more than chance (base/ranktest.h).
 */
#ifndef HD_COMPARE_H
#define HD_COMPARE_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include "HDTraceTools/compare/core/saving.h"
#include "HDTraceTools/findings/findings.h"
#include "cli/known.h"

/** Functions and regions that take less of the time, and less of the energy,
 * are not tested: what is too little to matter does not hide what matters. */
#define COMPARE_SMALL 0.01

/** What rows are, in the order in which differences are named. */
enum compareKind {
	COMPARE_RUN,
	COMPARE_FUNCTION, /**< Of MPI. */
	COMPARE_REGION,   /**< Any other state. */
	COMPARE_RANK,
	COMPARE_TRACE, /**< One that belongs to no rank. */
	COMPARE_NODE,
	COMPARE_KINDS
};

/** What is compared. */
enum compareMeasure {
	COMPARE_COUNT,
	COMPARE_TIME,   /**< In s; of functions and regions their own. */
	COMPARE_ENERGY, /**< In J. */
	COMPARE_POWER,  /**< In W, while it is known. */
	COMPARE_PATH,   /**< Time on the critical path, in s. */
	/** The energy as the other rule divides it; it is not tested. */
	COMPARE_OTHER,
	COMPARE_MEASURES,
	COMPARE_TESTED = COMPARE_OTHER
};

/** The two sets. */
enum { COMPARE_A, COMPARE_B, COMPARE_SETS };

/** What something cost in a run. */
struct compareCost {
	bool isThere;
	double values[COMPARE_MEASURES]; /**< NaN: not known. */
	struct known known;              /**< Of the energy. */
};

/** Whether a measure differs. */
enum compareVerdict {
	COMPARE_NO_VERDICT, /**< Too few runs, or not known in all. */
	COMPARE_TOO_SMALL,  /**< See COMPARE_SMALL. */
	COMPARE_NOISE,
	COMPARE_DIFFERS
};

/** A measure of both sets. */
struct compareResult {
	double medians[COMPARE_SETS]; /**< Of what is known; NaN: nothing. */
	double difference;            /**< Of B from A; NaN: not known. */
	double alone;                 /**< p, by itself; NaN: not tested. */
	double family;                /**< p, with all others. */
	enum compareVerdict verdict;
};

/** Something that is compared. */
struct compareRow {
	enum compareKind kind;
	char *name;
	struct compareCost *costs; /**< Of each run, those of A first. */
	struct compareResult results[COMPARE_MEASURES];
	struct known known[COMPARE_SETS]; /**< Of all runs together. */
	bool isPartial[COMPARE_SETS]; /**< An energy is the least there was. */
	/** Median of the share of the time of all ranks, of functions and
	 * regions. */
	double shares[COMPARE_SETS];
};

/** A run that was read. */
struct compareRun {
	const char *path;           /**< As it was given. */
	char *name;                 /**< Of the project. */
	char *file;                 /**< NULL if there is none. */
	hdIProject *project;        /**< NULL before it was read. */
	struct powerChoice *powers; /**< Whose energy is compared. */
	bool hasEnergy;
	bool hasPath;
	bool hasOther;    /**< The other rule divides energy in another way. */
	int64_t rankTime; /**< That all traces were active. */
	uint64_t ranks;
	uint64_t diagnostics;    /**< Of its files. */
	struct savingRun saving; /**< What hdpower recorded. */
};

/** All that hdtrace compare knows. */
struct compare {
	struct tool *tool;
	size_t counts[COMPARE_SETS]; /**< Runs in each. */
	struct compareRun *runs;     /**< All, those of A first. */
	size_t read;                 /**< So many were read. */
	GPtrArray *rows;             /**< struct compareRow, to be printed. */
	GHashTable *places;          /**< Their kinds and names to them. */
	GPtrArray *named;  /**< Those that differ, which costs most first. */
	GPtrArray *cannot; /**< char *: what cannot be compared, and why. */
	bool isByEnergy;   /**< What costs most is what draws most. */
	bool isTested;     /**< There are enough runs for it. */
	size_t ways;       /**< To deal out the runs. */
	bool isExact;      /**< All ways were gone through. */
	double level;
	/** The numbers of ranks differ: functions and regions are per rank. */
	bool isPerRank;

	/* Options. */
	char *power;
	char *ruleText;
	gboolean isAsRecorded;
	enum attributionRule rule;
	char *levelText;
	int top;
	gboolean isAll;
	gboolean fails;
	gboolean isVerbose;
};

/** Number of all runs. */
static inline size_t compareRuns(const struct compare *self)
{
	return self->counts[COMPARE_A] + self->counts[COMPARE_B];
}

/** Number of the first run of a set. */
static inline size_t compareFirst(const struct compare *self, int set)
{
	return set == COMPARE_A ? 0 : self->counts[COMPARE_A];
}

/** "function" and so on, and "count" and so on, as people and programs read
 *  them. */
extern const char *const compareKindNames[COMPARE_KINDS];
extern const char *const compareMeasureNames[COMPARE_MEASURES];

/** Names of rows of the whole run. */
#define COMPARE_WHOLE "run"
#define COMPARE_CRITICAL "critical path"
#define COMPARE_WAITING "waiting beside it"

/* ---- run.c ------------------------------------------------------------- */

/** Read the next run; false after an error, which was said. */
bool compareRead(struct compare *self);

/* ---- differences.c ----------------------------------------------------- */

/** All runs were read: find out what differs. */
void compareFind(struct compare *self);

/** The row of the whole run. */
const struct compareRow *compareWhole(const struct compare *self);

/** The change of a measure, as a share of A; NaN: there is none. */
double compareChange(const struct compareResult *result);

/** How many runs each set needs for a verdict; 0: no number is enough. */
size_t compareNeeded(const struct compare *self);

/* ---- text.c, json.c ---------------------------------------------------- */

void comparePrintText(const struct compare *self);
void comparePrintCsv(const struct compare *self);
void comparePrintJson(const struct compare *self);

#endif
