/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that is asked something; see child.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>

#include "NodeStatus/local/child.h"
#include "common/clock.h"

extern char **environ;

/* How long a program that was killed is waited for. One that hangs in the
 * kernel is left; who asked may look later whether it has ended. */
#define REAP_NS (HD_NS_PER_S / 2)

static int childStart(const char *path, const char *const *arguments, int outFd,
		      pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, outFd, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
	error = posix_spawn(pid, path, &actions, &attributes,
			    (char *const *)(void *)arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

/* Wait for what there is to read; 1, 0 when time is over, or -EINTR. */
static int childAwaitInput(int fd, int wakeFd, int64_t deadlineNs)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN },
				 { .fd = wakeFd, .events = POLLIN } };

	for (;;) {
		int64_t left = deadlineNs - hdMonotonicNow();
		int ret;

		if (left <= 0)
			return 0;
		ret = poll(fds, 2, (int)(left / 1000000) + 1);
		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ret > 0 && fds[1].revents)
			return -EINTR;
		if (ret > 0)
			return 1;
	}
}

static int childReadAll(int fd, int wakeFd, int64_t deadlineNs, size_t max,
			GString *text)
{
	char bytes[4096];

	for (;;) {
		int ret = childAwaitInput(fd, wakeFd, deadlineNs);
		ssize_t got;

		if (ret <= 0)
			return ret < 0 ? ret : -ETIMEDOUT;
		got = read(fd, bytes, sizeof(bytes));
		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (got > 0)
			g_string_append_len(text, bytes, got);
		if (text->len > max)
			return -EFBIG;
	}
}

/* Wait for the end; false if it does not come. */
static bool reap(pid_t pid, int64_t deadlineNs, int *status)
{
	int64_t pauseMs = 1;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid || (got < 0 && errno != EINTR))
			return got == pid;
		if (hdMonotonicNow() >= deadlineNs)
			return false;
		poll(NULL, 0, (int)pauseMs);
		pauseMs = MIN(2 * pauseMs, 50);
	}
}

int nodeChildRun(const char *path, const char *const *arguments, int wakeFd,
		 int64_t limitNs, size_t max, pid_t *left,
		 struct nodeChildResult *result)
{
	int64_t deadline = hdMonotonicNow() + limitNs;
	int fds[2], ret, status = 0;
	GString *text;
	pid_t pid;

	if (left)
		*left = 0;
	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	ret = childStart(path, arguments, fds[1], &pid);
	close(fds[1]);
	if (ret < 0) {
		close(fds[0]);
		return ret;
	}
	text = g_string_new(NULL);
	ret = childReadAll(fds[0], wakeFd, deadline, max, text);
	close(fds[0]);
	/* It may close its output and go on. */
	if (ret == 0 && !reap(pid, deadline, &status))
		ret = -ETIMEDOUT;
	if (ret < 0) {
		kill(-pid, SIGKILL);
		if (!reap(pid, hdMonotonicNow() + REAP_NS, &status) && left)
			*left = pid;
		g_string_free(text, TRUE);
		return ret;
	}
	result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	result->length = text->len;
	result->output = g_string_free(text, FALSE);
	return 0;
}

bool nodeChildHasEnded(pid_t pid)
{
	int status;

	errno = 0;
	/* It is no child of ours any more, or it is now. */
	return reap(pid, 0, &status) || errno == ECHILD;
}

char *nodeChildFind(const char *name)
{
	static const char *const folders[] = { "/usr/sbin", "/sbin",
					       "/usr/local/sbin" };
	char *path = g_find_program_in_path(name);

	for (size_t i = 0; !path && i < G_N_ELEMENTS(folders); i++) {
		path = g_build_filename(folders[i], name, NULL);
		if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) {
			g_free(path);
			path = NULL;
		}
	}
	return path;
}
