/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: what its parts share.
 *
 * Numbers of fields are those of protos/perfetto/trace in Perfetto's public
 * repository.
 */
#ifndef HD_EXPORTPERFETTO_H
#define HD_EXPORTPERFETTO_H

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/export/protobuf.h"
#include "HDTraceTools/model/causes/criticalpath.h"
#include "HDTraceTools/model/causes/dependencies.h"

enum {
	TRACE_PACKET = 1,
	/* TracePacket */
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	/* ClockSnapshot, and its Clock */
	SNAPSHOT_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_REALTIME = 1,
	CLOCK_IS_BOOTTIME = 6,
	/* TrackDescriptor, ProcessDescriptor, CounterDescriptor */
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	COUNTER_UNIT_NAME = 6,
	/* TrackEvent, DebugAnnotation */
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_DOUBLE_COUNTER = 44,
	EVENT_FLOW = 47,
	EVENT_END_OF_FLOW = 48,
	ANNOTATION_INT = 4,
	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

enum perfettoEvent {
	EVENT_IS_BEGIN = 1,
	EVENT_IS_END,
	EVENT_IS_INSTANT,
	EVENT_IS_COUNTER
};

/** A trace, by its number. */
struct perfettoTrace {
	uint64_t track;
	int64_t rank; /**< -1: none. */
};

struct perfetto {
	struct export *export;
	const struct perfetto *begun; /**< As it was before the first part. */
	FILE *file;
	uint64_t tracks;       /**< Number of the last track. */
	uint64_t *groupTracks; /**< By group: that before its own. */
	const struct perfettoArrow *arrows; /**< That are put now. */
	size_t arrowCount;
	bool isStarted;
	GHashTable *nodes; /**< hdINode to the number of its track. */
	GArray *traces;    /**< struct perfettoTrace */
	struct dependencies *dependencies;
	uint64_t flows;            /**< Number of the last arrow. */
	int error;                 /**< Negative errno of the temporary file. */
	bool hasFailed;            /**< Which was said. */
	uint64_t track;            /**< Of the trace that is written ... */
	const hdITraceFile *trace; /**< ... and that. */
	struct perfettoPath *path; /**< NULL: there are no traces. */
	bool isChosen;             /**< Whether the record is to be written. */
	/* What is put together. */
	struct pbBytes body;
	struct pbBytes part;
	GString *name;
};

static inline struct pbBytes *perfettoEmptied(struct pbBytes *bytes)
{
	pbEmpty(bytes);
	return bytes;
}

/** Write body as a packet; time only if there is one. */
void perfettoPutPacket(struct perfetto *self, unsigned int field,
		       const int64_t *time);

/** The number of a node's track; 0: it has none. */
uint64_t perfettoTrackOf(const struct perfetto *self, const hdINode *node);

/** Start body as an event of a track. */
struct pbBytes *perfettoStartEvent(struct perfetto *self,
				   enum perfettoEvent type);

/** Put a number that is known of it. */
void perfettoAnnotateNumber(struct perfetto *self, const char *name,
			    int64_t value);

/** Put what is known of it: of struct perfetto, as exportTakeAttribute. */
void perfettoAnnotate(void *self, const char *name, const char *value);

/** Start body as a track; returns its number. */
uint64_t perfettoStartTrack(struct perfetto *self, uint64_t parent,
			    const char *name);

/* ---- Parts, in any thread ----------------------------------------------- */

/** A trace, a group, or some messages, while they are written. */
struct perfettoWriting {
	struct perfetto perfetto;
	struct dependencyReader *reader; /**< Of a trace. */
	int error;                       /**< -1: it was said. */
};

/** Start to write a part, which gets it as its result. */
void perfettoStartWriting(struct perfettoWriting *self,
			  const struct perfetto *perfetto, struct part *part);

/** Add what was counted to the export; @p writing is freed. */
void perfettoEndWriting(struct perfetto *self, struct perfettoWriting *writing);

/** Write so many parts. */
void perfettoPutAll(struct perfetto *self, size_t count, partsRun *run,
		    partsTake *take);

/* ---- messagearrows.c
 * --------------------------------------------------------- */

/** Write all messages, as arrows; their numbers go on. Sets self->error. */
void perfettoPutMessages(struct perfetto *self);

/* ---- path.c ------------------------------------------------------------ */

/** The annotation of states that are on the critical path: for so many ns. */
#define PERFETTO_PATH "critical_path_ns"

/**
 * Find the critical path of the project.
 *
 * @param[out] path To be freed with perfettoFreePath(), in any case.
 *
 * @return 0 or a negative errno of the temporary file.
 */
int perfettoFindPath(struct export *export, struct perfettoPath **path);

/** Free it; NULL does nothing. */
void perfettoFreePath(struct perfettoPath *self);

/** For how many ns of an interval the path is in a trace. */
int64_t perfettoTimeOnPath(const struct perfettoPath *self,
			   const hdITraceFile *trace, int64_t start,
			   int64_t end);

/* ---- findings.c -------------------------------------------------------- */

/** Write the findings of the whole run, below a track of their own. */
void perfettoPutFindings(struct perfetto *self);

/* ---- relationslices.c -------------------------------------------------------
 */

/** Write all relations that were asked for; 0, or -1 after an error, which was
 *  said. */
int perfettoPutRelations(struct perfetto *self);

/* ---- values.c -------------------------------------------- */

/** How many tracks a group takes. */
uint64_t perfettoGroupTracks(const struct exportGroup *group);

/** Write a group, as counters. */
void perfettoPutGroup(struct perfetto *self, const struct exportGroup *group);

#endif
