/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which node is slower than others that are like it, and in which layer: the
 * rule of hdtrace diagnose (doc/diagnose.md).
 *
 * Nodes are alike if their uppermost layers have the same name. A node stands
 * out in a layer, or on the way to it, if
 *
 * - at least three nodes that are alike are known, it among them,
 * - it holds at least OUTLIER_RATIO times as many operations as the median of
 *   the others,
 * - and more than OUTLIER_DEVIATIONS times the median of the absolute
 * deviations of the others beyond their median,
 * - in at least OUTLIER_PARTS of the ten equal parts of the time it holds at
 *   least OUTLIER_PART_RATIO times as many as the median of the others in that
 *   part,
 * - and what it holds beyond the median is at least OUTLIER_SHARE of what all
 *   that are alike hold in all of their layers and on the ways to them.
 *
 * Of each node the layer counts in which it holds most beyond the median;
 * others count, too, where that is at least OUTLIER_SECOND of it.
 */
#ifndef HD_MODEL_LAYERS_OUTLIERS_H
#define HD_MODEL_LAYERS_OUTLIERS_H

#include "HDTraceTools/model/layers/layers.h"

#define OUTLIER_NODES 3
#define OUTLIER_RATIO 3.0
#define OUTLIER_DEVIATIONS 3.0
#define OUTLIER_PARTS 6
#define OUTLIER_PART_RATIO 2.0
#define OUTLIER_SHARE 0.1
#define OUTLIER_SECOND 0.5

/** What a node holds in a layer, or on the way to it, among those alike. */
struct outlier {
	const hdINode *node;
	const char *name; /**< Of the layer. */
	const char *role; /**< Of the nodes. */
	uint32_t rank;
	bool isWay;
	const struct layer *layer; /**< NULL: a way, or there is none. */
	double held;
	const double *parts; /**< In each part of the time; NULL: nothing. */
	int lasts;           /**< Parts of the time in which it holds more. */
	double others;    /**< The median of the others; NaN: too few nodes. */
	double deviation; /**< The median of their absolute deviations. */
	double ratio;     /**< To the median; INFINITY if that is 0. */
	double share;     /**< Beyond the median, of all that those alike hold.
			   */
	size_t alike;     /**< How many nodes, this one included. */
	bool isOut;       /**< It stands out, and counts. */
	/** Of one operation, in s, and the median of the others; NaN: not
	 *  known. */
	double each;
	double eachOthers;
	/** How many operations come, and how many bytes, by the median of the
	 *  others; NaN: not known. */
	double countRatio;
	double bytesRatio;
	bool isLoad; /**< More comes than to others, and that is why. */
};

/** All of them, by role, rank and node: struct outlier, to be freed with
 *  g_array_unref(). The layers stay. */
GArray *outliersFind(const struct layers *layers);

/** Those that stand out, the worst first: const struct outlier *, to be freed
 *  with g_ptr_array_unref(). */
GPtrArray *outliersOut(const GArray *outliers);

/** Whether both are of the same layer, or of ways below it, of nodes that are
 *  alike: such ones follow each other. */
bool outlierIsAlike(const struct outlier *a, const struct outlier *b);

/** What speaks for one, as a sentence; to be freed with g_free(). */
char *outlierEvidence(const struct outlier *self);

/** What is said of one: "h0_s2 is slow in TROVE"; to be freed with g_free(). */
char *outlierTitle(const struct outlier *self);

#endif
