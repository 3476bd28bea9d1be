/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The segments of a store; all of this with its mutex held.
 */
#ifndef PT_SEGMENT_H
#define PT_SEGMENT_H

#include <pthread.h>

#include "PowerTracingLibrary/service/store/store.h"

/** Readings of which the latency is remembered. */
#define PT_STORE_LATENCIES 16

/** A column of a segment. */
struct ptSegmentColumn {
	double *values; /**< NULL if no set wants it. */
	unsigned int uses;
};

/** A piece of time. */
struct ptSegment {
	struct ptSegment *next;
	uint64_t first; /**< Number of its first reading. */
	size_t count;
	unsigned int uses; /**< Sets that have it. */
	struct ptStored readings[PT_SEGMENT_SIZE];
	struct ptSegmentColumn columns[];
};

struct ptStore {
	pthread_mutex_t mutex; /**< Protects all below. */
	size_t columns;
	struct ptAccount *service;
	struct ptSet *sets; /**< Those that want the next reading. */
	struct ptSegment *head, *tail;
	struct ptSegment *open; /**< That readings go to, or NULL. */
	uint64_t number;        /**< Of the next reading. */
	struct ptStored last;
	double *lastValues;
	int64_t latencies[PT_STORE_LATENCIES];
};

/** Get the bytes that one more segment costs the client of a set. */
int64_t ptSegmentNeed(const struct ptSet *set);

/** Get the bytes that one more segment costs the service. */
int64_t ptSegmentCost(const struct ptStore *store);

/**
 * Open a segment, and let all sets that want readings use it.
 *
 * @retval -ENOMEM Out of memory; nothing has changed.
 */
int ptSegmentOpen(struct ptStore *store);

/**
 * Let a set use the segment that is open.
 *
 * @retval -ENOMEM Out of memory; nothing has changed.
 */
int ptSegmentUse(struct ptStore *store, struct ptSet *set);

/** Let a set use its first segment no more. */
void ptSegmentRelease(struct ptStore *store, struct ptSet *set);

/** Let a set get no more readings, and release those that are too late. */
void ptSegmentsClose(struct ptStore *store, struct ptSet *set);

#endif
