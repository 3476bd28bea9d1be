/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What datatypes are made of, as MPI has it.
 */
#ifndef HDMPI_CONTENTS_H
#define HDMPI_CONTENTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/** So many numbers of each kind need no memory of their own. */
#define HDMPI_CONTENTS_OWN 16

/** Numbers and datatypes of a datatype. */
struct hdmpiContents {
	int combiner;
	MPI_Count integerCount;
	MPI_Count addressCount;
	MPI_Count largeCount; /**< Numbers of forms for large counts. */
	MPI_Count typeCount;
	int *integers;
	MPI_Aint *addresses;
	MPI_Count *large;
	MPI_Datatype *types;
	int ownIntegers[HDMPI_CONTENTS_OWN];
	MPI_Aint ownAddresses[HDMPI_CONTENTS_OWN];
	MPI_Count ownLarge[HDMPI_CONTENTS_OWN];
	MPI_Datatype ownTypes[HDMPI_CONTENTS_OWN];
};

/** Find out how many there are, and the combiner; 0 or -1. */
int hdmpiContentsAsk(MPI_Datatype datatype, struct hdmpiContents *contents);

/** After that, get them, of one that is not named; 0 or -1. Datatypes among
 * them that are not named are to be freed, and then the contents. */
int hdmpiContentsGet(MPI_Datatype datatype, struct hdmpiContents *contents);

void hdmpiContentsFree(struct hdmpiContents *contents);

/** Whether it is one of MPI's own. */
bool hdmpiContentsIsNamed(MPI_Datatype datatype);

/** A number that datatypes have in common which are made in the same way, of
 * the same, and have the same name; 0: it is not known. */
uint64_t hdmpiContentsSignature(MPI_Datatype datatype);

#endif
