/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Describes the frames of a trace for its index while it is written.
 *
 * Only for what libhdTracing writes: each record is a line, in the order of
 * logging, and is well-formed. So it is enough to look at parts of the lines.
 * Other traces are described by hdI_indexTrace().
 */
#ifndef HD_TRACELINES_H
#define HD_TRACELINES_H

#include <stddef.h>

#include "common/format/traceindex.h"

struct hdTraceLines;

/** Create; NULL: no memory. */
struct hdTraceLines *hdTraceLinesCreate(void);

/** NULL does nothing. */
void hdTraceLinesFree(struct hdTraceLines *self);

/**
 * Describe the next frame. The first one is the header.
 *
 * @retval 0 @p part is set.
 * @retval -EINVAL It does not consist of whole lines, or not of those that
 *         libhdTracing writes: the trace can have no index.
 * @retval -ENOMEM No memory.
 */
int hdTraceLinesAdd(struct hdTraceLines *self, const char *bytes, size_t size,
		    struct hdTracePart *part);

#endif
