/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How many bytes calls of MPI move, and in messages of which sizes.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/base/names.h"
#include "HDTraceTools/model/mpi/traffic.h"
#include "HDTraceTools/model/mpi/volume.h"

/** Data between a process and a window or a file; see common/mpi/roles.table.
 */
enum trafficMove {
	TRAFFIC_NONE,
	TRAFFIC_PUT,
	TRAFFIC_GET,
	TRAFFIC_EXCHANGE,
	TRAFFIC_READS,
	TRAFFIC_WRITES,
};

#define PUT TRAFFIC_PUT
#define GET TRAFFIC_GET
#define EXCHANGE TRAFFIC_EXCHANGE
#define READ TRAFFIC_READS
#define WRITE TRAFFIC_WRITES
static const struct {
	const char *name;
	enum trafficMove move;
} trafficMoves[] = {
#define MPI_MOVES(name, WAY) { name, WAY },
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/mpi/functions.h"
};

/** What a row is known by. */
struct trafficKey {
	int64_t first, second;
	uint32_t name, site;
	enum trafficBy by;
	enum trafficWay way;
};

struct traffic {
	struct messages *messages;
	struct names *names; /**< Of functions and, by their keys, sites. */
	GHashTable *rows;    /**< struct trafficKey to struct trafficRow. */
	GPtrArray *list;     /**< Of all rows. */
	GHashTable *moves;   /**< Names to enum trafficMove. */
	/** Of the trace: numbers of windows, and of files, to the communicator.
	 */
	GHashTable *windows, *files;
	/** And of requests of persistent collective calls to struct
	 * trafficCall. */
	GHashTable *persistent;
	/** The state that is taken. */
	const hdIRecord *record;
	const struct site *site;
};

/* ---- Rows -------------------------------------------------------------- */

static guint trafficHash(gconstpointer data)
{
	const struct trafficKey *key = data;
	uint64_t hash = (uint64_t)key->first * 0x9e3779b97f4a7c15;

	hash = (hash ^ (uint64_t)key->second) * 0x9e3779b97f4a7c15;
	hash = (hash ^ key->name ^ (uint64_t)key->site << 32) *
	       0x9e3779b97f4a7c15;
	return (guint)(hash >> 32) ^ (guint)key->by << 3 ^ (guint)key->way;
}

static gboolean trafficIsSame(gconstpointer a, gconstpointer b)
{
	const struct trafficKey *x = a, *y = b;

	return x->first == y->first && x->second == y->second &&
	       x->name == y->name && x->site == y->site && x->by == y->by &&
	       x->way == y->way;
}

static void trafficFreeRow(void *data)
{
	struct trafficRow *row = data;

	siteUnref(row->site);
	sizesClear(&row->sizes);
	g_free(row);
}

static struct trafficRow *trafficRowOf(struct traffic *self,
				       const struct trafficKey *key)
{
	struct trafficRow *row = g_hash_table_lookup(self->rows, key);

	if (row)
		return row;
	row = g_new0(struct trafficRow, 1);
	row->by = key->by;
	row->way = key->way;
	sizesInit(&row->sizes);
	g_hash_table_insert(self->rows, g_memdup2(key, sizeof(*key)), row);
	g_ptr_array_add(self->list, row);
	return row;
}

/** A message of the state that is taken. */
struct trafficMessage {
	enum trafficWay way;
	int64_t size;
	int64_t peer; /**< MESSAGES_UNKNOWN: there is none. */
	const struct messageGroup *group; /**< NULL: not known. */
};

static void trafficAddMessage(struct traffic *self,
			      const struct trafficMessage *message)
{
	struct trafficKey key = { .way = message->way };
	struct trafficRow *row;

	key.name = namesNumber(self->names, self->record->name);
	row = trafficRowOf(self, &key);
	row->function = namesAt(self->names, key.name);
	sizesAdd(&row->sizes, message->size);
	if (self->site) {
		key.by = TRAFFIC_SITE;
		key.site = namesNumber(self->names, self->site->key);
		row = trafficRowOf(self, &key);
		row->function = namesAt(self->names, key.name);
		if (!row->site)
			row->site = siteRef(self->site);
		sizesAdd(&row->sizes, message->size);
	}
	key = (struct trafficKey){ .way = message->way };
	if (message->group) {
		key.by = TRAFFIC_COMMUNICATOR;
		key.first = message->group->number;
		row = trafficRowOf(self, &key);
		row->group = message->group;
		sizesAdd(&row->sizes, message->size);
	}
	if (message->peer != MESSAGES_UNKNOWN) {
		key.by = TRAFFIC_PEER;
		key.first = messagesRank(self->messages);
		key.second = message->peer;
		row = trafficRowOf(self, &key);
		row->rank = key.first;
		row->peer = key.second;
		sizesAdd(&row->sizes, message->size);
	}
}

/* ---- Records ----------------------------------------------------------- */

static bool trafficNumber(const hdIRecord *record, const char *name,
			  int64_t *number)
{
	return messagesNumber(record->attributes, record->attributeCount, name,
			      number);
}

static void trafficTakeEnd(const struct messageEnd *end, void *data)
{
	const struct trafficMessage message = {
		.way = end->isSent ? TRAFFIC_SENT : TRAFFIC_RECEIVED,
		.size = end->size,
		.peer = end->isSent ? end->receiver : end->sender,
		.group = end->group,
	};

	trafficAddMessage(data, &message);
}

/** A collective call, in one direction. */
static void trafficTakeBytes(struct traffic *self, enum trafficWay way,
			     int64_t bytes, const struct messageGroup *group)
{
	const struct trafficMessage message = {
		.way = way,
		.size = bytes,
		.peer = MESSAGES_UNKNOWN,
		.group = group,
	};

	if (bytes != 0)
		trafficAddMessage(self, &message);
}

/** A collective call, and what it moves each time. */
struct trafficCall {
	const struct messageGroup *group;
	struct volume volume;
};

static void trafficTakeCall(struct traffic *self,
			    const struct trafficCall *call)
{
	trafficTakeBytes(self, TRAFFIC_SENT, call->volume.given, call->group);
	trafficTakeBytes(self, TRAFFIC_RECEIVED, call->volume.got, call->group);
}

static struct trafficCall trafficCallOf(const struct traffic *self,
					const hdIRecord *record)
{
	struct trafficCall call = { .volume = { -1, -1 } };
	struct volumeShare share;

	if (volumeShareOf(self->messages, record, &share))
		call.volume = volumeOfShare(self->messages, record, &share);
	call.group = share.group;
	return call;
}

/** Start and Startall: persistent collective calls among the requests. */
static void trafficTakeStarted(struct traffic *self,
			       const hdIAttribute *attributes, size_t count)
{
	const struct trafficCall *call = NULL;
	int64_t request;

	if (messagesNumber(attributes, count, "rid", &request))
		call = g_hash_table_lookup(self->persistent, &request);
	if (call)
		trafficTakeCall(self, call);
}

static void trafficTakeStart(struct traffic *self)
{
	const hdIRecord *record = self->record;

	if (!g_hash_table_size(self->persistent))
		return;
	trafficTakeStarted(self, record->attributes, record->attributeCount);
	for (size_t i = 0; i < record->elementCount; i++)
		trafficTakeStarted(self, record->elements[i].attributes,
				   record->elements[i].attributeCount);
}

static bool trafficIsPersistent(const char *name)
{
	return (g_str_has_suffix(name, "_init") ||
		g_str_has_suffix(name, "_init_c")) &&
	       volumeIsCollective(name);
}

/** Remember the communicator of a window or file that is made, and what a
 *  persistent call moves. */
static void trafficLearn(struct traffic *self, const hdIRecord *record)
{
	bool isFile = strcmp(record->name, "File_open") == 0;
	struct trafficCall call;
	int64_t cid, id;

	if (trafficIsPersistent(record->name) &&
	    trafficNumber(record, "rid", &id)) {
		call = trafficCallOf(self, record);
		g_hash_table_insert(self->persistent,
				    g_memdup2(&id, sizeof(id)),
				    g_memdup2(&call, sizeof(call)));
		return;
	}
	if (!isFile && !g_str_has_prefix(record->name, "Win_"))
		return;
	if (trafficNumber(record, "cid", &cid) &&
	    trafficNumber(record, isFile ? "fid" : "wid", &id))
		g_hash_table_insert(isFile ? self->files : self->windows,
				    g_memdup2(&id, sizeof(id)),
				    g_memdup2(&cid, sizeof(cid)));
}

/** The communicator of the window or file of a record; false: not known. */
static bool trafficCommOf(const struct traffic *self, bool isFile, int64_t *cid)
{
	const int64_t *known = NULL;
	int64_t id;

	if (trafficNumber(self->record, isFile ? "fid" : "wid", &id))
		known = g_hash_table_lookup(
			isFile ? self->files : self->windows, &id);
	if (known)
		*cid = *known;
	return known;
}

static bool trafficIsNoOperation(const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++)
		if (strcmp(record->attributes[i].name, "op") == 0)
			return strcmp(record->attributes[i].value, "NO_OP") ==
			       0;
	return false;
}

static void trafficTakeMove(struct traffic *self, enum trafficMove move)
{
	bool isFile = move == TRAFFIC_READS || move == TRAFFIC_WRITES;
	struct trafficMessage message = { .size = -1,
					  .peer = MESSAGES_UNKNOWN };
	int64_t cid = -1, rank;

	trafficNumber(self->record, "size", &message.size);
	if (!trafficNumber(self->record, "toRank", &rank) &&
	    !trafficNumber(self->record, "fromRank", &rank))
		rank = MESSAGES_UNKNOWN;
	/* What goes to MPI_PROC_NULL goes nowhere. */
	if (!isFile && rank < 0)
		return;
	if (trafficCommOf(self, isFile, &cid)) {
		message.group = messagesGroupOf(self->messages, cid);
		if (!isFile)
			message.peer = messagesPeer(self->messages, cid, rank);
	}
	message.way = move == TRAFFIC_READS    ? TRAFFIC_READ
		      : move == TRAFFIC_WRITES ? TRAFFIC_WRITTEN
		      : move == TRAFFIC_PUT    ? TRAFFIC_SENT
					       : TRAFFIC_RECEIVED;
	trafficAddMessage(self, &message);
	message.way = TRAFFIC_SENT;
	if (move == TRAFFIC_EXCHANGE && !trafficIsNoOperation(self->record))
		trafficAddMessage(self, &message);
}

/** Requests that are made are to be known later. */
static void trafficTakeNothing(const struct messageEnd *end, void *data)
{
	(void)end;
	(void)data;
}

void trafficTake(struct traffic *self, const hdIRecord *record,
		 const struct site *site, bool isCounted)
{
	const enum trafficMove *move;
	struct trafficCall call;

	if (record->kind != HDI_STATE)
		return;
	trafficLearn(self, record);
	if (!isCounted) {
		messagesFind(self->messages, record, trafficTakeNothing, NULL);
		return;
	}
	self->record = record;
	self->site = site;
	move = g_hash_table_lookup(self->moves, record->name);
	if (move) {
		trafficTakeMove(self, *move);
	} else if (volumeIsCollective(record->name)) {
		call = trafficCallOf(self, record);
		if (!trafficIsPersistent(record->name))
			trafficTakeCall(self, &call);
	} else {
		if (g_str_has_prefix(record->name, "Start"))
			trafficTakeStart(self);
		messagesFind(self->messages, record, trafficTakeEnd, self);
	}
}

/* ---- All of them ------------------------------------------------------- */

static gint trafficCompare(gconstpointer a, gconstpointer b)
{
	const struct trafficRow *x = *(const struct trafficRow *const *)a;
	const struct trafficRow *y = *(const struct trafficRow *const *)b;

	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	if (x->sizes.sum != y->sizes.sum)
		return x->sizes.sum > y->sizes.sum ? -1 : 1;
	if (x->sizes.count != y->sizes.count)
		return x->sizes.count > y->sizes.count ? -1 : 1;
	if (x->function && y->function && strcmp(x->function, y->function) != 0)
		return strcmp(x->function, y->function);
	if (x->site && y->site && siteCompare(x->site, y->site) != 0)
		return siteCompare(x->site, y->site);
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->peer != y->peer)
		return x->peer < y->peer ? -1 : 1;
	if (x->group && y->group && x->group != y->group)
		return x->group->number < y->group->number ? -1 : 1;
	return (int)x->way - (int)y->way;
}

const GPtrArray *trafficRows(struct traffic *self)
{
	g_ptr_array_sort(self->list, trafficCompare);
	return self->list;
}

const char *trafficWayName(enum trafficWay way)
{
	static const char *const names[TRAFFIC_WAYS] = {
		[TRAFFIC_SENT] = "sent",
		[TRAFFIC_RECEIVED] = "received",
		[TRAFFIC_WRITTEN] = "written",
		[TRAFFIC_READ] = "read",
	};

	return names[way];
}

bool trafficEnter(struct traffic *self, const hdITraceFile *trace)
{
	g_hash_table_remove_all(self->windows);
	g_hash_table_remove_all(self->files);
	g_hash_table_remove_all(self->persistent);
	return messagesEnter(self->messages, trace, NULL);
}

static GHashTable *trafficNumbers(void)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
				     g_free);
}

struct traffic *trafficNew(const hdIProject *project)
{
	struct traffic *self = g_new0(struct traffic, 1);

	self->messages = messagesNew(project);
	self->names = namesNew();
	self->rows =
		g_hash_table_new_full(trafficHash, trafficIsSame, g_free, NULL);
	self->list = g_ptr_array_new_with_free_func(trafficFreeRow);
	self->moves = g_hash_table_new(g_str_hash, g_str_equal);
	for (size_t i = 0; i < G_N_ELEMENTS(trafficMoves); i++)
		g_hash_table_insert(self->moves, (gpointer)trafficMoves[i].name,
				    (gpointer)&trafficMoves[i].move);
	self->windows = trafficNumbers();
	self->files = trafficNumbers();
	self->persistent = trafficNumbers();
	return self;
}

void trafficFree(struct traffic *self)
{
	if (!self)
		return;
	messagesFree(self->messages);
	namesFree(self->names);
	g_hash_table_destroy(self->rows);
	g_ptr_array_unref(self->list);
	g_hash_table_destroy(self->moves);
	g_hash_table_destroy(self->windows);
	g_hash_table_destroy(self->files);
	g_hash_table_destroy(self->persistent);
	g_free(self);
}
