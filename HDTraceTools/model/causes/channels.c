/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The channels of a project's messages.
 */
#include "config.h"

#include "HDTraceTools/model/causes/channels.h"

struct channels {
	GHashTable *found; /**< struct messageEnd to struct channel. */
	GPtrArray *list;   /**< The same by number. */
	size_t size;
};

/** Some ends belong to no communicator. */
static int64_t channelsGroupOf(const struct messageEnd *end)
{
	return end->group ? (int64_t)end->group->number : -1;
}

static guint channelsHash(gconstpointer data)
{
	const struct messageEnd *end = data;
	uint64_t value = (uint64_t)end->sender;

	value = value * 1000003 ^ (uint64_t)end->receiver;
	value = value * 1000003 ^ (uint64_t)end->tag;
	value = value * 1000003 ^ (uint64_t)end->epoch;
	value = value * 1000003 ^ (uint64_t)channelsGroupOf(end);
	return (guint)(value ^ value >> 32);
}

static gboolean channelsAreAlike(gconstpointer a, gconstpointer b)
{
	const struct messageEnd *x = a;
	const struct messageEnd *y = b;

	return x->sender == y->sender && x->receiver == y->receiver &&
	       x->tag == y->tag && x->epoch == y->epoch &&
	       channelsGroupOf(x) == channelsGroupOf(y);
}

struct channels *channelsNew(size_t size)
{
	struct channels *self = g_new0(struct channels, 1);

	self->found = g_hash_table_new(channelsHash, channelsAreAlike);
	self->list = g_ptr_array_new_with_free_func(g_free);
	self->size = size;
	return self;
}

void channelsFree(struct channels *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->found);
	g_ptr_array_unref(self->list);
	g_free(self);
}

void *channelsNote(struct channels *self, const struct messageEnd *end)
{
	struct channel *channel = g_hash_table_lookup(self->found, end);

	if (!channel) {
		channel = g_malloc0(self->size);
		channel->key = *end;
		channel->number = self->list->len;
		channel->firstSent = INT64_MAX;
		g_ptr_array_add(self->list, channel);
		g_hash_table_insert(self->found, &channel->key, channel);
	}
	if (end->isSent)
		channel->firstSent = MIN(channel->firstSent, end->time);
	return channel;
}

uint64_t channelsCount(const struct channels *self)
{
	return self->list->len;
}

void *channelsAt(const struct channels *self, uint64_t number)
{
	return self->list->pdata[number];
}

bool channelIsBefore(const struct channel *channel, int64_t received)
{
	return channel->key.epoch > 0 && received < channel->firstSent;
}
