/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both threads */
/* Relations: many threads, and what happens to files and processes. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hdRelation.h>
#include "tests/lib/relfile.h"
#include "tests/lib/testlib.h"
#include "tests/writing/stopdisk.h"

#define LATE "HDTRACE_FLUSH_MS=3600000"

static hdR_topoToken openNode(const char *project, const char *labels)
{
	hdTopoNode *node = testNode(project, labels);
	hdR_topoToken topology;

	testWorks(hdR_initTopology(node, &topology));
	g_assert_nonnull(topology);
	hdT_destroyTopoNode(node);
	return topology;
}

/* ---- Threads ----------------------------------------------------------- */

#define THREADS 16
#define QUEUE 64

/* Relations go from hand to hand through a ring of places. */
static struct {
	hdR_topoToken node;
	int count;
	_Atomic(hdR_token) places[QUEUE];
} hands;

static void step(hdR_token token, int i)
{
	testWorks(hdR_startS(token, "step"));
	testWorks(hdR_logAttributeInt64(token, "i", i));
	testWorks(hdR_endS(token));
}

static void *handRun(void *data)
{
	struct testRandom random = { (uint64_t)(uintptr_t)data };

	for (int i = 0; i < hands.count; i++) {
		hdR_token token = hdR_createTopLevelRelation(hands.node);
		size_t place = testRandomBelow(&random, QUEUE);

		g_assert_nonnull(token);
		testWorks(hdR_startS(token, "deferred"));
		step(token, i);
		/* Give it away, and go on with another one. */
		token = atomic_exchange(&hands.places[place], token);
		if (!token)
			continue;
		step(token, i);
		testWorks(hdR_endS(token));
		testWorks(hdR_destroyRelation(&token));
	}
	return NULL;
}

/* R2: ids are unique, nothing is lost, and what one relation does stays in
 * order, whichever threads it went through. */
static void testThreads(gconstpointer environment)
{
	pthread_t threads[THREADS];
	struct testRelFile *file;
	size_t count;

	if (!testInProcess(environment))
		return;
	unlink("r2.rel");
	hands.node = openNode("r2", "");
	hands.count = g_getenv("HDTRACE_TEST_LONG") ? 100000 : 1000;
	count = (size_t)THREADS * (size_t)hands.count;
	for (size_t i = 0; i < THREADS; i++)
		g_assert_cmpint(pthread_create(&threads[i], NULL, handRun,
					       (void *)(i + 1)),
				==, 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < QUEUE; i++) {
		hdR_token token = atomic_exchange(&hands.places[i], NULL);

		if (!token)
			continue;
		step(token, 0);
		testWorks(hdR_endS(token));
		testWorks(hdR_destroyRelation(&token));
	}
	testWorks(hdR_finalize(&hands.node));
	testWorks(hdR_closeAPI());
	file = testRelRead("r2.rel");
	g_assert_true(file->isComplete);
	testRelCheck(file);
	g_assert_cmpuint(testRelCount(file, "rel"), ==, count);
	g_assert_cmpuint(testRelCount(file, "un"), ==, count);
	g_assert_cmpuint(testRelCount(file, "s"), ==, 3 * count);
	g_assert_cmpuint(testRelCount(file, "e"), ==, 3 * count);
	testRelFree(file);
}

/* A node is finalized and begun again while others use relations of it. */
static struct {
	hdR_topoToken node;
	pthread_rwlock_t lock; /* Of the variable above. */
	atomic_bool isOver;
	atomic_int refused;
} reopened = { .lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP };

static void allowed(int ret)
{
	if (ret == 0)
		return;
	g_assert_cmpint(errno, ==, HD_ERR_TRACE_DISABLED);
	atomic_fetch_add(&reopened.refused, 1);
}

static void *reopenRun(void *data)
{
	hdR_token old = NULL;

	(void)data;
	while (!atomic_load(&reopened.isOver)) {
		hdR_token token;

		pthread_rwlock_rdlock(&reopened.lock);
		token = hdR_createTopLevelRelation(reopened.node);
		pthread_rwlock_unlock(&reopened.lock);
		if (!token)
			continue;
		allowed(hdR_startS(token, "s"));
		if (old) {
			allowed(hdR_startS(old, "late"));
			allowed(hdR_destroyRelation(&old));
		}
		old = token;
	}
	if (old)
		allowed(hdR_destroyRelation(&old));
	return NULL;
}

static void testReopened(void)
{
	pthread_t threads[4];

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=16 HDTRACE_FLUSH_MS=1"))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_create(&threads[i], NULL, reopenRun, NULL);
	for (int i = 0; i < 60 || atomic_load(&reopened.refused) == 0; i++) {
		hdR_topoToken node = openNode("again", ""), over;

		pthread_rwlock_wrlock(&reopened.lock);
		reopened.node = node;
		pthread_rwlock_unlock(&reopened.lock);
		if (i % 10 == 0)
			g_usleep(2000);
		testWorks(hdR_flush(node));
		pthread_rwlock_wrlock(&reopened.lock);
		over = reopened.node;
		reopened.node = NULL;
		pthread_rwlock_unlock(&reopened.lock);
		testWorks(hdR_finalize(&over));
		if (testExists("again.rel")) {
			struct testRelFile *file = testRelRead("again.rel");

			g_assert_true(file->isComplete);
			testRelCheck(file);
			testRelFree(file);
			unlink("again.rel");
		}
	}
	atomic_store(&reopened.isOver, true);
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
	testWorks(hdR_closeAPI());
}

/* ---- Buffers ----------------------------------------------------------- */

/* Records that are larger than a thread's ring, than the pieces that are
 * written, and than both. */
static void testLarge(gconstpointer environment)
{
	char *value;
	const char *const keys[] = { "a", "b", "c" };
	const char *values[3];
	struct testRelFile *file;
	hdR_topoToken node;
	hdR_token a;

	if (!testInProcess(environment))
		return;
	unlink("large.rel");
	node = openNode("large", "");
	value = g_strnfill(HDR_MAX_VALUE_LENGTH, 'v');
	testMakes(a, hdR_createTopLevelRelation(node));
	for (int i = 0; i < 40; i++) {
		values[0] = value + testRandomBelow(&(struct testRandom){ 7 },
						    HDR_MAX_VALUE_LENGTH);
		values[1] = value + i * 1600;
		values[2] = value;
		testWorks(hdR_start(a, "s", i % 4, keys, values));
		testWorks(hdR_endS(a));
	}
	testWorks(hdR_destroyRelation(&a));
	testWorks(hdR_finalize(&node));
	file = testRelRead("large.rel");
	testRelCheck(file);
	g_assert_cmpuint(file->elements->len, ==, 82);
	for (size_t i = 0; i < 40; i++) {
		const struct testRelElement *s = testRelAt(file, 1 + 2 * i);

		g_assert_cmpuint(g_hash_table_size(s->attributes), ==,
				 3 + i % 4);
		if (i % 4 >= 2)
			g_assert_cmpstr(testRelGet(s, "b"), ==,
					value + i * 1600);
		if (i % 4 == 3)
			g_assert_cmpstr(testRelGet(s, "c"), ==, value);
	}
	testRelFree(file);
	g_free(value);
}

/* Two elements at a time that do not fit into a ring. */
static void testLargeTogether(void)
{
	static const char *const keys[] = { "value" };
	char *value = g_strnfill(HDR_MAX_VALUE_LENGTH, 'v');
	struct testRelFile *file;
	hdR_topoToken node;
	hdR_token a;

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4 " LATE)) {
		g_free(value);
		return;
	}
	node = openNode("large-together", "");
	testMakes(a, hdR_startRelation(node, NULL, NULL, "state"));
	testWorks(hdR_endRelation(&a, 1, keys, (const char *[]){ value }));
	testWorks(hdR_finalize(&node));
	file = testRelRead("large-together.rel");
	testRelCheck(file);
	g_assert_cmpuint(file->elements->len, ==, 4);
	g_assert_cmpstr(testRelGet(testRelAt(file, 2), "value"), ==, value);
	g_assert_cmpstr(testRelAt(file, 3)->name, ==, "un");
	testRelFree(file);
	g_free(value);
}

/* Where buffers may drop, what is there is whole: nothing ends that did not
 * begin, and what is not there is counted. */
static void testDrop(void)
{
	uint64_t elements = 0;
	struct testRelFile *file;
	hdR_topoToken node;
	hdLosses losses;

	if (!testInProcess(
		    "HDTRACE_ON_FULL=drop HDTRACE_BUFFER_SIZE_KB=16 " LATE))
		return;
	node = openNode("drop", "");
	for (int i = 0; i < 3000; i++) {
		hdR_token a, b;

		testMakes(a, hdR_createTopLevelRelation(node));
		testMakes(b, hdR_relateTopologyInternalToken(a));
		testWorks(hdR_startS(a, "outer"));
		testWorks(hdR_startS(a, "inner"));
		testWorks(hdR_link(b, "h:1:2:3"));
		if (i == 1000) {
			/* More than the buffer holds. Ends would wait. */
			pthread_mutex_lock(&disk);
			for (int link = 0; link < 2000; link++)
				testWorks(hdR_link(b, "h:1:2:3"));
			pthread_mutex_unlock(&disk);
			elements += 2000;
		}
		testWorks(hdR_endS(a));
		testWorks(hdR_endS(a));
		testWorks(hdR_destroyRelation(&b));
		testMakes(b, hdR_startRelation(node, a, NULL, "whole"));
		testWorks(hdR_endRelation(&b, 0, NULL, NULL));
		testWorks(hdR_destroyRelation(&a));
		elements += 13;
	}
	testWorks(hdR_getLosses(node, &losses));
	testWorks(hdR_finalize(&node));
	file = testRelRead("drop.rel");
	testRelCheck(file);
	g_assert_cmpuint(losses.records, >, 0);
	g_assert_cmpuint(file->elements->len + losses.records, ==, elements);
	g_assert_cmpuint(testRelCount(file, "s"), ==, testRelCount(file, "e"));
	g_assert_cmpuint(testRelCount(file, "rel"), ==,
			 testRelCount(file, "un"));
	testRelFree(file);
}

/* ---- Files ------------------------------------------------------------- */

/* R6: no file can be made. */
static void testNoFile(void)
{
	hdTopoNode *node = testNode("missing/r6", "");
	hdR_topoToken topology, second;

	testFails(HD_ERR_CREATE_FILE, hdR_initTopology(node, &topology));
	g_assert_null(topology);
	hdT_destroyTopoNode(node);
	topology = openNode("r6", "");
	node = testNode("r6", "");
	testFails(HD_ERR_CREATE_FILE, hdR_initTopology(node, &second));
	g_assert_null(second);
	hdT_destroyTopoNode(node);
	testWorks(hdR_finalize(&topology));
	g_assert_false(testExists("r6.rel"));
	testWorks(hdR_closeAPI());
}

/* R6: the disk is full: said once, counted, and the server goes on. */
static void testFull(gconstpointer environment)
{
	const struct rlimit limit = { 3000, 3000 };
	struct testRelFile *file;
	hdR_topoToken node;
	hdLosses losses;
	int reports = 0;
	uint64_t elements = 0;
	struct stat is;

	if (!testInProcess(environment))
		return;
	unlink("full.rel");
	node = openNode("full", "");
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	for (int i = 0; i < 200; i++) {
		int before = reports;
		hdR_token a;

		a = hdR_createTopLevelRelation(node);
		g_assert_nonnull(a);
		reports += hdR_startS(a, "s") < 0;
		reports += hdR_endS(a) < 0;
		reports += hdR_link(a, "h:1:2:3") < 0;
		if (i % 10 == 0 && hdR_flush(node) < 0)
			g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
		if (reports > before)
			g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
		reports += hdR_destroyRelation(&a) < 0;
		a = hdR_startRelation(node, NULL, NULL, "whole");
		g_assert_nonnull(a);
		reports += hdR_endRelation(&a, 0, NULL, NULL) < 0;
		g_assert_null(a);
		elements += 9;
	}
	g_assert_cmpint(reports, <=, 1);
	testFails(HD_ERR_WRITE_FILE, hdR_flush(node));
	testWorks(hdR_getLosses(node, &losses));
	testFails(HD_ERR_WRITE_FILE, hdR_finalize(&node));
	g_assert_cmpint(stat("full.rel", &is), ==, 0);
	g_assert_cmpint(is.st_size, <=, 3000);
	file = testRelRead("full.rel");
	g_assert_false(file->isComplete);
	testRelCheck(file);
	g_assert_cmpuint(file->elements->len, >, 20);
	g_assert_cmpuint(file->elements->len + losses.records, ==, elements);
	testRelFree(file);
}

/* The program has closed our descriptor, and got its number for its own. */
static void testTaken(void)
{
	hdR_topoToken node;
	int own, taken = -1;
	hdLosses losses;
	size_t length;
	char *bytes;
	hdR_token a;

	if (!testInProcess(LATE))
		return;
	node = openNode("taken", "");
	testWorks(hdR_flush(node));
	own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int fd = 3; fd < 100 && taken < 0; fd++) {
		char link[64], path[4096];
		ssize_t n;

		g_snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		if (n <= 0)
			continue;
		path[n] = '\0';
		if (g_str_has_suffix(path, "/taken.rel"))
			taken = fd;
	}
	g_assert_cmpint(taken, >=, 0);
	g_assert_cmpint(dup2(own, taken), ==, taken);
	testMakes(a, hdR_createTopLevelRelation(node));
	testWorks(hdR_destroyRelation(&a));
	testFails(HD_ERR_WRITE_FILE, hdR_flush(node));
	testWorks(hdR_getLosses(node, &losses));
	g_assert_cmpuint(losses.records, ==, 2);
	testFails(HD_ERR_WRITE_FILE, hdR_finalize(&node));
	bytes = testRead("own", &length);
	g_assert_cmpuint(length, ==, 0);
	g_free(bytes);
	g_assert_cmpint(fcntl(taken, F_GETFD), >=, 0);
}

/* ---- Processes --------------------------------------------------------- */

static void waitFor(pid_t pid, int expected)
{
	int status;

	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, expected);
}

/* R5: what was complete when the process was killed is there. */
static void testKilled(void)
{
	struct testRelFile *file;
	int fds[2];
	pid_t pid;
	char byte;

	if (TEST_HAS_TSAN) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess("HDTRACE_FLUSH_MS=1"))
		return;
	for (int run = 0; run < 10; run++) {
		unlink("r5.rel");
		g_assert_cmpint(pipe(fds), ==, 0);
		fflush(NULL);
		pid = fork();
		g_assert_cmpint(pid, >=, 0);
		if (pid == 0) {
			hdR_topoToken node = openNode("r5", "");

			for (int i = 0;; i++) {
				hdR_token a = hdR_createTopLevelRelation(node);

				step(a, i);
				if (i == 200 && (hdR_flush(node) < 0 ||
						 write(fds[1], "", 1) != 1))
					_exit(1);
				hdR_destroyRelation(&a);
			}
		}
		g_assert_cmpint(read(fds[0], &byte, 1), ==, 1);
		g_usleep((gulong)run * 300);
		g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
		waitFor(pid, SIGKILL);
		close(fds[0]);
		close(fds[1]);
		/* A process may be killed in the middle of a write. */
		file = testRelReadCut("r5.rel");
		g_assert_false(file->isComplete);
		testRelCheck(file);
		g_assert_cmpuint(testRelCount(file, "e"), >=, 201);
		testRelFree(file);
	}
}

/* What a child does with the parent's: nothing is recorded; its own works, and
 * names the parent's relation as what caused it. */
static void forked(hdR_topoToken node, hdR_token *parent, const char *local)
{
	struct testRelFile *file;
	hdR_topoToken own;
	hdLosses losses;
	hdR_token a;

	errno = TEST_ERRNO;
	g_assert_null(hdR_createTopLevelRelation(node));
	testFails(HD_ERR_TRACE_DISABLED, hdR_startS(*parent, "child"));
	testFails(HD_ERR_TRACE_DISABLED, hdR_endS(*parent));
	testFails(HD_ERR_TRACE_DISABLED, hdR_link(*parent, "h:1:2:3"));
	testWorks(hdR_flush(node));
	testWorks(hdR_getLosses(node, &losses));
	own = openNode("child", "");
	testMakes(a, hdR_relateProcessLocalToken(own, *parent));
	testWorks(hdR_startS(a, "child"));
	testWorks(hdR_endS(a));
	testWorks(hdR_destroyRelation(&a));
	testFails(HD_ERR_TRACE_DISABLED, hdR_destroyRelation(parent));
	testWorks(hdR_finalize(&node));
	testWorks(hdR_finalize(&own));
	file = testRelRead("child.rel");
	testRelCheck(file);
	g_assert_cmpstr(testRelGet(testRelAt(file, 0), "l"), ==, local);
	testRelFree(file);
}

static void testFork(void)
{
	struct testRelFile *file;
	hdR_topoToken node;
	hdR_token a;
	char *local;
	pid_t pid;

	if (TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess(LATE))
		return;
	node = openNode("fork", "");
	testMakes(a, hdR_createTopLevelRelation(node));
	testWorks(hdR_startS(a, "parent"));
	testMakes(local, hdR_getLocalToken(a));
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		forked(node, &a, local);
		exit(0);
	}
	waitFor(pid, 0);
	testWorks(hdR_endS(a));
	testWorks(hdR_destroyRelation(&a));
	testWorks(hdR_finalize(&node));
	file = testRelRead("fork.rel");
	testRelCheck(file);
	g_assert_cmpuint(file->elements->len, ==, 4);
	testRelFree(file);
	free(local);
}

/* A process that ends without finalizing loses nothing. */
static void testExit(void)
{
	struct testRelFile *file;
	pid_t pid;

	if (TEST_HAS_TSAN) {
		g_test_skip("the sanitizer cannot follow fork()");
		return;
	}
	if (!testInProcess(LATE))
		return;
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		static hdR_topoToken node;
		static hdR_token a;

		node = openNode("exit", "");
		a = hdR_createTopLevelRelation(node);
		testWorks(hdR_startS(a, "open"));
		exit(0);
	}
	waitFor(pid, 0);
	file = testRelRead("exit.rel");
	g_assert_false(file->isComplete);
	g_assert_cmpuint(file->elements->len, ==, 2);
	testRelFree(file);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_data_func("/relation/threads/default", "", testThreads);
	g_test_add_data_func("/relation/threads/small",
			     "HDTRACE_BUFFER_SIZE_KB=16 HDTRACE_FLUSH_MS=1",
			     testThreads);
	g_test_add_func("/relation/reopened", testReopened);
	g_test_add_data_func("/relation/large/4", "HDTRACE_BUFFER_SIZE_KB=4",
			     testLarge);
	g_test_add_data_func("/relation/large/256",
			     "HDTRACE_BUFFER_SIZE_KB=256", testLarge);
	g_test_add_data_func("/relation/large/4096",
			     "HDTRACE_BUFFER_SIZE_KB=4096", testLarge);
	g_test_add_func("/relation/large/together", testLargeTogether);
	g_test_add_func("/relation/drop", testDrop);
	g_test_add_func("/relation/no-file", testNoFile);
	g_test_add_data_func("/relation/full/late", LATE, testFull);
	g_test_add_data_func("/relation/full/forced", "HDTRACE_FORCE_FLUSH=1",
			     testFull);
	g_test_add_data_func("/relation/full/busy", "HDTRACE_FLUSH_MS=1",
			     testFull);
	g_test_add_func("/relation/taken", testTaken);
	g_test_add_func("/relation/killed", testKilled);
	g_test_add_func("/relation/fork", testFork);
	g_test_add_func("/relation/exit", testExit);
	return testRun();
}
