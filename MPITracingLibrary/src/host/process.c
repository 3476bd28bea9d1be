/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where this process is. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/host/process.h"
#include "MPITracingLibrary/src/core/options.h"

/* What every process tells the others. */
struct card {
	int node; /* Lowest rank among those that share memory with it. */
	char host[HDMPI_HOST_MAX];
};

static int processNode(MPI_Comm world, int rank, int *node)
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

static bool processIsUniqueName(const struct card *all, int count,
				const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(all[i].host, name) == 0)
			return true;
	return false;
}

/* Name the one of several hosts of a name that so many come before: by a number
 * that makes no name that another host has. */
static void processName(struct hdmpiProcess *process, const struct card *all,
			const char *name, int before)
{
	snprintf(process->host, sizeof(process->host), "%s", name);
	for (int number = 2; before > 0; number++) {
		snprintf(process->host, sizeof(process->host), "%s-%d", name,
			 number);
		if (!processIsUniqueName(all, process->size, process->host))
			before--;
	}
}

int hdmpiProcessFind(MPI_Comm world, struct hdmpiProcess *process)
{
	struct card own, *all;
	int isBad = 0, isAnyBad = 1, leader = 0, before = 0;

	PMPI_Comm_rank(world, &process->rank);
	PMPI_Comm_size(world, &process->size);
	memset(&own, 0, sizeof(own));
	hdmpiOptionsHost(own.host, sizeof(own.host));
	if (processNode(world, process->rank, &own.node) < 0)
		isBad = 1;
	all = calloc((size_t)process->size, sizeof(*all));
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
	process->isAlone = true;
	for (int i = 0; i < process->size; i++)
		process->isAlone &= isSameHost(&all[i], &own);
	process->isLeader = leader == process->rank;
	process->leader = leader;
	/* Leaders of other hosts with this name that come before ours. */
	for (int i = 0; i < leader; i++) {
		bool isFirst = strcmp(all[i].host, own.host) == 0;

		for (int j = 0; isFirst && j < i; j++)
			isFirst = !isSameHost(&all[i], &all[j]);
		before += isFirst;
	}
	processName(process, all, own.host, before);
	free(all);
	return 0;
}
