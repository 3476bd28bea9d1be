/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What ranks give and need, of messages and collective calls.
 */
#include "config.h"

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/model/whatif/events.h"

static int compareEvents(const void *a, const void *b)
{
	const struct replayEvent *x = a;
	const struct replayEvent *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	COMPARE_KEYS(x->time, y->time);
	COMPARE_KEYS(x->call, y->call);
	COMPARE_KEYS(x->kind, y->kind);
	COMPARE_KEYS(x->meeting, y->meeting);
	return 0;
}

void eventsInit(struct events *self, uint32_t ranks)
{
	*self = (struct events){
		.sorter = sorterNew(sizeof(struct replayEvent), compareEvents),
		.ranks = ranks,
		.eager = EVENTS_EAGER,
	};
}

void eventsClear(struct events *self)
{
	sorterFree(self->sorter);
	self->sorter = NULL;
}

/** A meeting of as many as give and take. */
static struct replayEvent eventOf(struct events *self, uint32_t givers,
				  uint32_t takers)
{
	return (struct replayEvent){
		.meeting = ++self->meetings,
		.size = -1,
		.givers = givers,
		.takers = takers,
	};
}

static int eventsGive(struct events *self, struct replayEvent event,
		      const struct dependencyPart *part)
{
	event.kind = EVENT_GIVE;
	event.trace = part->trace;
	event.time = event.call = part->start;
	return sorterAdd(self->sorter, &event);
}

static int eventsNeed(struct events *self, struct replayEvent event,
		      const struct dependencyPart *part, int64_t cause)
{
	event.kind = EVENT_TAKE;
	event.trace = part->trace;
	event.time = part->end;
	event.call = part->waited;
	event.cause = cause;
	return sorterAdd(self->sorter, &event);
}

/** One gives, another one takes. */
static int eventsHand(struct events *self, const struct dependencyPart *from,
		      const struct dependencyPart *to, int64_t size)
{
	struct replayEvent event = eventOf(self, 1, 1);
	int ret;

	event.size = size;
	ret = eventsGive(self, event, from);
	return ret < 0 ? ret : eventsNeed(self, event, to, from->start);
}

/** A sender that left before was not synchronous. */
static int eventsOfMessage(struct events *self,
			   const struct dependencyMatch *match)
{
	const struct dependencyPart *sender = &match->parts[0];
	const struct dependencyPart *receiver = &match->parts[1];
	bool waits = (match->isSynchronous || match->size > self->eager) &&
		     receiver->start < sender->end;
	int ret = eventsHand(self, sender, receiver, MAX(match->size, 0));

	return ret < 0 || !waits ? ret : eventsHand(self, receiver, sender, -1);
}

static int eventsOfPart(struct events *self,
			const struct dependencyMatch *match,
			struct replayEvent event, guint place, int64_t cause)
{
	const struct dependencyPart *part = &match->parts[place];
	bool isRoot = place == match->root;
	bool gives = match->pattern != PATTERN_ONE2ALL || isRoot;
	bool takes = match->pattern == PATTERN_ONE2ALL   ? !isRoot
		     : match->pattern == PATTERN_ALL2ONE ? isRoot
							 : true;
	int ret = 0;

	event.place = place;
	if (gives)
		ret = eventsGive(self, event, part);
	return ret < 0 || !takes ? ret : eventsNeed(self, event, part, cause);
}

static int eventsOfCollective(struct events *self,
			      const struct dependencyMatch *match)
{
	bool isOneToAll = match->pattern == PATTERN_ONE2ALL;
	bool isAllToOne = match->pattern == PATTERN_ALL2ONE;
	bool isPrefix = match->pattern == PATTERN_PREFIX;
	int64_t cause = INT64_MIN;
	struct replayEvent event;
	int ret = 0;

	if (match->pattern == PATTERN_ALONE ||
	    ((isOneToAll || isAllToOne) && match->root == match->count))
		return 0;
	event = eventOf(self, isOneToAll ? 1 : match->count,
			isOneToAll   ? match->count - 1
			: isAllToOne ? 1
				     : match->count);
	event.isPrefix = isPrefix;
	event.isOfAll = !isOneToAll && !isAllToOne && !isPrefix &&
			match->count == self->ranks;
	for (guint i = 0; !isPrefix && i < match->count; i++) {
		if (!isOneToAll || i == match->root)
			cause = MAX(cause, match->parts[i].start);
	}
	for (guint i = 0; i < match->count && ret == 0; i++) {
		ret = eventsOfPart(self, match, event, i, cause);
		if (isPrefix)
			cause = MAX(cause, match->parts[i].start);
	}
	return ret;
}

/** The call of the origin that waited for the exposure, and that of the target
 *  which waits for the end of the access. */
static int eventsOfAccess(struct events *self,
			  const struct dependencyMatch *match)
{
	const struct dependencyPart *start = &match->parts[0];
	const struct dependencyPart *post = &match->parts[2];
	struct dependencyPart complete = match->parts[1];
	int ret = 0;

	complete.start = complete.waited;
	if (post->start < start->end)
		ret = eventsHand(self, post, start, -1);
	else if (post->start < complete.end)
		ret = eventsHand(self, post, &complete, -1);
	return ret < 0 ? ret
		       : eventsHand(self, &complete, &match->parts[3], -1);
}

int eventsTake(const struct dependencyMatch *match, void *data)
{
	switch (match->meeting) {
	case MEETING_MESSAGE:
		return eventsOfMessage(data, match);
	case MEETING_COLLECTIVE:
		return eventsOfCollective(data, match);
	case MEETING_ACCESS:
		return eventsOfAccess(data, match);
	case MEETING_TEAM:
	case MEETING_FORK:
	case MEETING_LOCK:
		break;
	}
	return 0;
}
