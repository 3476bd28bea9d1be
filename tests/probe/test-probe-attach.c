/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Pages of other processes: what they can do to their reader. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "InstrumentationLibrary/attach/core/attach.h"
#include "common/clock.h"
#include "tests/probe/madepage.h"

#define MS INT64_C(1000000)

static void readPage(bool isReset, int64_t pageNs, unsigned int slots,
		     struct probeTable *table)
{
	const struct attachLimits limits = {
		.deadlineNs = hdMonotonicNow() + pageNs,
		.waitNs = pageNs / 2,
		.slots = slots,
	};
	char *error = NULL;
	struct attached *page =
		attach(getpid(), isReset, limits.deadlineNs, &error);

	g_assert_cmpstr(error, ==, NULL);
	g_assert_nonnull(page);
	memset(table, 0, sizeof(*table));
	g_assert_cmpint(attachedRead(page, isReset, &limits, table), ==, 0);
	detach(page);
}

static const struct probeRow *rowAt(const struct probeTable *table, guint i)
{
	return &g_array_index(table->rows, struct probeRow, i);
}

static off_t blocksOf(int fd)
{
	struct stat is;

	g_assert_cmpint(fstat(fd, &is), ==, 0);
	return is.st_blocks;
}

/* Four slots, of which one is being counted in for ever: its probe is unknown,
 * and the others are what they are. */
static void testUnknown(void)
{
	int fd = madePage(4, 4);
	struct probeTable table;

	for (unsigned int i = 0; i < 4; i++)
		madePut64(fd, MADE_AT(i, sums.count), 10 + i);
	madePut32(fd, MADE_AT(2, sequence), 7);
	readPage(false, 50 * MS, 100, &table);
	g_assert_cmpuint(table.skipped, ==, 1);
	g_assert_false(table.isCut);
	g_assert_cmpuint(table.rows->len, ==, 4);
	for (unsigned int i = 0; i < 4; i++) {
		g_assert_cmpint(rowAt(&table, i)->isUnknown, ==, i == 2);
		g_assert_cmpuint(rowAt(&table, i)->figures.instances, ==,
				 i == 2 ? 0 : 10 + i);
	}
	g_assert_true(isnan(rowAt(&table, 2)->figures.body_s));
	probeTableClear(&table);
	/* And is read as soon as it can be. */
	madePut32(fd, MADE_AT(2, sequence), 8);
	readPage(false, 50 * MS, 100, &table);
	g_assert_cmpuint(table.skipped, ==, 0);
	g_assert_cmpuint(rowAt(&table, 2)->figures.instances, ==, 12);
	probeTableClear(&table);
	close(fd);
}

/* Of all slots that there can be none can be read. */
static void testAllOdd(void)
{
	int fd = madePage(255, 20000);
	int64_t before;
	struct probeTable table;

	for (unsigned int i = 0; i < 20000; i++)
		madePut32(fd, MADE_AT(i, sequence), 1);
	before = hdMonotonicNow();
	readPage(false, 100 * MS, 20000, &table);
	/* Ten times that, for a machine that is busy. */
	g_assert_cmpint(hdMonotonicNow() - before, <, 1000 * MS);
	g_assert_cmpuint(table.skipped, >, 0);
	g_assert_cmpuint(table.rows->len, ==, 255);
	for (guint i = 0; i < table.rows->len; i++)
		g_assert_true(rowAt(&table, i)->isUnknown);
	probeTableClear(&table);
	close(fd);
}

/* Reading holes takes no memory, neither of the reader nor of the file. */
static void testHoles(void)
{
	int fd = madePage(255, HD_PROBE_SLOTS);
	off_t before = blocksOf(fd);
	struct probeTable table;

	readPage(false, 10000 * MS, HD_PROBE_SLOTS, &table);
	g_assert_cmpint(blocksOf(fd), ==, before);
	g_assert_false(table.isCut);
	probeTableClear(&table);
	close(fd);
}

/* More slots than are read: no sum is said to be whole. */
static void testTooMany(void)
{
	int fd = madePage(3, 100);
	struct probeTable table;

	readPage(false, 1000 * MS, 99, &table);
	g_assert_true(table.isCut);
	for (guint i = 0; i < table.rows->len; i++)
		g_assert_true(rowAt(&table, i)->isUnknown);
	probeTableClear(&table);
	readPage(false, 1000 * MS, 100, &table);
	g_assert_false(table.isCut);
	g_assert_false(rowAt(&table, 0)->isUnknown);
	probeTableClear(&table);
	close(fd);
}

/* Two slots of one probe, one of which cannot be read: no count is lost. */
static void testReset(void)
{
	int fd = madePage(1, 2);
	struct probeTable table;

	madePut64(fd, MADE_AT(0, sums.count), 5);
	madePut64(fd, MADE_AT(1, sums.count), 6);
	madePut32(fd, MADE_AT(1, sequence), 1);
	readPage(true, 20 * MS, 10, &table);
	g_assert_true(rowAt(&table, 0)->isUnknown);
	probeTableClear(&table);
	madePut32(fd, MADE_AT(1, sequence), 2);
	readPage(true, 20 * MS, 10, &table);
	g_assert_cmpuint(rowAt(&table, 0)->figures.instances, ==, 11);
	/* Since when that is, nobody knows. */
	g_assert_true(isnan(table.seconds));
	probeTableClear(&table);
	madePut64(fd, MADE_AT(0, sums.count), 8);
	readPage(true, 20 * MS, 10, &table);
	g_assert_true(table.seconds >= 0);
	g_assert_cmpuint(rowAt(&table, 0)->figures.instances, ==, 3);
	probeTableClear(&table);
	close(fd);
}

/* A name that is no text. */
static void testName(void)
{
	int fd = madePage(1, 1);
	struct probeTable table;

	madePut32(fd, (off_t)offsetof(struct hdProbeHead, entries[1].name),
		  0x00ff41c3);
	readPage(false, 100 * MS, 10, &table);
	g_assert_cmpstr(rowAt(&table, 0)->figures.name, ==, "?A?");
	probeTableClear(&table);
	close(fd);
}

/* Times that cannot be. */
static void testBegin(void)
{
	static const int64_t begins[] = { INT64_MIN, -1, INT64_MAX };
	int fd = madePage(1, 1);
	struct probeTable table;

	for (size_t i = 0; i < G_N_ELEMENTS(begins); i++) {
		madePut64(fd, offsetof(struct hdProbeHead, begin),
			  (uint64_t)begins[i]);
		readPage(false, 100 * MS, 10, &table);
		g_assert_true(isnan(table.seconds));
		probeTableClear(&table);
	}
	close(fd);
}

/* ---- A page that is honest -------------------------------------------------
 */

struct counting {
	struct hdProbeSlot *slot;
	atomic_bool isOver;
};

/* Count as libhdProbe does, as fast as it goes. */
static void *count(void *context)
{
	struct counting *counting = context;
	struct hdProbeSlot *slot = counting->slot;

	while (!atomic_load(&counting->isOver)) {
		atomic_fetch_add(&slot->sequence, 1);
		atomic_fetch_add(&slot->sums.count, 1);
		atomic_fetch_add(&slot->sums.timed, 1);
		atomic_fetch_add(&slot->sums.sum, 3);
		atomic_fetch_add(&slot->sequence, 1);
		/* About a million times a second. */
		for (volatile int i = 0; i < 300; i++) {
		}
	}
	return NULL;
}

/* Whether the thread that counts stands still in the middle of a change since a
 * number was read: it waits for a processor. */
static bool standsStill(const struct counting *counting, uint64_t since)
{
	return since % 2 == 1 &&
	       atomic_load(&counting->slot->sequence) == since;
}

static void testBusy(void)
{
	int fd = madePage(1, 1);
	size_t size = (size_t)madeSlotOffset(HD_PROBE_CHUNK);
	char *page =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct counting counting = { 0 };
	bool wasSkipped = false;
	pthread_t thread;
	int twice = 0;

	g_assert_true(page != MAP_FAILED);
	counting.slot = (void *)(page + madeSlotOffset(0));
	pthread_create(&thread, NULL, count, &counting);
	for (int i = 0; i < 500; i++) {
		struct probeTable table;
		const struct hdProbeFigures *is;
		uint64_t since = atomic_load(&counting.slot->sequence);

		readPage(false, 100 * MS, 10, &table);
		is = &rowAt(&table, 0)->figures;
		if (table.skipped && wasSkipped &&
		    !standsStill(&counting, since))
			twice++;
		wasSkipped = table.skipped;
		/* What belongs together does. */
		if (!wasSkipped) {
			g_assert_cmpuint(is->instances, ==, is->timed);
			g_assert_cmpfloat_with_epsilon(
				is->body_s, 3e-9 * (double)is->instances,
				1e-15 + 1e-12 * is->body_s);
		}
		probeTableClear(&table);
	}
	atomic_store(&counting.isOver, true);
	pthread_join(thread, NULL);
	/* It begins or ends to wait meanwhile, or sanitizers slow the reader.
	 */
	g_assert_cmpint(twice, <=, 250);
	munmap(page, size);
	close(fd);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/probe-attach/skipped counter is unknown, not zero",
			testUnknown);
	g_test_add_func("/probe-attach/page of odd counters ends in time",
			testAllOdd);
	g_test_add_func("/probe-attach/holes take no memory", testHoles);
	g_test_add_func("/probe-attach/limit of counters", testTooMany);
	g_test_add_func("/probe-attach/reset with a skipped counter",
			testReset);
	g_test_add_func("/probe-attach/name that is not UTF-8", testName);
	g_test_add_func("/probe-attach/impossible begin", testBegin);
	g_test_add_func("/probe-attach/busy page loses no two readings",
			testBusy);
	return g_test_run();
}
