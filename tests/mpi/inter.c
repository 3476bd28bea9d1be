/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inter PART: messages and collective calls over communicators of all kinds;
 * what they were is counted by counter.c. An odd number of ranks will do, but
 * two are needed. 77: the MPI library cannot do it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int rank, size;
static char *program;

static void require(int isRight, const char *what)
{
	if (isRight)
		return;
	fprintf(stderr, "inter: rank %d: %s\n", rank, what);
	MPI_Abort(WORLD, 1);
}

/* All ranks of one group send to all of the other; what comes is a rank in it.
 */
static void everyToEvery(MPI_Comm inter, int isFirst)
{
	int own, remote, value;
	MPI_Request request;

	MPI_Comm_rank(inter, &own);
	MPI_Comm_remote_size(inter, &remote);
	for (int i = 0; i < remote; i++) {
		if (isFirst) {
			MPI_Send(&own, 1, MPI_INT, i, 3, inter);
			MPI_Irecv(&value, 1, MPI_INT, i, 4, inter, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&value, 1, MPI_INT, i, 3, inter,
				 MPI_STATUS_IGNORE);
			MPI_Ssend(&own, 1, MPI_INT, i, 4, inter);
		}
		require(value == i, "the sender is another one");
	}
}

static void collectives(MPI_Comm inter, int isFirst)
{
	int own, remote, in[64] = { 0 }, out[64], root;

	MPI_Comm_rank(inter, &own);
	MPI_Comm_remote_size(inter, &remote);
	root = !isFirst ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL;
	MPI_Barrier(inter);
	MPI_Bcast(in, 5, MPI_INT, root, inter);
	MPI_Reduce(in, out, 3, MPI_INT, MPI_SUM, root, inter);
	MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, inter);
	MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, root, inter);
	MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, inter);
	MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, inter);
	MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, inter);
}

/* Two groups of the world, and what is made of them. */
static void groups(void)
{
	int isFirst = rank % 2 == 0, sum = 1;
	MPI_Comm half, inter, again, merged;

	MPI_Comm_split(WORLD, rank % 2, -rank, &half);
	/* The leaders are the last ones of the world: the order is turned. */
	MPI_Intercomm_create(half, 0, WORLD,
			     (size - 1) % 2 == rank % 2 ? size - 2 : size - 1,
			     9, &inter);
	MPI_Comm_set_name(inter, "It's \"between\"");
	everyToEvery(inter, isFirst);
	collectives(inter, isFirst);
	collectives(inter, !isFirst);
	MPI_Comm_dup(inter, &again);
	everyToEvery(again, !isFirst);
	MPI_Intercomm_merge(again, isFirst, &merged);
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, merged);
	require(sum == size, "all are merged");
	MPI_Bcast(&sum, 1, MPI_INT, 1, merged);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&again);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* Communicators of the same ranks; messages in them come in another order than
 * that in which they are sent. One rank gives names, and the others use them in
 * another order. */
static void twins(void)
{
	MPI_Comm one, two;
	int data[4] = { 0 };

	MPI_Comm_dup(WORLD, &one);
	MPI_Comm_dup(WORLD, &two);
	if (rank == 0) {
		MPI_Request requests[2];

		MPI_Comm_set_name(two, "two");
		MPI_Isend(data, 1, MPI_INT, 1, 5, one, &requests[0]);
		MPI_Isend(data, 2, MPI_INT, 1, 5, two, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(data, 4, MPI_INT, 0, 5, two, MPI_STATUS_IGNORE);
		MPI_Recv(data, 4, MPI_INT, 0, 5, one, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(two);
	MPI_Barrier(one);
	MPI_Comm_free(&one);
	/* Many, one after the other: numbers come again, in all ranks alike. */
	for (int i = 0; i < 200; i++) {
		MPI_Comm_dup(WORLD, &one);
		MPI_Bcast(data, 1, MPI_INT, 0, one);
		MPI_Comm_free(&one);
	}
	MPI_Comm_free(&two);
}

static void nobody(void)
{
	MPI_Request request;
	MPI_Message message;
	int data = 0, flag;

	MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD);
	MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, &data, 0, MPI_INT,
		     MPI_PROC_NULL, 1, WORLD, MPI_STATUS_IGNORE);
	MPI_Mprobe(MPI_PROC_NULL, 1, WORLD, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(&data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	MPI_Improbe(MPI_PROC_NULL, 1, WORLD, &flag, &message,
		    MPI_STATUS_IGNORE);
	MPI_Imrecv(&data, 1, MPI_INT, &message, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Two parts of this world meet at a port. */
static int meet(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	int isFirst = rank < size / 2;
	MPI_Comm half, inter;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	if (rank == 0 && MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS)
		*port = '\0';
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, WORLD);
	if (!*port)
		return 77;
	MPI_Comm_split(WORLD, isFirst, 0, &half);
	if (isFirst)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
	else
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
	everyToEvery(inter, isFirst);
	MPI_Comm_disconnect(&inter);
	MPI_Comm_free(&half);
	return 0;
}

/* Processes of another world. */
static int spawn(void)
{
	char child[] = "child", *arguments[] = { child, NULL };
	int sum = 1;
	MPI_Comm children, merged;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	if (MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, WORLD,
			   &children, MPI_ERRCODES_IGNORE) != MPI_SUCCESS)
		return 77;
	everyToEvery(children, 1);
	collectives(children, 1);
	MPI_Intercomm_merge(children, 1, &merged);
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, merged);
	require(sum == size + 2, "parents and children");
	MPI_Comm_free(&merged);
	MPI_Comm_disconnect(&children);
	return 0;
}

static void spawned(void)
{
	MPI_Comm parent, merged;
	int sum = 1;

	MPI_Comm_get_parent(&parent);
	everyToEvery(parent, 0);
	collectives(parent, 0);
	MPI_Intercomm_merge(parent, 0, &merged);
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, merged);
	MPI_Comm_free(&merged);
	MPI_Comm_disconnect(&parent);
}

/* Datatypes whose arguments must be in the project, and a file twice. */
static void types(void)
{
	const int lengths[] = { 2, 1 }, places[] = { 0, 4 };
	const int sizes[] = { 4, 6 }, parts[] = { 2, 3 }, starts[] = { 1, 2 };
	const int distribs[] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC };
	const int arguments[] = { MPI_DISTRIBUTE_DFLT_DARG, 2 };
	const int processes[] = { size, 1 };
	MPI_Datatype made[3];
	MPI_File one, two;
	char name[64];
	int data[64] = { 0 };

	MPI_Type_indexed(2, lengths, places, MPI_INT, &made[0]);
	MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN,
				 MPI_INT, &made[1]);
	MPI_Type_create_darray(size, rank, 2, sizes, distribs, arguments,
			       processes, MPI_ORDER_C, MPI_INT, &made[2]);
	for (int i = 0; i < 3; i++) {
		MPI_Type_commit(&made[i]);
		MPI_Sendrecv(data, 1, made[i], rank, 1, data + 32, 1, made[i],
			     rank, 1, WORLD, MPI_STATUS_IGNORE);
		MPI_Type_free(&made[i]);
	}
	snprintf(name, sizeof(name), "it's \"twice\".%d", rank);
	MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
		      MPI_INFO_NULL, &one);
	MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &two);
	MPI_File_write_at(two, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&one);
	MPI_File_write_at(two, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&two);
}

/* More than 2^31 of something. */
static int large(void)
{
#if MPI_VERSION >= 4
	const MPI_Count most = ((MPI_Count)1 << 31) + 5;
	const MPI_Count lengths[] = { 1, most }, places[] = { 0, 1 };
	const MPI_Count sizes[] = { most, 4 }, parts[] = { most - 2, 2 };
	const MPI_Count starts[] = { 1, 1 };
	MPI_Count counts[64];
	MPI_Aint offsets[64];
	MPI_Datatype inner[2] = { MPI_INT, MPI_CHAR }, made[6];
	int data[64] = { 0 }, more[64];

	MPI_Type_contiguous_c(most, MPI_INT, &made[0]);
	MPI_Type_vector_c(most, 2, 3, MPI_INT, &made[1]);
	MPI_Type_create_hvector_c(most, 1, 0, MPI_CHAR, &made[2]);
	MPI_Type_create_hindexed_c(2, lengths, places, MPI_CHAR, &made[3]);
	MPI_Type_create_struct_c(2, lengths, places, inner, &made[4]);
	MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C,
				   MPI_CHAR, &made[5]);
	for (int i = 0; i < 6; i++) {
		MPI_Type_commit(&made[i]);
		/* Nothing is moved: nobody gets it. */
		MPI_Send_c(data, 3, made[i], MPI_PROC_NULL, 1, WORLD);
		MPI_Send(data, 1, made[i], MPI_PROC_NULL, 1, WORLD);
		MPI_Type_free(&made[i]);
	}
	MPI_Send_c(data, 3 * most, MPI_CHAR, MPI_PROC_NULL, 1, WORLD);
	if (rank == 0)
		MPI_Ssend_c(data, 7, MPI_INT, 1, 2, WORLD);
	else if (rank == 1)
		MPI_Recv_c(data, 9, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE);
	MPI_Bcast_c(data, 3, MPI_INT, 0, WORLD);
	for (int i = 0; i < size; i++) {
		counts[i] = 1;
		offsets[i] = i;
	}
	MPI_Alltoallv_c(data, counts, offsets, MPI_INT, more, counts, offsets,
			MPI_INT, WORLD);
	return 0;
#else
	return 77;
#endif
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	int result = 0;

	program = argv[0];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	if (strcmp(part, "groups") == 0)
		groups();
	else if (strcmp(part, "twins") == 0)
		twins();
	else if (strcmp(part, "nobody") == 0)
		nobody();
	else if (strcmp(part, "meet") == 0)
		result = meet();
	else if (strcmp(part, "spawn") == 0)
		result = spawn();
	else if (strcmp(part, "child") == 0)
		spawned();
	else if (strcmp(part, "types") == 0)
		types();
	else if (strcmp(part, "large") == 0)
		result = large();
	else
		result = 2;
	MPI_Finalize();
	return result;
}
