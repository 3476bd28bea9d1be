/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Items of a trace at one zoom, in a file and in chunks.
 */
#ifndef HD_TRACEITEMS_H
#define HD_TRACEITEMS_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/pages/tracepyramid.h"

/** Parts of a chunk. */
enum { PART_STATES, PART_SUMS, PART_ENERGY, PARTS };

#define WIDTH_MAX 29

/** Energy of some time. */
struct itemAmount {
	double energy; /**< What the trace is charged with ... */
	double node;   /**< ... of so much. */
	int64_t measured;
};

/** A state or event, or states and events of a step. */
struct item {
	int64_t start;  /**< Of a sum, that of its step. */
	int64_t length; /**< Of a sum, the time in it. */
	uint32_t name;
	uint32_t parent; /**< Name of the state around it, plus 1, or 0. */
	uint32_t count;  /**< Of a sum; else 0. */
	uint16_t depth;  /**< Of sums of events: EVENT_DEPTH. */
	uint16_t isEvent : 1;
	uint16_t isSum : 1;
	uint16_t isNested : 1; /**< It lies in a state of its name. */
	uint16_t unused : 13;  /**< 0, since items go into a file. */
	/** Of a state whose time is spread over a longer one: its start, that
	 * of the longer one, and how much longer that is; else 0. */
	int64_t from;
	int64_t spanFrom;
	double stretch;
	struct itemAmount amount; /**< Of a sum: in its time. */
};

/** Items in the order of time, in a temporary file. */
struct items {
	struct spool *spool;
	uint64_t count;
};

/** A chunk while it is gathered: states or sums. */
struct list {
	GArray *items; /**< struct item */
	int64_t end;   /**< The latest one. */
};

struct tracePyramid {
	struct track *track;
	bool isStored;
	GHashTable *names; /**< As trackAddName() has them. */
	struct items items;
	uint64_t total; /**< States and events. */
	uint64_t
		lengths[WIDTH_MAX + 1]; /**< States, by the base 4 logarithm. */
	int64_t first;
	int64_t end;
	GArray *open;   /**< struct item: states that were entered. */
	GArray *openOf; /**< guint, by name: how many of these. */
	GArray *texts;  /**< int64_t, lengths of the texts of the chunk. */
	GByteArray *textBytes;
	struct trackPlaces *places; /**< Of call sites. */
	/** The chunk of the zoom that is written. */
	guint zoom;
	struct list states;
	struct list sums;
	uint64_t written;
	/** What the trace is charged with, and its node's; NULL: nothing tells
	 *  it. */
	struct attributionCursor *charge;
	struct powerCursor *power;
	GByteArray *parts[PARTS];
	GByteArray *columns;
	int error;
};

void tracePyramidNoteError(struct tracePyramid *self, int ret);

void traceItemsAdd(struct tracePyramid *self, struct items *items,
		   const struct item *item);

/** Hand on all items. */
void traceItemsEach(struct tracePyramid *self, struct items *items,
		    void (*take)(const struct item *item, void *data),
		    void *data);

/** Energy while a trace is in a state, or of a sum. */
struct itemAmount tracePyramidAmountOf(const struct tracePyramid *self,
				       const struct item *item);

void traceListEmpty(struct list *list);

/** Write the chunk of the zoom. */
void tracePyramidWriteChunk(struct tracePyramid *self);

/** Write the chunk if an item with that start should not go into it. */
void traceListMakeRoom(struct tracePyramid *self, int64_t start);

void traceListAdd(struct list *list, const struct item *item, int64_t end);

#endif
