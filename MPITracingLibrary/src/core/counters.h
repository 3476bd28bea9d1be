/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Events of the processor in MPI calls, and between them.
 *
 * A thread opens its counters at its first recorded call. A call of the program
 * (not what runs inside of another one) gets what was counted in it as
 * attributes of its state, and what was counted since the last such call ended,
 * as "outside...". Neither has what recording takes. Calls that poll get none:
 * most of them have no state of their own; theirs is outside. A child of fork()
 * counts nothing.
 */
#ifndef HDMPI_COUNTERS_H
#define HDMPI_COUNTERS_H

#include <stdbool.h>

#include "common/perfset.h"

/** Of a thread; all zero: nothing yet. */
struct hdmpiCounters {
	bool wasTried;
	bool isInside;  /**< A call has begun that gets events. */
	bool hasBefore; /**< One has ended. */
	struct hdPerfSet set;
	struct hdPerfPoint before; /**< Where the last call ended ... */
	struct hdPerfPoint begin;  /**< ... and this one began ... */
	struct hdPerfPoint end;    /**< ... and ended. */
};

struct hdmpiThread;

/** The state of a call of the calling thread has begun. */
void hdmpiCountersBegin(struct hdmpiThread *self);

/** The MPI function has returned. */
void hdmpiCountersStop(struct hdmpiThread *self);

/** The state of the call is about to end. */
void hdmpiCountersEnd(struct hdmpiThread *self);

/** The state has ended. */
void hdmpiCountersLeave(struct hdmpiThread *self);

/** The thread has ended, or everything. */
void hdmpiCountersClose(struct hdmpiCounters *self);

/** In a child of fork(): the counters are the parent's, and their pages are not
 *  here. The thread counts no more. */
void hdmpiCountersChild(struct hdmpiCounters *self);

#endif
