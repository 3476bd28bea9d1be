/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages as pairs of their ends, in the order of sending.
 */
#include "config.h"

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/channels.h"
#include "HDTraceTools/model/pairs.h"

/** The messages of a channel. */
struct pairChannel {
	struct channel channel;
	uint64_t counts[2]; /**< Received, sent; so far. */
};

struct pairs {
	struct channels *channels; /**< Of struct pairChannel. */
	struct sorter *ends;
	struct sorter *pairs;
	bool isJoined;
	uint64_t loose;
	uint64_t unsure;
};

static int compareEnds(const void *a, const void *b)
{
	const struct pairEnd *x = a;
	const struct pairEnd *y = b;

	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return y->isSent - x->isSent;
}

static int comparePairs(const void *a, const void *b)
{
	const struct pair *x = a;
	const struct pair *y = b;

	if (x->sent.time != y->sent.time)
		return x->sent.time < y->sent.time ? -1 : 1;
	return compareEnds(&x->sent, &y->sent);
}

struct pairs *pairsNew(void)
{
	struct pairs *self = g_new0(struct pairs, 1);

	self->channels = channelsNew(sizeof(struct pairChannel));
	self->ends = sorterNew(sizeof(struct pairEnd), compareEnds);
	self->pairs = sorterNew(sizeof(struct pair), comparePairs);
	return self;
}

void pairsFree(struct pairs *self)
{
	if (!self)
		return;
	channelsFree(self->channels);
	sorterFree(self->ends);
	sorterFree(self->pairs);
	g_free(self);
}

int pairsAdd(struct pairs *self, const struct messageEnd *end, bool isChosen,
	     size_t trace)
{
	struct pairChannel *channel = channelsNote(self->channels, end);
	struct pairEnd item = {
		.channel = channel->channel.number,
		.number = channel->counts[end->isSent]++,
		.isSent = end->isSent,
		.isChosen = isChosen,
		.trace = trace,
		.time = end->time,
		.size = end->size,
		.tag = end->tag,
		.group = end->group->number,
	};

	return sorterAdd(self->ends, &item);
}

/** What is known where ends are put together. */
struct join {
	struct pairs *pairs;
	GArray *sent; /**< struct pairEnd: of this channel, not received yet. */
	guint next;   /**< The first that can be received yet. */
	uint64_t channel;
	uint64_t strays; /**< Received in it, but sent before it began. */
};

/** The first that was sent and can be received yet; NULL if there is none. */
static const struct pairEnd *firstSent(const struct join *self)
{
	return self->next < self->sent->len
		       ? &g_array_index(self->sent, struct pairEnd, self->next)
		       : NULL;
}

/** Leave out what was sent before a message of this number was received. */
static void dropSent(struct join *self, uint64_t received)
{
	const struct pairEnd *sent;

	while ((sent = firstSent(self)) &&
	       sent->number + self->strays < received) {
		self->pairs->loose += sent->isChosen;
		self->next++;
	}
}

static void joinSent(struct join *self, const struct pairEnd *sent)
{
	/* That of this number is the next to be received. */
	dropSent(self, sent->number);
	if (self->next > self->sent->len / 2) {
		g_array_remove_range(self->sent, 0, self->next);
		self->next = 0;
	}
	g_array_append_val(self->sent, *sent);
}

static int joinReceived(struct join *self, const struct pairEnd *received)
{
	struct pairs *pairs = self->pairs;
	const struct channel *channel =
		channelsAt(pairs->channels, received->channel);
	const struct pairEnd *sent;
	struct pair pair;

	if (channelIsBefore(channel, received->time)) {
		self->strays++;
		pairs->loose += received->isChosen;
		return 0;
	}
	dropSent(self, received->number);
	sent = firstSent(self);
	if (!sent || sent->number + self->strays != received->number) {
		pairs->loose += received->isChosen;
		return 0;
	}
	self->next++;
	if (!sent->isChosen || !received->isChosen) {
		pairs->loose += sent->isChosen || received->isChosen;
		return 0;
	}
	pairs->unsure += channel->key.epoch != 0;
	pair.sent = *sent;
	pair.received = *received;
	return sorterAdd(pairs->pairs, &pair);
}

static void joinEndChannel(struct join *self)
{
	dropSent(self, UINT64_MAX);
	g_array_set_size(self->sent, 0);
	self->next = 0;
	self->strays = 0;
}

/** Put the ends together. */
static int join(struct pairs *pairs)
{
	struct join self = {
		.pairs = pairs,
		.sent = g_array_new(FALSE, FALSE, sizeof(struct pairEnd)),
	};
	const struct channel *channel;
	struct pairEnd end;
	int ret = 0;

	while (ret == 0 && (ret = sorterNext(pairs->ends, &end)) == 1) {
		ret = 0;
		if (end.channel != self.channel)
			joinEndChannel(&self);
		self.channel = end.channel;
		channel = channelsAt(pairs->channels, end.channel);
		if (channel->key.epoch < 0)
			pairs->loose += end.isChosen;
		else if (end.isSent)
			joinSent(&self, &end);
		else
			ret = joinReceived(&self, &end);
	}
	joinEndChannel(&self);
	g_array_unref(self.sent);
	return ret;
}

int pairsNext(struct pairs *self, struct pair *pair)
{
	int ret = self->isJoined ? 0 : join(self);

	self->isJoined = true;
	return ret < 0 ? ret : sorterNext(self->pairs, pair);
}

uint64_t pairsLoose(const struct pairs *self)
{
	return self->loose;
}

uint64_t pairsUnsure(const struct pairs *self)
{
	return self->unsure;
}
