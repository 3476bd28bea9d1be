/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows: access to the memory of others. */
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/calls.h"

void callsOneSided(void)
{
	int next = (rank + 1) % size, *memory, data = rank, result = 0;
	int compare = 0;
	MPI_Request request;
	MPI_Win win, other;

	expect("Win_allocate size=64 dispUnit=4 cid=0 wid=0");
	MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 64);
	expect("Win_fence assert=0 wid=0");
	MPI_Win_fence(0, win);
	expect("Put size=4 count=1 tid=0 toRank=%d targetDisp=3 targetCount=1 "
	       "targetTid=0 wid=0",
	       next);
	MPI_Put(&data, 1, MPI_INT, next, 3, 1, MPI_INT, win);
	expect("Accumulate size=4 count=1 tid=0 toRank=%d targetDisp=4 "
	       "targetCount=1 targetTid=0 op=SUM wid=0",
	       next);
	MPI_Accumulate(&data, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_SUM, win);
	expect("Win_fence assert=0 wid=0");
	MPI_Win_fence(0, win);
	expect("Win_lock exclusive=0 toRank=%d assert=0 wid=0", next);
	MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
	expect("Get size=4 count=1 tid=0 fromRank=%d targetDisp=3 "
	       "targetCount=1 targetTid=0 wid=0",
	       next);
	MPI_Get(&result, 1, MPI_INT, next, 3, 1, MPI_INT, win);
	expect("Win_flush toRank=%d wid=0", next);
	MPI_Win_flush(next, win);
	expect("Fetch_and_op size=4 count=1 tid=0 toRank=%d targetDisp=5 "
	       "targetCount=1 targetTid=0 op=SUM wid=0",
	       next);
	MPI_Fetch_and_op(&data, &result, MPI_INT, next, 5, MPI_SUM, win);
	expect("Compare_and_swap size=4 count=1 tid=0 toRank=%d targetDisp=6 "
	       "targetCount=1 targetTid=0 wid=0",
	       next);
	MPI_Compare_and_swap(&data, &compare, &result, MPI_INT, next, 6, win);
	expect("Rput size=4 count=1 tid=0 toRank=%d targetDisp=7 "
	       "targetCount=1 targetTid=0 wid=0 rid=0",
	       next);
	MPI_Rput(&data, 1, MPI_INT, next, 7, 1, MPI_INT, win, &request);
	expect("Wait rid=0");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Win_unlock toRank=%d wid=0", next);
	MPI_Win_unlock(next, win);
	expect("Win_lock_all assert=0 wid=0");
	MPI_Win_lock_all(0, win);
	expect("Win_flush_all wid=0");
	MPI_Win_flush_all(win);
	expect("Win_unlock_all wid=0");
	MPI_Win_unlock_all(win);
	expect("Win_create size=0 dispUnit=1 cid=0 wid=1");
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, WORLD, &other);
	expect("Win_free wid=1");
	MPI_Win_free(&other);
	expect("Win_free wid=0");
	MPI_Win_free(&win);
}

/* Epochs of two sides: each rank exposes to the one before and accesses the one
 * behind. */
static void sides(MPI_Win win, int next)
{
	int last = (rank + size - 1) % size, data = rank, flag = 0;
	MPI_Group world, before, behind;

	expect("Win_get_group wid=0 groupSize=%d", size);
	MPI_Win_get_group(win, &world);
	expect("Group_incl groupSize=1");
	MPI_Group_incl(world, 1, &last, &before);
	expect("Group_incl groupSize=1");
	MPI_Group_incl(world, 1, &next, &behind);
	for (int i = 0; i < 2; i++) {
		expect("Win_post assert=0 ranks=%d wid=0", last);
		MPI_Win_post(before, 0, win);
		expect("Win_start assert=0 ranks=%d wid=0", next);
		MPI_Win_start(behind, 0, win);
		expect("Put size=4 count=1 tid=0 toRank=%d targetDisp=0 "
		       "targetCount=1 targetTid=0 wid=0",
		       next);
		MPI_Put(&data, 1, MPI_INT, next, 0, 1, MPI_INT, win);
		expect("Win_complete wid=0");
		MPI_Win_complete(win);
		if (i == 0) {
			expect("Win_wait wid=0");
			MPI_Win_wait(win);
			continue;
		}
		/* Once all are here the epoch is over, or soon. */
		expect("Barrier cid=0");
		MPI_Barrier(WORLD);
		hdMPI_disable();
		while (!flag)
			MPI_Win_test(win, &flag);
		hdMPI_enable();
	}
	expect("Group_free part=1");
	MPI_Group_free(&before);
	expect("Group_free");
	MPI_Group_free(&behind);
	expect("Group_free");
	MPI_Group_free(&world);
}

/* An exposure that nobody accesses is over at once. */
static void testAtOnce(MPI_Win win)
{
	int flag = 0;

	expect("Win_post assert=0 wid=0");
	MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
	expect("Win_test flag=1 wid=0");
	MPI_Win_test(win, &flag);
	require(flag, "an empty epoch is over");
}

static void passive(MPI_Win win, int next)
{
	int data = rank, result = 0;
	MPI_Request request;

	expect("Win_lock exclusive=1 toRank=%d assert=0 wid=0", next);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
	expect("Get_accumulate size=4 count=1 tid=0 toRank=%d targetDisp=1 "
	       "targetCount=1 targetTid=0 op=SUM wid=0",
	       next);
	MPI_Get_accumulate(&data, 1, MPI_INT, &result, 1, MPI_INT, next, 1, 1,
			   MPI_INT, MPI_SUM, win);
	expect("Win_flush_local toRank=%d wid=0", next);
	MPI_Win_flush_local(next, win);
	expect("Win_flush_local_all wid=0");
	MPI_Win_flush_local_all(win);
	expect("Rget size=4 count=1 tid=0 fromRank=%d targetDisp=2 "
	       "targetCount=1 targetTid=0 wid=0 rid=0",
	       next);
	MPI_Rget(&result, 1, MPI_INT, next, 2, 1, MPI_INT, win, &request);
	expect("Wait rid=0");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Raccumulate size=4 count=1 tid=0 toRank=%d targetDisp=3 "
	       "targetCount=1 targetTid=0 op=MAX wid=0 rid=1",
	       next);
	MPI_Raccumulate(&data, 1, MPI_INT, next, 3, 1, MPI_INT, MPI_MAX, win,
			&request);
	expect("Wait rid=1");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Rget_accumulate size=4 count=1 tid=0 toRank=%d targetDisp=3 "
	       "targetCount=1 targetTid=0 op=NO_OP wid=0 rid=2",
	       next);
	MPI_Rget_accumulate(&data, 1, MPI_INT, &result, 1, MPI_INT, next, 3, 1,
			    MPI_INT, MPI_NO_OP, win, &request);
	expect("Wait rid=2");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Win_sync wid=0");
	MPI_Win_sync(win);
	expect("Win_unlock toRank=%d wid=0", next);
	MPI_Win_unlock(next, win);
}

/* The other kinds of epochs, and of windows. */
void callsWindows(void)
{
	int next = (rank + 1) % size, *memory, attached[4];
	MPI_Win win, other;

	expect("Win_allocate size=64 dispUnit=4 cid=0 wid=0");
	MPI_Win_allocate(64, 4, MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 64);
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	sides(win, next);
	testAtOnce(win);
	passive(win, next);
	expect("Win_create_dynamic cid=0 wid=1");
	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &other);
	expect("Win_attach size=16 wid=1");
	MPI_Win_attach(other, attached, 16);
	expect("Win_detach wid=1");
	MPI_Win_detach(other, attached);
	expect("Win_free wid=1");
	MPI_Win_free(&other);
	expect("Win_allocate_shared size=8 dispUnit=1 cid=1 wid=2");
	MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory,
				&other);
	expect("Win_free wid=2");
	MPI_Win_free(&other);
	expect("Win_free wid=0");
	MPI_Win_free(&win);
}
