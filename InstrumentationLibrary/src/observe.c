/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is called at measurements. */
#include "config.h"

#include <errno.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/counters.h"
#include "InstrumentationLibrary/src/core/memory.h"
#include "InstrumentationLibrary/src/core/observe.h"

static _Atomic(const struct hdProbeObserver *) observer;

void hdProbeSetEvery(struct hdProbeEntry *entry, uint64_t bits, uint64_t mask)
{
	uint64_t was = atomic_load(&entry->every);

	while (!atomic_compare_exchange_weak(&entry->every, &was,
					     (was & ~mask) | bits)) {
	}
}

void hdProbeObserveNew(struct hdProbeEntry *entry)
{
	const struct hdProbeObserver *who = atomic_load(&observer);

	if (who && who->wants(entry->name, entry->to, entry->kind))
		hdProbeSetEvery(entry, HD_PROBE_OBSERVED, HD_PROBE_OBSERVED);
}

void hdProbeObserveBegin(const struct hdProbeEntry *entry)
{
	const struct hdProbeObserver *who = atomic_load(&observer);

	if (who)
		who->begin(entry->name, entry->kind);
}

void hdProbeObserveEnd(const struct hdProbeEntry *entry)
{
	const struct hdProbeObserver *who = atomic_load(&observer);

	if (who)
		who->end(entry->name, entry->kind);
}

void hdProbe_observedBody(struct hdProbeSpan *span, int isBegin)
{
	const struct hdProbeObserver *who = atomic_load(&observer);
	bool isObserved = who && (span->dispatch & HD_PROBE_BEGUN_OBSERVED);
	uint64_t start = span->dispatch & ~HD_PROBE_BEGUN_MORE;
	uint64_t before = hdProbeClockRead(), after;

	if (isObserved && isBegin)
		who->body(1);
	if (start > 1)
		hdProbeCountersBody(start, isBegin);
	if (isObserved && !isBegin)
		who->body(0);
	after = hdProbeClockRead();
	/* As if the dispatch had begun later: it has not lasted so long. */
	if (start > 1 && after > before) {
		hdProbeCountersMove(start, after - before);
		span->dispatch += after - before;
	}
}

int hdProbe_observe(const struct hdProbeObserver *new)
{
	const struct hdProbeObserver *none = NULL;

	hdProbeSetUp();
	if (!new)
		atomic_store(&observer, NULL);
	else if (!atomic_compare_exchange_strong(&observer, &none, new)) {
		errno = EBUSY;
		return -1;
	}
	hdProbeSetEvery(&hdProbePage->entries[0], new ? HD_PROBE_OBSERVED : 0,
			HD_PROBE_OBSERVED);
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		struct hdProbeEntry *entry = &hdProbePage->entries[i];

		if (!new)
			hdProbeSetEvery(entry, 0, HD_PROBE_OBSERVED);
		else if (atomic_load(&entry->state) == HD_PROBE_READY)
			hdProbeObserveNew(entry);
	}
	return 0;
}
