/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns while they are read, and tables of them.
 */
#ifndef HD_TABLES_COLUMN_H
#define HD_TABLES_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "HDTraceTools/tables/memory.h"

/** Most attributes of which a table has columns; so its size is bounded by that
 * of the file. */
#define TABLE_ATTRIBUTES_MAX 256

/** What a column holds. */
enum tableType {
	TABLE_INT32,
	TABLE_INT64,
	TABLE_UINT64,
	TABLE_UINT32,
	TABLE_FLOAT,
	TABLE_DOUBLE,
	TABLE_TIME, /**< Nanoseconds since 1970. */
	TABLE_TEXT, /**< Any bytes, and where each text ends. */
};

/** A column. */
struct tableColumn {
	char *name;
	enum tableType type;
	struct tableVector values; /**< Of a text: its bytes. */
	struct tableVector
		offsets; /**< Of a text: int32_t, one more than rows. */
	struct tableVector nulls; /**< A byte a row, 1: no value; or empty. */
	size_t count;             /**< Rows. */
};

/** Columns with the same number of rows. */
struct table {
	struct tableColumn *columns;
	size_t columnCount;
	size_t fixedCount; /**< Those that are no attributes. */
	size_t rows;       /**< That are complete. */
	size_t next;       /**< Where the next attribute probably is. */
	uint64_t lost;     /**< Attributes without a column. */
	int error;         /**< The first one, as a negative errno. */
};

/** Bytes of a value that is not a text. */
size_t tableTypeBytes(enum tableType type);

/** How Arrow's C interface names a type. */
const char *tableTypeFormat(enum tableType type);

/**
 * Add a column, which is fixed.
 *
 * @retval 0 Success.
 * @retval -ENOMEM No memory. It is also kept in the table.
 */
int tableAdd(struct table *table, const char *name, enum tableType type);

/** Append a value that is not a text to a fixed column; an error is kept. */
void tablePut(struct table *table, size_t column, const void *value);

/** Append a text; an error is kept: -EFBIG, if there are 2 GiB of it. */
void tablePutText(struct table *table, size_t column, const char *text,
		  size_t length);

/** Append that there is no value. */
void tablePutNull(struct table *table, size_t column);

/** Set an attribute of the current row: the first of a name counts. */
void tablePutAttribute(struct table *table, const char *name,
		       const char *value);

/** End the row: attributes that were not set have no value. */
void tableEndRow(struct table *table);

/** End the table: attributes get their types. Returns the error. */
int tableEnd(struct table *table);

/** Forget the rows, so that others can be appended: of a table without
 *  attributes. */
void tableRestart(struct table *table);

/** Free all columns. */
void tableFree(struct table *table);

#endif
