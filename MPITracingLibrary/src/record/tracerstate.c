/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* States in which libhdMPI works for itself. */
#include "config.h"

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/core/sampling.h"
#include "common/clock.h"

/* So often the clock is read to see what that takes; the least counts. */
#define MEASURED 100

/* What a call takes between its two readings of the clock besides its function.
 */
static int64_t tracerOwnPart(void)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < MEASURED; i++) {
		int64_t first = hdClockNow(), took = hdClockNow() - first;

		if (first >= 0 && took > 0 && took < least)
			least = took;
	}
	return least == INT64_MAX ? 0 : least;
}

bool hdmpiTracerBegin(struct hdmpiThread *self, int64_t start)
{
	struct timespec when = hdClockToTimespec(start);

	if (!self || !hdmpiIsRecording(self))
		return false;
	hdmpiPollSettle(self);
	hdT_logStateStartAt(self->trace, "Tracer", &when);
	hdT_logAttributeString(self->trace, "class", "tracer");
	return true;
}

/* End a state of the tracer between calls. What was sampled in it is the
 * tracer's, too. */
static void tracerEnd(struct hdmpiThread *self)
{
	hdT_logStateEnd(self->trace);
	hdmpiSamplesSkip(self);
}

void hdmpiRuntimeWorked(struct hdmpiCall *call, int64_t start)
{
	if (start < 0)
		return;
	hdmpiEnd(call);
	call->isRecorded = false;
	if (hdmpiTracerBegin(call->self, start))
		tracerEnd(call->self);
}

void hdmpiRuntimeStarted(struct hdmpiCall *call)
{
	int64_t own = tracerOwnPart();

	hdmpiProfileOwnNs = own;
	if (!atomic_load(&hdmpiIsActive) ||
	    !hdmpiTracerBegin(call->self, call->end))
		return;
	if (own > 0)
		hdT_logAttributeInt64(call->self->trace, "callNs", own);
	hdmpiSamplesDescribe(call->self);
	tracerEnd(call->self);
}
