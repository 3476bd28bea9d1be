/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that are added up by function; see callprofile.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/callprofile.h"

/* The first state is so long. */
#define PROFILE_FIRST_NS HD_NS_PER_S
/* Its size is asked for after so many calls; a power of 2. */
#define PROFILE_EVERY 16

struct hdmpiProfile {
	int64_t begin; /* Of the state that is next. */
	int64_t last;  /* End of the last call. */
	int64_t span;  /* So long it becomes. */
	int64_t inner; /* Time of calls inside the one that is open. */
	unsigned int depth;
	uint64_t all;
	uint64_t calls[HDMPI_FUNCTIONS];
	int64_t inside[HDMPI_FUNCTIONS];
};

int64_t hdmpiProfileOwnNs;

static void profileStart(struct hdmpiThread *self, int64_t now)
{
	struct hdmpiProfile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return;
	hdmpiPollSettle(self);
	hdmpiSamplesEnd(self);
	profile->begin = profile->last = now;
	profile->span = PROFILE_FIRST_NS;
	self->profile = profile;
	/* Messages are missing from here on. */
	atomic_store(&hdmpiLeavesOut, true);
	hdLogLoss(&hdmpiLogger,
		  "a trace has reached its limit of %" PRIi64
		  " bytes; from then on, calls are added up by function",
		  hdmpiOptions.limit);
}

void hdmpiProfileLimit(struct hdmpiThread *self, int64_t now)
{
	int64_t size;

	if (++self->ended % PROFILE_EVERY || now < 0)
		return;
	size = hdT_getFileSize(self->trace);
	if (size >= hdmpiOptions.limit)
		profileStart(self, now);
}

bool hdmpiProfileEnter(struct hdmpiThread *self, struct hdmpiCall *call)
{
	struct hdmpiProfile *profile = self->profile;

	call->isProfiled = true;
	call->end = profile->inner;
	profile->inner = 0;
	profile->depth++;
	call->start = hdClockNow();
	return true;
}

void hdmpiProfileLeave(struct hdmpiCall *call)
{
	int64_t now = hdClockNow();
	struct hdmpiThread *self = call->self;
	struct hdmpiProfile *profile = self->profile;
	int64_t took = now - call->start;

	call->isProfiled = false;
	if (!profile)
		return;
	profile->depth--;
	profile->calls[call->function]++;
	profile->inside[call->function] += took - profile->inner;
	profile->inner = call->end + took;
	profile->last = now;
	profile->all++;
	if (profile->depth > 0)
		return;
	profile->inner = 0;
	if (now - profile->begin >= profile->span)
		hdmpiProfileWrite(self, now);
}

/* An attribute of a function: NAMEWhat. */
static void profileNumber(struct hdmpiThread *self, enum hdmpiFunction function,
			  const char *what, int64_t number)
{
	char key[80];

	snprintf(key, sizeof(key), "%s%s", hdmpiFunctionName(function), what);
	hdT_logAttributeInt64(self->trace, key, number);
}

static void profileAttributes(struct hdmpiThread *self)
{
	struct hdmpiProfile *profile = self->profile;

	for (int i = 0; i < HDMPI_FUNCTIONS; i++) {
		if (!profile->calls[i])
			continue;
		profileNumber(self, i, "Calls", (int64_t)profile->calls[i]);
		profileNumber(self, i, "InsideNs", profile->inside[i]);
		profile->calls[i] = 0;
		profile->inside[i] = 0;
	}
	hdT_logAttributeInt64(self->trace, "tracerNs",
			      (int64_t)profile->all * hdmpiProfileOwnNs);
	profile->all = 0;
}

void hdmpiProfileWrite(struct hdmpiThread *self, int64_t now)
{
	struct hdmpiProfile *profile = self->profile;
	struct timespec start, end;

	if (profile->depth > 0 || profile->all == 0 || now <= profile->begin)
		return;
	start = hdClockToTimespec(profile->begin);
	end = hdClockToTimespec(now);
	hdT_logStateStartAt(self->trace, "Profile", &start);
	hdmpiNotePart(self);
	profileAttributes(self);
	hdT_logStateEndAt(self->trace, &end);
	profile->begin = now;
	profile->span *= 2;
}

void hdmpiProfileEnd(struct hdmpiThread *self)
{
	if (!self->profile)
		return;
	self->profile->depth = 0;
	hdmpiProfileWrite(self, self->profile->last);
	free(self->profile);
	self->profile = NULL;
}
