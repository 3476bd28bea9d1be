/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What making a datatype costs, beside making a group; for typecost.sh. Prints
 * the least nanoseconds of several rounds of both: of a datatype that is made,
 * committed and freed, and of a group that is made and freed. In between there
 * are different datatypes, each of which is to be told from the others.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 15, TIMES = 5000, KINDS = 50 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void makeType(int count)
{
	MPI_Datatype type;

	MPI_Type_contiguous(count, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&type);
}

static void makeGroup(int count)
{
	MPI_Group group;

	(void)count;
	MPI_Comm_group(MPI_COMM_SELF, &group);
	MPI_Group_free(&group);
}

static double least(void (*make)(int))
{
	double best = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now(), took;

		for (int k = 0; k < TIMES; k++)
			make(1 + k % KINDS);
		took = (now() - begin) / TIMES;
		best = took < best ? took : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	printf("%.0f %.0f\n", least(makeType), least(makeGroup));
	MPI_Finalize();
	return 0;
}
