/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All that the viewer shows of a project: a track for each group, for each
 * trace and its waits, and for each file of relations, one for the messages,
 * and one for the power of all nodes.
 */
#ifndef HD_TRACKS_H
#define HD_TRACKS_H

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/pages/powers.h"
#include "HDTraceTools/pages/rowwaits.h"
#include "HDTraceTools/pages/track.h"
#include "HDTraceTools/pages/tracepyramid.h"

struct tracks {
	const hdIProject *project;
	struct store *store;  /**< Not owned. */
	struct track *groups; /**< As in the project. */
	struct track *traces;
	struct track *waits; /**< Of the traces. */
	struct track *relations;
	struct track messages;
	struct track causes; /**< Of waits. */
	struct rowWaits *rowWaits;
	struct track overview;
	struct powers *powers;
	struct trackPlaces places;
	pthread_mutex_t mutex;             /**< Protects what follows. */
	struct dependencies *dependencies; /**< Of what was read so far. */
};

/** Start with nothing; findings must have been started, and say whose power
 *  counts. @p store outlives them. */
struct tracks *tracksNew(const struct findings *findings, struct store *store);
/** Free them; NULL does nothing. */
void tracksFree(struct tracks *self);

/** Tells how far a file was read; false: stop. */
typedef bool tracksProgress(int64_t offset, void *data);

/**
 * Read a group, or a trace.
 *
 * Different tracks may be read at the same time.
 *
 * @param isStored Whether the finest zooms are stored.
 * @param progress May be NULL.
 *
 * @retval 0 Success; the track is complete. Nobody gets the diagnostics: they
 *         are among the findings.
 * @return A negative errno, of the file or the temporary file.
 */
int tracksReadGroup(struct tracks *self, size_t number, bool isStored,
		    tracksProgress *progress, void *data);
int tracksReadTrace(struct tracks *self, size_t number, bool isStored,
		    tracksProgress *progress, void *data);

/** All was read: make the tracks of messages, of relations, and of the power of
 *  all nodes. 0 or a negative errno of the temporary file. */
int tracksFinish(struct tracks *self);

/** Findings are complete: make the track of waits with their causes. 0 or a
 *  negative errno of the temporary file. */
int tracksMakeCauses(struct tracks *self, struct findings *findings);

/** After it, make the tracks of the waits of rows: traces that have some are
 *  read again. 0 or a negative errno. */
int tracksMakeWaits(struct tracks *self, tracksProgress *progress, void *data);

#endif
