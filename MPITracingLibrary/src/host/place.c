/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where this process is. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/host/place.h"
#include "MPITracingLibrary/src/options.h"

/* What every process tells the others. */
struct card {
	int node; /* Lowest rank among those that share memory with it. */
	char host[HDMPI_HOST_MAX];
};

static int placeNode(MPI_Comm world, int rank, int *node)
{
	MPI_Comm shared;
	int ret;

	if (PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank,
				 MPI_INFO_NULL, &shared) != MPI_SUCCESS)
		return -1;
	*node = rank;
	ret = PMPI_Bcast(node, 1, MPI_INT, 0, shared);
	PMPI_Comm_free(&shared);
	return ret == MPI_SUCCESS ? 0 : -1;
}

static bool isSameHost(const struct card *a, const struct card *b)
{
	return a->node == b->node && strcmp(a->host, b->host) == 0;
}

static bool isName(const struct card *all, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(all[i].host, name) == 0)
			return true;
	return false;
}

/* Name the one of several hosts of a name that so many come before: by a number
 * that makes no name that another host has. */
static void placeName(struct hdmpiPlace *place, const struct card *all,
		      const char *name, int before)
{
	snprintf(place->host, sizeof(place->host), "%s", name);
	for (int number = 2; before > 0; number++) {
		snprintf(place->host, sizeof(place->host), "%s-%d", name,
			 number);
		if (!isName(all, place->size, place->host))
			before--;
	}
}

int hdmpiPlaceFind(MPI_Comm world, struct hdmpiPlace *place)
{
	struct card own, *all;
	int isBad = 0, isAnyBad = 1, leader = 0, before = 0;

	PMPI_Comm_rank(world, &place->rank);
	PMPI_Comm_size(world, &place->size);
	memset(&own, 0, sizeof(own));
	hdmpiOptionsHost(own.host, sizeof(own.host));
	if (placeNode(world, place->rank, &own.node) < 0)
		isBad = 1;
	all = calloc((size_t)place->size, sizeof(*all));
	isBad |= !all;
	if (PMPI_Allreduce(&isBad, &isAnyBad, 1, MPI_INT, MPI_MAX, world) !=
		    MPI_SUCCESS ||
	    isAnyBad ||
	    PMPI_Allgather(&own, (int)sizeof(own), MPI_BYTE, all,
			   (int)sizeof(own), MPI_BYTE, world) != MPI_SUCCESS) {
		free(all);
		return -1;
	}
	while (!isSameHost(&all[leader], &own))
		leader++;
	place->isAlone = true;
	for (int i = 0; i < place->size; i++)
		place->isAlone &= isSameHost(&all[i], &own);
	place->isLeader = leader == place->rank;
	place->leader = leader;
	/* Leaders of other hosts with this name that come before ours. */
	for (int i = 0; i < leader; i++) {
		bool isFirst = strcmp(all[i].host, own.host) == 0;

		for (int j = 0; isFirst && j < i; j++)
			isFirst = !isSameHost(&all[i], &all[j]);
		before += isFirst;
	}
	placeName(place, all, own.host, before);
	free(all);
	return 0;
}
