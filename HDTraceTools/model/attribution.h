/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Divides the energy of nodes among what was active on them.
 *
 * At each instant the power of a node is divided among the ranks that are
 * active at or below it, and what a rank gets among its traces (threads) that
 * are: all the same (ATTRIBUTION_EQUAL), or by the CPU time that they use
 * (ATTRIBUTION_CPU). A trace is active from the start of its first state or
 * event to the end of its last one, whether it is in a state or not, since what
 * a program computes between calls of a library is no state. What nobody claims
 * is unattributed.
 *
 * Energies are integers here, so that parts and rest add up to that of the node
 * exactly, over any times. Of an amount e since the last change the i-th of n
 * claims, whose weights add up to W(i) before it and to W in all, gets
 * floor(e W(i + 1) / W) - floor(e W(i) / W): no remainder is left, and the
 * parts until a time do not depend on where somebody looked before.
 *
 * Where there are relations, those that are in a state claim as ranks do, by
 * either rule as much as each of them would have equally: of the power of a
 * node model/relations/joules.h takes what they get, and shares are those of
 * the rest.
 *
 * Each object belongs to one thread at a time; several shares and cursors may
 * be made of an attribution that does not change.
 */
#ifndef HD_MODEL_ATTRIBUTION_H
#define HD_MODEL_ATTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>

#include "HDTraceTools/model/powerseries.h"

/** Among whom power is divided, and how. */
enum attributionRule {
	ATTRIBUTION_EQUAL, /**< All that are active get the same. */
	/** By CPU time where that of all that are active is known and any of
	 *  them uses some; else equally. */
	ATTRIBUTION_CPU,
};

/** A part of an energy. */
struct attributionAmount {
	powerPico
		pico; /**< Trillionths (p) of the unit of the values times s. */
	int64_t measured; /**< Time for which the power is known, in ns. */
};

/** An energy as a number, in the unit of the values times s. */
static inline double attributionEnergy(const struct attributionAmount *amount)
{
	return (double)amount->pico / 1e12;
}

/** Whether what two rules say differs by more than 5 % of the larger one, so
 * that both are told. */
static inline bool attributionsDiffer(const struct attributionAmount *a,
				      const struct attributionAmount *b)
{
	powerPico larger = a->pico > b->pico ? a->pico : b->pico;
	powerPico apart = larger - (a->pico > b->pico ? b->pico : a->pico);

	return apart * 20 > larger;
}

/* ---- Any activities at one node ----------------------------------------- */

/** Who is active when: claims on the energy of a node. */
struct claims;

/** @param count Of activities; they have numbers from 0. */
struct claims *claimsNew(size_t count, enum attributionRule rule);

/** Free it; NULL does nothing. */
void claimsFree(struct claims *self);

/**
 * An activity is active in ]start, end]; in any order. It may be so several
 * times at once, and counts once.
 */
void claimsAdd(struct claims *self, size_t activity, int64_t start,
	       int64_t end);

/**
 * How much CPU time an activity uses in ]start, end], in billionths of the
 * time: 2000000000 is that of two CPUs. Times at which that is not said it is
 * not known; there is nothing to say for ATTRIBUTION_EQUAL.
 */
void claimsUse(struct claims *self, size_t activity, int64_t start, int64_t end,
	       int64_t usage);

/** Everything was added. */
void claimsEnd(struct claims *self);

/** The part of an activity, from a time on: of an energy all before high less
 *  all before low, out of total. None while total is 0. */
struct shareStep {
	int64_t time;
	uint64_t low;
	uint64_t high;
	uint64_t total;
};

/** The part that an activity has, as it changes: array of struct shareStep,
 *  by time, to be freed with g_array_unref(). After claimsEnd(). */
GArray *claimsShare(const struct claims *self, size_t activity);

/** How many activities are active, by any rule: in total of the steps. */
GArray *claimsTotals(const struct claims *self);

/** The part of an amount. */
powerPico shareDivide(const struct shareStep *step, powerPico amount);

/* ---- Traces of a project ------------------------------------------------ */

struct attribution;

/**
 * Find out when all traces of a project are active.
 *
 * Short traces are read for it, of long ones the beginning and the end; see
 * extentAddTrace().
 */
struct attribution *attributionNew(const hdIProject *project,
				   enum attributionRule rule);

/** The same traces by the other rule; NULL if both say the same, since nothing
 *  tells CPU time. */
struct attribution *attributionOther(const struct attribution *self);

/** Free it; NULL does nothing. */
void attributionFree(struct attribution *self);

/** How many ranks below a node are active, from a time on. */
struct attributionCount {
	int64_t time;
	uint64_t count;
};

/** Array of struct attributionCount, of the ranks at and below a node, by any
 *  rule; to be freed with g_array_unref(). */
GArray *attributionRanks(struct attribution *self, const hdINode *node);

/** By ATTRIBUTION_EQUAL likewise of the traces of the rank that a trace belongs
 * to, as far as they are at or below the node, while the trace itself is
 * active. */
GArray *attributionTraces(struct attribution *self, const hdINode *node,
			  const hdITraceFile *trace);

/** The part that a trace has of a node's energy. */
struct attributionShare;

/** Any thread. The trace is at or below the node. */
struct attributionShare *attributionShareNew(struct attribution *self,
					     const hdINode *node,
					     const hdITraceFile *trace);

/** Make one of lists from claimsShare(), which are taken over: a part, and what
 *  that is a part of; NULL: of all. */
struct attributionShare *attributionShareOf(GArray *steps, GArray *outer);

/** Free it; NULL does nothing. */
void attributionShareFree(struct attributionShare *self);

/* ---- Energies ----------------------------------------------------------- */

struct attributionCursor;

/** What a share is of a series; both must stay. A NULL share is all of it. */
struct attributionCursor *attributionCursorNew(
	const struct powerSeries *series, const struct attributionShare *share);

/** Free it; NULL does nothing. */
void attributionCursorFree(struct attributionCursor *self);

/** Energy and known time in ]start, end]; known is that of the node while the
 *  trace is active. */
struct attributionAmount attributionCursorGet(struct attributionCursor *self,
					      int64_t start, int64_t end);

/** As powerCursorError(). */
int attributionCursorError(const struct attributionCursor *self);

#endif
