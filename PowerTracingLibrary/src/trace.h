/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A power trace: a meter, its writer, and the thread that goes between.
 */
#ifndef PT_TRACE_H
#define PT_TRACE_H

#include <PT.h>
#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/src/meter/meter.h"
#include "PowerTracingLibrary/src/meter/writer.h"

/**
 * Create a trace from a configuration that was read.
 *
 * @param config Taken over if that succeeds, and left empty.
 * @param topology The caller's, or NULL for that of the configuration.
 * @param root As of struct ptSetup; lives as long as the trace.
 *
 * @return 0, or one of the public error values.
 */
int ptTraceCreate(struct ptConfig *config, hdTopology *topology,
		  const char *root, PowerTrace **result);

/** Get the configuration. */
const struct ptConfig *ptTraceConfig(const PowerTrace *trace);

/** Get what happened so far. */
void ptTraceCounts(PowerTrace *trace, struct ptCounts *counts);

/** As ptWriterResult(). */
struct ptResult ptTraceResult(PowerTrace *trace, size_t column);

#endif
