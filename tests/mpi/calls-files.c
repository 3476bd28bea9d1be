/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files. */
#include <stdlib.h>

#include "tests/mpi/calls.h"

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

static void finish(MPI_Request *request, int rid, int bytes)
{
	expect("Wait rid=%d size=%d fid=0", rid, bytes);
	MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* With offsets of their own. */
static void atOffsets(MPI_File file)
{
	int data[4] = { rank }, more[4], at = 16 * rank;
	MPI_Request request;

	expect("File_iwrite_at_all fid=0 offset=%d size=16 count=4 tid=0 rid=0",
	       at);
	MPI_File_iwrite_at_all(file, at, data, 4, MPI_INT, &request);
	finish(&request, 0, 16);
	expect("File_iread_at fid=0 offset=%d size=8 count=2 tid=0 rid=1", at);
	MPI_File_iread_at(file, at, more, 2, MPI_INT, &request);
	finish(&request, 1, 8);
	expect("File_iread_at_all fid=0 offset=%d size=4 count=1 tid=0 rid=2",
	       at);
	MPI_File_iread_at_all(file, at, more, 1, MPI_INT, &request);
	finish(&request, 2, 4);
	expect("File_read_at_all fid=0 offset=%d size=16 count=4 tid=0", at);
	MPI_File_read_at_all(file, at, more, 4, MPI_INT, MPI_STATUS_IGNORE);
	require(more[0] == rank, "what a file has");
	expect("File_write_at_all_begin fid=0 offset=%d size=16 count=4 tid=0",
	       at);
	MPI_File_write_at_all_begin(file, at, data, 4, MPI_INT);
	expect("File_write_at_all_end fid=0 size=16");
	MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
	expect("File_read_at_all_begin fid=0 offset=%d size=16 count=4 tid=0",
	       at);
	MPI_File_read_at_all_begin(file, at, more, 4, MPI_INT);
	expect("File_read_at_all_end fid=0 size=16");
	MPI_File_read_at_all_end(file, more, MPI_STATUS_IGNORE);
}

/* With the pointer of each process. */
static void atPointers(MPI_File file)
{
	int data[4] = { rank }, more[4];
	MPI_Request request;

	expect("File_seek fid=0 offset=0");
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	expect("File_write_all offset=0 fid=0 size=4 count=1 tid=0");
	MPI_File_write_all(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_iwrite offset=4 fid=0 size=4 count=1 tid=0 rid=3");
	MPI_File_iwrite(file, data, 1, MPI_INT, &request);
	finish(&request, 3, 4);
	expect("File_iwrite_all offset=8 fid=0 size=4 count=1 tid=0 rid=4");
	MPI_File_iwrite_all(file, data, 1, MPI_INT, &request);
	finish(&request, 4, 4);
	expect("File_seek fid=0 offset=0");
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	expect("File_read_all offset=0 fid=0 size=4 count=1 tid=0");
	MPI_File_read_all(file, more, 1, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_iread offset=4 fid=0 size=4 count=1 tid=0 rid=5");
	MPI_File_iread(file, more, 1, MPI_INT, &request);
	finish(&request, 5, 4);
	expect("File_iread_all offset=8 fid=0 size=4 count=1 tid=0 rid=6");
	MPI_File_iread_all(file, more, 1, MPI_INT, &request);
	finish(&request, 6, 4);
	expect("File_read_all_begin offset=12 fid=0 size=4 count=1 tid=0");
	MPI_File_read_all_begin(file, more, 1, MPI_INT);
	expect("File_read_all_end fid=0 size=4");
	MPI_File_read_all_end(file, more, MPI_STATUS_IGNORE);
}

/* With the pointer that all share. */
static void atSharedPointer(MPI_File file)
{
	int data[4] = { rank }, more[4];
	MPI_Offset offset;
	MPI_Request request;

	expect("File_seek_shared fid=0 offset=0 whence=SET");
	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	expect("File_write_shared fid=0 size=4 count=1 tid=0");
	MPI_File_write_shared(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_iwrite_shared fid=0 size=4 count=1 tid=0 rid=7");
	MPI_File_iwrite_shared(file, data, 1, MPI_INT, &request);
	finish(&request, 7, 4);
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	expect("File_get_position_shared fid=0 offset=%d", 8 * size);
	MPI_File_get_position_shared(file, &offset);
	expect("Barrier cid=0");
	MPI_Barrier(WORLD);
	expect("File_seek_shared fid=0 offset=0 whence=SET");
	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	expect("File_read_shared fid=0 size=4 count=1 tid=0");
	MPI_File_read_shared(file, more, 1, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_iread_shared fid=0 size=4 count=1 tid=0 rid=8");
	MPI_File_iread_shared(file, more, 1, MPI_INT, &request);
	finish(&request, 8, 4);
	expect("File_write_ordered fid=0 size=8 count=2 tid=0");
	MPI_File_write_ordered(file, data, 2, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_write_ordered_begin fid=0 size=8 count=2 tid=0");
	MPI_File_write_ordered_begin(file, data, 2, MPI_INT);
	expect("File_write_ordered_end fid=0 size=8");
	MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE);
	expect("File_seek_shared fid=0 offset=0 whence=SET");
	MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
	expect("File_read_ordered fid=0 size=8 count=2 tid=0");
	MPI_File_read_ordered(file, more, 2, MPI_INT, MPI_STATUS_IGNORE);
	expect("File_read_ordered_begin fid=0 size=8 count=2 tid=0");
	MPI_File_read_ordered_begin(file, more, 2, MPI_INT);
	expect("File_read_ordered_end fid=0 size=8");
	MPI_File_read_ordered_end(file, more, MPI_STATUS_IGNORE);
}

/* Offsets, pointers, and one pointer for all; every way to read and write. */
void callsFileAccess(void)
{
	char name[] = "calls-access.dat";
	const int flags =
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
	MPI_Group group;
	MPI_Info info;
	MPI_File file;

	expect("File_open cid=0 name=%s flags=%d fid=0", name, flags);
	MPI_File_open(WORLD, name, flags, MPI_INFO_NULL, &file);
	expect("File_preallocate fid=0 size=%d", 64 * size);
	MPI_File_preallocate(file, 64 * size);
	expect("File_get_group fid=0 groupSize=%d", size);
	MPI_File_get_group(file, &group);
	expect("Group_free");
	MPI_Group_free(&group);
	MPI_Info_create(&info);
	expect("File_set_info fid=0");
	MPI_File_set_info(file, info);
	MPI_Info_free(&info);
	expect("File_set_atomicity fid=0 flag=0");
	MPI_File_set_atomicity(file, 0);
	atOffsets(file);
	atPointers(file);
	atSharedPointer(file);
	expect("File_close fid=0");
	MPI_File_close(&file);
}
