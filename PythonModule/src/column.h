/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns while they are read, and tables of them.
 */
#ifndef HD_PYTHON_COLUMN_H
#define HD_PYTHON_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "PythonModule/src/memory.h"

/** Most attributes of which a table has columns; so its size is bounded by that
 * of the file. */
#define HDPY_ATTRIBUTES_MAX 256

/** What a column holds. */
enum hdPyType {
	HDPY_INT32,
	HDPY_INT64,
	HDPY_UINT64,
	HDPY_UINT32,
	HDPY_FLOAT,
	HDPY_DOUBLE,
	HDPY_TIME, /**< Nanoseconds since 1970. */
	HDPY_TEXT, /**< Any bytes, and where each text ends. */
};

/** A column. */
struct hdPyColumn {
	char *name;
	enum hdPyType type;
	struct hdPyVector values; /**< Of a text: its bytes. */
	struct hdPyVector
		offsets;         /**< Of a text: int32_t, one more than rows. */
	struct hdPyVector nulls; /**< A byte a row, 1: no value; or empty. */
	size_t count;            /**< Rows. */
};

/** Columns with the same number of rows. */
struct hdPyTable {
	struct hdPyColumn *columns;
	size_t columnCount;
	size_t fixedCount; /**< Those that are no attributes. */
	size_t rows;       /**< That are complete. */
	size_t next;       /**< Where the next attribute probably is. */
	uint64_t lost;     /**< Attributes without a column. */
	int error;         /**< The first one, as a negative errno. */
};

/** Bytes of a value that is not a text. */
size_t hdPyTypeBytes(enum hdPyType type);

/** How Arrow's C interface names a type. */
const char *hdPyTypeFormat(enum hdPyType type);

/**
 * Add a column, which is fixed.
 *
 * @retval 0 Success.
 * @retval -ENOMEM No memory. It is also kept in the table.
 */
int hdPyTableAdd(struct hdPyTable *table, const char *name, enum hdPyType type);

/** Append a value that is not a text to a fixed column; an error is kept. */
void hdPyTablePut(struct hdPyTable *table, size_t column, const void *value);

/** Append a text; an error is kept: -EFBIG, if there are 2 GiB of it. */
void hdPyTablePutText(struct hdPyTable *table, size_t column, const char *text,
		      size_t length);

/** Append that there is no value. */
void hdPyTablePutNull(struct hdPyTable *table, size_t column);

/** Set an attribute of the current row: the first of a name counts. */
void hdPyTablePutAttribute(struct hdPyTable *table, const char *name,
			   const char *value);

/** End the row: attributes that were not set have no value. */
void hdPyTableEndRow(struct hdPyTable *table);

/** End the table: attributes get their types. Returns the error. */
int hdPyTableEnd(struct hdPyTable *table);

/** Free all columns. */
void hdPyTableFree(struct hdPyTable *table);

#endif
