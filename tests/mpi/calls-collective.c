/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collective calls that block. */
#include <stdlib.h>

#include "tests/mpi/calls.h"

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

void callsCollective(void)
{
	const int root = 1;
	MPI_Datatype types[MAX];
	int bytes[MAX] = { 0 };

	prepare();
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	expect("Bcast size=12 count=3 tid=0 rootRank=1 cid=0");
	MPI_Bcast(out, 3, MPI_INT, root, WORLD);
	expect(rank == root ? "Gather size=8 count=2 tid=0 recvSize=8 "
			      "recvCount=2 recvTid=0 root=1 cid=0"
			    : "Gather size=8 count=2 tid=0 root=1 cid=0");
	MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, WORLD);
	/* Only the root's arguments for receiving mean something; and its own
	 * part is in place already. */
	expect(rank == root ? "Gather recvSize=8 recvCount=2 recvTid=0 root=1 "
			      "cid=0 inPlace=1"
			    : "Gather size=8 count=2 tid=0 root=1 cid=0");
	if (rank == root)
		MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT,
			   root, WORLD);
	else
		MPI_Gather(out, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root,
			   WORLD);
	if (rank == root)
		expect("Gatherv size=%d count=%d tid=0 recvSize=%d "
		       "recvCount=%d recvTid=0 root=1 cid=0",
		       4 * (rank + 1), rank + 1, 4 * total, total);
	else
		expect("Gatherv size=%d count=%d tid=0 root=1 cid=0",
		       4 * (rank + 1), rank + 1);
	MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, offsets, MPI_INT,
		    root, WORLD);
	expect(rank == root ? "Scatter size=8 count=2 tid=0 recvSize=8 "
			      "recvCount=2 recvTid=0 root=1 cid=0"
			    : "Scatter recvSize=8 recvCount=2 recvTid=0 root=1 "
			      "cid=0");
	MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, WORLD);
	if (rank == root)
		expect("Scatterv size=%d count=%d tid=0 recvSize=%d "
		       "recvCount=%d recvTid=0 root=1 cid=0",
		       4 * total, total, 4 * (rank + 1), rank + 1);
	else
		expect("Scatterv recvSize=%d recvCount=%d recvTid=0 root=1 "
		       "cid=0",
		       4 * (rank + 1), rank + 1);
	MPI_Scatterv(out, counts, offsets, MPI_INT, in, counts[rank], MPI_INT,
		     root, WORLD);
	expect("Allgather size=4 count=1 tid=0 recvSize=4 recvCount=1 "
	       "recvTid=0 cid=0");
	MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, WORLD);
	expect("Allgather recvSize=4 recvCount=1 recvTid=0 cid=0 inPlace=1");
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT,
		      WORLD);
	expect("Allgatherv size=%d count=%d tid=0 recvSize=%d recvCount=%d "
	       "recvTid=0 cid=0",
	       4 * (rank + 1), rank + 1, 4 * total, total);
	MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, offsets, MPI_INT,
		       WORLD);
	expect("Alltoall size=4 count=1 tid=0 recvSize=4 recvCount=1 recvTid=0 "
	       "cid=0");
	MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, WORLD);
	for (int i = 0; i < size; i++) {
		bytes[i] = rank + 1;
		types[i] = MPI_INT;
	}
	expect("Alltoallv size=%d count=%d tid=0 recvSize=%d recvCount=%d "
	       "recvTid=0 cid=0",
	       4 * total, total, 4 * size * (rank + 1), size * (rank + 1));
	for (int i = 0; i < size; i++)
		offsets[i] = i * MAX;
	MPI_Alltoallv(out, counts, offsets, MPI_INT, in, bytes, offsets,
		      MPI_INT, WORLD);
	expect("Alltoallw size=%d recvSize=%d cid=0", 4 * total,
	       4 * size * (rank + 1));
	for (int i = 0; i < size; i++)
		offsets[i] = i * MAX * (int)sizeof(int);
	MPI_Alltoallw(out, counts, offsets, types, in, bytes, offsets, types,
		      WORLD);
	expect(rank == root ? "Reduce size=8 count=2 tid=0 rootRank=1 cid=0 "
			      "op=MAX inPlace=1"
			    : "Reduce size=8 count=2 tid=0 rootRank=1 cid=0 "
			      "op=MAX");
	MPI_Reduce(rank == root ? MPI_IN_PLACE : out, in, 2, MPI_INT, MPI_MAX,
		   root, WORLD);
	expect("Allreduce size=16 count=2 tid=1 cid=0 op=SUM inPlace=1");
	MPI_Allreduce(MPI_IN_PLACE, in, 2, MPI_DOUBLE, MPI_SUM, WORLD);
	expect("Reduce_scatter size=%d count=%d tid=0 cid=0 op=SUM recvSize=%d",
	       4 * total, total, 4 * (rank + 1));
	MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, WORLD);
	expect("Reduce_scatter_block size=%d count=%d tid=0 cid=0 op=MIN",
	       8 * size, 2 * size);
	MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_MIN, WORLD);
	expect("Scan size=4 count=1 tid=0 cid=0 op=PROD");
	MPI_Scan(out, in, 1, MPI_INT, MPI_PROD, WORLD);
	expect("Exscan size=4 count=1 tid=0 cid=0 op=SUM");
	MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, WORLD);
	expect("Reduce_local size=4 count=1 tid=0 op=SUM");
	MPI_Reduce_local(out, in, 1, MPI_INT, MPI_SUM);
}
