/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Streams of our own protocol: what a client has selected, and its recordings.
 */
#ifndef PT_STREAM_H
#define PT_STREAM_H

#include "PowerTracingLibrary/service/native/native.h"

/** A column of a stream: a line's value, or a sum of several. */
struct ptStreamColumn {
	size_t *lines;  /**< Of the device; the first stands for all. */
	size_t *values; /**< Of these lines, by number. */
	size_t count;
	enum ptWireKind kind;
	/** Of readings that are becoming one. */
	double sum, weight;
	/** Of the recording. */
	struct ptWireColumnTotal total;
	double first;
	bool hasFirst;
};

/** The columns of one device. */
struct ptStreamGroup {
	struct ptServed *served;
	uint64_t every;
	struct ptStreamColumn *columns;
	size_t columnCount;
	size_t *wanted; /**< Columns of the store. */
	size_t wantedCount;
	struct ptSet set;
	uint64_t next;    /**< Number of the next reading. */
	bool hasNext;     /**< Else that is the first that may come. */
	uint64_t changes; /**< Of the device's health that were told. */
	/** Readings that are becoming one, and those that have. */
	struct ptStored merged;
	uint64_t mergedCount;
	/** Of the recording. */
	struct ptWireTotal total;
	int64_t lastWall;
	bool isOver; /**< All of it was sent. */
};

enum ptStreamState {
	PT_STREAM_IDLE,
	PT_STREAM_RECORDING,
	PT_STREAM_ENDING, /**< Stopped; not all was sent. */
};

struct ptStream {
	struct ptStream *next;
	uint32_t number;
	enum ptStreamState state;
	bool keeps;
	int64_t delayNs;
	int64_t dueNs; /**< When readings are sent; 0 if not now. */
	bool isDue;    /**< It is being sent. */
	struct ptStreamGroup *groups;
	size_t groupCount;
	int64_t startWall, startMono, stopWall, stopMono;
};

/** Open one, or refuse it. */
void ptStreamOpen(struct ptClient *client, uint16_t tag,
		  const struct ptWireOpen *open);

/** Begin to record. */
void ptStreamStart(struct ptClient *client, uint16_t tag, uint32_t number);

/** End recording. */
void ptStreamStop(struct ptClient *client, uint16_t tag, uint32_t number);

/** Forget a stream. */
void ptStreamClose(struct ptClient *client, uint16_t tag, uint32_t number);

/** Let those streams send that are due. */
void ptStreamsDue(struct ptClient *client, int64_t nowNs);

/** Send what there is room for; returns whether there was anything. */
bool ptStreamsFill(struct ptClient *client);

/** End the streams of a device, or those whose nodes the client may not see
 * any more (NULL). */
void ptStreamsEnd(struct ptClient *client, const struct ptServed *served);

/** End all streams, and say why. */
void ptStreamsEndAll(struct ptClient *client, uint16_t why);

/** Tell whether one records. */
bool ptStreamsAreBusy(const struct ptClient *client);

/** Tell whether one was stopped and not all of it was sent. */
bool ptStreamsAreEnding(const struct ptClient *client);

/** Free all. */
void ptStreamsDestroy(struct ptClient *client);

/** Free a stream that is in no list; takes NULL. */
void ptStreamFree(struct ptStream *stream);

/**
 * Make the groups of a stream.
 *
 * @param[out] why What is wrong, for the client.
 *
 * @return 0 or a code of PT_WIRE_ERROR.
 */
int ptStreamSelect(struct ptClient *client, struct ptStream *stream,
		   const struct ptWireOpen *open, char *why, size_t size);

/**
 * Send readings of a group.
 *
 * @return Whether anything was sent; if not, there is nothing, now.
 */
bool ptStreamSend(struct ptClient *client, struct ptStream *stream,
		  size_t group);

/** Send the totals of a recording, and its end. */
void ptStreamTotals(struct ptClient *client, struct ptStream *stream,
		    uint16_t why);

#endif
