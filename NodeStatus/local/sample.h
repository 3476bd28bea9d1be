/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How a node is: libRUT's sources, one sample after the other, as numbers and
 * as JSON.
 *
 * What units there are (CPUs, interfaces, disks, file systems) is decided when
 * the sources are opened; when others come or go they are opened anew, with the
 * next sample the first of what is new, and all others going on.
 *
 * What may hang - disks that are asked what is left, GPUs - is read by threads
 * of libRUT; if it takes too long its values are not known then, and all others
 * are. Still, reading may take long; so it is apart from what changes the
 * values: one thread follows and reads, and nobody else need wait for it. All
 * else is for one thread at a time.
 */
#ifndef HD_NODE_SAMPLE_H
#define HD_NODE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>
#include <jansson.h>

#include "ResourcesUtilizationTracingLibrary/src/core/used.h"

/** Where a value of libRUT is in the JSON. */
struct nodePlace {
	const char *prefix;  /**< All of the name where there is no unit. */
	const char *section; /**< An object, or an array of units. */
	const char *unit;    /**< Its key in the object of a unit; or NULL. */
	const char *key;
	const char *sumKey; /**< Of the sum of a delta; or NULL. */
	bool isWhole;       /**< An integer. */
};

/** All of them; the last one has no prefix. */
extern const struct nodePlace nodePlaces[];

/** A value of the sample, and where it belongs. */
struct nodeValue {
	double now;     /**< Of a delta: in a second; NaN: not known yet. */
	double sum;     /**< Of a delta: since the begin. */
	double seconds; /**< Since when that is counted. */
};

struct nodeSample {
	char *root;
	struct rutSetup setup;
	struct rutUsed used;
	struct nodeValue *values; /**< As many as columns. */
	/** Values of columns that were there, by name: struct nodeValue. */
	GHashTable *known;
	/* Of the thread that reads: */
	char *units;         /**< Which units there are, as text. */
	struct rutUsed next; /**< Sources that take the place of those used. */
	bool hasNext;
	int64_t openedNs;   /**< Monotonic; when sources were opened. */
	int64_t readNs;     /**< The same; of the last reading. */
	int64_t readWallNs; /**< The same, wall clock. */
	/* Of the values: */
	int64_t beganNs; /**< Monotonic; of the interval. */
	int64_t endedNs; /**< Of the last whole interval; 0: none yet. */
	int64_t stampNs; /**< Its end, wall clock. */
	double lengthS;  /**< Its length. */
};

/** Open all sources, and begin an interval. @p root is copied. */
void nodeSampleBegin(struct nodeSample *sample, const char *root);

/** See where counters are that may wrap; in the thread that reads. */
void nodeSampleFollow(struct nodeSample *sample);

/** Read what there is; in the thread that reads. */
void nodeSampleRead(struct nodeSample *sample);

/** End the interval, with what was read, and begin the next one. Returns
 * whether units have come or gone. */
bool nodeSampleTake(struct nodeSample *sample);

/** Close all. */
void nodeSampleEnd(struct nodeSample *sample);

/** Get the value of a column, in a second if it is a delta; NaN: not known. */
double nodeSampleValue(const struct nodeSample *sample, const char *name);

/** Make a list of GPUs, what they are: `name`, `memory_bytes`. */
json_t *nodeSampleGpus(const struct nodeSample *sample);

/** Make the status of what there is. */
json_t *nodeSampleJson(const struct nodeSample *sample);

/** Call for each column whose name begins so; @p unit is the rest. */
void nodeSampleEach(const struct nodeSample *sample, const char *prefix,
		    void (*take)(void *context, const char *unit, double value),
		    void *context);

#endif
