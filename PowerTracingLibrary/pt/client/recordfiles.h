/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The project that "pt record" writes: statistics groups of the nodes.
 *
 * A node has a group for each device that measures it: "Energy", "Energy-2",
 * and so on. Used by one thread at a time.
 *
 * pt record ends a file whose readings are missing at the end with a gap and
 * an entry without values, for readers see a gap only before an entry.
 */
#ifndef PT_RECORDFILES_H
#define PT_RECORDFILES_H

#include <glib.h>

#include "PowerTracingLibrary/client/core/recorder.h"

/** What the user wants. */
struct recordFilesSetup {
	const char *project; /**< What is written. */
	const char *name;    /**< The same for messages. */
	const char *server;  /**< Its address, for who reads the project. */
};

struct recordFiles;

/**
 * Create the project file and the groups.
 *
 * @param groups Live as long as the files.
 *
 * @return 0 or a negative errno value after a message.
 */
int recordFilesCreate(const struct recordFilesSetup *setup,
		      const struct ptRecorderGroup *groups, size_t count,
		      const struct ptRemoteClock *clock,
		      struct recordFiles **result);

/**
 * Write a reading of a group of the recorder.
 *
 * @param[out] recorded The reading, over the interval of its entry: that begins
 *             where the one before has ended, or where recording went on.
 *
 * @return Whether it was written.
 */
bool recordFilesAdd(struct recordFiles *files, size_t group,
		    const struct ptRecorderReading *reading,
		    struct ptRecorderReading *recorded);

/** Something is missing before the next reading. */
void recordFilesGap(struct recordFiles *files, size_t group);

/**
 * Close everything; takes NULL. Where readings are missing at the end there is
 * a gap until then.
 *
 * @retval -EIO Something could not be written.
 */
int recordFilesEnd(struct recordFiles *files, int64_t untilNs);

#endif
