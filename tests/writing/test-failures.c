/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * What the system can refuse: memory, files, bytes, threads.
 *
 * The linker puts the functions below between the library and libc. A session
 * that uses every function runs again and again, and each time something else
 * fails: the first allocation, the second, ...; the disk is full after no byte,
 * after one, ...
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <hdRelation.h>
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "tests/lib/relfile.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"
#include "tests/lib/tracefile.h"

#define START (INT64_C(1234567890) * 1000000000)

/* ---- The system -------------------------------------------------------- */

static struct {
	/* Memory. */
	atomic_int allocations;
	int failFrom; /* Number of the first allocation that fails, or 0. */
	int failTo;   /* And of the last. */
	atomic_int live;
	/* Files. */
	int openError;
	int openInterrupts;
	int closeError;
	int truncateError;
	bool threadsFail;
	/* Writing. */
	atomic_int operations;
	int failOperation; /* Number of the write that fails, or 0. */
	int64_t space;     /* Bytes left on the disk, or -1. */
	int error;
	size_t most; /* Bytes that a write takes, or 0: all. */
	bool interrupts;
	atomic_bool isInterrupted;
	/* A write that waits, and then fails. */
	bool stops;
	sem_t entered;
	sem_t released;
} faults;

static void faultsClear(void)
{
	faults.failFrom = 0;
	faults.openError = 0;
	faults.openInterrupts = 0;
	faults.closeError = 0;
	faults.truncateError = 0;
	faults.threadsFail = false;
	atomic_store(&faults.operations, 0);
	faults.failOperation = 0;
	faults.space = -1;
	faults.error = ENOSPC;
	faults.most = 0;
	faults.interrupts = false;
	faults.stops = false;
}

static bool allocationFails(void)
{
	int number = atomic_fetch_add(&faults.allocations, 1) + 1;

	if (faults.failFrom && number >= faults.failFrom &&
	    number <= faults.failTo) {
		errno = ENOMEM;
		return true;
	}
	return false;
}

static void *allocated(void *memory)
{
	if (memory)
		atomic_fetch_add(&faults.live, 1);
	return memory;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return allocationFails() ? NULL : allocated(__real_malloc(size));
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return allocationFails() ? NULL : allocated(__real_calloc(count, size));
}

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
	if (allocationFails())
		return NULL;
	if (!memory)
		return allocated(__real_malloc(size));
	return __real_realloc(memory, size);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	return allocationFails() ? NULL : allocated(__real_strdup(text));
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	if (memory)
		atomic_fetch_sub(&faults.live, 1);
	__real_free(memory);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	if (faults.openInterrupts > 0) {
		faults.openInterrupts--;
		errno = EINTR;
		return -1;
	}
	if (faults.openError) {
		errno = faults.openError;
		return -1;
	}
	va_start(arguments, flags);
	mode = va_arg(arguments, mode_t);
	va_end(arguments);
	return __real_open(path, flags, mode);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int ret = __real_close(fd);

	if (!faults.closeError)
		return ret;
	errno = faults.closeError;
	return -1;
}

int __real_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length)
{
	if (!faults.truncateError)
		return __real_ftruncate(fd, length);
	errno = faults.truncateError;
	return -1;
}

/* What a write may take: up to @p length, or -1 and errno. */
static ssize_t writable(size_t length)
{
	int number;

	if (faults.stops) {
		sem_post(&faults.entered);
		sem_wait(&faults.released);
		errno = faults.error;
		return -1;
	}
	if (faults.interrupts &&
	    !atomic_exchange(&faults.isInterrupted, true)) {
		errno = EINTR;
		return -1;
	}
	atomic_store(&faults.isInterrupted, false);
	number = atomic_fetch_add(&faults.operations, 1) + 1;
	if (number == faults.failOperation ||
	    (faults.space == 0 && length > 0)) {
		errno = faults.error;
		return faults.error ? -1 : 0;
	}
	if (faults.most && length > faults.most)
		length = faults.most;
	if (faults.space >= 0 && (int64_t)length > faults.space)
		length = (size_t)faults.space;
	return (ssize_t)length;
}

ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
	ssize_t may;

	/* What is said of a fault is no fault. */
	if (fd == STDERR_FILENO)
		return __real_write(fd, bytes, length);
	may = writable(length);
	if (may <= 0)
		return may;
	if (faults.space >= 0)
		faults.space -= may;
	return __real_write(fd, bytes, (size_t)may);
}

ssize_t __real_pwrite(int fd, const void *bytes, size_t length, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t length, off_t offset)
{
	int64_t space = faults.space;
	ssize_t may;

	/* What is written over needs no new room. */
	faults.space = -1;
	may = writable(length);
	faults.space = space;
	return may <= 0 ? may : __real_pwrite(fd, bytes, (size_t)may, offset);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*run)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*run)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*run)(void *), void *data)
{
	if (faults.threadsFail)
		return EAGAIN;
	return __real_pthread_create(thread, attributes, run, data);
}

/* ---- Memory ------------------------------------------------------------ */

/* What a session without memory got done. */
struct memorySession {
	bool anyFailed;
	bool hasTrace;
	bool hasGroup;
	size_t records; /* That must be in the trace. */
	size_t entries;
	size_t attributes;
};

/* A call works or has no memory. */
static bool worked(struct memorySession *session, int ret)
{
	if (ret == 0)
		return true;
	g_assert_cmpint(ret, ==, -1);
	g_assert_cmpint(errno, ==, HD_ERR_MALLOC);
	session->anyFailed = true;
	return false;
}

static bool made(struct memorySession *session, const void *object)
{
	return worked(session, object ? 0 : -1);
}

static void memoryTrace(struct memorySession *session, hdTopoNode *node)
{
	char *text = g_strnfill(3000, '<');
	hdTrace *trace = hdT_createTrace(node);
	unsigned int depth = 0;

	session->hasTrace = made(session, trace);
	if (!session->hasTrace)
		goto out;
	for (int i = 0; i < 40; i++) {
		if (!worked(session, hdT_logStateStart(trace, "State")))
			continue;
		depth++;
		if (i % 10 == 5 &&
		    worked(session, hdT_logAttributeString(trace, "s", text)))
			session->attributes++;
		if (i % 10 == 6 &&
		    worked(session, hdT_logAttributes(trace, "s='%s'", text)))
			session->attributes++;
		if (i % 10 == 2)
			worked(session,
			       hdT_logElement(trace, "E", "a='%s'", text));
		if (i % 10 == 4)
			worked(session,
			       hdT_logElementInt64(trace, "E", "a b",
						   (const int64_t[]){ 1, i }));
		if (i % 10 == 3 && worked(session, hdT_logEvent(trace, text)))
			session->records++;
		/* What is left open may lose its attributes at the end. */
		if (worked(session, hdT_logAttributeInt64(trace, "i", i)) &&
		    i >= 5)
			session->attributes++;
	}
	worked(session, hdT_writeInfo(trace, "%s\n", text));
	for (; depth > 5; depth--) {
		/* The state is there, even where what it holds is lost. */
		session->records++;
		if (!worked(session, hdT_logStateEnd(trace)))
			session->attributes = 0;
	}
	session->records += depth;
	testWorks(hdT_flush(trace));
	testWorks(hdT_finalize(trace));
out:
	g_free(text);
}

static void memoryGroup(struct memorySession *session, hdTopoNode *node)
{
	char *text = g_strnfill(20000, 'x');
	hdStatsGroup *group = hdS_createGroup("G", node, 1);
	bool isCommitted = false;

	if (!made(session, group))
		goto out;
	if (worked(session, hdS_addAttribute(group, "source", "test")) &&
	    worked(session, hdS_addValue(group, "a", STRING, "u", "g")) &&
	    worked(session, hdS_addAttribute(group, "b", "c")) &&
	    worked(session, hdS_addValue(group, "d", STRING, NULL, NULL)))
		isCommitted = worked(session, hdS_commitGroup(group));
	if (!isCommitted) {
		testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(group));
		goto out;
	}
	session->hasGroup = true;
	testGives(0, hdS_enableGroup(group));
	for (size_t i = 0; i < 4; i++) {
		if (!worked(session, hdS_writeString(group, text + 5000 * i)))
			/* Nothing was written: the next one is the first. */
			continue;
		if (!worked(session, hdS_writeString(group, text)) &&
		    !worked(session, hdS_writeString(group, text)))
			break;
		session->entries++;
	}
	testWorks(hdS_finalize(group));
out:
	g_free(text);
}

/* Run everything; each allocation may fail. */
static struct memorySession memorySession(void)
{
	struct memorySession session = { 0 };
	const char *levels[] = { "Host", "Rank" };
	hdTopology *topology = hdT_createTopology("memory", levels, 2);
	hdTopoNode *node = NULL;

	if (made(&session, topology)) {
		node = hdT_createTopoNode(topology, levels, 2);
		made(&session, node);
		testWorks(hdT_destroyTopology(topology));
	}
	if (node) {
		memoryTrace(&session, node);
		memoryGroup(&session, node);
		testWorks(hdT_destroyTopoNode(node));
	}
	return session;
}

static void memoryCheck(const struct memorySession *session)
{
	struct testTraceFile *trace;
	struct testStatFile *stat;

	g_assert_true(session->hasTrace == testExists("memory_Host_Rank.trc"));
	g_assert_true(session->hasGroup == testExists("memory_Host_G.stat"));
	if (session->hasTrace) {
		size_t attributes = 0;

		trace = testTraceReadEnded("memory_Host_Rank.trc");
		g_assert_cmpuint(trace->count, ==, session->records);
		for (size_t i = 0; i < trace->count; i++) {
			struct testRecord *record = &trace->records[i];
			char *i64 = testRecordAttribute(record, "i");
			char *s = testRecordAttribute(record, "s");

			attributes += !!i64 + !!s;
			if (s)
				g_assert_cmpuint(strlen(s), ==, 3000);
			g_free(i64);
			g_free(s);
		}
		g_assert_cmpuint(attributes, >=, session->attributes);
		testTraceFree(trace);
		unlink("memory_Host_Rank.trc");
		unlink("memory_Host_Rank.info");
	}
	if (session->hasGroup) {
		stat = testStatRead("memory_Host_G.stat");
		g_assert_cmpuint(stat->count, ==, session->entries);
		g_assert_cmpuint(stat->bytesLeft, ==, 0);
		testStatFree(stat);
		unlink("memory_Host_G.stat");
	}
}

/* A buffer that would grow, and has no memory for that, is one that does not.
 */
static void testSmallerBuffer(void)
{
	bool hasFailed = false;
	int n = 0, smaller = 0;

	if (!testInProcess(""))
		return;
	do {
		struct hdOutfile *file = NULL;
		int ret;

		faultsClear();
		atomic_store(&faults.allocations, 0);
		faults.failFrom = faults.failTo = ++n;
		ret = hdOutfileOpen(__real_strdup("smaller"), true, &file);
		hasFailed = atomic_load(&faults.allocations) >= n;
		faultsClear();
		if (ret < 0) {
			g_assert_cmpint(ret, ==, -HD_ERR_MALLOC);
			continue;
		}
		smaller += file->maskMax == file->mask;
		testWorks(hdOutfileClose(file));
		unlink("smaller");
	} while (hasFailed);
	g_assert_cmpint(smaller, ==, 1);
}

/* All that is allocated must be there. */
#define BUFFER_FIXED "HDTRACE_BUFFER_SIZE_KB=256"

/* The nth allocation fails, or it and all after it. */
static void testMemory(gconstpointer persistent)
{
	struct memorySession session;
	int n = 0;

	if (!testInProcess(BUFFER_FIXED))
		return;
	do {
		int before = atomic_load(&faults.live);

		faultsClear();
		testClockSet(START, 1);
		atomic_store(&faults.allocations, 0);
		faults.failFrom = ++n;
		faults.failTo = persistent ? INT32_MAX : n;
		session = memorySession();
		g_assert_true(session.anyFailed ==
			      (atomic_load(&faults.allocations) >= n));
		faultsClear();
		g_assert_cmpint(atomic_load(&faults.live), ==, before);
		memoryCheck(&session);
	} while (session.anyFailed);
	g_test_message("%d allocations", n - 1);
	g_assert_cmpint(n, >, 40);
	g_assert_cmpuint(session.records, ==, 44);
	g_assert_cmpuint(session.entries, ==, 4);
	testClockReset();
}

/* ---- Memory for relations ---------------------------------------------- */

static void memoryStates(struct memorySession *session, hdR_token a,
			 const char *text)
{
	static const char *const keys[] = { "k" };
	unsigned int open = 0;

	for (int i = 0; i < 12; i++) {
		if (worked(session, hdR_start(a, text, 1, keys, &text)))
			open++;
		if (open > 0 &&
		    worked(session, hdR_logAttributeInt64(a, "i", i)))
			session->attributes++;
	}
	worked(session, hdR_link(a, "h:1:2:3"));
	for (; open > 0; open--)
		if (!worked(session, hdR_endE(a, 1, keys, &text, "<x/>")))
			/* It is still open, and ends without what failed. */
			if (!worked(session, hdR_endS(a)))
				break;
}

/* In a thread, so that nothing of it is kept. */
static void *memoryRelations(void *data)
{
	struct memorySession *session = data;
	hdTopoNode *node = NULL;
	const char *levels[] = { "Host" };
	hdTopology *topology = hdT_createTopology("related", levels, 1);
	char *text = g_strnfill(900, '<');
	hdR_hints *hints = NULL, *copy = NULL;
	char bytes[2000];
	hdR_topoToken place = NULL;
	hdR_token a, b;
	char *token;

	if (made(session, topology)) {
		node = hdT_createTopoNode(topology, levels, 1);
		made(session, node);
		testWorks(hdT_destroyTopology(topology));
	}
	if (node) {
		session->hasTrace =
			worked(session, hdR_initTopology(node, &place));
		testWorks(hdT_destroyTopoNode(node));
	}
	if (session->hasTrace) {
		a = hdR_createTopLevelRelation(place);
		if (made(session, a)) {
			session->records++;
			memoryStates(session, a, text);
			b = hdR_relateProcessLocalToken(place, a);
			if (made(session, b)) {
				session->records++;
				testWorks(hdR_destroyRelation(&b));
			}
			token = hdR_getRemoteToken(a);
			made(session, token);
			free(token);
			token = hdR_getLocalToken(a);
			made(session, token);
			free(token);
			worked(session, hdR_addTokenHint(&hints, a));
			worked(session, hdR_addHint(&hints, "k", text, 900));
			worked(session,
			       hdR_decodeHints(&copy, bytes,
					       hdR_encodeHints(hints, bytes,
							       sizeof(bytes))));
			hdR_freeHints(&hints);
			hdR_freeHints(&copy);
			worked(session, hdR_destroyRelation(&a));
		}
		worked(session, hdR_finalize(&place));
	}
	testWorks(hdR_closeAPI());
	g_free(text);
	return NULL;
}

static void memoryCheckRelations(const struct memorySession *session)
{
	struct testRelFile *file;

	g_assert_true((session->hasTrace && session->records > 0) ==
		      testExists("related_Host.rel"));
	if (!testExists("related_Host.rel"))
		return;
	file = testRelRead("related_Host.rel");
	testRelCheck(file);
	g_assert_cmpuint(testRelCount(file, "rel"), ==, session->records);
	if (!session->anyFailed)
		g_assert_cmpuint(testRelCount(file, "e"), ==, 12);
	g_assert_true(file->isComplete);
	testRelFree(file);
	unlink("related_Host.rel");
}

static void testRelationMemory(gconstpointer persistent)
{
	struct memorySession session;
	int n = 0;

	if (!testInProcess(BUFFER_FIXED))
		return;
	do {
		int before = atomic_load(&faults.live);
		pthread_t thread;

		faultsClear();
		atomic_store(&faults.allocations, 0);
		memset(&session, 0, sizeof(session));
		faults.failFrom = ++n;
		faults.failTo = persistent ? INT32_MAX : n;
		g_assert_cmpint(__real_pthread_create(&thread, NULL,
						      memoryRelations,
						      &session),
				==, 0);
		pthread_join(thread, NULL);
		g_assert_true(session.anyFailed ==
			      (atomic_load(&faults.allocations) >= n));
		faultsClear();
		g_assert_cmpint(atomic_load(&faults.live), ==, before);
		memoryCheckRelations(&session);
	} while (session.anyFailed);
	g_test_message("%d allocations", n - 1);
	g_assert_cmpint(n, >, 30);
}

/* ---- Writing ----------------------------------------------------------- */

#define IO_ROUNDS 9

/* What a session with a bad disk was told. */
struct ioSession {
	bool hasTrace;
	bool isCommitted;
	/* Asked for: states and events, lines of information, entries and gaps.
	 */
	size_t records;
	size_t lines;
	size_t entries;
	/* How often each file reported an error. */
	int traceReports;
	int infoReports;
	int statReports;
	bool flushFailed;
	bool traceFailed; /* What finalizing said. */
	bool statFailed;
	hdLosses traceLosses;
	hdLosses statLosses;
};

/* A call works or reports that a file cannot be written. */
static void reports(int ret, int *count)
{
	if (ret == 0)
		return;
	g_assert_cmpint(ret, ==, -1);
	g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
	++*count;
}

static void ioTraceRound(struct ioSession *session, hdTrace *trace, int i)
{
	int *count = &session->traceReports;

	/* Names that look like brackets of nested states, but are none. */
	reports(hdT_logStateStart(trace, "UnNested"), count);
	testWorks(hdT_logAttributeInt64(trace, "i", i));
	if (i % 3) {
		reports(hdT_logStateStart(trace, "Read"), count);
		testWorks(hdT_logElement(trace, "Data", "size='%d'", i));
		reports(hdT_logStateEnd(trace), count);
		reports(hdT_logEvent(trace, "an event"), count);
		session->records += 2;
	}
	testWorks(hdT_logElement(trace, "Nest", NULL));
	reports(hdT_logStateEnd(trace), count);
	session->records++;
	reports(hdT_writeInfo(trace, "line %d\n", i), &session->infoReports);
	session->lines++;
}

static void ioGroupRound(struct ioSession *session, hdStatsGroup *group, int i)
{
	int before = session->statReports;

	reports(hdS_writeInt32Value(group, i), &session->statReports);
	g_assert_cmpint(session->statReports, ==, before);
	reports(hdS_writeString(group, i % 2 ? "odd" : "even"),
		&session->statReports);
	session->entries++;
	if (i % 4 == 3) {
		testGives(0, hdS_disableGroup(group));
		testGives(0, hdS_enableGroup(group));
		session->entries++;
	}
}

static struct ioSession ioSession(void)
{
	struct ioSession session = { 0 };
	hdTopoNode *node = testNode("io", "");
	hdStatsGroup *group;
	hdTrace *trace;
	int ret;

	testClockSet(START, 1000);
	trace = hdT_createTrace(node);
	session.hasTrace = trace != NULL;
	if (!trace)
		g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
	testMakes(group, hdS_createGroup("G", node, 0));
	testWorks(hdS_addValue(group, "i", INT32, NULL, NULL));
	testWorks(hdS_addValue(group, "s", STRING, NULL, NULL));
	reports(hdS_commitGroup(group), &session.statReports);
	session.isCommitted = session.statReports == 0;
	testGives(0, hdS_enableGroup(group));
	for (int i = 0; i < IO_ROUNDS; i++) {
		if (trace)
			ioTraceRound(&session, trace, i);
		ioGroupRound(&session, group, i);
		if (i != IO_ROUNDS / 2)
			continue;
		ret = trace ? hdT_flush(trace) : 0;
		session.flushFailed = ret < 0;
		ret = hdS_flush(group);
		session.flushFailed = session.flushFailed || ret < 0;
	}
	testWorks(hdS_getLosses(group, &session.statLosses));
	session.statFailed = hdS_finalize(group) < 0;
	if (session.statFailed)
		g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
	if (trace) {
		testWorks(hdT_getLosses(trace, &session.traceLosses));
		session.traceFailed = hdT_finalize(trace) < 0;
		if (session.traceFailed)
			g_assert_cmpint(errno, ==, HD_ERR_WRITE_FILE);
	}
	hdT_destroyTopoNode(node);
	testClockReset();
	return session;
}

/* The files of a session on a good disk. */
static const char *const ioNames[] = { "io.trc", "io.info", "io_G.stat" };
static char *ioGood[3];
static size_t ioGoodLength[3];

/* A file holds what it should, up to some place. Returns whether it is all. */
static bool ioIsPrefix(size_t file)
{
	size_t length;
	char *bytes = testRead(ioNames[file], &length);

	g_assert_cmpuint(length, <=, ioGoodLength[file]);
	g_assert_cmpmem(bytes, length, ioGood[file], length);
	g_free(bytes);
	return length == ioGoodLength[file];
}

static size_t countLines(const char *path)
{
	char *text = testRead(path, NULL);
	size_t lines = 0;

	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	g_assert_true(!*text || g_str_has_suffix(text, "\n"));
	g_free(text);
	return lines;
}

static void ioCheckTrace(const struct ioSession *session)
{
	uint64_t lost = session->traceLosses.records;
	struct testTraceFile *trace = testTraceRead("io.trc");
	size_t lines = testExists("io.info") ? countLines("io.info") : 0;

	g_assert_cmpuint(trace->bytesLeft, ==, 0);
	g_assert_cmpint(session->traceReports, <=, 1);
	g_assert_cmpint(session->infoReports, <=, 1);
	/* What could not be written before the end was counted; the rest of
	 * the lines only goes out then. */
	if (!session->traceFailed) {
		g_assert_true(trace->isEnded);
		g_assert_cmpuint(lost, ==, 0);
		g_assert_cmpint(session->traceReports, ==, 0);
		g_assert_cmpint(session->infoReports, ==, 0);
	}
	if (lost > 0)
		g_assert_true(session->traceFailed);
	g_assert_cmpuint(trace->count + lines + lost, <=,
			 session->records + session->lines);
	if (session->traceReports > 0 && session->infoReports > 0)
		g_assert_cmpuint(trace->count + lines + lost, ==,
				 session->records + session->lines);
	testTraceFree(trace);
}

static void ioCheckStat(const struct ioSession *session)
{
	uint64_t lost = session->statLosses.records;
	struct testStatFile *stat;

	g_assert_cmpint(session->statReports, <=, 1);
	if (!session->statFailed) {
		g_assert_cmpuint(lost, ==, 0);
		g_assert_cmpint(session->statReports, ==, 0);
	}
	if (lost > 0)
		g_assert_true(session->statFailed);
	if (!session->isCommitted) {
		g_assert_cmpuint(lost, ==, session->entries);
		return;
	}
	stat = testStatRead("io_G.stat");
	g_assert_cmpuint(stat->bytesLeft, ==, 0);
	if (session->statReports > 0 || !session->statFailed)
		g_assert_cmpuint(stat->count + lost, ==, session->entries);
	testStatFree(stat);
}

static void ioCheck(const struct ioSession *session)
{
	g_assert_true(session->hasTrace == testExists("io.trc"));
	if (session->hasTrace) {
		ioCheckTrace(session);
		g_assert_true(ioIsPrefix(0) || session->traceFailed);
	}
	if (testExists("io.info"))
		g_assert_true(ioIsPrefix(1) || session->traceFailed);
	ioCheckStat(session);
}

static void ioClear(void)
{
	for (size_t i = 0; i < 3; i++)
		unlink(ioNames[i]);
}

/* Run a session where nothing fails, and keep its files. */
static void ioPrepare(void)
{
	struct ioSession session;

	faultsClear();
	session = ioSession();
	g_assert_false(session.traceFailed || session.statFailed);
	for (size_t i = 0; i < 3; i++)
		ioGood[i] = testRead(ioNames[i], &ioGoodLength[i]);
	ioCheck(&session);
	g_assert_true(ioIsPrefix(2));
	ioClear();
}

static void ioEnd(void)
{
	for (size_t i = 0; i < 3; i++)
		g_free(ioGood[i]);
}

/* Every write is a record's; or they come when a file is flushed or closed. */
#define IO_EACH "HDTRACE_FORCE_FLUSH=1"
#define IO_LATE "HDTRACE_FLUSH_MS=3600000"

/* The disk is full after any number of bytes. */
static void testSpace(gconstpointer environment)
{
	bool failed = true;

	if (!testInProcess(environment))
		return;
	ioPrepare();
	for (int64_t space = 0; failed; space++) {
		struct ioSession session;

		faultsClear();
		faults.space = space;
		session = ioSession();
		failed = !session.hasTrace || session.traceFailed ||
			 session.statFailed;
		ioCheck(&session);
		/* Where INIT stands the time of the commit may be left. */
		if (session.isCommitted)
			g_assert_true(ioIsPrefix(2) || session.statFailed);
		ioClear();
		if (!failed)
			g_assert_cmpint(space, ==,
					(int64_t)(ioGoodLength[0] +
						  ioGoodLength[1] +
						  ioGoodLength[2]));
	}
	ioEnd();
}

/* The nth write fails, the disk recovers, and nothing is written where
 * something is missing. */
static void testNthWrite(gconstpointer environment)
{
	static const int errors[] = { EIO, ENOSPC, EDQUOT, 0 };

	if (!testInProcess(environment))
		return;
	ioPrepare();
	for (size_t e = 0; e < G_N_ELEMENTS(errors); e++) {
		bool failed = true;

		for (int n = 1; failed; n++) {
			struct ioSession session;

			faultsClear();
			faults.failOperation = n;
			faults.error = errors[e];
			session = ioSession();
			failed = atomic_load(&faults.operations) >= n;
			g_assert_true(failed == (!session.hasTrace ||
						 session.traceFailed ||
						 session.statFailed));
			ioCheck(&session);
			ioClear();
		}
	}
	ioEnd();
}

/* Interrupted and partial writes are no errors. */
static void testPartialWrites(gconstpointer environment)
{
	if (!testInProcess(environment))
		return;
	ioPrepare();
	for (size_t most = 0; most <= 20; most++) {
		struct ioSession session;

		faultsClear();
		faults.interrupts = true;
		faults.most = most;
		session = ioSession();
		g_assert_true(session.hasTrace && !session.traceFailed &&
			      !session.statFailed);
		ioCheck(&session);
		g_assert_true(ioIsPrefix(2));
		ioClear();
	}
	ioEnd();
}

/* Where a cut file cannot be shortened it ends in the middle of a record, and
 * is readable up to there. */
static void testTruncation(void)
{
	if (!testInProcess(IO_LATE))
		return;
	ioPrepare();
	for (int64_t space = 0; space < (int64_t)ioGoodLength[0]; space += 7) {
		struct testTraceFile *trace;
		struct ioSession session;

		faultsClear();
		faults.space = space;
		faults.truncateError = EIO;
		session = ioSession();
		g_assert_true(!session.hasTrace || session.traceFailed);
		if (session.hasTrace && testExists("io.trc")) {
			trace = testTraceRead("io.trc");
			testTraceFree(trace);
			ioIsPrefix(0);
		}
		ioClear();
	}
	ioEnd();
}

/* An enabling that fails to write does not take the report from the next
 * entry. */
static void testEnabling(void)
{
	hdTopoNode *node = testNode("enabling", "");
	hdStatsGroup *group;

	if (!testInProcess(IO_EACH))
		goto out;
	for (int attempt = 0; attempt < 2; attempt++) {
		faultsClear();
		testMakes(group, hdS_createGroup("G", node, 0));
		testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
		testWorks(hdS_commitGroup(group));
		if (attempt > 0) {
			testGives(0, hdS_enableGroup(group));
			testGives(0, hdS_disableGroup(group));
		}
		faults.failOperation = atomic_load(&faults.operations) + 1;
		testGives(0, hdS_enableGroup(group));
		if (attempt > 0) {
			/* Another one, which finds the file failed. */
			testGives(0, hdS_disableGroup(group));
			testGives(0, hdS_enableGroup(group));
		}
		testFails(HD_ERR_WRITE_FILE, hdS_writeInt32Value(group, 1));
		testWorks(hdS_writeInt32Value(group, 2));
		testFails(HD_ERR_WRITE_FILE, hdS_finalize(group));
		unlink("enabling_G.stat");
	}
out:
	hdT_destroyTopoNode(node);
}

/* What is put while the background thread is failing is counted as well. */
static void testMeanwhile(void)
{
	hdLosses losses;
	hdTrace *trace;

	if (!testInProcess("HDTRACE_FLUSH_MS=1"))
		return;
	faultsClear();
	sem_init(&faults.entered, 0, 0);
	sem_init(&faults.released, 0, 0);
	trace = testTrace("meanwhile");
	faults.stops = true;
	testWorks(hdT_logEvent(trace, "e"));
	sem_wait(&faults.entered);
	for (int i = 0; i < 9; i++)
		testWorks(hdT_logEvent(trace, "e"));
	sem_post(&faults.released);
	testFails(HD_ERR_WRITE_FILE, hdT_flush(trace));
	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpuint(losses.records, ==, 10);
	testWorks(hdT_logEvent(trace, "e"));
	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpuint(losses.records, ==, 11);
	testFails(HD_ERR_WRITE_FILE, hdT_finalize(trace));
}

/* A record that is larger than the buffer, on a disk that is full after any
 * number of bytes of it. */
static void testLargeRecords(void)
{
	char *text;
	hdTopoNode *node = testNode("large", "");

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4"
			   " HDTRACE_FLUSH_MS=3600000"))
		goto out;
	text = g_strnfill(9000, 'x');
	for (int64_t space = 0; space < 10000; space += 331) {
		struct testTraceFile *file;
		struct testStatFile *stat;
		hdStatsGroup *group;
		hdLosses losses;
		hdTrace *trace;
		bool fits = space >= 9100;
		int first, second, third;

		faultsClear();
		trace = testTrace("large");
		testMakes(group, hdS_createGroup("G", node, 0));
		testWorks(hdS_addValue(group, "s", STRING, NULL, NULL));
		testWorks(hdS_commitGroup(group));
		testGives(0, hdS_enableGroup(group));
		testWorks(hdT_logEvent(trace, "small"));
		testWorks(hdT_flush(trace));
		faults.space = space;
		first = hdT_logEvent(trace, text);
		second = hdT_logEvent(trace, text);
		third = hdT_logEvent(trace, "small");
		g_assert_cmpint(first + second + third, ==, -1);
		testWorks(hdT_getLosses(trace, &losses));
		testFails(HD_ERR_WRITE_FILE, hdT_finalize(trace));
		file = testTraceRead("large.trc");
		g_assert_cmpuint(file->bytesLeft, ==, 0);
		g_assert_cmpuint(file->count, ==, 1 + fits);
		g_assert_cmpuint(losses.records, ==, 3 - fits);
		testTraceFree(file);

		faults.space = -1;
		testWorks(hdS_writeString(group, "small"));
		testWorks(hdS_flush(group));
		faults.space = space;
		first = hdS_writeString(group, text);
		second = hdS_writeString(group, text);
		third = hdS_writeString(group, "small");
		g_assert_cmpint(first + second + third, ==, -1);
		testWorks(hdS_getLosses(group, &losses));
		testFails(HD_ERR_WRITE_FILE, hdS_finalize(group));
		stat = testStatRead("large_G.stat");
		g_assert_cmpuint(stat->bytesLeft, ==, 0);
		g_assert_cmpuint(stat->count, ==, 1 + fits);
		g_assert_cmpuint(losses.records, ==, 3 - fits);
		testStatFree(stat);
		unlink("large.trc");
		unlink("large_G.stat");
	}
	g_free(text);
out:
	hdT_destroyTopoNode(node);
}

/* ---- Files and threads ------------------------------------------------- */

static void testOpening(void)
{
	static const int errors[] = { EACCES, EMFILE, ENFILE,
				      ENOSPC, EROFS,  ENAMETOOLONG };
	hdTopoNode *node = testNode("opening", "");
	int live = atomic_load(&faults.live);
	hdTrace *trace;

	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		faultsClear();
		faults.openError = errors[i];
		testFailsNull(HD_ERR_CREATE_FILE, hdT_createTrace(node));
		testFailsNull(HD_ERR_CREATE_FILE,
			      hdS_createGroup("G", node, 0));
		g_assert_cmpint(atomic_load(&faults.live), ==, live);
	}
	faultsClear();
	faults.openInterrupts = 3;
	testMakes(trace, hdT_createTrace(node));
	faults.openError = EACCES;
	testFails(HD_ERR_CREATE_FILE, hdT_writeInfo(trace, "x\n"));
	/* Tried again. */
	faultsClear();
	testWorks(hdT_writeInfo(trace, "x\n"));
	testWorks(hdT_finalize(trace));
	testWorks(hdT_destroyTopoNode(node));
}

static void testClosing(void)
{
	static const struct {
		int error;
		bool isFine;
	} cases[] = { { EINTR, true }, { EIO, false }, { ENOSPC, false } };
	hdTopoNode *node = testNode("closing", "");

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		int live = atomic_load(&faults.live);
		struct testTraceFile *file;
		hdStatsGroup *group;
		hdTrace *trace;

		faultsClear();
		testMakes(trace, hdT_createTrace(node));
		testWorks(hdT_writeInfo(trace, "x\n"));
		testMakes(group, hdS_createGroup("G", node, 0));
		testWorks(hdS_commitGroup(group));
		faults.closeError = cases[i].error;
		if (cases[i].isFine) {
			testWorks(hdT_finalize(trace));
			testWorks(hdS_finalize(group));
		} else {
			testFails(HD_ERR_CLOSE_FILE, hdT_finalize(trace));
			testFails(HD_ERR_CLOSE_FILE, hdS_finalize(group));
		}
		g_assert_cmpint(atomic_load(&faults.live), ==, live);
		file = testTraceReadEnded("closing.trc");
		testTraceFree(file);
		unlink("closing.trc");
		unlink("closing.info");
		unlink("closing_G.stat");
	}
	faultsClear();
	testWorks(hdT_destroyTopoNode(node));
}

/* Without a background thread files are written all the same. */
static void testNoThread(void)
{
	static hdTrace *volatile left; /* No leak: it is still known. */
	enum { EVENTS = 5000 };
	struct testTraceFile *file;
	hdTrace *trace;

	if (testInProcess("HDTRACE_BUFFER_SIZE_KB=4 HDTRACE_FLUSH_MS=1")) {
		faultsClear();
		faults.threadsFail = true;
		trace = testTrace("no-thread");
		for (int i = 0; i < EVENTS; i++)
			testWorks(hdT_logEvent(trace, "e"));
		testWorks(hdT_finalize(trace));
		/* The process ends with this one. */
		left = testTrace("no-thread-left");
		testWorks(hdT_logEvent(left, "e"));
		return;
	}
	file = testTraceReadEnded("no-thread.trc");
	g_assert_cmpuint(file->count, ==, EVENTS);
	testTraceFree(file);
	file = testTraceRead("no-thread-left.trc");
	g_assert_cmpuint(file->count, ==, 1);
	testTraceFree(file);
}

/* ---- A real limit ------------------------------------------------------ */

/* Files may have 64 KB; who writes more is told by the kernel. */
static void testLimit(gconstpointer environment)
{
	const struct rlimit limit = { 65536, RLIM_INFINITY };
	struct testTraceFile *file;
	struct testStatFile *stat;
	hdStatsGroup *group;
	hdTopoNode *node;
	hdLosses losses;
	hdTrace *trace;
	int reported = 0;
	size_t issued = 0;

	if (!testInProcess(environment))
		return;
	faultsClear();
	/* What would kill the program if it came to it. */
	signal(SIGXFSZ, SIG_DFL);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);

	trace = testTrace("limit");
	for (; issued < 3000; issued++) {
		reports(hdT_logStateStart(trace, "Read"), &reported);
		testWorks(hdT_logAttributeInt64(trace, "i", (int)issued));
		reports(hdT_logStateEnd(trace), &reported);
	}
	testFails(HD_ERR_WRITE_FILE, hdT_flush(trace));
	testWorks(hdT_getLosses(trace, &losses));
	g_assert_cmpint(reported, <=, 1);
	testFails(HD_ERR_WRITE_FILE, hdT_finalize(trace));
	file = testTraceRead("limit.trc");
	g_assert_cmpuint(file->bytesLeft, ==, 0);
	g_assert_cmpuint(file->count, >, 500);
	g_assert_cmpuint(file->count + losses.records, ==, issued);
	testTraceFree(file);

	node = testNode("limit", "");
	testMakes(group, hdS_createGroup("G", node, 0));
	testWorks(hdS_addValue(group, "i", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(group));
	reported = 0;
	for (issued = 0; issued < 20000; issued++) {
		if (issued % 50 == 0) {
			hdS_disableGroup(group);
			testGives(0, hdS_enableGroup(group));
			issued += issued > 0;
		}
		reports(hdS_writeInt32Value(group, (int32_t)issued), &reported);
	}
	testFails(HD_ERR_WRITE_FILE, hdS_flush(group));
	testWorks(hdS_getLosses(group, &losses));
	g_assert_cmpint(reported, <=, 1);
	testFails(HD_ERR_WRITE_FILE, hdS_finalize(group));
	stat = testStatRead("limit_G.stat");
	g_assert_cmpuint(stat->bytesLeft, ==, 0);
	g_assert_cmpuint(stat->count, >, 4000);
	g_assert_cmpuint(stat->count + losses.records, ==, issued);
	testStatFree(stat);
	hdT_destroyTopoNode(node);
	unlink("limit.trc");
	unlink("limit_G.stat");
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_data_func("/failures/memory/once", NULL, testMemory);
	g_test_add_data_func("/failures/memory/persistent", "", testMemory);
	g_test_add_func("/failures/smaller-buffer", testSmallerBuffer);
	g_test_add_data_func("/failures/relation-memory/once", NULL,
			     testRelationMemory);
	g_test_add_data_func("/failures/relation-memory/persistent", "",
			     testRelationMemory);
	g_test_add_data_func("/failures/space/each", IO_EACH, testSpace);
	g_test_add_data_func("/failures/space/late", IO_LATE, testSpace);
	g_test_add_data_func("/failures/nth-write/each", IO_EACH, testNthWrite);
	g_test_add_data_func("/failures/nth-write/late", IO_LATE, testNthWrite);
	g_test_add_data_func("/failures/partial-writes/each", IO_EACH,
			     testPartialWrites);
	g_test_add_data_func("/failures/partial-writes/late", IO_LATE,
			     testPartialWrites);
	g_test_add_func("/failures/truncation", testTruncation);
	g_test_add_func("/failures/enabling", testEnabling);
	g_test_add_func("/failures/meanwhile", testMeanwhile);
	g_test_add_func("/failures/large-records", testLargeRecords);
	g_test_add_func("/failures/opening", testOpening);
	g_test_add_func("/failures/closing", testClosing);
	g_test_add_func("/failures/no-thread", testNoThread);
	g_test_add_data_func("/failures/limit/buffered", "HDTRACE_FLUSH_MS=1",
			     testLimit);
	g_test_add_data_func("/failures/limit/tiny", "HDTRACE_BUFFER_SIZE_KB=4",
			     testLimit);
	return testRun();
}
