/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which thread runs on which CPU; see execute.h.
 *
 * Processes of a host that may run on the same CPUs share them out: PEs take
 * those from the first on. Where there are three or more, and one is left, it
 * is for those who move data sets.
 */
#include "config.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/execution/execute.h"

/* What processes of a host tell each other. */
struct share {
	cpu_set_t cpus;
	uint32_t workers;
};

/* PEs of those before this one that have the same CPUs, and of all of them. */
static void placementCountPes(const struct share *shares, int size, int rank,
			      uint32_t *before, uint32_t *all)
{
	for (int r = 0; r < size; r++) {
		if (!CPU_EQUAL(&shares[r].cpus, &shares[rank].cpus))
			continue;
		*all += shares[r].workers;
		if (r < rank)
			*before += shares[r].workers;
	}
}

static int nth(const cpu_set_t *cpus, uint32_t number)
{
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus) && number-- == 0)
			return (int)cpu;
	}
	return -1;
}

void hdExecutePin(int cpu)
{
	cpu_set_t one;

	if (cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	/* Where that is forbidden the kernel says where it runs. */
	sched_setaffinity(0, sizeof(one), &one);
}

void hdExecutePinAll(const int *cpus, uint32_t count)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (uint32_t i = 0; i < count; i++)
		CPU_SET((size_t)cpus[i], &all);
	sched_setaffinity(0, sizeof(all), &all);
}

static void placementSpreadPes(struct hdExecution *self,
			       const struct share *shares, int size, int rank)
{
	uint32_t cpus = (uint32_t)CPU_COUNT(&shares[rank].cpus);
	uint32_t before = 0, all = 0;

	placementCountPes(shares, size, rank, &before, &all);
	if (cpus == 0)
		return;
	self->hasOwnCpus = all <= cpus;
	if (all > cpus && before == 0)
		fprintf(stderr,
			"hdexecute: node %s: %u PEs share %u CPUs; check "
			"whether mpiexec binds processes\n",
			self->plan.platform->serverIds[self->plan.server], all,
			cpus);
	for (uint32_t w = 0; w < self->workerCount; w++)
		self->workers[w].cpu =
			nth(&shares[rank].cpus, (before + w) % cpus);
	if (cpus >= 3 && cpus > all)
		hdExecutePin(nth(&shares[rank].cpus, cpus - 1));
}

/* Ask all processes of this host. */
static struct share *placementGatherShares(struct share *own, int *size,
					   int *rank)
{
	struct share *shares;
	MPI_Comm host;

	if (sched_getaffinity(0, sizeof(own->cpus), &own->cpus) < 0)
		CPU_ZERO(&own->cpus);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &host);
	MPI_Comm_size(host, size);
	MPI_Comm_rank(host, rank);
	shares = calloc((size_t)*size, sizeof(*shares));
	if (!shares)
		hdExecuteAbort("not enough memory for communication between "
			       "processes");
	MPI_Allgather(own, sizeof(*own), MPI_BYTE, shares, sizeof(*own),
		      MPI_BYTE, host);
	MPI_Comm_free(&host);
	return shares;
}

void hdExecutePlace(struct hdExecution *self)
{
	struct share own = { .workers = self->workerCount };
	struct share *shares;
	int size, rank;

	shares = placementGatherShares(&own, &size, &rank);
	self->isHostLeader = rank == 0;
	placementSpreadPes(self, shares, size, rank);
	free(shares);
}

uint32_t hdExecuteDefaultPes(void)
{
	uint32_t cpus, before = 0, all = 0;
	struct share own = { .workers = 1 };
	struct share *shares;
	int size, rank;

	shares = placementGatherShares(&own, &size, &rank);
	placementCountPes(shares, size, rank, &before, &all);
	free(shares);
	cpus = (uint32_t)CPU_COUNT(&own.cpus);
	if (cpus >= 3)
		cpus--;
	return cpus > all ? cpus / all : 1;
}
