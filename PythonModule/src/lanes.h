/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * States of a Python program: in the traces of libhdMPI, if it records the
 * program, or in a project of our own.
 *
 * Each thread has a lane. The interpreter's lock is held in all calls, but for
 * the end of a thread.
 */
#ifndef HD_PYTHON_LANES_H
#define HD_PYTHON_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/record.h"

/** Where a project of our own is, and its labels. */
struct hdPyPlace {
	const char *project; /**< NULL: named after the program. */
	const char *program; /**< The name of the program. */
	const char *host;    /**< NULL: the name of this host. */
	const char *rank;    /**< NULL: that of MPI, or 0. */
};

/**
 * Begin to record. Without this call, the first state begins with an empty
 * place.
 *
 * @return An errno of hdError.h or errno.h; 0 is success. EALREADY: it has
 * begun.
 */
int hdPyLanesStart(const struct hdPyPlace *place);

/**
 * Begin a state of the calling thread.
 *
 * @param name Any text. If it is not the name of a state, characters are
 * replaced by
 *        "_", and the attribute name has the text.
 *
 * @return A number to end it with; 0: nothing is recorded.
 */
uint64_t hdPyLanesBegin(const char *name);

/** End a state, and those that were begun in it. One that has ended is ignored.
 */
void hdPyLanesEnd(uint64_t state);

/** Whether a state is the innermost one of its thread. */
bool hdPyLanesIsInnermost(uint64_t state);

/** Add attributes to the innermost state of the calling thread. */
void hdPyLanesPutInteger(const char *key, int64_t value);
void hdPyLanesPutDouble(const char *key, double value);
void hdPyLanesPutText(const char *key, const char *value);

/** Record an event in the trace of the calling thread. */
void hdPyLanesEvent(const char *name);

/**
 * Create a group at the node of the process.
 *
 * @param[out] number To write to it with. hdPyLanesStop() ends the group.
 *
 * @return An errno as above. ENOTSUP: libhdMPI records the program, and only it
 * knows the name of the project.
 */
int hdPyLanesGroup(const char *name, const struct hdRecordColumn *columns,
		   size_t count, uint64_t *number);

/** Write an entry, a cell for each column; false if the group has ended or has
 * another number of columns. */
bool hdPyLanesWrite(uint64_t number, const union hdCell *cells, size_t count);

/** End all traces and groups. Returns the first error since the start. */
int hdPyLanesStop(void);

/** The project of our own, as a path without ".proj", or NULL. */
const char *hdPyLanesProject(void);

#endif
