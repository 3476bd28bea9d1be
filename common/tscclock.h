/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The clock of files, read from the time stamp counter of the processor.
 *
 * A clock is a function of the counter: straight pieces that meet, so that it
 * never goes back. It is compared with the clock of files (hdClockSteady()) by
 * whoever reads it when that is due: soon after the beginning, then four times
 * a second. What was found to be wrong is taken back bit by bit in the time
 * that follows, by 500 ppm at most; meanwhile the clock goes on. Only where it
 * is wrong by more than 10 ms, because somebody slews the system's clocks
 * faster than that, or the machine slept, does it jump after that clock.
 *
 * Who reads the clock does not wait until the processor is done with what was
 * before, which would take as long as it takes to ask the system. So the times
 * of one thread are in order; those of a cause and its effect in two threads
 * are but for some tens of nanoseconds.
 *
 * A change is announced, then published, and begins a little later, when all
 * threads know it. Where whoever does this is stopped in between for longer,
 * the first who reads a time from the beginning on withdraws the change, and it
 * is made another time: so nobody reads a time that is before what anybody has
 * read before. No lock is taken: the pieces are in two plans, of which the one
 * that is read is never changed. Who forks, or is a signal handler, may go on
 * reading.
 */
#ifndef HD_TSCCLOCK_H
#define HD_TSCCLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/clock.h"

#define HD_TSC_PIECES 3

/** From a tick on the clock goes on at a rate. */
struct hdTscPiece {
	_Atomic(uint64_t) ticks;
	_Atomic(int64_t) ns;
	_Atomic(uint64_t) rate; /**< 2^-40 ns a tick. */
};

struct hdTscPlan {
	struct hdTscPiece pieces[HD_TSC_PIECES]; /**< By time. */
};

/** What is compared; tests make their own. */
struct hdTscSource {
	uint64_t (*ticks)(void); /**< For comparisons. */
	uint64_t (*early)(void); /**< To read the clock. */
	/** The system's wall clock in ns, or -1. */
	int64_t (*wall)(void);
};

/** Both at one moment. */
struct hdTscMoment {
	uint64_t ticks;
	int64_t ns;
	uint64_t width; /**< Ticks in which it lies. */
};

struct hdTscClock {
	/** Grows with each change: the second of its bits says which plan is
	 *  read, the last one that the other one is announced. */
	_Atomic(unsigned int) version;
	/** When it is to be compared, or, if that is before, when the change
	 *  begins that is announced. */
	_Atomic(uint64_t) due;
	struct hdTscPlan plans[2];
	_Atomic(int64_t) error; /**< Largest that was seen, in ns. */
	_Atomic(int64_t) drift; /**< See hdTscClockDrift(). */
	_Atomic(int) holder;    /**< Process that compares it, or 0. */
	uint64_t usual;         /**< Ticks between comparisons, in the end. */
	/* The holder's. */
	uint64_t period;          /**< And now. */
	uint64_t firstRate;       /**< As it was measured in the beginning. */
	struct hdTscMoment first; /**< What drift counts from. */
	bool isFirstFixed;        /**< Its rate is known well. */
	struct hdTscMoment base;  /**< What the rate is measured from. */
	int64_t stepped;          /**< Sum of jumps since the first. */
};

/**
 * Compare both clocks: the closest of some tries.
 *
 * @return Whether the wall clock could be read.
 */
bool hdTscMomentTake(const struct hdTscSource *source,
		     struct hdTscMoment *moment);

/**
 * Begin a clock.
 *
 * @param clock All zero.
 * @param tickNs Nanoseconds of a tick, about.
 * @param moment What it shows now.
 *
 * @return Whether this is a rate that a counter has.
 */
bool hdTscClockBegin(struct hdTscClock *clock, double tickNs,
		     const struct hdTscMoment *moment);

/** Read a clock, and compare it where that is due; ns, or -1. Any thread. */
int64_t hdTscClockNs(struct hdTscClock *clock,
		     const struct hdTscSource *source);

/** The largest difference from the wall clock that was found, and what that
 *  may be wrong by, in ns. */
int64_t hdTscClockError(const struct hdTscClock *clock);

/** By how much the counter would be wrong now if its rate had been left at
 *  what was measured in the beginning, in ns. */
int64_t hdTscClockDrift(const struct hdTscClock *clock);

/* ---- The clock of the process ---------------------------------------------
 */

/**
 * Read the wall clock from the counter of this machine from now on, if it may
 * be trusted. It is tried once; any thread. A clock that was set before stays.
 *
 * @return NULL, or why it may not.
 */
const char *hdTscClockUse(void);

/** The same if the environment says HDTRACE_CLOCK=tsc, for libraries that have
 *  times of their own: who writes the files says what was wrong. */
void hdTscClockFollow(void);

/** The clock that hdClockNow() reads, or NULL: it is not the counter. */
const struct hdTscClock *hdTscClockUsed(void);

#endif
