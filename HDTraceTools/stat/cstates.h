/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * In which C-states the CPUs of nodes were, from what libPT and libRUT record.
 *
 * libPT has values of the grouping CStates: Share_cpu0-C0, Share_cpu0-C1 and so
 * on, C0 among them; Share_all-C1 is the mean of all CPUs. libRUT has those of
 * the grouping IDLE: CPU_IDLE_0_C1 and so on. C0 is what is left of the time
 * there.
 */
#ifndef HD_STAT_CSTATES_H
#define HD_STAT_CSTATES_H

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/stat/shares.h"

/**
 * Read the C-states of all nodes that were asked for.
 *
 * @param run Of the whole run.
 *
 * @return A table to be freed with shareTableFree(), of shares in % of the time
 *         that is known; NULL if there are none.
 */
struct shareTable *cstatesRead(const struct scan *scan,
			       const struct extent *run);

#endif
