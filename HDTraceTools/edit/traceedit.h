/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writes a trace anew from its records. States inside a state that was lost
 * move up to where it would stand.
 */
#ifndef HD_EDIT_TRACEEDIT_H
#define HD_EDIT_TRACEEDIT_H

#include <stdint.h>
#include <stdio.h>
#include <glib.h>

#include <hdReading.h>

/** A trace that is being written. */
struct traceEdit {
	FILE *file;
	int64_t written; /**< Bytes so far. */
	int64_t base;    /**< Times are relative to it. */
	/** Where the tags of the open Nested blocks stand: int64_t. */
	GArray *open;
	GArray *lifted; /**< Tags that must become blanks: int64_t. */
};

/** Begin; traceEditEnd() is to be called. @p file can be read and written. */
void traceEditBegin(struct traceEdit *writer, FILE *file);

/** Write the element that holds all, first. NULL: its attributes are lost. */
void traceEditProgram(struct traceEdit *writer, const hdIAttribute *attributes,
		      size_t count);

/**
 * Write a state or an event.
 *
 * @param lost How many Nested blocks that came before have no owner.
 */
void traceEditRecord(struct traceEdit *writer, const hdIRecord *record,
		     size_t lost);

/** End the trace, with the blocks that are open; 0 or a negative errno. */
int traceEditEnd(struct traceEdit *writer);

#endif
