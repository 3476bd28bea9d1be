/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: how what was found is printed.
 */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "HDTraceTools/findings/findings.h"
#include "cli/output.h"

struct report {
	struct findings findings;
	int top;        /**< So many states are listed. */
	gboolean isAll; /**< All is listed. */
	gboolean isVerbose;
	char *html; /**< Write a page instead; NULL: no. */
	uint64_t maxSize;
	gboolean isForced;
	bool isFolded;      /**< Only what matters most is printed. */
	gboolean isOfNodes; /**< Values of all nodes are printed. */
	gboolean isOfRanks; /**< Times of all ranks are. */
	gboolean isCsv;     /**< Print findings as CSV only. */
	char **limits;      /**< Of findings that fail; or NULL. */
	char *scaling; /**< Whether the work grows with the ranks; or NULL. */
};

/** One of several runs. */
struct scalingRun {
	char *path;
	char *name; /**< Of the project, ... */
	char *file; /**< ... and its file. */
	struct findingsScale scale;
};

/** For g_array_set_clear_func(). */
void scalingRunClear(void *run);

/** Sort runs (struct scalingRun) by their size, and tell how they scale from
 *  the first one. */
void scalingFind(const struct report *report, GArray *runs);

/** Print how runs scale for people, or put it into JSON. */
void scalingPrint(const struct report *report, const GArray *runs);
void scalingPut(struct outJson *json, const GArray *runs);

/** See that options for several runs make sense: -1, or the exit status. */
int scalingCheck(const struct report *report, int projects);

/** Whether only what matters most is printed, since all would not fit. */
bool reportIsFolded(const struct report *report);

/** Print nodes by their energy, alike ones together. */
void reportPrintNodes(const struct report *report);

/** Print how many problems there are. */
void reportPrintFoldedProblems(const struct report *report);

/** Print what ranks spent their time on. */
void reportPrintRanks(const struct report *report);

/** Print a line of CSV for each finding. */
void reportPrintCsv(const struct findings *findings);

/** See that limits make sense: -1, or the exit status. */
int reportCheckLimits(struct report *report);

/** Whether findings exceed limits; says which. */
bool reportExceedsLimits(const struct report *report);

/** Print the heading of a part. */
void reportTitle(const struct report *report, const char *text);

/** Print findings and the account for people, or put them into JSON. */
void reportPrintFindings(const struct report *report);
void reportPutFindings(const struct findings *findings, struct outJson *json);

/** Print regions, and how even iterations are, for people. */
void reportPrintRegions(const struct report *report);
void reportPrintIterations(const struct findings *findings);

/** Print relations for people, or put them into JSON, if there are any. */
void reportPrintRelations(const struct report *report);
void reportPutRelations(const struct findings *findings, struct outJson *json);

/** Print what is pending in layers, and who is slow, if there are any. */
void reportPrintLayers(const struct report *report);
void reportPutLayers(const struct findings *findings, struct outJson *json);

/** Put what each rank spent its time and energy on into JSON, if there are any.
 */
void reportPutRanks(const struct findings *findings, struct outJson *json);

void reportPrintText(const struct report *report);
/** @p runs: how several scale, or NULL. */
void reportPrintJson(const struct findings *findings, const GArray *runs);
/** The same as a member of other JSON, without runs. */
void reportPutJson(const struct findings *findings, struct outJson *json,
		   const char *key, const GArray *runs);

#endif
