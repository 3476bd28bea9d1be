/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What datatypes are made of; see contents.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/handles/contents.h"
#include "MPITracingLibrary/src/core/hdmpi.h"
#include "common/hashmap/hashmap.h"

int hdmpiContentsAsk(MPI_Datatype datatype, struct hdmpiContents *contents)
{
#if MPI_VERSION >= 4
	return PMPI_Type_get_envelope_c(
		       datatype, &contents->integerCount,
		       &contents->addressCount, &contents->largeCount,
		       &contents->typeCount, &contents->combiner) == MPI_SUCCESS
		       ? 0
		       : -1;
#else
	int counts[3];
	int ret = PMPI_Type_get_envelope(datatype, &counts[0], &counts[1],
					 &counts[2], &contents->combiner);

	contents->integerCount = counts[0];
	contents->addressCount = counts[1];
	contents->largeCount = 0;
	contents->typeCount = counts[2];
	return ret == MPI_SUCCESS ? 0 : -1;
#endif
}

static int contentsCall(MPI_Datatype datatype, struct hdmpiContents *contents)
{
#if MPI_VERSION >= 4
	return PMPI_Type_get_contents_c(
		datatype, contents->integerCount, contents->addressCount,
		contents->largeCount, contents->typeCount, contents->integers,
		contents->addresses, contents->large, contents->types);
#else
	return PMPI_Type_get_contents(
		datatype, (int)contents->integerCount,
		(int)contents->addressCount, (int)contents->typeCount,
		contents->integers, contents->addresses, contents->types);
#endif
}

/* Room for so many numbers; NULL without memory. */
static void *contentsRoom(MPI_Count count, void *own, size_t size)
{
	return count <= HDMPI_CONTENTS_OWN ? own : calloc((size_t)count, size);
}

int hdmpiContentsGet(MPI_Datatype datatype, struct hdmpiContents *contents)
{
	contents->integers =
		contentsRoom(contents->integerCount, contents->ownIntegers,
			     sizeof(*contents->integers));
	contents->addresses =
		contentsRoom(contents->addressCount, contents->ownAddresses,
			     sizeof(*contents->addresses));
	contents->large = contentsRoom(contents->largeCount, contents->ownLarge,
				       sizeof(*contents->large));
	contents->types = contentsRoom(contents->typeCount, contents->ownTypes,
				       sizeof(*contents->types));
	if (contents->integers && contents->addresses && contents->large &&
	    contents->types && contentsCall(datatype, contents) == MPI_SUCCESS)
		return 0;
	hdmpiContentsFree(contents);
	return -1;
}

void hdmpiContentsFree(struct hdmpiContents *contents)
{
	if (contents->integers != contents->ownIntegers)
		free(contents->integers);
	if (contents->addresses != contents->ownAddresses)
		free(contents->addresses);
	if (contents->large != contents->ownLarge)
		free(contents->large);
	if (contents->types != contents->ownTypes)
		free(contents->types);
}

bool hdmpiContentsIsNamed(MPI_Datatype datatype)
{
	struct hdmpiContents contents;

	return hdmpiContentsAsk(datatype, &contents) == 0 &&
	       contents.combiner == MPI_COMBINER_NAMED;
}

/* ---- Signatures --------------------------------------------------------- */

static uint64_t contentsMix(uint64_t hash, uint64_t number)
{
	return hdMapHash((hash ^ number) + UINT64_C(0x9e3779b97f4a7c15));
}

/* All numbers, and how many there are of each kind. */
static uint64_t contentsNumbers(const struct hdmpiContents *contents)
{
	uint64_t hash = contentsMix(1, (uint64_t)contents->combiner);

	hash = contentsMix(hash, (uint64_t)contents->integerCount);
	hash = contentsMix(hash, (uint64_t)contents->addressCount);
	hash = contentsMix(hash, (uint64_t)contents->largeCount);
	for (MPI_Count i = 0; i < contents->integerCount; i++)
		hash = contentsMix(hash, (uint64_t)contents->integers[i]);
	for (MPI_Count i = 0; i < contents->addressCount; i++)
		hash = contentsMix(hash, (uint64_t)contents->addresses[i]);
	for (MPI_Count i = 0; i < contents->largeCount; i++)
		hash = contentsMix(hash, (uint64_t)contents->large[i]);
	return hash;
}

/* Of those that Open MPI hands out as copies the name says so. */
static uint64_t contentsName(MPI_Datatype datatype)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length = 0;

	if (PMPI_Type_get_name(datatype, name, &length) != MPI_SUCCESS ||
	    length == 0)
		return 0;
	return hdMapHashText(strncmp(name, "Dup ", 4) == 0 ? name + 4 : name);
}

uint64_t hdmpiContentsSignature(MPI_Datatype datatype)
{
	struct hdmpiContents contents;
	uint64_t hash;

	if (hdmpiContentsAsk(datatype, &contents) < 0)
		return 0;
	/* These have handles that do not change. */
	if (contents.combiner == MPI_COMBINER_NAMED)
		return contentsMix(2, HDMPI_KEY(datatype));
	if (hdmpiContentsGet(datatype, &contents) < 0)
		return 0;
	hash = contentsMix(contentsNumbers(&contents), contentsName(datatype));
	for (MPI_Count i = 0; i < contents.typeCount; i++) {
		hash = contentsMix(hash,
				   hdmpiContentsSignature(contents.types[i]));
		if (!hdmpiContentsIsNamed(contents.types[i]))
			PMPI_Type_free(&contents.types[i]);
	}
	hdmpiContentsFree(&contents);
	return hash;
}
