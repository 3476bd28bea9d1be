/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file report.h
 * hdtrace report: what is found out about a project, and how it is printed.
 */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include "output.h"
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
	size_t energyIndex;  /**< Its place in reportPhase::groups. */
	bool countsForTotal; /**< No node above has such values. */
	uint64_t traces;     /**< Traces that share the energy. */
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

/** States of one name. */
struct reportState {
	char *name;
	uint64_t count;
	int64_t total; /**< In ns; those inside are part of it. */
	int64_t self;  /**< Without those inside. */
	int64_t longest;
	int64_t measured; /**< Part of self for which energy is known. */
	double joules;
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

struct report {
	struct tool *tool;
	const hdIProject *project;
	int64_t start; /**< Of everything; INT64_MAX if there is nothing. */
	int64_t end;
	int64_t size; /**< Of all files. */
	struct reportGroup *groups;
	uint64_t states;
	uint64_t events;
	GArray *names;              /**< struct reportState */
	GArray *phases;             /**< struct reportPhase */
	struct reportEnergy energy; /**< Of all nodes. */
	size_t energyCount;         /**< Groups that tell energy. */
	int64_t tracerNs; /**< CPU time of the tracer; -1 if not known. */
	int64_t tracerLate;
	GArray *messages; /**< struct reportMessage */
	uint64_t messageCount;

	/* Options. */
	char *phasesFile;
	char *phasesFrom;
	gboolean isByName;
	char *power;
	int top;
	gboolean isAll;
	struct phases phaseList;
	bool hasPhases;
};

/** Energy of a group in a slot of moments, as told by its power values. */
struct reportEnergy reportGroupEnergy(const struct reportGroup *group,
				      const struct moments *moments);

/** Add energies of different nodes. */
void reportEnergyAdd(struct reportEnergy *sum,
		     const struct reportEnergy *energy);

/** Go through all traces: states, and the energy in each. */
void reportStates(struct report *report);

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

void reportPrintText(struct report *report);
void reportPrintJson(struct report *report);

#endif
