/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Task graphs for METIS.
 */
#ifndef HD_PREDICT_METISGRAPH_H
#define HD_PREDICT_METISGRAPH_H

#include "PredictionLibrary/command/hdpredict.h"

/**
 * Write a graph as METIS reads it. The weight of a task is its time by the
 * resource model, or as measured; without both, 1.
 *
 * @param resources May be NULL.
 * @param path "-" is the standard output.
 *
 * @return Exit status.
 */
int metisWrite(struct predict *predict, const hdPGraph *graph,
	       const hdPResources *resources, const char *path);

#endif
