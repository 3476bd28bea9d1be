/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: one-sided calls of MPI.
 *
 * Operations on a window are complete with the call that synchronizes it; those
 * on the same target since then share a number. Operations with a request have
 * one of their own. Win_start and Win_post have no records of their own.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"

/** A window, as a process calls it. */
struct window {
	OTF2_RmaWinRef ref;
	bool isAllocated;
};

/** Operations that are not complete. */
struct pending {
	int64_t window;
	int64_t target;
	uint64_t matching;
};

/** One that has a request. */
struct requested {
	OTF2_RmaWinRef ref;
	uint64_t matching;
};

struct otf2Rma {
	GHashTable *windows;  /**< Number to struct window. */
	GHashTable *counts;   /**< Communicator to how many it has made. */
	GHashTable *requests; /**< Number to struct requested. */
	GArray *pending;      /**< struct pending */
	uint64_t matching;
};

/** What a function does. */
enum rmaKind {
	RMA_PUT,
	RMA_GET,
	RMA_ATOMIC,
	RMA_MAKE, /**< A window. */
	RMA_FREE,
	RMA_FENCE,
	RMA_LOCK,
	RMA_UNLOCK,
	RMA_FLUSH,
	RMA_COMPLETE, /**< Of general active target synchronization. */
	RMA_STATE,    /**< It has no records. */
};

static const struct rmaFunction {
	const char *name;
	enum rmaKind kind;
	OTF2_RmaAtomicType atomic;
	bool hasNoOrigin; /**< Nothing comes back. */
} rmaFunctions[] = {
	{ "Put", RMA_PUT, 0, false },
	{ "Rput", RMA_PUT, 0, false },
	{ "Get", RMA_GET, 0, false },
	{ "Rget", RMA_GET, 0, false },
	{ "Accumulate", RMA_ATOMIC, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, true },
	{ "Raccumulate", RMA_ATOMIC, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, true },
	{ "Get_accumulate", RMA_ATOMIC,
	  OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, false },
	{ "Rget_accumulate", RMA_ATOMIC,
	  OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, false },
	{ "Fetch_and_op", RMA_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
	  false },
	{ "Compare_and_swap", RMA_ATOMIC, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP,
	  false },
	{ "Win_create", RMA_MAKE, 0, false },
	{ "Win_create_dynamic", RMA_MAKE, 0, false },
	{ "Win_allocate", RMA_MAKE, 0, false },
	{ "Win_allocate_shared", RMA_MAKE, 0, false },
	{ "Win_free", RMA_FREE, 0, false },
	{ "Win_fence", RMA_FENCE, 0, false },
	{ "Win_lock", RMA_LOCK, 0, false },
	{ "Win_lock_all", RMA_LOCK, 0, false },
	{ "Win_unlock", RMA_UNLOCK, 0, false },
	{ "Win_unlock_all", RMA_UNLOCK, 0, false },
	{ "Win_flush", RMA_FLUSH, 0, false },
	{ "Win_flush_all", RMA_FLUSH, 0, false },
	{ "Win_complete", RMA_COMPLETE, 0, false },
};

/** The functions, by name: also in their forms for large counts. */
static gpointer rmaMakeTable(gpointer data)
{
	GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);

	(void)data;
	for (size_t i = 0; i < G_N_ELEMENTS(rmaFunctions); i++) {
		const struct rmaFunction *function = &rmaFunctions[i];

		g_hash_table_insert(table, (gpointer)function->name,
				    (gpointer)function);
		g_hash_table_insert(table,
				    g_strconcat(function->name, "_c", NULL),
				    (gpointer)function);
	}
	return table;
}

static const struct rmaFunction *rmaFind(const char *name)
{
	static const struct rmaFunction other = { NULL, RMA_STATE, 0, false };
	static GOnce once = G_ONCE_INIT;
	const struct rmaFunction *found =
		g_hash_table_lookup(g_once(&once, rmaMakeTable, NULL), name);

	return found || !g_str_has_prefix(name, "Win_") ? found : &other;
}

bool otf2RmaIsFunction(const char *name)
{
	return rmaFind(name);
}

static bool rmaNumber(const hdIRecord *record, const char *name,
		      int64_t *number)
{
	return messagesNumber(record->attributes, record->attributeCount, name,
			      number);
}

/* ---- Windows ----------------------------------------------------------- */

/** What belongs to a call, while it is written. */
struct rmaCall {
	struct otf2 *otf2;
	const hdIRecord *record;
	OTF2_TimeStamp time;
	int64_t id;   /**< Of the window, in this process. */
	int64_t rank; /**< Of the target; -1: all, or none. */
	OTF2_RmaWinRef ref;
	bool isAllocated;
};

/** The rank of a target in records: all are "undefined". */
static uint32_t rmaTarget(const struct rmaCall *call)
{
	return call->rank < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)call->rank;
}

static void rmaWrote(const struct rmaCall *call, OTF2_ErrorCode code)
{
	otf2Check(call->otf2, code);
	otf2CountEvent(call->otf2, (int64_t)call->time);
}

/** The window that a call makes; false: its communicator is not known. */
static bool rmaMake(struct rmaCall *call)
{
	struct otf2Rma *rma = call->otf2->rma;
	const struct messageGroup *group;
	struct window window = { .ref = 0 };
	unsigned int count;
	int64_t cid;

	if (!rmaNumber(call->record, "cid", &cid))
		return false;
	group = messagesGroupOf(call->otf2->messages, cid);
	if (!group)
		return false;
	count = GPOINTER_TO_UINT(g_hash_table_lookup(rma->counts, group));
	g_hash_table_insert(rma->counts, (gpointer)group,
			    GUINT_TO_POINTER(count + 1));
	window.ref = otf2WindowOf(call->otf2, group, count);
	window.isAllocated =
		g_str_has_prefix(call->record->name, "Win_allocate");
	g_hash_table_insert(rma->windows,
			    g_memdup2(&call->id, sizeof(call->id)),
			    g_memdup2(&window, sizeof(window)));
	return true;
}

/** Read a call; false: its window is not known. */
static bool rmaRead(struct otf2 *self, const hdIRecord *record, int64_t time,
		    struct rmaCall *call)
{
	const struct window *window;

	*call = (struct rmaCall){
		.otf2 = self,
		.record = record,
		.time = (OTF2_TimeStamp)time,
		.rank = -1,
	};
	if (!rmaNumber(record, "toRank", &call->rank))
		rmaNumber(record, "fromRank", &call->rank);
	if (!rmaNumber(record, "wid", &call->id))
		return false;
	window = g_hash_table_lookup(self->rma->windows, &call->id);
	if (!window)
		return false;
	call->ref = window->ref;
	call->isAllocated = window->isAllocated;
	return true;
}

/* ---- Operations -------------------------------------------------------- */

/** The number of operations that are complete together. */
static uint64_t rmaMatching(const struct rmaCall *call)
{
	struct otf2Rma *rma = call->otf2->rma;
	struct pending pending = {
		.window = call->id,
		.target = call->rank,
		.matching = rma->matching,
	};
	struct requested requested = { call->ref, rma->matching };
	int64_t request;

	if (rmaNumber(call->record, "rid", &request)) {
		g_hash_table_insert(rma->requests,
				    g_memdup2(&request, sizeof(request)),
				    g_memdup2(&requested, sizeof(requested)));
		return rma->matching++;
	}
	for (guint i = 0; i < rma->pending->len; i++) {
		const struct pending *known =
			&g_array_index(rma->pending, struct pending, i);

		if (known->window == call->id && known->target == call->rank)
			return known->matching;
	}
	g_array_append_val(rma->pending, pending);
	return rma->matching++;
}

/** Whether an operation only fetches. */
static bool rmaOnlyFetches(const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++)
		if (strcmp(record->attributes[i].name, "op") == 0)
			return strcmp(record->attributes[i].value, "NO_OP") ==
			       0;
	return false;
}

static void rmaOperate(const struct rmaCall *call,
		       const struct rmaFunction *function)
{
	OTF2_EvtWriter *events = call->otf2->events;
	uint64_t size, matching, sent;
	int64_t number = -1;

	/* MPI_PROC_NULL */
	if (call->rank < 0)
		return;
	exportLose(call->otf2->export, "unknown bytes of one-sided calls",
		   !rmaNumber(call->record, "size", &number));
	size = number < 0 ? OTF2_UNDEFINED_UINT64 : (uint64_t)number;
	sent = rmaOnlyFetches(call->record) ? 0 : size;
	matching = rmaMatching(call);
	if (function->kind == RMA_PUT)
		rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaPut(
				       events, NULL, call->time, call->ref,
				       rmaTarget(call), size, matching));
	else if (function->kind == RMA_GET)
		rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaGet(
				       events, NULL, call->time, call->ref,
				       rmaTarget(call), size, matching));
	else
		rmaWrote(call,
			 otf2Api.OTF2_EvtWriter_RmaAtomic(
				 events, NULL, call->time, call->ref,
				 rmaTarget(call), function->atomic, sent,
				 function->hasNoOrigin ? 0 : size, matching));
}

/** Operations on the target of a call, or on all, are complete. */
static void rmaCompleteAll(const struct rmaCall *call)
{
	GArray *pending = call->otf2->rma->pending;

	for (guint i = pending->len; i > 0; i--) {
		struct pending known =
			g_array_index(pending, struct pending, i - 1);

		if (known.window != call->id ||
		    (call->rank >= 0 && known.target != call->rank))
			continue;
		g_array_remove_index_fast(pending, i - 1);
		rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaOpCompleteBlocking(
				       call->otf2->events, NULL, call->time,
				       call->ref, known.matching));
	}
}

void otf2RmaComplete(struct otf2 *self, int64_t request, int64_t time)
{
	const struct requested *requested =
		g_hash_table_lookup(self->rma->requests, &request);

	if (!requested)
		return;
	otf2Check(self, otf2Api.OTF2_EvtWriter_RmaOpCompleteBlocking(
				self->events, NULL, (OTF2_TimeStamp)time,
				requested->ref, requested->matching));
	otf2CountEvent(self, time);
	g_hash_table_remove(self->rma->requests, &request);
}

/* ---- Synchronization --------------------------------------------------- */

static void rmaEndCollective(const struct rmaCall *call, OTF2_CollectiveOp op)
{
	rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaCollectiveEnd(
			       call->otf2->events, NULL, call->time, op,
			       OTF2_RMA_SYNC_LEVEL_PROCESS |
				       OTF2_RMA_SYNC_LEVEL_MEMORY,
			       call->ref, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
}

static void rmaMade(const struct rmaCall *call)
{
	rmaWrote(call,
		 otf2Api.OTF2_EvtWriter_RmaWinCreate(call->otf2->events, NULL,
						     call->time, call->ref));
	rmaEndCollective(call,
			 call->isAllocated
				 ? OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE
				 : OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

static void rmaFreed(const struct rmaCall *call)
{
	rmaCompleteAll(call);
	rmaWrote(call,
		 otf2Api.OTF2_EvtWriter_RmaWinDestroy(call->otf2->events, NULL,
						      call->time, call->ref));
	rmaEndCollective(
		call, call->isAllocated
			      ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE
			      : OTF2_COLLECTIVE_OP_DESTROY_HANDLE);
	g_hash_table_remove(call->otf2->rma->windows, &call->id);
}

static void rmaLock(const struct rmaCall *call, bool isAcquired)
{
	OTF2_EvtWriter *events = call->otf2->events;
	int64_t isExclusive = 0;
	OTF2_LockType type;

	rmaNumber(call->record, "exclusive", &isExclusive);
	type = isExclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
	if (isAcquired)
		rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaAcquireLock(
				       events, NULL, call->time, call->ref,
				       rmaTarget(call), 0, type));
	else
		rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaRequestLock(
				       events, NULL, call->time, call->ref,
				       rmaTarget(call), 0, type));
}

static void rmaUnlock(const struct rmaCall *call)
{
	rmaCompleteAll(call);
	rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaReleaseLock(
			       call->otf2->events, NULL, call->time, call->ref,
			       rmaTarget(call), 0));
}

/* ---- States ------------------------------------------------------------ */

static void rmaBeginCollective(const struct rmaCall *call)
{
	rmaWrote(call, otf2Api.OTF2_EvtWriter_RmaCollectiveBegin(
			       call->otf2->events, NULL, call->time));
}

/** Find the function of a state, and read it; NULL: it is not a one-sided call,
 * or, with @p isRead unset, one of an unknown window. */
static const struct rmaFunction *rmaOf(struct otf2 *self,
				       const hdIRecord *record, int64_t time,
				       bool isEntered, struct rmaCall *call,
				       bool *isRead)
{
	const struct rmaFunction *function = rmaFind(record->name);

	*isRead = false;
	if (!function)
		return NULL;
	*isRead = rmaRead(self, record, time, call);
	if (function->kind == RMA_MAKE && isEntered)
		*isRead = rmaNumber(record, "wid", &call->id) &&
			  rmaMake(call) && rmaRead(self, record, time, call);
	return function;
}

bool otf2RmaEnter(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	struct rmaCall call;
	bool isRead;
	const struct rmaFunction *function =
		rmaOf(self, record, time, true, &call, &isRead);

	if (!function)
		return false;
	exportLose(self->export,
		   "MPI records of general active target synchronization",
		   function->kind == RMA_COMPLETE ||
			   strcmp(record->name, "Win_start") == 0 ||
			   strcmp(record->name, "Win_post") == 0 ||
			   strcmp(record->name, "Win_wait") == 0);
	exportLose(self->export, "MPI records of unknown windows",
		   !isRead && function->kind != RMA_STATE);
	if (!isRead)
		return true;
	switch (function->kind) {
	case RMA_PUT:
	case RMA_GET:
	case RMA_ATOMIC:
		rmaOperate(&call, function);
		break;
	case RMA_MAKE:
	case RMA_FREE:
	case RMA_FENCE:
		rmaBeginCollective(&call);
		break;
	case RMA_LOCK:
		rmaLock(&call, false);
		break;
	case RMA_UNLOCK:
	case RMA_FLUSH:
	case RMA_COMPLETE:
	case RMA_STATE:
		break;
	}
	return true;
}

bool otf2RmaLeave(struct otf2 *self, const hdIRecord *record, int64_t time)
{
	struct rmaCall call;
	bool isRead;
	const struct rmaFunction *function =
		rmaOf(self, record, time, false, &call, &isRead);

	if (!function || !isRead)
		return function;
	switch (function->kind) {
	case RMA_MAKE:
		rmaMade(&call);
		break;
	case RMA_FREE:
		rmaFreed(&call);
		break;
	case RMA_FENCE:
		rmaCompleteAll(&call);
		rmaEndCollective(&call, OTF2_COLLECTIVE_OP_BARRIER);
		break;
	case RMA_LOCK:
		rmaLock(&call, true);
		break;
	case RMA_UNLOCK:
		rmaUnlock(&call);
		break;
	case RMA_FLUSH:
	case RMA_COMPLETE:
		rmaCompleteAll(&call);
		break;
	case RMA_PUT:
	case RMA_GET:
	case RMA_ATOMIC:
	case RMA_STATE:
		break;
	}
	return true;
}

/* ---- Begin and end ----------------------------------------------------- */

struct otf2Rma *otf2RmaNew(void)
{
	struct otf2Rma *rma = g_new0(struct otf2Rma, 1);

	rma->windows = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					     g_free, g_free);
	rma->counts = g_hash_table_new(NULL, NULL);
	rma->requests = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					      g_free, g_free);
	rma->pending = g_array_new(FALSE, FALSE, sizeof(struct pending));
	return rma;
}

void otf2RmaFree(struct otf2Rma *rma)
{
	g_hash_table_destroy(rma->windows);
	g_hash_table_destroy(rma->counts);
	g_hash_table_destroy(rma->requests);
	g_array_unref(rma->pending);
	g_free(rma);
}
