/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Workers: threads that do the operations of a component at a pace.
 */
#ifndef HD_LOAD_WORKER_H
#define HD_LOAD_WORKER_H

#include <pthread.h>
#include <stdatomic.h>

#include "LoadLevels/core/levels.h"
#include "LoadLevels/operations/arrivals.h"

/** What all workers share. */
struct hdLoadCrew {
	const struct hdLevelJob *job;
	int64_t startNs;
	atomic_bool isStopped;
	atomic_bool isEdgeLost;
	pthread_mutex_t lock; /**< With the condition: for pauses. */
	pthread_cond_t changed;
};

/** A worker; a thread runs hdLoadWorkerRun(). */
struct hdLoadWorker {
	struct hdLoadCrew *crew;
	const struct hdLoadKind *kind;
	int cpu;        /**< To be pinned to; -1: none. */
	hdTrace *trace; /**< Gets states `Load` and `Idle`; or NULL. */
	pthread_t thread;
	void *state;
	struct hdLoadArrivals arrivals;
	/** Share from 0 to 1 that the controller asks for in a phase; before,
	 *  the target counts. */
	_Atomic double share;
	_Atomic size_t sharePhase;
	double told; /**< Target of the last edge. */
	/** Amount per second at 100 %, and operations per second. */
	_Atomic double maximum;
	_Atomic double maximumOperations;
	_Atomic int64_t amount;      /**< Of HD_LOAD_HELD: what is held now. */
	_Atomic int64_t cpuNs;       /**< CPU time of the thread so far. */
	_Atomic int64_t *operations; /**< Done in each phase. */
	_Atomic int error;           /**< Negative errno. */
};

/** Run a worker to the end of the phases. @param context The worker. */
void *hdLoadWorkerRun(void *context);

#endif
