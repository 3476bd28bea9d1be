/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slots of a page of another process; see slots.h. */
#include "config.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "InstrumentationLibrary/attach/slots.h"
#include "common/clock.h"
#include "common/readat.h"

/* Looks at a slot without waiting: a thread that counts a million times a
 * second spoils some of them, and one of these succeeds. */
#define SLOTS_TRIES 64
/* How long the reader sleeps while a thread counts. */
#define SLOTS_NAP_NS 1000000

/* Members that belong together stand before the histogram and behind it. */
#define SLOTS_BEFORE offsetof(struct hdProbeSlot, sums.histogram)
#define SLOTS_BEHIND offsetof(struct hdProbeSlot, sums.events)
#define SLOTS_BASE offsetof(struct hdProbeSlot, base)

/* ---- Bytes -----------------------------------------------------------------
 */

int slotsGet(int fd, void *to, size_t size, off_t at)
{
	int ret = hdReadAt(fd, to, size, (uint64_t)at);

	return ret == -ENODATA ? -EBADMSG : ret;
}

static off_t slotsOffset(unsigned int i)
{
	return (off_t)HD_PROBE_HEAD_SIZE +
	       (off_t)(i / HD_PROBE_CHUNK) * (off_t)HD_PROBE_CHUNK_SIZE +
	       (off_t)(i % HD_PROBE_CHUNK) * (off_t)sizeof(struct hdProbeSlot);
}

/* Read a part of a slot into the copy; whether it is there. */
static bool slotsPart(struct attached *self, unsigned int i, size_t from,
		      size_t to)
{
	return slotsGet(self->fd, (char *)&self->slot + from, to - from,
			slotsOffset(i) + (off_t)from) == 0;
}

/* ---- Which slots are in use ------------------------------------------------
 */

static gint slotsCompare(gconstpointer a, gconstpointer b)
{
	const struct place *x = a, *y = b;

	if (x->probe != y->probe)
		return x->probe < y->probe ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* The first slot from i on that is not in a hole; UINT_MAX: none. *end: where
 * the next hole begins. */
static unsigned int slotsSkipHole(int fd, unsigned int i, off_t *end)
{
	off_t at = slotsOffset(i), data = lseek(fd, at, SEEK_DATA);
	off_t chunk;

	if (data < 0)
		return UINT_MAX;
	*end = lseek(fd, data, SEEK_HOLE);
	chunk = (data - (off_t)HD_PROBE_HEAD_SIZE) /
		(off_t)HD_PROBE_CHUNK_SIZE * HD_PROBE_CHUNK;
	return chunk > (off_t)i ? (unsigned int)chunk : i;
}

/* Take a slot into the list if it is in use; false if it is not there. */
static bool slotsTake(struct attached *self, unsigned int i,
		      const unsigned int *firsts, GArray *places)
{
	struct place place = { .slot = i };

	if (!slotsPart(self, i, 0, offsetof(struct hdProbeSlot, resets)))
		return false;
	place.probe = firsts[hdProbeReaderProbeOf(&self->slot)];
	place.lane = atomic_load(&self->slot.lane);
	if (place.probe && place.lane <= HD_PROBE_SHARED)
		g_array_append_val(places, place);
	return true;
}

GArray *slotsFind(struct attached *self, const unsigned int *firsts,
		  bool *isCut)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct place));
	unsigned int count = hdProbeReaderSlots(&self->reader), i;
	off_t end = 0;

	*isCut = false;
	for (i = 0; i < count && !*isCut; i++) {
		if (slotsOffset(i) >= end)
			i = slotsSkipHole(self->fd, i, &end);
		if (i >= count || !slotsTake(self, i, firsts, places))
			break;
		*isCut = i + 1 < count &&
			 (places->len >= self->limits.slots ||
			  hdMonotonicNow() > self->limits.deadlineNs);
	}
	g_array_sort(places, slotsCompare);
	return places;
}

/* ---- Reading one -----------------------------------------------------------
 */

/* Read what belongs together; whether it does. */
static bool slotsLook(struct attached *self, unsigned int i)
{
	off_t at =
		slotsOffset(i) + (off_t)offsetof(struct hdProbeSlot, sequence);
	uint32_t before, after;

	if (!slotsPart(self, i, 0, SLOTS_BEFORE) ||
	    !slotsPart(self, i, SLOTS_BEHIND, SLOTS_BASE) ||
	    slotsGet(self->fd, &after, sizeof(after), at) < 0)
		return false;
	before = atomic_load(&self->slot.sequence);
	return !(before & 1) && before == after;
}

static bool slotsLookOften(struct attached *self, unsigned int i)
{
	for (int k = 0; k < SLOTS_TRIES; k++) {
		if (slotsLook(self, i))
			return true;
	}
	return false;
}

/* Wait a little of what may be waited; whether there was anything left of it.
 */
static bool slotsNap(struct attached *self)
{
	const struct timespec nap = { .tv_nsec = SLOTS_NAP_NS };
	int64_t before = hdMonotonicNow();

	if (self->limits.waitNs <= 0 ||
	    before + SLOTS_NAP_NS > self->limits.deadlineNs)
		return false;
	nanosleep(&nap, NULL);
	self->limits.waitNs -= hdMonotonicNow() - before;
	return true;
}

bool slotsRead(struct attached *self, unsigned int i)
{
	if (hdMonotonicNow() > self->limits.deadlineNs)
		return false;
	while (!slotsLookOften(self, i)) {
		if (!slotsNap(self))
			return false;
	}
	return slotsPart(self, i, SLOTS_BEFORE, SLOTS_BEHIND) &&
	       slotsPart(self, i, SLOTS_BASE, sizeof(self->slot));
}

/* ---- Reset -----------------------------------------------------------------
 */

static void slotsPut(struct attached *self, unsigned int i, size_t at,
		     const void *from, size_t size)
{
	ssize_t ret = pwrite(self->fd, from, size, slotsOffset(i) + (off_t)at);

	(void)ret;
}

void slotsReset(struct attached *self, unsigned int i)
{
	slotsPut(self, i, SLOTS_BASE, &self->slot.base,
		 sizeof(self->slot.base));
	slotsPut(self, i, offsetof(struct hdProbeSlot, resets),
		 &self->slot.resets, sizeof(self->slot.resets));
}

void slotsUndo(struct attached *self, const struct slotsBase *before)
{
	slotsPut(self, before->slot, SLOTS_BASE, &before->base,
		 sizeof(before->base));
}
