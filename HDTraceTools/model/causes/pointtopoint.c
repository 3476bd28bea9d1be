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

static void takeEnd(const struct messageEnd *end, void *data)
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

	if (end->isSent)
		noted.blocks = blocksOf(record->name);
	else if (end->request >= 0)
		dependencyStarted(reader, end->request, &noted.posted);
	dependencyAdd(reader, &noted, end);
}

static void note(struct dependencyReader *reader, uint8_t number)
{
	(void)number; /* 0: what takeEnd() leaves. */
	if (reader->role & ROLE_MESSAGES)
		messagesEnds(reader->messages, reader->read, takeEnd, reader);
}

/* ---- Joining ----------------------------------------------------------- */

static void countLoose(struct dependencyJoin *join,
		       const struct dependencyEnd *end)
{
	join->dependencies->counts.loose += end->isChosen;
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
static void dropSent(struct dependencyJoin *join, uint64_t received)
{
	const struct dependencyEnd *sent;

	while ((sent = firstSent(join)) &&
	       sent->number + join->strays < received) {
		countLoose(join, sent);
		join->next++;
	}
}

static void takeSent(struct dependencyJoin *join,
		     const struct dependencyEnd *sent)
{
	/* That of this number is the next to be received. */
	dropSent(join, sent->number);
	if (join->next > join->held->len / 2) {
		g_array_remove_range(join->held, 0, join->next);
		join->next = 0;
	}
	g_array_append_val(join->held, *sent);
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
	ret = makeRendezvous(join, sent, received, edge.certainty);
	return ret < 0 ? ret : dependencyMake(join->dependencies, &edge);
}

static int takeReceived(struct dependencyJoin *join,
			const struct dependencyEnd *received)
{
	const struct dependencyEnd *sent;

	if (channelIsBefore(join->channel, received->time)) {
		join->strays++;
		countLoose(join, received);
		return 0;
	}
	dropSent(join, received->number);
	sent = firstSent(join);
	if (!sent || sent->number + join->strays != received->number) {
		countLoose(join, received);
		return 0;
	}
	join->next++;
	if (sent->isChosen && received->isChosen)
		return makeMessage(join, sent, received);
	join->dependencies->counts.loose +=
		sent->isChosen || received->isChosen;
	return 0;
}

static int take(struct dependencyJoin *join, const struct dependencyEnd *end)
{
	if (join->channel->key.epoch < 0)
		countLoose(join, end);
	else if (end->isSent)
		takeSent(join, end);
	else
		return takeReceived(join, end);
	return 0;
}

static int finish(struct dependencyJoin *join)
{
	dropSent(join, UINT64_MAX);
	return 0;
}

const struct dependencySource dependencyMessages = {
	.name = "messages",
	.kinds = DEPENDENCY_MESSAGE | DEPENDENCY_RENDEZVOUS,
	.note = note,
	.take = take,
	.finish = finish,
};
