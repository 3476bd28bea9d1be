/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a node has said: its sections as compact JSON texts, and never as trees,
 * which take many times as much. Probes, which may be long, are kept in a file.
 */
#ifndef HD_NODE_ANSWER_H
#define HD_NODE_ANSWER_H

#include <stdint.h>

#include <jansson.h>

#include "NodeStatus/wire/wire.h"

/** A file without a name for the probes of all nodes. */
struct nodeSpool {
	int fd;       /**< Open if there are slots. */
	size_t slots; /**< Of HD_NODE_WIRE_ANSWER_MAX bytes that are taken. */
};

/** Who a node is; all zero at first. */
struct nodeSelf {
	char *name, *hostName, *boot; /**< NULL: unknown. */
	double started;
	unsigned int boots, restarts; /**< How often that has changed. */
};

/** The last known sections of a node; all zero at first. */
struct nodeAnswer {
	char *texts[HD_NODE_WIRE_SECTIONS]; /**< NULL: unknown. */
	size_t slot;                        /**< Of the spool, from 1. */
	size_t probesLength;                /**< 0: unknown. */
	/** How old status and health were when they were sent, in seconds; NaN:
	 * unknown. */
	double sampleAge, healthAge;
};

/**
 * Take sections out of an answer.
 *
 * @param all The object, which was made of @p json.
 *
 * @return NULL, or what is wrong: then nothing has changed.
 */
const char *hdNodeAnswerTake(struct nodeAnswer *answer, struct nodeSpool *spool,
			     unsigned int sections, const json_t *all,
			     const char *json, size_t length);

/**
 * Take who a node is out of an answer: its host may have been booted, or hdnode
 * have restarted.
 *
 * @param hasAnswered Whether it has answered before.
 *
 * @return Whether its names are names.
 */
bool hdNodeSelfTake(struct nodeSelf *self, const json_t *all, bool hasAnswered);

/** Free its names. */
void hdNodeSelfClear(struct nodeSelf *self);

/**
 * Write the text of a section, in pieces.
 *
 * @param bit Of the section.
 *
 * @return Whether it is known.
 */
bool hdNodeAnswerWrite(const struct nodeAnswer *answer,
		       const struct nodeSpool *spool, unsigned int bit,
		       void (*write)(void *context, const char *text,
				     size_t length),
		       void *context);

/** Get a section by its bit as text, until hdNodeAnswerForget(); or NULL. */
const char *hdNodeAnswerText(struct nodeAnswer *answer,
			     const struct nodeSpool *spool, unsigned int bit);

/** Let the text of probes be only in the file. */
void hdNodeAnswerForget(struct nodeAnswer *answer);

/** Free what it has. */
void hdNodeAnswerClear(struct nodeAnswer *answer);

/** Close the file. */
void hdNodeSpoolClose(struct nodeSpool *spool);

#endif
