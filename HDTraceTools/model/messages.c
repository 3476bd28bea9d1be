/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages that the states of MPI functions send and receive.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/messages.h"
#include "HDTraceTools/model/roles.h"

struct messages {
	GHashTable *comms; /**< struct view, by rank and id of it. */
	GPtrArray *list;   /**< struct messageGroup */
	int rankLevel;     /**< Level with the type Rank, or 0. */
	/** The trace that is being read. */
	bool isInRank;
	int64_t rank;
	int64_t epoch; /**< See struct messageEnd. */
	/** Id of a request that can be started again to struct messageEnd. */
	GHashTable *persistent;
};

/* ---- Communicators ----------------------------------------------------- */

static void freeGroup(void *data)
{
	struct messageGroup *group = data;

	g_array_unref(group->globals);
	if (group->remotes)
		g_array_unref(group->remotes);
	g_free(group);
}

/** Most ranks that a group may have beyond those that are known. */
#define GROUP_UNKNOWN_MAX (1 << 24)

/** Global ranks by local rank. Those that are missing belong to other programs
 *  where the group is known to have that many. */
static GArray *globalsOf(const hdIRank *ranks, size_t count, int64_t size)
{
	GArray *globals = g_array_new(FALSE, FALSE, sizeof(int64_t));
	int64_t missing =
		size > (int64_t)count ? MESSAGES_ELSEWHERE : MESSAGES_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		if (ranks[i].local < (int64_t)count + GROUP_UNKNOWN_MAX)
			size = MAX(size, ranks[i].local + 1);
	}
	for (int64_t i = 0; i < MIN(size, (int64_t)count + GROUP_UNKNOWN_MAX);
	     i++)
		g_array_append_val(globals, missing);
	for (size_t i = 0; i < count; i++) {
		if (ranks[i].local >= 0 && ranks[i].local < globals->len)
			g_array_index(globals, int64_t, (guint)ranks[i].local) =
				ranks[i].global;
	}
	return globals;
}

static struct messageGroup *groupOf(struct messages *self,
				    const hdICommunicator *comm)
{
	struct messageGroup *group = g_new0(struct messageGroup, 1);

	group->number = self->list->len;
	group->name = comm->name;
	group->globals = globalsOf(comm->ranks, comm->rankCount, comm->size);
	if (comm->isInter)
		group->remotes =
			globalsOf(comm->remoteRanks, comm->remoteRankCount,
				  comm->remoteSize);
	g_ptr_array_add(self->list, group);
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

/** A communicator, as one rank has it. */
struct view {
	hdIRank rank; /**< Must be first: the key. */
	const struct messageGroup *group;
	bool isRemote; /**< Whether the rank is in group 1. */
};

static void addViews(struct messages *self, const struct messageGroup *group,
		     const hdIRank *ranks, size_t count, bool isRemote)
{
	for (size_t i = 0; i < count; i++) {
		struct view *view = g_new(struct view, 1);

		view->rank = ranks[i];
		view->group = group;
		view->isRemote = isRemote;
		g_hash_table_replace(self->comms, view, view);
	}
}

static void addComms(struct messages *self, const hdIProject *project)
{
	for (size_t i = 0; i < project->communicatorCount; i++) {
		const hdICommunicator *comm = &project->communicators[i];
		const struct messageGroup *group = groupOf(self, comm);

		addViews(self, group, comm->ranks, comm->rankCount, false);
		addViews(self, group, comm->remoteRanks, comm->remoteRankCount,
			 true);
	}
}

static const struct view *viewOf(const struct messages *self, int64_t cid)
{
	const hdIRank own = { .global = self->rank, .cid = cid };

	return self->isInRank ? g_hash_table_lookup(self->comms, &own) : NULL;
}

/** The process that a rank of a communicator is, seen from one of its ranks. */
static int64_t peerOf(const struct view *view, int64_t rank)
{
	const struct messageGroup *group = view->group;
	const GArray *globals = group->remotes && !view->isRemote
					? group->remotes
					: group->globals;

	if (rank < 0 || rank >= globals->len)
		return MESSAGES_UNKNOWN;
	return g_array_index(globals, int64_t, (guint)rank);
}

/* ---- Records ----------------------------------------------------------- */

bool messagesNumber(const hdIAttribute *attributes, size_t count,
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

bool messagesEpoch(const hdIRecord *record, int64_t *epoch)
{
	return record->kind == HDI_STATE &&
	       messagesNumber(record->attributes, record->attributeCount,
			      "part", epoch);
}

/** What a record is read with. */
struct search {
	const struct messages *self;
	messagesTake *take;
	void *data;
	int64_t cid;
	bool isSent;
	int64_t time;
};

/** Find the end of a message that attributes name; false if they name none. */
static bool readEnd(const struct search *search, const hdIAttribute *attributes,
		    size_t count, struct messageEnd *end)
{
	const struct messages *self = search->self;
	bool isSent = search->isSent;
	int64_t cid = search->cid;
	const struct view *view;
	int64_t peer;

	*end = (struct messageEnd){
		.isSent = isSent,
		.epoch = self->epoch,
		.size = -1,
		.time = search->time,
		.request = -1,
	};
	messagesNumber(attributes, count, "rid", &end->request);
	messagesNumber(attributes, count, "cid", &cid);
	if (!messagesNumber(attributes, count, isSent ? "toRank" : "fromRank",
			    &end->localPeer) ||
	    !messagesNumber(attributes, count, isSent ? "toTag" : "fromTag",
			    &end->tag))
		return false;
	view = viewOf(self, cid);
	peer = view ? peerOf(view, end->localPeer) : MESSAGES_UNKNOWN;
	if (peer == MESSAGES_UNKNOWN)
		return false;
	end->group = view->group;
	end->sender = isSent ? self->rank : peer;
	end->receiver = isSent ? peer : self->rank;
	if (isSent ||
	    !messagesNumber(attributes, count, "recvSize", &end->size))
		messagesNumber(attributes, count, "size", &end->size);
	return true;
}

/** Hand on an end of a message, if attributes name one, or a request. */
static void findEnd(const struct search *search, const hdIAttribute *attributes,
		    size_t count)
{
	const struct messageEnd *known = NULL;
	struct messageEnd end;
	int64_t request;

	if (!readEnd(search, attributes, count, &end)) {
		if (search->isSent &&
		    messagesNumber(attributes, count, "rid", &request))
			known = g_hash_table_lookup(search->self->persistent,
						    &request);
		if (!known)
			return;
		end = *known;
		end.epoch = search->self->epoch;
		end.time = search->time;
	}
	search->take(&end, search->data);
}

/** Remember a request that sends each time it is started. */
static void addPersistent(const struct messages *self, const hdIRecord *record)
{
	const struct search search = {
		.self = self,
		.cid = -1,
		.isSent = true,
	};
	struct messageEnd end;
	int64_t request;

	if (messagesNumber(record->attributes, record->attributeCount, "rid",
			   &request) &&
	    readEnd(&search, record->attributes, record->attributeCount, &end))
		g_hash_table_insert(self->persistent,
				    g_memdup2(&request, sizeof(request)),
				    g_memdup2(&end, sizeof(end)));
}

/** What a function does with messages. */
struct role {
	const char *name;
	bool isSending;
	bool isReceiving;
};

/** Functions that are not listed, like Probe, do neither. */
static const struct role roles[] = {
#define MPI_POINT2POINT(name, isSending, isReceiving) \
	{ name, isSending, isReceiving },
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/functions.h"
};

void messagesFind(struct messages *self, const hdIRecord *record,
		  messagesTake *take, void *data)
{
	const struct role *role = roles;
	const struct role *end = roles + G_N_ELEMENTS(roles);
	struct search search = {
		.self = self,
		.take = take,
		.data = data,
		.cid = -1,
	};

	if (!self->isInRank || record->kind != HDI_STATE)
		return;
	messagesEpoch(record, &self->epoch);
	if (g_str_has_suffix(record->name, "_init") ||
	    g_str_has_suffix(record->name, "_init_c")) {
		addPersistent(self, record);
		return;
	}
	while (role < end && strcmp(role->name, record->name) != 0)
		role++;
	if (role == end)
		return;
	messagesNumber(record->attributes, record->attributeCount, "cid",
		       &search.cid);
	for (int i = 0; i < 2; i++) {
		search.isSent = i == 0;
		search.time = search.isSent ? record->start : record->end;
		if (search.isSent ? !role->isSending : !role->isReceiving)
			continue;
		findEnd(&search, record->attributes, record->attributeCount);
		for (size_t k = 0; k < record->elementCount; k++)
			findEnd(&search, record->elements[k].attributes,
				record->elements[k].attributeCount);
	}
}

bool messagesEnter(struct messages *self, const hdITraceFile *trace,
		   int64_t *rank)
{
	const hdINode *node = rolesAt(trace->node, self->rankLevel);

	g_hash_table_remove_all(self->persistent);
	self->epoch = 0;
	self->isInRank = self->rankLevel > 0 &&
			 node->level == self->rankLevel &&
			 g_ascii_string_to_signed(node->label, 10, 0, INT64_MAX,
						  &self->rank, NULL);
	if (self->isInRank && rank)
		*rank = self->rank;
	return self->isInRank;
}

int64_t messagesRank(const struct messages *self)
{
	return self->rank;
}

const struct messageGroup *messagesGroupOf(const struct messages *self,
					   int64_t cid)
{
	const struct view *view = viewOf(self, cid);

	return view ? view->group : NULL;
}

bool messagesIsRemote(const struct messages *self, int64_t cid)
{
	const struct view *view = viewOf(self, cid);

	return view && view->isRemote;
}

int64_t messagesPeer(const struct messages *self, int64_t cid, int64_t rank)
{
	const struct view *view = viewOf(self, cid);

	return view ? peerOf(view, rank) : MESSAGES_UNKNOWN;
}

/* ---- Begin and end ----------------------------------------------------- */

struct messages *messagesNew(const hdIProject *project)
{
	struct messages *self = g_new0(struct messages, 1);

	self->comms = g_hash_table_new_full(hashRank, isSameRank, g_free, NULL);
	self->list = g_ptr_array_new_with_free_func(freeGroup);
	self->persistent = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						 g_free, g_free);
	self->rankLevel = rolesRankLevel(project);
	addComms(self, project);
	return self;
}

void messagesFree(struct messages *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->persistent);
	g_hash_table_destroy(self->comms);
	g_ptr_array_unref(self->list);
	g_free(self);
}

const GPtrArray *messagesGroups(const struct messages *self)
{
	return self->list;
}
