/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What "pt watch" shows: values as they are, with bars.
 */
#ifndef PT_SCREEN_H
#define PT_SCREEN_H

#include <glib.h>

/** A value of a node. */
struct screenRow {
	const char *node, *name, *unit, *device;
	double value; /**< NaN for none. */
	double most;  /**< Highest so far; NaN for none. */
	gboolean isUp, isSimulated;
	double age;       /**< Of the value, in seconds; NaN for none. */
	gboolean isStale; /**< The value is too old to be one. */
};

/** Where it is drawn. */
struct screen {
	size_t width, height;
	gboolean isUnicode; /**< Else bars are made of "#". */
};

/**
 * Draw lines, each ended by what deletes the rest of the line.
 *
 * Bars of one unit have one scale, up to the next 1, 2 or 5 times a power of
 * ten. Watts of several rows are added up, as long as all are known
 * and not stale. What has
 * no room below is left out, and counted.
 *
 * @param title First line.
 */
void screenDraw(GString *out, const struct screen *screen, const char *title,
		const struct screenRow *rows, size_t count);

#endif
