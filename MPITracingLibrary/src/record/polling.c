/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that ask whether something has happened. */
#include "config.h"

#include <string.h>

#include "MPITracingLibrary/src/hdmpi.h"
#include "common/clock.h"
#include "common/ticks.h"
#include "common/tsc.h"

/* A state that stands for several calls has none longer than this between
 * them: it would hide what the program does meanwhile. */
#define GAP_NS 10000
/* And it is not longer than this: a killed program has not written it. */
#define RUN_NS 100000000

/* What counting ticks may be wrong by is left. */
#define EXACTLY 0.999
/* A point is worth nothing where reading it took longer than this; */
#define WIDTH_NS 1000
/* and how fast the counter goes is measured for so long, at least. */
#define MEASURE_NS 1000000
/* Ticks of that, of any counter. */
#define WIDTH_TICKS 10000

static struct {
	struct hdTickPoint first;
	bool hasFirst;
	double ns; /* Of a tick; 0: the counter is not read. */
	uint64_t width;
	int64_t gap;
} ticks;

/* ---- The counter -----------------------------------------------------------
 */

void hdmpiPollsBegin(void)
{
	ticks.hasFirst =
		hdTickPointTake(&hdTicksOfMonotonic, WIDTH_TICKS, &ticks.first);
}

void hdmpiPollsStart(void)
{
	struct hdTscFacts facts;
	struct hdTickPoint now;

	hdTscFind(&facts);
	if (hdTscRefusal(&facts) || !ticks.hasFirst ||
	    !hdTickPointTake(&hdTicksOfMonotonic, WIDTH_TICKS, &now) ||
	    now.ticks <= ticks.first.ticks ||
	    now.ns - ticks.first.ns < MEASURE_NS)
		return;
	ticks.ns = (double)(now.ns - ticks.first.ns) /
		   (double)(now.ticks - ticks.first.ticks);
	ticks.width = (uint64_t)(WIDTH_NS / ticks.ns);
	ticks.gap = (int64_t)(GAP_NS * EXACTLY / ticks.ns);
}

/* Let calls that follow those that are not written yet read the counter. */
static void pollCount(struct hdmpiPolls *polls)
{
	if (ticks.ns <= 0 ||
	    !hdTickPointTake(&hdTicksOfWall, ticks.width, &polls->from))
		return;
	polls->isByTicks = true;
	polls->endTicks =
		(int64_t)polls->from.ticks -
		(int64_t)((double)(polls->from.ns - polls->end) / ticks.ns);
	polls->mostTicks =
		polls->endTicks +
		(int64_t)((double)(RUN_NS - (polls->end - polls->start)) *
			  EXACTLY / ticks.ns);
	polls->insideTicks = 0;
}

/* Make times of the ticks of calls that are not written yet, and of a call that
 * follows them: where no second point is good, by the usual rate, but none is
 * later than the clock is now. */
static void pollPlace(struct hdmpiPolls *polls, struct hdmpiCall *call)
{
	struct hdTickPoint to;
	double ratio = ticks.ns;

	if (!polls->isByTicks)
		return;
	polls->isByTicks = false;
	if (polls->insideTicks == 0 && !(call && call->isByTicks))
		return;
	if (hdTickPointTake(&hdTicksOfWall, ticks.width, &to))
		ratio = hdTicksRatio(&polls->from, &to, ratio);
	if (polls->insideTicks > 0) {
		polls->end = hdTicksBefore(&polls->from, &to, ratio,
					   (uint64_t)polls->endTicks);
		polls->inside += (int64_t)((double)polls->insideTicks * ratio);
	}
	if (!call || !call->isByTicks)
		return;
	call->isByTicks = false;
	call->start =
		hdTicksBefore(&polls->from, &to, ratio, (uint64_t)call->start);
	if (call->end != 0)
		call->end = hdTicksBefore(&polls->from, &to, ratio,
					  (uint64_t)call->end);
}

/* ---- Calls -----------------------------------------------------------------
 */

bool hdmpiPollBegin(struct hdmpiThread *self, struct hdmpiCall *call)
{
	struct hdmpiPolls *polls = &self->polls;
	uint64_t since;

	if (polls->isByTicks) {
		call->start = (int64_t)hdTscReadEarly();
		call->end = 0;
		since = (uint64_t)(call->start - polls->endTicks);
		call->isByTicks = since <= (uint64_t)ticks.gap;
	}
	if (!call->isByTicks && (call->start = hdClockNow()) < 0)
		return false;
	polls->open = call;
	polls->isPending = true;
	return true;
}

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

	pollPlace(&self->polls, open);
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

/* Whether it is time that a call goes on with those that are not written yet.
 */
static bool pollIsNear(const struct hdmpiPolls *polls,
		       const struct hdmpiCall *call)
{
	if (polls->isByTicks)
		return call->isByTicks && call->end >= call->start &&
		       call->end <= polls->mostTicks;
	return call->start >= polls->end && call->end >= call->start &&
	       call->start - polls->end <= GAP_NS &&
	       call->end - polls->start <= RUN_NS;
}

/* Whether a call goes on with those that are not written yet. */
static bool pollGoesOn(const struct hdmpiPolls *polls,
		       const struct hdmpiCall *call, const char *keys,
		       const int64_t *values, int64_t site)
{
	_Static_assert(HDMPI_POLL_VALUES == 2, "two are compared");
	return polls->calls > 0 && polls->function == call->function &&
	       polls->keys == keys && polls->site == site &&
	       polls->values[0] == values[0] && polls->values[1] == values[1] &&
	       pollIsNear(polls, call);
}

/* Begin a state with a call that found nothing. */
static void pollFirst(struct hdmpiPolls *polls, const struct hdmpiCall *call,
		      const char *keys, const int64_t *values, int64_t site)
{
	polls->function = call->function;
	polls->keys = keys;
	memcpy(polls->values, values, sizeof(polls->values));
	polls->site = site;
	polls->start = call->start;
	polls->inside = 0;
}

/* Add a call that found nothing. */
static void pollAdd(struct hdmpiPolls *polls, const struct hdmpiCall *call)
{
	polls->calls++;
	if (polls->isByTicks) {
		polls->endTicks = call->end;
		polls->insideTicks += call->end - call->start;
		return;
	}
	polls->end = call->end;
	polls->inside += call->end - call->start;
	/* One that is followed by none like it is to cost no more. */
	if (polls->calls == 2)
		pollCount(polls);
}

void hdmpiPollEnd(struct hdmpiCall *call, const char *keys,
		  const int64_t *values)
{
	struct hdmpiPolls *polls = &call->self->polls;
	int64_t site = -1;

	/* Something inside of it was recorded: it has its state. */
	if (polls->open != call)
		return;
	if (__builtin_expect(!keys || call->end < 0, 0)) {
		hdmpiPollSettle(call->self);
		return;
	}
	polls->open = NULL;
	if (hdmpiOptions.siteDepth)
		site = hdmpiSiteFind(call->self, call->caller);
	if (__builtin_expect(!pollGoesOn(polls, call, keys, values, site), 0)) {
		pollPlace(polls, call);
		if (polls->calls > 0)
			pollWrite(call->self, call->self->depth > 1);
		pollFirst(polls, call, keys, values, site);
	}
	pollAdd(polls, call);
	call->self->depth--;
	call->isRecorded = false;
}
