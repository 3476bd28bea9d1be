/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages that the states of MPI functions send and receive.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/base/names.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/roles.h"

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
	struct names *names; /**< Of records. */
	GArray *roles;       /**< uint8_t, by numbers of names. */
	struct messageRecord read;
	GArray *elements; /**< struct messageFields, of it. */
};

/* ---- Communicators ----------------------------------------------------- */

static void messagesFreeGroup(void *data)
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

static struct messageGroup *messagesGroupOfComm(struct messages *self,
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
static guint messagesHashRank(gconstpointer data)
{
	const hdIRank *rank = data;

	return (guint)(rank->global * 1000003 + rank->cid);
}

static gboolean messagesIsSameRank(gconstpointer a, gconstpointer b)
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
		const struct messageGroup *group =
			messagesGroupOfComm(self, comm);

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

const struct messageRecord *messagesRead(struct messages *self,
					 const hdIRecord *record)
{
	struct messageRecord *read = &self->read;

	if (record->elementCount > self->elements->len)
		g_array_set_size(self->elements, (guint)record->elementCount);
	read->record = record;
	read->elements =
		(const struct messageFields *)(void *)self->elements->data;
	messagesReadFields(&read->own, record->attributes,
			   record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		messagesReadFields(
			&g_array_index(self->elements, struct messageFields, i),
			record->elements[i].attributes,
			record->elements[i].attributeCount);
	return read;
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
static bool messagesReadEnd(const struct search *search,
			    const struct messageFields *fields,
			    struct messageEnd *end)
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
	messageField(fields, MESSAGE_RID, &end->request);
	messageField(fields, MESSAGE_CID, &cid);
	if (!messageField(fields, isSent ? MESSAGE_TO_RANK : MESSAGE_FROM_RANK,
			  &end->localPeer) ||
	    !messageField(fields, isSent ? MESSAGE_TO_TAG : MESSAGE_FROM_TAG,
			  &end->tag))
		return false;
	view = viewOf(self, cid);
	peer = view ? peerOf(view, end->localPeer) : MESSAGES_UNKNOWN;
	if (peer == MESSAGES_UNKNOWN)
		return false;
	end->group = view->group;
	end->sender = isSent ? self->rank : peer;
	end->receiver = isSent ? peer : self->rank;
	if (isSent || !messageField(fields, MESSAGE_RECV_SIZE, &end->size))
		messageField(fields, MESSAGE_SIZE, &end->size);
	return true;
}

/** Hand on an end of a message, if attributes name one, or a request. */
static void messagesFindEnd(const struct search *search,
			    const struct messageFields *fields)
{
	const struct messageEnd *known = NULL;
	struct messageEnd end;
	int64_t request;

	if (!messagesReadEnd(search, fields, &end)) {
		if (search->isSent &&
		    messageField(fields, MESSAGE_RID, &request))
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
static void addPersistent(const struct messages *self,
			  const struct messageFields *fields)
{
	const struct search search = {
		.self = self,
		.cid = -1,
		.isSent = true,
	};
	struct messageEnd end;
	int64_t request;

	if (messageField(fields, MESSAGE_RID, &request) &&
	    messagesReadEnd(&search, fields, &end))
		g_hash_table_insert(self->persistent,
				    g_memdup2(&request, sizeof(request)),
				    g_memdup2(&end, sizeof(end)));
}

/** What a function does with messages, as bits. */
enum role {
	ROLE_SENDS = 1,
	ROLE_RECEIVES = 2,
	ROLE_PREPARES = 4 /**< Makes a request that can be started. */
};

/** A function that does. */
struct function {
	const char *name;
	bool isSending;
	bool isReceiving;
};

/** Functions that are not listed, like Probe, do neither. */
static const struct function functions[] = {
#define MPI_POINT2POINT(name, isSending, isReceiving) \
	{ name, isSending, isReceiving },
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/mpi/functions.h"
};

static uint8_t messagesFindRole(const char *name)
{
	uint8_t role = 0;

	if (g_str_has_suffix(name, "_init") ||
	    g_str_has_suffix(name, "_init_c"))
		return ROLE_PREPARES;
	for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
		if (strcmp(functions[i].name, name) != 0)
			continue;
		role |= functions[i].isSending ? ROLE_SENDS : 0;
		role |= functions[i].isReceiving ? ROLE_RECEIVES : 0;
	}
	return role;
}

uint32_t messagesName(struct messages *self, const char *name)
{
	return namesNumber(self->names, name);
}

static uint8_t messagesRoleOf(struct messages *self, const char *name)
{
	uint32_t number = messagesName(self, name);

	for (guint i = self->roles->len; i <= number; i++) {
		uint8_t role = messagesFindRole(namesAt(self->names, i));

		g_array_append_val(self->roles, role);
	}
	return g_array_index(self->roles, uint8_t, number);
}

void messagesEnds(struct messages *self, const struct messageRecord *read,
		  messagesTake *take, void *data)
{
	const hdIRecord *record = read->record;
	struct search search = {
		.self = self,
		.take = take,
		.data = data,
		.cid = -1,
	};
	uint8_t role;

	if (!self->isInRank || record->kind != HDI_STATE)
		return;
	messageField(&read->own, MESSAGE_PART, &self->epoch);
	role = messagesRoleOf(self, record->name);
	if (role & ROLE_PREPARES)
		addPersistent(self, &read->own);
	messageField(&read->own, MESSAGE_CID, &search.cid);
	for (int i = 0; i < 2; i++) {
		search.isSent = i == 0;
		search.time = search.isSent ? record->start : record->end;
		if (!(role & (search.isSent ? ROLE_SENDS : ROLE_RECEIVES)))
			continue;
		messagesFindEnd(&search, &read->own);
		for (size_t k = 0; k < record->elementCount; k++)
			messagesFindEnd(&search, &read->elements[k]);
	}
}

void messagesFind(struct messages *self, const hdIRecord *record,
		  messagesTake *take, void *data)
{
	if (!self->isInRank || record->kind != HDI_STATE)
		return;
	if (messagesRoleOf(self, record->name))
		messagesEnds(self, messagesRead(self, record), take, data);
	else
		messagesEpoch(record, &self->epoch);
}

bool messagesEnter(struct messages *self, const hdITraceFile *trace,
		   int64_t *rank)
{
	const hdINode *node = rolesAt(trace->node, self->rankLevel);

	g_hash_table_remove_all(self->persistent);
	self->epoch = 0;
	self->isInRank =
		self->rankLevel > 0 && node->level == self->rankLevel &&
		messagesReadNumber(node->label, &self->rank) && self->rank >= 0;
	if (self->isInRank && rank)
		*rank = self->rank;
	return self->isInRank;
}

int64_t messagesRankOf(const hdIProject *project, const hdINode *node)
{
	int level = rolesRankLevel(project);
	int64_t rank = -1;

	node = level ? rolesAt(node, level) : node;
	if (!level || node->level != level ||
	    !messagesReadNumber(node->label, &rank) || rank < 0)
		return -1;
	return rank;
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

int64_t messagesLocalRank(const struct messages *self, int64_t cid)
{
	const struct view *view = viewOf(self, cid);

	return view ? view->rank.local : -1;
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

static struct messages *messagesCreate(GHashTable *comms, GPtrArray *list,
				       int rankLevel)
{
	struct messages *self = g_new0(struct messages, 1);

	self->comms = comms;
	self->list = list;
	self->rankLevel = rankLevel;
	self->persistent = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						 g_free, g_free);
	self->names = namesNew();
	self->roles = g_array_new(FALSE, FALSE, sizeof(uint8_t));
	self->elements =
		g_array_new(FALSE, FALSE, sizeof(struct messageFields));
	return self;
}

struct messages *messagesNew(const hdIProject *project)
{
	struct messages *self = messagesCreate(
		g_hash_table_new_full(messagesHashRank, messagesIsSameRank,
				      g_free, NULL),
		g_ptr_array_new_with_free_func(messagesFreeGroup),
		rolesRankLevel(project));

	addComms(self, project);
	return self;
}

struct messages *messagesCopy(const struct messages *self)
{
	return messagesCreate(g_hash_table_ref(self->comms),
			      g_ptr_array_ref(self->list), self->rankLevel);
}

void messagesFree(struct messages *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->persistent);
	g_hash_table_unref(self->comms);
	g_ptr_array_unref(self->list);
	namesFree(self->names);
	g_array_unref(self->roles);
	g_array_unref(self->elements);
	g_free(self);
}

const GPtrArray *messagesGroups(const struct messages *self)
{
	return self->list;
}
