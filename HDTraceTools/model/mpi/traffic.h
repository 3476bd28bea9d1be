/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How many bytes calls of MPI move, and in messages of which sizes: by
 * function, call site, pair of ranks, and communicator.
 *
 * A message that is sent or received without waiting counts with the call that
 * the trace names its size in: where it is sent, and where its request is
 * complete. A collective call counts once in each direction in which its
 * process moves bytes, with all of these; see volume.h.
 */
#ifndef HD_TRAFFIC_H
#define HD_TRAFFIC_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/sizes.h"
#include "HDTraceTools/sites/sites.h"

/** Where bytes go, seen from the process that calls. */
enum trafficWay {
	TRAFFIC_SENT,
	TRAFFIC_RECEIVED,
	TRAFFIC_WRITTEN, /**< To a file. */
	TRAFFIC_READ,
	TRAFFIC_WAYS
};

/** What rows are of. */
enum trafficBy {
	TRAFFIC_FUNCTION,
	TRAFFIC_SITE,
	TRAFFIC_PEER,
	TRAFFIC_COMMUNICATOR,
	TRAFFIC_BYS
};

/** What is added up. */
struct trafficRow {
	enum trafficBy by;
	enum trafficWay way;
	const char *function; /**< Of functions and call sites. */
	struct site *site;    /**< Of call sites. */
	int64_t rank, peer;   /**< Of peers; global ranks, or MESSAGES_... */
	const struct messageGroup *group; /**< Of communicators. */
	struct sizes sizes;
};

struct traffic;

/** Start with nothing. */
struct traffic *trafficNew(const hdIProject *project);

/** Free it, with its rows; NULL does nothing. */
void trafficFree(struct traffic *self);

/** The records that follow are those of a trace; false: it has no rank, and
 * moves nothing. */
bool trafficEnter(struct traffic *self, const hdITraceFile *trace);

/**
 * Take a state.
 *
 * @param site NULL: not known.
 * @param isCounted Whether it is one of those that were asked for; the others
 * tell what windows and files are.
 */
void trafficTake(struct traffic *self, const hdIRecord *record,
		 const struct site *site, bool isCounted);

/** The rows: struct trafficRow, by what they are of, and those with most bytes
 *  first. */
const GPtrArray *trafficRows(struct traffic *self);

/** A word for a way: "sent", "received", "written", "read". */
const char *trafficWayName(enum trafficWay way);

#endif
