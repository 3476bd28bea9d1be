/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* The public functions, on this system and on a tree that stands for one. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/due.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/storage.h"
#include "ResourcesUtilizationTracingLibrary/src/trace.h"
#include "ResourcesUtilizationTracingLibrary/src/core/worker.h"
#include "common/clock.h"
#include "tests/lib/fixture.h"
#include "tests/lib/leftover.h"
#include "tests/lib/stall.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

/* A place for the files of a test. */
struct place {
	char *root;
	hdTopology *topology;
	hdTopoNode *node;
	char *file;
};

static void placeMake(struct place *place)
{
	const char *levels[] = { "Host" }, *path[] = { "node01" };
	char *project;

	place->root = fixtureCreate();
	project = g_build_filename(place->root, "P", NULL);
	place->topology = hdT_createTopology(project, levels, 1);
	g_assert_nonnull(place->topology);
	place->node = hdT_createTopoNode(place->topology, path, 1);
	g_assert_nonnull(place->node);
	place->file = g_strconcat(project, "_node01_Utilization.stat", NULL);
	g_free(project);
}

static void placeClear(struct place *place)
{
	hdT_destroyTopoNode(place->node);
	hdT_destroyTopology(place->topology);
	fixtureRemove(place->root);
	g_free(place->file);
}

/* The header of the file, and the length of what follows it. */
static char *placeHeader(const struct place *place, size_t *rest)
{
	GError *error = NULL;
	char *bytes, *header;
	gsize length;
	size_t end;

	g_assert_true(
		g_file_get_contents(place->file, &bytes, &length, &error));
	g_assert_no_error(error);
	end = 6 + (size_t)g_ascii_strtoull(bytes, NULL, 10);
	g_assert_cmpuint(end, <=, length);
	header = g_strndup(bytes, end);
	*rest = length - end;
	g_free(bytes);
	return header;
}

static void testErrors(void)
{
	static const struct {
		const char *what;
		gboolean hasNode;
		gboolean hasTrace;
		int level;
		int interval;
		const char *variable, *value;
		int expected;
	} cases[] = {
		{ "good", TRUE, TRUE, 1, 1000, "RUT_BACKEND", "linux", 0 },
		{ "root", TRUE, TRUE, 0, 1000, "RUT_BACKEND", "", 0 },
		{ "no node", FALSE, TRUE, 1, 10, NULL, NULL, RUT_EARGUMENT },
		{ "no result", TRUE, FALSE, 1, 10, NULL, NULL, RUT_EARGUMENT },
		{ "interval 0", TRUE, TRUE, 1, 0, NULL, NULL, RUT_EARGUMENT },
		{ "interval -5", TRUE, TRUE, 1, -5, NULL, NULL, RUT_EARGUMENT },
		{ "level 2", TRUE, TRUE, 2, 10, NULL, NULL, RUT_EHDLIB },
		{ "level -1", TRUE, TRUE, -1, 10, NULL, NULL, RUT_EHDLIB },
		{ "no device", TRUE, TRUE, 1, 10, "RUT_HDD_MOUNTPOINT", "/proc",
		  RUT_ESOURCE },
		{ "no mount", TRUE, TRUE, 1, 10, "RUT_HDD_MOUNTPOINT",
		  "/no/such", RUT_ESOURCE },
		{ "backend", TRUE, TRUE, 1, 10, "RUT_BACKEND", "abacus",
		  RUT_ESOURCE },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		UtilTrace *unused = (UtilTrace *)&testCountFiles,
			  *trace = unused;
		rutSources sources;
		struct place place;
		int files;

		g_test_message("%s", cases[i].what);
		placeMake(&place);
		files = testCountFiles("/proc/self/fd");
		RUTSRC_UNSET_ALL(sources);
		RUTSRC_SET_HDD(sources);
		sources.MEM_FREE = 1;
		if (cases[i].variable)
			g_setenv(cases[i].variable, cases[i].value, TRUE);
		g_assert_cmpint(
			rut_createTrace(cases[i].hasNode ? place.node : NULL,
					cases[i].level, sources,
					cases[i].interval,
					cases[i].hasTrace ? &trace : NULL),
			==, cases[i].expected);
		if (cases[i].variable)
			g_unsetenv(cases[i].variable);
		if (cases[i].expected == RUT_SUCCESS) {
			g_assert_true(trace != unused);
			g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
		} else {
			/* Nothing is left. */
			g_assert_true(trace == unused);
			g_assert_cmpint(testCountFiles(place.root), ==, 2);
		}
		g_assert_cmpint(testCountFiles("/proc/self/fd"), ==, files);
		placeClear(&place);
	}
	g_assert_cmpint(rut_startTrace(NULL), ==, 2);
	g_assert_cmpint(rut_stopTrace(NULL), ==, 2);
	g_assert_cmpint(rut_finalizeTrace(NULL), ==, RUT_EARGUMENT);
}

static void testNoSources(void)
{
	UtilTrace *trace;
	rutSources sources;
	struct place place;

	placeMake(&place);
	RUTSRC_UNSET_ALL(sources);
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 10, &trace), ==,
			RUT_ESOURCE);
	placeClear(&place);
}

static void testFileExists(void)
{
	UtilTrace *trace;
	rutSources sources;
	struct place place;

	placeMake(&place);
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_MEM(sources);
	g_file_set_contents(place.file, "x", 1, NULL);
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 10, &trace), ==,
			RUT_EHDLIB);
	g_assert_cmpint(errno, ==, HD_ERR_CREATE_FILE);
	placeClear(&place);
}

static unsigned int sourceBits(const rutSources *sources)
{
	unsigned int bits;

	memcpy(&bits, sources, sizeof(bits));
	return bits;
}

static ssize_t failToRead(int fd, void *bytes, size_t size, off_t offset)
{
	(void)fd;
	(void)bytes;
	(void)size;
	(void)offset;
	errno = EIO;
	return -1;
}

/* An amount that was never read is unknown, and not 0. */
static void testNeverRead(void)
{
	char *root = fixtureCreate();
	struct rutSetup setup = { .root = root, .intervalNs = 1000000000 };
	UtilTrace *trace;
	struct place place;

	setup.sources.NET_IN = 1;
	fixtureWrite(root, "/proc/net/dev",
		     "lo: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n");
	placeMake(&place);
	g_assert_cmpint(
		rutTraceCreate(place.node, 1, rutLinuxSources, &setup, &trace),
		==, 0);
	rutFilePread = failToRead;
	g_assert_cmpint(rut_startTrace(trace), ==, 0);
	g_assert_cmpint(rut_stopTrace(trace), ==, 0);
	rutFilePread = pread;
	g_assert_true(isnan(rutTraceResult(trace, 0, NULL)));
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	placeClear(&place);
	fixtureRemove(root);
}

/* The order of the bits and the names of the values are those of old files. */
static void testNames(void)
{
	static const char *const names[] = {
		"CPU_TOTAL\" type=\"FLOAT\" unit=\"%\" grouping=\"CPU\"",
		"CPU_TOTAL_0\" type=\"FLOAT\" unit=\"%\" grouping=\"CPU\"",
		"MEM_USED\" type=\"INT64\" unit=\"B\" grouping=\"MEM\"",
		"MEM_FREE\"",
		"MEM_SHARED\"",
		"MEM_BUFFER\"",
		"MEM_CACHED\"",
		"NET_IN_lo\" type=\"INT64\" unit=\"B\" grouping=\"NET\" "
		"kind=\"delta\"",
		"NET_OUT_lo\"",
		"NET_IN_EXT\"",
		"NET_OUT_EXT\"",
		"NET_IN\"",
		"NET_OUT\"",
		"HDD_READ\" type=\"INT64\" unit=\"B\" grouping=\"HDD\" "
		"kind=\"delta\"",
		"HDD_WRITE\"",
	};
	char *root = fixtureCreate(), *header;
	struct rutSetup setup = { .root = root, .intervalNs = 1000000000 };
	const char *at;
	UtilTrace *trace;
	struct place place;
	size_t rest;

	/* Fifteen bits of the thesis, then ours. */
	memset(&setup.sources, 0, sizeof(setup.sources));
	setup.sources.HDD_WRITE = 1;
	g_assert_cmphex(sourceBits(&setup.sources), ==, 1U << 14);
	RUTSRC_SET_ALL(setup.sources);
	g_assert_cmphex(sourceBits(&setup.sources), ==, 0x7fff);

	fixtureWrite(root, "/proc/stat", "cpu  1 1 1 1 1\ncpu0 1 1 1 1 1\n");
	fixtureWrite(root, "/proc/meminfo", "MemTotal: 4 kB\nMemFree: 1 kB\n");
	fixtureWrite(root, "/proc/net/dev",
		     "lo: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n");
	fixtureWrite(root, "/sys/block/sda/device/x", "1\n");
	fixtureWrite(root, "/sys/class/block/sda/stat",
		     "1 2 3 4 5 6 7 8 9 10 11\n");
	placeMake(&place);
	g_assert_cmpint(
		rutTraceCreate(place.node, 1, rutLinuxSources, &setup, &trace),
		==, 0);
	g_assert_cmpint(rut_startTrace(trace), ==, 0);
	g_assert_cmpint(rut_startTrace(trace), ==, 1);
	g_assert_cmpint(rut_stopTrace(trace), ==, 0);
	g_assert_cmpint(rut_stopTrace(trace), ==, 1);
	g_assert_cmpuint(rutTraceColumns(trace)->count, ==,
			 G_N_ELEMENTS(names));
	g_assert_cmpfloat(rutTraceResult(trace, 3, NULL), ==, 1024);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	header = placeHeader(&place, &rest);
	at = header;
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *name = g_strconcat("<Value name=\"", names[i], NULL);

		g_test_message("%s", name);
		at = strstr(at, name);
		g_assert_nonnull(at);
		g_free(name);
	}
	g_assert_nonnull(strstr(header, "kind=\"gauge\" source=\"stat\" "
					"resolution=\"10 ms over 200 ms\""));
	/* The start of the interval, and one entry. */
	g_assert_cmpuint(rest, ==, 8 + 8 + 2 * 4 + 13 * 8);
	g_free(header);
	placeClear(&place);
	fixtureRemove(root);
}

/* Many CPUs fit the header of a file, too. */
static void testManyCpus(void)
{
	char *root = fixtureCreate(), *header;
	struct rutSetup setup = { .root = root, .intervalNs = 1000000000 };
	GString *text = g_string_new("cpu  1 1 1 1 1\n");
	UtilTrace *trace;
	struct place place;
	size_t rest;

	for (int i = 0; i < 1024; i++)
		g_string_append_printf(text, "cpu%d 1 1 1 1 1\n", i);
	fixtureWrite(root, "/proc/stat", "%s", text->str);
	g_string_free(text, TRUE);
	RUTSRC_UNSET_ALL(setup.sources);
	RUTSRC_SET_CPU(setup.sources);
	placeMake(&place);
	g_assert_cmpint(
		rutTraceCreate(place.node, 1, rutLinuxSources, &setup, &trace),
		==, 0);
	rut_startTrace(trace);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	header = placeHeader(&place, &rest);
	g_assert_nonnull(strstr(header, "CPU_TOTAL_1023\""));
	g_assert_nonnull(strstr(header, "source=\"stat\""));
	g_assert_cmpuint(rest, ==, 8 + 8 + 1025 * 4);
	g_free(header);
	placeClear(&place);
	fixtureRemove(root);
}

static GString *messages;

static void messagesAdd(enum hdLogLevel level, const char *text)
{
	g_assert_cmpint(level, <=, HD_LOG_WARNING);
	g_string_append(messages, text);
}

/* Trace all that a tree has; get the header, and the warnings in messages. */
static char *traceTree(const char *root)
{
	struct rutSetup setup = { .root = root, .intervalNs = 1000000000 };
	UtilTrace *trace;
	struct place place;
	size_t rest;
	char *header;

	RUTSRC_UNSET_ALL(setup.sources);
	RUTSRC_SET_ALL(setup.sources);
	RUTSRC_SET_MORE(setup.sources);
	messages = g_string_new(NULL);
	hdLogSetLevel(&rutLogger, HD_LOG_WARNING);
	rutLogger.print = messagesAdd;
	placeMake(&place);
	g_assert_cmpint(
		rutTraceCreate(place.node, 1, rutLinuxSources, &setup, &trace),
		==, 0);
	rutLogger.print = NULL;
	hdLogSetLevel(&rutLogger, HD_LOG_NONE);
	g_assert_cmpint(rut_startTrace(trace), ==, 0);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	header = placeHeader(&place, &rest);
	placeClear(&place);
	return header;
}

/* What does not fit the header is left out, with a warning; sums stay. */
static void testNoRoom(void)
{
	char *root = fixtureCreate(), *header;
	GString *text = g_string_new("cpu  1 1 1 1 1\n");

	for (int i = 0; i < 2000; i++)
		g_string_append_printf(text, "cpu%d 1 1 1 1 1\n", i);
	g_string_append(text, "ctxt 5\n");
	fixtureWrite(root, "/proc/stat", "%s", text->str);
	g_string_truncate(text, 0);
	for (int i = 0; i < 600; i++)
		g_string_append_printf(
			text, "veth%d: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n", i);
	fixtureWrite(root, "/proc/net/dev", "%s", text->str);
	g_string_free(text, TRUE);
	header = traceTree(root);
	g_assert_nonnull(strstr(header, "\"CPU_TOTAL\""));
	g_assert_null(strstr(header, "CPU_TOTAL_"));
	g_assert_nonnull(strstr(header, "\"NET_OUT_veth599\""));
	/* Readers guess it from these names. */
	g_assert_null(strstr(header, "kind="));
	g_assert_nonnull(strstr(header, "\"NET_IN_EXT\""));
	g_assert_null(strstr(header, "NET_PACKETS"));
	g_assert_nonnull(strstr(header, "\"CTX_SWITCHES\""));
	g_assert_nonnull(
		strstr(messages->str,
		       "cpu: too many values for the header of the file: 2001; "
		       "values of single units are not traced"));
	g_assert_nonnull(strstr(
		messages->str,
		"packets: too many values for the header of the file: 3600"));
	g_string_free(messages, TRUE);
	g_free(header);
	fixtureRemove(root);
}

/* Idle states of many CPUs: too many files, too many values. */
static void testManyIdleStates(void)
{
	static const struct {
		rlim_t files;
		const char *message;
	} cases[] = {
		{ 1000, "idle: not traced: Too many open files" },
		{ 8000,
		  "idle: too many values for the header of the file: 1360" },
	};
	char *root = fixtureCreate();
	struct rlimit old, limit;

	g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &old), ==, 0);
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-339\n");
	fixtureWrite(root, "/proc/meminfo", "MemTotal: 4 kB\nMemFree: 1 kB\n");
	for (int i = 0; i < 340 * 4; i++) {
		char *path = g_strdup_printf("/sys/devices/system/cpu/cpu%d/"
					     "cpuidle/state%d/time",
					     i / 4, i % 4);

		fixtureWrite(root, path, "5\n");
		g_free(path);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *header;

		limit = old;
		limit.rlim_cur = cases[i].files;
		if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
			continue;
		header = traceTree(root);
		g_test_message("%s", messages->str);
		g_assert_nonnull(strstr(messages->str, cases[i].message));
		g_assert_nonnull(strstr(header, "\"MEM_FREE\""));
		g_assert_null(strstr(header, "CPU_IDLE"));
		g_string_free(messages, TRUE);
		g_free(header);
	}
	setrlimit(RLIMIT_NOFILE, &old);
	fixtureRemove(root);
}

/* 10,000 cycles leave no descriptor and no thread behind; what they leave in
 * memory is for the sanitizer to tell. */
static void testCycles(void)
{
	UtilTrace *trace;
	rutSources sources;
	struct place place;
	int files, threads;

	placeMake(&place);
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 1, &trace), ==,
			0);
	files = testCountFiles("/proc/self/fd");
	threads = testCountFiles("/proc/self/task");
	for (int i = 0; i < 10000; i++) {
		g_assert_cmpint(rut_startTrace(trace), ==, 0);
		g_assert_cmpint(rut_stopTrace(trace), ==, 0);
	}
	g_assert_cmpint(testCountFiles("/proc/self/fd"), ==, files);
	testWaitThreads(threads);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	placeClear(&place);
}

/* An hour's interval does not hold up the end. */
static void testPrompt(void)
{
	UtilTrace *trace;
	rutSources sources;
	struct place place;
	int64_t began;

	placeMake(&place);
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_MEM(sources);
	g_assert_cmpint(
		rut_createTrace(place.node, 1, sources, 3600000, &trace), ==,
		0);
	rut_startTrace(trace);
	began = hdMonotonicNow();
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	/* Meant are 50 ms; a loaded machine may need more. */
	g_assert_cmpint(hdMonotonicNow() - began, <, INT64_C(5000000000));
	placeClear(&place);
}

/* A child may finalize what it inherited; the parent's file is complete. */
static void testFork(void)
{
	UtilTrace *trace;
	rutSources sources;
	struct place place;
	int status;
	pid_t child;

	placeMake(&place);
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_MEM(sources);
	sources.STORAGE = 1;
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 1, &trace), ==,
			0);
	rut_startTrace(trace);
	child = fork();
	if (child == 0) {
		alarm(60);
		rut_finalizeTrace(trace);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	placeClear(&place);
}

static int stalledStatvfs(const char *path, struct statvfs *is)
{
	(void)path;
	testStall();
	memset(is, 0, sizeof(*is));
	is->f_frsize = 512;
	is->f_blocks = 8;
	is->f_bavail = 3;
	return 0;
}

static uint64_t samplesOf(UtilTrace *trace)
{
	uint64_t late, samples;
	int64_t cpuNs;

	rutTraceCost(trace, &cpuNs, &late, &samples);
	return samples;
}

/* Wait for some more entries. */
static void awaitSamples(UtilTrace *trace)
{
	uint64_t wanted = samplesOf(trace) + 5;

	while (samplesOf(trace) < wanted)
		g_usleep(1000);
}

/* What entries say of storage: 's' for a value, '?' for none, once where that
 * changes. */
static char *hangSeen(const struct testStatFile *file)
{
	GString *seen = g_string_new(NULL);

	for (size_t i = 0; i < file->count; i++) {
		const struct testEntry *entry = &file->entries[i];
		uint64_t bits = entry->isGap ? 0 : testBig64(entry->values + 8);
		double size;
		char is;

		if (entry->isGap)
			continue;
		/* Memory has a value in any case. */
		g_assert_cmpint((int64_t)testBig64(entry->values), >, 0);
		memcpy(&size, &bits, sizeof(size));
		g_assert_true(isnan(size) || size == 4096);
		is = isnan(size) ? '?' : 's';
		if (seen->len == 0 || seen->str[seen->len - 1] != is)
			g_string_append_c(seen, is);
	}
	return g_string_free(seen, FALSE);
}

/* A disk that hangs: all else has its values, and storage has none meanwhile;
 * nor does it hold up the end, nor other traces. */
static void testHang(void)
{
	struct testStatFile *file;
	UtilTrace *trace;
	rutSources sources;
	struct place place;
	double seconds, mean;
	char *seen;
	int asked;

	placeMake(&place);
	rutStatvfs = stalledStatvfs;
	RUTSRC_UNSET_ALL(sources);
	sources.MEM_FREE = 1;
	sources.STORAGE = 1;
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 100, &trace),
			==, 0);
	g_assert_cmpint(rut_startTrace(trace), ==, 0);
	awaitSamples(trace);
	testStallSet(true);
	awaitSamples(trace);
	testStallSet(false);
	awaitSamples(trace);
	testStallSet(true);
	awaitSamples(trace);
	g_assert_cmpint(rut_stopTrace(trace), ==, 0);
	/* The mean is of when it is known. */
	mean = rutTraceResult(trace, 1, &seconds);
	g_assert_cmpfloat(fabs(mean - 4096), <, 0.001);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	file = testStatRead(place.file);
	seen = hangSeen(file);
	g_test_message("%s", seen);
	g_assert_true(g_str_has_suffix(seen, "s?s?"));
	g_free(seen);
	testStatFree(file);

	/* The thread that hangs is the only one. */
	asked = testStallCount();
	g_assert_cmpint(unlink(place.file), ==, 0);
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 100, &trace),
			==, 0);
	g_assert_cmpint(testStallCount(), ==, asked);
	g_assert_cmpuint(rutTraceColumns(trace)->count, ==, 1);
	g_assert_cmpint(rut_finalizeTrace(trace), ==, 0);
	testStallSet(false);
	while (rutWorkerHanging(&rutStorageSource) > 0)
		g_usleep(1000);
	rutStatvfs = statvfs;
	placeClear(&place);
}

/* A program closes all that is open and opens its own: its files are neither
 * read nor closed nor written to. */
static void testTaken(void)
{
	static const char text[] = "1\n";
	bool taken[TEST_DESCRIPTORS];
	rutSources sources;
	struct place place;
	UtilTrace *trace;
	char *path;
	int own;

	placeMake(&place);
	path = g_build_filename(place.root, "own", NULL);
	own = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
	g_assert_cmpint(write(own, text, strlen(text)), ==, strlen(text));
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	testNoteDescriptors(taken);
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 1, &trace), ==,
			0);
	g_assert_cmpint(rut_startTrace(trace), ==, 0);
	g_usleep(5000);
	g_assert_cmpint(rut_stopTrace(trace), ==, 0);
	g_assert_cmpint(testTakeDescriptors(taken, own), >, 2);
	g_assert_cmpint(rut_startTrace(trace), ==, 0);
	g_usleep(5000);
	rut_finalizeTrace(trace);
	testCheckTaken(taken, path, text);
	close(own);
	g_free(path);
	placeClear(&place);
}

/* Entries of a trace that was started so long after the first one, in steps:
 * its sampler's numbers are made as sampler.c makes them. */
static void dueFrom(uint64_t steps, int64_t startNs)
{
	const int64_t stepNs = 1000;
	int64_t interval = (int64_t)steps * stepNs, last = startNs;
	struct rutDue due = { .steps = steps, .stepNs = stepNs, .next = 99 };
	uint64_t number = (uint64_t)(startNs / stepNs + 1);
	int entries = 0;

	if ((int64_t)number * stepNs - startNs < stepNs / 2)
		number++;
	rutDueBegin(&due);
	for (; entries < 4; number++) {
		int64_t now = (int64_t)number * stepNs;
		/* It follows others, which take their time. */
		int64_t since = now + 3 - last;

		if (!rutDueIs(&due, number, since))
			continue;
		g_assert_cmpint(now % interval, ==, 0);
		if (entries++ == 0) {
			g_assert_cmpint(now - last, >=, interval / 2 - 3);
			g_assert_cmpint(now - last, <=, interval * 3 / 2);
		} else {
			g_assert_cmpint(now - last, ==, interval);
		}
		last = now;
	}
}

/* Intervals of several steps begin with half to one and a half, whenever a
 * trace is started; then they have their length. */
static void testDue(void)
{
	struct rutDue due = { .steps = 5, .stepNs = 1000 };

	for (uint64_t steps = 2; steps <= 10; steps++)
		for (int64_t start = 0; start < 30000; start += 10)
			dueFrom(steps, start);
	/* Steps are left out where it could not run, an entry is not. */
	g_assert_false(rutDueIs(&due, 14, 700));
	g_assert_false(rutDueIs(&due, 18, 4700));
	g_assert_true(rutDueIs(&due, 23, 9700));
	g_assert_false(rutDueIs(&due, 24, 1000));
	g_assert_true(rutDueIs(&due, 25, 2000));
}

/* Traces have a thread together, whatever their intervals; who asks what may
 * hang has one more, as well as the thread that asks. */
static void testSeveral(void)
{
	static const int intervals[] = { 2, 3, 5, 150 };
	hdTopoNode *nodes[4];
	UtilTrace *traces[4], *waiting;
	rutSources sources;
	struct place place;
	int threads = 0;

	/* Those of other tests may still be listed; this one is left, and the
	 * one that writes files. */
	testWaitThreads(2 + 2 + TEST_HAS_TSAN);
	placeMake(&place);
	rutStatvfs = stalledStatvfs;
	RUTSRC_UNSET_ALL(sources);
	RUTSRC_SET_ALL(sources);
	for (int i = 0; i < 4; i++) {
		char *label = g_strdup_printf("n%d", i);
		const char *path[] = { label };

		nodes[i] = hdT_createTopoNode(place.topology, path, 1);
		g_assert_cmpint(rut_createTrace(nodes[i], 1, sources,
						intervals[i], &traces[i]),
				==, 0);
		g_assert_cmpint(rut_startTrace(traces[i]), ==, 0);
		if (i == 0)
			threads = testCountFiles("/proc/self/task");
		g_free(label);
	}
	testWaitThreads(threads);
	g_assert_cmpint(testCountFiles("/proc/self/task"), ==, threads);
	sources.STORAGE = 1;
	g_assert_cmpint(rut_createTrace(place.node, 1, sources, 2, &waiting),
			==, 0);
	testWaitThreads(threads + 2);
	g_assert_cmpint(testCountFiles("/proc/self/task"), ==, threads + 2);
	g_assert_cmpint(rut_startTrace(waiting), ==, 0);
	for (int i = 0; i < 4; i++)
		awaitSamples(traces[i]);
	awaitSamples(waiting);
	g_assert_cmpint(rut_finalizeTrace(waiting), ==, 0);
	g_assert_cmpint(rut_stopTrace(traces[1]), ==, 0);
	awaitSamples(traces[0]);
	for (int i = 0; i < 4; i++) {
		g_assert_cmpint(rut_finalizeTrace(traces[i]), ==, 0);
		hdT_destroyTopoNode(nodes[i]);
	}
	rutStatvfs = statvfs;
	placeClear(&place);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_setenv("RUT_VERBOSITY", "-1", TRUE);
	g_unsetenv("RUT_BACKEND");
	g_unsetenv("RUT_HDD_MOUNTPOINT");
	g_test_add_func("/rut/api/errors", testErrors);
	g_test_add_func("/rut/api/no-sources", testNoSources);
	g_test_add_func("/rut/api/exists", testFileExists);
	g_test_add_func("/rut/api/names", testNames);
	g_test_add_func("/rut/api/never-read", testNeverRead);
	g_test_add_func("/rut/api/many-cpus", testManyCpus);
	g_test_add_func("/rut/api/no-room", testNoRoom);
	g_test_add_func("/rut/api/many-idle-states", testManyIdleStates);
	g_test_add_func("/rut/api/cycles", testCycles);
	g_test_add_func("/rut/api/prompt", testPrompt);
	g_test_add_func("/rut/api/fork", testFork);
	g_test_add_func("/rut/api/hang", testHang);
	g_test_add_func("/rut/api/taken", testTaken);
	g_test_add_func("/rut/api/due", testDue);
	g_test_add_func("/rut/api/several", testSeveral);
	return g_test_run();
}
