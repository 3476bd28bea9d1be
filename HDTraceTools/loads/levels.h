/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Load levels of a project: intervals of known load, and what was measured in
 * them.
 *
 * A level is a state `Level` (see hdload(1)), a phase from a file or a trace,
 * or an interval of steady utilization.
 */
#ifndef HD_LOADS_LEVELS_H
#define HD_LOADS_LEVELS_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/phases.h"
#include "HDTraceTools/model/power/choice.h"

/** Name of the states. */
#define LEVEL_STATE "Level"

/** How long a level takes to settle; means of the load begin then. */
#define LEVEL_SETTLE_NS INT64_C(2000000000)

/** Whether a level or a run meets SPEC's limits. */
enum levelVerdict { LEVEL_UNKNOWN, LEVEL_VALID, LEVEL_INVALID };

/** A level. Numbers are NaN where they are unknown. */
struct level {
	const hdINode *node;
	char *component; /**< NULL: unknown. */
	int64_t start;
	int64_t end;
	bool isCalibration;
	bool isTargetGuessed; /**< The nearest ten percent. */
	double target;        /**< This and the next two in percent. */
	double reached;
	double own;
	double operations;
	double energy; /**< In J, over the known time. */
	int64_t knownNs;
	double steadiness;    /**< Coefficient of variation in 1 s windows. */
	bool isSteadyOfPower; /**< Of power; otherwise of the load. */
	double scaled;        /**< In percent of the level at 100 %. */
	enum levelVerdict valid;
	char *reason; /**< Why it is not valid; NULL: it is, or unknown. */
	size_t run;   /**< Index into the runs. */
};

/** A level whose other numbers are unknown. */
struct level levelNew(const hdINode *node, int64_t start, int64_t end);

/** All levels of one component on one node. */
struct levelRun {
	const hdINode *node;
	const char *component; /**< Of one of its levels; or NULL. */
	double sumOperationsPerJ;
	double dynamicRange;
	double idleToPeak;
	double proportionality;
	GPtrArray *reasons; /**< Texts: why it is not valid; empty: it is. */
};

/** Levels and calibrations in the order of time. */
struct levels {
	GArray *list; /**< struct level */
	GArray *runs; /**< struct levelRun */
};

/** Start with no levels. */
void levelsInit(struct levels *levels);

/** Free everything. */
void levelsFree(struct levels *levels);

/** Get a level by its number. */
static inline struct level *levelsAt(const struct levels *levels, guint i)
{
	return &g_array_index(levels->list, struct level, i);
}

/** Get a run by its number. */
static inline struct levelRun *levelsRunAt(const struct levels *levels, guint i)
{
	return &g_array_index(levels->runs, struct levelRun, i);
}

/** Get operations per second; NaN if they are unknown. */
double levelRate(const struct level *level);

/** Get the mean power in W; NaN if too little is known. */
double levelPower(const struct level *level);

/** Add the states `Level` of the chosen traces. */
void levelsAddStates(struct levels *levels, const struct scan *scan);

/** Add phases, on each chosen node that has power or utilization. Names such
 *  as "90 %", "idle" and "calibration 1" tell the target. */
void levelsAddPhases(struct levels *levels, const struct scan *scan,
		     const struct powerChoice *powers,
		     const struct phases *phases);

/**
 * Find levels in the utilization of each chosen node.
 *
 * @return 0, or the negative errno of a temporary file.
 */
int levelsFind(struct levels *levels, const struct scan *scan);

/**
 * Measure energy, utilization and steadiness of each level.
 *
 * @return 0, or the negative errno of a temporary file.
 */
int levelsMeasure(struct levels *levels, const struct scan *scan,
		  const struct powerChoice *powers);

/** Sort the levels, divide them into runs, and compute all results. */
void levelsRate(struct levels *levels);

#endif
