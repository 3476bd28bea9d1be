/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a daemon gives up: each in a child, since it is for ever. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "net/service/sandbox.h"

static char *directory;

/* Call it in a child, and get its exit status. */
static int inChild(int (*call)(void))
{
	pid_t child = fork();
	int status;

	g_assert_cmpint(child, >=, 0);
	if (child == 0)
		_exit(call());
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define CHECK(condition)                                            \
	do {                                                        \
		if (!(condition)) {                                 \
			fprintf(stderr, "# %d: %s: %s\n", __LINE__, \
				#condition, strerror(errno));       \
			return 1;                                   \
		}                                                   \
	} while (0)

/* Sanitizers find leaks by ptrace(), which is allowed then. */
static bool isSanitized;

/* 2: the kernel does not let us. */
static int filtered(void)
{
	int ret;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ret = hdSandboxFilter();
	if (ret < 0)
		return 2;
	/* Their arguments are wrong: who may call them gets another error. */
	CHECK(isSanitized ||
	      (ptrace((enum __ptrace_request) - 1, 0, NULL, NULL) < 0 &&
	       errno == EPERM));
	CHECK(syscall(SYS_bpf, -1, NULL, 0) < 0 && errno == EPERM);
	CHECK(syscall(SYS_keyctl, -1) < 0 && errno == EPERM);
	CHECK(syscall(427, -1) < 0 && errno == EPERM);
	CHECK(syscall(SYS_unshare, 0) < 0 && errno == EPERM);
	/* What daemons do goes on, also in what they run. */
	CHECK(getpid() > 0 && system("exit 7") == 7 << 8);
	CHECK(system("unshare -U true 2>/dev/null") != 0);
	return 0;
}

static void testFilter(void)
{
	int status = inChild(filtered);

	if (status == 2)
		g_test_skip("no filters of system calls here");
	else
		g_assert_cmpint(status, ==, 0);
}

static bool canWrite(const char *name)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int confined(void)
{
	g_autofree char *inside = g_build_filename(directory, "in", NULL);
	g_autofree char *file = g_build_filename(directory, "file", NULL);
	g_autofree char *gone = g_build_filename(directory, "gone", NULL);
	const char *paths[] = { inside, file, "/no/such/directory" };
	char text[8];
	int ret, fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ret = hdSandboxWrite(paths, G_N_ELEMENTS(paths));
	if (ret < 0)
		return 2;
	CHECK(canWrite("in/new") && canWrite("in/old"));
	CHECK(canWrite("file"));
	CHECK(!canWrite("new") && errno == EACCES);
	CHECK(!canWrite("gone") && errno == EACCES);
	CHECK(unlink(gone) < 0 && errno == EACCES);
	/* Reading goes on. */
	fd = open(gone, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && read(fd, text, sizeof(text)) == 0);
	close(fd);
	return 0;
}

static void testWrite(void)
{
	g_autofree char *inside = g_build_filename(directory, "in", NULL);
	int status;

	g_assert_cmpint(g_mkdir(inside, 0700), ==, 0);
	g_assert_true(canWrite("gone") && canWrite("file") &&
		      canWrite("in/old"));
	status = inChild(confined);
	if (status == 2)
		g_test_skip("the kernel has no Landlock");
	else
		g_assert_cmpint(status, ==, 0);
}

static int reduced(void)
{
	uint64_t keep = HD_SANDBOX_CAPABILITY(CAP_KILL), has = 0;
	char line[200];
	FILE *file;

	CHECK(hdSandboxKeep(keep) == 0);
	file = fopen("/proc/self/status", "re");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, "CapPrm:", 7) == 0)
			has = strtoull(line + 7, NULL, 16);
	fclose(file);
	CHECK((has & ~keep) == 0);
	/* Root without capabilities is no root. */
	CHECK(chroot("/") < 0 && errno == EPERM);
	return 0;
}

static void testKeep(void)
{
	g_assert_cmpint(inChild(reduced), ==, 0);
}

int main(int argc, char **argv)
{
	static const char *const files[] = { "in/new", "in/old", "in",
					     "file",   "gone",   "" };
	const char *sanitizers = g_getenv("HD_SANITIZE");
	int ret;

	isSanitized = sanitizers && *sanitizers;
	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("hdtrace-sandbox.XXXXXX", NULL);
	g_assert_nonnull(directory);
	g_test_add_func("/sandbox/system calls are forbidden", testFilter);
	g_test_add_func("/sandbox/files elsewhere are read-only", testWrite);
	g_test_add_func("/sandbox/capabilities are gone", testKeep);
	ret = g_test_run();
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path =
			g_build_filename(directory, files[i], NULL);

		remove(path);
	}
	g_free(directory);
	return ret;
}
