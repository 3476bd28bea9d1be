/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file pairs.c
 * Messages as pairs of their ends, in the order of sending.
 */
#include "config.h"

#include "pairs.h"
#include "sorter.h"

/** How many messages of a channel there were so far. */
struct channel {
	struct messageEnd key;
	uint64_t number;
	uint64_t sent;
	uint64_t received;
};

struct pairs {
	GHashTable *channels; /**< struct messageEnd to struct channel. */
	struct sorter *ends;
	struct sorter *pairs;
	bool isJoined;
	uint64_t loose;
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

	self->channels = g_hash_table_new_full(messagesHash, messagesAreAlike,
					       NULL, g_free);
	self->ends = sorterNew(sizeof(struct pairEnd), compareEnds);
	self->pairs = sorterNew(sizeof(struct pair), comparePairs);
	return self;
}

void pairsFree(struct pairs *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->channels);
	sorterFree(self->ends);
	sorterFree(self->pairs);
	g_free(self);
}

int pairsAdd(struct pairs *self, const struct messageEnd *end, size_t trace)
{
	struct channel *channel = g_hash_table_lookup(self->channels, end);
	struct pairEnd item = {
		.isSent = end->isSent,
		.trace = trace,
		.time = end->time,
		.size = end->size,
		.tag = end->tag,
		.group = end->group->number,
	};

	if (!channel) {
		channel = g_new0(struct channel, 1);
		channel->key = *end;
		channel->number = g_hash_table_size(self->channels);
		g_hash_table_insert(self->channels, &channel->key, channel);
	}
	item.channel = channel->number;
	item.number = end->isSent ? channel->sent++ : channel->received++;
	return sorterAdd(self->ends, &item);
}

/** Put the ends together. */
static int join(struct pairs *self)
{
	struct pair pair;
	bool hasSent = false;
	int ret = 0;

	while (ret == 0 &&
	       (ret = sorterNext(self->ends, &pair.received)) == 1) {
		ret = 0;
		if (pair.received.isSent) {
			pair.sent = pair.received;
			self->loose++;
			hasSent = true;
		} else if (hasSent &&
			   pair.sent.channel == pair.received.channel &&
			   pair.sent.number == pair.received.number) {
			self->loose--;
			hasSent = false;
			ret = sorterAdd(self->pairs, &pair);
		} else {
			self->loose++;
		}
	}
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
