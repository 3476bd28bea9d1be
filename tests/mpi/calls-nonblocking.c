/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collective calls that do not block, and those among neighbours. */
#include <stdlib.h>

#include "tests/mpi/calls.h"
#include "MPITracingLibrary/src/wrap/extension.h"

enum { MAX = 16 };

/* Counts 1, 2, 3 ... and where they begin. */
static int counts[MAX], offsets[MAX], total;
static int out[MAX * MAX], in[MAX * MAX];

static void prepare(void)
{
	require(size <= MAX, "too many ranks");
	total = 0;
	for (int i = 0; i < size; i++) {
		counts[i] = i + 1;
		offsets[i] = total;
		total += counts[i];
	}
}

static void finish(MPI_Request *request, int rid)
{
	expect("Wait rid=%d", rid);
	MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Those with counts for each process, and the others that are left. */
static void nonblockingRest(int rid)
{
	MPI_Datatype types[MAX];
	int twos[MAX], wide[MAX], bytes[MAX];
	MPI_Request request;

	for (int i = 0; i < size; i++) {
		types[i] = MPI_INT;
		twos[i] = rank + 1;
		wide[i] = i * MAX;
		bytes[i] = i * MAX * (int)sizeof(int);
	}
	if (rank == 0)
		expect("Igatherv size=4 count=1 tid=0 recvSize=%d recvCount=%d "
		       "recvTid=0 root=0 cid=0 rid=%d",
		       4 * total, total, rid);
	else
		expect("Igatherv size=%d count=%d tid=0 root=0 cid=0 rid=%d",
		       4 * (rank + 1), rank + 1, rid);
	MPI_Igatherv(out, counts[rank], MPI_INT, in, counts, offsets, MPI_INT,
		     0, WORLD, &request);
	finish(&request, rid++);
	if (rank == 0)
		expect("Iscatter size=8 count=2 tid=0 recvSize=8 recvCount=2 "
		       "recvTid=0 root=0 cid=0 rid=%d",
		       rid);
	else
		expect("Iscatter recvSize=8 recvCount=2 recvTid=0 root=0 cid=0 "
		       "rid=%d",
		       rid);
	MPI_Iscatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, WORLD, &request);
	finish(&request, rid++);
	if (rank == 0)
		expect("Iscatterv size=%d count=%d tid=0 recvSize=4 "
		       "recvCount=1 recvTid=0 root=0 cid=0 rid=%d",
		       4 * total, total, rid);
	else
		expect("Iscatterv recvSize=%d recvCount=%d recvTid=0 root=0 "
		       "cid=0 rid=%d",
		       4 * (rank + 1), rank + 1, rid);
	MPI_Iscatterv(out, counts, offsets, MPI_INT, in, counts[rank], MPI_INT,
		      0, WORLD, &request);
	finish(&request, rid++);
	expect("Iallgather size=4 count=1 tid=0 recvSize=4 recvCount=1 "
	       "recvTid=0 cid=0 rid=%d",
	       rid);
	MPI_Iallgather(out, 1, MPI_INT, in, 1, MPI_INT, WORLD, &request);
	finish(&request, rid++);
	expect("Ialltoallv size=%d count=%d tid=0 recvSize=%d recvCount=%d "
	       "recvTid=0 cid=0 rid=%d",
	       4 * total, total, 4 * size * (rank + 1), size * (rank + 1), rid);
	MPI_Ialltoallv(out, counts, wide, MPI_INT, in, twos, wide, MPI_INT,
		       WORLD, &request);
	finish(&request, rid++);
	expect("Ialltoallw size=%d recvSize=%d cid=0 rid=%d", 4 * total,
	       4 * size * (rank + 1), rid);
	MPI_Ialltoallw(out, counts, bytes, types, in, twos, bytes, types, WORLD,
		       &request);
	finish(&request, rid++);
	expect("Ireduce_scatter size=%d count=%d tid=0 cid=0 op=SUM "
	       "recvSize=%d rid=%d",
	       4 * total, total, 4 * (rank + 1), rid);
	MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, WORLD, &request);
	finish(&request, rid++);
	expect("Ireduce_scatter_block size=%d count=%d tid=0 cid=0 op=MIN "
	       "rid=%d",
	       8 * size, 2 * size, rid);
	MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_MIN, WORLD,
				  &request);
	finish(&request, rid++);
	expect("Iexscan size=4 count=1 tid=0 cid=0 op=SUM rid=%d", rid);
	MPI_Iexscan(out, in, 1, MPI_INT, MPI_SUM, WORLD, &request);
	finish(&request, rid++);
}

void callsNonblocking(void)
{
	MPI_Request request;
	int rid = 0;

	prepare();
	expect("Ibarrier cid=0 rid=0");
	MPI_Ibarrier(WORLD, &request);
	finish(&request, rid++);
	expect("Ibcast size=8 count=2 tid=0 rootRank=0 cid=0 rid=1");
	MPI_Ibcast(out, 2, MPI_INT, 0, WORLD, &request);
	finish(&request, rid++);
	expect(rank == 0 ? "Igather size=4 count=1 tid=0 recvSize=4 "
			   "recvCount=1 recvTid=0 root=0 cid=0 rid=2"
			 : "Igather size=4 count=1 tid=0 root=0 cid=0 rid=2");
	MPI_Igather(out, 1, MPI_INT, in, 1, MPI_INT, 0, WORLD, &request);
	finish(&request, rid++);
	expect("Iallreduce size=4 count=1 tid=0 cid=0 op=SUM rid=3");
	MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, WORLD, &request);
	finish(&request, rid++);
	expect("Ialltoall size=4 count=1 tid=0 recvSize=4 recvCount=1 "
	       "recvTid=0 cid=0 rid=4");
	MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, WORLD, &request);
	finish(&request, rid++);
	expect("Iallgatherv size=%d count=%d tid=0 recvSize=%d recvCount=%d "
	       "recvTid=0 cid=0 rid=5",
	       4 * (rank + 1), rank + 1, 4 * total, total);
	MPI_Iallgatherv(out, counts[rank], MPI_INT, in, counts, offsets,
			MPI_INT, WORLD, &request);
	finish(&request, rid++);
	expect("Ireduce size=4 count=1 tid=0 rootRank=0 cid=0 op=SUM rid=6");
	MPI_Ireduce(out, in, 1, MPI_INT, MPI_SUM, 0, WORLD, &request);
	finish(&request, rid++);
	expect("Iscan size=4 count=1 tid=0 cid=0 op=SUM rid=7");
	MPI_Iscan(out, in, 1, MPI_INT, MPI_SUM, WORLD, &request);
	finish(&request, rid++);
	nonblockingRest(rid);
}

void callsNeighbors(void)
{
	int dims[] = { size }, periods[] = { 1 };
	int two[] = { 1, 2 }, places[] = { 0, 4 };
	MPI_Aint offsets2[] = { 0, 16 };
	MPI_Datatype types[] = { MPI_INT, MPI_INT };
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	MPI_Request request;
	MPI_Comm ring, graph;

	expect("Cart_create cid=0 ndims=1 newCid=1");
	MPI_Cart_create(WORLD, 1, dims, periods, 0, &ring);
	expect("Neighbor_allgather size=4 count=1 tid=0 recvSize=4 recvCount=1 "
	       "recvTid=0 cid=1 sources=2 targets=2");
	MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);
	expect("Neighbor_alltoall size=4 count=1 tid=0 recvSize=4 recvCount=1 "
	       "recvTid=0 cid=1 sources=2 targets=2");
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
	/* One neighbour to receive from, one to send to. */
	expect("Dist_graph_create_adjacent cid=0 indegree=1 outdegree=1 "
	       "newCid=2");
	MPI_Dist_graph_create_adjacent(WORLD, 1, &last, MPI_UNWEIGHTED, 1,
				       &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
				       &graph);
	expect("Neighbor_allgatherv size=4 count=1 tid=0 recvSize=4 "
	       "recvCount=1 recvTid=0 cid=2");
	MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, two, places, MPI_INT,
				graph);
	two[0] = 2;
	expect("Neighbor_alltoallv size=8 count=2 tid=0 recvSize=8 recvCount=2 "
	       "recvTid=0 cid=2");
	MPI_Neighbor_alltoallv(out, two, places, MPI_INT, in, two, places,
			       MPI_INT, graph);
	expect("Neighbor_alltoallw size=8 recvSize=8 cid=2");
	MPI_Neighbor_alltoallw(out, two, offsets2, types, in, two, offsets2,
			       types, graph);
	expect("Ineighbor_alltoall size=4 count=1 tid=0 recvSize=4 recvCount=1 "
	       "recvTid=0 cid=1 sources=2 targets=2 rid=0");
	MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
	finish(&request, 0);
	two[0] = 1;
	expect("Ineighbor_allgather size=4 count=1 tid=0 recvSize=4 "
	       "recvCount=1 recvTid=0 cid=1 sources=2 targets=2 rid=1");
	MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring,
				&request);
	finish(&request, 1);
	expect("Ineighbor_allgatherv size=4 count=1 tid=0 recvSize=4 "
	       "recvCount=1 recvTid=0 cid=2 rid=2");
	MPI_Ineighbor_allgatherv(out, 1, MPI_INT, in, two, places, MPI_INT,
				 graph, &request);
	finish(&request, 2);
	two[0] = 2;
	expect("Ineighbor_alltoallv size=8 count=2 tid=0 recvSize=8 "
	       "recvCount=2 recvTid=0 cid=2 rid=3");
	MPI_Ineighbor_alltoallv(out, two, places, MPI_INT, in, two, places,
				MPI_INT, graph, &request);
	finish(&request, 3);
	expect("Ineighbor_alltoallw size=8 recvSize=8 cid=2 rid=4");
	MPI_Ineighbor_alltoallw(out, two, offsets2, types, in, two, offsets2,
				types, graph, &request);
	finish(&request, 4);
	expect("Comm_free cid=2");
	MPI_Comm_free(&graph);
	expect("Comm_free cid=1");
	MPI_Comm_free(&ring);
}

/* ---- What MPI 4.0 added ----------------------------------------------------
 */

#if MPI_VERSION >= 4
#define PERSISTENT(name) MPI_##name
#elif HDMPI_HAS_PERSISTENT
#define PERSISTENT(name) MPIX_##name
#endif

#ifdef PERSISTENT
/* A persistent call, started once. */
#define ONCE(name, data, ...) AMONG(name, data, WORLD, __VA_ARGS__)
#define AMONG(name, data, comm, ...)                                          \
	do {                                                                  \
		expect(#name data " rid=%d", rid);                            \
		PERSISTENT(name)(__VA_ARGS__, comm, MPI_INFO_NULL, &request); \
		expect("Start rid=%d", rid);                                  \
		MPI_Start(&request);                                          \
		expect("Wait rid=%d", rid);                                   \
		MPI_Wait(&request, MPI_STATUS_IGNORE);                        \
		expect("Request_free rid=%d", rid++);                         \
		MPI_Request_free(&request);                                   \
	} while (0)

static void persistentCollective(int rid)
{
	const int ones[] = { 1, 1, 1 }, places[] = { 0, 1, 2 };
	const MPI_Datatype ints[] = { MPI_INT, MPI_INT, MPI_INT };
	int gives[3] = { rank, rank, rank }, gets[3];
	MPI_Request request;

	expect("Barrier_init cid=0 rid=%d", rid);
	PERSISTENT(Barrier_init)(WORLD, MPI_INFO_NULL, &request);
	expect("Start rid=%d", rid);
	MPI_Start(&request);
	expect("Wait rid=%d", rid);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Request_free rid=%d", rid++);
	MPI_Request_free(&request);
	ONCE(Bcast_init, " size=4 count=1 tid=0 rootRank=0 cid=0", gives, 1,
	     MPI_INT, 0);
	ONCE(Reduce_init, " size=4 count=1 tid=0 rootRank=0 cid=0 op=SUM",
	     gives, gets, 1, MPI_INT, MPI_SUM, 0);
	ONCE(Allreduce_init, " size=4 count=1 tid=0 cid=0 op=SUM", gives, gets,
	     1, MPI_INT, MPI_SUM);
	ONCE(Scan_init, " size=4 count=1 tid=0 cid=0 op=SUM", gives, gets, 1,
	     MPI_INT, MPI_SUM);
	ONCE(Exscan_init, " size=4 count=1 tid=0 cid=0 op=SUM", gives, gets, 1,
	     MPI_INT, MPI_SUM);
	ONCE(Reduce_scatter_init,
	     " size=12 count=3 tid=0 cid=0 op=SUM recvSize=4", gives, gets,
	     ones, MPI_INT, MPI_SUM);
	ONCE(Reduce_scatter_block_init, " size=12 count=3 tid=0 cid=0 op=SUM",
	     gives, gets, 1, MPI_INT, MPI_SUM);
	ONCE(Allgather_init,
	     " size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 cid=0",
	     gives, 1, MPI_INT, gets, 1, MPI_INT);
	ONCE(Allgatherv_init,
	     " size=4 count=1 tid=0 recvSize=12 recvCount=3 recvTid=0 cid=0",
	     gives, 1, MPI_INT, gets, ones, places, MPI_INT);
	ONCE(Alltoall_init,
	     " size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 cid=0",
	     gives, 1, MPI_INT, gets, 1, MPI_INT);
	ONCE(Alltoallv_init,
	     " size=12 count=3 tid=0 recvSize=12 recvCount=3 recvTid=0 cid=0",
	     gives, ones, places, MPI_INT, gets, ones, places, MPI_INT);
	ONCE(Alltoallw_init, " size=12 recvSize=12 cid=0", gives, ones, places,
	     ints, gets, ones, places, ints);
	if (rank == 0) {
		ONCE(Gather_init,
		     " size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 "
		     "root=0 cid=0",
		     gives, 1, MPI_INT, gets, 1, MPI_INT, 0);
		ONCE(Gatherv_init,
		     " size=4 count=1 tid=0 recvSize=12 recvCount=3 recvTid=0 "
		     "root=0 cid=0",
		     gives, 1, MPI_INT, gets, ones, places, MPI_INT, 0);
		ONCE(Scatter_init,
		     " size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 "
		     "root=0 cid=0",
		     gives, 1, MPI_INT, gets, 1, MPI_INT, 0);
		ONCE(Scatterv_init,
		     " size=12 count=3 tid=0 recvSize=4 recvCount=1 recvTid=0 "
		     "root=0 cid=0",
		     gives, ones, places, MPI_INT, gets, 1, MPI_INT, 0);
		return;
	}
	ONCE(Gather_init, " size=4 count=1 tid=0 root=0 cid=0", gives, 1,
	     MPI_INT, gets, 1, MPI_INT, 0);
	ONCE(Gatherv_init, " size=4 count=1 tid=0 root=0 cid=0", gives, 1,
	     MPI_INT, gets, ones, places, MPI_INT, 0);
	ONCE(Scatter_init, " recvSize=4 recvCount=1 recvTid=0 root=0 cid=0",
	     gives, 1, MPI_INT, gets, 1, MPI_INT, 0);
	ONCE(Scatterv_init, " recvSize=4 recvCount=1 recvTid=0 root=0 cid=0",
	     gives, ones, places, MPI_INT, gets, 1, MPI_INT, 0);
}

/* In a ring, where each has two neighbours. */
static void persistentNeighbors(int rid)
{
	const int ones[] = { 1, 1 }, places[] = { 0, 1 }, yes[] = { 1 };
	const MPI_Aint bytes[] = { 0, 4 };
	const MPI_Datatype ints[] = { MPI_INT, MPI_INT };
	int gives[2] = { rank, rank }, gets[2];
	MPI_Request request;
	MPI_Comm ring;

	expect("Cart_create cid=0 ndims=1 newCid=2");
	MPI_Cart_create(WORLD, 1, &size, yes, 0, &ring);
	AMONG(Neighbor_allgather_init,
	      " size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 cid=2 "
	      "sources=2 targets=2",
	      ring, gives, 1, MPI_INT, gets, 1, MPI_INT);
	AMONG(Neighbor_allgatherv_init,
	      " size=4 count=1 tid=0 recvSize=8 recvCount=2 recvTid=0 cid=2",
	      ring, gives, 1, MPI_INT, gets, ones, places, MPI_INT);
	AMONG(Neighbor_alltoall_init,
	      " size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 cid=2 "
	      "sources=2 targets=2",
	      ring, gives, 1, MPI_INT, gets, 1, MPI_INT);
	AMONG(Neighbor_alltoallv_init,
	      " size=8 count=2 tid=0 recvSize=8 recvCount=2 recvTid=0 cid=2",
	      ring, gives, ones, places, MPI_INT, gets, ones, places, MPI_INT);
	AMONG(Neighbor_alltoallw_init, " size=8 recvSize=8 cid=2", ring, gives,
	      ones, bytes, ints, gets, ones, bytes, ints);
	expect("Comm_free cid=2");
	MPI_Comm_free(&ring);
}
#endif

#if MPI_VERSION >= 4
/* In a ring, twice: four partitions are sent, and two received. */
static void partitioned(int rid)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	int gives[4] = { rank, rank, rank, rank }, gets[4] = { -1, -1, -1, -1 };
	int third[] = { 3 }, flag;
	MPI_Request requests[2];

	expect("Precv_init size=16 count=4 tid=0 fromRank=%d fromTag=3 cid=0 "
	       "partitions=2 rid=%d",
	       last, rid);
	MPI_Precv_init(gets, 2, 2, MPI_INT, last, 3, WORLD, MPI_INFO_NULL,
		       &requests[0]);
	expect("Psend_init size=16 count=4 tid=0 toRank=%d toTag=3 cid=0 "
	       "partitions=4 rid=%d",
	       next, rid + 1);
	MPI_Psend_init(gives, 4, 1, MPI_INT, next, 3, WORLD, MPI_INFO_NULL,
		       &requests[1]);
	for (int i = 0; i < 2; i++) {
		flag = 0;
		expect("Startall count=2 <Request rid=%d/> <Request rid=%d/>",
		       rid, rid + 1);
		MPI_Startall(2, requests);
		expect("Pready partition=0 rid=%d", rid + 1);
		MPI_Pready(0, requests[1]);
		expect("Pready_range partition=1 count=2 rid=%d", rid + 1);
		MPI_Pready_range(1, 2, requests[1]);
		expect("Pready_list count=1 rid=%d", rid + 1);
		MPI_Pready_list(1, third, requests[1]);
		while (!flag)
			PMPI_Parrived(requests[0], 1, &flag);
		expect("Parrived partition=1 rid=%d flag=1", rid);
		MPI_Parrived(requests[0], 1, &flag);
		expect("Waitall count=2 completed=2 <Request rid=%d "
		       "fromRank=%d fromTag=3 size=16 cid=0/> "
		       "<Request rid=%d/>",
		       rid, last, rid + 1);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		require(flag && gets[0] == last && gets[3] == last,
			"what partitions move");
	}
	for (int i = 0; i < 2; i++) {
		expect("Request_free rid=%d", rid + i);
		MPI_Request_free(&requests[i]);
	}
}

void callsVersion4(void)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size;
	int gets = rank, gives;
	MPI_Request request;
	MPI_Comm comm;

	expect("Isendrecv size=4 count=1 sendTid=0 toRank=%d toTag=1 "
	       "fromRank=%d fromTag=1 cid=0 rid=0",
	       next, last);
	MPI_Isendrecv(&gets, 1, MPI_INT, next, 1, &gives, 1, MPI_INT, last, 1,
		      WORLD, &request);
	expect("Wait rid=0 fromRank=%d fromTag=1 cid=0", last);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	require(gives == last, "what Isendrecv moves");
	expect("Isendrecv_replace size=4 count=1 sendTid=0 toRank=%d toTag=2 "
	       "fromRank=%d fromTag=2 cid=0 rid=1",
	       next, last);
	MPI_Isendrecv_replace(&gets, 1, MPI_INT, next, 2, last, 2, WORLD,
			      &request);
	expect("Wait rid=1 fromRank=%d fromTag=2 cid=0", last);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	persistentCollective(2);
	expect("Comm_idup_with_info cid=0 rid=19");
	MPI_Comm_idup_with_info(WORLD, MPI_INFO_NULL, &comm, &request);
	expect("Wait rid=19");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Barrier cid=1");
	MPI_Barrier(comm);
	expect("Comm_free cid=1");
	MPI_Comm_free(&comm);
	persistentNeighbors(20);
	partitioned(25);
}
#elif defined(PERSISTENT)
void callsVersion4(void)
{
	MPI_Comm comm;

	persistentCollective(0);
	expect("Comm_dup cid=0 newCid=1");
	MPI_Comm_dup(WORLD, &comm);
	expect("Comm_free cid=1");
	MPI_Comm_free(&comm);
	persistentNeighbors(17);
}
#else
void callsVersion4(void)
{
	cannot = true;
}
#endif
