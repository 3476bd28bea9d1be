/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which kernels run beside which: of a simulation in which none slows another
 * one down.
 */
#ifndef HD_PREDICT_MEASURE_PAIRS_H
#define HD_PREDICT_MEASURE_PAIRS_H

#include "PredictionLibrary/command/measure/plan.h"

/** Of a kernel's time, less than that beside another one does not matter. */
#define PAIRS_PART 0.01

/**
 * Add rows for pairs of kernels that matter: of each kernel the configuration
 * that takes most time, beside 1 to @p most PEs that run the other one.
 *
 * @param graph As of the plan, whose rows alone have times; it is mapped anew.
 * @param platform Where it is to run; NULL: a node like this one, all PEs.
 * @param pes Of that node.
 * @param architecture Of the kernels that were measured.
 * @return NULL, or what is wrong, to be freed.
 */
char *pairsAdd(struct plan *plan, hdPGraph *graph, const hdPPlatform *platform,
	       int pes, const char *architecture);

#endif
