/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Time-independent traces: what each rank computes and communicates, without
 * times, as SimGrid's SMPI replays it.
 *
 * A rank has a text of lines "RANK ACTION ARGUMENT...". Computation between two
 * calls is an amount. A message has the sender and tag that were recorded, also
 * where any would have been received; each completed request is a wait of its
 * own, and a test that found nothing is left out. Tags of a communicator
 * differ from those of others, since SMPI's replay knows MPI_COMM_WORLD only.
 *
 * Collective calls of all ranks are SMPI's own. All others are messages, by
 * the algorithm in ticollective.c. A line "#NAME" tells the function of the
 * lines that follow up to "#" where their actions do not.
 *
 * A message of 2 GiB or more is several, but a collective call of all ranks
 * whose line depends on others is refused. Access to files is a sleep. What
 * cannot be replayed is left out and counted; a run whose ranks do not end, or
 * whose messages have no other end, is refused as a whole.
 */
#ifndef HD_TI_H
#define HD_TI_H

#include <stdbool.h>
#include <stdio.h>
#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/diagnostics.h"

/** Operations in a second, where no instructions were recorded. */
#define TI_SPEED 1e9

/** What computation is counted in. */
enum tiCompute { TI_INSTRUCTIONS, TI_CPU_TIME, TI_WALL_TIME };

struct ti;

/** Get ready; @p speed in operations per second. */
struct ti *tiNew(const hdIProject *project, double speed);

/** Free it; NULL does nothing. */
void tiFree(struct ti *self);

/** Ranks, from 0 on; 0: the project has none that could be replayed. */
size_t tiRanks(const struct ti *self);

/** What is read of a rank. */
const hdITraceFile *tiTrace(const struct ti *self, size_t rank);

/** Name of the host of a rank. */
const char *tiHost(const struct ti *self, size_t rank);

/** Read a rank, once, in any thread; 0 or a negative errno. */
int tiRead(struct ti *self, size_t rank, const struct diagnosticSink *sink);

/** All ranks were read: find out whether they fit. */
void tiJoin(struct ti *self);

/** Why the run cannot be replayed: array of char *, empty if it can. */
const GPtrArray *tiProblems(const struct ti *self);

/** Write the text of a rank, in any thread; 0 or a negative errno. Errors of
 *  the file are left to it. */
int tiWrite(const struct ti *self, size_t rank, FILE *file);

/** What became of calls of a function. */
struct tiFate {
	const char *function;
	const char *to; /**< Actions; NULL: it was refused. */
	uint64_t count;
};

/** What is known after tiJoin(). */
struct tiReport {
	enum tiCompute compute;
	GArray *fates; /**< struct tiFate, by function and actions. */
	uint64_t calls;
	uint64_t messages;    /**< That were sent one by one. */
	uint64_t synchronous; /**< Sends that waited for their receiver. */
	uint64_t estimated;   /**< Computations without a count. */
	int64_t start;        /**< End of the first MPI_Init ... */
	int64_t end;          /**< ... and start of the last MPI_Finalize. */
};

const struct tiReport *tiReport(const struct ti *self);

/** "instructions", "cpu_time" or "wall_time". */
const char *tiComputeName(enum tiCompute compute);

/** A line of a rank of a text of ti.h. */
struct tiLine {
	const char *action;
	const char *function; /**< Of MPI, or the action with a capital. */
	const char *arguments;
	uint64_t block; /**< The same for all lines of a call. */
};

/** Goes through the lines of a rank. */
struct tiLines;

/** Start; NULL: the file cannot be opened, errno is set. */
struct tiLines *tiLinesOpen(const char *path);

/** Get the next action, valid until the next call; false at the end. */
bool tiLinesNext(struct tiLines *self, struct tiLine *line);

/** Stop; NULL does nothing. */
void tiLinesClose(struct tiLines *self);

#endif
