/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading all probes again and again, without a reset: what they were at the
 * last reading is kept here. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "InstrumentationLibrary/src/core/memory.h"
#include "InstrumentationLibrary/src/readpage.h"

struct hdProbeWatch {
	uint32_t pid; /* Whose numbers these are. */
	/* At the last reading, and room for this one. */
	struct hdProbeTotals *before[HD_PROBE_PROBES];
	struct hdProbeTotals *now[HD_PROBE_PROBES];
};

/* Memory for probe i, with nothing in it yet: 0 or a negative errno. */
static int probeWatchPrepare(struct hdProbeWatch *self, unsigned int i)
{
	if (!self->now[i])
		self->now[i] = malloc(sizeof(*self->now[i]));
	if (!self->now[i])
		return -ENOMEM;
	hdProbeTotalsClear(self->now[i]);
	if (self->before[i])
		return 0;
	self->before[i] = malloc(sizeof(*self->before[i]));
	if (!self->before[i])
		return -ENOMEM;
	hdProbeTotalsClear(self->before[i]);
	return 0;
}

static void probeWatchForget(struct hdProbeWatch *self)
{
	for (unsigned int i = 0; i < HD_PROBE_PROBES; i++) {
		free(self->before[i]);
		free(self->now[i]);
		self->before[i] = self->now[i] = NULL;
	}
}

/* Add up all probes, with one look at each slot: there are many, and the
 * numbers are locked. */
static void probeWatchAddUp(struct hdProbeWatch *self,
			    const struct hdProbeReader *page,
			    const unsigned int *firsts)
{
	unsigned int count = hdProbeReaderSlots(page);

	for (unsigned int j = 0; j < count; j++) {
		struct hdProbeSlot *slot = page->slotAt(page->context, j);
		unsigned int i = firsts[hdProbeReaderProbeOf(slot)];

		/* Decayed means are those of all time: none is asked for. */
		if (i)
			hdProbeTotalsAdd(self->now[i], slot, 0,
					 HD_PROBE_SINCE_BEGIN);
	}
}

/* What came since the last reading, which this one is from now on. */
static void probeWatchAdvance(struct hdProbeWatch *self,
			      const struct hdProbeReader *page, unsigned int i,
			      struct hdProbeFigures *figures)
{
	struct hdProbeTotals *before = self->before[i];
	struct hdProbeTotals new = *self->now[i];

	hdProbeTotalsSubtract(&new, before);
	new.weight = 0;
	self->before[i] = self->now[i];
	self->now[i] = before;
	if (figures)
		hdProbeReaderFigures(page, i, &new, figures);
}

static int watchReadPage(struct hdProbeWatch *self, struct hdProbeReader *page,
			 struct hdProbeFigures *figures, size_t capacity)
{
	unsigned int firsts[HD_PROBE_PROBES];
	size_t found = 0;
	int ret = 0;

	hdProbeReaderFirsts(page, firsts);
	for (unsigned int i = 1; ret == 0 && i < HD_PROBE_PROBES; i++) {
		if (firsts[i] == i)
			ret = probeWatchPrepare(self, i);
	}
	if (ret < 0)
		return ret;
	probeWatchAddUp(self, page, firsts);
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		if (firsts[i] != i)
			continue;
		if (found < capacity)
			probeWatchAdvance(self, page, i,
					  figures ? &figures[found] : NULL);
		found++;
	}
	return (int)found;
}

static int readLocked(struct hdProbeWatch *self, struct hdProbeFigures *figures,
		      size_t capacity)
{
	struct hdProbeReader page = { .slotAt = hdProbeOwnSlotAt };
	int locked, ret;

	hdProbeSetUp();
	locked = hdProbeLock(0);
	if (locked < 0) {
		errno = -locked;
		return -1;
	}
	page.head = hdProbePage;
	if (self->pid != page.head->pid)
		probeWatchForget(self);
	self->pid = page.head->pid;
	ret = watchReadPage(self, &page, figures, capacity);
	hdProbeUnlock(locked);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}

struct hdProbeWatch *hdProbe_watch(void)
{
	struct hdProbeWatch *self = calloc(1, sizeof(*self));

	if (self && readLocked(self, NULL, SIZE_MAX) >= 0)
		return self;
	hdProbe_unwatch(self);
	return NULL;
}

int hdProbe_watchRead(struct hdProbeWatch *watch,
		      struct hdProbeFigures *figures, size_t capacity)
{
	return readLocked(watch, figures, capacity);
}

void hdProbe_unwatch(struct hdProbeWatch *watch)
{
	if (watch)
		probeWatchForget(watch);
	free(watch);
}
