/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * States that stand for many calls that found nothing.
 *
 * libhdMPI writes such calls as one state, from the start of the first one to
 * the end of the last one (doc/format). Only the time inside of the calls is
 * theirs, less what the tracer took of that; the rest is what the program did
 * between them, and belongs to what is around the state. Calls of several
 * functions are one state "Polls", which counts as states of these functions;
 * so is "Profile", of all calls after a trace has reached its limit (hdmpirun
 * --limit).
 *
 * In exports and pages, where a state is an interval, the parts follow each
 * other from the start of the state on.
 */
#ifndef HD_POLLS_H
#define HD_POLLS_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>

/** The name of states in which the tracer works for itself: they are neither
 *  the program's nor MPI's. */
#define POLLS_TRACER "Tracer"

/** More functions in one state are not read. */
#define POLLS_PARTS 64

/** What the calls of one function took; or the tracer. */
struct pollsPart {
	char name[64];
	uint64_t calls;
	int64_t time;
};

/**
 * Find out what a state is made of.
 *
 * @return The number of parts, the tracer's last; 0: it is a state like others,
 *         whose time is its own.
 */
size_t pollsParts(const hdIRecord *record,
		  struct pollsPart parts[POLLS_PARTS + 1]);

/** How many calls a state stands for. */
uint64_t pollsCalls(const hdIRecord *record);

/** Whether states of a name stand for calls of several functions, at a time or
 *  of all that a trace is too large for. */
bool pollsIsMixed(const char *name);

/** Whether a function of MPI tells whether something has come, and does not
 * wait for it. */
bool pollsIsTest(const char *name);

/** Whether states of a name are the tracer's. */
bool pollsIsTracer(const char *name);

#endif
