/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file report.h
 * hdtrace report: what is found out about a project, and how it is printed.
 */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "output.h"
#include "profile.h"
#include "summary.h"
#include "tool.h"
#include "units.h"

/** So many gaps, late samples and messages are kept of each kind and file. */
#define REPORT_KEPT 10000

/** An interval that a group has no entry for, or a single one where there
 *  should be several. */
struct reportSpan {
	int64_t start;
	int64_t end;
};

/** Some of them, and how many there were. */
struct reportSpans {
	GArray *list; /**< struct reportSpan, at most REPORT_KEPT, or NULL. */
	uint64_t count;
	int64_t total; /**< Their length. */
};

/** What a group's entries come to. */
struct reportGroup {
	const hdIGroup *group;
	uint64_t entries;
	int64_t start;
	int64_t end;
	int64_t usual; /**< Length of most intervals; 0 if not known. */
	int64_t shortest;
	struct moments *moments; /**< One for each value. */
	struct reportSpans gaps;
	struct reportSpans late;
	bool *isPower; /**< Values that the energy of the node is told from. */
	size_t powerCount;
	size_t energyIndex;         /**< Its place in reportPhase::groups. */
	bool countsForTotal;        /**< No node above has such values. */
	struct powerSeries *series; /**< While traces are read ... */
	size_t traces;              /**< ... whose energy it tells. */
	size_t tracesRead;
};

/** Energy of a node, from all its values that tell it. */
struct reportEnergy {
	bool isKnown;
	bool isSimulated;
	bool hasBound;
	double joules;
	double bound;
	double seconds; /**< That it was measured in. */
};

/** A phase, or all of one name. */
struct reportPhase {
	const char *name;
	uint64_t occurrences;
	int64_t start;
	int64_t end;
	int64_t length;
	struct reportEnergy energy;  /**< Of all nodes. */
	struct reportEnergy *groups; /**< Of each group that tells energy. */
};

/** A message, copied. */
struct reportMessage {
	hdISeverity severity;
	char *rule;
	char *file;
	int64_t offset;
	char *text;
};

/** Different messages. */
struct reportMessages {
	GArray *list; /**< struct reportMessage, at most REPORT_KEPT. */
	GHashTable *seen;
	uint64_t count;
};

struct report {
	struct tool *tool;
	const hdIProject *project;
	int64_t start; /**< Of everything; INT64_MAX if there is nothing. */
	int64_t end;
	int64_t size; /**< Of all files. */
	struct reportGroup *groups;
	struct profile *profile;    /**< Of all traces; its source is energy. */
	GArray *phases;             /**< struct reportPhase */
	struct reportEnergy energy; /**< Of all nodes. */
	size_t energyCount;         /**< Groups that tell energy. */
	int64_t tracerNs; /**< CPU time of the tracer; -1 if not known. */
	int64_t tracerLate;
	struct reportMessages messages;

	/* Options. */
	char *phasesFile;
	char *phasesFrom;
	gboolean isByName;
	char *power;
	int top;
	gboolean isAll;
	char *html; /**< Write a page instead; NULL: no. */
	uint64_t maxSize;
	gboolean isForced;
	struct phases phaseList;
	bool hasPhases;
};

/* ---- report.c ---------------------------------------------------------- */

/** Options of all that makes reports, for toolParse(); four, no terminator. */
#define REPORT_ENTRIES(report)                                             \
	{ "phases",                                                        \
	  0,                                                               \
	  0,                                                               \
	  G_OPTION_ARG_FILENAME,                                           \
	  &(report)->phasesFile,                                           \
	  "Phases between the border times in FILE",                       \
	  "FILE" },                                                        \
		{ "phases-from",                                           \
		  0,                                                       \
		  0,                                                       \
		  G_OPTION_ARG_FILENAME,                                   \
		  &(report)->phasesFrom,                                   \
		  "Phases are the states of a trace",                      \
		  "NODE[:STATE[:DEPTH]]" },                                \
		{ "by-name",                                               \
		  0,                                                       \
		  0,                                                       \
		  G_OPTION_ARG_NONE,                                       \
		  &(report)->isByName,                                     \
		  "Add up phases of the same name",                        \
		  NULL },                                                  \
	{                                                                  \
		"power", 0, 0, G_OPTION_ARG_FILENAME, &(report)->power,    \
			"Values that tell the energy of a node", "PATTERN" \
	}

/** Start with nothing, before options are parsed. */
void reportInit(struct report *report, struct tool *tool);

/** Free what reportInit(), options and messages took. */
void reportClear(struct report *report);

/** See that these options make sense: -1, or the exit status. */
int reportCheckOptions(const struct report *report);

/** Open a project whose messages become a part of the report; NULL: it was said
 *  why not. */
hdIProject *reportOpen(struct report *report, const char *path);

/**
 * Get ready to report a project: its phases, and whose power counts.
 *
 * @return 0, or -1 after an error, which was said; reportEnd() in both cases.
 */
int reportStart(struct report *report, const hdIProject *project);

/** Read everything. */
void reportFind(struct report *report);

/** Free what reportStart() and reportFind() took. */
void reportEnd(struct report *report);

/* ---- reportenergy.c ---------------------------------------------------- */

/** Choose the values that tell the energy of nodes. */
void reportChoosePowers(struct report *report);

/** Energy of a group in a slot of moments, as told by its power values. */
struct reportEnergy reportGroupEnergy(const struct reportGroup *group,
				      const struct moments *moments);

/** Add energies of different nodes. */
void reportEnergyAdd(struct reportEnergy *sum,
		     const struct reportEnergy *energy);

/** Average power; NaN if there is none. */
double reportWatts(const struct reportEnergy *energy);

/** Bounds of a value of a group. */
struct bound reportBound(const struct reportGroup *group, size_t value);

/** What is integrated or summed to a total: energy, and X of X/s; NaN if there
 *  is no sense in a total.
 *
 * @param[out] bound By how much it can be off, if bound->isKnown.
 * @param[out] unit Its unit, to be freed with g_free(); NULL if there is none.
 */
double reportTotal(const struct reportGroup *group, size_t value, double *bound,
		   char **unit);

/** The phases that drew most; NULL if there are fewer than two to compare. */
struct reportMost {
	const struct reportPhase *power; /**< On average. */
	const struct reportPhase *energy;
};

struct reportMost reportFindMost(const struct report *report);

/* ---- reportgroup.c ----------------------------------------------------- */

/**
 * Go through the entries of a group; any thread.
 *
 * @param[out] spoolError Negative errno of a temporary file, if it failed.
 *
 * @retval 0 Success, as far as messages say.
 * @return A negative errno.
 */
int reportReadGroup(struct report *report, struct reportGroup *group,
		    int *spoolError);

/* ---- reportwork.c ------------------------------------------------------ */

/** For each trace the group that tells its power, at the nearest node; or
 *  NULL. To be freed with g_free(). */
struct reportGroup **reportFindPowers(const struct report *report);

/** Read all groups and traces. */
void reportReadAll(struct report *report);

/** Takes messages of the reading library, in any thread; data is the struct
 *  report. */
void reportTakeMessage(const hdIMessage *message, void *data);

/** So many more bytes are done; any thread. */
void reportProgress(struct report *report, int64_t bytes);

/* ---- reportmessages.c -------------------------------------------------- */

void reportMessagesInit(struct reportMessages *messages);
void reportMessagesFree(struct reportMessages *messages);

/** Keep a message; false if it is known, since files may be read twice. */
bool reportMessagesAdd(struct reportMessages *messages,
		       const hdIMessage *message);

/* ---- The output -------------------------------------------------------- */

void reportPrintText(struct report *report);
void reportPrintJson(struct report *report);
/** The same as a member of other JSON. */
void reportPutJson(struct report *report, struct outJson *json,
		   const char *key);

#endif
