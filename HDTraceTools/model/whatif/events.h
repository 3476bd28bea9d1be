/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What ranks give to others and need of them, by trace and time: what a replay
 * goes through.
 */
#ifndef HD_WHATIFEVENTS_H
#define HD_WHATIFEVENTS_H

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/causes/dependencies.h"

/** Messages of more bytes are sent synchronously. */
#define EVENTS_EAGER 65536

enum eventKind {
	EVENT_GIVE, /**< Something begins that others need. */
	EVENT_TAKE, /**< A call ends that needs something. */
};

/** One of a trace. */
struct replayEvent {
	uint64_t meeting; /**< What is given and taken; from 1 on. */
	int64_t time;     /**< When it was given, or the call ended. */
	int64_t call;     /**< When the call began. */
	int64_t cause;    /**< When all that is taken had been given. */
	int64_t size;     /**< Of a message; -1: of something else. */
	uint32_t trace;
	uint32_t place;  /**< In a prefix operation. */
	uint32_t givers; /**< How many give it, ... */
	uint32_t takers; /**< ... and how many take it. */
	uint8_t kind;    /**< enum eventKind */
	bool isPrefix;   /**< It takes what lower places gave only. */
	bool isOfAll;    /**< All of many ranks wait for each other. */
};

struct events {
	struct sorter *sorter; /**< struct replayEvent */
	uint64_t meetings;
	uint32_t ranks; /**< How many there are. */
	int64_t eager;
};

/** Start with none. */
void eventsInit(struct events *self, uint32_t ranks);

/** Free what is in it. */
void eventsClear(struct events *self);

/** Make events of what belongs together; data is the struct events. 0 or a
 *  negative errno. */
int eventsTake(const struct dependencyMatch *match, void *data);

#endif
