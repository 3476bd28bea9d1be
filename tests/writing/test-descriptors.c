/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/*
 * Programs that close descriptors which are not theirs, and get their numbers
 * for files of their own.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/testlib.h"

#define OWN_TEXT "the program's own\n"
#define FILES_MAX 8

/* Nothing goes out but when a test says so. */
#define LATE "HDTRACE_FLUSH_MS=3600000"
#define AGAIN " HDTRACE_OVERWRITE_EXISTING_FILES=1"

/* A trace with a .info, and a group: three files of ours. */
struct project {
	hdTrace *trace;
	hdStatsGroup *group;
};

static void projectCreate(struct project *project, const char *name)
{
	hdTopoNode *node = testNode(name, "");

	project->trace = hdT_createTrace(node);
	g_assert_nonnull(project->trace);
	testWorks(hdT_writeInfo(project->trace, "info\n"));
	testMakes(project->group, hdS_createGroup("Group", node, 0));
	testWorks(hdS_addValue(project->group, "v", INT32, NULL, NULL));
	testWorks(hdS_commitGroup(project->group));
	testWorks(hdT_flush(project->trace));
	hdT_destroyTopoNode(node);
}

static void logState(hdTrace *trace)
{
	hdT_logStateStart(trace, "State");
	hdT_logStateEnd(trace);
}

/* Give the project's descriptors to others: those of "open" where it is
 * non-negative, else none. Returns how many there were, and which. */
static size_t takeDescriptors(const char *project, int open, int taken[])
{
	DIR *directory = opendir("/proc/self/fd");
	const struct dirent *entry;
	size_t count = 0;

	g_assert_nonnull(directory);
	while ((entry = readdir(directory))) {
		char path[PATH_MAX];
		ssize_t length = readlinkat(dirfd(directory), entry->d_name,
					    path, sizeof(path) - 1);
		const char *slash;

		if (length < 0)
			continue;
		path[length] = '\0';
		slash = strrchr(path, '/');
		if (!slash || !g_str_has_prefix(slash + 1, project))
			continue;
		g_assert_cmpuint(count, <, FILES_MAX);
		taken[count++] = atoi(entry->d_name);
	}
	closedir(directory);
	for (size_t i = 0; i < count; i++) {
		if (open >= 0)
			g_assert_cmpint(dup2(open, taken[i]), ==, taken[i]);
		else
			g_assert_cmpint(close(taken[i]), ==, 0);
	}
	return count;
}

static int openOwn(void)
{
	int fd = open("own", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, OWN_TEXT, strlen(OWN_TEXT)), ==,
			strlen(OWN_TEXT));
	return fd;
}

static void checkOwn(void)
{
	size_t length;
	char *bytes = testRead("own", &length);

	g_assert_cmpmem(bytes, length, OWN_TEXT, strlen(OWN_TEXT));
	g_free(bytes);
}

/* The numbers are still the program's: nobody has closed them. */
static void checkTaken(const int taken[], size_t count)
{
	struct stat own, is;

	g_assert_cmpint(stat("own", &own), ==, 0);
	for (size_t i = 0; i < count; i++) {
		g_assert_cmpint(fstat(taken[i], &is), ==, 0);
		g_assert_true(is.st_dev == own.st_dev &&
			      is.st_ino == own.st_ino);
	}
}

static size_t sizeOf(const char *path)
{
	struct stat is;

	g_assert_cmpint(stat(path, &is), ==, 0);
	return (size_t)is.st_size;
}

static void checkLosses(const struct project *project, uint64_t records)
{
	hdLosses losses;

	testWorks(hdT_getLosses(project->trace, &losses));
	g_assert_cmpuint(losses.records, ==, records);
	testWorks(hdS_getLosses(project->group, &losses));
	g_assert_cmpuint(losses.records, ==, records);
}

/* Ten records are written after the program has taken the descriptors; when
 * they go out, none goes into a file of the program. */
static void testTaken(gconstpointer environment)
{
	int taken[FILES_MAX], own;
	struct project project;
	size_t count, traceSize, groupSize;

	if (!testInProcess(environment))
		return;
	projectCreate(&project, "p");
	testWorks(hdS_enableGroup(project.group));
	logState(project.trace);
	testWorks(hdS_writeInt32Value(project.group, 1));
	testWorks(hdT_flush(project.trace));
	testWorks(hdS_flush(project.group));
	traceSize = sizeOf("p.trc");
	groupSize = sizeOf("p_Group.stat");
	own = openOwn();
	count = takeDescriptors("p", own, taken);
	g_assert_cmpuint(count, ==, 3);
	for (int i = 0; i < 10; i++) {
		logState(project.trace);
		hdS_writeInt32Value(project.group, i);
	}
	hdT_flush(project.trace);
	hdS_flush(project.group);
	checkLosses(&project, 10);
	testFails(HD_ERR_WRITE_FILE, hdT_finalize(project.trace));
	testFails(HD_ERR_WRITE_FILE, hdS_finalize(project.group));
	checkOwn();
	checkTaken(taken, count);
	g_assert_cmpuint(sizeOf("p.trc"), ==, traceSize);
	g_assert_cmpuint(sizeOf("p_Group.stat"), ==, groupSize);
	close(own);
}

/* A daemon: all are closed, and the next files get their numbers. The library
 * is told by nobody; its thread finds out. */
static void testDaemon(void)
{
	int taken[FILES_MAX], opened[FILES_MAX];
	struct project project;
	size_t count;
	hdLosses losses = { 0 };

	if (!testInProcess("HDTRACE_FLUSH_MS=2"))
		return;
	projectCreate(&project, "d");
	testWorks(hdS_enableGroup(project.group));
	testWorks(hdS_flush(project.group));
	count = takeDescriptors("d", -1, taken);
	for (size_t i = 0; i < count; i++) {
		opened[i] = openOwn();
		g_assert_true(opened[i] == taken[0] || opened[i] == taken[1] ||
			      opened[i] == taken[2]);
		checkOwn();
	}
	while (losses.records == 0) {
		logState(project.trace);
		g_usleep(1000);
		testWorks(hdT_getLosses(project.trace, &losses));
	}
	testFails(HD_ERR_WRITE_FILE, hdT_finalize(project.trace));
	/* Nothing had to be written any more; nothing is lost. */
	testWorks(hdS_finalize(project.group));
	checkOwn();
	checkTaken(taken, count);
}

/* What is no file: the other end gets nothing. */
static void testSocket(void)
{
	int taken[FILES_MAX], pair[2];
	struct project project;
	char byte;

	if (!testInProcess(LATE))
		return;
	projectCreate(&project, "s");
	g_assert_cmpint(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==,
		0);
	g_assert_cmpuint(takeDescriptors("s", pair[0], taken), ==, 3);
	/* The first to write: over the time of the commit. */
	testWorks(hdS_enableGroup(project.group));
	logState(project.trace);
	testFails(HD_ERR_WRITE_FILE, hdT_flush(project.trace));
	testFails(HD_ERR_WRITE_FILE, hdS_flush(project.group));
	testFails(HD_ERR_WRITE_FILE, hdT_finalize(project.trace));
	testFails(HD_ERR_WRITE_FILE, hdS_finalize(project.group));
	g_assert_cmpint(recv(pair[1], &byte, 1, 0), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
}

/* What a record does not fit into the ring for goes past it. */
static void testLarge(void)
{
	struct project project;
	int taken[FILES_MAX], own;
	char *name;

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4 " LATE))
		return;
	name = g_strnfill(100000, 'x');
	projectCreate(&project, "l");
	own = openOwn();
	takeDescriptors("l", own, taken);
	hdT_logEvent(project.trace, name);
	testFails(HD_ERR_WRITE_FILE, hdT_flush(project.trace));
	checkOwn();
	g_free(name);
	hdT_finalize(project.trace);
	hdS_finalize(project.group);
	checkOwn();
}

/* It is said, unless silence is asked for. */
static void testMessage(gconstpointer level)
{
	if (g_test_subprocess()) {
		struct project project;
		int taken[FILES_MAX], own = openOwn();

		projectCreate(&project, level);
		testWorks(hdS_enableGroup(project.group));
		takeDescriptors(level, own, taken);
		for (int i = 0; i < 3; i++) {
			logState(project.trace);
			hdT_flush(project.trace);
		}
		hdT_finalize(project.trace);
		hdS_finalize(project.group);
		return;
	}
	g_setenv("HDTRACE_VERBOSITY", level, TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_unsetenv("HDTRACE_VERBOSITY");
	g_test_trap_assert_passed();
	if (*(const char *)level == '-')
		g_test_trap_assert_stderr("");
	else
		g_test_trap_assert_stderr(
			"hdtrace: ?.trc: offset *: the program has closed our "
			"file descriptor; the file ends here\n");
}

/* A child that closes what it inherits, opens its own, and then ends the
 * parent's trace: the child keeps what it has opened. */
static void testChild(void)
{
	struct project project;
	int status;
	pid_t pid;

	if (!testInProcess(LATE))
		return;
	projectCreate(&project, "c");
	testWorks(hdS_enableGroup(project.group));
	logState(project.trace);
	fflush(NULL);
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		int taken[FILES_MAX], own = openOwn();
		size_t count = takeDescriptors("c", own, taken);

		hdT_finalize(project.trace);
		hdS_finalize(project.group);
		checkOwn();
		checkTaken(taken, count);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	testWorks(hdT_finalize(project.trace));
	testWorks(hdS_finalize(project.group));
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_data_func("/descriptors/taken/late", LATE AGAIN, testTaken);
	g_test_add_data_func("/descriptors/taken/forced",
			     "HDTRACE_FORCE_FLUSH=1" AGAIN, testTaken);
	g_test_add_data_func("/descriptors/taken/busy",
			     "HDTRACE_FLUSH_MS=1" AGAIN, testTaken);
	g_test_add_func("/descriptors/daemon", testDaemon);
	g_test_add_func("/descriptors/socket", testSocket);
	g_test_add_func("/descriptors/large", testLarge);
	g_test_add_data_func("/descriptors/message/-1", "-1", testMessage);
	g_test_add_data_func("/descriptors/message/0", "0", testMessage);
	g_test_add_data_func("/descriptors/message/1", "1", testMessage);
	g_test_add_func("/descriptors/child", testChild);
	return testRun();
}
