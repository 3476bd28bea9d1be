/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of a thread: with a kernel and a processor of the test's, all that can
 * happen; and with the real ones, as far as they are there, instructions of a
 * loop that is counted by hand, and a walk whose cache misses are known. The
 * messages name what ran. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <glib.h>

#include "common/perfset.h"
#include "tests/lib/fakeperf.h"

#define BIT(event) (1U << (event))
#define THREE                                              \
	(BIT(HD_PERF_CYCLES) | BIT(HD_PERF_INSTRUCTIONS) | \
	 BIT(HD_PERF_CACHE_MISSES))

static struct hdPerfSet set;
static struct hdPerfPoint before, after;
static uint64_t amounts[HD_PERF_EVENTS];

static void begin(unsigned int wanted)
{
	g_assert_cmpint(hdPerfSetOpen(&set, wanted), ==, 0);
	hdPerfSetRead(&set, &before);
}

/* Events that were taken since; then they begin anew. */
static unsigned int take(void)
{
	unsigned int taken;

	hdPerfSetRead(&set, &after);
	taken = hdPerfSetTake(&before, &after, amounts);
	before = after;
	return taken;
}

static void end(void)
{
	hdPerfSetClose(&set, false);
	g_assert_cmpint(fakePerfOpen(), ==, 0);
	hdPerfFake = NULL;
}

/* ---- Words -----------------------------------------------------------------
 */

static void words(void)
{
	unsigned int events = 99;

	g_assert_false(hdPerfEventsParse("", &events));
	g_assert_false(hdPerfEventsParse("cycles,", &events));
	g_assert_false(hdPerfEventsParse("cycle", &events));
	g_assert_false(hdPerfEventsParse("cycles,joules", &events));
	g_assert_cmpuint(events, ==, 99);
	g_assert_true(hdPerfEventsParse("cycles", &events));
	g_assert_cmpuint(events, ==, 1);
	g_assert_true(hdPerfEventsParse("usual", &events));
	g_assert_cmpuint(events, ==, THREE);
	g_assert_true(hdPerfEventsParse("task-clock,usual", &events));
	g_assert_cmpuint(events, ==, THREE | BIT(HD_PERF_TASK_CLOCK));
	g_assert_true(hdPerfEventsParse("all", &events));
	g_assert_cmpuint(events, ==, 0xff);
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++)
		g_assert_nonnull(hdPerfEventName(i));
}

static char lost[512];
static int losses;

static void noteLoss(enum hdLogLevel level, const char *text)
{
	(void)level;
	g_strlcpy(lost, text, sizeof(lost));
	losses++;
}

/* What is not counted is said once, by the words that can be asked for. */
static void loss(void)
{
	/* Each loss is said. */
	struct hdLogger logger = { .prefix = "test",
				   .level = HD_LOG_DEBUG,
				   .print = noteLoss };
	char **list, *end;
	atomic_bool wasSaid = false, wasSaidByOthers = false;

	hdPerfSayLoss(&logger, &wasSaid, "tests have", 0xff, ENOSYS);
	g_assert_cmpint(losses, ==, 1);
	g_assert_true(g_str_has_prefix(lost, "tests have no cycles, "));
	end = strstr(lost, ": ");
	g_assert_cmpstr(end + 2, ==, hdPerfReason(ENOSYS));
	*end = '\0';
	list = g_strsplit(lost + strlen("tests have no "), ", ", -1);
	g_assert_cmpuint(g_strv_length(list), ==, HD_PERF_EVENTS);
	for (enum hdPerfEvent i = 0; i < HD_PERF_EVENTS; i++) {
		unsigned int events = 0;

		g_assert_true(hdPerfEventsParse(list[i], &events));
		g_assert_cmpuint(events, ==, BIT(i));
	}
	g_strfreev(list);
	hdPerfSayLoss(&logger, &wasSaid, "tests have", 0xff, ENOSYS);
	g_assert_cmpint(losses, ==, 1);
	hdPerfSayLoss(&logger, &wasSaidByOthers, "others count",
		      BIT(HD_PERF_CYCLES) | BIT(HD_PERF_PAGE_FAULTS), EPERM);
	g_assert_cmpint(losses, ==, 2);
	g_assert_true(g_str_has_prefix(lost,
				       "others count no cycles, page-faults: "
				       "not allowed by the kernel"));
}

/* ---- A kernel that the test makes ------------------------------------------
 */

/* By hand: of 100, cycles (event 0) count 100, instructions (1) 200, misses (3)
 * 400, though the register wraps meanwhile. No call of the kernel. */
static void user(void)
{
	fakePerfBegin();
	begin(THREE);
	for (int i = 0; i < 100; i++) {
		fakePerfRun(100, 10);
		g_assert_cmpuint(take(), ==, THREE);
		g_assert_cmpuint(amounts[HD_PERF_CYCLES], ==, 100);
		g_assert_cmpuint(amounts[HD_PERF_INSTRUCTIONS], ==, 200);
		g_assert_cmpuint(amounts[HD_PERF_CACHE_MISSES], ==, 400);
	}
	g_assert_cmpint(fakePerf.reads, ==, 0);
	/* One group, led by the first. */
	for (int i = 0; i < 3; i++)
		g_assert_cmpint(fakePerf.counters[i].leader, ==, 0);
	end();
}

/* The page changes while it is read: neither the old nor a mixture. */
static void interrupted(void)
{
	fakePerfBegin();
	begin(BIT(HD_PERF_CYCLES));
	fakePerfRun(5, 10);
	fakePerf.interrupts = 3;
	g_assert_cmpuint(take(), ==, 1);
	g_assert_cmpuint(amounts[HD_PERF_CYCLES], ==, 3005);
	g_assert_cmpint(fakePerf.reads, ==, 0);
	/* For ever: the kernel is asked. */
	fakePerf.interrupts = 1000;
	g_assert_cmpuint(take(), ==, 1);
	g_assert_cmpint(fakePerf.reads, ==, 1);
	fakePerf.interrupts = 0;
	end();
}

static void takeOut(struct fakeCounter *counter)
{
	counter->isInProcessor = false;
	fakePerfPublish(counter);
}

/* It is taken out of the processor in the middle of that. */
static void outMeanwhile(void)
{
	fakePerfBegin();
	begin(BIT(HD_PERF_CYCLES));
	fakePerfRun(5, 10);
	fakePerf.interrupts = 1;
	fakePerf.interrupt = takeOut;
	g_assert_cmpuint(take(), ==, 1);
	g_assert_cmpuint(amounts[HD_PERF_CYCLES], ==, 5);
	g_assert_cmpint(fakePerf.reads, ==, 1);
	end();
}

static void expectKernel(void)
{
	begin(THREE | BIT(HD_PERF_TASK_CLOCK));
	fakePerf.reads = 0;
	fakePerfRun(100, 10);
	g_assert_cmpuint(take(), ==, THREE | BIT(HD_PERF_TASK_CLOCK));
	g_assert_cmpuint(amounts[HD_PERF_CYCLES], ==, 100);
	g_assert_cmpuint(amounts[HD_PERF_INSTRUCTIONS], ==, 200);
	g_assert_cmpuint(amounts[HD_PERF_CACHE_MISSES], ==, 400);
	g_assert_cmpuint(amounts[HD_PERF_TASK_CLOCK], ==, 100);
	/* One call for all of the processor, and one for the kernel's. */
	g_assert_cmpint(fakePerf.reads, ==, 2);
	end();
}

/* Without pages, or where the processor may not be asked. */
static void kernel(void)
{
	fakePerfBegin();
	fakePerf.hasPages = false;
	expectKernel();
	fakePerfBegin();
	fakePerf.hasUserRead = false;
	expectKernel();
}

static void switchAll(bool isInProcessor)
{
	for (int i = 0; i < fakePerf.count; i++) {
		if (!fakePerf.counters[i].isOpen)
			continue;
		fakePerf.counters[i].isInProcessor = isInProcessor;
		fakePerfPublish(&fakePerf.counters[i]);
	}
}

/* Two of three parts of the time: 200 is estimated as 300. */
static void expectTurns(bool isUserRead)
{
	int reads;

	/* As soon as that is seen, times are; what was begun before is not. */
	fakePerfRun(50, 10);
	switchAll(false);
	fakePerfRun(50, 10);
	switchAll(true);
	g_assert_cmpuint(take(), ==, 0);
	fakePerfRun(100, 1000);
	switchAll(false);
	fakePerfRun(100, 1000);
	switchAll(true);
	fakePerfRun(100, 1000);
	reads = fakePerf.reads;
	g_assert_cmpuint(take(), ==, THREE);
	g_assert_cmpuint(amounts[HD_PERF_CYCLES], ==, 300);
	g_assert_cmpuint(amounts[HD_PERF_INSTRUCTIONS], ==, 600);
	g_assert_cmpuint(amounts[HD_PERF_CACHE_MISSES], ==, 1200);
	g_assert_true((fakePerf.reads == reads) == isUserRead);
	/* Not at all: unknown, and not 0. */
	switchAll(false);
	(void)take();
	fakePerfRun(100, 1000);
	g_assert_cmpuint(take(), ==, 0);
	switchAll(true);
	end();
}

static void turns(void)
{
	fakePerfBegin();
	begin(THREE);
	expectTurns(true);
	fakePerfBegin();
	fakePerf.hasUserTime = false;
	begin(THREE);
	expectTurns(false);
	fakePerfBegin();
	fakePerf.hasPages = false;
	begin(THREE);
	expectTurns(false);
}

/* Some are not there: the others are counted, and the reason is kept. */
static void partly(void)
{
	fakePerfBegin();
	fakePerf.errorOf[HD_PERF_CYCLES] = ENOENT;
	begin(THREE);
	g_assert_cmpint(set.error, ==, ENOENT);
	g_assert_cmpuint(set.events, ==, THREE & ~BIT(HD_PERF_CYCLES));
	fakePerfRun(10, 10);
	g_assert_cmpuint(take(), ==, THREE & ~BIT(HD_PERF_CYCLES));
	g_assert_cmpuint(amounts[HD_PERF_INSTRUCTIONS], ==, 20);
	end();
}

static void none(void)
{
	static const int errors[] = { EACCES, EPERM,  ENOENT,
				      ENOSYS, EMFILE, EOPNOTSUPP };

	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		fakePerfBegin();
		for (size_t j = 0; j < G_N_ELEMENTS(fakePerf.errorOf); j++)
			fakePerf.errorOf[j] = errors[i];
		g_assert_cmpint(hdPerfSetOpen(&set, THREE), ==, -errors[i]);
		g_assert_cmpuint(set.events, ==, 0);
		end();
	}
	fakePerfBegin();
	fakePerf.errorAfter = 2;
	begin(THREE);
	g_assert_cmpint(set.error, ==, EMFILE);
	g_assert_cmpuint(set.events, ==, THREE & ~BIT(HD_PERF_CACHE_MISSES));
	end();
}

/* A group that the processor has not enough counters for falls apart. */
static void groups(void)
{
	fakePerfBegin();
	fakePerf.groupMax = 2;
	begin(THREE);
	g_assert_cmpint(fakePerf.counters[1].leader, ==, 0);
	g_assert_cmpint(fakePerf.counters[2].leader, ==, 2);
	fakePerf.hasUserRead = false;
	switchAll(true);
	fakePerfRun(100, 10);
	g_assert_cmpuint(take(), ==, THREE);
	g_assert_cmpuint(amounts[HD_PERF_CACHE_MISSES], ==, 400);
	g_assert_cmpint(fakePerf.reads, ==, 2);
	end();
	/* One that is opened, but never counts. */
	fakePerfBegin();
	fakePerf.isStarved = true;
	fakePerf.hasPages = false;
	begin(THREE);
	g_assert_cmpint(fakePerfOpen(), ==, 3);
	for (int i = 3; i < 6; i++)
		g_assert_cmpint(fakePerf.counters[i].leader, ==, i);
	end();
}

/* A CPU has gone, or the program has closed the descriptor: unknown. */
static void gone(void)
{
	fakePerfBegin();
	fakePerf.hasPages = false;
	begin(THREE);
	fakePerf.isGone = true;
	g_assert_cmpuint(take(), ==, 0);
	fakePerf.isGone = false;
	g_assert_cmpuint(take(), ==, 0);
	fakePerfRun(10, 10);
	g_assert_cmpuint(take(), ==, THREE);
	/* Another file's by now: it is not read, and not closed. */
	fakePerf.counters[0].id = 1;
	fakePerf.reads = 0;
	g_assert_cmpuint(take(), ==, 0);
	g_assert_cmpint(fakePerf.reads, ==, 0);
	hdPerfSetClose(&set, false);
	g_assert_cmpint(fakePerfOpen(), ==, 1);
	g_assert_true(fakePerf.counters[0].isOpen);
	hdPerfFake = NULL;
}

/* ---- The real kernel -------------------------------------------------------
 */

static uint64_t cpuTime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool beginReal(unsigned int wanted)
{
	int ret = hdPerfSetOpen(&set, wanted);

	if (ret < 0 || set.events != wanted) {
		g_test_skip(hdPerfReason(ret < 0 ? -ret : set.error));
		hdPerfSetClose(&set, false);
		return false;
	}
	g_test_message("%s", set.counters[0].page ? "the kernel has pages"
						  : "the kernel has no pages");
	hdPerfSetRead(&set, &before);
	return true;
}

/* The task clock and page faults need no hardware: 50 pages are touched. */
static void software(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t inner;
	int64_t outer = g_get_monotonic_time();
	volatile char *pages;

	if (!beginReal(BIT(HD_PERF_TASK_CLOCK) | BIT(HD_PERF_PAGE_FAULTS)))
		return;
	inner = cpuTime();
	pages = g_aligned_alloc(50, size, size);
	for (size_t i = 0; i < 50; i++)
		pages[i * size] = 1;
	while (cpuTime() - inner < 20000000) {
	}
	inner = cpuTime() - inner;
	g_assert_cmpuint(take(), ==,
			 BIT(HD_PERF_TASK_CLOCK) | BIT(HD_PERF_PAGE_FAULTS));
	outer = (g_get_monotonic_time() - outer + 1) * 1000;
	hdPerfSetClose(&set, false);
	g_aligned_free((void *)(uintptr_t)pages);
	g_test_message("the kernel's task clock: %" G_GUINT64_FORMAT
		       " ns, CPU time %" G_GUINT64_FORMAT
		       " ns of %" G_GINT64_FORMAT " ns; %" G_GUINT64_FORMAT
		       " page faults",
		       amounts[HD_PERF_TASK_CLOCK], inner, outer,
		       amounts[HD_PERF_PAGE_FAULTS]);
	/* Their clocks are not the same: 5 %. What interrupts and a hypervisor
	 * take is in the task clock, and in no CPU time. */
	g_assert_cmpuint(amounts[HD_PERF_TASK_CLOCK], >=, inner - inner / 20);
	g_assert_cmpuint(amounts[HD_PERF_TASK_CLOCK], <=,
			 (uint64_t)outer + (uint64_t)outer / 20);
	/* The allocator may have had some of them. */
	g_assert_cmpuint(amounts[HD_PERF_PAGE_FAULTS], >, 0);
	g_assert_cmpuint(amounts[HD_PERF_PAGE_FAULTS], <, 1000);
}

/* A child has counters of its own, and neither reads nor closes what the
 * program has put in the place of its parent's. */
static void child(void)
{
	int status;
	pid_t pid;

	if (!beginReal(BIT(HD_PERF_TASK_CLOCK)))
		return;
	pid = fork();
	if (pid == 0) {
		int handle = set.counters[0].handle;

		if (dup2(0, handle) != handle)
			_exit(1);
		hdPerfSetClose(&set, true);
		if (dup(handle) < 0)
			_exit(2);
		_exit(hdPerfSetOpen(&set, BIT(HD_PERF_TASK_CLOCK)) == 0 ? 0
									: 3);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	g_assert_cmpuint(take(), ==, BIT(HD_PERF_TASK_CLOCK));
	hdPerfSetClose(&set, false);
}

#if defined(__x86_64__)

#define ROUNDS UINT64_C(20000000)

/* Two instructions a round: by hand, dec and jnz. */
static void loop(uint64_t rounds)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

static void instructions(void)
{
	uint64_t count;

	if (!beginReal(BIT(HD_PERF_INSTRUCTIONS) | BIT(HD_PERF_CYCLES)))
		return;
	loop(ROUNDS);
	g_assert_true(take() & BIT(HD_PERF_INSTRUCTIONS));
	hdPerfSetClose(&set, false);
	count = amounts[HD_PERF_INSTRUCTIONS];
	g_test_message("the processor's instructions: %" G_GUINT64_FORMAT
		       " of %" G_GUINT64_FORMAT " by hand",
		       count, 2 * ROUNDS);
	/* The readings are some hundreds; what takes turns is an estimate. */
	g_assert_cmpuint(count, >=, 2 * ROUNDS - (set.takesTurns ? ROUNDS : 0));
	g_assert_cmpuint(count, <=,
			 2 * ROUNDS + ROUNDS / 50 +
				 (set.takesTurns ? ROUNDS : 0));
}

#define LINE 64
#define LINES (UINT64_C(256) << 14) /* 256 MB of them */
#define STEPS UINT64_C(1000000)

/* A walk through far more than the caches hold, in an order that no prefetcher
 * guesses: each step is a miss, but for what is there by chance. */
static void misses(void)
{
	uint64_t at = 1, count;
	char *memory;

	if (!beginReal(BIT(HD_PERF_CACHE_MISSES)))
		return;
	memory = g_malloc(LINES * LINE);
	memset(memory, 1, LINES * LINE);
	hdPerfSetRead(&set, &before);
	for (uint64_t i = 0; i < STEPS; i++) {
		at = at * UINT64_C(6364136223846793005) + 1442695040888963407 +
		     (uint64_t)memory[(at >> 20) % LINES * LINE] - 1;
	}
	g_assert_cmpuint(take(), ==, BIT(HD_PERF_CACHE_MISSES));
	hdPerfSetClose(&set, false);
	g_free(memory);
	count = amounts[HD_PERF_CACHE_MISSES];
	g_test_message("the processor's cache misses: %" G_GUINT64_FORMAT
		       " of %" G_GUINT64_FORMAT " by hand (%" G_GUINT64_FORMAT
		       ")",
		       count, STEPS, at & 1);
	g_assert_cmpuint(count, >=, STEPS / 2);
	g_assert_cmpuint(count, <=, STEPS * 3);
}

#endif

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perfset/words", words);
	g_test_add_func("/perfset/loss", loss);
	g_test_add_func("/perfset/fake/user", user);
	g_test_add_func("/perfset/fake/interrupted", interrupted);
	g_test_add_func("/perfset/fake/out-meanwhile", outMeanwhile);
	g_test_add_func("/perfset/fake/kernel", kernel);
	g_test_add_func("/perfset/fake/turns", turns);
	g_test_add_func("/perfset/fake/partly", partly);
	g_test_add_func("/perfset/fake/none", none);
	g_test_add_func("/perfset/fake/groups", groups);
	g_test_add_func("/perfset/fake/gone", gone);
	g_test_add_func("/perfset/real/software", software);
	g_test_add_func("/perfset/real/child", child);
#if defined(__x86_64__)
	g_test_add_func("/perfset/real/instructions", instructions);
	g_test_add_func("/perfset/real/misses", misses);
#endif
	return g_test_run();
}
