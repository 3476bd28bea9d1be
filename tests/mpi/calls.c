/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls PART DIRECTORY: calls functions of MPI, and writes what their records
 * must be into files of the directory, one for each thread. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/mpi/calls.h"
#include "tests/mpi/keeploaded.h"

int rank, size, level;
char *program;
bool cannot;

static const char *directory;

static const struct {
	const char *name;
	void (*run)(void);
	int level; /* Of threads. */
} parts[] = {
	{ "point-to-point", callsPointToPoint, -1 },
	{ "requests", callsRequests, -1 },
	{ "persistent", callsPersistent, -1 },
	{ "polling", callsPolling, -1 },
	{ "modes", callsModes, -1 },
	{ "collective", callsCollective, -1 },
	{ "nonblocking", callsNonblocking, -1 },
	{ "neighbors", callsNeighbors, -1 },
	{ "version4", callsVersion4, -1 },
	{ "one-sided", callsOneSided, -1 },
	{ "windows", callsWindows, -1 },
	{ "files", callsFiles, -1 },
	{ "file-access", callsFileAccess, -1 },
	{ "comms", callsComms, -1 },
	{ "more-comms", callsMoreComms, -1 },
	{ "spawn", callsSpawn, -1 },
	{ "spawned", callsSpawned, -1 },
	{ "types", callsTypes, -1 },
	{ "packing", callsPacking, -1 },
	{ "threads", callsThreads, MPI_THREAD_MULTIPLE },
	{ "race", callsRace, MPI_THREAD_MULTIPLE },
	{ "regions", callsRegions, -1 },
	{ "many", callsMany, -1 },
};

void require(bool isRight, const char *what)
{
	if (isRight)
		return;
	fprintf(stderr, "calls: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expectLine(int thread, const char *format, va_list arguments)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/expected_%d_%d", directory, rank,
		 thread);
	file = fopen(path, "a");
	if (!file) {
		perror(path);
		exit(1);
	}
	vfprintf(file, format, arguments);
	fputc('\n', file);
	fclose(file);
}

void expect(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	expectLine(0, format, arguments);
	va_end(arguments);
}

void expectOf(int thread, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	expectLine(thread, format, arguments);
	va_end(arguments);
}

/* The program has no children; it must not learn of those of libhdMPI. */
static void childEnded(int number)
{
	(void)number;
	_exit(3);
}

int main(int argc, char **argv)
{
	size_t part = 0;

	if (argc != 3)
		return 2;
	while (part < sizeof(parts) / sizeof(*parts) &&
	       strcmp(parts[part].name, argv[1]) != 0)
		part++;
	if (part == sizeof(parts) / sizeof(*parts))
		return 2;
	program = argv[0];
	directory = argv[2];
	if (parts[part].level < 0)
		MPI_Init(&argc, &argv);
	else
		MPI_Init_thread(&argc, &argv, parts[part].level, &level);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (parts[part].level < 0)
		expect("Init");
	else
		expect("Init_thread threadLevel=%d", level);
	parts[part].run();
	expect("Finalize");
	signal(SIGCHLD, childEnded);
	MPI_Finalize();
	callsAfter();
	if (waitpid(-1, NULL, 0) >= 0)
		return 4;
	return cannot ? 77 : 0;
}
