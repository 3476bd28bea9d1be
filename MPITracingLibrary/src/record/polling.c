/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that ask whether something has happened. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/record/verbs.h"
#include "common/clock.h"
#include "common/ticks.h"
#include "common/tsc.h"

/* A state that stands for several calls has none longer than this between
 * them: it would hide what the program does meanwhile. */
#define GAP_NS 10000
/* And it is not longer than this: a killed program has not written it. */
#define RUN_NS 100000000
/* One that is shorter than this goes on with other calls that ask, if so many
 * were before it. */
#define SHORT_NS 1000000
#define SHORT_STATES 8

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

/* When the state will be so long, in ticks. */
static int64_t pollTicksUntil(const struct hdmpiPolls *polls, int64_t ns)
{
	return polls->endTicks +
	       (int64_t)((double)(ns - (polls->end - polls->start)) * EXACTLY /
			 ticks.ns);
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
	polls->shortTicks = pollTicksUntil(polls, SHORT_NS);
	polls->mostTicks = pollTicksUntil(polls, RUN_NS);
}

/* Make nanoseconds of the ticks of calls that are not written yet; whether
 * there are any. */
static bool pollConvert(struct hdmpiPolls *polls, double ratio)
{
	bool isAny = false;

	for (int i = 0; i < polls->kindCount; i++) {
		struct hdmpiPollKind *kind = &polls->kinds[i];

		isAny |= kind->tickCalls > 0;
		kind->inside += (int64_t)((double)kind->insideTicks * ratio);
		kind->insideTicks = 0;
	}
	return isAny;
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
	if (hdTickPointTake(&hdTicksOfWall, ticks.width, &to))
		ratio = hdTicksRatio(&polls->from, &to, ratio);
	if (pollConvert(polls, ratio))
		polls->end = hdTicksBefore(&polls->from, &to, ratio,
					   (uint64_t)polls->endTicks);
	if (!call || !call->isByTicks)
		return;
	call->isByTicks = false;
	call->start =
		hdTicksBefore(&polls->from, &to, ratio, (uint64_t)call->start);
	if (call->end != 0)
		call->end = hdTicksBefore(&polls->from, &to, ratio,
					  (uint64_t)call->end);
}

/* ---- The tracer's part ------------------------------------------------------
 */

/* So often it is measured; the least counts. */
#define MEASURED 100

/* Nanoseconds of each call that the tracer takes, between its two readings. */
static struct {
	double clock; /* Of the clock, ... */
	double ticks; /* ... or of the counter. */
	double held;  /* What it takes besides to keep requests. */
} own;

/* Whether requests are kept before such a call. */
static bool pollHolds(enum hdmpiFunction function)
{
	return strncmp(hdmpiFunctionName(function), "Test", 4) == 0;
}

/* What lies between the readings of a call without its MPI function. */
static int64_t pollMeasureOnce(struct hdmpiThread *self, bool isByTicks,
			       bool holds)
{
	MPI_Request request = MPI_REQUEST_NULL;
	struct hdmpiCall call;

	self->polls.isByTicks = isByTicks;
	self->polls.endTicks = (int64_t)hdTscReadEarly();
	/* Only one of these may be recorded. */
	if (!hdmpiBegin(&call, HDMPI_Test) && !hdmpiBegin(&call, HDMPI_Iprobe))
		return 0;
	if (holds)
		hdmpiNoteHold(&call, 1, &request);
	hdmpiStop(&call);
	if (holds)
		hdmpiNoteFailed(&call);
	self->polls.isByTicks = false;
	self->polls.open = NULL;
	self->polls.isPending = false;
	self->depth--;
	return call.isByTicks == isByTicks ? call.end - call.start : 0;
}

static double pollMeasure(struct hdmpiThread *self, bool isByTicks, bool holds)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < MEASURED; i++) {
		int64_t took = pollMeasureOnce(self, isByTicks, holds);

		if (took > 0 && took < least)
			least = took;
	}
	if (least == INT64_MAX)
		return 0;
	return isByTicks ? (double)least * ticks.ns : (double)least;
}

void hdmpiPollsMeasure(struct hdmpiThread *self)
{
	bool isByTicks = ticks.ns > 0;
	double held;

	if (hdmpiOptions.keepsPolls || self->polls.calls > 0)
		return;
	own.clock = pollMeasure(self, false, false);
	own.ticks = isByTicks ? pollMeasure(self, true, false) : own.clock;
	held = pollMeasure(self, isByTicks, true);
	own.held = MAX(held - own.ticks, 0);
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

static void pollStart(struct hdmpiThread *self, const char *name, int64_t start)
{
	struct timespec when = hdClockToTimespec(start);

	hdT_logStateStartAt(self->trace, name, &when);
}

/* What the tracer took of calls of a function. */
static int64_t pollTracer(const struct hdmpiPollKind *kind)
{
	double held = pollHolds(kind->function) ? own.held : 0;
	double ns = (double)(kind->calls - kind->tickCalls) * own.clock +
		    (double)kind->tickCalls * own.ticks +
		    (double)kind->calls * held;

	return MIN((int64_t)ns, kind->inside);
}

/* How many calls of several functions there were, and how long they took. */
static void pollWriteKinds(struct hdmpiThread *self)
{
	const struct hdmpiPolls *polls = &self->polls;
	char key[80];

	for (int i = 0; i < polls->kindCount; i++) {
		const struct hdmpiPollKind *kind = &polls->kinds[i];
		const char *name = hdmpiFunctionName(kind->function);

		snprintf(key, sizeof(key), "%sCalls", name);
		hdT_logAttributeInt64(self->trace, key, (int64_t)kind->calls);
		snprintf(key, sizeof(key), "%sInsideNs", name);
		hdT_logAttributeInt64(self->trace, key, kind->inside);
	}
}

static void pollWriteNumbers(struct hdmpiThread *self)
{
	const struct hdmpiPolls *polls = &self->polls;
	int64_t tracer = 0;

	for (int i = 0; i < polls->kindCount; i++)
		tracer += pollTracer(&polls->kinds[i]);
	if (polls->keys)
		hdT_logAttributesInt64(self->trace, polls->keys, polls->values);
	if (polls->kindCount > 1)
		pollWriteKinds(self);
	else if (polls->calls > 1)
		hdT_logAttributesInt64(
			self->trace, "calls insideNs",
			(const int64_t[]){ (int64_t)polls->calls,
					   polls->kinds[0].inside });
	if (polls->calls > 1 && tracer > 0)
		hdT_logAttributesInt64(self->trace, "tracerNs", &tracer);
}

/* Write the calls that found nothing; isInside: in a call that has a state. */
static void pollWrite(struct hdmpiThread *self, bool isInside)
{
	struct hdmpiPolls *polls = &self->polls;
	struct timespec end = hdClockToTimespec(polls->end);

	pollStart(self,
		  polls->kindCount > 1
			  ? "Polls"
			  : hdmpiFunctionName(polls->kinds[0].function),
		  polls->start);
	hdmpiSiteNote(self, polls->site, isInside);
	pollWriteNumbers(self);
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
	pollStart(self, hdmpiFunctionName(open->function), open->start);
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

/* Whether a call says the same as those that are not written yet. */
static bool pollIsLike(const struct hdmpiPolls *polls,
		       const struct hdmpiCall *call, const char *keys,
		       const int64_t *values, int64_t site)
{
	_Static_assert(HDMPI_POLL_VALUES == 2, "two are compared");
	return polls->kindCount == 1 &&
	       polls->kinds[0].function == call->function &&
	       polls->keys == keys && polls->site == site &&
	       polls->values[0] == values[0] && polls->values[1] == values[1];
}

/* Whether calls that are not written yet may be mixed with others: they already
 * are, or have not lasted long. */
static bool pollMayMix(const struct hdmpiPolls *polls)
{
	if (polls->kindCount > 1 || !polls->keys)
		return true;
	return polls->isByTicks ? polls->endTicks < polls->shortTicks
				: polls->end - polls->start < SHORT_NS;
}

/* Forget what the calls have in common, as one that follows is another one. */
static void pollMix(struct hdmpiPolls *polls, int64_t site)
{
	polls->keys = NULL;
	if (polls->site != site)
		polls->site = -1;
}

/* Whether a call goes on with those that are not written yet. */
static bool pollGoesOn(struct hdmpiPolls *polls, const struct hdmpiCall *call,
		       const char *keys, const int64_t *values, int64_t site)
{
	if (polls->calls == 0 || !pollIsNear(polls, call)) {
		polls->changes = 0;
		return false;
	}
	if (__builtin_expect(pollIsLike(polls, call, keys, values, site), 1))
		return true;
	if (!pollMayMix(polls)) {
		polls->changes = 0;
		return false;
	}
	if (polls->keys && polls->changes++ < SHORT_STATES)
		return false;
	pollMix(polls, site);
	return true;
}

/* Begin a state with a call that found nothing. */
static void pollFirst(struct hdmpiPolls *polls, const struct hdmpiCall *call,
		      const char *keys, const int64_t *values, int64_t site)
{
	polls->kindCount = 0;
	polls->keys = keys;
	memcpy(polls->values, values, sizeof(polls->values));
	polls->site = site;
	polls->start = call->start;
}

/* The calls of a function. */
static struct hdmpiPollKind *pollKind(struct hdmpiPolls *polls,
				      enum hdmpiFunction function)
{
	struct hdmpiPollKind *kind = polls->kinds;

	while (kind < &polls->kinds[polls->kindCount] &&
	       kind->function != function)
		kind++;
	if (kind == &polls->kinds[polls->kindCount]) {
		*kind = (struct hdmpiPollKind){ .function = function };
		polls->kindCount++;
	}
	return kind;
}

/* Add a call that found nothing. */
static void pollAdd(struct hdmpiPolls *polls, const struct hdmpiCall *call)
{
	struct hdmpiPollKind *kind = pollKind(polls, call->function);

	polls->calls++;
	kind->calls++;
	if (polls->isByTicks) {
		polls->endTicks = call->end;
		kind->tickCalls++;
		kind->insideTicks += call->end - call->start;
		return;
	}
	polls->end = call->end;
	kind->inside += call->end - call->start;
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
	if (__builtin_expect(hdmpiOptions.hasMore, 0) && call->self->depth == 0)
		hdmpiSamplesSkip(call->self);
}
