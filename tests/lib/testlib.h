/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the unit tests of the writing library share.
 *
 * Every test program works in a directory of its own, which is the current one
 * and goes away at the end. Environment variables are read once per process;
 * a test that needs others runs as a subprocess (testInProcess()), in the same
 * directory.
 */
#ifndef TESTLIB_H
#define TESTLIB_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include <hdStats.h>
#include <hdTrace.h>

/** g_test_init(), and a directory to work in. */
void testInit(int *argc, char ***argv);

/** g_test_run(), and the directory is gone. */
int testRun(void);

/* ---- Sanitizers -------------------------------------------------------- */

#if defined(__has_feature)
#define TEST_HAS_FEATURE(feature) __has_feature(feature)
#else
#define TEST_HAS_FEATURE(feature) 0
#endif

/** ThreadSanitizer bears neither a process that forks and then has threads, nor
 *  exit() in a signal handler. */
#if defined(__SANITIZE_THREAD__) || TEST_HAS_FEATURE(thread_sanitizer)
#define TEST_HAS_TSAN true
#else
#define TEST_HAS_TSAN false
#endif

/** AddressSanitizer's locks stay locked in a child that is made while another
 *  thread begins or allocates; it hangs then, sooner or later, more so on a
 * busy machine. */
#if defined(__SANITIZE_ADDRESS__) || TEST_HAS_FEATURE(address_sanitizer)
#define TEST_HAS_ASAN true
#else
#define TEST_HAS_ASAN false
#endif

/* ---- Calls ------------------------------------------------------------- */

/** What errno is before a call that must not touch it. */
#define TEST_ERRNO 4711

/** A call gives @p expected and leaves errno alone. */
#define testGives(expected, call)                       \
	do {                                            \
		errno = TEST_ERRNO;                     \
		g_assert_cmpint(call, ==, expected);    \
		g_assert_cmpint(errno, ==, TEST_ERRNO); \
	} while (0)

/** A call succeeds and leaves errno alone. */
#define testWorks(call) testGives(0, call)

/** A call that gives a pointer succeeds and leaves errno alone. */
#define testMakes(variable, call)                       \
	do {                                            \
		errno = TEST_ERRNO;                     \
		variable = call;                        \
		g_assert_nonnull(variable);             \
		g_assert_cmpint(errno, ==, TEST_ERRNO); \
	} while (0)

/** A call returns -1 and sets errno to @p error. */
#define testFails(error, call)                     \
	do {                                       \
		errno = TEST_ERRNO;                \
		g_assert_cmpint(call, ==, -1);     \
		g_assert_cmpint(errno, ==, error); \
	} while (0)

/** A call returns NULL and sets errno to @p error. */
#define testFailsNull(error, call)                 \
	do {                                       \
		errno = TEST_ERRNO;                \
		g_assert_null(call);               \
		g_assert_cmpint(errno, ==, error); \
	} while (0)

/* ---- Processes --------------------------------------------------------- */

/**
 * Whether to do the work here: in a process of its own, which has the
 * environment "NAME=VALUE NAME=VALUE" and must end with success.
 *
 *     if (testInProcess("HDTRACE_GAPS=none"))
 *             writeSomething();
 *     else
 *             checkIt();
 */
bool testInProcess(const char *environment);

/* ---- Chance ------------------------------------------------------------ */

/** Random numbers that are the same for the same seed. */
struct testRandom {
	uint64_t state;
};

/** The seed: $HDTRACE_TEST_SEED, or a new one; printed. */
uint64_t testSeed(void);

uint64_t testRandomBits(struct testRandom *random);

/** From 0 to below @p limit. */
uint64_t testRandomBelow(struct testRandom *random, uint64_t limit);

/* ---- Time -------------------------------------------------------------- */

/** Use a fake clock that stands at @p ns; each reading adds @p step. */
void testClockSet(int64_t ns, int64_t step);

/** Use a clock that cannot be read. */
void testClockBreak(void);

/** Use the real one. */
void testClockReset(void);

/** Nanoseconds as timespec. */
struct timespec testTime(int64_t ns);

/* ---- Files ------------------------------------------------------------- */

/** Read a file; it must exist. To be freed. */
char *testRead(const char *path, size_t *length);

bool testExists(const char *path);

/** Make a node with labels joined by '/', "" for the root, in a new topology;
 * its levels are called Level1, Level2, ... */
hdTopoNode *testNode(const char *project, const char *labels);

/** Create a trace `PROJECT.trc`. */
hdTrace *testTrace(const char *project);

#endif
