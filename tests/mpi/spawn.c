/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts two processes by MPI, each of which starts one more if it is told so,
 * and meets them; for spawn.sh.
 *
 * spawn one|several|hints [GENERATION]. Those that are started print their
 * arguments and the variable SPAWN_TEST.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static void meet(MPI_Comm comm, int isParent)
{
	int root = !isParent ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
	int data = 7;

	MPI_Bcast(&data, 1, MPI_INT, root, comm);
	MPI_Barrier(comm);
	MPI_Comm_disconnect(&comm);
}

static MPI_Comm startOne(char *program, char *way, char *generation)
{
	char *arguments[] = { way, generation, NULL };
	MPI_Info hints = MPI_INFO_NULL;
	MPI_Comm comm;

	if (strcmp(way, "hints") == 0) {
		char key[] = "env", value[] = "SPAWN_TEST=given";

		MPI_Info_create(&hints);
		MPI_Info_set(hints, key, value);
	}
	MPI_Comm_spawn(program, arguments, 2, hints, 0, MPI_COMM_WORLD, &comm,
		       MPI_ERRCODES_IGNORE);
	if (hints != MPI_INFO_NULL)
		MPI_Info_free(&hints);
	return comm;
}

static MPI_Comm startSeveral(char *program, char *way, char *generation)
{
	char *arguments[] = { way, generation, NULL };
	char *programs[] = { program, program };
	char **all[] = { arguments, arguments };
	const int counts[] = { 1, 1 };
	const MPI_Info hints[] = { MPI_INFO_NULL, MPI_INFO_NULL };
	MPI_Comm comm;

	MPI_Comm_spawn_multiple(2, programs, all, counts, hints, 0,
				MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE);
	return comm;
}

int main(int argc, char **argv)
{
	int generation = argc > 2 ? atoi(argv[2]) : 1;
	char next[16];
	MPI_Comm parent;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		const char *test = getenv("SPAWN_TEST");

		printf("started %d %s %s %s\n", argc, argv[1], argv[2],
		       test ? test : "-");
		fflush(stdout);
	}
	if (generation > 0) {
		snprintf(next, sizeof(next), "%d", generation - 1);
		meet(strcmp(argv[1], "several") == 0
			     ? startSeveral(argv[0], argv[1], next)
			     : startOne(argv[0], argv[1], next),
		     1);
	}
	if (parent != MPI_COMM_NULL)
		meet(parent, 0);
	MPI_Finalize();
	return 0;
}
