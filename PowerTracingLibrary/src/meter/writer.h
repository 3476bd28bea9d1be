/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From the readings of a meter to the statistics groups of the nodes.
 *
 * Used by one thread at a time; ptWriterResult() by any.
 */
#ifndef PT_WRITER_H
#define PT_WRITER_H

#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/meter/sink.h"
#include "recording/integral.h"

struct ptWriter;

/**
 * Create the files.
 *
 * @param config Lives as long as the writer; its columns as the device's open()
 *        has filled them in.
 * @param found What the device's open() found; not used later.
 * @param topology The caller's, or NULL for that of the configuration.
 *
 * @return 0, PT_EMEMORY, or PT_EHDLIB with errno.
 */
int ptWriterCreate(const struct ptConfig *config, const struct ptFound *found,
		   hdTopology *topology, struct ptWriter **result);

/** Get the sink to be given to ptMeterAddSink(). */
struct ptSink *ptWriterSink(struct ptWriter *writer);

/** What a column was, over the intervals of the entries in the file. */
struct ptResult {
	struct hdIntegral
		total; /**< Value times s, and how long it is known. */
	/** From the first entry to the last one, or until now if something is
	 *  missing since then. */
	int64_t durationNs;
};

/** Get what a column was so far. */
struct ptResult ptWriterResult(struct ptWriter *writer, size_t column);

/** Get the number of times that were replaced since the clock stepped back. */
uint64_t ptWriterSteps(struct ptWriter *writer);

/**
 * Close the files and free it; takes NULL.
 *
 * @retval -1 Something could not be written.
 */
int ptWriterDestroy(struct ptWriter *writer);

#endif
