/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Calls that ask whether something has happened: MPI_Test, MPI_Iprobe and such.
 *
 * Programs ask millions of times a second, and most of the time nothing has.
 * Calls that found nothing and follow each other are written as one state from
 * the beginning of the first to the end of the last. So the state of such a
 * call begins when it is known what it found, with the time that was taken
 * before; the call is "open" until then. What is not written yet goes before
 * everything else that its thread writes.
 *
 * Calls that ask and find nothing are merged: HPCC's RandomAccess asks two
 * million times a second, and wrote 580 MB of "nothing" a rank in ten
 * seconds. A call is merged only if no more than 10 us lie between it and
 * the one before, so that a state is true to that; the rest, the time really
 * inside, is an attribute. So each call has two times; with fewer, a long call
 * could not be distinguished from a pause, and nobody would know how much of
 * the state was inside.
 *
 * Programs ask in several ways in turn, too: an Iprobe, a Testall, an Iprobe,
 * and so on, each of which would have a state. Where that happens within a
 * millisecond they are one state all the same: of the function, where that is
 * one; else "Polls", with a number and a time for each function. What they have
 * in common besides is left out then.
 *
 * Of the time inside a part is the tracer's: it is measured when recording
 * starts, without the MPI function, and an attribute, too.
 *
 * The first two calls read the clock for that. Where the time stamp counter may
 * be trusted (tsc.h) those that follow read only that, which takes less than
 * half of the time; the end of the state is then placed between the clock's
 * readings before and after (ticks.h).
 */
#ifndef HDMPI_POLLING_H
#define HDMPI_POLLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "MPITracingLibrary/functions.h"
#include "common/ticks.h"

/** Numbers that are recorded of a call that found nothing. */
#define HDMPI_POLL_VALUES 2

/** So many functions ask, at most. */
#define HDMPI_POLL_KINDS 10

struct hdmpiCall;
struct hdmpiThread;

/** Calls of one function. */
struct hdmpiPollKind {
	enum hdmpiFunction function;
	uint64_t calls;
	int64_t inside; /**< Nanoseconds inside of them ... */
	/** ... but for those with ticks: how many these are, and their ticks.
	 */
	uint64_t tickCalls;
	int64_t insideTicks;
};

/** Calls of a thread that found nothing, and are not written yet. */
struct hdmpiPolls {
	bool isPending;         /**< There may be something to settle. */
	struct hdmpiCall *open; /**< NULL: none. */
	uint64_t calls;         /**< Not written yet. */
	int changes; /**< Short states before, each soon after the other. */
	struct hdmpiPollKind kinds[HDMPI_POLL_KINDS];
	int kindCount;    /**< Functions among them. */
	const char *keys; /**< Of what is recorded of each; NULL: nothing. */
	int64_t values[HDMPI_POLL_VALUES];
	int64_t site;  /**< -1: not asked for, or not one. */
	int64_t start; /**< Of the first. */
	int64_t end;   /**< Of the last. */
	/** Calls that follow, if they follow soon, have ticks for times; then
	 *  the one above is that of the calls that do not. */
	bool isByTicks;
	struct hdTickPoint from; /**< Behind the first calls. */
	int64_t endTicks;        /**< Of the last. */
	int64_t shortTicks;      /**< The state is short until then. */
	int64_t mostTicks;       /**< The state is long enough then. */
};

/** Whether a thread has something to settle. */
static inline bool hdmpiPollIsPending(const struct hdmpiPolls *polls)
{
	return polls->isPending;
}

/** MPI is about to be initialized: read clock and counter for the first time.
 */
void hdmpiPollsBegin(void);

/** It has been: find out whether the counter may be trusted, and how fast it
 *  goes. */
void hdmpiPollsStart(void);

/** Measure what the tracer takes of the time of each call; of a thread that
 *  records, and has not called MPI yet. */
void hdmpiPollsMeasure(struct hdmpiThread *self);

/**
 * A call that asks begins: take its time.
 *
 * @return False: that is not known.
 */
bool hdmpiPollBegin(struct hdmpiThread *self, struct hdmpiCall *call);

/** Write what a thread has not written yet, and the beginning of an open call;
 * before everything else that it writes. */
void hdmpiPollSettle(struct hdmpiThread *self);

/**
 * An open call has returned.
 *
 * @param keys What is recorded of it if it found nothing, as of
 *        hdT_logAttributesInt64(); NULL if it found something. A call whose
 *        @p keys are the same pointer is like this one.
 * @param values HDMPI_POLL_VALUES numbers, of which there may be less keys.
 */
void hdmpiPollEnd(struct hdmpiCall *call, const char *keys,
		  const int64_t *values);

#endif
