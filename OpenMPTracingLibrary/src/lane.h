/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A lane: the time line of a thread of OpenMP, and the constructs it is in.
 *
 * Each thread that OpenMP tells of has one. Its states are written into a trace
 * of this library, or into that which libhdMPI has for the thread; output.h.
 *
 * The runtime tells a worker that the region is over when the next one begins,
 * or never. So the thread that began the region ends the states of its workers
 * as soon as all have arrived; what is told later finds nothing open. For that
 * a lane has a lock, which is free but for that moment.
 */
#ifndef HD_OMP_LANE_H
#define HD_OMP_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "OpenMPTracingLibrary/src/code.h"

/** Constructs that can be open on a thread at a time; deeper ones are not
 *  recorded. */
#define OMP_DEPTH_MAX 256

/** What an open state is of. */
enum ompKind {
	OMP_PARALLEL, /**< A parallel region; team says which. */
	OMP_WORK,     /**< A work-sharing construct. */
	OMP_WAIT,     /**< At a barrier, or for tasks. */
	OMP_TASK,     /**< An explicit task; task says which. */
};

/** An open state. */
struct ompOpen {
	enum ompKind kind;
	bool isRecorded; /**< The output has it, and is to end it. */
	uint64_t task;   /**< Of OMP_TASK: its number. */
	/* Of OMP_PARALLEL: */
	struct ompTeam *team;
	int64_t barriers; /**< That the thread has come to. */
	int64_t cpu;      /**< CPU time of the thread at the begin, or -1. */
	int64_t cpuUsed;  /**< From then to the last barrier or task. */
};

/** A thread. */
struct ompLane {
	atomic_flag lock;
	void *output; /**< Where its states go, or NULL. */
	unsigned int number;
	unsigned int depth; /**< Open states, also those beyond the limit. */
	struct ompOpen open[OMP_DEPTH_MAX];
	uint64_t taskNext; /**< Numbers of tasks that it may give ... */
	uint64_t taskEnd;  /**< ... up to this one. */
	struct ompCodes codes;
	int64_t lockSince;      /**< When it began to wait for a lock. */
	bool hasEnded;          /**< The thread has. */
	struct ompLane *inTeam; /**< The next worker of its team. */
	struct ompLane *next;   /**< All lanes. */
};

/** A parallel region that is being executed. */
struct ompTeam {
	uint64_t id;                      /**< From 1, in this process. */
	struct ompLane *_Atomic(workers); /**< Those that began it. */
};

/** The calling thread's, made if there is none; NULL where nothing is
 *  recorded. */
struct ompLane *ompLaneGet(void);

/** The calling thread ends: end what is open. */
void ompLaneLeave(void);

/** End all lanes and their traces; nothing is recorded any more. */
void ompLanesEnd(void);

void ompLaneLock(struct ompLane *lane);
void ompLaneUnlock(struct ompLane *lane);

/**
 * Begin a state. The lane is locked, as for all that follow.
 *
 * @param lane Where.
 * @param name Its name.
 * @param when In nanoseconds since the epoch, or -1: now.
 *
 * @return What is open now, to be filled in; NULL beyond the limit of depth.
 *         Nothing is recorded of it where its isRecorded is false.
 */
struct ompOpen *ompLaneBegin(struct ompLane *lane, const char *name,
			     int64_t when);

/** End the innermost state; with CPU time if it is a region's. */
void ompLaneEnd(struct ompLane *lane, int64_t when);

/** The innermost open state, or NULL: none, or beyond the limit. */
struct ompOpen *ompLaneTop(struct ompLane *lane);

/**
 * Find an open state.
 *
 * @return At which depth from 1 it is, or 0.
 */
unsigned int ompLaneFindTeam(const struct ompLane *lane,
			     const struct ompTeam *team);
unsigned int ompLaneFindTask(const struct ompLane *lane, uint64_t task);

/** The innermost parallel region that is open, or NULL. */
struct ompOpen *ompLaneRegion(struct ompLane *lane);

/** End states until no more than this number is open. */
void ompLaneEndTo(struct ompLane *lane, unsigned int depth, int64_t when);

/** Add integers to the state that was begun last. */
void ompLaneAttributes(struct ompLane *lane, const char *keys,
		       const int64_t *values);

/** The thread has used this much CPU time, in nanoseconds. */
void ompLaneCpu(struct ompLane *lane, int64_t used);

/** Add a text to the state that was begun last. */
void ompLaneText(struct ompLane *lane, const char *key, const char *value);

#endif
