/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the page of a process into a table. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "InstrumentationLibrary/attach/slots.h"
#include "InstrumentationLibrary/src/clock.h"
#include "common/clock.h"

/* How long the lock of a page is waited for. */
#define TABLE_LOCK_NS (HD_NS_PER_S / 10)

/* Lock the page, unless its process keeps it locked for longer than any reader
 * needs. */
static int tableLock(struct attached *self, bool isReset)
{
	int64_t deadline =
		MIN(hdMonotonicNow() + TABLE_LOCK_NS, self->limits.deadlineNs);
	struct flock lock = { .l_type = isReset ? F_WRLCK : F_RDLCK,
			      .l_whence = SEEK_SET };

	while (fcntl(self->fd, F_OFD_SETLK, &lock) != 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -errno;
		if (hdMonotonicNow() > deadline)
			return -EBUSY;
		poll(NULL, 0, 1);
	}
	return 0;
}

static void tableUnlock(struct attached *self)
{
	struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	fcntl(self->fd, F_OFD_SETLK, &lock);
}

/* What is not known is not zero. */
static void tableForget(struct hdProbeFigures *figures)
{
	figures->instances = figures->timed = figures->missed = 0;
	figures->body_s = figures->dispatch_s = figures->mean_s = NAN;
	figures->variance = figures->min_s = figures->max_s = NAN;
	figures->p50_s = figures->p99_s = figures->dispatch_mean_s = NAN;
	figures->dispatch_variance = figures->decayed_mean_s = NAN;
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++)
		figures->events[i] = NAN;
}

/* ---- A lane ----------------------------------------------------------------
 */

/* What is being read. */
struct reading {
	struct attached *page;
	const GArray *places;
	guint at; /* The next one of them. */
	enum hdProbeSince since;
	GArray *resets; /* Of this row: struct slotsBase; NULL: no reset. */
	struct probeTable *table;
};

static const struct place *placeNow(const struct reading *reading)
{
	return reading->at < reading->places->len
		       ? &g_array_index(reading->places, struct place,
					reading->at)
		       : NULL;
}

/* Add the slot that was read, and reset it if that is asked for. */
static void laneTake(struct reading *reading, unsigned int slot,
		     uint64_t halfLife, struct hdProbeTotals *part)
{
	struct attached *page = reading->page;
	struct slotsBase before = { .slot = slot };

	if (reading->resets) {
		memcpy(&before.base, &page->slot.base, sizeof(before.base));
		g_array_append_val(reading->resets, before);
	}
	hdProbeTotalsAdd(part, &page->slot, halfLife, reading->since);
	if (reading->resets)
		slotsReset(page, slot);
}

/* Add up the slots of a lane; whether all were read. */
static bool laneAdd(struct reading *reading, const struct place *first,
		    uint64_t halfLife, struct hdProbeTotals *part)
{
	const struct place *place;
	unsigned int skipped = 0;

	for (; (place = placeNow(reading)); reading->at++) {
		if (place->probe != first->probe || place->lane != first->lane)
			break;
		if (slotsRead(reading->page, place->slot))
			laneTake(reading, place->slot, halfLife, part);
		else
			skipped++;
	}
	reading->table->skipped += skipped;
	return skipped == 0;
}

/* Who counts in a lane. */
static void laneThread(const struct attached *page, struct lanePart *lane)
{
	const struct hdProbeLane *thread;

	if (lane->lane >= HD_PROBE_SHARED)
		return;
	thread = &page->head->lanes[lane->lane];
	lane->thread = atomic_load(&thread->thread);
	lane->threads = atomic_load(&thread->threads);
}

/* Read the slots of a lane, and what is known of it. */
static void laneRead(struct reading *reading, struct hdProbeTotals *all,
		     struct probeRow *row)
{
	const struct place first = *placeNow(reading);
	struct attached *page = reading->page;
	uint64_t halfLife =
		hdProbeGet(&page->head->entries[first.probe].halfLife);
	struct lanePart one = { .lane = first.lane };
	struct hdProbeTotals part;

	hdProbeTotalsClear(&part);
	one.isUnknown = !laneAdd(reading, &first, halfLife, &part);
	row->isUnknown = row->isUnknown || one.isUnknown;
	hdProbeTotalsMerge(all, &part, halfLife);
	if (!page->limits.hasLanes || (!part.count && !one.isUnknown))
		return;
	laneThread(page, &one);
	hdProbeReaderFigures(&page->reader, first.probe, &part, &one.figures);
	if (one.isUnknown)
		tableForget(&one.figures);
	g_array_append_val(row->lanes, one);
}

/* ---- All -------------------------------------------------------------------
 */

/* A part of a probe is unknown, and so is its sum. Nothing that this sum lacks
 * is reset: the next reading has it. */
static void rowForget(struct reading *reading, struct probeRow *row)
{
	tableForget(&row->figures);
	if (!reading->resets)
		return;
	for (guint i = 0; i < reading->resets->len; i++)
		slotsUndo(reading->page,
			  &g_array_index(reading->resets, struct slotsBase, i));
	for (guint i = 0; i < row->lanes->len; i++) {
		struct lanePart *lane =
			&g_array_index(row->lanes, struct lanePart, i);

		lane->isUnknown = true;
		tableForget(&lane->figures);
	}
}

/* Names are what the process says: each byte that is no UTF-8 becomes "?". */
static void rowName(char *name)
{
	const char *end;

	while (!g_utf8_validate(name, -1, &end))
		name[end - name] = '?';
}

static void rowRead(struct reading *reading, unsigned int probe)
{
	struct probeRow row = { .isUnknown = reading->table->isCut };
	struct hdProbeTotals all;

	row.lanes = g_array_new(FALSE, TRUE, sizeof(struct lanePart));
	hdProbeTotalsClear(&all);
	if (reading->resets)
		g_array_set_size(reading->resets, 0);
	while (placeNow(reading) && placeNow(reading)->probe == probe)
		laneRead(reading, &all, &row);
	hdProbeReaderFigures(&reading->page->reader, probe, &all, &row.figures);
	rowName(row.figures.name);
	rowName(row.figures.to);
	if (row.isUnknown)
		rowForget(reading, &row);
	g_array_append_val(reading->table->rows, row);
}

static void tableRead(struct attached *self, bool isReset,
		      struct probeTable *table)
{
	struct reading reading = { .page = self, .table = table };
	unsigned int firsts[HD_PROBE_PROBES];
	GArray *places;

	reading.since =
		isReset ? HD_PROBE_SINCE_RESET_AND_RESET : HD_PROBE_SINCE_RESET;
	if (isReset)
		reading.resets =
			g_array_new(FALSE, FALSE, sizeof(struct slotsBase));
	hdProbeReaderFirsts(&self->reader, firsts);
	places = slotsFind(self, firsts, &table->isCut);
	reading.places = places;
	table->rows = g_array_new(FALSE, TRUE, sizeof(struct probeRow));
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		if (firsts[i] == i)
			rowRead(&reading, i);
	}
	g_array_unref(places);
	if (reading.resets)
		g_array_unref(reading.resets);
}

/* In the place of a time. */
#define TABLE_UNKNOWN INT64_C(-1)

/* Seconds from a time that the process has written; NaN: not one of the past.
 */
static double tableSeconds(int64_t since, int64_t now)
{
	return since >= 0 && since <= now ? (double)(now - since) / 1e9 : NAN;
}

static void tableHead(struct attached *self, int64_t now,
		      struct probeTable *table)
{
	const struct hdProbeHead *head = self->head;
	int64_t since = atomic_load(&head->resetAt);

	table->clock = hdProbeClockWord(head->clock);
	if (!table->clock)
		table->clock = "unknown";
	table->seconds = tableSeconds(since ? since : head->begin, now);
	table->lost = hdProbeGet(&head->lost);
	table->outside = atomic_load(&head->outside);
}

/* Say in the page when it was reset: of one that was reset in part, no time is
 * right for all counters. */
static void tableReset(struct attached *self, int64_t now,
		       const struct probeTable *table)
{
	ssize_t ret;

	if (table->skipped > 0 || table->isCut)
		now = TABLE_UNKNOWN;
	ret = pwrite(self->fd, &now, sizeof(now),
		     offsetof(struct hdProbeHead, resetAt));

	(void)ret;
}

int attachedRead(struct attached *self, bool isReset,
		 const struct attachLimits *limits, struct probeTable *table)
{
	int64_t now;
	int ret;

	self->limits = *limits;
	ret = tableLock(self, isReset);
	if (ret < 0)
		return ret;
	ret = slotsGet(self->fd, self->head, sizeof(*self->head), 0);
	now = hdMonotonicNow();
	if (ret == 0) {
		tableHead(self, now, table);
		tableRead(self, isReset, table);
		if (isReset)
			tableReset(self, now, table);
	}
	tableUnlock(self);
	return ret;
}

void probeTableClear(struct probeTable *table)
{
	for (guint i = 0; table->rows && i < table->rows->len; i++)
		g_array_free(
			g_array_index(table->rows, struct probeRow, i).lanes,
			TRUE);
	if (table->rows)
		g_array_free(table->rows, TRUE);
	table->rows = NULL;
}
