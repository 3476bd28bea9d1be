/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulator writes down: the dialogue, and the truth.
 */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "tests/sim/sink.h"

#define SIM_SECOND_NS 1000000000

/** Nanoseconds of the monotonic clock. */
int64_t simNow(void);

/** Where to write; either may be NULL. */
struct simRecord {
	struct simSink *log;
	struct simSink *truth;
	int64_t start; /**< Monotonic time of the line with time 0. */
};

/**
 * Open the files.
 *
 * @return Whether that worked; if not, @p error tells.
 */
bool simRecordOpen(struct simRecord *record, const char *log, const char *truth,
		   GError **error);

/** Close the files; whether all could be written. */
bool simRecordClose(struct simRecord *record);

/** Bytes to the meter ('>') or from it ('<'), one line of the log a line. */
void simRecordBytes(struct simRecord *record, char direction, const void *bytes,
		    size_t length);

/** Anything else that happens: a comment in the log. */
void simRecordEvent(struct simRecord *record, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/** A comment in the truth. */
void simRecordTruth(struct simRecord *record, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/** The time 0 of laws, given as monotonic time, for the truth. */
void simRecordOrigin(struct simRecord *record, int64_t origin);

/**
 * A message of continuous mode, for the truth.
 *
 * @param start, end Monotonic times of the cycle.
 * @param fate What became of it: one word.
 * @param values The struct simItem that it has.
 */
void simRecordCycle(struct simRecord *record, uint64_t number,
		    unsigned int count, int64_t start, int64_t end,
		    const char *fate, const GArray *values);

#endif
