/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What causes power, as a series whose integral over any interval is known:
 * utilization of CPUs, or states that mark when there was load.
 */
#ifndef HD_DELAY_LOADS_H
#define HD_DELAY_LOADS_H

#include "HDTraceTools/command/core/scan.h"

/** What counts as load. */
struct loadChoice {
	const char *value; /**< Pattern of values of statistics groups. */
	const char *state; /**< Pattern of states of traces instead, or NULL. */
};

/** The load of a node. */
struct load {
	struct powerSeries *series; /**< Full load for 1 s is 1. */
	int64_t lateNs; /**< By how much entries are late by themselves. */
	char *source;   /**< What it was made of, as people read it. */
};

/**
 * Find and read the load of a node: the first value that matches of the node
 * itself, or of the nearest that it is a part of, and that is no power; or the
 * states of all traces above and below it.
 *
 * @return 1: it is there, to be freed with loadForget(); 0: there is none; or
 *         the negative errno of a temporary file.
 */
int loadRead(const struct scan *scan, const hdINode *node,
	     const struct loadChoice *choice, struct load *load);

/** Free it. */
void loadForget(struct load *load);

#endif
