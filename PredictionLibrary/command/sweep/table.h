/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What came of a sweep: as a table, CSV, JSON, and a picture.
 */
#ifndef HD_PREDICT_TABLE_H
#define HD_PREDICT_TABLE_H

#include "PredictionLibrary/command/limits.h"
#include "PredictionLibrary/command/sweep/journal.h"
#include "cli/output.h"

/**
 * Find the points that no other one betters: with less time and no more energy,
 * or less energy and no more time.
 *
 * @return For each point whether it is one; to be freed.
 */
bool *sweepFront(const struct sweepRows *rows);

/** Print all rows, and the fastest one that keeps the limits, if there are any.
 */
void sweepPrint(const struct sweepRows *rows, const bool *front,
		const struct limitValues *limits, enum outFormat format);

/**
 * Draw all rows: time to the right, energy upwards, the front as a line.
 *
 * @param path File; its end says which kind: .svg, .png, .pdf.
 * @return NULL, or what is wrong, to be freed.
 */
char *sweepDraw(const struct sweepRows *rows, const bool *front,
		const char *path);

#endif
