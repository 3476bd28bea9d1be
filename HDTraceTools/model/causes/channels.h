/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The channels of a project's messages: all of the same sender, receiver,
 * communicator, tag and epoch.
 */
#ifndef HD_CHANNELS_H
#define HD_CHANNELS_H

#include "HDTraceTools/model/mpi/messages.h"

/** A channel. Those who keep more of each begin their struct with it. */
struct channel {
	struct messageEnd key; /**< One end of its messages. */
	uint64_t number;       /**< From 0, as they are found. */
	int64_t firstSent; /**< When the first was sent; INT64_MAX: not yet. */
};

struct channels;

/** @param size Of the struct that is kept of each. */
struct channels *channelsNew(size_t size);

/** Free it, and what is kept of each; NULL does nothing. */
void channelsFree(struct channels *self);

/**
 * Note an end of a message. They may come from several struct messages of the
 * same project, which must live as long as this.
 *
 * @return Its channel; if it is new all after struct channel is 0. It stays
 *         where it is.
 */
void *channelsNote(struct channels *self, const struct messageEnd *end);

/** How many there are. */
uint64_t channelsCount(const struct channels *self);

/** Get one by its number. */
void *channelsAt(const struct channels *self, uint64_t number);

/**
 * Whether what was received then was sent before the channel's epoch began,
 * when nothing was recorded. It is known when all that was sent is noted.
 */
bool channelIsBefore(const struct channel *channel, int64_t received);

#endif
