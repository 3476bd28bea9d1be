/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Load of CPUs: a thread on each, busy as a plan says.
 *
 * All threads have one start and absolute deadlines, so their edges stay
 * together and do not drift. Full load computes without a break. Of a level in
 * between a thread computes at the begin of each short period, for as long as
 * its CPU time is behind: what other programs took from it, it takes back as
 * far as there is time, up to a second.
 *
 * A load belongs to the thread that started it.
 */
#ifndef HD_LOAD_LOAD_H
#define HD_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <hdTrace.h>
#include "LoadLevels/core/plan.h"

/** Period of levels between nothing and all: shorter than meters' cycles. */
#define HD_LOAD_PERIOD_NS INT64_C(5000000)

/** More CPUs than any machine has. */
#define HD_LOAD_CPUS_MAX 4096

struct hdLoad;

/** What a CPU did. */
struct hdLoadUse {
	int64_t wantedNs; /**< Level times time, until the end. */
	int64_t cpuNs;    /**< CPU time of the thread. */
	int64_t lateNs;   /**< How late the latest edge was. */
	bool isEdgeLost;  /**< One could not be told. */
};

/**
 * Start a load.
 *
 * @param cpus Numbers of CPUs; threads are pinned to them.
 * @param plan What to do. It has to stay until the load is stopped.
 * @param traces Of each CPU, where its states go: `Load` with its `level`, and
 *        `Idle`, from edge to edge as they happened; NULL: nowhere.
 * @param[out] result The load, to be given to hdLoadStop().
 *
 * @retval -ENOMEM Out of memory.
 * @return Another negative errno: the threads cannot be created, or -EINVAL:
 *         this process may not use one of the CPUs.
 */
int hdLoadStart(const int *cpus, size_t count, const struct hdLoadPlan *plan,
		hdTrace *const *traces, struct hdLoad **result);

/** Wait until the plan is through. */
void hdLoadWait(struct hdLoad *load);

/** End a load, at once if it is not through; @p uses, of each CPU, may be
 *  NULL. */
void hdLoadStop(struct hdLoad *load, struct hdLoadUse *uses);

/** Compute something for some microseconds. */
void hdLoadCompute(void);

/** Pin the calling thread to a CPU. @return 0, or negative errno. */
int hdLoadPin(int cpu);

/** Ask whether the calling thread may be pinned to CPUs, each. @return 0, or
 *  negative errno. */
int hdLoadCheck(const int *cpus, size_t count);

/** Get the CPUs that this process may use, at most @p room; returns their
 *  number; 0: they cannot be told. */
size_t hdLoadCpus(int *cpus, size_t room);

#endif
