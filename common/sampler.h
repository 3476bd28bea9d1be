/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A thread that takes a sample at every multiple of an interval.
 *
 * Deadlines are absolute times of CLOCK_MONOTONIC, counted from the first
 * start, so they do not drift. A deadline that passes while a sample is still
 * being taken, or while the system does not let the thread run, is counted and
 * left out; there is never a burst of samples to catch up.
 *
 * Stopping takes a last sample, which ends the interval that had begun;
 * starting again begins a new interval at once, and the next samples are taken
 * at the old multiples again. If the first of them is nearer than half an
 * interval the one after it is taken.
 *
 * Any thread may call these functions; create and destroy must not run beside
 * others of the same sampler. The callbacks of a sampler run one at a time, in
 * its thread or, for start and stop, in that of the caller; no lock is held
 * meanwhile.
 *
 * A process may have many samplers. Those that never have to wait share one
 * thread, which the first brings and the last takes with it. Their multiples
 * are counted from the first start of any of them: what is due at the same time
 * is sampled one after the other, and the thread wakes up once.
 */
#ifndef HD_SAMPLER_H
#define HD_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

struct hdSampler;

/** What a sampler calls; all get the context of hdSamplerCreate(). */
struct hdSamplerCalls {
	/** A new interval begins now. */
	void (*begin)(void *context);
	/**
	 * Take a sample; the interval ends now.
	 *
	 * @param number The multiple of the interval that has come; of the last
	 *        sample before a stop, the one that has passed.
	 * @param isLast Whether the sampler is being stopped.
	 */
	void (*sample)(void *context, uint64_t number, bool isLast);
};

/** What a sampler did so far. */
struct hdSamplerCounts {
	/** Samples taken. */
	uint64_t samples;
	/** Deadlines that passed without a sample. */
	uint64_t late;
	/** CPU time of the thread in nanoseconds; of a shared one what its
	 *  samples took, and waking up for them. */
	int64_t cpuNs;
};

/**
 * Create a sampler; it is stopped.
 *
 * @param intervalNs Interval, at least 1.
 * @param calls What to call.
 * @param context Passed to the calls.
 * @param[out] result The sampler, to be given to hdSamplerDestroy().
 *
 * @retval -ENOMEM Out of memory.
 * @retval -EAGAIN No thread could be created.
 */
int hdSamplerCreate(int64_t intervalNs, const struct hdSamplerCalls *calls,
		    void *context, struct hdSampler **result);

/**
 * Create a sampler that has the thread of others like it; it is stopped.
 *
 * The calls must not wait for what may take long: the others would be late.
 *
 * @return As hdSamplerCreate().
 */
int hdSamplerCreateShared(int64_t intervalNs,
			  const struct hdSamplerCalls *calls, void *context,
			  struct hdSampler **result);

/**
 * Begin to take samples.
 *
 * @retval 1 It had been started already, or by a parent process.
 * @retval 0 It is started now.
 */
int hdSamplerStart(struct hdSampler *sampler);

/**
 * Take the last sample. Returns when it was taken.
 *
 * @retval 1 It had been stopped already, or is one of a parent process.
 * @retval 0 It is stopped now.
 */
int hdSamplerStop(struct hdSampler *sampler);

/** Get the counts so far; also from within the calls. In a child process: about
 *  those at the time of fork(). */
void hdSamplerGetCounts(struct hdSampler *sampler,
			struct hdSamplerCounts *counts);

/**
 * Stop and free a sampler; takes NULL. Returns at once whatever the interval.
 *
 * In a child process that inherited it by fork(): free it, without a sample.
 */
void hdSamplerDestroy(struct hdSampler *sampler);

#endif
