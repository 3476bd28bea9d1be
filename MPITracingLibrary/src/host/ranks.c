/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ranks that are recorded; see ranks.h. */
#include "config.h"

#include <stdlib.h>

#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/host/presence.h"
#include "MPITracingLibrary/src/host/ranks.h"

/* Not used by what MPI libraries send on the same communicator. */
#define RANKS_TAG 24571

/* Numbers of recorded ranks; NULL: all are recorded. */
static int *ranksNumbers;

/* Put the ranks that are not missing behind each other; returns how many. */
static int ranksInvert(const int *missing, int count, int size, int *there)
{
	int found = 0, at = 0;

	for (int rank = 0; rank < size; rank++)
		if (at < count && missing[at] == rank)
			at++;
		else
			there[found++] = rank;
	return found;
}

/* Say which ranks are missing; the lowest recorded one does. */
static void ranksTell(const int *missing, int count, int size, bool isRecorded)
{
	hdmpiLossSay("%s%d of %d ranks %s run without libhdMPI, the first is "
		     "rank %d; run all programs with hdmpirun, or build them "
		     "with hdmpicc",
		     isRecorded ? "" : "nothing is recorded: ", count, size,
		     isRecorded ? "are not recorded: they" : "", missing[0]);
}

static int ranksOpenSome(MPI_Comm all, const int *there, int count,
			 MPI_Comm *world)
{
	MPI_Group whole, part;
	int ret;

	if (PMPI_Comm_group(all, &whole) != MPI_SUCCESS)
		return -1;
	ret = PMPI_Group_incl(whole, count, there, &part);
	if (ret == MPI_SUCCESS) {
		ret = PMPI_Comm_create_group(all, part, RANKS_TAG, world);
		PMPI_Group_free(&part);
	}
	PMPI_Group_free(&whole);
	return ret == MPI_SUCCESS ? 0 : -1;
}

/* Where some are missing. */
static int ranksOpenPresent(MPI_Comm all, const int *missing, int count,
			    bool isOfSession, MPI_Comm *world)
{
	int rank, size, found, *there, ret = -1;
	bool isThere = false;

	PMPI_Comm_rank(all, &rank);
	PMPI_Comm_size(all, &size);
	there = calloc((size_t)size, sizeof(*there));
	if (!there)
		return -1;
	found = ranksInvert(missing, count, size, there);
	for (int i = 0; i < found; i++)
		isThere |= there[i] == rank;
	if (isThere && rank == there[0])
		ranksTell(missing, count, size, !isOfSession);
	if (isThere && !isOfSession)
		ret = ranksOpenSome(all, there, found, world);
	if (ret < 0)
		free(there);
	else
		ranksNumbers = there;
	return ret;
}

int hdmpiRanksOpen(MPI_Comm all, bool isOfSession, MPI_Comm *world)
{
	int *missing, size, count, ret;

	PMPI_Comm_size(all, &size);
	missing = calloc((size_t)size, sizeof(*missing));
	count = missing ? hdmpiPresenceMissing(size, missing) : 0;
	if (count == 0)
		ret = PMPI_Comm_dup(all, world) == MPI_SUCCESS ? 0 : -1;
	else
		ret = ranksOpenPresent(all, missing, count, isOfSession, world);
	free(missing);
	/* Others on this host may still look for one that does not take part.
	 */
	if (ret == 0)
		hdmpiPresenceEnd();
	else
		hdmpiPresenceLeave();
	return ret;
}

int hdmpiRanksNumber(int rank)
{
	return ranksNumbers ? ranksNumbers[rank] : rank;
}

void hdmpiRanksClose(void)
{
	free(ranksNumbers);
	ranksNumbers = NULL;
}
