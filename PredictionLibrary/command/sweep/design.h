/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The points of a sweep: which values each parameter has at each of them.
 */
#ifndef HD_PREDICT_DESIGN_H
#define HD_PREDICT_DESIGN_H

#include <stddef.h>
#include <glib.h>

/** Most points of a sweep. */
#define DESIGN_POINTS_MAX 1000000

/** All points; values belong to the texts. */
struct design {
	GPtrArray *names;    /**< Of parameters, in the order of columns. */
	GPtrArray *values;   /**< Of point 0, then of point 1, ... */
	size_t count;        /**< Points. */
	GStringChunk *texts; /**< Of names and values. */
};

/** Begin without parameters: one point, without values. */
void designInit(struct design *self);
void designClear(struct design *self);

/** Value of a parameter at a point. */
const char *designValue(const struct design *self, size_t point, size_t name);

/**
 * Add a parameter to all points, by each of its values.
 *
 * @param text NAME=VALUE,VALUE; with ';' between values that have commas. The
 *        last one that is added varies fastest.
 * @return NULL, or what is wrong, to be freed.
 */
char *designVary(struct design *self, const char *text);

/**
 * Add parameters by a table: of all points so far each becomes as many as it
 * has lines.
 *
 * @param path File: a line of names, then one for each point, with commas or
 *        ';' between; what follows '#' at the beginning of a line is a comment.
 * @return NULL, or what is wrong, to be freed.
 */
char *designRead(struct design *self, const char *path);

#endif
