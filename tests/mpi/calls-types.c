/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Datatypes, and data that is packed. */
#include <stdlib.h>

#include "tests/mpi/calls.h"

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
	expect("Send size=25 count=1 tid=4 toRank=-2 toTag=0 cid=0");
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

static int tid; /* Of the next new datatype. */

/* What makes a datatype of integers, and that is freed again. */
#define MAKES(name, type, ...)                         \
	do {                                           \
		expect(#name " oldTid=0 tid=%d", tid); \
		MPI_##name(__VA_ARGS__, type);         \
		expect("Type_free tid=%d", tid);       \
		MPI_Type_free(type);                   \
		tid++;                                 \
	} while (0)

/* What finds one that is there already, and is not freed. */
#define FINDS(name, type, ...)                 \
	do {                                   \
		expect(#name " tid=%d", tid);  \
		MPI_##name(__VA_ARGS__, type); \
		tid++;                         \
	} while (0)

/* All ways to make a datatype. */
static void make(void)
{
	int lengths[] = { 1, 2 }, places[] = { 0, 4 };
	int sizes[] = { 4, 4 }, parts[] = { 2, 2 }, starts[] = { 1, 1 };
	int kinds[] = { MPI_DISTRIBUTE_BLOCK }, processes[] = { 1 };
	int arguments[] = { MPI_DISTRIBUTE_DFLT_DARG };
	MPI_Aint bytes[] = { 0, 16 };
	MPI_Datatype type;

	tid = 1;
	MAKES(Type_contiguous, &type, 3, MPI_INT);
	MAKES(Type_create_hvector, &type, 2, 1, 32, MPI_INT);
	MAKES(Type_indexed, &type, 2, lengths, places, MPI_INT);
	MAKES(Type_create_hindexed, &type, 2, lengths, bytes, MPI_INT);
	MAKES(Type_create_indexed_block, &type, 2, 2, places, MPI_INT);
	MAKES(Type_create_hindexed_block, &type, 2, 2, bytes, MPI_INT);
	MAKES(Type_create_subarray, &type, 2, sizes, parts, starts, MPI_ORDER_C,
	      MPI_INT);
	MAKES(Type_create_darray, &type, 1, 0, 1, sizes, kinds, arguments,
	      processes, MPI_ORDER_C, MPI_INT);
	FINDS(Type_create_f90_integer, &type, 9);
	FINDS(Type_create_f90_real, &type, 6, 30);
	FINDS(Type_create_f90_complex, &type, 6, 30);
	FINDS(Type_match_size, &type, MPI_TYPECLASS_REAL, 8);
}

static void pack(void)
{
	int data[] = { 1, 2, 3 }, more[3], place = 0;
	MPI_Aint far = 0;
	char buffer[64];

	expect("Pack size=8 count=2 tid=0 cid=0");
	MPI_Pack(data, 2, MPI_INT, buffer, 64, &place, WORLD);
	place = 0;
	expect("Unpack size=8 count=2 tid=0 cid=0");
	MPI_Unpack(buffer, 64, &place, more, 2, MPI_INT, WORLD);
	require(more[1] == 2, "what was packed");
	expect("Pack_external size=12 count=3 tid=0");
	MPI_Pack_external("external32", data, 3, MPI_INT, buffer, 64, &far);
	far = 0;
	expect("Unpack_external size=12 count=3 tid=0");
	MPI_Unpack_external("external32", buffer, 64, &far, more, 3, MPI_INT);
	require(more[2] == 3, "what was packed for others");
}

void callsPacking(void)
{
	make();
	pack();
}
