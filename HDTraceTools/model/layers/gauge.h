/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the gauge of a layer says: how many operations were pending in it.
 *
 * A layer is a group with the value `Pending`, a gauge; the group's name is the
 * layer's, and its node the place (doc/format/format.md). `Bytes` is what its
 * operations moved, `PendingMin` and `PendingMax` are there where entries come
 * less often than the number changes.
 *
 * Different gauges may be read by different threads.
 */
#ifndef HD_MODEL_LAYERS_GAUGE_H
#define HD_MODEL_LAYERS_GAUGE_H

#include <stdbool.h>

#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/extent.h"

/** Parts of the time that a gauge was busy in. */
#define LAYER_BINS 256

/** When what was pending, roughly: as long as it takes for all to fit in. */
struct layerBins {
	int64_t width; /**< Of each, in ns; 0: nothing was pending. */
	int64_t first; /**< The first begins at so many widths. */
	double integrals[LAYER_BINS];
};

/** What was read of a gauge. */
struct layerGauge {
	const hdIGroup *group;
	size_t pending; /**< Number of the value; so are these three: */
	size_t least;   /**< SIZE_MAX if there is none. */
	size_t most;
	size_t bytes;
	/** The time that is wanted, ]from, to]. */
	int64_t from;
	int64_t to;
	GArray *spans;        /**< struct extent: where the number is known. */
	long double integral; /**< Of the number, in ns. */
	long double busy;  /**< Time in which something was pending, in ns; */
	bool isBound;      /**< of a throttled gauge at least so much. */
	long double moved; /**< Bytes. */
	double max;        /**< NaN if nothing is known. */
	/** What is pending at the end of what is known; NaN: only a mean is. */
	double last;
	struct extent activity; /**< From when to when anything was pending. */
	struct layerBins bins;
};

/** Whether a group is the gauge of a layer. */
bool layerGaugeIs(const hdIGroup *group);

/** Start with nothing, to be freed with layerGaugeClear(). */
void layerGaugeInit(struct layerGauge *self, const hdIGroup *group,
		    int64_t from, int64_t to);
void layerGaugeClear(struct layerGauge *self);

/** Take entries, in their order. */
void layerGaugeTake(struct layerGauge *self, const hdIBlock *block);

/** The integral over a part of the time, roughly, in ns. */
double layerGaugeIntegral(const struct layerGauge *self, int64_t start,
			  int64_t end);

/** For how much of a time the number is known, in ns. */
int64_t layerGaugeKnown(const struct layerGauge *self,
			const struct extent *time);

#endif
