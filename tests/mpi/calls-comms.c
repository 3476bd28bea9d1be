/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Communicators and groups. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/mpi/calls.h"

void callsComms(void)
{
	MPI_Group group, part;
	MPI_Comm comm, half, inter, merged;
	int sum = 1, ranks[] = { 0, 1 }, range[1][3] = { { 0, 1, 1 } };

	expect("Comm_dup cid=0 newCid=1");
	MPI_Comm_dup(WORLD, &comm);
	expect("Allreduce size=4 count=1 tid=0 cid=1 op=SUM inPlace=1");
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
	/* It is the same one, with a name. */
	expect("Comm_set_name cid=1 name=It's mine");
	MPI_Comm_set_name(comm, "It's mine");
	expect("Barrier cid=1");
	MPI_Barrier(comm);
	expect("Comm_split cid=1 color=%d key=0 newCid=2", rank % 2);
	MPI_Comm_split(comm, rank % 2, 0, &half);
	expect("Intercomm_create cid=2 leader=0 remoteLeader=%d tag=5 newCid=3",
	       1 - rank % 2);
	MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 5, &inter);
	expect("Intercomm_merge cid=3 newCid=4");
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	expect("Comm_free cid=4");
	MPI_Comm_free(&merged);
	expect("Comm_free cid=3");
	MPI_Comm_free(&inter);
	expect("Comm_free cid=2");
	MPI_Comm_free(&half);
	/* Not for this process. */
	expect("Comm_split cid=1 color=%d key=0 newCid=-1", MPI_UNDEFINED);
	MPI_Comm_split(comm, MPI_UNDEFINED, 0, &half);
	expect("Comm_free cid=1");
	MPI_Comm_free(&comm);

	expect("Comm_group cid=0 groupSize=%d", size);
	MPI_Comm_group(WORLD, &group);
	expect("Group_incl groupSize=2");
	MPI_Group_incl(group, 2, ranks, &part);
	expect("Group_free");
	MPI_Group_free(&part);
	expect("Group_range_excl groupSize=%d", size - 2);
	MPI_Group_range_excl(group, 1, range, &part);
	expect("Group_free");
	MPI_Group_free(&part);
	expect("Group_free");
	MPI_Group_free(&group);
}

/* ---- Other ways to make them ------------------------------------------------
 */

/* The next new communicator, which is freed at once. */
static void gone(MPI_Comm *comm, int cid)
{
	expect("Comm_free cid=%d", cid);
	MPI_Comm_free(comm);
}

static void groups(void)
{
	int first[] = { 0 }, range[1][3] = { { 1, 2, 1 } };
	MPI_Group group, one, others, made;

	expect("Comm_group cid=0 groupSize=%d", size);
	MPI_Comm_group(WORLD, &group);
	expect("Group_incl groupSize=1");
	MPI_Group_incl(group, 1, first, &one);
	expect("Group_range_incl groupSize=2");
	MPI_Group_range_incl(group, 1, range, &others);
	expect("Group_union groupSize=3");
	MPI_Group_union(one, others, &made);
	expect("Group_free");
	MPI_Group_free(&made);
	expect("Group_intersection groupSize=0");
	MPI_Group_intersection(one, others, &made);
	if (made != MPI_GROUP_EMPTY) {
		expect("Group_free");
		MPI_Group_free(&made);
	}
	expect("Group_difference groupSize=%d", size - 1);
	MPI_Group_difference(group, one, &made);
	expect("Group_free");
	MPI_Group_free(&made);
	expect("Group_excl groupSize=%d", size - 1);
	MPI_Group_excl(group, 1, first, &made);
	expect("Group_free");
	MPI_Group_free(&made);
	expect("Group_free");
	MPI_Group_free(&others);
	expect("Group_free");
	MPI_Group_free(&one);
	expect("Group_free");
	MPI_Group_free(&group);
}

static void topologies(void)
{
	int dims[] = { size, 1 }, periods[] = { 1, 0 }, keep[] = { 0, 1 };
	int index[] = { 1, 2, 2 }, edges[] = { 1, 0 };
	int next = (rank + 1) % size, degree = 1;
	MPI_Comm comm, part;

	expect("Cart_create cid=0 ndims=2 newCid=1");
	MPI_Cart_create(WORLD, 2, dims, periods, 0, &comm);
	expect("Cart_sub cid=1 newCid=2");
	MPI_Cart_sub(comm, keep, &part);
	gone(&part, 2);
	gone(&comm, 1);
	/* Those that were freed leave their number to later ones only. */
	expect("Graph_create cid=0 nnodes=3 newCid=%d", 3);
	MPI_Graph_create(WORLD, 3, index, edges, 0, &comm);
	gone(&comm, 3);
	expect("Dist_graph_create cid=0 newCid=%d", 4);
	MPI_Dist_graph_create(WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED,
			      MPI_INFO_NULL, 0, &comm);
	gone(&comm, 4);
}

void callsMoreComms(void)
{
	const int ownCid = 10, interCid = 11;
	int ranks[] = { 0, 1, 2 };
	MPI_Group group;
	MPI_Request request;
	MPI_Comm comm, half, inter;

	groups();
	topologies();
	expect("Comm_dup_with_info cid=0 newCid=5");
	MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &comm);
	gone(&comm, 5);
	expect("Comm_idup cid=0 rid=0");
	MPI_Comm_idup(WORLD, &comm, &request);
	expect("Wait rid=0");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Barrier cid=6");
	MPI_Barrier(comm);
	gone(&comm, 6);
	expect("Comm_group cid=0 groupSize=%d", size);
	MPI_Comm_group(WORLD, &group);
	expect("Comm_create cid=0 newCid=7");
	MPI_Comm_create(WORLD, group, &comm);
	gone(&comm, 7);
	expect("Comm_create_group cid=0 newCid=8");
	MPI_Comm_create_group(WORLD, group, 3, &comm);
	gone(&comm, 8);
	expect("Group_free");
	MPI_Group_free(&group);
	/* All are on one host. */
	expect("Comm_split_type cid=0 key=%d newCid=9", ranks[size - rank - 1]);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, ranks[size - rank - 1],
			    MPI_INFO_NULL, &comm);
	gone(&comm, 9);
	expect("Comm_split cid=0 color=%d key=0 newCid=%d", rank % 2, ownCid);
	MPI_Comm_split(WORLD, rank % 2, 0, &half);
	expect("Intercomm_create cid=%d leader=0 remoteLeader=%d tag=5 "
	       "newCid=%d",
	       ownCid, 1 - rank % 2, interCid);
	MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 5, &inter);
	expect("Comm_remote_group cid=%d groupSize=%d", interCid,
	       rank % 2 ? 2 : 1);
	MPI_Comm_remote_group(inter, &group);
	expect("Group_free");
	MPI_Group_free(&group);
	gone(&inter, interCid);
	gone(&half, ownCid);
	expect("Comm_get_parent newCid=-1");
	MPI_Comm_get_parent(&comm);
	require(comm == MPI_COMM_NULL, "nobody has spawned it");
}

/* ---- Other worlds -----------------------------------------------------------
 */

/* Whether the MPI library has ports. */
static bool openPort(char *port)
{
	MPI_Errhandler before;
	bool isOpen;

	MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	isOpen = MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS;
	MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
	MPI_Comm_set_errhandler(WORLD, before);
	MPI_Errhandler_free(&before);
	return isOpen;
}

/* Two of this world meet at a port. */
static void meet(char *port, int cid)
{
	MPI_Comm comm;

	expect("Bcast size=%d count=%d tid=0 rootRank=0 cid=0",
	       MPI_MAX_PORT_NAME, MPI_MAX_PORT_NAME);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, WORLD);
	if (rank == 0) {
		expect("Comm_accept cid=%d root=0 newCid=%d", cid, cid + 1);
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
		expect("Send size=4 count=1 tid=1 toRank=0 toTag=1 cid=%d",
		       cid + 1);
		MPI_Send(&rank, 1, MPI_INT, 0, 1, comm);
	} else {
		expect("Comm_connect cid=%d root=0 newCid=%d", cid, cid + 1);
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
		expect("Recv fromRank=0 fromTag=1 size=4 count=1 tid=1 cid=%d",
		       cid + 1);
		MPI_Recv(&rank, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
		rank = 1;
	}
	expect("Comm_disconnect cid=%d", cid + 1);
	MPI_Comm_disconnect(&comm);
}

/* A socket between the two. */
static int openSocket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX,
				       .sun_path = "calls.socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = fd;

	require(fd >= 0, "no socket");
	if (rank == 0)
		require(bind(fd, (struct sockaddr *)&address,
			     sizeof(address)) == 0 &&
				listen(fd, 1) == 0,
			"nobody can connect");
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	if (rank == 0) {
		other = accept(fd, NULL, NULL);
		close(fd);
		unlink(address.sun_path);
	} else {
		require(connect(fd, (struct sockaddr *)&address,
				sizeof(address)) == 0,
			"no connection");
	}
	require(other >= 0, "nobody connects");
	return other;
}

/* The two meet at a socket. */
static void join(int cid)
{
	int fd = openSocket();
	MPI_Comm comm;

	expect("Comm_join newCid=%d", cid);
	MPI_Comm_join(fd, &comm);
	expect("Barrier cid=%d", cid);
	MPI_Barrier(comm);
	expect("Comm_disconnect cid=%d", cid);
	MPI_Comm_disconnect(&comm);
	close(fd);
}

static void talkToChildren(MPI_Comm children, int cid, int count)
{
	int number = 7;

	for (int i = 0; i < count && rank == 0; i++) {
		expect("Send size=4 count=1 tid=1 toRank=%d toTag=1 cid=%d", i,
		       cid);
		MPI_Send(&number, 1, MPI_INT, i, 1, children);
	}
	expect("Comm_disconnect cid=%d", cid);
	MPI_Comm_disconnect(&children);
}

/* Two worlds of children, of one process and of two. */
void callsSpawn(void)
{
	char part[] = "spawned", one[] = "one", two[] = "two";
	char *first[] = { part, one, NULL }, *second[] = { part, two, NULL };
	char *commands[] = { program, program };
	char **arguments[] = { second, second };
	const int counts[] = { 1, 1 };
	const MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm children;

	require(size == 2, "spawn needs two processes");
	if (!openPort(port)) {
		cannot = true;
		return;
	}
	/* MPI_COMM_SELF is known as 1. */
	meet(port, 1);
	MPI_Close_port(port);
	join(3);
	expect("Comm_spawn cid=0 root=0 newCid=4");
	MPI_Comm_spawn(program, first, 1, MPI_INFO_NULL, 0, WORLD, &children,
		       MPI_ERRCODES_IGNORE);
	talkToChildren(children, 4, 1);
	expect("Comm_spawn_multiple cid=0 root=0 newCid=5");
	MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, WORLD,
				&children, MPI_ERRCODES_IGNORE);
	talkToChildren(children, 5, 2);
}

void callsSpawned(void)
{
	MPI_Comm parent;
	int number = 0;

	expect("Comm_get_parent newCid=1");
	MPI_Comm_get_parent(&parent);
	require(parent != MPI_COMM_NULL, "it was spawned");
	expect("Recv fromRank=0 fromTag=1 size=4 count=1 tid=0 cid=1");
	MPI_Recv(&number, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
	require(number == 7, "what the parent sends");
	expect("Comm_disconnect cid=1");
	MPI_Comm_disconnect(&parent);
}
