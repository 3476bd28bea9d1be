/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the parts of make-project have in common; see make-project.c.
 */
#ifndef MAKE_PROJECT_H
#define MAKE_PROJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <hdTopology.h>

/** Records in a step of a rank, and in phases around steps. */
#define MAKE_STEP_RECORDS 10
#define MAKE_PHASE_RECORDS 3
/** Values in an entry of all groups of a node. */
#define MAKE_VALUES 16

/** What is written: everything follows from it. Times are in ns from 0. */
struct makeShape {
	const char *prefix;
	uint64_t seed;
	int64_t nodes;
	int64_t ranksOfNode;
	int64_t ranks;
	int64_t records; /**< Of a rank. */
	int64_t rest;    /**< Of all; the first ranks have one more. */
	int64_t entries; /**< Of each group of a node. */
	int64_t period;  /**< Of statistics. */
	int64_t runtime;
	int64_t steps;
	int64_t step;      /**< Its length. */
	int64_t solve;     /**< When the steps start. */
	int64_t *stepEnds; /**< When the last rank is ready to go on. */
};

/** What a rank does in a step, as times. */
struct makePlan {
	int64_t tick; /**< A thousandth of a step. */
	int64_t start;
	int64_t computed;
	int64_t fromLeft; /**< Received. */
	int64_t fromRight;
	int64_t waited;
};

/** What chance is asked for. */
enum makeTopic { MAKE_RANK, MAKE_STEP, MAKE_LATE, MAKE_VALUE };

/** End the program unless it went well. */
void makeCheck(bool isGood, const char *what);

/** The larger one. */
static inline int64_t makeLater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/** Chance: a number from 0 to 1, the same for the same question. */
double makeChance(const struct makeShape *shape, enum makeTopic topic,
		  int64_t a, int64_t b);

/** A time of the project as one since the epoch. */
struct timespec makeTime(int64_t ns);

/** Create a node of the topology, of a rank (its only thread), or of the host
 *  if there is none (-1). */
hdTopoNode *makeNode(hdTopology *topology, int64_t host, int64_t rank);

/* ---- make-steps.c ------------------------------------------------------ */

/** Plan the steps of all ranks: sets stepEnds. */
void makeSteps(struct makeShape *shape);

/** When a step starts, for all ranks. */
int64_t makeStepStart(const struct makeShape *shape, int64_t step);

/** How long a rank computes in a step: ranks differ, and steps do. */
int64_t makeComputeTime(const struct makeShape *shape, int64_t rank,
			int64_t step);

/** What a rank does in a step. */
struct makePlan makePlanStep(const struct makeShape *shape, int64_t rank,
			     int64_t step);

/** The ranks beside a rank; they are a ring. */
int64_t makeLeftOf(const struct makeShape *shape, int64_t rank);
int64_t makeRightOf(const struct makeShape *shape, int64_t rank);

/* ---- make-traces.c, make-stats.c --------------------------------------- */

/** Write the trace of a rank. */
void makeTrace(const struct makeShape *shape, hdTopology *topology,
	       int64_t rank);

/** Write the groups of a node. */
void makeGroups(const struct makeShape *shape, hdTopology *topology,
		int64_t host);

#endif
