/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * measure [-s SECONDS] [-m MB] COMMAND [ARGUMENT...]: runs a command and says
 * on stderr how long it took, what CPU time and what memory at most; exit
 * status 1 if one of the limits was passed, else that of the command.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static int fail(const char *what)
{
	perror(what);
	return 2;
}

/** Say a figure, and whether it is as good as it should be; limit 0 is none. */
static bool say(double value, const char *unit, double limit)
{
	fprintf(stderr, "  %8.1f %s", value, unit);
	if (limit > 0)
		fprintf(stderr, " (limit %g: %s)", limit,
			value <= limit ? "reached" : "NOT REACHED");
	fputc('\n', stderr);
	return limit <= 0 || value <= limit;
}

int main(int argc, char **argv)
{
	double secondsMax = 0;
	double mbMax = 0;
	double start = now();
	struct rusage usage;
	bool isGood = true;
	int option, status;
	pid_t pid;

	while ((option = getopt(argc, argv, "+s:m:")) != -1) {
		if (option == 's')
			secondsMax = atof(optarg);
		else if (option == 'm')
			mbMax = atof(optarg);
		else
			return 2;
	}
	if (optind >= argc) {
		fputs("Usage: measure [-s SECONDS] [-m MB] COMMAND...\n",
		      stderr);
		return 2;
	}
	pid = fork();
	if (pid < 0)
		return fail("fork");
	if (pid == 0) {
		execvp(argv[optind], argv + optind);
		_exit(fail(argv[optind]));
	}
	if (wait4(pid, &status, 0, &usage) < 0)
		return fail("wait4");
	isGood &= say(now() - start, "s", secondsMax);
	say(seconds(usage.ru_utime) + seconds(usage.ru_stime), "s of CPU", 0);
	isGood &= say((double)usage.ru_maxrss / 1000, "MB of memory", mbMax);
	if (!WIFEXITED(status))
		return 2;
	if (WEXITSTATUS(status))
		return WEXITSTATUS(status);
	return isGood ? 0 : 1;
}
