/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The terms of a query, between its parser and its evaluation.
 */
#ifndef HD_CHOICE_QUERYTERMS_H
#define HD_CHOICE_QUERYTERMS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/** What a term asks about; each is a line of the table in queryparse.c. */
enum queryKey {
	QUERY_NAME,
	QUERY_NODE,
	QUERY_RANK,
	QUERY_THREAD,
	QUERY_GROUP,
	QUERY_DURATION,
	QUERY_FROM,
	QUERY_TO,
	QUERY_WAIT,
	QUERY_ATTRIBUTE
};

enum queryOperator {
	QUERY_EQUAL,
	QUERY_UNEQUAL,
	QUERY_LESS,
	QUERY_LESS_EQUAL,
	QUERY_GREATER,
	QUERY_GREATER_EQUAL,
	QUERY_CONTAINS
};

enum queryForm {
	QUERY_LITERAL,
	QUERY_PATTERN,
	QUERY_NUMBER, /**< low; equal texts match as well. */
	QUERY_RANGE   /**< From low to high. */
};

struct queryNumber {
	bool isWhole;  /**< whole is exact. */
	bool isSince;  /**< A time since 1970, not since the start. */
	int64_t whole; /**< Times are in ns. */
	double real;
};

struct queryValue {
	enum queryForm form;
	char *text;
	struct queryNumber low;
	struct queryNumber high;
};

struct queryTerm {
	enum queryKey key;
	enum queryOperator operator;
	char *attribute; /**< Of QUERY_ATTRIBUTE. */
	GArray *values;  /**< struct queryValue */
};

struct query {
	GArray *terms; /**< struct queryTerm */
	int64_t start;
};

/** Whether a text matches a pattern: "*" is any text, "?" any character,
 *  "[a-z]" and "[!a-z]" are sets, and a character after "\" is itself.
 *
 * @param isFolded Letters of ASCII match in both cases. */
bool queryMatchPattern(const char *pattern, const char *text, bool isFolded);

/** Whether a pattern matches only one text, itself. */
bool queryIsLiteral(const char *pattern);

/** Parse a whole text as a decimal number.
 *
 * @param hasUnits A factor may follow: "k" to "E", "Ki" to "Ei", and "B". */
bool queryParseNumber(const char *text, bool hasUnits,
		      struct queryNumber *number);

#endif
