/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both threads */
/* HDTRACE_CLOCK: what files say of where their times are from, and what is said
 * where the time stamp counter may not be trusted. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hdRelation.h>
#include "common/clock.h"
#include "common/tsc.h"
#include "common/tscclock.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

/* What is found out of this machine. */
static const struct hdTscFacts sound = {
	.isX86 = 1,
	.hasCounter = 1,
	.isInvariant = 1,
	.sources = "tsc hpet\n",
};
static const struct hdTscFacts *facts;

void __real_hdTscFind(struct hdTscFacts *found);
void __wrap_hdTscFind(struct hdTscFacts *found);
void __wrap_hdTscFind(struct hdTscFacts *found)
{
	if (facts)
		*found = *facts;
	else
		__real_hdTscFind(found);
}

static int64_t realNow(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return hdClockToNs(&now);
}

/* A trace, a group and relations of the root of a project. */
static struct {
	hdTrace *trace;
	hdStatsGroup *group;
	hdR_topoToken relations;
} project;

static void projectOpen(const char *name)
{
	hdTopology *topology = hdT_createTopology(name, NULL, 0);
	hdTopoNode *node = hdT_createTopoNode(topology, NULL, 0);

	g_assert_nonnull(node);
	testMakes(project.trace, hdT_createTrace(node));
	testMakes(project.group, hdS_createGroup("Group", node, 0));
	testWorks(hdS_addValue(project.group, "v", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(project.group));
	testWorks(hdS_enableGroup(project.group));
	testWorks(hdR_initTopology(node, &project.relations));
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
}

static void projectUse(void)
{
	hdR_token token;

	testWorks(hdT_logStateStart(project.trace, "State"));
	testWorks(hdS_writeInt32Value(project.group, 1));
	testMakes(token, hdR_createTopLevelRelation(project.relations));
	testWorks(hdR_destroyRelation(&token));
	testWorks(hdT_logStateEnd(project.trace));
}

static void projectClose(void)
{
	testWorks(hdT_finalize(project.trace));
	testWorks(hdS_finalize(project.group));
	testWorks(hdR_finalize(&project.relations));
}

static const char *const files[] = { ".trc", "_Group.stat", ".rel" };

/* The beginning of a file of the project, to be freed. */
static char *head(const char *name, size_t file)
{
	char *path = g_strconcat(name, files[file], NULL), *text, *end;
	size_t length;

	text = testRead(path, &length);
	end = memmem(text, length, "timeError", 9);
	if (end && end + 40 < text + length)
		end[40] = '\0';
	g_free(path);
	return text;
}

/* A number of an attribute, in ns; INT64_MIN if it is blank. */
static int64_t number(const char *text, const char *key, char quote)
{
	char *begin = g_strdup_printf(" %s=%c", key, quote), *end;
	const char *at = strstr(text, begin);
	double seconds;
	bool isBlank;

	g_assert_nonnull(at);
	at += strlen(begin);
	g_free(begin);
	g_assert_cmpint(at[12], ==, quote);
	seconds = g_ascii_strtod(at, &end);
	isBlank = strncmp(at, "            ", 12) == 0;
	g_assert_true(isBlank || end == at + 12);
	return isBlank ? INT64_MIN : (int64_t)(seconds * 1e9);
}

#if defined(__x86_64__) || defined(__i386__)
#define TEST_HAS_COUNTER true
#else
#define TEST_HAS_COUNTER false
#endif

/* The stamps of the group are those of the wall clock. */
static void checkStamps(const char *path, int64_t before, int64_t after)
{
	struct testStatFile *file = testStatRead(path);

	g_assert_cmpuint(file->count, ==, 1);
	g_assert_cmpint(file->init, >=, before);
	g_assert_cmpint(file->entries[0].time, >=, file->init);
	g_assert_cmpint(file->entries[0].time, <=, after);
	testStatFree(file);
}

/* Headers say it, with room for what is known in the end; and that is there
 * then. */
static void headers(void)
{
	int64_t before;

	if (!TEST_HAS_COUNTER) {
		g_test_skip("there is no time stamp counter");
		return;
	}
	if (!testInProcess("HDTRACE_CLOCK=tsc"))
		return;
	facts = &sound;
	/* That of another clock, a part of a second off at most. */
	before = realNow() - HD_NS_PER_S / 10;
	projectOpen("head");
	g_assert_nonnull(hdTscClockUsed());
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *text = head("head", i), quote = i ? '"' : '\'';

		g_assert_nonnull(strstr(text, i ? " timeSource=\"tsc\""
						: " timeSource='tsc'"));
		g_assert_cmpint(number(text, "timeDrift", quote), ==,
				INT64_MIN);
		g_assert_cmpint(number(text, "timeError", quote), ==,
				INT64_MIN);
		g_free(text);
	}
	projectUse();
	projectClose();
	checkStamps("head_Group.stat", before, realNow() + HD_NS_PER_S / 10);
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *text = head("head", i), quote = i ? '"' : '\'';

		g_assert_nonnull(strstr(text, i ? " timeSource=\"tsc\""
						: " timeSource='tsc'"));
		g_assert_cmpint(number(text, "timeError", quote), >, 0);
		g_assert_cmpint(number(text, "timeError", quote), <=,
				hdTscClockError(hdTscClockUsed()) + 1);
		number(text, "timeDrift", quote);
		g_free(text);
	}
}

/* Nothing of it where it was not asked for. */
static void without(void)
{
	if (!testInProcess("HDTRACE_CLOCK=realtime"))
		return;
	facts = &sound;
	projectOpen("without");
	g_assert_null(hdTscClockUsed());
	projectUse();
	projectClose();
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *text = head("without", i);

		g_assert_null(strstr(text, "timeSource"));
		g_free(text);
	}
}

/* One line says why not, and all goes on with the system's clock. */
static void refuse(void)
{
	if (g_test_subprocess()) {
		static struct hdTscFacts other;

		other = sound;
		other.isInvariant = 0;
		facts = &other;
		projectOpen("refuse");
		g_assert_true(hdClockRead == hdClockSteady);
		projectUse();
		projectClose();
		return;
	}
	g_setenv("HDTRACE_CLOCK", "tsc", TRUE);
	g_test_trap_subprocess(NULL, 0, 0);
	g_unsetenv("HDTRACE_CLOCK");
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr(
		"hdtrace: HDTRACE_CLOCK=tsc: cannot use the time stamp "
		"counter, and uses the system clock: its rate changes with the "
		"frequency of the processor (not invariant)\n");
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		char *text = head("refuse", i);

		g_assert_null(strstr(text, "timeSource"));
		g_free(text);
	}
}

/* A child writes nothing into its parent's files, and records its own. */
static void forks(void)
{
	char *text;
	pid_t child;
	int status;

	if (!TEST_HAS_COUNTER || TEST_HAS_TSAN || TEST_HAS_ASAN) {
		g_test_skip("not with this processor or sanitizer");
		return;
	}
	if (!testInProcess("HDTRACE_CLOCK=tsc"))
		return;
	facts = &sound;
	projectOpen("parent");
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		projectClose();
		projectOpen("child");
		projectUse();
		projectClose();
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	text = head("parent", 0);
	g_assert_cmpint(number(text, "timeError", '\''), ==, INT64_MIN);
	g_free(text);
	text = head("child", 0);
	g_assert_cmpint(number(text, "timeError", '\''), >, 0);
	g_free(text);
	projectUse();
	projectClose();
}

/* Times are those of the wall clock, as far as the header says. */
static void times(void)
{
	struct hdTscFacts here;
	int64_t before, now, after, error;

	hdTscFind(&here);
	if (hdTscRefusal(&here)) {
		g_test_skip(hdTscRefusal(&here));
		return;
	}
	if (!testInProcess("HDTRACE_CLOCK=tsc HDTRACE_FLUSH_MS=100"))
		return;
	projectOpen("times");
	/* Nobody reads the clock but the library's own thread. */
	g_usleep(600000);
	before = realNow();
	now = hdClockNow();
	after = realNow();
	error = hdTscClockError(hdTscClockUsed());
	g_test_message("stated: %" PRId64 " ns", error);
	g_assert_cmpint(now, >=, before - error - 100000);
	g_assert_cmpint(now, <=, after + error + 100000);
	g_assert_cmpuint(atomic_load(&hdTscClockUsed()->version), >, 2);
	projectUse();
	projectClose();
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/clock/headers", headers);
	g_test_add_func("/clock/without", without);
	g_test_add_func("/clock/refuse", refuse);
	g_test_add_func("/clock/fork", forks);
	g_test_add_func("/clock/times", times);
	return testRun();
}
