/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing files of Arrow: its IPC file format, version 5 of the metadata
 * (https://arrow.apache.org/docs/format/Columnar.html, Schema.fbs, Message.fbs
 * and File.fbs).
 *
 * Errors of writing are those of the stream, which its owner looks at.
 */
#ifndef HD_EXPORT_ARROW_IPC_H
#define HD_EXPORT_ARROW_IPC_H

#include <stdint.h>
#include <stdio.h>
#include <glib.h>

#include "HDTraceTools/tables/column.h"

/** A column of a file. */
struct ipcField {
	const char *name;
	enum tableType type;
	GPtrArray *metadata; /**< Names and texts by turns; or NULL. */
};

/** What a file has. The fields stay the caller's. */
struct ipcSchema {
	const struct ipcField *fields;
	size_t count;
	GPtrArray *metadata; /**< Of the whole table; or NULL. */
};

/** A file that is being written. */
struct ipcFile {
	FILE *out;
	const struct ipcSchema *schema;
	uint64_t written; /**< Bytes so far. */
	GArray *batches;  /**< Where they are, as the end of the file has it. */
};

/** Begin a file: the schema stays valid until ipcEnd(). */
void ipcBegin(struct ipcFile *self, FILE *out, const struct ipcSchema *schema);

/**
 * Write the rows of a table, whose columns are those of the schema.
 *
 * @return 0, or -EFBIG: with U+FFFD for bytes that are not UTF-8, a text column
 *         has 2 GiB or more; -ENOMEM.
 */
int ipcBatch(struct ipcFile *self, const struct table *table);

/** End the file, and free what it needed. */
void ipcEnd(struct ipcFile *self);

#endif
