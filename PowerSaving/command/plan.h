/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Usage of programs, and which clock each phase of a program gets.
 */
#ifndef HD_POWER_PLAN_H
#define HD_POWER_PLAN_H

#include <stdbool.h>
#include <glib.h>

/** Utilization by which phases are recognised. */
enum powerLoad {
	POWER_CPU,     /**< In percent. */
	POWER_NETWORK, /**< In bytes per s, as those that follow. */
	POWER_READ,
	POWER_WRITE,
	POWER_LOADS,
};

/** A phase of a program, at each clock at which it was measured. */
struct powerPhase {
	char *name;
	size_t count; /**< Clocks, in increasing order. */
	double *mhz;
	double *time;              /**< In s, of a whole run. */
	double *power;             /**< In W. */
	double *load[POWER_LOADS]; /**< NULL, or NaN: unknown. */
};

/** Read a usage file; NULL after a message. To be unreferenced. */
GPtrArray *powerUsageRead(const char *tool, const char *path);

/** What a policy wants. */
struct powerPolicy {
	bool isMinTime;  /**< Under a power limit; else the least energy. */
	double slowdown; /**< Accepted, as a fraction of the time. */
	double limit;    /**< In W. */
};

/** A decision for a phase. */
struct powerDecision {
	double mhz;
	double time;
	double power;
};

/** Decisions for all phases, and for programs that do not name phases. */
struct powerPlan {
	size_t count;
	struct powerDecision *phases; /**< In the order of the usage. */
	double wholeMhz;              /**< One clock for all phases. */
	double time, energy;          /**< Expected with decisions by phase. */
	double wholeTime, wholeEnergy;
	double baseTime, baseEnergy; /**< At the highest clock. */
	bool isFeasible;             /**< The limit can be met. */
};

/**
 * Decide.
 *
 * @param clocks Clocks that the CPUs have, in MHz; none: those that were
 *        measured.
 */
void powerPlanMake(const GPtrArray *usage, const struct powerPolicy *policy,
		   const double *clocks, size_t clockCount,
		   struct powerPlan *plan);

/** Free what it has. */
void powerPlanClear(struct powerPlan *plan);

#endif
