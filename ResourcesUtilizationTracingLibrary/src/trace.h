/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A utilization trace: sources, a statistics group, and a sampler.
 *
 * libRUT's values of single CPUs, interfaces and disks are limited only by
 * the header of a statistics file (100,000 bytes, about 1,400 values). Where
 * those of a source do not fit they are left out with a warning; sums always
 * fit. The macros RUT_MAX_* of the thesis are such upper bounds, for the
 * arrays of old programs; nothing is sized by them.
 */
#ifndef RUT_TRACE_H
#define RUT_TRACE_H

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/**
 * Create a trace from certain sources.
 *
 * @param list Kinds of sources; ends with NULL. Those that are not wanted are
 *        left out, and those that do not work here.
 * @param setup What the sources need; its interval is that of the trace.
 *
 * @return 0, or one of the public error values.
 */
int rutTraceCreate(hdTopoNode *node, int level,
		   const struct rutSource *const *list,
		   const struct rutSetup *setup, UtilTrace **result);

/** Get the values of the trace. */
const struct rutColumns *rutTraceColumns(const UtilTrace *trace);

/**
 * Get the sum of a value that is an amount, or the mean over time of another,
 * while it is known (NaN: never).
 *
 * Only while the trace is stopped.
 *
 * @param[out] seconds Traced time; may be NULL.
 */
double rutTraceResult(const UtilTrace *trace, size_t column, double *seconds);

/** Get what tracing cost so far. */
void rutTraceCost(UtilTrace *trace, int64_t *cpuNs, uint64_t *late,
		  uint64_t *samples);

#endif
