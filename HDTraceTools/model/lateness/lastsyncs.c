/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When two traces synchronized last.
 */
#include "config.h"

#include <glib.h>
#include <string.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/heap.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/lateness/lastsyncs.h"

/** Calls of more ranks are large; see lastSyncsGet(). */
#define LAST_SYNCS_NEAR 256

/** A trace left a message or a call. */
struct syncEnd {
	int64_t known; /**< When it counts: both left, or the trace did. */
	int64_t time;  /**< When the trace left. */
	int64_t other; /**< Of a message: when the other one did. */
	uint64_t call; /**< Of a call: where it is + 1; 0: a message. */
	uint32_t trace;
	uint32_t partner; /**< The other trace, or the channel of the call. */
};

/** A call, before the ranks of it. */
struct syncCall {
	uint64_t before; /**< The one before of the channel + 1; 0: none. */
	uint64_t count;
};

/** When a trace left a call; by trace. */
struct syncLeave {
	int64_t time;
	uint32_t trace;
	uint32_t isLate; /**< It did not leave all before it earlier. */
};

/** When two traces left a message. */
struct syncPair {
	int64_t time;
	int64_t other;
};

/** The last call of a channel that was left, and when the last one was. */
struct syncChannel {
	uint64_t call;
	int64_t time;
	uint64_t own;   /**< Where the trace was in the last call looked at, */
	uint64_t count; /**< and how many it had. */
	GList link;     /**< In the list of all, the last one first. */
};

struct lastSyncs {
	struct sorter *ends;
	struct spool *calls;
	uint64_t before;  /**< The last call + 1 ... */
	uint32_t channel; /**< ... and its channel. */
	GArray *leaves;   /**< struct syncLeave, of a call, ... */
	GArray *latest;   /**< ... and the latest until then of its channel. */
	/* While they are looked for: the trace, ... */
	bool isAny;
	uint32_t trace;
	/* ... its partners to arrays of struct syncPair, by time and other,
	 * which both grow, ... */
	GHashTable *pairs;
	GHashTable *channels; /**< ... and channels to struct syncChannel. */
	GQueue recent;        /**< struct syncChannel */
	GArray *pending; /**< Heap of struct syncEnd: it has not left these. */
	struct syncEnd next;
	bool hasNext;
	int error;
};

static int lastSyncsCompareEnds(const void *a, const void *b)
{
	const struct syncEnd *x = a;
	const struct syncEnd *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	COMPARE_KEYS(x->known, y->known);
	COMPARE_KEYS(x->time, y->time);
	COMPARE_KEYS(x->other, y->other);
	COMPARE_KEYS(x->partner, y->partner);
	COMPARE_KEYS(x->call, y->call);
	return 0;
}

/** Those that the trace left first come first. */
static gint lastSyncsComparePending(gconstpointer a, gconstpointer b)
{
	const struct syncEnd *x = a;
	const struct syncEnd *y = b;

	COMPARE_KEYS(x->time, y->time);
	return lastSyncsCompareEnds(x, y);
}

static void lastSyncsFreePairs(void *data)
{
	g_array_unref(data);
}

struct lastSyncs *lastSyncsNew(void)
{
	struct lastSyncs *self = g_new0(struct lastSyncs, 1);

	self->ends = sorterNew(sizeof(struct syncEnd), lastSyncsCompareEnds);
	self->calls = spoolNew();
	self->leaves = g_array_new(FALSE, FALSE, sizeof(struct syncLeave));
	self->latest = g_array_new(FALSE, FALSE, sizeof(struct syncLeave));
	self->pairs =
		g_hash_table_new_full(NULL, NULL, NULL, lastSyncsFreePairs);
	self->channels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_queue_init(&self->recent);
	self->pending = g_array_new(FALSE, FALSE, sizeof(struct syncEnd));
	return self;
}

void lastSyncsFree(struct lastSyncs *self)
{
	if (!self)
		return;
	sorterFree(self->ends);
	spoolFree(self->calls);
	g_array_unref(self->leaves);
	g_array_unref(self->latest);
	g_hash_table_destroy(self->pairs);
	g_hash_table_destroy(self->channels);
	g_array_unref(self->pending);
	g_free(self);
}

/* ---- Taking ------------------------------------------------------------- */

static int lastSyncsTakeMessage(struct lastSyncs *self,
				const struct dependencyMatch *match)
{
	int ret = 0;

	for (guint i = 0; i < 2 && ret == 0; i++) {
		const struct dependencyPart *part = &match->parts[i];
		const struct dependencyPart *other = &match->parts[1 - i];
		const struct syncEnd end = {
			.known = MAX(part->end, other->end),
			.time = part->end,
			.other = other->end,
			.trace = part->trace,
			.partner = other->trace,
		};

		if (part->trace != other->trace)
			ret = sorterAdd(self->ends, &end);
	}
	return ret;
}

static gint lastSyncsCompareLeaves(gconstpointer a, gconstpointer b)
{
	const struct syncLeave *x = a;
	const struct syncLeave *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	return 0;
}

/** Nonblocking calls may be completed in another order: mark those that were
 *  not left after all that are before them. */
static void lastSyncsMarkLate(struct lastSyncs *self)
{
	for (guint i = 0; i < self->leaves->len; i++) {
		struct syncLeave *leave =
			&g_array_index(self->leaves, struct syncLeave, i);
		struct syncLeave *latest;

		if (i >= self->latest->len) {
			g_array_append_val(self->latest, *leave);
			continue;
		}
		latest = &g_array_index(self->latest, struct syncLeave, i);
		leave->isLate = latest->trace == leave->trace &&
				latest->time >= leave->time;
		if (!leave->isLate)
			*latest = *leave;
	}
}

/** Write when its ranks left a call. */
static int lastSyncsWriteCall(struct lastSyncs *self,
			      const struct dependencyMatch *match)
{
	struct syncCall call = { .count = match->count };
	bool isSorted = true;
	int ret;

	g_array_set_size(self->leaves, 0);
	for (guint i = 0; i < match->count; i++) {
		const struct syncLeave leave = {
			.time = match->parts[i].end,
			.trace = match->parts[i].trace,
		};

		isSorted = isSorted &&
			   (i == 0 || match->parts[i - 1].trace < leave.trace);
		g_array_append_val(self->leaves, leave);
	}
	if (!isSorted)
		g_array_sort(self->leaves, lastSyncsCompareLeaves);
	if (match->channel == self->channel)
		call.before = self->before;
	else
		g_array_set_size(self->latest, 0);
	lastSyncsMarkLate(self);
	self->channel = match->channel;
	self->before = spoolLength(self->calls) + 1;
	ret = spoolAppend(self->calls, &call, sizeof(call));
	return ret < 0 ? ret
		       : spoolAppend(self->calls, self->leaves->data,
				     self->leaves->len *
					     sizeof(struct syncLeave));
}

static int lastSyncsTakeCall(struct lastSyncs *self,
			     const struct dependencyMatch *match)
{
	int ret = lastSyncsWriteCall(self, match);

	for (guint i = 0; i < match->count && ret == 0; i++) {
		const struct dependencyPart *part = &match->parts[i];
		const struct syncEnd end = {
			.known = part->end,
			.time = part->end,
			.call = self->before,
			.trace = part->trace,
			.partner = match->channel,
		};

		ret = sorterAdd(self->ends, &end);
	}
	return ret;
}

int lastSyncsTake(struct lastSyncs *self, const struct dependencyMatch *match)
{
	if (match->meeting == MEETING_MESSAGE)
		return lastSyncsTakeMessage(self, match);
	if (match->meeting == MEETING_COLLECTIVE && match->count > 1 &&
	    match->pattern != PATTERN_ALONE)
		return lastSyncsTakeCall(self, match);
	return 0;
}

/* ---- What a trace left -------------------------------------------------- */

static void lastSyncsReadEnd(struct lastSyncs *self)
{
	int ret = sorterNext(self->ends, &self->next);

	self->hasNext = ret == 1;
	if (ret < 0 && self->error == 0)
		self->error = ret;
}

static void lastSyncsEnter(struct lastSyncs *self, uint32_t trace)
{
	if (!self->isAny)
		lastSyncsReadEnd(self);
	self->isAny = true;
	self->trace = trace;
	g_hash_table_remove_all(self->pairs);
	g_hash_table_remove_all(self->channels);
	g_queue_init(&self->recent);
	g_array_set_size(self->pending, 0);
	while (self->hasNext && self->next.trace < trace)
		lastSyncsReadEnd(self);
}

/** Forget messages that are never the last one again: from now on, what both
 *  left until a time counts in any case, and so does a later one of these. */
static void lastSyncsForgetPairs(GArray *pairs, int64_t time)
{
	guint count = 0;

	while (count + 1 < pairs->len &&
	       g_array_index(pairs, struct syncPair, count + 1).other <= time)
		count++;
	if (count)
		g_array_remove_range(pairs, 0, count);
}

static void lastSyncsSeeMessage(struct lastSyncs *self,
				const struct syncEnd *end, int64_t time)
{
	gpointer key = GUINT_TO_POINTER(end->partner);
	GArray *pairs = g_hash_table_lookup(self->pairs, key);
	const struct syncPair pair = { end->time, end->other };
	guint place, first;

	if (!pairs) {
		pairs = g_array_new(FALSE, FALSE, sizeof(struct syncPair));
		g_hash_table_insert(self->pairs, key, pairs);
	}
	lastSyncsForgetPairs(pairs, time);
	for (place = pairs->len; place > 0; place--) {
		const struct syncPair *before =
			&g_array_index(pairs, struct syncPair, place - 1);

		if (before->time < pair.time ||
		    (before->time == pair.time && before->other < pair.other))
			break;
		/* Of both it counts whenever the new one does, and is later. */
		if (before->other <= pair.other)
			return;
	}
	for (first = place; first > 0; first--) {
		if (g_array_index(pairs, struct syncPair, first - 1).other <
		    pair.other)
			break;
	}
	if (first < place)
		g_array_remove_range(pairs, first, place - first);
	g_array_insert_val(pairs, first, pair);
}

/** The last message with another trace, which left it until a time. */
static const struct syncPair *lastSyncsLastPair(const struct lastSyncs *self,
						uint32_t other, int64_t time)
{
	const GArray *pairs =
		g_hash_table_lookup(self->pairs, GUINT_TO_POINTER(other));

	for (guint i = pairs ? pairs->len : 0; i > 0; i--) {
		const struct syncPair *pair =
			&g_array_index(pairs, struct syncPair, i - 1);

		if (pair->other <= time)
			return pair;
	}
	return NULL;
}

/** The trace left something; others are asked about times after that one. */
static void lastSyncsSee(struct lastSyncs *self, const struct syncEnd *end,
			 int64_t time)
{
	gpointer key = GUINT_TO_POINTER(end->partner);
	struct syncChannel *channel;

	if (!end->call) {
		lastSyncsSeeMessage(self, end, time);
		return;
	}
	channel = g_hash_table_lookup(self->channels, key);
	if (!channel) {
		channel = g_new0(struct syncChannel, 1);
		channel->link.data = channel;
		g_hash_table_insert(self->channels, key, channel);
	} else {
		g_queue_unlink(&self->recent, &channel->link);
	}
	channel->call = MAX(channel->call, end->call);
	channel->time = end->time;
	g_queue_push_head_link(&self->recent, &channel->link);
}

/** See all that the trace left until a time, and others did until another. */
static void lastSyncsAdvance(struct lastSyncs *self, int64_t time,
			     int64_t otherTime)
{
	struct syncEnd end;

	while (self->pending->len &&
	       g_array_index(self->pending, struct syncEnd, 0).time <= time) {
		heapPop(self->pending, &end, lastSyncsComparePending);
		lastSyncsSee(self, &end, time);
	}
	for (; self->hasNext && self->next.trace == self->trace &&
	       self->next.known <= otherTime;
	     lastSyncsReadEnd(self)) {
		if (self->next.time <= time)
			lastSyncsSee(self, &self->next, time);
		else
			heapPush(self->pending, &self->next,
				 lastSyncsComparePending);
	}
}

/* ---- Looking ------------------------------------------------------------ */

/** A call while it is looked at. */
struct syncLook {
	uint64_t offset; /**< Of the first rank. */
	uint64_t count;
};

/** Read of a call of so many ranks. In a large one what is read next is far
 *  away, and the piece of the file that spoolRead() keeps is for nothing. */
static int lastSyncsGet(struct lastSyncs *self, uint64_t count, uint64_t offset,
			void *bytes, size_t size)
{
	int ret;

	if (count > LAST_SYNCS_NEAR)
		ret = spoolPeek(self->calls, offset, bytes, size);
	else
		ret = spoolRead(self->calls, offset, bytes, size);
	if (ret < 0)
		self->error = ret;
	return ret;
}

/** When a trace left a call; false: it was not in it.
 *
 *  @param[in,out] at Where it may be, and where it is. */
static bool lastSyncsLeft(struct lastSyncs *self, const struct syncLook *look,
			  uint32_t trace, uint64_t *at, struct syncLeave *leave)
{
	uint64_t low = 0, high = look->count;
	uint64_t middle = *at < high ? *at : low + (high - low) / 2;

	while (low < high) {
		if (lastSyncsGet(self, look->count,
				 look->offset + middle * sizeof(*leave), leave,
				 sizeof(*leave)) < 0)
			return false;
		*at = middle;
		if (leave->trace == trace)
			return true;
		if (leave->trace < trace)
			low = middle + 1;
		else
			high = middle;
		middle = low + (high - low) / 2;
	}
	return false;
}

/** When the trace and another one left a call; false: one was not in it. */
static bool lastSyncsLeftBoth(struct lastSyncs *self,
			      struct syncChannel *channel,
			      const struct syncLook *look,
			      const struct lastSync *sync,
			      struct syncLeave *own, struct syncLeave *other)
{
	uint64_t at;

	if (!lastSyncsLeft(self, look, sync->trace, &channel->own, own))
		return false;
	/* As if all traces between them were in it, too; below 0 is none. */
	at = channel->own + sync->other - sync->trace;
	return lastSyncsLeft(self, look, sync->other, &at, other);
}

/** The last call of a channel that both left in time, if it is later. */
static void lastSyncsSeeChannel(struct lastSyncs *self,
				struct syncChannel *channel,
				const struct lastSync *sync,
				struct syncPair *best)
{
	struct syncCall head;

	for (uint64_t call = channel->call; call; call = head.before) {
		struct syncLook look = { .offset = call - 1 + sizeof(head) };
		struct syncLeave own, other;

		if (lastSyncsGet(self, channel->count, call - 1, &head,
				 sizeof(head)) < 0)
			return;
		look.count = channel->count = head.count;
		if (!lastSyncsLeftBoth(self, channel, &look, sync, &own,
				       &other))
			return;
		if (own.time <= sync->time && other.time <= sync->otherTime &&
		    (own.time > best->time ||
		     (own.time == best->time && other.time > best->other)))
			*best = (struct syncPair){ own.time, other.time };
		/* All that are before it were left earlier. */
		if (!own.isLate && own.time <= best->time)
			return;
	}
}

int lastSyncsFind(struct lastSyncs *self, struct lastSync *sync)
{
	struct syncPair best = { INT64_MIN, INT64_MIN };
	const struct syncPair *pair;

	if (!self->isAny || self->trace != sync->trace)
		lastSyncsEnter(self, sync->trace);
	lastSyncsAdvance(self, sync->time, sync->otherTime);
	pair = lastSyncsLastPair(self, sync->other, sync->otherTime);
	if (pair)
		best = *pair;
	for (GList *link = self->recent.head; link && self->error == 0;
	     link = link->next) {
		struct syncChannel *channel = link->data;

		if (channel->time < best.time)
			break;
		lastSyncsSeeChannel(self, channel, sync, &best);
	}
	sync->time = best.time;
	sync->otherTime = best.other;
	return self->error;
}
