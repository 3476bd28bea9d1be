/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Batches: a kernel that is run again and again by a thread on a CPU of its
 * own, and others that compete with it.
 */
#ifndef HD_PREDICT_MEASURE_BATCH_H
#define HD_PREDICT_MEASURE_BATCH_H

#include <stdatomic.h>

#include <hdTrace.h>
#include "PredictionLibrary/command/measure/call.h"

/** What a PE does. */
struct batchWork {
	struct measureCall *call;
	const int *cpus;       /**< Of the PEs that run it. */
	uint32_t cpuCount;     /**< Most often 1. */
	hdTrace *trace;        /**< Where its state goes, or NULL. */
	hdTrace *const *parts; /**< Those of the further PEs, or NULL. */
};

/** A batch. */
struct batch {
	const char *architecture;
	struct batchWork work;
	const struct batchWork *loads; /**< All of one kernel. */
	size_t loadCount;
	uint64_t repetitions;   /**< At least; 0: two. */
	int64_t lengthNs;       /**< At least: more repetitions, if need be. */
	const atomic_int *stop; /**< Not 0: end early. */
};

/** What came of it. */
struct batchResult {
	uint64_t repetitions;
	double seconds; /**< Of one. */
};

/**
 * Run it: states Batch and Load, as doc/format/prediction.md has them.
 *
 * @retval 0 Success.
 * @retval -EINTR It was ended early; the states say so.
 * @return A negative errno of threads, or of the kernel.
 */
int batchRun(const struct batch *batch, struct batchResult *result);

#endif
