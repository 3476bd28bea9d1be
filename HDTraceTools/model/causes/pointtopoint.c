/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Edges of messages between ranks, and of senders that wait for receivers.
 *
 * Messages are put together by their order, for MPI gives them no number. To
 * count those that are not recorded would take the status of every receive,
 * where the program wants none, and time where little is to be spent; so a
 * trace says only where recording goes on, and the order begins anew.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/ends.h"

/** Whether a function returns when its message is received, or may. */
static uint8_t blocksOf(const char *name)
{
	if (strcmp(name, "Ssend") == 0 || strcmp(name, "Ssend_c") == 0)
		return 2;
	return strcmp(name, "Send") == 0 || strcmp(name, "Send_c") == 0;
}

/** What a request sends, until it is complete. */
struct sending {
	struct messageEnd key;
	uint64_t number;
};

/** Remember what is complete later. */
static void holdSending(struct dependencyReader *reader,
			const struct messageEnd *end, uint64_t number)
{
	const struct sending sending = { *end, number };

	if (end->request >= 0 && reader->sends)
		g_hash_table_replace(
			reader->sends,
			g_memdup2(&end->request, sizeof(end->request)),
			g_memdup2(&sending, sizeof(sending)));
}

/** The call that is read completes a request; of sending it is noted. */
static void completeSending(struct dependencyReader *reader, int64_t request,
			    void *data)
{
	const struct sending *sending =
		g_hash_table_lookup(reader->sends, &request);
	struct dependencyEnd end = {
		.waited = reader->record->start,
		.time = reader->record->end,
		.isSent = 1,
		.completes = 1,
	};

	(void)data;
	if (!sending)
		return;
	end.number = sending->number;
	dependencyAdd(reader, &end, &sending->key);
	g_hash_table_remove(reader->sends, &request);
}

static void pointToPointAddMessageEnd(const struct messageEnd *end, void *data)
{
	struct dependencyReader *reader = data;
	const hdIRecord *record = reader->record;
	struct dependencyEnd noted = {
		.start = end->isSent ? end->time : record->start,
		.waited = record->start,
		.time = record->end,
		.size = end->size,
		.posted = record->start,
		.isSent = end->isSent,
	};

	uint64_t number;
	int64_t source;

	if (end->isSent) {
		noted.blocks = blocksOf(record->name);
		noted.isEnded = end->request < 0;
		/* Less than 0 is no rank. */
		noted.receives = messageField(&reader->read->own,
					      MESSAGE_FROM_RANK, &source) &&
				 source >= 0;
	} else if (end->request >= 0) {
		dependencyStarted(reader, end->request, &noted.posted);
	}
	number = dependencyAdd(reader, &noted, end);
	if (end->isSent)
		holdSending(reader, end, number);
}

static void pointToPointNote(struct dependencyReader *reader, uint8_t number)
{
	(void)number; /* 0: what pointToPointAddMessageEnd() leaves. */
	if (reader->sends && reader->role & ROLE_COMPLETES &&
	    !dependencyIsInVain(&reader->read->own))
		dependencyRequests(reader, completeSending, NULL);
	if (reader->role & ROLE_MESSAGES)
		messagesEnds(reader->messages, reader->read,
			     pointToPointAddMessageEnd, reader);
}

/* ---- Joining ----------------------------------------------------------- */

/** It has no counterpart, or nobody knows which it is. */
static int makeLoose(struct dependencyJoin *join,
		     const struct dependencyEnd *end,
		     enum dependencyCertainty certainty)
{
	const struct messageEnd *key = &join->channel->key;
	int64_t time = end->isSent ? end->start : end->time;
	struct dependency loose = {
		.kind = end->isSent ? DEPENDENCY_SENT : DEPENDENCY_RECEIVED,
		.certainty = certainty,
		.from = end->trace,
		.fromTime = time,
		.to = end->trace,
		.toTime = time,
		.toStart = time,
		.size = end->size,
		.tag = key->tag,
		.group = key->group->number,
		.peer = end->isSent ? key->receiver : key->sender,
	};

	if (!end->isChosen)
		return 0;
	join->dependencies->counts.loose++;
	return dependencyMake(join->dependencies, &loose);
}

/** The first that was sent and can be received yet; NULL if there is none. */
static const struct dependencyEnd *firstSent(const struct dependencyJoin *join)
{
	return join->next < join->held->len
		       ? &g_array_index(join->held, struct dependencyEnd,
					join->next)
		       : NULL;
}

/** Leave out what was sent before a message of this number was received. */
static int dropSent(struct dependencyJoin *join, uint64_t received)
{
	const struct dependencyEnd *sent;
	int ret = 0;

	while (ret == 0 && (sent = firstSent(join)) &&
	       sent->number + join->strays < received) {
		ret = makeLoose(join, sent, DEPENDENCY_CERTAIN);
		join->next++;
	}
	return ret;
}

static int takeSent(struct dependencyJoin *join,
		    const struct dependencyEnd *sent)
{
	struct dependencyEnd *last;
	int ret;

	if (sent->completes) {
		last = join->held->len > join->next
			       ? &g_array_index(join->held,
						struct dependencyEnd,
						join->held->len - 1)
			       : NULL;
		if (last && last->number == sent->number) {
			last->waited = sent->waited;
			last->time = sent->time;
			last->isEnded = 1;
		}
		return 0;
	}
	/* That of this number is the next to be received. */
	ret = dropSent(join, sent->number);

	if (join->next > join->held->len / 2) {
		g_array_remove_range(join->held, 0, join->next);
		join->next = 0;
	}
	g_array_append_val(join->held, *sent);
	return ret;
}

/** The sender waits as long as nobody is ready to receive. */
static int makeRendezvous(struct dependencyJoin *join,
			  const struct dependencyEnd *sent,
			  const struct dependencyEnd *received,
			  enum dependencyCertainty certainty)
{
	struct dependency edge = {
		.kind = DEPENDENCY_RENDEZVOUS,
		.certainty =
			sent->blocks == 2 ? certainty : DEPENDENCY_POSSIBLE,
		.from = received->trace,
		.fromTime = received->posted,
		.to = sent->trace,
		.toStart = sent->waited,
		.toTime = sent->time,
		.size = sent->size,
		.tag = join->channel->key.tag,
		.group = join->channel->key.group->number,
	};

	/* What Send did not wait for is no cause. */
	if (sent->blocks == 0 ||
	    (sent->blocks == 1 && received->posted >= sent->time))
		return 0;
	return dependencyMake(join->dependencies, &edge);
}

/** Hand on both ends. */
static int handOnMessage(struct dependencyJoin *join,
			 const struct dependencyEnd *sent,
			 const struct dependencyEnd *received,
			 const struct dependency *edge)
{
	const struct messageEnd *key = &join->channel->key;
	struct dependencyEnd sender = *sent;
	struct dependencyEnd receiver = *received;
	struct dependencyMatch match = {
		.meeting = MEETING_MESSAGE,
		.certainty = edge->certainty,
		.root = 2,
		.isSynchronous = sent->blocks == 2,
		.size = edge->size,
		.residual = dependencyResidual(join->dependencies, sent->trace,
					       received->trace),
	};

	if (!sent->isEnded)
		sender.waited = sender.time = sender.start;
	receiver.start = received->posted;
	dependencyAddPart(join, &sender, key->sender);
	dependencyAddPart(join, &receiver, key->receiver);
	return dependencyHandOn(join, &match);
}

static int makeMessage(struct dependencyJoin *join,
		       const struct dependencyEnd *sent,
		       const struct dependencyEnd *received)
{
	bool isUnsure = join->channel->key.epoch != 0;
	struct dependency edge = {
		.kind = DEPENDENCY_MESSAGE,
		.certainty = isUnsure ? DEPENDENCY_UNSURE : DEPENDENCY_CERTAIN,
		.from = sent->trace,
		.fromTime = sent->start,
		.to = received->trace,
		.toStart = received->waited,
		.toTime = received->time,
		.size = MAX(sent->size, received->size),
		.tag = join->channel->key.tag,
		.group = join->channel->key.group->number,
	};
	int ret;

	join->dependencies->counts.unsure += isUnsure;
	if (join->dependencies->filter.take) {
		ret = handOnMessage(join, sent, received, &edge);
		if (ret < 0)
			return ret;
	}
	ret = makeRendezvous(join, sent, received, edge.certainty);
	return ret < 0 ? ret : dependencyMake(join->dependencies, &edge);
}

static int takeReceived(struct dependencyJoin *join,
			const struct dependencyEnd *received)
{
	const struct dependencyEnd *sent;
	int ret;

	if (channelIsBefore(join->channel, received->time)) {
		join->strays++;
		return makeLoose(join, received, DEPENDENCY_UNSURE);
	}
	ret = dropSent(join, received->number);
	if (ret < 0)
		return ret;
	sent = firstSent(join);
	if (!sent || sent->number + join->strays != received->number)
		return makeLoose(join, received, DEPENDENCY_CERTAIN);
	join->next++;
	if (sent->isChosen && received->isChosen)
		return makeMessage(join, sent, received);
	/* One of them is at most. */
	ret = makeLoose(join, sent, DEPENDENCY_CERTAIN);
	return ret < 0 ? ret : makeLoose(join, received, DEPENDENCY_CERTAIN);
}

static int pointToPointAddSortedEnd(struct dependencyJoin *join,
				    const struct dependencyEnd *end)
{
	if (join->channel->key.epoch < 0)
		return end->completes ? 0
				      : makeLoose(join, end, DEPENDENCY_UNSURE);
	return end->isSent ? takeSent(join, end) : takeReceived(join, end);
}

static int pointToPointFinish(struct dependencyJoin *join)
{
	return dropSent(join, UINT64_MAX);
}

const struct dependencySource dependencyMessages = {
	.name = "messages",
	.kinds = DEPENDENCY_MESSAGE | DEPENDENCY_RENDEZVOUS | DEPENDENCY_SENT |
		 DEPENDENCY_RECEIVED,
	.note = pointToPointNote,
	.take = pointToPointAddSortedEnd,
	.finish = pointToPointFinish,
};
