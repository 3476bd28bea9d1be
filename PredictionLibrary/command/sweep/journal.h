/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Rows of a sweep, in a journal; parts of a sweep are joined by it, too. The
 * first line says which sweep it is, each further one is a row.
 */
#ifndef HD_PREDICT_JOURNAL_H
#define HD_PREDICT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <glib.h>

#include "PredictionLibrary/command/lines.h"
#include "PredictionLibrary/command/sweep/point.h"

/** A row. */
struct sweepRow {
	bool isThere;
	char *error; /**< Why nothing was predicted, or NULL. */
	double values[POINT_VALUES];
	GPtrArray *texts; /**< Values of parameters, if read from a file. */
};

/** All rows, by their points. */
struct sweepRows {
	GPtrArray *names; /**< Of parameters. */
	size_t count;
	struct sweepRow *rows;
	bool hasSamples;
};

void sweepRowsInit(struct sweepRows *self, const GPtrArray *names, size_t count,
		   bool hasSamples);
void sweepRowsClear(struct sweepRows *self);

/**
 * Open a journal, read the rows that are in it, and lock it.
 *
 * @param digest Which sweep it is.
 * @param isForced What is in it may go if it is of another one.
 * @return NULL, or what is wrong, to be freed.
 */
char *journalOpen(struct lines *self, const char *path, const char *digest,
		  bool isForced, struct sweepRows *rows);

/** Append a row, which is there; one thread at a time. 0 or negative errno. */
int journalAdd(struct lines *self, size_t point, const struct design *design,
	       const struct sweepRow *row);

/**
 * Read the rows of a journal that is complete or a part, besides others of the
 * same sweep.
 *
 * @param[in,out] digest Which sweep it is: of the first one that is read.
 * @param[in,out] rows Likewise; all zero at first.
 * @return NULL, or what is wrong, to be freed.
 */
char *journalJoin(const char *path, char **digest, struct sweepRows *rows);

#endif
