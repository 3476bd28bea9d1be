/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/drivers/command/child.h"
#include "common/clock.h"
#include "common/net.h"

extern char **environ;

#define SHELL "/bin/sh"
#define LOCALE "export LC_ALL=C\n"

/* A program that was told to end has so long, and one that closed its output.
 */
#define END_NS INT64_C(1000000000)
#define END_STEP_NS INT64_C(2000000)

/* ---- Starting ---------------------------------------------------------- */

static int childSpawn(pid_t *pid, char *script, int output)
{
	char shell[] = SHELL, option[] = "-c";
	char *arguments[] = { shell, option, script, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int ret;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGTERM);
	sigaddset(&usual, SIGCHLD);
	ret = posix_spawn_file_actions_init(&actions);
	if (ret != 0)
		return -ret;
	ret = posix_spawnattr_init(&attributes);
	if (ret != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return -ret;
	}
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
						      POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	ret = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
					       "/dev/null", O_RDONLY, 0);
	if (ret == 0)
		ret = posix_spawn_file_actions_adddup2(&actions, output,
						       STDOUT_FILENO);
	if (ret == 0)
		ret = posix_spawn(pid, SHELL, &actions, &attributes, arguments,
				  environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

int ptChildStart(struct ptChild *child, const char *command)
{
	char *script;
	int ends[2], ret;

	if (asprintf(&script, LOCALE "%s", command) < 0)
		return -ENOMEM;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		ret = -errno;
		free(script);
		return ret;
	}
	ret = childSpawn(&child->pid, script, ends[1]);
	free(script);
	close(ends[1]);
	if (ret < 0) {
		close(ends[0]);
		child->pid = 0;
		return ret;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	child->fd = ends[0];
	hdOwnedSet(&child->owned, child->fd);
	child->begin = child->end = 0;
	child->isCut = false;
	return 0;
}

/* ---- Reading ----------------------------------------------------------- */

/* Get a line of what has been read. */
static bool childTake(struct ptChild *child, char **line)
{
	while (child->begin < child->end) {
		char *at = child->bytes + child->begin;
		size_t count = child->end - child->begin;
		char *end = memchr(at, '\n', count);
		bool isRest = child->isCut;

		if (!end)
			return false;
		*end = '\0';
		child->begin += (size_t)(end - at) + 1;
		child->isCut = false;
		if (isRest)
			continue;
		*line = at;
		return true;
	}
	child->begin = child->end = 0;
	return false;
}

/* Make room; what fills it is a line that is too long, and cut. */
static bool childMakeRoom(struct ptChild *child, char **line)
{
	bool isLine = !child->isCut;

	if (child->begin > 0) {
		child->end -= child->begin;
		memmove(child->bytes, child->bytes + child->begin, child->end);
		child->begin = 0;
	}
	/* One byte is for a final NUL. */
	if (child->end < sizeof(child->bytes) - 1)
		return false;
	child->bytes[child->end] = '\0';
	child->end = 0;
	child->isCut = true;
	*line = child->bytes;
	return isLine;
}

/* What a program leaves that ends within a line. */
static int childTakeRest(struct ptChild *child, char **line)
{
	if (child->begin == child->end || child->isCut)
		return -ENODATA;
	child->bytes[child->end] = '\0';
	*line = child->bytes + child->begin;
	child->begin = child->end;
	return 0;
}

/* Read what there is: 1, or as ptChildLine(). */
static int childRead(struct ptChild *child, int wakeFd, int64_t deadlineNs)
{
	for (;;) {
		int ret = hdNetWait(child->fd, POLLIN, wakeFd, deadlineNs);
		ssize_t count;

		if (ret < 0)
			return ret;
		if (!hdOwnedIs(&child->owned, child->fd)) {
			ptMessage(HD_LOG_ERROR, "command: " HD_OWNED_GONE);
			return -ENODEV;
		}
		child->arrivedNs = ptNow();
		count = read(child->fd, child->bytes + child->end,
			     sizeof(child->bytes) - 1 - child->end);
		if (count > 0) {
			child->end += (size_t)count;
			return 1;
		}
		if (count == 0)
			return -ENODATA;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
	}
}

int ptChildLine(struct ptChild *child, int wakeFd, int64_t deadlineNs,
		char **line, bool *isLate)
{
	int ret;

	*isLate = true;
	while (!childTake(child, line)) {
		if (childMakeRoom(child, line))
			return 0;
		ret = childRead(child, wakeFd, deadlineNs);
		if (ret == -ENODATA)
			return childTakeRest(child, line);
		if (ret < 0)
			return ret;
		*isLate = false;
	}
	return 0;
}

/* ---- Ending ------------------------------------------------------------ */

/* Wait for the end of a program: whether it has ended. */
static bool childHasEnded(const struct ptChild *child, int64_t forNs,
			  int *status)
{
	int64_t untilNs = hdMonotonicNow() + forNs;

	for (;;) {
		pid_t pid = waitpid(child->pid, status, WNOHANG);

		if (pid == child->pid)
			return true;
		/* The program that this library is part of has taken it. */
		if (pid < 0 && errno != EINTR) {
			*status = 0;
			return true;
		}
		if (hdMonotonicNow() >= untilNs)
			return false;
		(void)hdNetWait(-1, 0, -1, hdMonotonicNow() + END_STEP_NS);
	}
}

int ptChildEnd(struct ptChild *child, bool isOver)
{
	int status = 0;

	if (child->pid == 0)
		return 0;
	hdOwnedClose(&child->owned, child->fd);
	if (!isOver || !childHasEnded(child, END_NS, &status)) {
		kill(-child->pid, SIGTERM);
		if (!childHasEnded(child, END_NS, &status)) {
			kill(-child->pid, SIGKILL);
			(void)childHasEnded(child, END_NS, &status);
		}
	}
	child->pid = 0;
	return status;
}
