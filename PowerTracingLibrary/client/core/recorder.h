/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Recording values of nodes from a power service, for as long as something
 * lasts.
 *
 * A thread keeps the connection: it turns times into those of this host's
 * clock, and when the server is lost, it says so, tries again at growing
 * distances, and goes on when it is back.
 *
 * ptRecorderOpen(), ptRecorderBegin(), ptRecorderEnd() and ptRecorderFree() are
 * called by one thread. The calls of struct ptRecorderCalls come one at a time:
 * opened() from ptRecorderOpen() or from the thread, all others from the
 * thread.
 */
#ifndef PT_RECORDER_H
#define PT_RECORDER_H

#include "PowerTracingLibrary/client/core/remote.h"

/** What is wanted; NULL is any, of a value P. */
struct ptSelection {
	const char *device, *node, *line, *value;
};

/** A value of a node. */
struct ptRecorderColumn {
	char *node, *value;
	char *line; /**< Empty if it is the sum of several. */
	char *unit, *grouping, *source, *resolution; /**< Empty for none. */
	unsigned int lines;
	enum ptWireKind kind;
	bool isSimulated;
};

/** What one device gives. */
struct ptRecorderGroup {
	char *device;
	uint32_t every; /**< So many readings of the device become one. */
	int64_t intervalNs;
	struct ptRecorderColumn *columns;
	size_t count;
	/* What happened so far; of the thread until ptRecorderEnd(). */
	uint64_t readings;
	uint64_t lost;    /**< Cycles that the meter lost. */
	uint64_t dropped; /**< Readings that the service dropped. */
};

/** A reading; times are those of this host's clock. */
struct ptRecorderReading {
	int64_t endNs;
	int64_t lengthNs;
	uint32_t lost; /**< Cycles that the meter lost before it. */
	bool hasGap;   /**< It does not begin where the one before has ended. */
	const double *values; /**< One for each column; NaN for none. */
	/** What counters of energy gained, which is exact; NaN for others, and
	 *  NULL where that is not known. */
	const double *joules;
};

/** What a recorder calls; any may be NULL. */
struct ptRecorderCalls {
	/**
	 * It is known what will come: once, before anything else. The groups
	 * live as long as the recorder.
	 *
	 * @param clock How far the server's clock is from ours.
	 *
	 * @return 0, or a negative errno value, after which nothing comes.
	 */
	int (*opened)(void *context, const struct ptRecorderGroup *groups,
		      size_t count, const struct ptRemoteClock *clock);
	/** A reading. */
	void (*add)(void *context, size_t group,
		    const struct ptRecorderReading *reading);
	/** Something is missing in a group before the next reading. */
	void (*gap)(void *context, size_t group);
	/** A device, or the server with all of them, is lost or back. */
	void (*changed)(void *context, size_t group, bool isUp);
};

struct ptRecorder;

/** What is to be recorded, and how. */
struct ptRecorderSetup {
	const struct ptRemoteSetup *remote;
	const struct ptSelection *selections;
	size_t selectionCount;
	double frequency; /**< Readings in a second, or 0 for all there are. */
	uint32_t delayMs; /**< As of PT_WIRE_OPEN. */
	bool isByLine;    /**< No sums of nodes. */
	/** Whether a server that is not there is waited for, by the thread. */
	bool isPatient;
};

/**
 * Ask a server whether it has what is wanted.
 *
 * @param setup Lives as long as the recorder, with all that it points to.
 *
 * @return 0 or a negative errno value after a message.
 */
int ptRecorderOpen(const struct ptRecorderSetup *setup,
		   const struct ptRecorderCalls *calls, void *context,
		   struct ptRecorder **result);

/**
 * Begin to record: the server has begun when this returns, if it is there.
 *
 * @return As of ptRecorderOpen().
 */
int ptRecorderBegin(struct ptRecorder *recorder);

/**
 * End recording.
 *
 * @param untilNs Until when, by this host's clock, readings are wanted; each
 *        group is waited for a little longer than it takes for one.
 */
void ptRecorderEnd(struct ptRecorder *recorder, int64_t untilNs);

/** Get the groups. */
const struct ptRecorderGroup *ptRecorderGroups(
	const struct ptRecorder *recorder, size_t *count);

/** Name a column: "P", or "P_psu1" where the group has several of this value of
 *  its node. To be freed. */
char *ptRecorderColumnName(const struct ptRecorderGroup *group, size_t column);

/** Get how often the server came back. After ptRecorderEnd(). */
uint64_t ptRecorderReconnects(const struct ptRecorder *recorder);

/** Get the comparisons of the clocks, of all connections. After
 *  ptRecorderEnd(). */
const struct ptRemoteMoment *ptRecorderMoments(
	const struct ptRecorder *recorder, size_t *count);

/** Free it; ends it first. Takes NULL. */
void ptRecorderFree(struct ptRecorder *recorder);

#endif
