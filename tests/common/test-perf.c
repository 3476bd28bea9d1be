/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of perf_event_open(): what is asked of the kernel, estimates where
 * counters take turns, and the real kernel, where it allows that: the task
 * clock, which needs no hardware, and instructions of a loop, where there are
 * some. The messages name what ran. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include <glib.h>

#include "common/perf.h"

/* ---- A kernel that the test makes ------------------------------------------
 */

static struct perf_event_attr asked;
static int askedPid, askedCpu, closed;
static uint64_t shows[3];
static int error;

static int fakeOpen(const struct perf_event_attr *attr, int pid, int cpu,
		    int leader)
{
	g_assert_cmpint(leader, ==, -1);
	memcpy(&asked, attr, sizeof(asked));
	askedPid = pid;
	askedCpu = cpu;
	return error ? -error : 42;
}

static int fakeRead(int counter, uint64_t *numbers, size_t count)
{
	g_assert_cmpuint(count, ==, 3);
	g_assert_cmpint(counter, ==, 42);
	memcpy(numbers, shows, sizeof(shows));
	return -error;
}

static void fakeClose(int counter)
{
	closed = counter;
}

static const struct hdPerfKernel fake = { .open = fakeOpen,
					  .read = fakeRead,
					  .close = fakeClose };

static void asks(void)
{
	struct hdPerfReading reading;

	hdPerfFake = &fake;
	g_assert_cmpint(hdPerfOpen(PERF_TYPE_HARDWARE,
				   PERF_COUNT_HW_INSTRUCTIONS, -1, 3),
			==, 42);
	g_assert_cmpuint(asked.type, ==, 0);
	g_assert_cmpuint(asked.config, ==, 1);
	g_assert_cmpuint(asked.size, ==, sizeof(asked));
	/* By perf_event_open(2): 1 is the time enabled, 2 the time running. */
	g_assert_cmpuint(asked.read_format, ==, 3);
	g_assert_false(asked.disabled);
	g_assert_false(asked.exclude_kernel);
	g_assert_cmpint(askedPid, ==, -1);
	g_assert_cmpint(askedCpu, ==, 3);
	shows[0] = 7;
	shows[1] = 20;
	shows[2] = 10;
	g_assert_cmpint(hdPerfRead(42, &reading), ==, 0);
	g_assert_cmpuint(reading.value, ==, 7);
	g_assert_cmpuint(reading.enabledNs, ==, 20);
	g_assert_cmpuint(reading.runningNs, ==, 10);
	error = EIO;
	g_assert_cmpint(hdPerfRead(42, &reading), ==, -EIO);
	g_assert_cmpint(hdPerfOpen(0, 0, 0, -1), ==, -EIO);
	error = 0;
	hdPerfClose(42);
	g_assert_cmpint(closed, ==, 42);
	hdPerfFake = NULL;
}

static void expectTake(struct hdPerfReading *before, struct hdPerfReading now,
		       uint64_t expected)
{
	g_assert_cmpuint(hdPerfTake(before, &now), ==, expected);
}

/* By hand: 100 in a quarter of the time are 400. */
static void turns(void)
{
	struct hdPerfReading before = { 1000, 500, 500 };

	expectTake(&before, (struct hdPerfReading){ 1100, 900, 600 }, 400);
	/* All the time. */
	expectTake(&before, (struct hdPerfReading){ 1110, 1000, 700 }, 10);
	/* It had no turn: the next time has both, 50 in half of 200. */
	expectTake(&before, (struct hdPerfReading){ 1110, 1100, 700 }, 0);
	expectTake(&before, (struct hdPerfReading){ 1160, 1200, 800 }, 100);
	/* More than 64 bits on the way, and numbers that wrap. */
	before = (struct hdPerfReading){ UINT64_MAX - 9, UINT64_MAX - 9,
					 UINT64_MAX - 9 };
	expectTake(&before,
		   (struct hdPerfReading){ UINT64_C(1) << 60, UINT64_C(1) << 62,
					   UINT64_C(1) << 61 },
		   /* (2^60 + 10) (2^62 + 10) / (2^61 + 10), rounded down, by
		    * another program. */
		   (UINT64_C(1) << 61) + 14);
}

static void reasons(void)
{
	g_assert_nonnull(strstr(hdPerfReason(EACCES), "paranoid"));
	g_assert_nonnull(strstr(hdPerfReason(EPERM), "container"));
	g_assert_nonnull(strstr(hdPerfReason(ENOENT), "virtual machine"));
	g_assert_nonnull(strstr(hdPerfReason(ENOSYS), "perf_event_open"));
	g_assert_nonnull(strstr(hdPerfReason(EMFILE), "open files"));
	g_assert_cmpstr(hdPerfReason(EIO), ==, g_strerror(EIO));
}

/* ---- The real kernel -------------------------------------------------------
 */

static uint64_t cpuTime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What the kernel counts of this thread lies between what two readings of its
 * CPU time inside, and two outside, say. */
static void taskClock(void)
{
	struct hdPerfReading before, now;
	uint64_t outer, inner, ticks;
	int counter =
		hdPerfOpen(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);

	if (counter < 0) {
		g_test_skip(hdPerfReason(-counter));
		return;
	}
	outer = cpuTime();
	g_assert_cmpint(hdPerfRead(counter, &before), ==, 0);
	inner = cpuTime();
	while (cpuTime() - inner < 20000000) {
	}
	inner = cpuTime() - inner;
	g_assert_cmpint(hdPerfRead(counter, &now), ==, 0);
	outer = cpuTime() - outer;
	hdPerfClose(counter);
	ticks = hdPerfTake(&before, &now);
	g_test_message("the kernel's task clock: %" G_GUINT64_FORMAT
		       " ns, CPU time from %" G_GUINT64_FORMAT
		       " to %" G_GUINT64_FORMAT " ns",
		       ticks, inner, outer);
	/* Their clocks are not the same: 5 %. */
	g_assert_cmpuint(ticks, >=, inner - inner / 20);
	g_assert_cmpuint(ticks, <=, outer + outer / 20);
}

#define ROUNDS UINT64_C(20000000)

/* Two instructions a round at least, and eight at most, whatever the compiler.
 */
static void instructions(void)
{
	struct hdPerfReading before, now;
	uint64_t count;
	int counter = hdPerfOpen(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
				 0, -1);

	if (counter < 0) {
		g_test_skip(hdPerfReason(-counter));
		return;
	}
	g_assert_cmpint(hdPerfRead(counter, &before), ==, 0);
	for (uint64_t i = 0; i < ROUNDS; i++)
		__asm__ volatile("" : "+r"(i));
	g_assert_cmpint(hdPerfRead(counter, &now), ==, 0);
	hdPerfClose(counter);
	count = hdPerfTake(&before, &now);
	g_test_message("the processor's instructions: %" G_GUINT64_FORMAT,
		       count);
	g_assert_cmpuint(count, >=, 2 * ROUNDS);
	g_assert_cmpuint(count, <=, 9 * ROUNDS);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf/asks", asks);
	g_test_add_func("/perf/turns", turns);
	g_test_add_func("/perf/reasons", reasons);
	g_test_add_func("/perf/task-clock", taskClock);
	g_test_add_func("/perf/instructions", instructions);
	return g_test_run();
}
