/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program that hdpredict calibrate runs under hdmpirun: messages and
 * collective calls of many sizes, which the trace has the times of.
 *
 *     hdcalibrate MAX SIZES ROUNDS
 *
 * MPI_Scan separates the parts. Rank 0 and the last rank exchange messages; all
 * ranks make the collective calls. samples.c of hdpredict reads the parts in
 * this order:
 *
 *   1  ping-pong of MPI_Send and MPI_Recv
 *   2  MPI_Isend to a receiver that comes late
 *   3  MPI_Send to a receiver that comes late
 *   4  MPI_Irecv, MPI_Isend, computation, MPI_Waitall on both sides
 *   5  MPI_Sendrecv on both sides
 *   6  collective calls, each after an MPI_Barrier
 *
 * Sizes are distributed evenly on a logarithmic scale, with a random part, and
 * come in random order, as in the calibration of SMPI: a size that is always a
 * power of two, or always after the same one, would find special cases.
 */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "common/clock.h"

#define SIZES_MAX 200

/* The receiver comes this much later, in ns. */
#define LATE_NS 500000

/* Collective calls are made for every such size only, and up to this size for
 * each rank. */
#define COLLECTIVE_STEP 4
#define COLLECTIVE_MAX 1000000

static int rank, ranks, last;
static int sizes[SIZES_MAX], order[SIZES_MAX], count, rounds;
static char *given, *got;

/* ---- Sizes ------------------------------------------------------------- */

/* The same numbers on all ranks: a linear congruential generator (Knuth). */
static uint64_t seed = 44;

static double hdcalibrateDraw(void)
{
	seed = seed * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / (double)(UINT64_C(1) << 53);
}

static void hdcalibrateChooseSizes(double max)
{
	for (int i = 0; i < count; i++)
		sizes[i] = (int)fmin(
			max, ceil(pow(max, (i + hdcalibrateDraw()) / count)));
}

static void hdcalibrateShuffle(void)
{
	for (int i = 0; i < count; i++) {
		int k = (int)(hdcalibrateDraw() * (i + 1));

		order[i] = order[k];
		order[k] = i;
	}
}

static void hdcalibrateSeparate(void)
{
	int one = 1, sum;

	MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Without sleep, so that the processor does not become slower; and without
 * calls of MPI, which are not computation. */
static void hdcalibrateComeLate(void)
{
	int64_t start = hdClockNow();

	while (hdClockNow() - start < LATE_NS)
		;
}

/* ---- Messages ---------------------------------------------------------- */

static void hdcalibrateSend(int other, int size)
{
	MPI_Send(given, size, MPI_CHAR, other, 1, MPI_COMM_WORLD);
}

static void hdcalibrateReceive(int other, int size)
{
	MPI_Recv(got, size, MPI_CHAR, other, 1, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

static void hdcalibratePingPong(int size)
{
	if (rank == 0) {
		hdcalibrateSend(last, size);
		hdcalibrateReceive(last, size);
	} else {
		hdcalibrateReceive(0, size);
		hdcalibrateSend(0, size);
	}
}

static void hdcalibrateIsendLate(int size)
{
	MPI_Request request;

	if (rank == 0) {
		hdcalibrateReceive(last, 0);
		MPI_Isend(given, size, MPI_CHAR, last, 1, MPI_COMM_WORLD,
			  &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		hdcalibrateSend(0, 0);
		hdcalibrateComeLate();
		hdcalibrateReceive(0, size);
	}
}

static void hdcalibrateSendLate(int size)
{
	if (rank == 0) {
		hdcalibrateReceive(last, 0);
		hdcalibrateSend(last, size);
	} else {
		hdcalibrateSend(0, 0);
		hdcalibrateComeLate();
		hdcalibrateReceive(0, size);
	}
}

/* As long as a message of this size may take. */
static void hdcalibrateCompute(int size)
{
	volatile double x = 1;

	for (int i = 0; i < 1000 + size / 10; i++)
		x = x / 2 + 1;
}

static void hdcalibrateOverlap(int size)
{
	MPI_Request requests[2];
	int other = rank == 0 ? last : 0;

	MPI_Irecv(got, size, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(given, size, MPI_CHAR, other, 1, MPI_COMM_WORLD,
		  &requests[1]);
	hdcalibrateCompute(size);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void hdcalibrateExchange(int size)
{
	int other = rank == 0 ? last : 0;

	MPI_Sendrecv(given, size, MPI_CHAR, other, 1, got, size, MPI_CHAR,
		     other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hdcalibrateRepeat(void (*part)(int size), int step)
{
	hdcalibrateSeparate();
	for (int round = 0; round < rounds; round++) {
		hdcalibrateShuffle();
		for (int i = 0; i < count; i++) {
			if (order[i] % step == 0 && (rank == 0 || rank == last))
				part(sizes[order[i]]);
		}
	}
}

/* ---- Collective calls -------------------------------------------------- */

static void hdcalibrateCallAll(int size)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(given, size, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Reduce(given, got, size, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allreduce(given, got, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allgather(given, size, MPI_CHAR, got, size, MPI_CHAR,
		      MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Alltoall(given, size, MPI_CHAR, got, size, MPI_CHAR,
		     MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void hdcalibrateCollectives(void)
{
	hdcalibrateSeparate();
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < count; i += COLLECTIVE_STEP) {
			if (sizes[i] <= COLLECTIVE_MAX)
				hdcalibrateCallAll(sizes[i]);
		}
	}
	hdcalibrateSeparate();
}

int main(int argc, char **argv)
{
	double max = argc > 3 ? strtod(argv[1], NULL) : 0;
	size_t room;

	count = argc > 3 ? atoi(argv[2]) : 0;
	rounds = argc > 3 ? atoi(argv[3]) : 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	last = ranks - 1;
	if (ranks < 2 || count < 1 || count > SIZES_MAX || rounds < 1 ||
	    !(max >= 1) || max > 1e9) {
		if (rank == 0)
			fputs("hdcalibrate: needs two ranks or more, and MAX "
			      "SIZES ROUNDS\n",
			      stderr);
		MPI_Finalize();
		return 2;
	}
	room = (size_t)max;
	if (room < (size_t)COLLECTIVE_MAX * (size_t)ranks)
		room = (size_t)COLLECTIVE_MAX * (size_t)ranks;
	given = malloc(room);
	got = malloc(room);
	if (!given || !got) {
		fputs("hdcalibrate: not enough memory\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	/* Pages exist before they are measured. */
	memset(given, 1, room);
	memset(got, 2, room);
	hdcalibrateChooseSizes(max);
	hdcalibrateRepeat(hdcalibratePingPong, 1);
	hdcalibrateRepeat(hdcalibrateIsendLate, 2);
	hdcalibrateRepeat(hdcalibrateSendLate, 2);
	hdcalibrateRepeat(hdcalibrateOverlap, 2);
	hdcalibrateRepeat(hdcalibrateExchange, 2);
	hdcalibrateCollectives();
	MPI_Finalize();
	free(given);
	free(got);
	return 0;
}
