/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which kernels are dominated by their dispatch, and how many instances should
 * be dispatched at once.
 *
 * The model, which one can check by hand: a batch of n is dispatched once, for
 * what an instance takes today, d; bodies take n b. So dispatch has the share
 * d / (d + n b), which is at most t from n = d (1 - t) / (t b) on; and
 * N d (1 - 1 / n) is saved of N instances.
 */
#ifndef HDPROBE_ADVICE_H
#define HDPROBE_ADVICE_H

#include "InstrumentationLibrary/attach/core/attach.h"

/** Batches that each thread should have left, so that all have work. */
#define ADVICE_BATCHES 4
/** Kernels whose dispatch has less of the time of all kernels do not matter. */
#define ADVICE_MATTERS 0.01

/** What is said of a kernel. */
struct advice {
	uint64_t batch; /**< Instances at once; 0: leave it as it is. */
	double share;   /**< Of dispatch in the kernel's time, today. */
	double then;    /**< In such batches. */
	double saved;   /**< Seconds of CPU time, of all instances. */
	bool isLimited; /**< A larger one would leave threads idle. */
};

/**
 * Advise on a kernel.
 *
 * @param kernel With dispatch.
 * @param all Seconds of dispatch and bodies of all kernels.
 * @param threads How many run it.
 * @param most Share of dispatch that is fine: 0.05.
 */
struct advice adviceFor(const struct hdProbeFigures *kernel, double all,
			unsigned int threads, double most);

/** Seconds of dispatch and bodies of all kernels of a table. */
double adviceAll(const struct probeTable *table);

#endif
