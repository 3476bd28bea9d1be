/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Printing: exact numbers, text that is safe on a terminal, CSV, JSON, tables.
 *
 * Everything goes to stdout, but for CSV and JSON that name a file; errors
 * stick to it and are found by toolFinish().
 */
#ifndef HD_OUTPUT_H
#define HD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <glib.h>

/** Room for any number or time. */
#define OUT_NUMBER_SIZE 64

/** How results are printed. */
enum outFormat {
	OUT_TEXT,
	OUT_CSV,
	OUT_JSON,
};

/** A 128 bit integer, for sums. */
typedef __int128 outInt128;

/* ---- Numbers and text -------------------------------------------------- */

/** Write a double with as few digits as read back to the same value. */
const char *outDouble(char *buffer, double value);

/** Write a float with as few digits as read back to the same value. */
const char *outFloat(char *buffer, float value);

/** Significant digits of numbers for people, unless the user asks for more. */
#define OUT_PRECISION 4
/** The most that a double has. */
#define OUT_PRECISION_MAX 17

/** Set the significant digits of numbers for people, 1 to OUT_PRECISION_MAX;
 *  for all output from now on. */
void outSetPrecision(int digits);
int outPrecision(void);

/** The decimals that give a number its significant digits; negative if digits
 *  before the point are beyond the precision. */
int outDecimals(double value);

/** Write a double for people with outPrecision() significant digits. Digits
 *  before the point are never cut, integers have no decimals (nor what differs
 *  from one by 1e-13 of it, as sums of doubles do), and numbers are written
 * with an exponent only if they are very large or small. */
const char *outRounded(char *buffer, double value);

/** Write a 128 bit integer. */
const char *outInteger(char *buffer, outInt128 value);

/** Write nanoseconds as seconds with nine decimals. */
const char *outSeconds(char *buffer, int64_t ns);

/** Write nanoseconds since the epoch as "2009-07-12 17:21:34.305", cut off. */
const char *outDate(char *buffer, int64_t ns, int decimals);

/** Write nanoseconds as a length for people: "60.081 s". */
const char *outDuration(char *buffer, int64_t ns);

/** Write a number of bytes for people: "76.3 kB". */
const char *outSize(char *buffer, int64_t bytes);

/**
 * Append text with escapes as in C for control characters, what is not UTF-8,
 * and what makes text look like another: marks of direction, ends of lines.
 */
void outAppendPrintable(GString *out, const char *text, size_t length);

/** Whether that appends the text as it is, since it is printable ASCII. */
bool outIsPlain(const char *text, size_t length);

/** Print text as outAppendPrintable() does. */
void outPrintable(const char *text);
/** Likewise, to a file. */
void outPrintableTo(FILE *file, const char *text);

/** Print a line, such as a message, as outAppendPrintable() does; names in it
 *  may come from anywhere. */
void outSay(FILE *file, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- CSV --------------------------------------------------------------- */

/** A line of CSV that is being written. */
struct outCsv {
	FILE *file; /**< Where to; NULL is stdout. */
	bool hasField;
};

/** Put an apostrophe before texts that a spreadsheet could take for formulas;
 *  holds for all CSV from now on. */
void outCsvSetSafe(bool isSafe);

void outCsvText(struct outCsv *csv, const char *text);
void outCsvBytes(struct outCsv *csv, const char *bytes, size_t length);
/** A field that needs no quotes, such as a number. */
void outCsvPlain(struct outCsv *csv, const char *text);
void outCsvEnd(struct outCsv *csv);
/** A whole line of plain fields, such as the header. */
void outCsvLine(struct outCsv *csv, const char *line);

/* ---- JSON -------------------------------------------------------------- */

/** Objects and arrays in each other: two for each element of a trace, of which
 *  the reading library accepts 1,000, and some around them. */
#define OUT_JSON_DEPTH 2100

/** JSON that is being written. Keys are NULL in arrays. */
struct outJson {
	FILE *file; /**< Where to; NULL is stdout. */
	/** For a script in a page: no '<' is written, and times are texts,
	 * since JavaScript would round them. */
	bool isInPage;
	unsigned int depth;
	bool hasMember[OUT_JSON_DEPTH];
	bool isFlat[OUT_JSON_DEPTH]; /**< On one line. */
	bool isArray[OUT_JSON_DEPTH];
};

/** The member "version" of all documents; it grows when a key changes its
 *  meaning or is removed. doc/json-keys.tsv lists the changes. */
#define OUT_JSON_VERSION 2

/** Begin a document: an object that starts with "schema" and "version".
 *
 * @param schema Name of the schema, such as "hdtrace-stat"; see doc/json.md.
 */
void outJsonDocument(struct outJson *json, const char *schema);
void outJsonObject(struct outJson *json, const char *key, bool isFlat);
void outJsonArray(struct outJson *json, const char *key, bool isFlat);
/** End the innermost object or array. */
void outJsonEnd(struct outJson *json);
/** NULL becomes null. */
void outJsonText(struct outJson *json, const char *key, const char *text);
void outJsonBytes(struct outJson *json, const char *key, const char *bytes,
		  size_t length);
/** A number that is written already, or true, false, null. */
void outJsonPlain(struct outJson *json, const char *key, const char *text);
void outJsonInteger(struct outJson *json, const char *key, int64_t value);
void outJsonBool(struct outJson *json, const char *key, bool value);
/** NaN becomes null; infinities 1e999 and -1e999, which read as such. */
void outJsonDouble(struct outJson *json, const char *key, double value);
/** Nanoseconds, as seconds with nine decimals. */
void outJsonSeconds(struct outJson *json, const char *key, int64_t ns);

/* ---- Tables ------------------------------------------------------------ */

/** A table for people; cells are collected, then printed aligned. */
struct outTable;

/**
 * Start a table.
 *
 * @param headings Column headings, NULL terminated, each beginning with '<'
 *        (left aligned), '>' (right) or '.' (at the decimal point); the list
 *        must stay.
 */
struct outTable *outTableNew(const char *const *headings);

/** Leave out a column when printing. */
void outTableHide(struct outTable *table, size_t column);

/** Add a cell, left to right, top to bottom. */
void outTableAdd(struct outTable *table, const char *text);

/**
 * Print the table and free it.
 *
 * @param indent Put before every line.
 * @param isColored Whether the headings are set in bold.
 */
void outTablePrint(struct outTable *table, const char *indent, bool isColored);

/** Free a table without printing it; NULL does nothing. */
void outTableFree(struct outTable *table);

#endif
