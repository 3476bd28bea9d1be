/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that appear when they are complete: nothing is left of those that are
 * not, and what was wrong is said. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "cli/newfile.h"
#include "cli/temporary.h"

static char *directory;

static int byName(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* What is in the directory, as "a b"; then it is empty. */
static char *empty(void)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *name;
	char *all;

	while ((name = g_dir_read_name(dir))) {
		char *path = g_build_filename(directory, name, NULL);

		g_assert_cmpint(unlink(path), ==, 0);
		g_free(path);
		g_ptr_array_add(names, g_strdup(name));
	}
	g_dir_close(dir);
	g_ptr_array_sort(names, byName);
	g_ptr_array_add(names, NULL);
	all = g_strjoinv(" ", (char **)names->pdata);
	g_ptr_array_unref(names);
	return all;
}

static void leaves(const char *expected)
{
	char *found = empty();

	g_assert_cmpstr(found, ==, expected);
	g_free(found);
}

static void start(struct newFile *file, const char *name)
{
	char *path = g_build_filename(directory, name, NULL);

	g_assert_cmpint(newFileStart(file, path), ==, 0);
	g_free(path);
	fputs("text", file->file);
}

static void ends(void)
{
	struct newFile file;

	start(&file, "a");
	g_assert_cmpint(newFileCommit(&file, false), ==, 0);
	start(&file, "b");
	newFileAbort(&file);
	leaves("a");
}

/* ---- A file that is full ------------------------------------------------- */

static void full(void)
{
	/* So much is written with a limit of 64 KiB: it fails when all is
	 * written out at the end, or long before. */
	static const size_t sizes[] = { 66000, 1 << 20 };
	char *bytes = g_malloc0(1 << 20);

	struct rlimit before;

	g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct rlimit limit = { 65536, before.rlim_max };
		struct newFile file;

		start(&file, "full");
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
		for (size_t k = 0; k < sizes[i]; k += 1000)
			fwrite(bytes, 1, 1000, file.file);
		g_assert_cmpint(newFileCommit(&file, false), ==, -EFBIG);
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
		leaves("");
	}
	g_free(bytes);
}

/* ---- Signals ------------------------------------------------------------- */

/* A process with some files that gets a signal; what ends it. */
static int signalled(int number, void (*before)(int number))
{
	int status;
	pid_t child = fork();

	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		struct newFile files[4];

		if (before)
			before(number);
		for (int i = 0; i < 4; i++) {
			char name[] = { (char)('a' + i), '\0' };

			start(&files[i], name);
		}
		/* One is complete, one is not wanted, one has all that it needs
		 * but its name, and one is being written. */
		g_assert_cmpint(newFileCommit(&files[0], false), ==, 0);
		newFileAbort(&files[1]);
		g_assert_cmpint(newFileClose(&files[2]), ==, 0);
		/* Its place is used again. */
		start(&files[1], "e");
		raise(number);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	return status;
}

static void signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
		int status = signalled(numbers[i], NULL);

		g_assert_true(WIFSIGNALED(status));
		g_assert_cmpint(WTERMSIG(status), ==, numbers[i]);
		leaves("a");
	}
}

/* A directory with more files than a look into it finds. */
static void fillDirectory(int number)
{
	char *path = g_build_filename(directory, "d.XXXXXX", NULL);
	struct temporary *removal;
	struct newFile file;

	(void)number;
	g_assert_cmpint(temporaryMakeDirectory(path, &removal), ==, 0);
	for (int i = 0; i < 400; i++) {
		char *name = g_strdup_printf("%s/file-%d", path, i);

		g_assert_cmpint(newFileStart(&file, name), ==, 0);
		/* The last one is being written. */
		if (i < 399)
			g_assert_cmpint(newFileCommit(&file, false), ==, 0);
		g_free(name);
	}
	g_free(path);
}

static void directories(void)
{
	int status = signalled(SIGTERM, fillDirectory);

	g_assert_true(WIFSIGNALED(status));
	leaves("a");
}

static void ignore(int number)
{
	signal(number, SIG_IGN);
}

static void leave(int number)
{
	(void)number;
	_exit(7);
}

static void take(int number)
{
	signal(number, leave);
}

/* What is ignored, as by nohup, stays so; who takes a signal gets it. */
static void others(void)
{
	char *left;

	g_assert_cmpint(signalled(SIGHUP, ignore), ==, 0);
	left = empty();
	g_assert_true(g_str_has_prefix(left, "a c."));
	g_free(left);
	g_assert_cmpint(WEXITSTATUS(signalled(SIGINT, take)), ==, 7);
	left = empty();
	g_assert_true(g_str_has_prefix(left, "a c."));
	g_free(left);
}

/* Go on in a process that is the first one of a PID namespace; who began ends
 * as that does. */
static void beFirst(int number)
{
	int status;
	pid_t child;

	(void)number;
	if (unshare(CLONE_NEWPID) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		_exit(77);
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0)
		return;
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

/* What has no effect by default ends it nevertheless. */
static void first(void)
{
	int status = signalled(SIGTERM, beFirst);

	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		g_test_skip("no PID namespace can be made");
		return;
	}
	g_assert_cmpint(WEXITSTATUS(status), ==, 128 + SIGTERM);
	leaves("a");
}

int main(int argc, char **argv)
{
	int ret;

	g_test_init(&argc, &argv, NULL);
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 3; i++)
		signal((const int[]){ SIGINT, SIGTERM, SIGHUP }[i], SIG_DFL);
	directory = g_dir_make_tmp(NULL, NULL);
	g_test_add_func("/newfile/ends", ends);
	g_test_add_func("/newfile/full", full);
	g_test_add_func("/newfile/signals", signals);
	g_test_add_func("/newfile/directories", directories);
	g_test_add_func("/newfile/others", others);
	g_test_add_func("/newfile/first", first);
	ret = g_test_run();
	g_rmdir(directory);
	g_free(directory);
	return ret;
}
