/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Collective calls in time-independent traces: as actions of SMPI, or as
 * messages.
 *
 * As messages, by the ranks of the group, a blocking call is
 *
 *   Barrier                     dissemination: log2(n) rounds of empty messages
 *   Bcast, Reduce               a binomial tree
 *   Allreduce                   Reduce to the first rank, and Bcast from there
 *   Gather, Scatter (v)         all with the root, at the same time
 *   Allgather (v)               a ring of n-1 steps
 *   Alltoall (v, w)             n-1 exchanges of pairs
 *   Reduce_scatter (block)      the same, of an nth of the data each
 *   Scan, Exscan                a chain
 *   Neighbor_...                an exchange with the rank before and the rank
 *                               behind: who the neighbours are is not recorded
 *
 * and one that a request completes begins all of its messages at once: those of
 * Gather, Scatter, Alltoall, Reduce_scatter, Scan and neighbours are the same;
 * Bcast sends to all from the root, Reduce from all to the root, Barrier and
 * Allgather from all to all, and Allreduce from all to all two nths of the
 * data, which is as much as reducing and gathering nths. Where only the total
 * of a rank is recorded (v, w), all others get equal parts of it.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/ti/tiinside.h"

/** An operation. */
struct operation {
	const char *action;    /**< NULL: SMPI has none. */
	const char *algorithm; /**< As messages. */
	const char *begun;     /**< The same, begun at once. */
};

static const struct operation operations[TI_OPERATIONS] = {
	[TI_BARRIER] = { "barrier", "isend irecv wait (dissemination)",
			 "isend irecv wait (all to all)" },
	[TI_BCAST] = { "bcast", "send recv (binomial tree)",
		       "isend irecv wait (from the root)" },
	[TI_REDUCE] = { "reduce", "send recv (binomial tree)",
			"isend irecv wait (to the root)" },
	[TI_ALLREDUCE] = { "allreduce", "send recv (binomial trees)",
			   "isend irecv wait (all to all)" },
	[TI_GATHER] = { "gather", "isend irecv wait (to the root)",
			"isend irecv wait (to the root)" },
	[TI_GATHERV] = { "gatherv", "isend irecv wait (to the root)",
			 "isend irecv wait (to the root)" },
	[TI_SCATTER] = { "scatter", "isend irecv wait (from the root)",
			 "isend irecv wait (from the root)" },
	[TI_SCATTERV] = { "scatterv", "isend irecv wait (from the root)",
			  "isend irecv wait (from the root)" },
	[TI_ALLGATHER] = { "allgather", "isend irecv wait (ring)",
			   "isend irecv wait (all to all)" },
	[TI_ALLGATHERV] = { "allgatherv", "isend irecv wait (ring)",
			    "isend irecv wait (all to all)" },
	[TI_ALLTOALL] = { "alltoall", "isend irecv wait (pairs)",
			  "isend irecv wait (all to all)" },
	[TI_ALLTOALLV] = { "alltoallv", "isend irecv wait (pairs)",
			   "isend irecv wait (all to all)" },
	[TI_ALLTOALLW] = { NULL, "isend irecv wait (pairs)",
			   "isend irecv wait (all to all)" },
	[TI_REDUCE_SCATTER] = { "reducescatter", "isend irecv wait (pairs)",
				"isend irecv wait (all to all)" },
	[TI_REDUCE_SCATTER_BLOCK] = { "reducescatter",
				      "isend irecv wait (pairs)",
				      "isend irecv wait (all to all)" },
	[TI_SCAN] = { "scan", "send recv (chain)", "send recv (chain)" },
	[TI_EXSCAN] = { "exscan", "send recv (chain)", "send recv (chain)" },
	[TI_NEIGHBOR_ALLGATHER] = { NULL, "isend irecv wait (ring)",
				    "isend irecv wait (ring)" },
	[TI_NEIGHBOR_ALLGATHERV] = { NULL, "isend irecv wait (ring)",
				     "isend irecv wait (ring)" },
	[TI_NEIGHBOR_ALLTOALL] = { NULL, "isend irecv wait (ring)",
				   "isend irecv wait (ring)" },
	[TI_NEIGHBOR_ALLTOALLV] = { NULL, "isend irecv wait (ring)",
				    "isend irecv wait (ring)" },
	[TI_NEIGHBOR_ALLTOALLW] = { NULL, "isend irecv wait (ring)",
				    "isend irecv wait (ring)" },
};

/** The functions, in all their forms. */
static const struct {
	const char *name;
	enum tiOperation operation;
	enum tiForm form;
} forms[] = {
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#define MPI_OPERATION(name, OPERATION, FORM) \
	{ name, TI_##OPERATION, TI_##FORM },
#include "HDTraceTools/model/mpi/functions.h"
};

bool tiFindOperation(const char *name, enum tiOperation *operation,
		     enum tiForm *form)
{
	for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
		if (strcmp(forms[i].name, name) != 0)
			continue;
		*operation = forms[i].operation;
		*form = forms[i].form;
		return true;
	}
	return false;
}

const char *tiActionOf(enum tiOperation operation)
{
	return operations[operation].action;
}

const char *tiAlgorithmOf(enum tiOperation operation, bool isBegun)
{
	return isBegun ? operations[operation].begun
		       : operations[operation].algorithm;
}

/* ---- SMPI's own -------------------------------------------------------- */

static int64_t tiCollectiveCount(const struct tiCall *call)
{
	return call->group->globals->len;
}

/** Whether a group is all ranks, in their order. */
static bool tiCollectiveIsAll(const struct ti *ti,
			      const struct messageGroup *group)
{
	if (group->remotes || group->globals->len != ti->count)
		return false;
	for (guint i = 0; i < group->globals->len; i++) {
		if (g_array_index(group->globals, int64_t, i) != i)
			return false;
	}
	return true;
}

/** Each rank decides by what all know. */
bool tiIsNative(const struct ti *ti, const struct tiCall *call)
{
	int64_t all = tiCollectiveCount(call);

	if (!operations[call->operation].action ||
	    !tiCollectiveIsAll(ti, call->group))
		return false;
	switch (call->operation) {
	case TI_GATHER:
	case TI_SCATTER:
	case TI_ALLGATHER:
	case TI_ALLTOALL:
		return MAX(call->size, call->got) <= TI_SIZE_MAX / all;
	case TI_GATHERV:
	case TI_SCATTERV:
	case TI_ALLGATHERV:
	case TI_ALLTOALLV:
		return true;
	default:
		return call->size <= TI_SIZE_MAX;
	}
}

static void tiCollectiveJoin(struct tiRank *self, const struct tiCall *call)
{
	struct tiJoined joined = {
		.given = call->size,
		.got = call->got,
		.root = call->root,
		.operation = call->operation,
	};

	tiPutPending(self);
	joined.offset = tiTextLength(&self->text);
	g_array_append_val(self->joined, joined);
}

void tiPutNative(struct tiRank *self, const struct tiCall *call)
{
	const char *action = operations[call->operation].action;

	switch (call->operation) {
	case TI_BARRIER:
		tiPutText(self, action, NULL);
		break;
	case TI_BCAST:
		TI_PUT(self, action, call->size, call->root);
		break;
	case TI_REDUCE:
		TI_PUT(self, action, call->size, 0, call->root);
		break;
	case TI_ALLREDUCE:
	case TI_SCAN:
	case TI_EXSCAN:
		TI_PUT(self, action, call->size, 0);
		break;
	case TI_GATHER:
	case TI_SCATTER:
		TI_PUT(self, action, call->size, call->got, call->root);
		break;
	case TI_ALLGATHER:
	case TI_ALLTOALL:
		TI_PUT(self, action, call->size, call->got);
		break;
	default:
		tiCollectiveJoin(self, call);
		break;
	}
}

static const struct tiJoined *tiCollectiveAt(const struct ti *ti, size_t rank,
					     guint number)
{
	return &g_array_index(ti->ranks[rank].joined, struct tiJoined, number);
}

/** What a rank gives another one in Alltoallv: by what each gets in all. */
static int64_t tiCollectivePart(const struct ti *ti, guint number, size_t from,
				size_t to, int64_t all)
{
	__int128 given = tiCollectiveAt(ti, from, number)->given;

	return all > 0 ? (int64_t)(given * tiCollectiveAt(ti, to, number)->got /
				   all)
		       : 0;
}

static void tiCollectivePrintAll(const struct ti *ti, size_t rank, guint number,
				 FILE *out)
{
	int64_t all = 0, sums[2] = { 0, 0 };

	for (size_t i = 0; i < ti->count; i++)
		all += tiCollectiveAt(ti, i, number)->got;
	for (size_t i = 0; i < ti->count; i++) {
		sums[0] += tiCollectivePart(ti, number, rank, i, all);
		sums[1] += tiCollectivePart(ti, number, i, rank, all);
	}
	fprintf(out, " %" PRId64, sums[0]);
	for (size_t i = 0; i < ti->count; i++)
		fprintf(out, " %" PRId64,
			tiCollectivePart(ti, number, rank, i, all));
	fprintf(out, " %" PRId64, sums[1]);
	for (size_t i = 0; i < ti->count; i++)
		fprintf(out, " %" PRId64,
			tiCollectivePart(ti, number, i, rank, all));
}

/** What all give, or get. */
static void tiCollectivePrintEach(const struct ti *ti, guint number,
				  bool isGiven, FILE *out)
{
	for (size_t i = 0; i < ti->count; i++) {
		const struct tiJoined *each = tiCollectiveAt(ti, i, number);

		fprintf(out, " %" PRId64, isGiven ? each->given : each->got);
	}
}

/** Whether a rank has more bytes in one action than SMPI counts: what all give
 *  or get, but in Alltoallv what it gives or gets itself. */
bool tiIsTooLarge(const struct ti *ti, guint number)
{
	int64_t given = 0, got = 0, most = 0;

	for (size_t i = 0; i < ti->count; i++) {
		const struct tiJoined *each = tiCollectiveAt(ti, i, number);

		most = MAX(most, MAX(each->given, each->got));
		given += MIN(each->given, TI_SIZE_MAX + 1);
		got += MIN(each->got, TI_SIZE_MAX + 1);
	}
	switch (tiCollectiveAt(ti, 0, number)->operation) {
	case TI_GATHERV:
	case TI_ALLGATHERV:
		return given > TI_SIZE_MAX;
	case TI_ALLTOALLV:
		return most > TI_SIZE_MAX;
	default:
		return got > TI_SIZE_MAX;
	}
}

void tiPrintJoined(const struct ti *ti, size_t rank, guint number, FILE *out)
{
	const struct tiJoined *own = tiCollectiveAt(ti, rank, number);

	fprintf(out, "%s%s", ti->ranks[rank].prefix,
		operations[own->operation].action);
	switch (own->operation) {
	case TI_GATHERV:
		fprintf(out, " %" PRId64, own->given);
		tiCollectivePrintEach(ti, number, true, out);
		fprintf(out, " %" PRId64, own->root);
		break;
	case TI_SCATTERV:
		tiCollectivePrintEach(ti, number, false, out);
		fprintf(out, " %" PRId64 " %" PRId64, own->got, own->root);
		break;
	case TI_ALLGATHERV:
		fprintf(out, " %" PRId64, own->given);
		tiCollectivePrintEach(ti, number, true, out);
		break;
	case TI_ALLTOALLV:
		tiCollectivePrintAll(ti, rank, number, out);
		break;
	default:
		tiCollectivePrintEach(ti, number, false, out);
		fputs(" 0", out);
		break;
	}
	fputc('\n', out);
}

/* ---- Messages ---------------------------------------------------------- */

/** The rank among all of a rank of the group, from any number on. */
static int64_t tiCollectiveGlobal(const struct tiCall *call, int64_t rank)
{
	int64_t count = tiCollectiveCount(call);

	return g_array_index(call->group->globals, int64_t,
			     (guint)((rank % count + count) % count));
}

/** Bytes for a message to each other rank, and from it. */
struct share {
	int64_t sent;
	int64_t received;
};

static struct share tiCollectiveShare(const struct tiCall *call)
{
	int64_t count = tiCollectiveCount(call);

	switch (call->operation) {
	case TI_GATHERV:
		return (struct share){ MIN(call->size, TI_SIZE_ANY),
				       TI_SIZE_ANY };
	case TI_SCATTERV:
	case TI_ALLTOALLV:
	case TI_ALLTOALLW:
	case TI_ALLGATHERV:
		return (struct share){ MIN(call->operation == TI_ALLGATHERV
						   ? call->size
						   : call->size / count,
					   TI_SIZE_ANY),
				       TI_SIZE_ANY };
	case TI_REDUCE_SCATTER:
	case TI_REDUCE_SCATTER_BLOCK:
		return (struct share){ call->size / count, call->size / count };
	case TI_NEIGHBOR_ALLGATHERV:
	case TI_NEIGHBOR_ALLTOALLV:
	case TI_NEIGHBOR_ALLTOALLW:
		return (struct share){ MIN(call->size / 2, TI_SIZE_ANY),
				       TI_SIZE_ANY };
	case TI_NEIGHBOR_ALLGATHER:
	case TI_NEIGHBOR_ALLTOALL:
		return (struct share){ MIN(call->size, TI_SIZE_ANY),
				       TI_SIZE_ANY };
	default:
		return (struct share){ call->size, call->size };
	}
}

/** Send to one rank of the group while receiving from another one. */
static void tiCollectiveExchange(struct tiRank *self, const struct tiCall *call,
				 int64_t to, int64_t from)
{
	GArray *pieces = g_array_new(FALSE, FALSE, sizeof(struct tiPiece));
	struct share share = tiCollectiveShare(call);

	tiPutIsend(self, tiCollectiveGlobal(call, to), call->tag, share.sent,
		   pieces);
	tiPutIrecv(self, tiCollectiveGlobal(call, from), call->tag,
		   share.received, pieces);
	tiPutWaits(self, pieces);
	g_array_unref(pieces);
}

/** The rank that counts as first, so that the root is 0. */
static int64_t tiCollectiveTurned(const struct tiCall *call, int64_t root)
{
	int64_t count = tiCollectiveCount(call);

	return (call->rank - root + count) % count;
}

static void tiCollectiveTreeDown(struct tiRank *self, const struct tiCall *call,
				 int64_t root)
{
	int64_t count = tiCollectiveCount(call), mask = 1;
	int64_t place = tiCollectiveTurned(call, root);

	while (mask < count && !(place & mask))
		mask <<= 1;
	if (mask < count)
		tiPutRecv(self, tiCollectiveGlobal(call, call->rank - mask),
			  call->tag, call->size);
	for (mask >>= 1; mask > 0; mask >>= 1) {
		if (place + mask < count)
			tiPutSend(self,
				  tiCollectiveGlobal(call, call->rank + mask),
				  call->tag, call->size);
	}
}

static void tiCollectiveTreeUp(struct tiRank *self, const struct tiCall *call,
			       int64_t root)
{
	int64_t count = tiCollectiveCount(call), mask = 1;
	int64_t place = tiCollectiveTurned(call, root);

	for (; mask < count && !(place & mask); mask <<= 1) {
		if (place + mask < count)
			tiPutRecv(self,
				  tiCollectiveGlobal(call, call->rank + mask),
				  call->tag, call->size);
	}
	if (mask < count)
		tiPutSend(self, tiCollectiveGlobal(call, call->rank - mask),
			  call->tag, call->size);
}

static void tiCollectiveChain(struct tiRank *self, const struct tiCall *call)
{
	if (call->rank > 0)
		tiPutRecv(self, tiCollectiveGlobal(call, call->rank - 1),
			  call->tag, call->size);
	if (call->rank + 1 < tiCollectiveCount(call))
		tiPutSend(self, tiCollectiveGlobal(call, call->rank + 1),
			  call->tag, call->size);
}

void tiPutMessages(struct tiRank *self, const struct tiCall *call)
{
	int64_t count = tiCollectiveCount(call);
	GArray *pieces;

	switch (call->operation) {
	case TI_BARRIER:
		for (int64_t step = 1; step < count; step <<= 1)
			tiCollectiveExchange(self, call, call->rank + step,
					     call->rank - step);
		break;
	case TI_BCAST:
		tiCollectiveTreeDown(self, call, call->root);
		break;
	case TI_REDUCE:
		tiCollectiveTreeUp(self, call, call->root);
		break;
	case TI_ALLREDUCE:
		tiCollectiveTreeUp(self, call, 0);
		tiCollectiveTreeDown(self, call, 0);
		break;
	case TI_ALLGATHER:
	case TI_ALLGATHERV:
		for (int64_t step = 1; step < count; step++)
			tiCollectiveExchange(self, call, call->rank + 1,
					     call->rank - 1);
		break;
	case TI_ALLTOALL:
	case TI_ALLTOALLV:
	case TI_ALLTOALLW:
	case TI_REDUCE_SCATTER:
	case TI_REDUCE_SCATTER_BLOCK:
		for (int64_t step = 1; step < count; step++)
			tiCollectiveExchange(self, call, call->rank + step,
					     call->rank - step);
		break;
	case TI_SCAN:
	case TI_EXSCAN:
		tiCollectiveChain(self, call);
		break;
	default:
		pieces = g_array_new(FALSE, FALSE, sizeof(struct tiPiece));
		tiPutBegun(self, call, pieces);
		tiPutWaits(self, pieces);
		g_array_unref(pieces);
		break;
	}
}

/** Whether one rank of a group sends to another one. */
static bool tiCollectiveSends(const struct tiCall *call, int64_t from,
			      int64_t to)
{
	switch (call->operation) {
	case TI_BCAST:
	case TI_SCATTER:
	case TI_SCATTERV:
		return from == call->root;
	case TI_REDUCE:
	case TI_GATHER:
	case TI_GATHERV:
		return to == call->root;
	case TI_SCAN:
	case TI_EXSCAN:
		return to == from + 1;
	default:
		return true;
	}
}

static void tiCollectiveNeighbors(struct tiRank *self,
				  const struct tiCall *call, GArray *pieces)
{
	struct share share = tiCollectiveShare(call);

	for (int side = -1; side <= 1; side += 2) {
		tiPutIsend(self, tiCollectiveGlobal(call, call->rank + side),
			   call->tag, share.sent, pieces);
		tiPutIrecv(self, tiCollectiveGlobal(call, call->rank - side),
			   call->tag, share.received, pieces);
	}
}

void tiPutBegun(struct tiRank *self, const struct tiCall *call, GArray *pieces)
{
	int64_t count = tiCollectiveCount(call);
	struct share share = tiCollectiveShare(call);

	if (call->operation >= TI_NEIGHBOR_ALLGATHER && count > 1)
		tiCollectiveNeighbors(self, call, pieces);
	if (call->operation >= TI_NEIGHBOR_ALLGATHER)
		return;
	if (call->operation == TI_ALLREDUCE)
		share.sent = share.received = 2 * call->size / count;
	for (int64_t step = 1; step < count; step++) {
		int64_t to = (call->rank + step) % count;
		int64_t from = (call->rank - step + count) % count;

		if (tiCollectiveSends(call, call->rank, to))
			tiPutIsend(self, tiCollectiveGlobal(call, to),
				   call->tag, share.sent, pieces);
		if (tiCollectiveSends(call, from, call->rank))
			tiPutIrecv(self, tiCollectiveGlobal(call, from),
				   call->tag, share.received, pieces);
	}
}
