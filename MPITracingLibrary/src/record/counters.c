/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of the processor in MPI calls, and between them. */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/counters.h"

/* As many names as there are events fit. */
#define KEYS_SIZE 256

static void mpiCountersOpenSet(struct hdmpiCounters *self)
{
	static atomic_bool wasSaid;
	unsigned int wanted = hdmpiOptions.counters;
	int before = errno, ret = hdPerfSetOpen(&self->set, wanted);

	self->wasTried = true;
	if (ret < 0 || self->set.error)
		hdPerfSayLoss(&hdmpiLogger, &wasSaid, "MPI calls have",
			      wanted & ~self->set.events,
			      ret < 0 ? -ret : self->set.error);
	errno = before;
}

/* Attributes of what was counted: "cycles", or "outsideCycles". */
static void mpiCountersWriteAttributes(hdTrace *trace,
				       const struct hdPerfPoint *from,
				       const struct hdPerfPoint *to,
				       const char *prefix)
{
	uint64_t amounts[HD_PERF_EVENTS];
	int64_t values[HD_PERF_EVENTS];
	unsigned int taken = hdPerfSetTake(from, to, amounts), count = 0;
	char keys[KEYS_SIZE] = "";

	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		char *name;

		if (!(taken >> i & 1))
			continue;
		if (*keys)
			strcat(keys, " ");
		name = keys + strlen(keys);
		strcat(name, prefix);
		strcat(name, hdPerfEventName(i));
		if (!*prefix)
			*name = (char)(*name - 'A' + 'a');
		values[count++] = (int64_t)amounts[i];
	}
	if (count)
		hdT_logAttributesInt64(trace, keys, values);
}

void hdmpiCountersBegin(struct hdmpiThread *self)
{
	struct hdmpiCounters *counters = &self->counters;

	if (!counters->wasTried)
		mpiCountersOpenSet(counters);
	if (counters->set.count == 0)
		return;
	hdPerfSetRead(&counters->set, &counters->begin);
	if (counters->hasBefore) {
		mpiCountersWriteAttributes(self->trace, &counters->before,
					   &counters->begin, "outside");
		hdPerfSetRead(&counters->set, &counters->begin);
	}
	counters->isInside = true;
}

void hdmpiCountersStop(struct hdmpiThread *self)
{
	struct hdmpiCounters *counters = &self->counters;

	if (counters->isInside && self->depth == 1)
		hdPerfSetRead(&counters->set, &counters->end);
}

void hdmpiCountersEnd(struct hdmpiThread *self)
{
	struct hdmpiCounters *counters = &self->counters;

	if (!counters->isInside || self->depth != 1)
		return;
	mpiCountersWriteAttributes(self->trace, &counters->begin,
				   &counters->end, "");
}

void hdmpiCountersLeave(struct hdmpiThread *self)
{
	struct hdmpiCounters *counters = &self->counters;

	/* A call that got no events leaves what it did to the next one. */
	if (!counters->isInside || self->depth != 0)
		return;
	counters->isInside = false;
	hdPerfSetRead(&counters->set, &counters->before);
	counters->hasBefore = true;
}

void hdmpiCountersClose(struct hdmpiCounters *self)
{
	hdPerfSetClose(&self->set, false);
	*self = (struct hdmpiCounters){ 0 };
}

void hdmpiCountersChild(struct hdmpiCounters *self)
{
	hdPerfSetClose(&self->set, true);
	*self = (struct hdmpiCounters){ .wasTried = true };
}
