/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages and requests of a rank: what is posted, and what is known of it when
 * it is complete.
 */
#include "config.h"

#include "HDTraceTools/model/ti/tirequest.h"

/** Ranges of tags: of small tags in few communicators, of others, and of
 *  messages of collective calls. */
#define TAG_SMALL (INT64_C(1) << 20)
#define TAG_GROUPS 512
#define TAG_OTHER (INT64_C(1) << 29)
#define TAG_COLLECTIVE (INT64_C(1) << 30)
/** Calls on a communicator whose messages differ in their tag. */
#define TAG_CALLS 61

/** An end of a message. */
struct tiEnd {
	int64_t peer; /**< Global rank, or MESSAGES_... */
	int64_t tag;  /**< As recorded; -1: any. */
	int64_t mapped;
	int64_t size;
	bool isNobody; /**< MPI_PROC_NULL */
	bool isAny;    /**< Of any rank, or with any tag. */
};

/* ---- Tags -------------------------------------------------------------- */

static int64_t tiRequestMapTag(const struct messageGroup *group, int64_t tag)
{
	if (tag >= 0 && tag < TAG_SMALL && group->number < TAG_GROUPS)
		return (int64_t)group->number * TAG_SMALL + tag;
	return TAG_OTHER +
	       (int64_t)(((uint64_t)group->number * 1000003 + (uint64_t)tag) %
			 (uint64_t)TAG_OTHER);
}

void tiRequestTag(struct tiRank *self, struct tiCall *call)
{
	guint number = call->group->number;
	uint64_t *count;

	if (self->collectives->len <= number)
		g_array_set_size(self->collectives, number + 1);
	count = &g_array_index(self->collectives, uint64_t, number);
	call->tag =
		TAG_COLLECTIVE +
		(int64_t)((number * (uint64_t)TAG_CALLS + *count % TAG_CALLS) %
			  (uint64_t)TAG_OTHER);
	++*count;
}

/* ---- Ends -------------------------------------------------------------- */

/** Read an end; false: there is none. */
static bool tiRequestReadEnd(const struct tiRank *self,
			     const struct messageFields *fields, int64_t cid,
			     bool isSent, struct tiEnd *end)
{
	const struct messageGroup *group;
	int64_t local;

	*end = (struct tiEnd){ .peer = MESSAGES_UNKNOWN, .tag = -1, .size = 0 };
	if (!messageField(fields, isSent ? MESSAGE_TO_RANK : MESSAGE_FROM_RANK,
			  &local))
		return false;
	messageField(fields, isSent ? MESSAGE_TO_TAG : MESSAGE_FROM_TAG,
		     &end->tag);
	messageField(fields, MESSAGE_CID, &cid);
	if (isSent || !messageField(fields, MESSAGE_RECV_SIZE, &end->size))
		messageField(fields, MESSAGE_SIZE, &end->size);
	end->size = MAX(end->size, 0);
	end->isNobody = local < -1;
	end->isAny = !isSent && (local == -1 || end->tag == -1);
	group = messagesGroupOf(self->messages, cid);
	if (!group || end->isNobody)
		return true;
	end->mapped = tiRequestMapTag(group, end->tag);
	if (local >= 0)
		end->peer = messagesPeer(self->messages, cid, local);
	if (end->peer >= 0 && (size_t)end->peer >= self->owner->count)
		end->peer = MESSAGES_UNKNOWN;
	return true;
}

static int64_t tiRequestCid(const struct messageRecord *read)
{
	int64_t cid = -1;

	messageField(&read->own, MESSAGE_CID, &cid);
	return cid;
}

/** Count an end, to find those without another. */
static void tiRequestNote(struct tiRank *self, const struct tiEnd *end,
			  bool isSent)
{
	int64_t key = end->peer << 32 | end->mapped << 1 | isSent;
	struct tiChannel *channel = g_hash_table_lookup(self->channels, &key);

	if (!channel) {
		channel = g_new0(struct tiChannel, 1);
		channel->key = key;
		channel->peer = end->peer;
		channel->tag = end->tag;
		channel->isSent = isSent;
		g_hash_table_insert(self->channels, &channel->key, channel);
	}
	channel->count++;
	channel->last = self->last;
	self->messageCount += isSent;
}

enum tiOutcome tiRequestSend(struct tiRank *self,
			     const struct messageRecord *read)
{
	struct tiEnd end;

	if (!tiRequestReadEnd(self, &read->own, -1, true, &end))
		return TI_REFUSED;
	if (end.isNobody)
		return TI_MAPPED;
	if (end.peer < 0)
		return TI_REFUSED;
	tiRequestNote(self, &end, true);
	self->synchronous += self->name->isSynchronous;
	tiPutSend(self, end.peer, end.mapped, end.size);
	return TI_MAPPED;
}

enum tiOutcome tiRequestRecv(struct tiRank *self,
			     const struct messageRecord *read)
{
	struct tiEnd end;

	if (!tiRequestReadEnd(self, &read->own, -1, false, &end))
		return TI_REFUSED;
	if (end.isNobody)
		return TI_MAPPED;
	if (end.peer < 0)
		return TI_REFUSED;
	tiRequestNote(self, &end, false);
	tiPutRecv(self, end.peer, end.mapped, end.size);
	return TI_MAPPED;
}

enum tiOutcome tiRequestExchange(struct tiRank *self,
				 const struct messageRecord *read)
{
	GArray *pieces = g_array_new(FALSE, FALSE, sizeof(struct tiPiece));
	enum tiOutcome outcome = TI_MAPPED;
	struct tiEnd end;

	if (!tiRequestReadEnd(self, &read->own, -1, true, &end) ||
	    (end.peer < 0 && !end.isNobody)) {
		outcome = TI_REFUSED;
	} else if (!end.isNobody) {
		tiRequestNote(self, &end, true);
		tiPutIsend(self, end.peer, end.mapped, end.size, pieces);
	}
	if (!tiRequestReadEnd(self, &read->own, -1, false, &end) ||
	    (end.peer < 0 && !end.isNobody)) {
		outcome = TI_REFUSED;
	} else if (!end.isNobody) {
		tiRequestNote(self, &end, false);
		tiPutIrecv(self, end.peer, end.mapped, end.size, pieces);
	}
	tiPutWaits(self, pieces);
	g_array_unref(pieces);
	return outcome;
}

/* ---- Requests ---------------------------------------------------------- */

void tiRequestFree(void *data)
{
	struct tiRequest *request = data;

	g_array_unref(request->pieces);
	g_free(request);
}

struct tiRequest *tiRequestNew(struct tiRank *self, int64_t rid,
			       bool isPersistent)
{
	struct tiRequest *request = g_new0(struct tiRequest, 1);

	request->rid = rid;
	request->isPersistent = isPersistent;
	request->isFile = !isPersistent;
	request->pieces = g_array_new(FALSE, FALSE, sizeof(struct tiPiece));
	g_hash_table_replace(self->requests, &request->rid, request);
	return request;
}

static struct tiRequest *tiRequestOf(const struct tiRank *self,
				     const struct messageFields *fields)
{
	int64_t rid;

	return messageField(fields, MESSAGE_RID, &rid)
		       ? g_hash_table_lookup(self->requests, &rid)
		       : NULL;
}

void tiRequestStart(struct tiRank *self, struct tiRequest *request)
{
	request->isFile = request->isCancelled = false;
	if (request->isCollective) {
		tiRequestTag(self, &request->call);
		tiPutBegun(self, &request->call, request->pieces);
		return;
	}
	if (request->hasSend) {
		const struct tiEnd end = { .peer = request->to,
					   .tag = request->toTag,
					   .mapped = request->toMapped };

		tiRequestNote(self, &end, true);
		self->synchronous += request->isSynchronous;
		tiPutIsend(self, request->to, request->toMapped, request->size,
			   request->pieces);
	}
	if (request->hasReceive)
		tiPutOpen(self, request->from, request->fromMapped,
			  request->room, request->pieces);
}

enum tiOutcome tiRequestMake(struct tiRank *self,
			     const struct messageRecord *read, bool isSent,
			     bool isReceived, bool isLater)
{
	int64_t cid = tiRequestCid(read), rid;
	enum tiOutcome outcome = TI_MAPPED;
	struct tiRequest *request;
	struct tiEnd end;

	if (!messageField(&read->own, MESSAGE_RID, &rid) || rid < 0)
		return isSent &&
				       tiRequestReadEnd(self, &read->own, -1,
							true, &end) &&
				       end.isNobody
			       ? TI_MAPPED
			       : TI_REFUSED;
	request = tiRequestNew(self, rid, isLater);
	request->isFile = false;
	request->isSynchronous = self->name->isSynchronous;
	if (isSent && tiRequestReadEnd(self, &read->own, cid, true, &end)) {
		request->hasSend = end.peer >= 0;
		request->to = end.peer;
		request->toTag = end.tag;
		request->toMapped = end.mapped;
		request->size = end.size;
		if (end.peer < 0 && !end.isNobody)
			outcome = TI_REFUSED;
	}
	if (isReceived &&
	    tiRequestReadEnd(self, &read->own, cid, false, &end)) {
		request->hasReceive = !end.isNobody;
		request->from = end.peer;
		request->fromTag = end.tag;
		request->fromMapped = end.mapped;
		request->room = end.size;
		request->isAny = end.isAny || end.peer < 0;
	} else if (isReceived) {
		/* A message that was matched before: who sent it is known
		 * when it is complete. */
		request->hasReceive = true;
		request->from = -1;
		request->isAny = true;
		messageField(&read->own, MESSAGE_SIZE, &request->room);
	}
	if (!isLater)
		tiRequestStart(self, request);
	return outcome;
}

void tiRequestStartAll(struct tiRank *self, const struct messageRecord *read)
{
	struct tiRequest *request = tiRequestOf(self, &read->own);

	if (request)
		tiRequestStart(self, request);
	for (size_t i = 0; i < read->record->elementCount; i++) {
		request = tiRequestOf(self, &read->elements[i]);
		if (request)
			tiRequestStart(self, request);
	}
}

/* ---- Completion -------------------------------------------------------- */

/** What was received by a request; none: NULL. */
static void tiRequestClose(struct tiRank *self, struct tiRequest *request,
			   const struct tiEnd *end)
{
	for (guint i = 0; i < request->pieces->len; i++) {
		struct tiPiece *piece =
			&g_array_index(request->pieces, struct tiPiece, i);

		if (!piece->isOpen)
			continue;
		if (end && end->peer >= 0) {
			tiRequestNote(self, end, false);
			tiClose(self, piece, end->peer, end->mapped, end->size);
		} else {
			tiDrop(self, piece);
		}
	}
}

/** A request that was complete: its end is in its attributes. */
static void tiRequestDone(struct tiRank *self, const struct messageRecord *read,
			  const struct messageFields *fields)
{
	struct tiRequest *request = tiRequestOf(self, fields);
	struct tiEnd end;
	bool hasEnd =
		tiRequestReadEnd(self, fields, tiRequestCid(read), false, &end);

	if (!request) {
		/* It was made when nothing was recorded. */
		if (hasEnd && end.peer >= 0) {
			tiRequestNote(self, &end, false);
			tiPutRecv(self, end.peer, end.mapped, end.size);
		}
		return;
	}
	if (request->isFile && !self->marked)
		tiMarkAlways(self);
	/* All that a call completes takes its time together. */
	if (request->isFile && !self->hasSlept)
		tiPutSleep(self, read->record->end - read->record->start);
	self->hasSlept |= request->isFile;
	/* Of an exchange no size is recorded. */
	if (hasEnd && !(fields->has >> MESSAGE_SIZE & 1) &&
	    !(fields->has >> MESSAGE_RECV_SIZE & 1))
		end.size = request->room ? request->room : request->size;
	tiRequestClose(self, request, hasEnd ? &end : NULL);
	tiPutWaits(self, request->pieces);
	if (!request->isPersistent)
		g_hash_table_remove(self->requests, &request->rid);
}

void tiRequestComplete(struct tiRank *self, const struct messageRecord *read)
{
	int64_t rid;

	self->hasSlept = false;
	if (messageField(&read->own, MESSAGE_RID, &rid))
		tiRequestDone(self, read, &read->own);
	for (size_t i = 0; i < read->record->elementCount; i++) {
		if (messageField(&read->elements[i], MESSAGE_RID, &rid))
			tiRequestDone(self, read, &read->elements[i]);
	}
}

void tiRequestCancel(struct tiRank *self, const struct messageRecord *read)
{
	struct tiRequest *request = tiRequestOf(self, &read->own);

	/* The message may have come before; its completion tells. */
	if (request)
		request->isCancelled = true;
}

void tiRequestForget(struct tiRank *self, const struct messageRecord *read)
{
	struct tiRequest *request = tiRequestOf(self, &read->own);
	const struct tiEnd end = {
		.peer = request ? request->from : -1,
		.tag = request ? request->fromTag : -1,
		.mapped = request ? request->fromMapped : 0,
		.size = request ? request->room : 0,
	};

	if (!request)
		return;
	/* Its message may come, but nobody knows when. */
	tiRequestClose(self, request,
		       request->isAny || request->isCancelled ? NULL : &end);
	g_hash_table_remove(self->requests, &request->rid);
}

void tiRequestEnd(struct tiRank *self)
{
	GHashTableIter all;
	void *value;

	g_hash_table_iter_init(&all, self->requests);
	while (g_hash_table_iter_next(&all, NULL, &value))
		tiRequestClose(self, value, NULL);
}
