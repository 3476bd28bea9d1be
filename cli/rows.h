/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Rows of the same columns, printed as a table for people, as CSV, or as
 * objects in JSON.
 *
 * A command lists its columns once, sets the cells of a row by their numbers,
 * and ends the row. What is not set is unknown: "" or "-" in text, empty in
 * CSV, null in JSON.
 */
#ifndef HD_CLI_ROWS_H
#define HD_CLI_ROWS_H

#include <stdbool.h>
#include <inttypes.h>

#include "cli/output.h"

/** What cells are, and so how they are written. */
enum rowKind {
	ROW_TEXT,     /**< In CSV with quotes, where needed. */
	ROW_COUNT,    /**< An integer. */
	ROW_NUMBER,   /**< An integer, or a double: rounded for people. */
	ROW_TIME,     /**< Nanoseconds, as seconds. */
	ROW_DURATION, /**< Likewise; for people with a unit. */
	ROW_FLAG,     /**< Yes or no; 1 or 0 in CSV. */
};

/** Where a column is left out, and what else is special. */
enum rowFlags {
	ROW_NOT_CSV = 1,
	ROW_NOT_JSON = 2,
	ROW_OPTIONAL = 4, /**< Not in JSON where it is unknown. */
	ROW_DASH = 8,     /**< "-" in text where it is unknown. */
};

/** A column. */
struct rowColumn {
	const char *heading; /**< As of outTableNew(); NULL: not in text. */
	const char *key;     /**< In CSV and JSON; NULL: in neither. */
	enum rowKind kind;
	unsigned int flags; /**< Of enum rowFlags. */
	const char *csvKey; /**< In CSV, if it differs from the key; or NULL. */
};

struct rows;

/**
 * Start with no rows.
 *
 * @param columns Ends with one that has neither heading nor key; stays.
 * @param json Where objects go, in an array that is open there; may be NULL if
 *        the format is not JSON.
 */
struct rows *rowsNew(const struct rowColumn *columns, enum outFormat format,
		     struct outJson *json);

/** Free it; what is not printed is lost. NULL does nothing. */
void rowsFree(struct rows *self);

/** Print the line of headings, if the format is CSV. */
void rowsHeader(const struct rows *self);

/* Set a cell of the row that is next; texts are copied. A NULL, a NaN, and with
 * rowsTime() a time that is not known, leave it unknown. */
void rowsText(struct rows *self, size_t column, const char *text);
void rowsCount(struct rows *self, size_t column, uint64_t count);
void rowsInteger(struct rows *self, size_t column, outInt128 integer);
void rowsNumber(struct rows *self, size_t column, double number);
void rowsTime(struct rows *self, size_t column, int64_t ns);
void rowsFlag(struct rows *self, size_t column, bool flag);

/** Say what people read in a cell instead of what programs do. */
void rowsShow(struct rows *self, size_t column, const char *text);

/** Print the row, or keep it for the table; the next one is empty again. */
void rowsEnd(struct rows *self);

/** The same, but the object in JSON is left open for more members: to be ended
 *  with outJsonEnd(). */
void rowsPut(struct rows *self);

/** Leave a column out of the table. */
void rowsHide(struct rows *self, size_t column);

/** Print the table, if the format is text, and forget its rows. */
void rowsPrint(struct rows *self, const char *indent, bool isColored);

#endif
