/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Works in children: commands, and our own. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"

static double commandNs(const struct timeval *time)
{
	return (double)time->tv_sec * 1e9 + (double)time->tv_usec * 1e3;
}

static void commandExec(const char *const *arguments)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	    dup2(null, STDOUT_FILENO) >= 0)
		execvp(arguments[0], (char *const *)arguments);
	_exit(127);
}

void benchCommand(struct benchRun *run, const char *const *arguments)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	benchCheck(pid >= 0, "fork");
	if (pid == 0)
		commandExec(arguments);
	benchCheck(wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) &&
			   WEXITSTATUS(status) <= 1,
		   arguments[0]);
	run->process = commandNs(&usage.ru_utime) + commandNs(&usage.ru_stime);
	run->thread = run->process;
	run->peakMb = (double)usage.ru_maxrss / 1024;
}

void benchInChild(struct benchRun *run, benchFunction function)
{
	struct rusage usage;
	int ends[2], status;
	pid_t pid;

	benchCheck(pipe(ends) == 0, "pipe");
	pid = fork();
	benchCheck(pid >= 0, "fork");
	if (pid == 0) {
		function(run);
		_exit(write(ends[1], run, sizeof(*run)) != sizeof(*run));
	}
	close(ends[1]);
	benchCheck(read(ends[0], run, sizeof(*run)) == sizeof(*run) &&
			   wait4(pid, &status, 0, &usage) == pid && status == 0,
		   "a child");
	close(ends[0]);
	run->peakMb = (double)usage.ru_maxrss / 1024;
}
