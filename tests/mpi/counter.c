/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the calls of an MPI program, without any code of HDTrace: a library to
 * preload before libhdMPI. Each process writes a line for each call to
 * $COUNTER_DIR/WORLD.RANK.counted:
 *
 *     FUNCTION OWN OTHER BYTES RECEIVED
 *
 * OWN and OTHER are the groups of the communicator, as ranks in MPI_COMM_WORLD
 * ("x": of another world), in the order of their ranks; "-" is none. After
 * calls that make a communicator there is a line "+" with its groups. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1LL)
enum { KEPT = 64 };

static FILE *file;
static struct {
	MPI_Request request;
	MPI_Comm comm;
} kept[KEPT];

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

#define NEXT(name) ((__typeof__(&name))next(#name))

static void begin(void)
{
	char path[4096], *directory = getenv("COUNTER_DIR");
	MPI_Comm parent;
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_get_parent(&parent);
	snprintf(path, sizeof(path), "%s/%s.%d.counted", directory,
		 parent == MPI_COMM_NULL ? "0" : "child", rank);
	file = fopen(path, "w");
	if (!file)
		abort();
}

static void putGroup(MPI_Group group)
{
	int size, *ranks, *worlds;
	MPI_Group world;

	PMPI_Group_size(group, &size);
	ranks = calloc((size_t)size + 1, sizeof(*ranks));
	worlds = calloc((size_t)size + 1, sizeof(*worlds));
	for (int i = 0; i < size; i++)
		ranks[i] = i;
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_translate_ranks(group, size, ranks, world, worlds);
	PMPI_Group_free(&world);
	fputc(' ', file);
	for (int i = 0; i < size; i++) {
		if (i)
			fputc(',', file);
		if (worlds[i] == MPI_UNDEFINED)
			fputc('x', file);
		else
			fprintf(file, "%d", worlds[i]);
	}
	free(ranks);
	free(worlds);
}

static void putNumber(long long number)
{
	if (number == NONE)
		fputs(" -", file);
	else
		fprintf(file, " %lld", number);
}

static void count(const char *name, MPI_Comm comm, long long bytes,
		  long long received)
{
	int isInter = 0;
	MPI_Group group;

	fputs(name, file);
	if (comm == MPI_COMM_NULL) {
		fputs(" - -", file);
	} else {
		PMPI_Comm_test_inter(comm, &isInter);
		PMPI_Comm_group(comm, &group);
		putGroup(group);
		PMPI_Group_free(&group);
		if (isInter) {
			PMPI_Comm_remote_group(comm, &group);
			putGroup(group);
			PMPI_Group_free(&group);
		} else {
			fputs(" -", file);
		}
	}
	putNumber(bytes);
	putNumber(received);
	fputc('\n', file);
	fflush(file);
}

static long long size(long long count, MPI_Datatype type)
{
	MPI_Count bytes = 0;

	PMPI_Type_size_x(type, &bytes);
	return count * bytes;
}

static long long got(const MPI_Status *status)
{
	MPI_Count bytes = 0;

	PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
	return bytes;
}

/* 1: this one is the root, whose arguments count; 0: another one; -1: it is in
 * the group of the root, and not the root. */
static int role(int root, MPI_Comm comm)
{
	int isInter = 0, rank;

	PMPI_Comm_test_inter(comm, &isInter);
	if (isInter)
		return root == MPI_ROOT ? 1 : root == MPI_PROC_NULL ? -1 : 0;
	PMPI_Comm_rank(comm, &rank);
	return rank == root;
}

static int isBetween(MPI_Comm comm)
{
	int isInter = 0;

	PMPI_Comm_test_inter(comm, &isInter);
	return isInter;
}

static void keep(MPI_Request request, MPI_Comm comm)
{
	int i = 0;

	while (i < KEPT && kept[i].comm)
		i++;
	if (i == KEPT)
		abort();
	kept[i].request = request;
	kept[i].comm = comm;
}

/* ---- Messages --------------------------------------------------------------
 */

#define SENDS(name, COUNT)                                                     \
	int MPI_##name(const void *buffer, COUNT number, MPI_Datatype type,    \
		       int to, int tag, MPI_Comm comm)                         \
	{                                                                      \
		int ret =                                                      \
			NEXT(MPI_##name)(buffer, number, type, to, tag, comm); \
                                                                               \
		count(#name, comm, size(number, type), NONE);                  \
		return ret;                                                    \
	}
#define RECEIVES(name, COUNT)                                                 \
	int MPI_##name(void *buffer, COUNT number, MPI_Datatype type,         \
		       int from, int tag, MPI_Comm comm, MPI_Status *status)  \
	{                                                                     \
		MPI_Status own;                                               \
		int ret;                                                      \
                                                                              \
		if (status == MPI_STATUS_IGNORE)                              \
			status = &own;                                        \
		ret = NEXT(MPI_##name)(buffer, number, type, from, tag, comm, \
				       status);                               \
		count(#name, comm, got(status), NONE);                        \
		return ret;                                                   \
	}
SENDS(Send, int)
SENDS(Ssend, int)
RECEIVES(Recv, int)
#if MPI_VERSION >= 4
SENDS(Send_c, MPI_Count)
SENDS(Ssend_c, MPI_Count)
RECEIVES(Recv_c, MPI_Count)

int MPI_Bcast_c(void *buffer, MPI_Count number, MPI_Datatype type, int root,
		MPI_Comm comm)
{
	int ret = NEXT(MPI_Bcast_c)(buffer, number, type, root, comm);

	count("Bcast_c", comm, role(root, comm) < 0 ? NONE : size(number, type),
	      NONE);
	return ret;
}

int MPI_Alltoallv_c(const void *in, const MPI_Count counts[],
		    const MPI_Aint places[], MPI_Datatype type, void *out,
		    const MPI_Count outCounts[], const MPI_Aint outPlaces[],
		    MPI_Datatype outType, MPI_Comm comm)
{
	int ret = NEXT(MPI_Alltoallv_c)(in, counts, places, type, out,
					outCounts, outPlaces, outType, comm);
	long long sent = 0, received = 0;
	int peers;

	PMPI_Comm_size(comm, &peers);
	for (int i = 0; i < peers; i++) {
		sent += size(counts[i], type);
		received += size(outCounts[i], outType);
	}
	count("Alltoallv_c", comm, sent, received);
	return ret;
}
#endif

int MPI_Isend(const void *buffer, int number, MPI_Datatype type, int to,
	      int tag, MPI_Comm comm, MPI_Request *request)
{
	int ret = NEXT(MPI_Isend)(buffer, number, type, to, tag, comm, request);

	count("Isend", comm, size(number, type), NONE);
	return ret;
}

int MPI_Irecv(void *buffer, int number, MPI_Datatype type, int from, int tag,
	      MPI_Comm comm, MPI_Request *request)
{
	int ret =
		NEXT(MPI_Irecv)(buffer, number, type, from, tag, comm, request);

	count("Irecv", comm, size(number, type), NONE);
	keep(*request, comm);
	return ret;
}

/* Only those that receive. */
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Request was = *request;
	MPI_Status own;
	int ret, i = 0;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	ret = NEXT(MPI_Wait)(request, status);
	while (i < KEPT && (!kept[i].comm || kept[i].request != was))
		i++;
	if (i < KEPT) {
		count("Wait", kept[i].comm, got(status), NONE);
		kept[i].comm = 0;
	}
	return ret;
}

int MPI_Sendrecv(const void *in, int number, MPI_Datatype type, int to, int tag,
		 void *out, int outNumber, MPI_Datatype outType, int from,
		 int outTag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own;
	int ret;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	ret = NEXT(MPI_Sendrecv)(in, number, type, to, tag, out, outNumber,
				 outType, from, outTag, comm, status);
	count("Sendrecv", comm, size(number, type), got(status));
	return ret;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message,
	       MPI_Status *status)
{
	MPI_Status own;
	int ret;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	ret = NEXT(MPI_Mprobe)(from, tag, comm, message, status);
	count("Mprobe", comm, got(status), NONE);
	return ret;
}

/* ---- Collective ------------------------------------------------------------
 */

int MPI_Barrier(MPI_Comm comm)
{
	int ret = NEXT(MPI_Barrier)(comm);

	count("Barrier", comm, NONE, NONE);
	return ret;
}

int MPI_Bcast(void *buffer, int number, MPI_Datatype type, int root,
	      MPI_Comm comm)
{
	int ret = NEXT(MPI_Bcast)(buffer, number, type, root, comm);

	count("Bcast", comm, role(root, comm) < 0 ? NONE : size(number, type),
	      NONE);
	return ret;
}

int MPI_Reduce(const void *in, void *out, int number, MPI_Datatype type,
	       MPI_Op op, int root, MPI_Comm comm)
{
	int ret = NEXT(MPI_Reduce)(in, out, number, type, op, root, comm);

	count("Reduce", comm, role(root, comm) < 0 ? NONE : size(number, type),
	      NONE);
	return ret;
}

int MPI_Allreduce(const void *in, void *out, int number, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm)
{
	int ret = NEXT(MPI_Allreduce)(in, out, number, type, op, comm);

	count("Allreduce", comm, size(number, type), NONE);
	return ret;
}

int MPI_Gather(const void *in, int number, MPI_Datatype type, void *out,
	       int outNumber, MPI_Datatype outType, int root, MPI_Comm comm)
{
	int ret = NEXT(MPI_Gather)(in, number, type, out, outNumber, outType,
				   root, comm);
	int own = role(root, comm),
	    gives = own == 0 || (own == 1 && !isBetween(comm));

	count("Gather", comm, gives ? size(number, type) : NONE,
	      own == 1 ? size(outNumber, outType) : NONE);
	return ret;
}

int MPI_Scatter(const void *in, int number, MPI_Datatype type, void *out,
		int outNumber, MPI_Datatype outType, int root, MPI_Comm comm)
{
	int ret = NEXT(MPI_Scatter)(in, number, type, out, outNumber, outType,
				    root, comm);
	int own = role(root, comm),
	    gets = own == 0 || (own == 1 && !isBetween(comm));

	count("Scatter", comm, own == 1 ? size(number, type) : NONE,
	      gets ? size(outNumber, outType) : NONE);
	return ret;
}

#define ALL(name)                                                            \
	int MPI_##name(const void *in, int number, MPI_Datatype type,        \
		       void *out, int outNumber, MPI_Datatype outType,       \
		       MPI_Comm comm)                                        \
	{                                                                    \
		int ret = NEXT(MPI_##name)(in, number, type, out, outNumber, \
					   outType, comm);                   \
                                                                             \
		count(#name, comm, size(number, type),                       \
		      size(outNumber, outType));                             \
		return ret;                                                  \
	}
ALL(Allgather)
ALL(Alltoall)

/* ---- Communicators ---------------------------------------------------------
 */

static void made(const char *name, MPI_Comm of, MPI_Comm comm)
{
	count(name, of, NONE, NONE);
	count("+", comm, NONE, NONE);
}

int MPI_Comm_dup(MPI_Comm of, MPI_Comm *comm)
{
	int ret = NEXT(MPI_Comm_dup)(of, comm);

	made("Comm_dup", of, *comm);
	return ret;
}

int MPI_Comm_split(MPI_Comm of, int color, int key, MPI_Comm *comm)
{
	int ret = NEXT(MPI_Comm_split)(of, color, key, comm);

	made("Comm_split", of, *comm);
	return ret;
}

int MPI_Intercomm_create(MPI_Comm of, int leader, MPI_Comm peers, int remote,
			 int tag, MPI_Comm *comm)
{
	int ret = NEXT(MPI_Intercomm_create)(of, leader, peers, remote, tag,
					     comm);

	made("Intercomm_create", of, *comm);
	return ret;
}

int MPI_Intercomm_merge(MPI_Comm of, int high, MPI_Comm *comm)
{
	int ret = NEXT(MPI_Intercomm_merge)(of, high, comm);

	made("Intercomm_merge", of, *comm);
	return ret;
}

int MPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm of,
		    MPI_Comm *comm)
{
	int ret = NEXT(MPI_Comm_accept)(port, info, root, of, comm);

	made("Comm_accept", of, *comm);
	return ret;
}

int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm of,
		     MPI_Comm *comm)
{
	int ret = NEXT(MPI_Comm_connect)(port, info, root, of, comm);

	made("Comm_connect", of, *comm);
	return ret;
}

int MPI_Comm_spawn(const char *command, char *argv[], int most, MPI_Info info,
		   int root, MPI_Comm of, MPI_Comm *comm, int errors[])
{
	int ret = NEXT(MPI_Comm_spawn)(command, argv, most, info, root, of,
				       comm, errors);

	if (ret == MPI_SUCCESS)
		made("Comm_spawn", of, *comm);
	return ret;
}

int MPI_Init(int *argc, char ***argv)
{
	int ret = NEXT(MPI_Init)(argc, argv);

	begin();
	return ret;
}
