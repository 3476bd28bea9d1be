/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a page. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "InstrumentationLibrary/src/readpage.h"
#include "common/clock.h"

static const struct hdProbeEntry *pageReaderEntryAt(
	const struct hdProbeReader *self, unsigned int i)
{
	const struct hdProbeEntry *entry = &self->head->entries[i];

	return atomic_load(&entry->state) == HD_PROBE_READY ? entry : NULL;
}

static int pageReaderIsSame(const struct hdProbeEntry *a,
			    const struct hdProbeEntry *b)
{
	return a->kind == b->kind &&
	       strncmp(a->name, b->name, HDPROBE_NAME_SIZE) == 0 &&
	       strncmp(a->to, b->to, HDPROBE_NAME_SIZE) == 0;
}

unsigned int hdProbeReaderSlots(const struct hdProbeReader *self)
{
	unsigned int count = atomic_load(&self->head->slots);

	return count < HD_PROBE_SLOTS ? count : HD_PROBE_SLOTS;
}

int hdProbeReaderLock(int fd, int isReset)
{
	struct flock lock = { .l_type = isReset ? F_WRLCK : F_RDLCK,
			      .l_whence = SEEK_SET };

	while (fcntl(fd, F_OFD_SETLKW, &lock) != 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

void hdProbeReaderReset(struct hdProbeReader *self)
{
	atomic_store(&self->head->resetAt, hdMonotonicNow());
}

void hdProbeReaderFirsts(const struct hdProbeReader *self, unsigned int *firsts)
{
	firsts[0] = 0;
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		const struct hdProbeEntry *entry = pageReaderEntryAt(self, i);
		unsigned int first = 1;

		while (entry && first < i &&
		       !(firsts[first] == first &&
			 pageReaderIsSame(entry, &self->head->entries[first])))
			first++;
		firsts[i] = entry ? first : 0;
	}
}

unsigned int hdProbeReaderProbeOf(struct hdProbeSlot *slot)
{
	uint32_t probe = slot ? atomic_load(&slot->probe) : 0;

	return probe < HD_PROBE_PROBES ? probe : 0;
}

void hdProbeReaderTotals(const struct hdProbeReader *self,
			 const unsigned int *firsts, unsigned int i,
			 enum hdProbeSince since, struct hdProbeTotals *totals)
{
	unsigned int count = hdProbeReaderSlots(self);

	hdProbeTotalsClear(totals);
	for (unsigned int j = 0; j < count; j++) {
		struct hdProbeSlot *slot = self->slotAt(self->context, j);

		if (firsts[hdProbeReaderProbeOf(slot)] == i)
			hdProbeTotalsAdd(
				totals, slot,
				hdProbeGet(&self->head->entries[i].halfLife),
				since);
	}
}

static void pageReaderCopyName(char *to, const char *from)
{
	memcpy(to, from, HDPROBE_NAME_SIZE);
	to[HDPROBE_NAME_SIZE - 1] = '\0';
}

void hdProbeReaderFigures(const struct hdProbeReader *self, unsigned int i,
			  const struct hdProbeTotals *totals,
			  struct hdProbeFigures *figures)
{
	const struct hdProbeEntry *entry = &self->head->entries[i];

	pageReaderCopyName(figures->name, entry->name);
	pageReaderCopyName(figures->to, entry->to);
	figures->kind = entry->kind;
	hdProbeTotalsFigures(totals, self->head->tickNs, figures);
}
