/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the viewer shows in a line: a group of statistics or a trace, at several
 * degrees of detail, called zooms, in pieces that are read one by one.
 *
 * Zoom 0 is exact: entries, or states and events. A zoom above is about 16
 * (statistics) or 4 (traces) times coarser than the one before. A zoom is a
 * list of chunks in the order of time, and a chunk some parts (pack.h): of
 * statistics the times and each value, of a trace what tracepyramid.h says. A
 * chunk has no more than a few thousand items; who shows a stretch of time at
 * some resolution needs few of them, whatever the size of the project.
 *
 * Parts are kept in a temporary file; in memory there are some 50 bytes for
 * each chunk.
 *
 * A track is written by one thread, while any others may read it.
 *
 * The viewer's data are levels of detail, each a list of chunks. Level 0 is
 * what was recorded, so that numbers of intervals are exact: whole items of
 * the coarsest level that fits, and finer ones at the ends. The same blocks
 * are in a page and served by hdtrace view; so there is one program that
 * reads them.
 *
 * Items of a level are put together by number, not by time: then an entry is
 * in one of them, and counts are exact, too. But what lies on both sides of
 * a long gap is kept apart.
 */
#ifndef HD_TRACK_H
#define HD_TRACK_H

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <glib.h>

#include "HDTraceTools/pages/store.h"

/** A piece of a zoom. */
struct chunk {
	int64_t start; /**< The earliest start, and latest end, in it. */
	int64_t end;
	/** Number of the first entry in it; else of the first item. */
	uint64_t first;
	uint32_t count; /**< Items. */
	uint64_t at;    /**< Where its parts stand, one after another. */
	/** In the .stat file, of entries; else -1. That of the entry before if
	 * it leads to them, from which counters grow. */
	int64_t offset;
	bool hasLead;
};

/** A degree of detail. */
struct zoom {
	/** Of traces: what is shorter is summed up in steps of this, in ns. */
	int64_t width;
	guint partCount; /**< Parts of a chunk. */
	GArray *chunks;  /**< struct chunk */
	GArray *sizes;   /**< uint32_t, of all parts; 0: not stored. */
	uint64_t bytes;  /**< Sum of these. */
	uint64_t items;
};

/** Kinds of tracks, as in their names: s0, t12, w12, r3, m0, c0, o0. */
enum trackKind {
	TRACK_STATISTICS = 's',
	TRACK_TRACE = 't',
	TRACK_WAITS = 'w',
	TRACK_RELATIONS = 'r',
	TRACK_MESSAGES = 'm',
	TRACK_CAUSES = 'c',
	TRACK_OVERVIEW = 'o',
};

/** A line of the viewer. */
struct track {
	enum trackKind kind;
	struct store *store;   /**< Not owned. */
	pthread_mutex_t mutex; /**< Protects what follows. */
	GPtrArray *zooms;      /**< struct zoom, the finest first. */
	GPtrArray *names;      /**< Of states and events; owned texts. */
	/** Of traces how many states lie in each other; of relations how many
	 *  are there at a time. */
	guint depth;
	int64_t readTo; /**< All before is there. */
	bool isComplete;
	bool isCut; /**< The file could not be read to its end. */
};

/** Start a track. */
void trackInit(struct track *self, enum trackKind kind, struct store *store);
void trackClear(struct track *self);

/** Add a zoom above those that are there; returns its number. */
guint trackAddZoom(struct track *self, guint partCount, int64_t width);

/**
 * Add a chunk at the end of a zoom.
 *
 * @param chunk All but at is taken.
 * @param parts So many as the zoom wants, or NULL: nothing is stored.
 *
 * @return 0 or a negative errno.
 */
int trackAddChunk(struct track *self, guint zoom, const struct chunk *chunk,
		  GByteArray *const *parts);

/** Get a chunk; false if there is none. */
bool trackGetChunk(struct track *self, guint zoom, guint number,
		   struct chunk *chunk);

/**
 * Number of a name among those of a track, which is added if it is new.
 *
 * @param names Those that were added, with numbers + 1: a table of texts, empty
 *        at first, of the one who writes the track.
 */
uint32_t trackAddName(struct track *self, GHashTable *names, const char *name);

/** Say how far the file was read. */
void trackReached(struct track *self, int64_t time, bool isComplete);

/**
 * Describe the zooms from one on: a part.
 *
 * @param from The finest zoom that there is.
 * @param isPacked Whether parts follow one another, as trackWrite() writes
 *        them, instead of where they stand in the store.
 */
void trackDescribe(struct track *self, guint from, bool isPacked,
		   GByteArray *out);

/**
 * Hand on the parts of the zooms from one on, in order.
 *
 * @param take Takes bytes; 0 or a negative errno, which ends it.
 */
int trackWrite(struct track *self, guint from,
	       int (*take)(const void *bytes, size_t size, void *data),
	       void *data);

/** Bytes of the zooms from one on. */
uint64_t trackSize(const struct track *self, guint from);

#endif
