/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both threads */
/* Compressed files: zstd makes of them what a plain file has. */
#include "config.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/format/compress.h"
#include "common/format/frame.h"
#include "tests/lib/testlib.h"

/* Decompress a file by another program; what is cut is left out. */
static char *decompress(const char *path, gsize *size, bool isWhole)
{
	char *arguments[] = { (char *)"sh", (char *)"-c",
			      (char *)"zstd -dc \"$0\" >plain 2>/dev/null",
			      (char *)path, NULL };
	char *bytes;
	int status;

	g_assert_true(g_spawn_sync(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH,
				   NULL, NULL, NULL, NULL, &status, NULL));
	bytes = testRead(path, size);
	/* An empty file is not one of zstd. */
	g_assert_true(!isWhole || status == 0 || *size == 0);
	g_free(bytes);
	return testRead("plain", size);
}

/* ---- The environment --------------------------------------------------- */

/** 99: it is not valid. */
static const struct {
	const char *text;
	int level;
} levels[] = {
	{ "zstd", 1 },     { "zstd:1", 1 },    { "zstd:19", 19 },
	{ "zstd:-1", -1 }, { "zstd:-7", -7 },  { "none", 0 },
	{ "zstd:0", 99 },  { "zstd:20", 99 },  { "zstd:-8", 99 },
	{ "zstd:-", 99 },  { "zstd:--1", 99 }, { "zstd:-0", 99 },
	{ "zstd:", 99 },   { "zstd:+1", 99 },  { "zstd: 1", 99 },
	{ "zstd:1x", 99 }, { "zstd1", 99 },    { "gzip", 99 },
	{ "", 99 },
};

static void testLevels(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(levels); i++) {
		int level = 99;
		int ret = hdCompressParse(levels[i].text, &level);

		g_assert_cmpint(ret, ==, level == 99 ? -EINVAL : 0);
		g_assert_cmpint(level, ==, levels[i].level);
	}
}

/* ---- Records of all sizes ---------------------------------------------- */

static const struct ringTest {
	const char *environment;
	int records;
	size_t usual; /* No record is as long, but for one in fifty. */
	size_t longest;
} smallRing = { "HDTRACE_OVERWRITE_EXISTING_FILES=1 "
		"HDTRACE_COMPRESS=zstd HDTRACE_BUFFER_SIZE_KB=4 "
		"HDTRACE_FLUSH_MS=1",
		20000, 300, 10000 },
  growingRing = { "HDTRACE_OVERWRITE_EXISTING_FILES=1 "
		  "HDTRACE_COMPRESS=zstd:-5 HDTRACE_FLUSH_MS=1",
		  2000, 20000, 2000000 },
  flushedRing = { "HDTRACE_OVERWRITE_EXISTING_FILES=1 "
		  "HDTRACE_COMPRESS=zstd HDTRACE_FORCE_FLUSH=1",
		  3000, 200, 1000 };

/* A line of random length, of few words, so that it can be compressed. */
static size_t makeLine(struct testRandom *random, const struct ringTest *test,
		       int number, char *line)
{
	size_t size = 2 + testRandomBelow(random, number % 50 ? test->usual
							      : test->longest);

	for (size_t i = 0; i < size; i++)
		line[i] = (char)('a' + testRandomBits(random) % 4);
	line[size - 1] = '\n';
	return size;
}

static void testRing(gconstpointer data)
{
	const struct ringTest *test = data;
	struct testRandom random;
	GString *expected;
	struct hdOutfile *file;
	char *line, *bytes;
	gsize size;

	if (!testInProcess(test->environment))
		return;
	expected = g_string_new(NULL);
	line = g_malloc(test->longest + 2);
	random.state = testSeed();
	testWorks(hdOutfileOpen(strdup("ring.trc"), true, &file));
	for (int i = 0; i < test->records; i++) {
		size_t length = makeLine(&random, test, i, line);

		testWorks(hdOutfilePut(file, line, length, HD_OUTFILE_KEEP));
		g_string_append_len(expected, line, (gssize)length);
		if (i % 1000 == 999)
			testWorks(hdOutfileFlush(file));
		if (i % 1000 != 998 || i % 7)
			continue;
		/* What is flushed can be read while more is written. */
		testWorks(hdOutfileFlush(file));
		bytes = decompress("ring.trc.zst", &size, true);
		g_assert_cmpuint(size, ==, expected->len);
		g_free(bytes);
	}
	testWorks(hdOutfileClose(file));
	bytes = decompress("ring.trc.zst", &size, true);
	g_assert_cmpuint(size, ==, expected->len);
	g_assert_cmpint(memcmp(bytes, expected->str, size), ==, 0);
	g_free(bytes);
	g_free(line);
	g_string_free(expected, TRUE);
}

/* ---- The same as plain files ------------------------------------------- */

static void writeAll(void)
{
	hdTopoNode *node = testNode("p", "");
	hdTrace *trace;
	hdStatsGroup *group;

	testClockSet(INT64_C(1234567890) * 1000000000, 1000);
	testMakes(trace, hdT_createTrace(node));
	testMakes(group, hdS_createGroup("Group", node, 0));
	testWorks(hdS_addValue(group, "v", INT64, "B", ""));
	testWorks(hdS_commitGroup(group));
	testWorks(hdS_enableGroup(group));
	for (int i = 0; i < 30000; i++) {
		testWorks(hdT_logStateStart(trace, "Send"));
		testWorks(hdT_logAttributeInt64(trace, "size", i % 7));
		testWorks(hdT_logStateEnd(trace));
		testWorks(hdS_writeInt64Value(group, i % 5));
	}
	testWorks(hdS_finalize(group));
	testWorks(hdT_finalize(trace));
	hdT_destroyTopoNode(node);
	testClockReset();
}

static void testSame(void)
{
	static const char *const names[] = { "p.trc", "p_Group.stat" };

	if (g_test_subprocess()) {
		testInProcess("");
		writeAll();
		return;
	}
	g_setenv("HDTRACE_COMPRESS", "zstd", TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_test_trap_assert_passed();
	g_unsetenv("HDTRACE_COMPRESS");
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		char *compressed = g_strconcat(names[i], ".zst", NULL);
		char *renamed = g_strconcat("c_", compressed, NULL);

		g_assert_cmpint(g_rename(compressed, renamed), ==, 0);
		g_free(compressed);
		g_free(renamed);
	}
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_test_trap_assert_passed();
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		char *compressed = g_strconcat("c_", names[i], ".zst", NULL);
		gsize plainSize, size, stored;
		char *plain = testRead(names[i], &plainSize);
		char *bytes = decompress(compressed, &size, true);
		char *file = testRead(compressed, &stored);

		g_assert_cmpuint(size, ==, plainSize);
		g_assert_cmpint(memcmp(bytes, plain, size), ==, 0);
		g_test_message("%s: %zu of %zu bytes", compressed, stored,
			       size);
		g_assert_cmpuint(stored, <, size / 4);
		g_free(file);
		g_free(plain);
		g_free(bytes);
		g_free(compressed);
	}
}

/* ---- Sizes -------------------------------------------------------------- */

static const struct sizeTest {
	const char *environment;
	const char *file;
	double tolerance; /* Of what is asked for, beside the file. */
} plainSizes = { "HDTRACE_COMPRESS=none HDTRACE_OVERWRITE_EXISTING_FILES=1",
		 "p.trc", 0.001 },
  packedSizes = { "HDTRACE_COMPRESS=zstd HDTRACE_OVERWRITE_EXISTING_FILES=1",
		  "p.trc.zst", 0.1 };

/* Log states, of which some hundred bytes become few. */
static void logStates(hdTrace *trace, int count)
{
	for (int i = 0; i < count; i++) {
		testWorks(hdT_logStateStart(trace, "Send"));
		testWorks(hdT_logAttributeInt64(trace, "size", i % 7));
		testWorks(hdT_logStateEnd(trace));
	}
	testWorks(hdT_flush(trace));
}

static void testSize(gconstpointer data)
{
	const struct sizeTest *test = data;
	hdTopoNode *node;
	hdTrace *trace;
	int64_t plain, expected;
	GStatBuf status;

	if (!testInProcess(test->environment))
		return;
	node = testNode("p", "");
	testMakes(trace, hdT_createTrace(node));
	logStates(trace, 100);
	plain = hdT_getSize(trace);
	expected = hdT_getFileSize(trace);
	/* So far, nothing is compressed. */
	g_assert_cmpint(expected, ==,
			g_str_has_suffix(test->file, "zst") ? plain / 8
							    : plain);
	logStates(trace, 100000);
	plain = hdT_getSize(trace);
	expected = hdT_getFileSize(trace);
	testWorks(hdT_finalize(trace));
	hdT_destroyTopoNode(node);
	g_assert_cmpint(g_stat(test->file, &status), ==, 0);
	g_test_message("%" PRIi64 " of %" PRIi64
		       " bytes; the file has %" PRIi64,
		       expected, plain, (int64_t)status.st_size);
	g_assert_cmpfloat(ABS((double)(status.st_size - expected)), <,
			  test->tolerance * (double)expected);
	g_assert_cmpint(hdT_getFileSize(NULL), ==, -1);
}

/* ---- Processes that end ------------------------------------------------ */

/* Put lines, of which some may be lost. */
static struct hdOutfile *putLines(int count)
{
	struct hdOutfile *file;
	char line[64];

	testWorks(hdOutfileOpen(strdup("killed.trc"), true, &file));
	for (int i = 0; i < count; i++) {
		int length = g_snprintf(line, sizeof(line), "line %07d\n", i);

		hdOutfilePut(file, line, (size_t)length, HD_OUTFILE_KEEP);
	}
	return file;
}

/* How many lines there are, all in order. */
static int countLines(bool isWhole)
{
	gsize size;
	char *bytes = decompress("killed.trc.zst", &size, isWhole);
	int count = 0;

	for (const char *at = bytes; at < bytes + size; at += 13, count++) {
		char line[64];

		g_snprintf(line, sizeof(line), "line %07d\n", count);
		g_assert_cmpint(memcmp(at, line, 13), ==, 0);
	}
	g_free(bytes);
	return count;
}

static void testKill(void)
{
	if (g_test_subprocess()) {
		struct hdOutfile *file;

		g_setenv("HDTRACE_COMPRESS", "zstd", TRUE);
		file = putLines(100000);
		testWorks(hdOutfileFlush(file));
		raise(SIGKILL);
	}
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_test_trap_has_passed();
	g_assert_cmpint(countLines(true), ==, 100000);
}

static void testExit(void)
{
	if (testInProcess("HDTRACE_COMPRESS=zstd "
			  "HDTRACE_OVERWRITE_EXISTING_FILES=1")) {
		putLines(1000);
		exit(0);
	}
	g_assert_cmpint(countLines(true), ==, 1000);
}

/* A child writes nothing to its parent's file, and makes one of its own. */
static void testFork(void)
{
	struct hdOutfile *file, *own;
	int status;
	pid_t child;

	if (TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("forks");
		return;
	}
	if (!testInProcess("HDTRACE_COMPRESS=zstd "
			   "HDTRACE_OVERWRITE_EXISTING_FILES=1"))
		return;
	file = putLines(50000);
	child = fork();
	if (child == 0) {
		testWorks(hdOutfileClose(file));
		testWorks(hdOutfileOpen(strdup("child.trc"), true, &own));
		testWorks(hdOutfilePut(own, "x\n", 2, HD_OUTFILE_KEEP));
		testWorks(hdOutfileClose(own));
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	testWorks(hdOutfileClose(file));
	g_assert_cmpint(countLines(true), ==, 50000);
}

/* ---- Full disks -------------------------------------------------------- */

/* Wherever the disk is full, the file has whole frames, and what is not in it
 * is counted. */
static void testFull(void)
{
	if (!testInProcess("HDTRACE_COMPRESS=zstd HDTRACE_VERBOSITY=-1 "
			   "HDTRACE_OVERWRITE_EXISTING_FILES=1"))
		return;
	for (rlim_t limit = 1; limit < 90000; limit = limit * 4 / 3 + 7) {
		struct rlimit old, less;
		struct hdOutfile *file;
		uint64_t lost;

		g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
		less = old;
		less.rlim_cur = limit;
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &less), ==, 0);
		file = putLines(60000);
		hdOutfileFlush(file);
		lost = hdOutfileLost(file);
		hdOutfileClose(file);
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
		g_test_message("limit %d: %d lost", (int)limit, (int)lost);
		g_assert_cmpint(countLines(true) + (int)lost, ==, 60000);
	}
}

/* ---- Both forms -------------------------------------------------------- */

/* A plain file is not joined by a compressed one, and is replaced by it. */
static void testOther(gconstpointer data)
{
	const char *environment = data;
	bool overwrites = strstr(environment, "OVERWRITE");
	struct hdOutfile *file;

	if (!testInProcess(environment))
		return;
	g_assert_true(g_file_set_contents("other.trc", "x", 1, NULL));
	if (!overwrites) {
		g_assert_cmpint(hdOutfileOpen(strdup("other.trc"), true, &file),
				==, -HD_ERR_CREATE_FILE);
		g_assert_false(
			g_file_test("other.trc.zst", G_FILE_TEST_EXISTS));
		return;
	}
	testWorks(hdOutfileOpen(strdup("other.trc"), true, &file));
	testWorks(hdOutfileClose(file));
	g_assert_false(g_file_test("other.trc", G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test("other.trc.zst", G_FILE_TEST_EXISTS));
}

int main(int argc, char **argv)
{
	char *zstd = g_find_program_in_path("zstd");

	if (!zstd || hdZstdMissing())
		return 77;
	g_free(zstd);
	testInit(&argc, &argv);
	g_test_add_func("/packer/levels", testLevels);
	g_test_add_data_func("/packer/small ring", &smallRing, testRing);
	g_test_add_data_func("/packer/growing ring", &growingRing, testRing);
	g_test_add_data_func("/packer/each record flushed", &flushedRing,
			     testRing);
	g_test_add_func("/packer/same as plain files", testSame);
	g_test_add_data_func("/packer/size of a plain file", &plainSizes,
			     testSize);
	g_test_add_data_func("/packer/size of a compressed file", &packedSizes,
			     testSize);
	g_test_add_func("/packer/killed after a flush", testKill);
	g_test_add_func("/packer/exit without closing", testExit);
	g_test_add_func("/packer/fork", testFork);
	g_test_add_func("/packer/full disk", testFull);
	g_test_add_data_func("/packer/plain file exists",
			     "HDTRACE_COMPRESS=zstd HDTRACE_VERBOSITY=-1",
			     testOther);
	g_test_add_data_func(
		"/packer/plain file is replaced",
		"HDTRACE_COMPRESS=zstd HDTRACE_OVERWRITE_EXISTING_FILES=1",
		testOther);
	return testRun();
}
