/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: messages of MPI.
 *
 * A message that is sent or received by a call that does not wait belongs to a
 * request, which is completed by a later call of the same thread; where one of
 * both is not recorded the message stands alone.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/model/mpi/volume.h"

#define ROLE_BARRIER OTF2_REGION_ROLE_BARRIER
#define ROLE_ONE2ALL OTF2_REGION_ROLE_COLL_ONE2ALL
#define ROLE_ALL2ONE OTF2_REGION_ROLE_COLL_ALL2ONE
#define ROLE_ALL2ALL OTF2_REGION_ROLE_COLL_ALL2ALL
#define ROLE_OTHER OTF2_REGION_ROLE_COLL_OTHER

static const struct otf2Function functions[] = {
#define MPI_POINT2POINT(name, isSending, isReceiving) \
	{ name, OTF2_REGION_ROLE_POINT2POINT, 0, 0 },
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike) \
	{ name, ROLE_##ROLE, 1, OTF2_COLLECTIVE_OP_##NAME },
#include "HDTraceTools/model/mpi/functions.h"
};

GHashTable *otf2MpiFunctions(void)
{
	GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);

	/* Of those that are there twice the first one counts. */
	for (size_t i = G_N_ELEMENTS(functions); i > 0; i--)
		g_hash_table_insert(table, (gpointer)functions[i - 1].name,
				    (gpointer)&functions[i - 1]);
	return table;
}

const struct otf2Function *otf2MpiFunction(const struct otf2 *self,
					   const char *name)
{
	return g_hash_table_lookup(self->functions, name);
}

OTF2_RegionRole otf2MpiRole(const struct otf2 *self, const char *name)
{
	const struct otf2Function *function = otf2MpiFunction(self, name);

	if (function)
		return function->role;
	if (otf2RmaIsFunction(name))
		return OTF2_REGION_ROLE_RMA;
	if (g_str_has_prefix(name, "File_"))
		return OTF2_REGION_ROLE_FILE_IO;
	return volumeIsCollective(name) ? OTF2_REGION_ROLE_COLL_OTHER
					: OTF2_REGION_ROLE_FUNCTION;
}

/* ---- Requests ---------------------------------------------------------- */

/** A request that was made and is not complete. */
enum request { REQUEST_NONE, REQUEST_SEND, REQUEST_RECEIVE };

/** A request that Start may start, of a receive. */
#define PERSISTENT(rid) (-2 - (rid))

static enum request requestOf(const struct otf2 *self, int64_t request)
{
	const enum request *found =
		request < 0 ? NULL
			    : g_hash_table_lookup(self->pending, &request);

	return found ? *found : REQUEST_NONE;
}

static void addRequest(struct otf2 *self, int64_t request, enum request kind)
{
	g_hash_table_insert(self->pending, g_memdup2(&request, sizeof(request)),
			    g_memdup2(&kind, sizeof(kind)));
}

static void startReceive(struct otf2 *self, int64_t request, int64_t time)
{
	addRequest(self, request, REQUEST_RECEIVE);
	otf2Check(self, otf2Api.OTF2_EvtWriter_MpiIrecvRequest(
				self->events, NULL, (OTF2_TimeStamp)time,
				(uint64_t)request));
	otf2CountEvent(self, time);
}

/** Call a function for each request that a record names. */
static void forRequests(struct otf2 *self, const hdIRecord *record,
			int64_t time,
			void (*take)(struct otf2 *, int64_t, int64_t))
{
	int64_t request;

	if (messagesNumber(record->attributes, record->attributeCount, "rid",
			   &request) &&
	    request >= 0)
		take(self, request, time);
	for (size_t i = 0; i < record->elementCount; i++) {
		const hdIElement *element = &record->elements[i];

		if (messagesNumber(element->attributes, element->attributeCount,
				   "rid", &request) &&
		    request >= 0)
			take(self, request, time);
	}
}

/** Start or Startall: what is received; sends are known to messages.c. */
static void startAgain(struct otf2 *self, int64_t request, int64_t time)
{
	int64_t known = PERSISTENT(request);

	if (g_hash_table_contains(self->pending, &known))
		startReceive(self, request, time);
	otf2CollectiveStart(self, request, time);
}

static void completeSend(struct otf2 *self, int64_t request, int64_t time)
{
	if (requestOf(self, request) != REQUEST_SEND)
		return;
	g_hash_table_remove(self->pending, &request);
	otf2Check(self, otf2Api.OTF2_EvtWriter_MpiIsendComplete(
				self->events, NULL, (OTF2_TimeStamp)time,
				(uint64_t)request));
	otf2CountEvent(self, time);
}

static void completeRequest(struct otf2 *self, int64_t request, int64_t time)
{
	completeSend(self, request, time);
	otf2CollectiveComplete(self, request, time);
	otf2RmaComplete(self, request, time);
}

static void testRequest(struct otf2 *self, int64_t request, int64_t time)
{
	if (requestOf(self, request) == REQUEST_NONE)
		return;
	otf2Check(self, otf2Api.OTF2_EvtWriter_MpiRequestTest(
				self->events, NULL, (OTF2_TimeStamp)time,
				(uint64_t)request));
	otf2CountEvent(self, time);
}

/* ---- Messages ---------------------------------------------------------- */

static OTF2_ErrorCode putSent(struct otf2 *self, const struct messageEnd *end,
			      uint64_t size)
{
	OTF2_TimeStamp time = (OTF2_TimeStamp)end->time;
	uint32_t peer = (uint32_t)end->localPeer;
	uint32_t tag = (uint32_t)end->tag;

	if (end->request < 0)
		return otf2Api.OTF2_EvtWriter_MpiSend(self->events, NULL, time,
						      peer, end->group->number,
						      tag, size);
	addRequest(self, end->request, REQUEST_SEND);
	return otf2Api.OTF2_EvtWriter_MpiIsend(self->events, NULL, time, peer,
					       end->group->number, tag, size,
					       (uint64_t)end->request);
}

static OTF2_ErrorCode putReceived(struct otf2 *self,
				  const struct messageEnd *end, uint64_t size)
{
	OTF2_TimeStamp time = (OTF2_TimeStamp)end->time;
	uint32_t peer = (uint32_t)end->localPeer;
	uint32_t tag = (uint32_t)end->tag;

	if (requestOf(self, end->request) != REQUEST_RECEIVE)
		return otf2Api.OTF2_EvtWriter_MpiRecv(self->events, NULL, time,
						      peer, end->group->number,
						      tag, size);
	g_hash_table_remove(self->pending, &end->request);
	return otf2Api.OTF2_EvtWriter_MpiIrecv(self->events, NULL, time, peer,
					       end->group->number, tag, size,
					       (uint64_t)end->request);
}

/** What the two ends of a message have in common. */
struct endKey {
	int64_t sender, receiver, tag;
	const struct messageGroup *group;
};

static guint otf2EndKeyHash(gconstpointer data)
{
	const struct endKey *key = data;
	uint64_t hash = (uint64_t)key->sender;

	hash = 31 * hash + (uint64_t)key->receiver;
	hash = 31 * hash + (uint64_t)key->tag;
	return (guint)(31 * hash + key->group->number);
}

static gboolean otf2EndKeyIs(gconstpointer a, gconstpointer b)
{
	const struct endKey *x = a, *y = b;

	return x->sender == y->sender && x->receiver == y->receiver &&
	       x->tag == y->tag && x->group->number == y->group->number;
}

GHashTable *otf2EndsNew(void)
{
	return g_hash_table_new_full(otf2EndKeyHash, otf2EndKeyIs, g_free,
				     g_free);
}

/** Count an end: the other one may be in a part that is not exported. */
static void otf2CountEnd(struct otf2 *self, const struct messageEnd *end)
{
	const struct endKey key = { end->sender, end->receiver, end->tag,
				    end->group };
	int64_t *more;

	pthread_mutex_lock(self->lock);
	more = g_hash_table_lookup(self->ends, &key);
	if (!more) {
		more = g_new0(int64_t, 1);
		g_hash_table_insert(self->ends, g_memdup2(&key, sizeof(key)),
				    more);
	}
	*more += end->isSent ? 1 : -1;
	pthread_mutex_unlock(self->lock);
}

void otf2CountEnds(struct otf2 *self)
{
	GHashTableIter iter;
	void *more;

	g_hash_table_iter_init(&iter, self->ends);
	while (g_hash_table_iter_next(&iter, NULL, &more)) {
		int64_t count = *(const int64_t *)more;

		self->unreceived += count > 0 ? (uint64_t)count : 0;
		self->unsent += count < 0 ? (uint64_t)-count : 0;
	}
	exportLose(self->export, "sends of received messages", self->unsent);
	exportLose(self->export, "receives of sent messages", self->unreceived);
}

/** Requests that are made are to be known later. */
static void otf2MpiPutNothing(const struct messageEnd *end, void *data)
{
	(void)end;
	(void)data;
}

static void otf2MpiPutMessage(const struct messageEnd *end, void *data)
{
	struct otf2 *self = data;
	uint64_t size = end->size < 0 ? 0 : (uint64_t)end->size;

	if (end->isSent != self->wantsSent)
		return;
	if (end->sender == MESSAGES_ELSEWHERE ||
	    end->receiver == MESSAGES_ELSEWHERE) {
		exportLose(self->export, "messages from and to other programs",
			   1);
		return;
	}
	exportLose(self->export, "unknown sizes of messages", end->size < 0);
	otf2Check(self, end->isSent ? putSent(self, end, size)
				    : putReceived(self, end, size));
	otf2CountEvent(self, end->time);
	otf2CountEnd(self, end);
	self->export->messages += end->isSent;
	exportLose(self->export, EXPORT_UNSURE,
		   end->isSent &&
			   (end->epoch != 0 || self->export->selection.from));
}

/* ---- States ------------------------------------------------------------ */

/** Whether it is a function, or its form for large counts. */
static bool isNamed(const hdIRecord *record, const char *name)
{
	size_t length = strlen(name);

	return strncmp(record->name, name, length) == 0 &&
	       (!record->name[length] ||
		strcmp(record->name + length, "_c") == 0);
}

void otf2PutEntered(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	int64_t request;

	if (otf2CollectiveEnter(self, record, time) ||
	    otf2RmaEnter(self, record, time) ||
	    otf2IoEnter(self, record, time)) {
		messagesFind(self->messages, record, otf2MpiPutNothing, NULL);
		return;
	}
	if (isNamed(record, "Irecv") || isNamed(record, "Imrecv"))
		forRequests(self, record, time, startReceive);
	else if (g_str_has_prefix(record->name, "Start"))
		forRequests(self, record, time, startAgain);
	else if ((isNamed(record, "Recv_init") ||
		  isNamed(record, "Precv_init")) &&
		 messagesNumber(record->attributes, record->attributeCount,
				"rid", &request) &&
		 request >= 0)
		addRequest(self, PERSISTENT(request), REQUEST_RECEIVE);
	self->wantsSent = true;
	messagesFind(self->messages, record, otf2MpiPutMessage, self);
}

void otf2PutLeaving(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	int64_t flag = 1;

	if (otf2CollectiveLeave(self, record, time) ||
	    otf2RmaLeave(self, record, time) || otf2IoLeave(self, record, time))
		return;
	self->wantsSent = false;
	messagesFind(self->messages, record, otf2MpiPutMessage, self);
	messagesNumber(record->attributes, record->attributeCount, "flag",
		       &flag);
	if (g_str_has_prefix(record->name, "Test") && flag == 0) {
		forRequests(self, record, time, testRequest);
	} else if (g_str_has_prefix(record->name, "Wait") ||
		   g_str_has_prefix(record->name, "Test")) {
		forRequests(self, record, time, completeRequest);
		otf2IoComplete(self, record, time);
	}
}
