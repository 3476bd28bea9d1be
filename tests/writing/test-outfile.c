/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both threads */
/*
 * Buffers and what happens around them: processes that fork and end, threads
 * that share nothing, threads that are cancelled; and the environment.
 */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"
#include "tests/lib/tracefile.h"

#define START (INT64_C(1234567890) * 1000000000)

/* Nothing goes out but when a test says so. */
#define LATE "HDTRACE_FLUSH_MS=3600000"

/* ---- The environment --------------------------------------------------- */

#define DEFAULT_SIZE 262144

/* No more is ever recorded. */
#define DEEPEST 990

static const struct setting {
	const char *environment;
	size_t bufferSize;
	unsigned int flushMs;
	int maxDepth;
	bool forceFlush;
	bool dropOnFull;
	bool overwrite;
	enum hdGaps gaps;
} settings[] = {
	{ "", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=4", 4096, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=5", 8192, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=1024", 1048576, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=1048576", 1073741824, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=3", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=1048577", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=-4", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=8k", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=99999999999999999999", DEFAULT_SIZE, 1000,
	  DEEPEST },
	{ "HDTRACE_FLUSH_MS=1", DEFAULT_SIZE, 1, DEEPEST },
	{ "HDTRACE_FLUSH_MS=3600000", DEFAULT_SIZE, 3600000, DEEPEST },
	{ "HDTRACE_FLUSH_MS=0", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_FLUSH_MS=3600001", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_FLUSH_MS=1.5", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_MAX_NESTING_DEPTH=0", DEFAULT_SIZE, 1000, 0 },
	{ "HDTRACE_MAX_NESTING_DEPTH=7", DEFAULT_SIZE, 1000, 7 },
	{ "HDTRACE_MAX_NESTING_DEPTH=991", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_MAX_NESTING_DEPTH=-1", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_MAX_NESTING_DEPTH=x", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_FORCE_FLUSH=1", DEFAULT_SIZE, 1000, DEEPEST, true },
	{ "HDTRACE_FORCE_FLUSH=0", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_FORCE_FLUSH=2", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_FORCE_FLUSH=yes", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_ON_FULL=drop", DEFAULT_SIZE, 1000, DEEPEST, false, true },
	{ "HDTRACE_ON_FULL=wait", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_ON_FULL=Drop", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_OVERWRITE_EXISTING_FILES=1", DEFAULT_SIZE, 1000, DEEPEST,
	  false, false, true },
	{ "HDTRACE_OVERWRITE_EXISTING_FILES=0", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_OVERWRITE_EXISTING_FILES=true", DEFAULT_SIZE, 1000,
	  DEEPEST },
	{ "HDTRACE_GAPS=marker", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_GAPS=entry", DEFAULT_SIZE, 1000, DEEPEST, false, false,
	  false, HD_GAPS_ENTRY },
	{ "HDTRACE_GAPS=none", DEFAULT_SIZE, 1000, DEEPEST, false, false, false,
	  HD_GAPS_NONE },
	{ "HDTRACE_GAPS=nothing", DEFAULT_SIZE, 1000, DEEPEST },
	{ "HDTRACE_BUFFER_SIZE_KB=64 HDTRACE_FLUSH_MS=20 HDTRACE_ON_FULL=drop",
	  65536, 20, DEEPEST, false, true },
};

static void testSetting(gconstpointer data)
{
	const struct setting *expected = data;
	const struct hdSettings *is;

	if (!testInProcess(expected->environment))
		return;
	testMakes(is, hdSettingsGet());
	g_assert_cmpuint(is->bufferSize, ==, expected->bufferSize);
	/* Only who says no size, and does not drop, has one that grows. */
	g_assert_cmpuint(is->bufferMax, ==,
			 is->bufferSize == DEFAULT_SIZE && !is->dropOnFull
				 ? 4 * DEFAULT_SIZE
				 : is->bufferSize);
	g_assert_cmpuint(is->flushMs, ==, expected->flushMs);
	g_assert_cmpint(is->maxDepth, ==, expected->maxDepth);
	g_assert_true(is->forceFlush == expected->forceFlush);
	g_assert_true(is->dropOnFull == expected->dropOnFull);
	g_assert_true(is->overwrite == expected->overwrite);
	g_assert_cmpint(is->gaps, ==, expected->gaps);
	g_assert_cmpstr(is->prefix, ==, "");
}

/* A prefix that is too long counts as not set. */
static void testLongPrefix(void)
{
	char *prefix = g_strnfill(HD_PREFIX_MAX + 1, 'p');
	char *variable = g_strdup_printf("HDTRACE_PREFIX=%s", prefix);

	if (testInProcess(variable))
		g_assert_cmpstr(hdSettingsGet()->prefix, ==, "");
	g_free(variable);
	prefix[HD_PREFIX_MAX] = '\0';
	g_free(prefix);
}

/* The environment is read once. */
static void testReadOnce(void)
{
	if (!testInProcess("HDTRACE_FLUSH_MS=5"))
		return;
	g_assert_cmpuint(hdSettingsGet()->flushMs, ==, 5);
	g_setenv("HDTRACE_FLUSH_MS", "6", TRUE);
	g_assert_cmpuint(hdSettingsGet()->flushMs, ==, 5);
}

static void failToCreate(void)
{
	hdTopoNode *node = testNode("missing/p_q", "");

	testFailsNull(HD_ERR_CREATE_FILE, hdT_createTrace(node));
	hdT_destroyTopoNode(node);
}

/* The library says what it does not record, and the rest if somebody asks. */
static void testVerbosity(gconstpointer data)
{
	const char *level = data;

	if (g_test_subprocess()) {
		failToCreate();
		return;
	}
	g_setenv("HDTRACE_VERBOSITY", level, TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_unsetenv("HDTRACE_VERBOSITY");
	g_test_trap_assert_passed();
	if (*level == '-')
		g_test_trap_assert_stderr("");
	else
		g_test_trap_assert_stderr(
			"*hdtrace: missing/p_q.trc: not recorded: "
			"cannot create the file: *\n*");
	/* The original reader could not find files with '_'. */
	if (*level > '1')
		g_test_trap_assert_stderr("*hdtrace: project \"missing/p_q*");
}

/* ---- The ring ---------------------------------------------------------- */

static const struct ringTest {
	const char *environment;
	int records;
	size_t usual; /* No record is as long, but for one in fifty. */
	size_t longest;
} smallRing = { "HDTRACE_BUFFER_SIZE_KB=4 HDTRACE_FLUSH_MS=1", 20000, 300,
		10000 },
  growingRing = { "HDTRACE_FLUSH_MS=1", 2000, 20000, 2000000 };

/* Records of all sizes, put in all ways, come out as they went in. */
static void testRing(gconstpointer data)
{
	const struct ringTest *test = data;
	struct testRandom random;
	GString *expected = g_string_new(NULL);
	struct hdOutfile *file;
	char *piece = g_malloc(test->longest);
	size_t length;
	char *bytes;

	if (!testInProcess(test->environment))
		goto out;
	random.state = testSeed();
	testWorks(hdOutfileOpen(strdup("ring"), true, &file));
	for (int i = 0; i < test->records; i++) {
		size_t limit = i % 50 ? test->usual : test->longest;
		size_t size = testRandomBelow(&random, limit);
		char *room = NULL;
		size_t at = 0;

		memset(piece, 'a' + i % 26, size);
		g_string_append_len(expected, piece, (gssize)size);
		switch (testRandomBelow(&random, 4)) {
		case 0:
			room = hdOutfileRoom(file, size);
			if (room) {
				memcpy(room, piece, size);
				hdOutfileCommitTo(file, room + size);
				break;
			}
			/* fall through */
		case 1:
			testWorks(hdOutfilePut(file, piece, size,
					       HD_OUTFILE_MAY_DROP));
			break;
		default:
			testWorks(hdOutfileBegin(file, size, HD_OUTFILE_KEEP));
			while (at < size) {
				size_t part =
					testRandomBelow(&random, size - at + 1);

				hdOutfileAdd(file, piece + at, part);
				at += part;
			}
			hdOutfileCommit(file);
			break;
		}
		if (i % 1000 == 0) {
			testWorks(hdOutfileFlush(file));
			bytes = testRead("ring", &length);
			g_assert_cmpuint(length, ==, expected->len);
			g_free(bytes);
		}
	}
	g_assert_cmpuint(hdOutfileLost(file), ==, 0);
	testWorks(hdOutfileClose(file));
	bytes = testRead("ring", &length);
	g_assert_cmpmem(bytes, length, expected->str, expected->len);
	g_free(bytes);
	unlink("ring");
out:
	g_free(piece);
	g_string_free(expected, TRUE);
}

/* A record that does not fit makes a ring of the usual size grow, and no other
 * one. */
static void testGrowth(gconstpointer environment)
{
	bool grows = !*(const char *)environment;
	const size_t sizes[] = { 10, 300000, 3, 1500000, 700000, 400000 };
	GString *expected = g_string_new(NULL);
	struct hdOutfile *file;
	size_t length;
	char *bytes;

	if (!testInProcess(environment))
		goto out;
	testWorks(hdOutfileOpen(strdup("growth"), true, &file));
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		char *record = g_strnfill(sizes[i], (char)('a' + i));

		testWorks(
			hdOutfilePut(file, record, sizes[i], HD_OUTFILE_KEEP));
		g_string_append(expected, record);
		g_free(record);
		g_assert_cmpuint(file->mask + 1, ==,
				 i > 0 && grows ? 4 * DEFAULT_SIZE
						: DEFAULT_SIZE);
	}
	testWorks(hdOutfileClose(file));
	bytes = testRead("growth", &length);
	g_assert_cmpmem(bytes, length, expected->str, expected->len);
	g_free(bytes);
	unlink("growth");
out:
	g_string_free(expected, TRUE);
}

/* A file that shall not exist after all. */
static void testRemoval(void)
{
	struct hdOutfile *file;

	testWorks(hdOutfileOpen(strdup("removed"), true, &file));
	testWorks(hdOutfilePut(file, "x\n", 2, HD_OUTFILE_KEEP));
	errno = TEST_ERRNO;
	hdOutfileRemove(file);
	g_assert_cmpint(errno, ==, TEST_ERRNO);
	g_assert_false(testExists("removed"));
}

/* ---- Processes --------------------------------------------------------- */

/* Run a function in a child, which ends with exit(). */
static void inChild(void (*run)(void *), void *data)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		run(data);
		exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

/* What a process inherits: something in the buffers, a state that is open, half
 * an entry. */
struct inherited {
	hdTrace *trace;
	hdStatsGroup *group;
	hdStatsGroup *half;
	hdStatsGroup *open;
};

static void childCalls(const struct inherited *parent)
{
	struct timespec now = testTime(START);
	char entry[4] = { 0 };
	hdTrace *trace = parent->trace;
	hdStatsGroup *group = parent->group;

	testGives(0, hdT_isEnabled(trace));
	testWorks(hdT_logEvent(trace, "child"));
	testWorks(hdT_logEventAt(trace, "child", &now));
	testWorks(hdT_logAttributeInt64(trace, "child", 1));
	testWorks(hdT_logAttributes(trace, "child='1'"));
	testWorks(hdT_logElement(trace, "Child", NULL));
	testWorks(hdT_logStateStart(trace, "Child"));
	testWorks(hdT_logStateEnd(trace));
	/* The parent's, and no more. */
	testWorks(hdT_logStateEnd(trace));
	testFails(HD_ERR_INVALID_CONTEXT, hdT_logStateEnd(trace));
	testWorks(hdT_writeInfo(trace, "child\n"));
	testGives(1, hdT_enableTrace(trace));
	testGives(0, hdT_isEnabled(trace));
	testWorks(hdT_flush(trace));

	testGives(0, hdS_isEnabled(group));
	testFails(HD_ERR_TRACE_DISABLED, hdS_writeInt32Value(group, 1));
	testFails(HD_ERR_TRACE_DISABLED, hdS_writeEntry(group, entry, 4));
	testFails(HD_ERR_TRACE_DISABLED,
		  hdS_writeEntryAt(group, entry, 4, &now));
	testFails(HD_ERR_TRACE_DISABLED, hdS_setEntryTime(group, &now));
	testFails(HD_ERR_TRACE_DISABLED, hdS_writeInt32Value(parent->half, 1));
	testWorks(hdS_flush(group));
	testGives(0, hdS_disableGroup(group));
	testGives(0, hdS_enableGroup(group));
	testGives(0, hdS_isEnabled(group));
	testFails(HD_ERR_TRACE_DISABLED, hdS_writeInt32Value(group, 1));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_commitGroup(parent->open));
}

/* Write, read back, and remove files of this process's own. */
static void childOwn(const char *project)
{
	char *traceFile = g_strdup_printf("%s.trc", project);
	char *statFile = g_strdup_printf("%s_G.stat", project);
	hdTopoNode *node = testNode(project, "");
	struct testTraceFile *file;
	struct testStatFile *stat;
	hdStatsGroup *group;
	hdTrace *trace;

	testMakes(trace, hdT_createTrace(node));
	testMakes(group, hdS_createGroup("G", node, 0));
	testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(group));
	testGives(0, hdS_enableGroup(group));
	for (int i = 0; i < 1000; i++) {
		testWorks(hdT_logStateStart(trace, "S"));
		testWorks(hdT_logStateEnd(trace));
		testWorks(hdS_writeInt32Value(group, i));
	}
	testWorks(hdT_finalize(trace));
	testWorks(hdS_finalize(group));
	file = testTraceReadEnded(traceFile);
	g_assert_cmpuint(file->count, ==, 1000);
	testTraceFree(file);
	stat = testStatRead(statFile);
	g_assert_cmpuint(stat->count, ==, 1000);
	testStatFree(stat);
	unlink(traceFile);
	unlink(statFile);
	hdT_destroyTopoNode(node);
	g_free(traceFile);
	g_free(statFile);
}

static void grandchild(void *data)
{
	childCalls(data);
	childOwn("grandchild");
}

static void childFinalizes(void *data)
{
	struct inherited *parent = data;

	childCalls(parent);
	childOwn("child");
	testWorks(hdT_finalize(parent->trace));
	testWorks(hdS_finalize(parent->group));
	testWorks(hdS_finalize(parent->half));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(parent->open));
}

static void childLeaves(void *data)
{
	childOwn("child");
	childCalls(data);
}

static void childForks(void *data)
{
	inChild(grandchild, data);
	/* Nested states were ended there, not here. */
	childCalls(data);
}

static void testFork(gconstpointer environment)
{
	static void (*const children[])(void *) = { childFinalizes, childLeaves,
						    childForks };
	static struct inherited parent; /* Known to leak detectors. */
	struct testTraceFile *file;
	struct testStatFile *stat;
	hdTopoNode *node;

	if (TEST_HAS_TSAN ||
	    (TEST_HAS_ASAN && strcmp(environment, LATE) != 0)) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess(environment))
		return;
	node = testNode("fork", "");
	testMakes(parent.trace, hdT_createTrace(node));
	testMakes(parent.group, hdS_createGroup("G", node, 0));
	testWorks(hdS_addValue(parent.group, "v", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(parent.group));
	testGives(0, hdS_enableGroup(parent.group));
	testMakes(parent.half, hdS_createGroup("H", node, 0));
	testWorks(hdS_addValue(parent.half, "v", INT32, NULL, NULL));
	testWorks(hdS_addValue(parent.half, "w", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(parent.half));
	testGives(0, hdS_enableGroup(parent.half));
	testMakes(parent.open, hdS_createGroup("O", node, 0));
	hdT_destroyTopoNode(node);
	testWorks(hdT_writeInfo(parent.trace, "parent\n"));
	for (int round = 0; round < 20; round++) {
		testWorks(hdT_logEvent(parent.trace, "before"));
		testWorks(hdT_logStateStart(parent.trace, "Parent"));
		testWorks(hdS_writeInt32Value(parent.group, 2 * round));
		testWorks(hdS_writeInt32Value(parent.half, round));
		inChild(children[round % 3], &parent);
		testWorks(hdT_logAttributeInt64(parent.trace, "i", round));
		testWorks(hdT_logStateEnd(parent.trace));
		testWorks(hdS_writeInt32Value(parent.half, -round));
		testWorks(hdS_writeInt32Value(parent.group, 2 * round + 1));
	}
	testWorks(hdT_finalize(parent.trace));
	testWorks(hdS_finalize(parent.group));
	testWorks(hdS_finalize(parent.half));
	/* No child has removed it. */
	g_assert_true(testExists("fork_O.stat"));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(parent.open));

	file = testTraceReadEnded("fork.trc");
	g_assert_cmpuint(file->count, ==, 40);
	for (int round = 0; round < 20; round++) {
		char *attributes = g_strdup_printf(" i='%d'", round);

		g_assert_cmpstr(file->records[2 * round].name, ==, "before");
		g_assert_cmpstr(file->records[2 * round + 1].attributes, ==,
				attributes);
		g_free(attributes);
	}
	testTraceFree(file);
	stat = testStatRead("fork_G.stat");
	g_assert_cmpuint(stat->count, ==, 40);
	for (size_t i = 0; i < 40; i++)
		g_assert_cmpuint(testBig32(stat->entries[i].values), ==, i);
	testStatFree(stat);
	stat = testStatRead("fork_H.stat");
	g_assert_cmpuint(stat->count, ==, 20);
	testStatFree(stat);
	unlink("fork.trc");
	unlink("fork.info");
	unlink("fork_G.stat");
	unlink("fork_H.stat");
}

/* ---- Forking while others write ---------------------------------------- */

static atomic_bool writersShallEnd;

/* Write until told to end; the number of events comes back. */
static void *writeEvents(void *data)
{
	uintptr_t count = 0;

	while (!atomic_load(&writersShallEnd)) {
		testWorks(hdT_logEvent(data, "e"));
		count++;
	}
	return (void *)count;
}

static void forkOwn(void *unused)
{
	(void)unused;
	childOwn("fork-own");
}

/* Whatever the background thread and others do at that moment. */
static void testForkMeanwhile(void)
{
	struct testTraceFile *file;
	pthread_t thread;
	hdTrace *trace;
	void *count;

	if (TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4 HDTRACE_FLUSH_MS=1"))
		return;
	trace = testTrace("fork-meanwhile");
	atomic_store(&writersShallEnd, false);
	g_assert_cmpint(pthread_create(&thread, NULL, writeEvents, trace), ==,
			0);
	for (int i = 0; i < 60; i++)
		inChild(forkOwn, NULL);
	atomic_store(&writersShallEnd, true);
	pthread_join(thread, &count);
	testWorks(hdT_finalize(trace));
	file = testTraceRead("fork-meanwhile.trc");
	g_assert_true(file->isEnded);
	g_assert_cmpuint(file->count, ==, (uintptr_t)count);
	testTraceFree(file);
	unlink("fork-meanwhile.trc");
}

/* ---- Ends -------------------------------------------------------------- */

/* Left open on purpose; static, so that they are not leaked. */
static hdTrace *volatile leftTrace;
static hdStatsGroup *volatile leftGroup;

static void leave(const char *project)
{
	hdTopoNode *node = testNode(project, "");

	leftTrace = hdT_createTrace(node);
	leftGroup = hdS_createGroup("G", node, 0);
	hdT_destroyTopoNode(node);
	testWorks(hdS_addValue(leftGroup, "v", INT32, NULL, NULL));
	testWorks(hdS_addValue(leftGroup, "w", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(leftGroup));
	testGives(0, hdS_enableGroup(leftGroup));
	testWorks(hdT_logStateStart(leftTrace, "Open"));
	for (int i = 0; i < 100; i++) {
		testWorks(hdT_logEvent(leftTrace, "e"));
		testWorks(hdS_writeInt32Value(leftGroup, i));
		testWorks(hdS_writeInt32Value(leftGroup, i));
	}
	/* What is not complete is not there. */
	testWorks(hdS_writeInt32Value(leftGroup, 100));
}

static void checkLeft(const char *project, size_t events)
{
	char *traceFile = g_strdup_printf("%s.trc", project);
	char *statFile = g_strdup_printf("%s_G.stat", project);
	struct testTraceFile *file = testTraceRead(traceFile);
	struct testStatFile *stat = testStatRead(statFile);

	g_assert_cmpuint(file->count, ==, events);
	g_assert_cmpuint(file->bytesLeft, ==, 0);
	g_assert_false(file->isEnded);
	g_assert_cmpuint(file->openBlocks, ==, 1);
	g_assert_cmpuint(stat->count, ==, 100);
	g_assert_cmpuint(stat->bytesLeft, ==, 0);
	testTraceFree(file);
	testStatFree(stat);
	g_free(traceFile);
	g_free(statFile);
}

/* main() returns. */
static void testReturn(void)
{
	if (testInProcess(LATE))
		leave("return");
	else
		checkLeft("return", 100);
}

static void logAtExit(void)
{
	testWorks(hdT_logEvent(leftTrace, "last words"));
}

/* exit(), and somebody writes even then. */
static void testExit(void)
{
	if (testInProcess(LATE)) {
		leave("exit");
		atexit(logAtExit);
		exit(0);
	}
	checkLeft("exit", 101);
}

static void *exitThread(void *unused)
{
	(void)unused;
	exit(0);
}

/* Another thread calls exit(). */
static void testExitThread(void)
{
	pthread_t thread;

	if (testInProcess(LATE)) {
		leave("exit-thread");
		pthread_create(&thread, NULL, exitThread, NULL);
		pthread_join(thread, NULL);
	}
	checkLeft("exit-thread", 100);
}

/* A signal to the process is not for the background thread. */
/* A handler that calls exit() must not find a lock of ours taken by the very
 * thread that it interrupts. */
static void exitInHandler(int signal)
{
	(void)signal;
	exit(0);
}

static void testExitInHandler(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 3000 } };
	hdTrace *trace;

	if (TEST_HAS_TSAN) {
		g_test_skip("ThreadSanitizer objects to exit() in a handler");
		return;
	}
	/* Busy draining by itself all the time, and so likely to be hit. */
	if (testInProcess("HDTRACE_BUFFER_SIZE_KB=4 "
			  "HDTRACE_OVERWRITE_EXISTING_FILES=1")) {
		signal(SIGALRM, exitInHandler);
		trace = testTrace("handler");
		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;) {
			testWorks(hdT_logEvent(trace, "e"));
			testWorks(hdT_flush(trace));
		}
	}
	unlink("handler.trc");
}

static void testSignals(void)
{
	sigset_t set, pending;
	hdTrace *trace;

	if (!testInProcess("HDTRACE_FLUSH_MS=1"))
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	trace = testTrace("signals");
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGTERM);
	testWorks(hdT_logEvent(trace, "e"));
	testWorks(hdT_finalize(trace));
	sigpending(&pending);
	g_assert_true(sigismember(&pending, SIGUSR1));
	g_assert_true(sigismember(&pending, SIGTERM));
	/* They must not end this process when it is let go. */
	signal(SIGUSR1, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
}

/* ---- Threads ----------------------------------------------------------- */

#define THREADS 6
#define THREAD_RECORDS 5000

struct worker {
	pthread_t thread;
	hdTopology *topology;
	int number;
};

/* Write a trace and a group, several times. */
static void *work(void *data)
{
	const struct worker *worker = data;
	char label[8];
	const char *path[] = { label };

	sprintf(label, "%d", worker->number);
	for (int round = 0; round < 3; round++) {
		hdTopoNode *node;
		hdStatsGroup *group;
		hdTrace *trace;

		node = hdT_createTopoNode(worker->topology, path, 1);
		g_assert_nonnull(node);
		testMakes(trace, hdT_createTrace(node));
		testMakes(group, hdS_createGroup("G", node, 1));
		testWorks(hdT_destroyTopoNode(node));
		testWorks(hdS_addValue(group, "v", INT64, NULL, NULL));
		testWorks(hdS_commitGroup(group));
		testGives(0, hdS_enableGroup(group));
		for (int i = 0; i < THREAD_RECORDS; i++) {
			testWorks(hdT_logStateStart(trace, "S"));
			testWorks(hdT_logAttributeDouble(trace, "i", i));
			testWorks(hdT_logStateEnd(trace));
			testWorks(hdS_writeInt64Value(group, i));
			if (i % 1000 == 999) {
				testWorks(hdT_flush(trace));
				testWorks(hdS_flush(group));
			}
		}
		testWorks(hdT_finalize(trace));
		testWorks(hdS_finalize(group));
	}
	return NULL;
}

static void testThreads(void)
{
	static const char *levels[] = { "Thread" };
	struct worker workers[THREADS];
	hdTopology *topology;

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4 HDTRACE_FLUSH_MS=1"
			   " HDTRACE_OVERWRITE_EXISTING_FILES=1"))
		return;
	testMakes(topology, hdT_createTopology("threads", levels, 1));
	for (int i = 0; i < THREADS; i++) {
		workers[i].topology = topology;
		workers[i].number = i;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	testWorks(hdT_destroyTopology(topology));
	for (int i = 0; i < THREADS; i++) {
		char *path = g_strdup_printf("threads_%d.trc", i);
		struct testTraceFile *file = testTraceReadEnded(path);
		struct testStatFile *stat;

		g_assert_cmpuint(file->count, ==, THREAD_RECORDS);
		for (int r = 0; r < THREAD_RECORDS; r++) {
			char expected[32];

			sprintf(expected, " i='%d'", r);
			g_assert_cmpstr(file->records[r].attributes, ==,
					expected);
		}
		testTraceFree(file);
		g_free(path);
		path = g_strdup_printf("threads_%d_G.stat", i);
		stat = testStatRead(path);
		g_assert_cmpuint(stat->count, ==, THREAD_RECORDS);
		for (uint64_t r = 0; r < THREAD_RECORDS; r++)
			g_assert_cmpuint(testBig64(stat->entries[r].values), ==,
					 r);
		testStatFree(stat);
		g_free(path);
	}
}

/* Threads that hand one trace on, one after the other. */
static void *workOnce(void *data)
{
	for (int i = 0; i < 100; i++)
		testWorks(hdT_logEvent(data, "e"));
	return NULL;
}

static void testHandover(void)
{
	hdTrace *trace = testTrace("handover");
	struct testTraceFile *file;

	for (int i = 0; i < 20; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, workOnce, trace);
		pthread_join(thread, NULL);
	}
	testWorks(hdT_finalize(trace));
	file = testTraceReadEnded("handover.trc");
	g_assert_cmpuint(file->count, ==, 2000);
	testTraceFree(file);
}

/* ---- Cancelled threads ------------------------------------------------- */

static hdTopoNode *cancelNode;
static hdTrace *cancelTrace;
static hdStatsGroup *cancelGroup;

static void cancelCreateTrace(void)
{
	testMakes(cancelTrace, hdT_createTrace(cancelNode));
}

static void cancelCreateAgain(void)
{
	testFailsNull(HD_ERR_CREATE_FILE, hdT_createTrace(cancelNode));
}

static void cancelState(void)
{
	testWorks(hdT_logStateStart(cancelTrace, "S"));
	testWorks(hdT_logStateEnd(cancelTrace));
}

static void cancelLarge(void)
{
	char *text = g_strnfill(100000, 'x');

	testWorks(hdT_logEvent(cancelTrace, text));
	g_free(text);
}

static void cancelInfo(void)
{
	testWorks(hdT_writeInfo(cancelTrace, "x\n"));
}

static void cancelFlush(void)
{
	testWorks(hdT_flush(cancelTrace));
}

static void cancelFinalize(void)
{
	testWorks(hdT_finalize(cancelTrace));
}

static void cancelCreateGroup(void)
{
	testMakes(cancelGroup, hdS_createGroup("G", cancelNode, 0));
	testWorks(hdS_addValue(cancelGroup, "v", INT32, NULL, NULL));
}

static void cancelCommit(void)
{
	testWorks(hdS_commitGroup(cancelGroup));
}

static void cancelEnable(void)
{
	testGives(0, hdS_enableGroup(cancelGroup));
	testGives(0, hdS_disableGroup(cancelGroup));
	testGives(0, hdS_enableGroup(cancelGroup));
}

static void cancelWrite(void)
{
	testWorks(hdS_writeInt32Value(cancelGroup, 1));
}

static void cancelFlushGroup(void)
{
	testWorks(hdS_flush(cancelGroup));
}

static void cancelFinalizeGroup(void)
{
	testWorks(hdS_finalize(cancelGroup));
}

static void cancelRemove(void)
{
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(cancelGroup));
	unlink("cancel_G.stat");
}

/* Make a call that does a system call or takes a lock, while this thread is
 * cancelled already: no call is a point where that has an effect. */
static void *cancelledCall(void *data)
{
	void (**call)(void) = data;

	pthread_cancel(pthread_self());
	(*call)();
	*call = NULL;
	pthread_testcancel();
	g_assert_not_reached();
}

static void testCancelling(gconstpointer environment)
{
	static void (*const calls[])(void) = {
		cancelCreateTrace,   cancelCreateAgain, cancelState,
		cancelLarge,         cancelInfo,        cancelInfo,
		cancelFlush,         cancelFinalize,    cancelCreateGroup,
		cancelRemove,        cancelCreateGroup, cancelCommit,
		cancelEnable,        cancelWrite,       cancelFlushGroup,
		cancelFinalizeGroup,
	};

	if (!testInProcess(environment))
		return;
	cancelNode = testNode("cancel", "");
	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
		void (*call)(void) = calls[i];
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, cancelledCall, &call);
		pthread_join(thread, &result);
		g_assert_true(result == PTHREAD_CANCELED);
		g_test_message("call %zu", i);
		g_assert_true(call == NULL);
	}
	hdT_destroyTopoNode(cancelNode);
	unlink("cancel.trc");
	unlink("cancel.info");
	unlink("cancel_G.stat");
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
		char *path = g_strdup_printf("/outfile/settings/%02zu", i);

		g_test_add_data_func(path, &settings[i], testSetting);
		g_free(path);
	}
	g_test_add_func("/outfile/long-prefix", testLongPrefix);
	g_test_add_func("/outfile/read-once", testReadOnce);
	g_test_add_data_func("/outfile/verbosity/-1", "-1", testVerbosity);
	g_test_add_data_func("/outfile/verbosity/0", "0", testVerbosity);
	g_test_add_data_func("/outfile/verbosity/1", "1", testVerbosity);
	g_test_add_data_func("/outfile/verbosity/2", "2", testVerbosity);
	g_test_add_data_func("/outfile/ring/small", &smallRing, testRing);
	g_test_add_data_func("/outfile/ring/growing", &growingRing, testRing);
	g_test_add_data_func("/outfile/growth/usual", "", testGrowth);
	g_test_add_data_func("/outfile/growth/said",
			     "HDTRACE_BUFFER_SIZE_KB=256", testGrowth);
	g_test_add_data_func("/outfile/growth/drops", "HDTRACE_ON_FULL=drop",
			     testGrowth);
	g_test_add_func("/outfile/removal", testRemoval);
	g_test_add_data_func("/outfile/fork/late", LATE, testFork);
	g_test_add_data_func("/outfile/fork/busy", "HDTRACE_FLUSH_MS=1",
			     testFork);
	g_test_add_func("/outfile/fork-meanwhile", testForkMeanwhile);
	g_test_add_func("/outfile/return", testReturn);
	g_test_add_func("/outfile/exit", testExit);
	g_test_add_func("/outfile/exit-thread", testExitThread);
	g_test_add_func("/outfile/exit-in-handler/first", testExitInHandler);
	g_test_add_func("/outfile/exit-in-handler/second", testExitInHandler);
	g_test_add_func("/outfile/exit-in-handler/third", testExitInHandler);
	g_test_add_func("/outfile/signals", testSignals);
	g_test_add_func("/outfile/threads", testThreads);
	g_test_add_func("/outfile/handover", testHandover);
	g_test_add_data_func("/outfile/cancelling/silent", "HDTRACE_FLUSH_MS=1",
			     testCancelling);
	g_test_add_data_func("/outfile/cancelling/forced",
			     "HDTRACE_FORCE_FLUSH=1 HDTRACE_VERBOSITY=3",
			     testCancelling);
	return testRun();
}
