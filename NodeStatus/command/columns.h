/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values of a node's status are recorded, and what they are: those of
 * libRUT, by its names, units and kinds.
 */
#ifndef HD_NODE_COLUMNS_H
#define HD_NODE_COLUMNS_H

#include <jansson.h>

#include "recording/record.h"

struct nodePlace;

/** A column, and where its number is. */
struct nodeColumn {
	struct hdRecordColumn column;
	char *name;
	const struct nodePlace *place; /**< NULL: of what is not placed. */
	char *unit;
	size_t at; /**< Where the unit is in its array, as a rule. */
};

struct nodeColumns {
	struct nodeColumn *list;
	size_t count;
	size_t length; /**< Of what the header has of them, or a little less. */
	size_t left;   /**< For so many there is no room in the header. */
};

/** Find the columns that a status has. */
void nodeColumnsFind(struct nodeColumns *columns, const json_t *status);

/**
 * Get the numbers; NaN for what is not there.
 *
 * @param lengthS Of the interval, which amounts are of.
 * @param[out] cells One for each column.
 */
void nodeColumnsRead(struct nodeColumns *columns, const json_t *status,
		     double lengthS, union hdCell *cells);

/** Free columns. */
void nodeColumnsClear(struct nodeColumns *columns);

#endif
