/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Efficiencies after POP (doc/findings.md): from 0 to 1, NaN where they are not
 * known.
 */
#ifndef HD_EFFICIENCY_H
#define HD_EFFICIENCY_H

#include "HDTraceTools/model/whatif/replay.h"

/** Of a run, or a part of it. */
struct efficiency {
	double loadBalance;   /**< Mean by largest useful computation. */
	double communication; /**< Largest useful computation by time. */
	double serialisation; /**< Largest useful computation by ideal time. */
	double transfer;      /**< Ideal time by time. */
	double parallel;      /**< Load balance times communication. */
	int64_t time;         /**< Of the part. */
	int64_t ideal;        /**< With calls that take no time. */
	int64_t largest;      /**< Useful computation of one rank. */
};

/** What they follow from. */
struct efficiencySums {
	double useful; /**< Useful computation of all ranks. */
	size_t ranks;
	int64_t largest; /**< Useful computation of one rank. */
	int64_t time;
	int64_t ideal; /**< 0: not known. */
};

/** All is unknown. */
struct efficiency efficiencyUnknown(void);

/** Compute them. */
struct efficiency efficiencyOf(const struct efficiencySums *sums);

/** The time from the last end of MPI_Init to the first start of MPI_Finalize;
 *  all time if there are none. False: no rank was there. */
bool efficiencyWindow(const struct calls *calls, size_t traces, int64_t *from,
		      int64_t *to);

/** Find that of a time; 0 or a negative errno. @p watch is told what happens
 *  meanwhile; or NULL. */
int efficiencyFind(struct replay *replay, const struct calls *calls,
		   size_t traces, int64_t from, int64_t to,
		   const struct replayWatch *watch, struct efficiency *result);

#endif
