/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows, files, communicators, groups, datatypes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

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

void callsFiles(void)
{
	char name[] = "calls-files.dat";
	int data[4] = { rank }, more[4];
	MPI_Offset offset;
	MPI_Request request;
	MPI_Datatype type;
	MPI_File file;
	const int flags = MPI_MODE_CREATE | MPI_MODE_RDWR;

	expect("File_open cid=0 name=%s flags=%d fid=0", name, flags);
	MPI_File_open(WORLD, name, flags, MPI_INFO_NULL, &file);
	expect("File_set_size fid=0 size=0");
	MPI_File_set_size(file, 0);
	expect("File_write_at fid=0 offset=%d size=16 count=4 tid=0",
	       16 * rank);
	MPI_File_write_at(file, 16 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_write_at_all fid=0 offset=%d size=16 count=4 tid=0",
	       16 * rank);
	MPI_File_write_at_all(file, 16 * rank, data, 4, MPI_INT,
			      MPI_STATUS_IGNORE);
	expect("File_sync fid=0");
	MPI_File_sync(file);
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	expect("File_get_size fid=0 size=%d", 16 * size);
	MPI_File_get_size(file, &offset);
	/* More than there is. */
	expect("File_read_at fid=0 offset=%d size=8 count=4 tid=0",
	       16 * size - 8);
	MPI_File_read_at(file, 16 * size - 8, more, 4, MPI_INT,
			 MPI_STATUS_IGNORE);
	expect("File_seek fid=0 offset=4");
	MPI_File_seek(file, 4, MPI_SEEK_SET);
	expect("File_read offset=4 fid=0 size=8 count=2 tid=0");
	MPI_File_read(file, more, 2, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_get_position fid=0 offset=12");
	MPI_File_get_position(file, &offset);

	/* Every second integer, from byte 8 on: offsets are those in the
	 * file, not those in the view. */
	expect("Type_vector oldTid=0 tid=1");
	MPI_Type_vector(1, 1, 2, MPI_INT, &type);
	MPI_Type_free(&type);
	expect("Type_free tid=1");
	expect("Type_create_resized oldTid=0 tid=2");
	MPI_Type_create_resized(MPI_INT, 0, 8, &type);
	expect("Type_commit tid=2");
	MPI_Type_commit(&type);
	expect("File_set_view fid=0 offset=8 etid=0 ftid=2 datarep=native");
	MPI_File_set_view(file, 8, MPI_INT, type, "native", MPI_INFO_NULL);
	expect("File_iwrite_at fid=0 offset=%d size=4 count=1 tid=0 rid=0",
	       8 + 8 * rank);
	MPI_File_iwrite_at(file, rank, data, 1, MPI_INT, &request);
	expect("Wait rid=0 size=4 fid=0");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("File_write_all_begin offset=8 fid=0 size=4 count=1 tid=0");
	MPI_File_write_all_begin(file, data, 1, MPI_INT);
	expect("File_write_all_end fid=0 size=4");
	MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
	expect("File_write offset=16 fid=0 size=4 count=1 tid=0");
	MPI_File_write(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
	expect("Type_free tid=2");
	MPI_Type_free(&type);
	expect("File_close fid=0");
	MPI_File_close(&file);
	/* The same file has the same number. */
	expect("File_open cid=0 name=%s flags=%d fid=0", name, MPI_MODE_RDONLY);
	MPI_File_open(WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	expect("File_close fid=0");
	MPI_File_close(&file);
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	if (rank == 0) {
		expect("File_delete name=%s", name);
		MPI_File_delete(name, MPI_INFO_NULL);
	}
}

void callsComms(void)
{
	MPI_Group group, part;
	MPI_Comm comm, half, inter, merged;
	int sum = 1, ranks[] = { 0, 1 }, range[1][3] = { { 0, 1, 1 } };

	expect("Comm_dup cid=0 newCid=1");
	MPI_Comm_dup(WORLD, &comm);
	expect("Allreduce size=4 count=1 tid=0 op=SUM cid=1");
	MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
	/* A name is worth a number of its own. */
	expect("Comm_set_name cid=1 name=It's mine newCid=2");
	MPI_Comm_set_name(comm, "It's mine");
	expect("Barrier cid=2");
	MPI_Barrier(comm);
	expect("Comm_split cid=2 color=%d key=0 newCid=3", rank % 2);
	MPI_Comm_split(comm, rank % 2, 0, &half);
	expect("Intercomm_create cid=3 leader=0 remoteLeader=%d tag=5 newCid=4",
	       1 - rank % 2);
	MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 5, &inter);
	expect("Intercomm_merge cid=4 newCid=5");
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	expect("Comm_free cid=5");
	MPI_Comm_free(&merged);
	expect("Comm_free cid=4");
	MPI_Comm_free(&inter);
	expect("Comm_free cid=3");
	MPI_Comm_free(&half);
	/* Not for this process. */
	expect("Comm_split cid=2 color=%d key=0 newCid=-1", MPI_UNDEFINED);
	MPI_Comm_split(comm, MPI_UNDEFINED, 0, &half);
	expect("Comm_free cid=2");
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

void callsTypes(void)
{
	MPI_Datatype vector, structure, again;
	int lengths[] = { 1, 2 };
	MPI_Aint places[] = { 0, 64 };
	MPI_Datatype types[2];
	int data[64] = { 0 };

	expect("Type_vector oldTid=0 tid=1");
	MPI_Type_vector(3, 1, 4, MPI_INT, &vector);
	expect("Type_set_name name=column tid=2");
	MPI_Type_set_name(vector, "column");
	types[0] = MPI_CHAR;
	types[1] = vector;
	/* What it is made of is described with it. */
	expect("Type_create_struct tid=4");
	MPI_Type_create_struct(2, lengths, places, types, &structure);
	expect("Type_commit tid=4");
	MPI_Type_commit(&structure);
	expect("Send size=25 count=1 tid=4 toRank=%d toTag=0 cid=0",
	       MPI_PROC_NULL);
	MPI_Send(data, 1, structure, MPI_PROC_NULL, 0, WORLD);
	expect("Type_free tid=4");
	MPI_Type_free(&structure);
	expect("Type_free tid=2");
	MPI_Type_free(&vector);
	/* The same again has the same number. */
	for (int i = 0; i < 3; i++) {
		expect("Type_vector oldTid=0 tid=1");
		MPI_Type_vector(3, 1, 4, MPI_INT, &again);
		expect("Type_free tid=1");
		MPI_Type_free(&again);
	}
	expect("Type_dup oldTid=0 tid=5");
	MPI_Type_dup(MPI_INT, &again);
	expect("Type_free tid=5");
	MPI_Type_free(&again);
}
