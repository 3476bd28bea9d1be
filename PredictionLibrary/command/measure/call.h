/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A kernel that can be run again and again, with inputs that it may have in its
 * graph: what the tasks before one of its tasks make.
 */
#ifndef HD_PREDICT_MEASURE_CALL_H
#define HD_PREDICT_MEASURE_CALL_H

#include <stdbool.h>

#include "PredictionLibrary/kernels/kernels.h"
#include "PredictionLibrary/model/graph.h"

/** A kernel, its inputs and outputs; one thread at a time. */
struct measureCall {
	const hdKernel *kernel;
	hdKernelCall call;
	hdKernelBuffer *buffers; /**< Inputs, then outputs, which it owns. */
	hdKernelVariable *variables;
	char *task;
	bool isMade; /**< It was run: its outputs are what it makes. */
};

/** What makes calls, and all that was run for that. */
struct measureCalls;

/** Start to make calls of a graph; memory and outputs are those of one thread.
 */
struct measureCalls *measureCallsNew(const hdPGraph *graph,
				     struct hdKernelSet *set,
				     const char *architecture);
/** Free it, and all calls. */
void measureCallsFree(struct measureCalls *self);

/**
 * Get the call of a task, after those were run that it depends on.
 *
 * @return It, as long as @p self lives; or NULL, and @p why says why not, to be
 *         freed.
 */
struct measureCall *measureCallOf(struct measureCalls *self, uint32_t task,
				  char **why);

#endif
