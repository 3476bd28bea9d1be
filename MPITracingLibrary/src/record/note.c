/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the wrappers record of messages and collective calls. */
#include "config.h"

#include "MPITracingLibrary/src/record/verbs.h"

int hdmpiNoRank(int rank)
{
	/* MPI libraries have these numbers, too, for other things. */
	if (rank == MPI_ANY_SOURCE)
		return -1;
	if (rank == MPI_PROC_NULL)
		return -2;
	return rank == MPI_ROOT ? -3 : rank;
}

/* ---- Data -------------------------------------------------------------------
 */

void hdmpiNoteSendData(struct hdmpiCall *call, int64_t count,
		       MPI_Datatype datatype)
{
	struct hdmpiType type;

	if (!hdmpiTypeGet(call->self, datatype, &type))
		return;
	hdmpiNoteNumbers(call, "size count sendTid", count * type.size, count,
			 type.id);
}

void hdmpiNoteRoom(struct hdmpiCall *call, int64_t count, MPI_Datatype datatype)
{
	struct hdmpiType type;

	hdmpiNoteNumber(call, "count", count);
	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumber(call, "tid", type.id);
}

void hdmpiNoteReceives(struct hdmpiCall *call, int64_t count,
		       MPI_Datatype datatype)
{
	struct hdmpiType type;

	if (!hdmpiTypeGet(call->self, datatype, &type))
		return;
	hdmpiNoteNumbers(call, "recvSize recvCount recvTid", count * type.size,
			 count, type.id);
}

void hdmpiNoteSends(struct hdmpiCall *call, const void *buffer, int64_t count,
		    MPI_Datatype datatype)
{
	if (!hdmpiIsInPlace(buffer))
		hdmpiNoteData(call, count, datatype);
}

void hdmpiNoteProbed(struct hdmpiCall *call, int flag, const MPI_Status *status)
{
	hdmpiNoteNumber(call, "flag", flag != 0);
	if (flag)
		hdmpiNoteReceived(call, status);
}

void hdmpiNoteReceivedToo(struct hdmpiCall *call, const MPI_Status *status,
			  int64_t count, MPI_Datatype datatype)
{
	struct hdmpiType type;
	MPI_Count size = 0;

	hdmpiNoteFrom(call, status->MPI_SOURCE, status->MPI_TAG);
	PMPI_Get_elements_x(status, MPI_BYTE, &size);
	hdmpiNoteNumbers(call, "recvSize recvCount", size, count);
	if (hdmpiTypeGet(call->self, datatype, &type))
		hdmpiNoteNumber(call, "recvTid", type.id);
}

void hdmpiNoteOp(struct hdmpiCall *call, MPI_Op op)
{
	/* Open MPI's are addresses that are known when it is loaded. */
	static const struct {
		MPI_Op op;
		const char *name;
	} known[] = {
		{ MPI_SUM, "SUM" },         { MPI_MAX, "MAX" },
		{ MPI_MIN, "MIN" },         { MPI_PROD, "PROD" },
		{ MPI_LAND, "LAND" },       { MPI_BAND, "BAND" },
		{ MPI_LOR, "LOR" },         { MPI_BOR, "BOR" },
		{ MPI_LXOR, "LXOR" },       { MPI_BXOR, "BXOR" },
		{ MPI_MINLOC, "MINLOC" },   { MPI_MAXLOC, "MAXLOC" },
		{ MPI_REPLACE, "REPLACE" }, { MPI_NO_OP, "NO_OP" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].op == op) {
			hdmpiNoteText(call, "op", known[i].name);
			return;
		}
}

/* ---- Collective -------------------------------------------------------------
 */

int hdmpiPeers(MPI_Comm comm)
{
	int isInter = 0, size = 0;

	PMPI_Comm_test_inter(comm, &isInter);
	if (isInter)
		PMPI_Comm_remote_size(comm, &size);
	else
		PMPI_Comm_size(comm, &size);
	return size;
}

static int neighborKind(MPI_Comm comm)
{
	int kind = MPI_UNDEFINED;

	PMPI_Topo_test(comm, &kind);
	return kind;
}

/* Arguments have a place for each end of a Cartesian topology, though there is
 * nobody at those that are not periodic. */
static bool neighborIsThere(MPI_Comm comm, int kind, int number)
{
	int before = MPI_PROC_NULL, after = MPI_PROC_NULL;

	if (kind != MPI_CART)
		return true;
	PMPI_Cart_shift(comm, number / 2, 1, &before, &after);
	return (number % 2 ? after : before) != MPI_PROC_NULL;
}

static void neighbors(MPI_Comm comm, int *sources, int *targets)
{
	int kind = neighborKind(comm), rank, weighted;

	*sources = *targets = 0;
	PMPI_Comm_rank(comm, &rank);
	if (kind == MPI_CART) {
		PMPI_Cartdim_get(comm, sources);
		*sources *= 2;
		*targets = *sources;
	} else if (kind == MPI_GRAPH) {
		PMPI_Graph_neighbors_count(comm, rank, sources);
		*targets = *sources;
	} else if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, sources, targets,
						&weighted);
	}
}

int hdmpiTargets(MPI_Comm comm)
{
	int sources, targets;

	neighbors(comm, &sources, &targets);
	return targets;
}

int hdmpiSources(MPI_Comm comm)
{
	int sources, targets;

	neighbors(comm, &sources, &targets);
	return sources;
}

/* Whether this process is the root, whose arguments hold. */
static bool isRoot(int root, MPI_Comm comm)
{
	int isInter = 0, rank;

	PMPI_Comm_test_inter(comm, &isInter);
	if (isInter)
		return root == MPI_ROOT;
	PMPI_Comm_rank(comm, &rank);
	return rank == root;
}

/* In the root's group of an intercommunicator nobody sends to the root. */
static bool mpiNoteIsLeaf(int root)
{
	return root != MPI_ROOT && root != MPI_PROC_NULL;
}

static int64_t mpiNoteSumCounts(struct hdmpiCounts counts, int n)
{
	int64_t total = 0;

	for (int i = 0; i < n; i++)
		total += counts.large ? counts.large[i] : counts.small[i];
	return total;
}

/* Bytes of different datatypes. */
static int64_t sumW(struct hdmpiCall *call, struct hdmpiCounts counts,
		    const MPI_Datatype datatypes[], int n)
{
	int64_t total = 0;
	struct hdmpiType type;

	for (int i = 0; datatypes && i < n; i++) {
		int64_t count =
			counts.large ? counts.large[i] : counts.small[i];

		if (count > 0 && hdmpiTypeGet(call->self, datatypes[i], &type))
			total += count * type.size;
	}
	return total;
}

void hdmpiNoteLeafSends(struct hdmpiCall *call, const void *buffer,
			int64_t count, MPI_Datatype datatype, int root)
{
	if (mpiNoteIsLeaf(root))
		hdmpiNoteSends(call, buffer, count, datatype);
}

void hdmpiNoteRooted(struct hdmpiCall *call, int64_t count,
		     MPI_Datatype datatype, int root)
{
	if (root != MPI_PROC_NULL)
		hdmpiNoteData(call, count, datatype);
}

void hdmpiNoteLeafReceives(struct hdmpiCall *call, const void *buffer,
			   int64_t count, MPI_Datatype datatype, int root)
{
	if (mpiNoteIsLeaf(root) && !hdmpiIsInPlace(buffer))
		hdmpiNoteReceives(call, count, datatype);
}

void hdmpiNoteRootSends(struct hdmpiCall *call, const void *buffer,
			int64_t count, MPI_Datatype datatype, int root,
			MPI_Comm comm)
{
	if (isRoot(root, comm))
		hdmpiNoteSends(call, buffer, count, datatype);
}

void hdmpiNoteRootReceives(struct hdmpiCall *call, const void *buffer,
			   int64_t count, MPI_Datatype datatype, int root,
			   MPI_Comm comm)
{
	(void)buffer;
	if (isRoot(root, comm))
		hdmpiNoteReceives(call, count, datatype);
}

void hdmpiNoteRootSendsV(struct hdmpiCall *call, const void *buffer,
			 struct hdmpiCounts counts, MPI_Datatype datatype,
			 int root, MPI_Comm comm)
{
	(void)buffer;
	if (isRoot(root, comm))
		hdmpiNoteData(call, mpiNoteSumCounts(counts, hdmpiPeers(comm)),
			      datatype);
}

void hdmpiNoteRootReceivesV(struct hdmpiCall *call, const void *buffer,
			    struct hdmpiCounts counts, MPI_Datatype datatype,
			    int root, MPI_Comm comm)
{
	(void)buffer;
	if (isRoot(root, comm))
		hdmpiNoteReceives(call,
				  mpiNoteSumCounts(counts, hdmpiPeers(comm)),
				  datatype);
}

void hdmpiNoteDataV(struct hdmpiCall *call, struct hdmpiCounts counts,
		    MPI_Datatype datatype, MPI_Comm comm)
{
	int size = 0;

	PMPI_Comm_size(comm, &size);
	hdmpiNoteData(call, mpiNoteSumCounts(counts, size), datatype);
}

void hdmpiNoteDataTimes(struct hdmpiCall *call, int64_t count,
			MPI_Datatype datatype, MPI_Comm comm)
{
	int size = 0;

	PMPI_Comm_size(comm, &size);
	hdmpiNoteData(call, count * size, datatype);
}

void hdmpiNoteSendsV(struct hdmpiCall *call, const void *buffer,
		     struct hdmpiCounts counts, MPI_Datatype datatype,
		     MPI_Comm comm)
{
	if (!hdmpiIsInPlace(buffer))
		hdmpiNoteData(call, mpiNoteSumCounts(counts, hdmpiPeers(comm)),
			      datatype);
}

void hdmpiNoteReceivesV(struct hdmpiCall *call, struct hdmpiCounts counts,
			MPI_Datatype datatype, MPI_Comm comm)
{
	hdmpiNoteReceives(call, mpiNoteSumCounts(counts, hdmpiPeers(comm)),
			  datatype);
}

void hdmpiNoteSendsW(struct hdmpiCall *call, const void *buffer,
		     struct hdmpiCounts counts, const MPI_Datatype datatypes[],
		     MPI_Comm comm)
{
	if (!hdmpiIsInPlace(buffer))
		hdmpiNoteNumber(
			call, "size",
			sumW(call, counts, datatypes, hdmpiPeers(comm)));
}

void hdmpiNoteReceivesW(struct hdmpiCall *call, struct hdmpiCounts counts,
			const MPI_Datatype datatypes[], MPI_Comm comm)
{
	hdmpiNoteNumber(call, "recvSize",
			sumW(call, counts, datatypes, hdmpiPeers(comm)));
}

/* Add up the counts of the neighbours that there are; with datatypes, their
 * bytes. */
static int64_t neighborSum(struct hdmpiCall *call, struct hdmpiCounts counts,
			   const MPI_Datatype datatypes[], int n, MPI_Comm comm)
{
	int kind = neighborKind(comm);
	int64_t total = 0;

	for (int i = 0; i < n; i++) {
		struct hdmpiCounts one = counts;

		if (!neighborIsThere(comm, kind, i))
			continue;
		if (one.large)
			one.large += i;
		else
			one.small += i;
		total += datatypes ? sumW(call, one, datatypes + i, 1)
				   : mpiNoteSumCounts(one, 1);
	}
	return total;
}

void hdmpiNoteNeighborSendsV(struct hdmpiCall *call, struct hdmpiCounts counts,
			     MPI_Datatype datatype, MPI_Comm comm)
{
	hdmpiNoteData(call,
		      neighborSum(call, counts, NULL, hdmpiTargets(comm), comm),
		      datatype);
}

void hdmpiNoteNeighborReceivesV(struct hdmpiCall *call,
				struct hdmpiCounts counts,
				MPI_Datatype datatype, MPI_Comm comm)
{
	hdmpiNoteReceives(
		call, neighborSum(call, counts, NULL, hdmpiSources(comm), comm),
		datatype);
}

void hdmpiNoteNeighborSendsW(struct hdmpiCall *call, struct hdmpiCounts counts,
			     const MPI_Datatype datatypes[], MPI_Comm comm)
{
	int n = datatypes ? hdmpiTargets(comm) : 0;

	hdmpiNoteNumber(call, "size",
			neighborSum(call, counts, datatypes, n, comm));
}

void hdmpiNoteNeighborReceivesW(struct hdmpiCall *call,
				struct hdmpiCounts counts,
				const MPI_Datatype datatypes[], MPI_Comm comm)
{
	int n = datatypes ? hdmpiSources(comm) : 0;

	hdmpiNoteNumber(call, "recvSize",
			neighborSum(call, counts, datatypes, n, comm));
}

/* ---- What stays in place ----------------------------------------------------
 */

/* Bytes of the count that is this process's own. */
static int64_t ownSize(struct hdmpiCall *call, struct hdmpiCounts counts,
		       MPI_Datatype datatype, MPI_Comm comm)
{
	struct hdmpiType type;
	int rank = 0;

	PMPI_Comm_rank(comm, &rank);
	if (!hdmpiTypeGet(call->self, datatype, &type))
		return 0;
	return type.size *
	       (counts.large ? counts.large[rank] : counts.small[rank]);
}

void hdmpiNoteInPlaceV(struct hdmpiCall *call, const void *buffer,
		       struct hdmpiCounts counts, MPI_Datatype datatype,
		       MPI_Comm comm)
{
	if (hdmpiIsInPlace(buffer))
		hdmpiNoteNumbers(call, "inPlace ownSize", 1,
				 ownSize(call, counts, datatype, comm));
	else
		hdmpiNoteNumber(call, "inPlace", 0);
}

void hdmpiNoteInPlaceW(struct hdmpiCall *call, const void *buffer,
		       struct hdmpiCounts counts,
		       const MPI_Datatype datatypes[], MPI_Comm comm)
{
	int rank = 0;

	PMPI_Comm_rank(comm, &rank);
	hdmpiNoteInPlaceV(call, buffer, counts,
			  datatypes && hdmpiIsInPlace(buffer)
				  ? datatypes[rank]
				  : MPI_DATATYPE_NULL,
			  comm);
}

void hdmpiNoteGetsV(struct hdmpiCall *call, struct hdmpiCounts counts,
		    MPI_Datatype datatype, MPI_Comm comm)
{
	hdmpiNoteNumber(call, "recvSize",
			ownSize(call, counts, datatype, comm));
}

void hdmpiNoteDegrees(struct hdmpiCall *call, MPI_Comm comm)
{
	int sources, targets;

	int kind = neighborKind(comm), known;

	neighbors(comm, &sources, &targets);
	known = targets;
	for (int i = 0; kind == MPI_CART && i < known; i++)
		if (!neighborIsThere(comm, kind, i)) {
			sources--;
			targets--;
		}
	hdmpiNoteNumbers(call, "sources targets", sources, targets);
}
