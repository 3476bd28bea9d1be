/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: no message is received before it was sent.
 *
 * A channel is a sender, a receiver, a communicator and a tag. If its messages
 * are put in the order in which they were sent, and in the order in which they
 * were received, the k-th must not be received before the k-th was sent: if it
 * was, no assignment of the ones to the others is possible, whatever threads
 * and requests were involved. Channels of which not as many messages were sent
 * as received are not judged, nor what comes after recording was interrupted:
 * something was not recorded. So who is put together with whom does not matter
 * here, as it does in dependencies.h: what is an error must be one in any case.
 *
 * A time is kept for each end of a message, and no more.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/check/check.h"
#include "HDTraceTools/model/causes/residuals.h"
#include "HDTraceTools/model/causes/channels.h"
#include "HDTraceTools/model/mpi/messages.h"

/** The messages of a channel. */
struct checkChannel {
	struct channel channel;
	GArray *times[2]; /**< int64_t: when they were received, sent. */
};

/** What is wrong between two ranks. */
struct pair {
	int64_t sender;
	int64_t receiver;
	uint64_t early;
	int64_t worst; /**< Early by this, in ns. */
	int64_t time;  /**< When that message was received. */
	bool isKnown;  /**< Whether the clocks were compared. */
	int64_t error; /**< Sum of both. */
};

struct checkMessages {
	struct messages *messages;
	struct channels *channels;   /**< Of struct checkChannel. */
	GHashTable *nodes;           /**< Global rank to hdINode of a trace. */
	struct residuals *residuals; /**< NULL: this is of one trace. */
};

/* ---- Channels ---------------------------------------------------------- */

static struct checkChannel *checkMessagesChannelOf(struct checkMessages *self,
						   const struct messageEnd *end)
{
	struct checkChannel *channel = channelsNote(self->channels, end);

	for (int i = 0; i < 2 && !channel->times[i]; i++)
		channel->times[i] = g_array_new(FALSE, FALSE, sizeof(int64_t));
	return channel;
}

static void noteEnd(const struct messageEnd *end, void *data)
{
	struct checkChannel *channel = checkMessagesChannelOf(data, end);

	g_array_append_val(channel->times[end->isSent], end->time);
}

void checkMessage(struct checkMessages *self, const hdIRecord *record)
{
	messagesFind(self->messages, record, noteEnd, self);
}

void checkMessagesEnter(struct checkMessages *self, const hdITraceFile *trace)
{
	int64_t rank;

	if (messagesEnter(self->messages, trace, &rank))
		g_hash_table_insert(self->nodes, g_memdup2(&rank, sizeof(rank)),
				    (void *)trace->node);
}

/* ---- Judging ----------------------------------------------------------- */

static int checkMessagesCompareTimes(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t *sorted(GArray *times)
{
	int64_t *list = (int64_t *)(void *)times->data;

	qsort(list, times->len, sizeof(*list), checkMessagesCompareTimes);
	return list;
}

/** How wrong the clocks of two ranks can be; false if that is not known. */
static bool checkMessagesErrorOf(const struct checkMessages *self,
				 const struct messageEnd *key, int64_t *error)
{
	const hdINode *sender = g_hash_table_lookup(self->nodes, &key->sender);
	const hdINode *receiver =
		g_hash_table_lookup(self->nodes, &key->receiver);

	return sender && receiver &&
	       residualsGet(self->residuals, sender, receiver, error);
}

static void checkMessagesCheckChannel(const struct check *check,
				      const struct checkChannel *channel,
				      GHashTable *pairs)
{
	const struct messageEnd *key = &channel->channel.key;
	guint count = channel->times[0]->len;
	const int64_t *sent;
	const int64_t *received;
	struct pair found = {
		.sender = key->sender,
		.receiver = key->receiver,
	};
	struct pair *pair;

	if (key->epoch != 0 || channel->times[1]->len != count)
		return;
	found.isKnown =
		checkMessagesErrorOf(check->messages, key, &found.error);
	if (!found.isKnown)
		found.error = 0;
	received = sorted(channel->times[0]);
	sent = sorted(channel->times[1]);
	for (guint i = 0; i < count; i++) {
		int64_t early;

		if (__builtin_sub_overflow(sent[i], received[i], &early) ||
		    early <= found.error)
			continue;
		found.early++;
		if (early > found.worst) {
			found.worst = early;
			found.time = received[i];
		}
	}
	if (!found.early)
		return;
	pair = g_hash_table_lookup(pairs, &found);
	if (!pair) {
		g_hash_table_add(pairs, g_memdup2(&found, sizeof(found)));
		return;
	}
	pair->early += found.early;
	if (found.worst > pair->worst) {
		pair->worst = found.worst;
		pair->time = found.time;
	}
}

static guint hashPair(gconstpointer data)
{
	const struct pair *pair = data;

	return (guint)(pair->sender * 1000003 + pair->receiver);
}

static gint comparePairs(gconstpointer a, gconstpointer b)
{
	const struct pair *x = a;
	const struct pair *y = b;

	if (x->sender != y->sender)
		return x->sender < y->sender ? -1 : 1;
	return (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

static gboolean isSamePair(gconstpointer a, gconstpointer b)
{
	return comparePairs(a, b) == 0;
}

static void reportPair(const struct check *check, const struct pair *pair)
{
	char time[OUT_NUMBER_SIZE];
	char early[OUT_NUMBER_SIZE];
	char error[OUT_NUMBER_SIZE];

	toolReport(check->tool, "trc.message", check->project->file, -1, 0,
		   "messages from rank %" PRId64 " to rank %" PRId64
		   ": %" PRIu64 " received before they were sent, the one at "
		   "%s by %s; the clocks are known to %s",
		   pair->sender, pair->receiver, pair->early,
		   outSeconds(time, pair->time),
		   outDuration(early, pair->worst),
		   outDuration(error, pair->error));
}

static void checkMessagesReportPairs(const struct check *check,
				     GHashTable *pairs)
{
	GList *list = g_list_sort(g_hash_table_get_keys(pairs), comparePairs);
	const struct pair *worst = NULL;
	uint64_t early = 0;
	char buffer[OUT_NUMBER_SIZE];

	for (const GList *item = list; item; item = item->next) {
		const struct pair *pair = item->data;

		if (pair->isKnown) {
			reportPair(check, pair);
			continue;
		}
		early += pair->early;
		if (!worst || pair->worst > worst->worst)
			worst = pair;
	}
	g_list_free(list);
	if (worst)
		toolReport(check->tool, "proj.clocks", check->project->file, -1,
			   0,
			   "hosts without clock comparison: %" PRIu64
			   " messages received before they were sent, by up to "
			   "%s (from rank %" PRId64 " to rank %" PRId64 ")",
			   early, outDuration(buffer, worst->worst),
			   worst->sender, worst->receiver);
}

void checkMessagesEnd(struct check *check)
{
	GHashTable *pairs =
		g_hash_table_new_full(hashPair, isSamePair, g_free, NULL);
	const struct channels *channels = check->messages->channels;

	for (uint64_t i = 0; i < channelsCount(channels); i++)
		checkMessagesCheckChannel(check, channelsAt(channels, i),
					  pairs);
	checkMessagesReportPairs(check, pairs);
	g_hash_table_destroy(pairs);
}

/* ---- Begin and end ----------------------------------------------------- */

static struct checkMessages *checkMessagesCreate(struct messages *messages)
{
	struct checkMessages *self = g_new0(struct checkMessages, 1);

	self->messages = messages;
	self->channels = channelsNew(sizeof(struct checkChannel));
	self->nodes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	return self;
}

struct checkMessages *checkMessagesNew(const hdIProject *project)
{
	struct checkMessages *self = checkMessagesCreate(messagesNew(project));

	self->residuals = residualsNew(project);
	return self;
}

struct checkMessages *checkMessagesPart(const struct checkMessages *self)
{
	return checkMessagesCreate(messagesCopy(self->messages));
}

void checkMessagesAdd(struct checkMessages *self,
		      const struct checkMessages *part)
{
	GHashTableIter iterator;
	gpointer rank, node;

	for (uint64_t i = 0; i < channelsCount(part->channels); i++) {
		const struct checkChannel *from = channelsAt(part->channels, i);
		struct checkChannel *to =
			checkMessagesChannelOf(self, &from->channel.key);

		for (int k = 0; k < 2; k++)
			g_array_append_vals(to->times[k], from->times[k]->data,
					    from->times[k]->len);
	}
	g_hash_table_iter_init(&iterator, part->nodes);
	while (g_hash_table_iter_next(&iterator, &rank, &node))
		g_hash_table_insert(self->nodes,
				    g_memdup2(rank, sizeof(int64_t)), node);
}

void checkMessagesFree(struct checkMessages *self)
{
	for (uint64_t i = 0; i < channelsCount(self->channels); i++) {
		struct checkChannel *channel = channelsAt(self->channels, i);

		g_array_unref(channel->times[0]);
		g_array_unref(channel->times[1]);
	}
	channelsFree(self->channels);
	g_hash_table_destroy(self->nodes);
	residualsFree(self->residuals);
	messagesFree(self->messages);
	g_free(self);
}
