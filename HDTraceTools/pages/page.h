/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The viewer as a page: its program, and the data of a project.
 *
 * The program is viewer/dist/viewer.html, one file with its scripts and styles.
 * What it shows follows in elements that are not shown: one of JSON with the id
 * "meta", a script element, and, unless it is served, one for each track with
 * the id "s0", "t0", "m0", "o0", ..., the base64 of its description as
 * attribute data-index, and that of its parts as text. These are no script
 * elements, whose text browsers copy and look through for more than its end.
 *
 * A page may run its own script and nothing else: its policy names the
 * hashes of script and style, and allows no connection. All text of a
 * project gets into it by textContent; JSON and base64 in the page hold no
 * '<'.
 */
#ifndef HD_PAGE_H
#define HD_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "HDTraceTools/pages/track.h"

/** Whether hdtrace was built with the viewer. */
bool pageExists(void);

/** Say what is missing if it was not. */
extern const char pageMissing[];

/** Bytes of the page without data. */
size_t pageSize(void);

/**
 * Write the page up to the data.
 *
 * @param isServed Whether it gets its data from the server that it came from;
 *        else it may connect to nothing.
 */
void pageStart(FILE *file, bool isServed);

/** Start the JSON, and end it; it must not have a '<'. */
void pageStartMeta(FILE *file);
void pageEndMeta(FILE *file);

/**
 * Write a track.
 *
 * @param from The finest zoom to write.
 *
 * @return 0 or the negative errno of the temporary file; those of @p file
 *         stick to it.
 */
int pagePutTrack(FILE *file, struct track *track, size_t number, guint from);

/** Write the rest. */
void pageEnd(FILE *file);

/** The page without data, as it was built; NULL if it was not. */
extern const unsigned char *const pageBytes;
extern const size_t pageLength;

#endif
