/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file checkmessage.c
 * hdtrace check: no message is received before it was sent.
 *
 * A channel is a sender, a receiver, a communicator and a tag. If its messages
 * are put in the order in which they were sent, and in the order in which they
 * were received, the k-th must not be received before the k-th was sent: if it
 * was, no assignment of the ones to the others is possible, whatever threads
 * and requests were involved. Channels of which not as many messages were sent
 * as received are not judged: something was not recorded.
 *
 * A time is kept for each end of a message, and no more.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

/** A communicator as a set of ranks: those of the same ranks are one. */
struct group {
	GArray *globals; /**< int64_t by local rank; -1 where there is none. */
};

struct channel {
	int64_t sender;
	int64_t receiver;
	int64_t tag;
	const struct group *group;
	GArray *sent; /**< int64_t: when. */
	GArray *received;
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
	GHashTable *groups;   /**< Ranks as text to struct group. */
	GHashTable *comms;    /**< hdIRank to struct group. */
	GHashTable *channels; /**< Set of struct channel. */
	GHashTable *hosts;    /**< Global rank to hdINode of its host. */
	/** The trace that is being read. */
	const char *rank;
	int64_t global;
};

/* ---- Communicators ----------------------------------------------------- */

static void freeGroup(void *data)
{
	struct group *group = data;

	g_array_unref(group->globals);
	g_free(group);
}

static gint compareRanks(gconstpointer a, gconstpointer b)
{
	const hdIRank *x = a;
	const hdIRank *y = b;

	return (x->local > y->local) - (x->local < y->local);
}

/** The ranks of a communicator; NULL if they are not numbered from 0. */
static const struct group *groupOf(struct checkMessages *self,
				   const hdICommunicator *comm)
{
	hdIRank *ranks =
		g_memdup2(comm->ranks, comm->rankCount * sizeof(*comm->ranks));
	GString *key = g_string_new(NULL);
	struct group *group = NULL;
	bool isGood = comm->rankCount > 0;

	if (isGood)
		qsort(ranks, comm->rankCount, sizeof(*ranks), compareRanks);
	for (size_t i = 0; isGood && i < comm->rankCount; i++) {
		isGood = ranks[i].local == (int64_t)i;
		g_string_append_printf(key, "%" PRId64 " ", ranks[i].global);
	}
	if (isGood)
		group = g_hash_table_lookup(self->groups, key->str);
	if (isGood && !group) {
		group = g_new(struct group, 1);
		group->globals = g_array_new(FALSE, FALSE, sizeof(int64_t));
		for (size_t i = 0; i < comm->rankCount; i++)
			g_array_append_val(group->globals, ranks[i].global);
		g_hash_table_insert(self->groups, g_strdup(key->str), group);
	}
	g_string_free(key, TRUE);
	g_free(ranks);
	return group;
}

/** A rank and its id of a communicator are the key to it. */
static guint hashRank(gconstpointer data)
{
	const hdIRank *rank = data;

	return (guint)(rank->global * 1000003 + rank->cid);
}

static gboolean isSameRank(gconstpointer a, gconstpointer b)
{
	const hdIRank *x = a;
	const hdIRank *y = b;

	return x->global == y->global && x->cid == y->cid;
}

static void addComms(struct checkMessages *self, const hdIProject *project)
{
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];
		const struct group *group = groupOf(self, comm);

		for (size_t k = 0; group && k < comm->rankCount; k++)
			g_hash_table_insert(
				self->comms,
				g_memdup2(&comm->ranks[k], sizeof(hdIRank)),
				(void *)group);
	}
}

/* ---- Channels ---------------------------------------------------------- */

static guint hashChannel(gconstpointer data)
{
	const struct channel *channel = data;
	uint64_t hash = (uint64_t)channel->sender;

	hash = hash * 1000003 ^ (uint64_t)channel->receiver;
	hash = hash * 1000003 ^ (uint64_t)channel->tag;
	hash = hash * 1000003 ^ (uint64_t)(uintptr_t)channel->group >> 4;
	return (guint)(hash ^ hash >> 32);
}

static gboolean isSameChannel(gconstpointer a, gconstpointer b)
{
	const struct channel *x = a;
	const struct channel *y = b;

	return x->sender == y->sender && x->receiver == y->receiver &&
	       x->tag == y->tag && x->group == y->group;
}

static void freeChannel(void *data)
{
	struct channel *channel = data;

	g_array_unref(channel->sent);
	g_array_unref(channel->received);
	g_free(channel);
}

static struct channel *channelOf(struct checkMessages *self,
				 const struct channel *wanted)
{
	struct channel *channel = g_hash_table_lookup(self->channels, wanted);

	if (channel)
		return channel;
	channel = g_memdup2(wanted, sizeof(*wanted));
	channel->sent = g_array_new(FALSE, FALSE, sizeof(int64_t));
	channel->received = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_hash_table_add(self->channels, channel);
	return channel;
}

/* ---- Records ----------------------------------------------------------- */

static bool getNumber(const hdIAttribute *attributes, size_t count,
		      const char *name, int64_t *number)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(attributes[i].name, name) == 0)
			return g_ascii_string_to_signed(attributes[i].value, 10,
							INT64_MIN, INT64_MAX,
							number, NULL);
	}
	return false;
}

/** Note an end of a message, if attributes name one. */
static void addEnd(struct checkMessages *self, const hdIAttribute *attributes,
		   size_t count, int64_t cid, bool isSent, int64_t time)
{
	struct channel wanted = { .sender = self->global };
	struct channel *channel;
	hdIRank own = { .global = self->global, .cid = cid };
	int64_t local;
	int64_t peer;

	getNumber(attributes, count, "cid", &own.cid);
	if (!getNumber(attributes, count, isSent ? "toRank" : "fromRank",
		       &local) ||
	    !getNumber(attributes, count, isSent ? "toTag" : "fromTag",
		       &wanted.tag))
		return;
	wanted.group = g_hash_table_lookup(self->comms, &own);
	if (!wanted.group || local < 0 || local >= wanted.group->globals->len)
		return;
	peer = g_array_index(wanted.group->globals, int64_t, (guint)local);
	wanted.sender = isSent ? self->global : peer;
	wanted.receiver = isSent ? peer : self->global;
	channel = channelOf(self, &wanted);
	g_array_append_val(isSent ? channel->sent : channel->received, time);
}

/** What a function does with messages. */
struct role {
	const char *name;
	bool isSending;
	bool isReceiving;
};

/** Functions that are not listed, like Irecv and Probe, do neither. */
static const struct role roles[] = {
	{ "Send", true, false },     { "Bsend", true, false },
	{ "Ssend", true, false },    { "Rsend", true, false },
	{ "Isend", true, false },    { "Ibsend", true, false },
	{ "Issend", true, false },   { "Irsend", true, false },
	{ "Start", true, false },    { "Startall", true, false },
	{ "Sendrecv", true, true },  { "Sendrecv_replace", true, true },
	{ "Recv", false, true },     { "Mrecv", false, true },
	{ "Wait", false, true },     { "Test", false, true },
	{ "Waitany", false, true },  { "Testany", false, true },
	{ "Waitall", false, true },  { "Testall", false, true },
	{ "Waitsome", false, true }, { "Testsome", false, true },
};

void checkMessage(struct checkMessages *self, const hdIRecord *record)
{
	const struct role *role = roles;
	const struct role *end = roles + G_N_ELEMENTS(roles);
	int64_t cid = -1;

	if (!self->rank || record->kind != HDI_STATE)
		return;
	while (role < end && strcmp(role->name, record->name) != 0)
		role++;
	if (role == end)
		return;
	getNumber(record->attributes, record->attributeCount, "cid", &cid);
	for (int i = 0; i < 2; i++) {
		bool isSent = i == 0;
		int64_t time = isSent ? record->start : record->end;

		if (isSent ? !role->isSending : !role->isReceiving)
			continue;
		addEnd(self, record->attributes, record->attributeCount, cid,
		       isSent, time);
		for (size_t k = 0; k < record->elementCount; k++)
			addEnd(self, record->elements[k].attributes,
			       record->elements[k].attributeCount, cid, isSent,
			       time);
	}
}

void checkMessagesEnter(struct checkMessages *self, const struct check *check,
			const hdITraceFile *trace)
{
	const hdINode *node = trace->node;

	self->rank = checkLabelAt(node, check->rankLevel);
	if (!self->rank ||
	    !g_ascii_string_to_signed(self->rank, 10, 0, INT64_MAX,
				      &self->global, NULL)) {
		self->rank = NULL;
		return;
	}
	while (node->parent && (unsigned int)node->level > check->hostLevel)
		node = node->parent;
	g_hash_table_insert(self->hosts,
			    g_memdup2(&self->global, sizeof(self->global)),
			    (void *)node);
}

/* ---- Judging ----------------------------------------------------------- */

static int compareTimes(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t *sorted(GArray *times)
{
	int64_t *list = (int64_t *)(void *)times->data;

	qsort(list, times->len, sizeof(*list), compareTimes);
	return list;
}

/** How wrong the clocks of two ranks can be; false if that is not known. */
static bool errorOf(const struct checkMessages *self, const hdIProject *project,
		    const struct channel *channel, int64_t *error)
{
	const hdINode *hosts[] = {
		g_hash_table_lookup(self->hosts, &channel->sender),
		g_hash_table_lookup(self->hosts, &channel->receiver),
	};
	bool isKnown[2] = { false, false };

	*error = 0;
	if (hosts[0] == hosts[1])
		return true;
	for (size_t i = 0; i < project->clockCount; i++) {
		const hdIClock *clock = &project->clocks[i];

		for (int k = 0; k < 2; k++) {
			if (isKnown[k] || !hosts[k] ||
			    strcmp(hosts[k]->path, clock->node) != 0)
				continue;
			isKnown[k] = true;
			*error += clock->error;
		}
	}
	return isKnown[0] && isKnown[1];
}

static void judge(const struct check *check, struct channel *channel,
		  GHashTable *pairs)
{
	const int64_t *sent;
	const int64_t *received;
	struct pair found = {
		.sender = channel->sender,
		.receiver = channel->receiver,
	};
	struct pair *pair;

	if (channel->sent->len != channel->received->len)
		return;
	found.isKnown =
		errorOf(check->messages, check->project, channel, &found.error);
	if (!found.isKnown)
		found.error = 0;
	sent = sorted(channel->sent);
	received = sorted(channel->received);
	for (guint i = 0; i < channel->sent->len; i++) {
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
		   "of the messages from rank %" PRId64 " to rank %" PRId64
		   ", %" PRIu64 " are received before they are sent, that at "
		   "%s by %s, though clocks are known to %s",
		   pair->sender, pair->receiver, pair->early,
		   outSeconds(time, pair->time),
		   outDuration(early, pair->worst),
		   outDuration(error, pair->error));
}

static void report(const struct check *check, GHashTable *pairs)
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
			   "of the messages between hosts whose clocks were "
			   "not compared, %" PRIu64 " are received before "
			   "they are sent, by up to %s (from rank %" PRId64
			   " to rank %" PRId64 ")",
			   early, outDuration(buffer, worst->worst),
			   worst->sender, worst->receiver);
}

void checkMessagesEnd(struct check *check)
{
	GHashTable *pairs =
		g_hash_table_new_full(hashPair, isSamePair, g_free, NULL);
	GHashTableIter iter;
	void *channel;

	g_hash_table_iter_init(&iter, check->messages->channels);
	while (g_hash_table_iter_next(&iter, &channel, NULL))
		judge(check, channel, pairs);
	report(check, pairs);
	g_hash_table_destroy(pairs);
}

/* ---- Begin and end ----------------------------------------------------- */

struct checkMessages *checkMessagesNew(const hdIProject *project)
{
	struct checkMessages *self = g_new0(struct checkMessages, 1);

	self->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     freeGroup);
	self->comms = g_hash_table_new_full(hashRank, isSameRank, g_free, NULL);
	self->channels = g_hash_table_new_full(hashChannel, isSameChannel,
					       freeChannel, NULL);
	self->hosts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	addComms(self, project);
	return self;
}

void checkMessagesFree(struct checkMessages *self)
{
	g_hash_table_destroy(self->channels);
	g_hash_table_destroy(self->comms);
	g_hash_table_destroy(self->groups);
	g_hash_table_destroy(self->hosts);
	g_free(self);
}
