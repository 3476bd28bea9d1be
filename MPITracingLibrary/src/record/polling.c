/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that ask whether something has happened. */
#include "config.h"

#include <string.h>

#include "MPITracingLibrary/src/hdmpi.h"
#include "common/clock.h"

/* A state that stands for several calls has none longer than this between
 * them: it would hide what the program does meanwhile. */
#define GAP_NS 10000
/* And it is not longer than this: a killed program has not written it. */
#define RUN_NS 100000000

static void pollStart(struct hdmpiThread *self, enum hdmpiFunction function,
		      int64_t start)
{
	struct timespec when = hdClockToTimespec(start);

	hdT_logStateStartAt(self->trace, hdmpiFunctionName(function), &when);
}

/* Write the calls that found nothing; isInside: in a call that has a state. */
static void pollWrite(struct hdmpiThread *self, bool isInside)
{
	struct hdmpiPolls *polls = &self->polls;
	struct timespec end = hdClockToTimespec(polls->end);

	pollStart(self, polls->function, polls->start);
	hdmpiSiteNote(self, polls->site, isInside);
	hdT_logAttributesInt64(self->trace, polls->keys, polls->values);
	if (polls->calls > 1)
		hdT_logAttributesInt64(self->trace, "calls insideNs",
				       (const int64_t[]){ (int64_t)polls->calls,
							  polls->inside });
	hdT_logStateEndAt(self->trace, &end);
	polls->calls = 0;
}

void hdmpiPollSettle(struct hdmpiThread *self)
{
	struct hdmpiCall *open = self->polls.open;

	if (self->polls.calls > 0)
		pollWrite(self, self->depth > (open != NULL));
	self->polls.open = NULL;
	/* The end of a call that was asked for, or is inside of another one, is
	 * not to be missed. */
	self->polls.isPending = self->relation || self->depth > 1;
	if (!open)
		return;
	self->function = open->function;
	pollStart(self, open->function, open->start);
	hdmpiNotePart(self);
	if (hdmpiOptions.siteDepth)
		hdmpiSiteNote(self, hdmpiSiteFind(self, open->caller),
			      self->depth > 1);
}

/* Whether a call goes on with those that are not written yet. */
static bool pollGoesOn(const struct hdmpiPolls *polls,
		       const struct hdmpiCall *call, const char *keys,
		       const int64_t *values, int64_t site)
{
	return polls->calls > 0 && polls->function == call->function &&
	       polls->keys == keys && polls->site == site &&
	       memcmp(polls->values, values, sizeof(polls->values)) == 0 &&
	       call->start >= polls->end && call->end >= call->start &&
	       call->start - polls->end <= GAP_NS &&
	       call->end - polls->start <= RUN_NS;
}

void hdmpiPollEnd(struct hdmpiCall *call, const char *keys,
		  const int64_t *values)
{
	struct hdmpiPolls *polls = &call->self->polls;
	int64_t site = -1;

	/* Something inside of it was recorded: it has its state. */
	if (polls->open != call)
		return;
	if (!keys || call->end < 0) {
		hdmpiPollSettle(call->self);
		return;
	}
	polls->open = NULL;
	if (hdmpiOptions.siteDepth)
		site = hdmpiSiteFind(call->self, call->caller);
	if (!pollGoesOn(polls, call, keys, values, site)) {
		if (polls->calls > 0)
			pollWrite(call->self, call->self->depth > 1);
		polls->function = call->function;
		polls->keys = keys;
		memcpy(polls->values, values, sizeof(polls->values));
		polls->site = site;
		polls->start = call->start;
		polls->inside = 0;
	}
	polls->calls++;
	polls->end = call->end;
	polls->inside += call->end - call->start;
	call->self->depth--;
	call->isRecorded = false;
}
