/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Ways to find a mapping: hdP_mapAs() begins with one task after the other, and
 * anneals what came of it.
 */
#ifndef HD_PREDICT_MAPPERS_H
#define HD_PREDICT_MAPPERS_H

#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"

/** A mapping that is made. */
struct hdPredictMapping {
	hdPGraph *graph;
	const hdPPlatform *platform;
	const hdPResources *resources;
	const hdPMapping *options;
	struct hdPredictReport *report;
	uint32_t *usable; /**< PEs. */
	uint32_t usableCount;
	uint32_t *fixed;  /**< PE of each task that may not be moved; NONE. */
	uint32_t *server; /**< That each task has to run on; NONE. NULL: any. */
	uint32_t *before; /**< Task that has to come before, on its PE; NONE. */
	uint32_t *after;
	uint32_t
		*sequence; /**< Tasks in the order in which they were mapped. */
};

/**
 * Read the partition that options name, and let tasks that are not fixed run
 * only on the node or PE of their part.
 *
 * @retval -EINVAL The file is wrong; reported with its name.
 * @return 0, or another negative errno value: it cannot be read.
 */
int hdPredictPartition(struct hdPredictMapping *mapping);

/** Anneal a mapping that was made; 0 or negative errno. */
int hdPredictAnneal(const struct hdPredictMapping *mapping);

#endif
