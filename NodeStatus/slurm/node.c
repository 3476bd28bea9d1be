/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a node does about a step; see node.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "NodeStatus/slurm/node.h"
#include "common/clock.h"

#define SOCKET 3
#define DESCRIPTORS_MAX 65536

/* It is newer than some of the machines that this is built on. */
#ifndef SYS_close_range
#define SYS_close_range (-1)
#endif

static void closeFrom(int first)
{
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
	for (int i = first; i < DESCRIPTORS_MAX; i++)
		close(i);
}

static bool becomeUser(const struct hdslurmUser *user)
{
	uid_t real, effective, saved;

	if (!user)
		return true;
	if (getresuid(&real, &effective, &saved) < 0)
		return false;
	if (real != 0 && effective != 0 && saved != 0)
		return true;
	/* A hook may have root's rights only put aside. */
	return seteuid(0) == 0 &&
	       setgroups(user->groupCount, user->groups) == 0 &&
	       setresgid(user->gid, user->gid, user->gid) == 0 &&
	       setresuid(user->uid, user->uid, user->uid) == 0;
}

static void runProgram(char *const *arguments, char *const *environment,
		       const struct hdslurmUser *user, int fd,
		       unsigned int seconds)
{
	sigset_t none;
	int null;

	/* Whoever waits for this one's end need not wait for the program. */
	setsid();
	if (fork() != 0)
		_exit(0);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(fd, SOCKET) < 0 || fcntl(SOCKET, F_SETFD, 0) < 0)
		_exit(127);
	closeFrom(SOCKET + 1);
	null = open("/dev/null", O_RDWR);
	for (int i = 0; i < SOCKET; i++)
		dup2(null, i);
	if (null > SOCKET)
		close(null);
	if (!becomeUser(user) || chdir("/") < 0)
		_exit(127);
	if (seconds > 0)
		alarm(seconds);
	execve(arguments[0], arguments, environment);
	_exit(127);
}

int hdslurmNodeRun(char *const *arguments, char *const *environment,
		   const struct hdslurmUser *user, unsigned int seconds)
{
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	child = fork();
	if (child == 0)
		runProgram(arguments, environment, user, ends[1], seconds);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return -EAGAIN;
	}
	/* slurmstepd may have waited for it. */
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return ends[0];
}

int hdslurmNodeRead(int fd, int timeoutMs, char *line, size_t size)
{
	int64_t untilNs = hdMonotonicNow() + (int64_t)timeoutMs * 1000000;
	size_t length = 0;

	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int64_t leftNs = untilNs - hdMonotonicNow();
		ssize_t got;

		if (leftNs <= 0)
			return -ETIMEDOUT;
		if (poll(&ready, 1, (int)(leftNs / 1000000) + 1) <= 0)
			continue;
		got = recv(fd, line + length, 1, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		if (line[length] == '\n')
			break;
		if (++length >= size)
			return -EMSGSIZE;
	}
	line[length] = '\0';
	return 0;
}

void hdslurmNodeFormat(const struct hdslurmTotal *total, char *line,
		       size_t size)
{
	snprintf(line, size, "last %u %.6f %.6f %.6f %.6f %.6f %d %s\n",
		 total->nodes, total->fromS, total->toS, total->joules,
		 total->knownS, total->durationS, total->isSimulated,
		 *total->inputs ? total->inputs : "-");
}

/* What the recorder, which runs as the user, says goes to a program of root. */
static bool slurmInputsAreClean(const char *inputs)
{
	return inputs[strspn(inputs, HDSLURM_INPUTS_BYTES)] == '\0';
}

bool hdslurmNodeParse(const char *line, struct hdslurmTotal *total)
{
	int simulated, used = 0;

	memset(total, 0, sizeof(*total));
	if (sscanf(line, "last %u %lf %lf %lf %lf %lf %d %511s%n",
		   &total->nodes, &total->fromS, &total->toS, &total->joules,
		   &total->knownS, &total->durationS, &simulated, total->inputs,
		   &used) != 8 ||
	    line[used] || !slurmInputsAreClean(total->inputs))
		return false;
	total->isSimulated = simulated != 0;
	return isfinite(total->fromS) && isfinite(total->toS) &&
	       isfinite(total->joules) && isfinite(total->knownS) &&
	       isfinite(total->durationS);
}
