/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A program that calls MPI, and says of each call what its record must be.
 */
#ifndef CALLS_H
#define CALLS_H

#include <mpi.h>
#include <stdbool.h>

#include <hdMPI.h>

#define WORLD MPI_COMM_WORLD

extern int rank; /**< In MPI_COMM_WORLD. */
extern int size;
extern int level; /**< Of threads. */
extern char *program;
extern bool cannot; /**< The MPI library cannot do it; then main returns 77. */

/**
 * Say what the next records are, each a line: as `hdtrace dump` prints it, but
 * for times and quotes.
 */
void expect(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));

/** Say it of another thread; its number as in the trace. */
void expectOf(int thread, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/** Print why, and end all processes, if something is wrong. */
void require(bool isRight, const char *what);

void callsPointToPoint(void);
void callsRequests(void);
void callsPersistent(void);
void callsPolling(void);
void callsModes(void);
void callsCollective(void);
void callsNonblocking(void);
void callsNeighbors(void);
void callsVersion4(void);
void callsOneSided(void);
void callsWindows(void);
void callsFiles(void);
void callsFileAccess(void);
void callsComms(void);
void callsMoreComms(void);
void callsSpawn(void);
void callsSpawned(void);
void callsTypes(void);
void callsPacking(void);
void callsThreads(void);
void callsRace(void);
void callsRegions(void);
void callsMany(void);

/** After MPI_Finalize(). */
void callsAfter(void);

#endif
