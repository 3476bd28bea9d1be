/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations as spans of W3C traces (doc/format/format.md, "W3C traces").
 *
 * In memory are 4 bytes of each relation. An object belongs to one thread at a
 * time, as its forest does.
 */
#ifndef HD_MODEL_RELATIONS_SPANS_H
#define HD_MODEL_RELATIONS_SPANS_H

#include "HDTraceTools/model/relations/forest.h"

/** Room for the id of a trace, and of a span, as text. */
#define SPANS_TRACE_SIZE 33
#define SPANS_SPAN_SIZE 17

struct spans;

/** Start; @p forest has ended, and outlives it. */
struct spans *spansNew(struct forest *forest);
/** Free it; NULL does nothing. */
void spansFree(struct spans *self);

/** Find out what there is to know. 0, or the negative errno of a temporary
 *  file. */
int spansFind(struct spans *self);

/**
 * Get the trace of a relation. What forestGet() gave is no longer valid.
 *
 * @param[out] trace Its id, 32 digits.
 * @param[out] flags Those that were received with it, or 1: it is recorded.
 *
 * @return As of spansFind().
 */
int spansTrace(struct spans *self, uint32_t number,
	       char trace[SPANS_TRACE_SIZE], unsigned int *flags);

/** Write the id of the span that a token stands for, 16 digits. */
void spansIdOf(const char *token, size_t length, char span[SPANS_SPAN_SIZE]);
/** Write the id of a trace that a text stands for. */
void spansTraceIdOf(const char *text, size_t length,
		    char trace[SPANS_TRACE_SIZE]);

#endif
