/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running the command, and waiting for whatever ends the trace; see command.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "common/clock.h"

/* Where the kernel has no descriptors of processes, we look this often. */
#define LOOK_MS 50
/* How often the bar moves. */
#define SHOW_MS 200

static sigset_t waitSignals, waitOldSignals;

int cliCheckCommand(const char *tool, const char *command)
{
	char *program = g_find_program_in_path(command);
	gboolean isThere = program != NULL;
	int error;

	g_free(program);
	if (isThere)
		return 0;
	if (!strchr(command, '/') || access(command, F_OK) < 0) {
		outSay(stderr, "%s: %s: command not found", tool,
		       cliErrorObject(command));
		return CLI_EXIT_NOT_FOUND;
	}
	/* Directories may be searched, but not run. */
	error = access(command, X_OK) < 0 ? errno : EACCES;
	outSay(stderr, "%s: %s: cannot run: %s", tool, command,
	       g_strerror(error));
	return CLI_EXIT_CANNOT;
}

char *cliBeside(const char *program)
{
	char *self = g_file_read_link("/proc/self/exe", NULL);
	char *bin = self ? g_path_get_dirname(self) : NULL;
	char *found = bin ? g_build_filename(bin, program, NULL) : NULL;

	if (!found || access(found, X_OK) < 0) {
		g_free(found);
		found = g_strdup(program);
	}
	g_free(bin);
	g_free(self);
	return found;
}

void cliPrepare(void)
{
	static const int signals[] = { SIGCHLD, SIGINT,  SIGTERM, SIGQUIT,
				       SIGHUP,  SIGUSR1, SIGUSR2 };

	sigemptyset(&waitSignals);
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaddset(&waitSignals, signals[i]);
	pthread_sigmask(SIG_BLOCK, &waitSignals, &waitOldSignals);
}

/* In the child; who waits at the pipe learns that it has failed. */
static void waitExec(const char *tool, char **command, int failedFd)
{
	char byte = 0;
	int error;

	pthread_sigmask(SIG_SETMASK, &waitOldSignals, NULL);
	execvp(command[0], command);
	error = errno;
	outSay(stderr, "%s: %s: cannot run: %s", tool, command[0],
	       strerror(error));
	while (write(failedFd, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(error == ENOENT ? CLI_EXIT_NOT_FOUND : CLI_EXIT_CANNOT);
}

/* Run the command; *hasStarted tells whether it could be: exec() closes the
 * pipe. */
static pid_t waitRun(const char *tool, char **command, gboolean *hasStarted)
{
	int fds[2];
	char byte;
	ssize_t got;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child == 0)
		waitExec(tool, command, fds[1]);
	close(fds[1]);
	do {
		got = child > 0 ? read(fds[0], &byte, 1) : -1;
	} while (got < 0 && child > 0 && errno == EINTR);
	*hasStarted = got == 0;
	close(fds[0]);
	return child;
}

/* Whether the terminal has sent the signal to the command, too. */
static gboolean waitHasGot(const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_KERNEL;
}

static int waitStatus(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* Handle signals; tell whether the end has come. */
static gboolean waitHandle(int fd, pid_t child, int *result)
{
	struct signalfd_siginfo info;
	int status;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		int number = (int)info.ssi_signo;

		if (number == SIGCHLD) {
			if (child > 0 &&
			    waitpid(child, &status, WNOHANG) == child) {
				*result = waitStatus(status);
				return TRUE;
			}
		} else if (child <= 0) {
			return TRUE;
		} else if (!waitHasGot(&info)) {
			kill(child, number);
		}
	}
	return FALSE;
}

/* Time until the end, but at most the limit; -1 is for ever. */
static int waitTimeout(int64_t endNs, int limit)
{
	int64_t left;

	if (endNs == 0)
		return limit;
	left = (endNs - hdMonotonicNow() + 999999) / 1000000;
	if (left < 0)
		left = 0;
	if (left > G_MAXINT)
		left = G_MAXINT;
	return limit >= 0 && limit < left ? limit : (int)left;
}

int cliWaitFor(const struct cliWait *wait)
{
	struct pollfd fds[2] = { { .events = POLLIN },
				 { .fd = -1, .events = POLLIN } };
	int64_t endNs = 0;
	struct cliProgress progress;
	int64_t began = hdMonotonicNow();
	gboolean hasStarted = TRUE;
	pid_t child = 0;
	int result = 0;

	/* The terminal of a command is the command's. */
	cliProgressInit(&progress, wait->command != NULL);
	fds[0].fd = signalfd(-1, &waitSignals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (wait->pid > 0)
		fds[1].fd = (int)syscall(SYS_pidfd_open, wait->pid, 0);
	if (wait->duration > 0)
		endNs = hdMonotonicNow() + (int64_t)(wait->duration * 1e9);
	if (wait->command)
		child = waitRun(wait->tool, wait->command, &hasStarted);
	if (fds[0].fd < 0 || child < 0) {
		fprintf(stderr, "%s: %s\n", wait->tool, strerror(errno));
		return CLI_EXIT_FAILED;
	}
	if (hasStarted && wait->started)
		wait->started(wait->context);
	if (endNs > 0)
		cliProgressStart(&progress, endNs - began);
	for (;;) {
		gboolean looks = wait->pid > 0 && fds[1].fd < 0;
		int limit = looks                        ? LOOK_MS
			    : progress.isOn && endNs > 0 ? SHOW_MS
							 : -1;
		int ready = poll(fds, 2, waitTimeout(endNs, limit));

		cliProgressAt(&progress, hdMonotonicNow() - began);
		if (waitHandle(fds[0].fd, child, &result))
			break;
		if (ready > 0 && fds[1].revents)
			break;
		if (looks && kill(wait->pid, 0) != 0 && errno == ESRCH)
			break;
		if (endNs > 0 && hdMonotonicNow() >= endNs)
			break;
	}
	cliProgressEnd(&progress);
	close(fds[0].fd);
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	return result;
}
