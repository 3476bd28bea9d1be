/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * kill -9 at random moments: nothing that was complete for longer than
 * HDTRACE_FLUSH_MS is lost, and what is there is whole and in order.
 *
 * A child writes records with numbers and tells, in memory that it shares with
 * the test, when each of them was complete. The test kills it and reads its
 * files.
 *
 * When a record is owed. The background thread drains all files every half of
 * HDTRACE_FLUSH_MS. On a busy machine it gets there late, which is the
 * scheduler's (or the disk's) fault and not the library's. How late is
 * measured, not guessed: the linker puts a function between the library and
 * pthread_cond_timedwait(), which is where the thread waits for its next time.
 * It notes when that time is, and, when the thread comes back to wait again,
 * how long after that time all was written: that is the whole delay, that of
 * waking up, of being preempted, and of write(2). A record that is complete
 * when the thread has just passed its file is written at the latest half of
 * HDTRACE_FLUSH_MS and two such delays later. So it is owed after
 * HDTRACE_FLUSH_MS, or, if a quarter of that was not enough for the largest
 * delay in this run, after half of it and two of these delays. A library that
 * is late by itself, because it waits too long or passes a file by, has no
 * delay to show for it and fails.
 *
 * Half of the children compress their files, if zstd is installed: what it
 * finds in them is looked at.
 *
 * HDTRACE_TEST_RUNS says how many children are killed (default 200).
 */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"
#include "tests/lib/tracefile.h"

#define FLUSH_MS 40
#define MS INT64_C(1000000)

/* Children that run at the same time. */
#define AT_ONCE 4

/* They are killed this long after their start, at the latest. */
#define LIFE_MS 160

/* Most records that a child writes. */
#define RECORDS 60000

/* What a child tells; times are of the monotonic clock. */
struct shared {
	/* Of the background thread. */
	_Atomic(int64_t) due;   /* When it shall drain next. */
	_Atomic(int64_t) delay; /* The largest so far. */
	/* Of the writing thread. */
	atomic_bool hasTrace;
	atomic_bool hasGroup;
	atomic_size_t records; /* Complete ones. */
	atomic_size_t entries;
	int64_t recordDone[RECORDS];
	int64_t entryDone[RECORDS];
};

struct child {
	struct shared *shared;
	pid_t pid;
	uint64_t seed;
	bool isCompressed;
	int64_t killAt;
	int64_t killed;
};

static int64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- The child --------------------------------------------------------- */

static struct shared *own;

/* The background thread waits: it has drained all files. */
static void noteWait(const struct timespec *deadline)
{
	int64_t delay = monotonic() - atomic_load(&own->due);

	if (delay > atomic_load(&own->delay))
		atomic_store(&own->delay, delay);
	atomic_store(&own->due, (int64_t)deadline->tv_sec * 1000000000 +
					deadline->tv_nsec);
}

int __real_pthread_cond_timedwait(pthread_cond_t *condition,
				  pthread_mutex_t *mutex,
				  const struct timespec *deadline);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition,
				  pthread_mutex_t *mutex,
				  const struct timespec *deadline);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition,
				  pthread_mutex_t *mutex,
				  const struct timespec *deadline)
{
	noteWait(deadline);
	return __real_pthread_cond_timedwait(condition, mutex, deadline);
}

static void recordIsDone(void)
{
	size_t number = atomic_load(&own->records);

	own->recordDone[number] = monotonic();
	atomic_store(&own->records, number + 1);
}

/* Write an outer state with three records inside. */
static void writeRecords(hdTrace *trace)
{
	int64_t first = (int64_t)atomic_load(&own->records);
	char name[32];

	testWorks(hdT_logStateStart(trace, "Outer"));
	for (int i = 0; i < 2; i++) {
		testWorks(hdT_logStateStart(trace, "Inner"));
		testWorks(hdT_logAttributeInt64(trace, "n", first + i));
		testWorks(hdT_logStateEnd(trace));
		recordIsDone();
	}
	sprintf(name, "%lld", (long long)first + 2);
	testWorks(hdT_logEvent(trace, name));
	recordIsDone();
	testWorks(hdT_logAttributeInt64(trace, "n", first + 3));
	testWorks(hdT_logStateEnd(trace));
	recordIsDone();
}

static void writeEntry(hdStatsGroup *group)
{
	size_t number = atomic_load(&own->entries);

	testWorks(hdS_writeInt64Value(group, (int64_t)number));
	testWorks(hdS_writeString(group, number % 2 ? "odd" : ""));
	testWorks(hdS_writeDoubleValue(group, (double)number));
	own->entryDone[number] = monotonic();
	atomic_store(&own->entries, number + 1);
}

/* Write until killed: so much that buffers get full, or so little that only the
 * time makes the library write. */
static _Noreturn void runChild(const struct child *child, int number)
{
	struct testRandom random = { child->seed };
	char *project = g_strdup_printf("kill%d", number);
	hdStatsGroup *group;
	hdTopoNode *node;
	hdTrace *trace;
	uint64_t most;

	own = child->shared;
	g_setenv("HDTRACE_FLUSH_MS", G_STRINGIFY(FLUSH_MS), TRUE);
	if (testRandomBelow(&random, 2))
		g_setenv("HDTRACE_BUFFER_SIZE_KB", "4", TRUE);
	if (child->isCompressed)
		g_setenv("HDTRACE_COMPRESS", "zstd", TRUE);
	most = testRandomBelow(&random, 3) ? 2 : 60;
	node = testNode(project, "");
	atomic_store(&own->due, monotonic());
	testMakes(trace, hdT_createTrace(node));
	atomic_store(&own->hasTrace, true);
	testMakes(group, hdS_createGroup("G", node, 0));
	testWorks(hdS_addValue(group, "n", INT64, NULL, NULL));
	testWorks(hdS_addValue(group, "s", STRING, NULL, NULL));
	testWorks(hdS_addValue(group, "d", DOUBLE, NULL, NULL));
	testWorks(hdS_commitGroup(group));
	testGives(0, hdS_enableGroup(group));
	atomic_store(&own->hasGroup, true);
	for (;;) {
		uint64_t burst = testRandomBelow(&random, most);

		for (uint64_t i = 0; i < burst; i++) {
			if (atomic_load(&own->records) + 4 <= RECORDS)
				writeRecords(trace);
			if (atomic_load(&own->entries) < RECORDS)
				writeEntry(group);
		}
		g_usleep((gulong)testRandomBelow(&random, 3000));
	}
}

/* ---- The test ---------------------------------------------------------- */

/* Make the plain file of a compressed one. A frame at the end may be cut. */
static void unpackFile(const struct child *child, const char *path)
{
	char *command;

	if (!child->isCompressed)
		return;
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	command = g_strdup_printf("zstd -qdc %s.zst >%s 2>%s.said", path, path,
				  path);
	/* Its status: whether the file is complete. */
	g_assert_cmpint(system(command), !=, -1);
	g_free(command);
}

/* How long a record must have been complete to be owed. */
static int64_t owedAge(const struct child *child)
{
	int64_t delay = atomic_load(&child->shared->delay);
	int64_t due = atomic_load(&child->shared->due);

	/* It may have been late, or at work, when it was killed. */
	if (child->killed - due > delay)
		delay = child->killed - due;
	return MAX(FLUSH_MS * MS, FLUSH_MS * MS / 2 + 2 * delay);
}

/* Number of records that must be there. */
static size_t countOwed(const struct child *child, const int64_t *done,
			size_t complete)
{
	int64_t age = owedAge(child);
	size_t owed = 0;

	while (owed < complete && child->killed - done[owed] >= age)
		owed++;
	return owed;
}

static size_t checkTrace(const struct child *child, int number)
{
	char *path = g_strdup_printf("kill%d.trc", number);
	struct testTraceFile *file =
		(unpackFile(child, path), testTraceRead(path));
	/* All numbers are read after the child is dead. */
	size_t complete = atomic_load(&child->shared->records);
	size_t owed = countOwed(child, child->shared->recordDone, complete);

	/* One may be complete, but not said to be. */
	g_assert_cmpuint(file->count, <=, complete + 1);
	g_assert_cmpuint(file->count, >=, owed);
	for (size_t i = 0; i < file->count; i++) {
		struct testRecord *record = &file->records[i];
		char *expected = g_strdup_printf("%zu", i);
		char *is = record->isEvent ? g_strdup(record->name)
					   : testRecordAttribute(record, "n");

		g_assert_cmpstr(is, ==, expected);
		g_assert_cmpuint(record->depth, ==, i % 4 < 3);
		g_free(expected);
		g_free(is);
	}
	testTraceFree(file);
	g_free(path);
	return owed;
}

static size_t checkStat(const struct child *child, int number)
{
	char *path = g_strdup_printf("kill%d_G.stat", number);
	struct testStatFile *file =
		(unpackFile(child, path), testStatRead(path));
	size_t complete = atomic_load(&child->shared->entries);
	size_t owed = countOwed(child, child->shared->entryDone, complete);

	g_assert_cmpuint(file->count, <=, complete + 1);
	g_assert_cmpuint(file->count, >=, owed);
	for (size_t i = 0; i < file->count; i++) {
		const struct testEntry *entry = &file->entries[i];
		double value = (double)i;
		uint64_t bits;

		memcpy(&bits, &value, sizeof(bits));
		g_assert_false(entry->isGap);
		g_assert_cmpuint(entry->length, ==, i % 2 ? 21 : 18);
		g_assert_cmpuint(testBig64(entry->values), ==, i);
		g_assert_cmphex(testBig64(entry->values + entry->length - 8),
				==, bits);
	}
	testStatFree(file);
	g_free(path);
	return owed;
}

static void removeFiles(int number)
{
	static const char *const names[] = {
		"kill%d.trc",        "kill%d_G.stat",   "kill%d.trc.zst",
		"kill%d_G.stat.zst", "kill%d.trc.said", "kill%d_G.stat.said"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *path = g_strdup_printf(names[i], number);

		unlink(path);
		g_free(path);
	}
}

static void startChild(struct child *child, int number,
		       struct testRandom *random)
{
	/* New memory: all zero. */
	child->shared =
		mmap(NULL, sizeof(*child->shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	g_assert_true(child->shared != MAP_FAILED);
	child->seed = testRandomBits(random);
	child->killAt =
		monotonic() + (int64_t)testRandomBelow(random, LIFE_MS * MS);
	fflush(NULL);
	child->pid = fork();
	g_assert_cmpint(child->pid, >=, 0);
	if (child->pid == 0)
		runChild(child, number);
}

static void killChild(struct child *child)
{
	struct timespec when = testTime(child->killAt);
	int status;

	/* No race is hidden here: any moment will do. */
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
	child->killed = monotonic();
	g_assert_cmpint(kill(child->pid, SIGKILL), ==, 0);
	g_assert_cmpint(waitpid(child->pid, &status, 0), ==, child->pid);
	g_assert_true(WIFSIGNALED(status));
	g_assert_cmpint(WTERMSIG(status), ==, SIGKILL);
}

static int compareChildren(const void *a, const void *b)
{
	const struct child *first = a;
	const struct child *second = b;

	return first->killAt < second->killAt ? -1 : 1;
}

static void testKill(void)
{
	const char *wanted = g_getenv("HDTRACE_TEST_RUNS");
	int runs = wanted ? atoi(wanted) : 200;
	struct testRandom random = { testSeed() };
	int64_t worst = 0;
	size_t owed = 0;
	int late = 0;
	char *zstd = g_find_program_in_path("zstd");
	bool hasZstd = zstd != NULL;

	g_free(zstd);

	/* Where others keep the machine busy it may be long until something is
	 * owed. */
	for (int done = 0; done < runs || (owed == 0 && done < 4 * runs);
	     done += AT_ONCE) {
		struct child children[AT_ONCE];
		struct child sorted[AT_ONCE];

		for (int i = 0; i < AT_ONCE; i++) {
			children[i].isCompressed = hasZstd && i % 2;
			startChild(&children[i], i, &random);
		}
		memcpy(sorted, children, sizeof(sorted));
		qsort(sorted, AT_ONCE, sizeof(sorted[0]), compareChildren);
		for (int i = 0; i < AT_ONCE; i++)
			killChild(&sorted[i]);
		for (int i = 0; i < AT_ONCE; i++)
			for (int j = 0; j < AT_ONCE; j++)
				if (children[i].pid == sorted[j].pid)
					children[i].killed = sorted[j].killed;
		for (int i = 0; i < AT_ONCE; i++) {
			struct child *child = &children[i];

			if (atomic_load(&child->shared->hasTrace))
				owed += checkTrace(child, i);
			if (atomic_load(&child->shared->hasGroup))
				owed += checkStat(child, i);
			worst = MAX(worst, atomic_load(&child->shared->delay));
			late += owedAge(child) > FLUSH_MS * MS;
			removeFiles(i);
			munmap(child->shared, sizeof(*child->shared));
		}
	}
	g_test_message("%zu records were owed; the largest delay was %.3f ms;"
		       " in %d runs more time was granted",
		       owed, (double)worst / (double)MS, late);
	if (owed == 0)
		g_test_skip("the machine is too busy: nothing was owed");
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/kill9", testKill);
	return testRun();
}
