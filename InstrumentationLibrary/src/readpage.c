/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a page. */
#include "config.h"

#include <string.h>

#include "InstrumentationLibrary/src/readpage.h"
#include "common/clock.h"

static const struct hdProbeEntry *entryAt(const struct hdProbeReader *self,
					  unsigned int i)
{
	const struct hdProbeEntry *entry = &self->head->entries[i];

	return atomic_load(&entry->state) == HD_PROBE_READY ? entry : NULL;
}

static int isSame(const struct hdProbeEntry *a, const struct hdProbeEntry *b)
{
	return a->kind == b->kind &&
	       strncmp(a->name, b->name, HDPROBE_NAME_SIZE) == 0 &&
	       strncmp(a->to, b->to, HDPROBE_NAME_SIZE) == 0;
}

static unsigned int slots(const struct hdProbeReader *self)
{
	unsigned int count = atomic_load(&self->head->slots);

	return count < HD_PROBE_SLOTS ? count : HD_PROBE_SLOTS;
}

void hdProbeReaderReset(struct hdProbeReader *self)
{
	atomic_store(&self->head->resetAt, hdMonotonicNow());
}

int hdProbeReaderIsFirst(const struct hdProbeReader *self, unsigned int i)
{
	const struct hdProbeEntry *entry = entryAt(self, i);

	if (!entry)
		return 0;
	for (unsigned int j = 1; j < i; j++) {
		const struct hdProbeEntry *other = entryAt(self, j);

		if (other && isSame(entry, other))
			return 0;
	}
	return 1;
}

void hdProbeReaderTotals(const struct hdProbeReader *self, unsigned int i,
			 uint32_t lane, int isReset,
			 struct hdProbeTotals *totals)
{
	const struct hdProbeEntry *entry = &self->head->entries[i];
	unsigned int count = slots(self);

	hdProbeTotalsClear(totals);
	for (unsigned int j = 0; j < count; j++) {
		struct hdProbeSlot *slot = self->slotAt(self->context, j);
		uint32_t probe = slot ? atomic_load(&slot->probe) : 0;
		const struct hdProbeEntry *other;

		if (probe == 0 || probe >= HD_PROBE_PROBES ||
		    (lane != HD_PROBE_ALL && atomic_load(&slot->lane) != lane))
			continue;
		other = &self->head->entries[probe];
		if (probe == i ||
		    (entryAt(self, probe) && isSame(entry, other)))
			hdProbeTotalsAdd(totals, slot,
					 hdProbeGet(&entry->halfLife), isReset);
	}
}

static void copyName(char *to, const char *from)
{
	memcpy(to, from, HDPROBE_NAME_SIZE);
	to[HDPROBE_NAME_SIZE - 1] = '\0';
}

void hdProbeReaderFigures(const struct hdProbeReader *self, unsigned int i,
			  const struct hdProbeTotals *totals,
			  struct hdProbeFigures *figures)
{
	const struct hdProbeEntry *entry = &self->head->entries[i];

	copyName(figures->name, entry->name);
	copyName(figures->to, entry->to);
	figures->kind = entry->kind;
	hdProbeTotalsFigures(totals, self->head->tickNs, figures);
}
