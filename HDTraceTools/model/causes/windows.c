/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * One-sided calls of MPI: accesses between Win_start and Win_complete belong to
 * the exposure between Win_post and Win_wait of each target, by the order of
 * both; and who held a lock before another rank got it. Win_fence is one of the
 * collective calls.
 *
 * A rank holds a lock until it leaves Win_unlock. MPI libraries may acquire it
 * in Win_lock, or as late as in a flush or in Win_unlock: each of these calls
 * may wait. Win_lock_all is a shared lock of each rank that is accessed until
 * Win_unlock_all: MPI libraries may acquire it in Win_lock_all, or as late as
 * in the first access. Locks of other ranks hold nobody up.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/handles.h"
#include "HDTraceTools/model/causes/windows.h"

/** What a call does. */
enum windowsCall {
	WINDOWS_MAKE,
	WINDOWS_FREE,
	WINDOWS_TOUCH, /**< An access. */
	WINDOWS_START,
	WINDOWS_COMPLETE,
	WINDOWS_POST,
	WINDOWS_WAIT,
	WINDOWS_LOCK,
	WINDOWS_FLUSH,
	WINDOWS_UNLOCK,
	WINDOWS_LOCK_ALL,
	WINDOWS_UNLOCK_ALL,
	WINDOWS_OTHER,
};

static const struct {
	const char *name;
	enum windowsCall call;
} windowsCalls[] = {
	{ "Win_create", WINDOWS_MAKE },
	{ "Win_create_c", WINDOWS_MAKE },
	{ "Win_create_dynamic", WINDOWS_MAKE },
	{ "Win_allocate", WINDOWS_MAKE },
	{ "Win_allocate_c", WINDOWS_MAKE },
	{ "Win_allocate_shared", WINDOWS_MAKE },
	{ "Win_allocate_shared_c", WINDOWS_MAKE },
	{ "Win_free", WINDOWS_FREE },
	{ "Win_start", WINDOWS_START },
	{ "Win_complete", WINDOWS_COMPLETE },
	{ "Win_post", WINDOWS_POST },
	{ "Win_wait", WINDOWS_WAIT },
	{ "Win_test", WINDOWS_WAIT },
	{ "Win_lock", WINDOWS_LOCK },
	{ "Win_flush", WINDOWS_FLUSH },
	{ "Win_flush_local", WINDOWS_FLUSH },
	{ "Win_flush_all", WINDOWS_FLUSH },
	{ "Win_flush_local_all", WINDOWS_FLUSH },
	{ "Win_unlock", WINDOWS_UNLOCK },
	{ "Win_lock_all", WINDOWS_LOCK_ALL },
	{ "Win_unlock_all", WINDOWS_UNLOCK_ALL },
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#define MPI_MOVES(name, WAY) { name, WINDOWS_TOUCH },
#include "HDTraceTools/model/mpi/functions.h"
};

static enum windowsCall windowsCallOf(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(windowsCalls); i++) {
		if (strcmp(windowsCalls[i].name, name) == 0)
			return windowsCalls[i].call;
	}
	return WINDOWS_OTHER;
}

bool dependencyIsOfWindow(const char *name)
{
	/* Files move data, too. */
	return !g_str_has_prefix(name, "File_") &&
	       windowsCallOf(name) != WINDOWS_OTHER;
}

/** An end of the call that is read. */
static struct dependencyEnd windowsEnd(const struct dependencyReader *reader,
				       uint8_t source)
{
	return (struct dependencyEnd){
		.start = reader->record->start,
		.waited = reader->record->start,
		.time = reader->record->end,
		.rank = reader->rank,
		.source = source,
	};
}

/* ---- Accesses ----------------------------------------------------------- */

/** The target of the call in the communicator; -1: none. */
static int64_t windowsTarget(const struct dependencyReader *reader)
{
	int64_t rank = -1;

	if (!messageField(&reader->read->own, MESSAGE_TO_RANK, &rank))
		messageField(&reader->read->own, MESSAGE_FROM_RANK, &rank);
	return rank;
}

static void touchesAdd(GArray *touches, int64_t target, int64_t time)
{
	const struct handleTouch new = { target, time };

	for (guint i = 0; i < touches->len; i++) {
		struct handleTouch *touch =
			&g_array_index(touches, struct handleTouch, i);

		if (touch->target != target)
			continue;
		touch->time = MAX(touch->time, time);
		return;
	}
	g_array_append_val(touches, new);
}

static void windowsTouch(const struct dependencyReader *reader,
			 struct handle *handle)
{
	int64_t target = windowsTarget(reader);

	if (target < 0)
		return;
	touchesAdd(handle->touches, target, reader->record->end);
	if (handle->origin.ranks)
		touchesAdd(handle->accessed, target, reader->record->end);
}

void windowsNoteTouches(struct dependencyReader *reader,
			const struct dependencyEnd *fence,
			struct handle *handle)
{
	for (guint i = 0; i < handle->touches->len; i++) {
		const struct handleTouch *touch =
			&g_array_index(handle->touches, struct handleTouch, i);
		struct dependencyEnd end = *fence;

		end.local = LOCAL_NONE;
		end.function = WINDOWS_TOUCHED;
		end.rank = touch->target;
		end.time = touch->time;
		handlesAdd(reader, &end, handle, HANDLE_CALLS, -1, -1);
	}
	g_array_set_size(handle->touches, 0);
}

/* ---- Accesses and exposures ---------------------------------------------- */

/** The four calls of an access, in this order. */
enum accessPart { ACCESS_START, ACCESS_COMPLETE, ACCESS_POST, ACCESS_WAIT };

/** The ranks that a call names; NULL: it does not say. */
static GArray *windowsRanks(const hdIRecord *record)
{
	GArray *ranks = NULL;

	for (size_t i = 0; i < record->attributeCount; i++) {
		char **texts;

		if (strcmp(record->attributes[i].name, "ranks") != 0)
			continue;
		ranks = g_array_new(FALSE, FALSE, sizeof(int64_t));
		texts = g_strsplit(record->attributes[i].value, " ", 0);
		for (char **text = texts; *text; text++) {
			int64_t rank;

			if (messagesReadNumber(*text, &rank) && rank >= 0)
				g_array_append_val(ranks, rank);
		}
		g_strfreev(texts);
		break;
	}
	return ranks;
}

static void sideBegin(struct handleSide *side, const hdIRecord *record)
{
	if (side->ranks)
		g_array_unref(side->ranks);
	side->ranks = windowsRanks(record);
	side->start = record->start;
	side->end = record->end;
}

/** How many epochs with a rank were before. */
static uint64_t sideCount(struct handleSide *side, int64_t rank)
{
	uint64_t *count = g_hash_table_lookup(side->counts, &rank);

	if (!count) {
		count = g_new0(uint64_t, 1);
		g_hash_table_insert(side->counts,
				    g_memdup2(&rank, sizeof(rank)), count);
	}
	return (*count)++;
}

/** The last access to a target, or a time if there was none. */
static int64_t windowsLast(const GArray *touches, int64_t target, int64_t time)
{
	for (guint i = 0; i < touches->len; i++) {
		const struct handleTouch *touch =
			&g_array_index(touches, struct handleTouch, i);

		if (touch->target == target)
			return touch->time;
	}
	return time;
}

/** Note both calls of a side with another rank. */
static void sideNote(struct dependencyReader *reader,
		     const struct handle *handle, struct handleSide *side,
		     int64_t other, uint8_t source)
{
	bool isOrigin = side == &handle->origin;
	struct dependencyEnd end = windowsEnd(reader, source);
	struct dependencyEnd begin = end;
	int64_t global =
		other < handle->group->globals->len
			? g_array_index(handle->group->globals, int64_t, other)
			: -1;
	int64_t sender = isOrigin ? reader->rank : global;
	int64_t receiver = isOrigin ? global : reader->rank;

	if (global < 0)
		return;
	begin.start = begin.waited = side->start;
	begin.time = side->end;
	begin.local = isOrigin ? ACCESS_START : ACCESS_POST;
	end.local = isOrigin ? ACCESS_COMPLETE : ACCESS_WAIT;
	begin.number = end.number = sideCount(side, other);
	if (isOrigin)
		end.start = windowsLast(handle->accessed, other, side->end);
	handlesAdd(reader, &begin, handle, HANDLE_ACCESS, sender, receiver);
	handlesAdd(reader, &end, handle, HANDLE_ACCESS, sender, receiver);
}

static void sideEnd(struct dependencyReader *reader,
		    const struct handle *handle, struct handleSide *side,
		    uint8_t source)
{
	for (guint i = 0; side->ranks && i < side->ranks->len; i++)
		sideNote(reader, handle, side,
			 g_array_index(side->ranks, int64_t, i), source);
	if (side->ranks)
		g_array_unref(side->ranks);
	side->ranks = NULL;
}

/* ---- Locks ----------------------------------------------------------------
 */

/** What an end of a lock is, as bits. */
enum lockEnd { LOCK_EXCLUSIVE = 1, LOCK_RELEASES = 2 };

/** Calls of a held lock that are kept: Win_lock, the first that complete
 *  accesses, and the last one. */
#define WINDOWS_LOCK_CALLS 66

/** The place of the lock that the call is about; -1: it is not held. */
static int windowsLockOf(const struct handle *handle, int64_t target)
{
	for (guint i = 0; i < handle->locks->len; i++) {
		if (g_array_index(handle->locks, struct handleLock, i).target ==
		    target)
			return (int)i;
	}
	return -1;
}

static void windowsLock(const struct dependencyReader *reader,
			struct handle *handle, uint8_t source)
{
	const hdIRecord *record = reader->record;
	struct handleLock lock = { .target = windowsTarget(reader) };
	struct dependencyEnd end = windowsEnd(reader, source);
	int64_t exclusive = 0;
	int place = windowsLockOf(handle, lock.target);

	if (lock.target < 0)
		return;
	if (place >= 0)
		g_array_remove_index_fast(handle->locks, (guint)place);
	messagesNumber(record->attributes, record->attributeCount, "exclusive",
		       &exclusive);
	lock.isExclusive = exclusive != 0;
	lock.calls = g_array_new(FALSE, FALSE, sizeof(struct dependencyEnd));
	g_array_append_val(lock.calls, end);
	g_array_append_val(handle->locks, lock);
}

static void windowsLockAll(const struct dependencyReader *reader,
			   struct handle *handle, uint8_t source)
{
	handle->lockAll = windowsEnd(reader, source);
	handle->hasLockAll = true;
}

/** The first access to a rank after Win_lock_all, which may wait as well. */
static void windowsLockTouched(const struct dependencyReader *reader,
			       struct handle *handle, uint8_t source)
{
	struct handleLock lock = { .target = windowsTarget(reader) };
	struct dependencyEnd end = windowsEnd(reader, source);

	if (!handle->hasLockAll || lock.target < 0 ||
	    windowsLockOf(handle, lock.target) >= 0)
		return;
	lock.calls = g_array_new(FALSE, FALSE, sizeof(struct dependencyEnd));
	g_array_append_val(lock.calls, handle->lockAll);
	g_array_append_val(lock.calls, end);
	g_array_append_val(handle->locks, lock);
}

/** A call completes accesses to its target, or to all. */
static void windowsFlush(const struct dependencyReader *reader,
			 struct handle *handle, uint8_t source)
{
	int64_t target = windowsTarget(reader);
	struct dependencyEnd end = windowsEnd(reader, source);

	for (guint i = 0; i < handle->locks->len; i++) {
		struct handleLock *lock =
			&g_array_index(handle->locks, struct handleLock, i);

		if (target >= 0 && lock->target != target)
			continue;
		/* A rank that holds the lock does not wait for it again. */
		if (lock->calls->len == WINDOWS_LOCK_CALLS)
			g_array_set_size(lock->calls, WINDOWS_LOCK_CALLS - 1);
		g_array_append_val(lock->calls, end);
	}
}

static void windowsRelease(struct dependencyReader *reader,
			   struct handle *handle, guint place)
{
	struct handleLock *lock =
		&g_array_index(handle->locks, struct handleLock, place);

	for (guint i = 0; i < lock->calls->len; i++) {
		struct dependencyEnd *end =
			&g_array_index(lock->calls, struct dependencyEnd, i);

		/* In the order of their release. */
		end->number = (uint64_t)reader->record->end ^ (uint64_t)1 << 63;
		end->local = i;
		end->function = lock->isExclusive ? LOCK_EXCLUSIVE : 0;
		if (i + 1 == lock->calls->len)
			end->function |= LOCK_RELEASES;
		handlesAdd(reader, end, handle, HANDLE_LOCK, -1, lock->target);
	}
	g_array_remove_index_fast(handle->locks, place);
}

static void windowsUnlock(struct dependencyReader *reader,
			  struct handle *handle, uint8_t source)
{
	int place = windowsLockOf(handle, windowsTarget(reader));

	if (place < 0)
		return;
	windowsFlush(reader, handle, source);
	windowsRelease(reader, handle, (guint)place);
}

static void windowsUnlockAll(struct dependencyReader *reader,
			     struct handle *handle, uint8_t source)
{
	windowsFlush(reader, handle, source);
	while (handle->locks->len)
		windowsRelease(reader, handle, handle->locks->len - 1);
	handle->hasLockAll = false;
}

/* ---- Reading --------------------------------------------------------------
 */

static void windowsNoteCall(struct dependencyReader *reader,
			    struct handle *handle, enum windowsCall call)
{
	if (call == WINDOWS_TOUCH) {
		windowsTouch(reader, handle);
	} else if (call == WINDOWS_START) {
		sideBegin(&handle->origin, reader->record);
		g_array_set_size(handle->accessed, 0);
	} else if (call == WINDOWS_POST) {
		sideBegin(&handle->target, reader->record);
	} else if (call == WINDOWS_FREE) {
		handlesForget(reader, HANDLE_WINDOW);
	}
}

/** What was recorded before an interruption is not known after it. */
static struct handle *windowsHandle(struct dependencyReader *reader,
				    enum windowsCall call)
{
	if (!(reader->role & ROLE_WINDOW) || reader->epoch != 0)
		return NULL;
	if (call == WINDOWS_MAKE) {
		handlesMake(reader, HANDLE_WINDOW);
		return NULL;
	}
	return handlesFind(reader, HANDLE_WINDOW);
}

static void accessesNote(struct dependencyReader *reader, uint8_t source)
{
	enum windowsCall call = reader->role & ROLE_WINDOW
					? windowsCallOf(reader->record->name)
					: WINDOWS_OTHER;
	struct handle *handle = windowsHandle(reader, call);

	if (!handle)
		return;
	if (call == WINDOWS_COMPLETE)
		sideEnd(reader, handle, &handle->origin, source);
	else if (call == WINDOWS_WAIT &&
		 !dependencyIsInVain(&reader->read->own))
		sideEnd(reader, handle, &handle->target, source);
	else
		windowsNoteCall(reader, handle, call);
}

static void locksNote(struct dependencyReader *reader, uint8_t source)
{
	struct handle *handle;
	enum windowsCall call;

	if (!(reader->role & ROLE_WINDOW) || reader->epoch != 0)
		return;
	handle = handlesFind(reader, HANDLE_WINDOW);
	call = handle ? windowsCallOf(reader->record->name) : WINDOWS_OTHER;
	if (call == WINDOWS_LOCK)
		windowsLock(reader, handle, source);
	else if (call == WINDOWS_FLUSH)
		windowsFlush(reader, handle, source);
	else if (call == WINDOWS_UNLOCK)
		windowsUnlock(reader, handle, source);
	else if (call == WINDOWS_LOCK_ALL)
		windowsLockAll(reader, handle, source);
	else if (call == WINDOWS_TOUCH)
		windowsLockTouched(reader, handle, source);
	else if (call == WINDOWS_UNLOCK_ALL)
		windowsUnlockAll(reader, handle, source);
}

/* ---- Joining --------------------------------------------------------------
 */

static int accessesAddEnd(struct dependencyJoin *join,
			  const struct dependencyEnd *end)
{
	g_array_append_val(join->held, *end);
	return 0;
}

static int accessesFinish(struct dependencyJoin *join)
{
	struct dependencies *self = join->dependencies;
	const struct messageEnd *key = &join->channel->key;
	const struct dependencyEnd *ends =
		(const struct dependencyEnd *)(const void *)join->held->data;
	struct dependencyMatch match = {
		.meeting = MEETING_ACCESS,
		.root = 4,
		.size = -1,
	};
	bool isWhole = join->held->len == 4;

	for (guint i = 0; i < join->held->len; i++)
		isWhole = isWhole && ends[i].local == i && ends[i].isChosen;
	if (!isWhole)
		self->counts.loose++;
	if (!isWhole || !self->filter.take)
		return 0;
	for (guint i = 0; i < 4; i++)
		dependencyAddPart(join, &ends[i],
				  i < ACCESS_POST ? key->sender
						  : key->receiver);
	return dependencyHandOn(join, &match);
}

/** What is held of a channel: the last releases of exclusive locks and of any.
 */
enum lockHolder { HOLDER_EXCLUSIVE, HOLDER_ANY, LOCK_HOLDERS };

static int locksHandOn(struct dependencyJoin *join,
		       const struct dependencyEnd *holder,
		       const struct dependencyEnd *call)
{
	struct dependencyMatch match = {
		.meeting = MEETING_LOCK,
		.root = 2,
		.size = -1,
	};

	if (holder->trace == call->trace || holder->time <= call->waited ||
	    !holder->isChosen || !call->isChosen ||
	    !join->dependencies->filter.take)
		return 0;
	dependencyAddPart(join, holder, holder->rank);
	dependencyAddPart(join, call, call->rank);
	return dependencyHandOn(join, &match);
}

static int locksAddEnd(struct dependencyJoin *join,
		       const struct dependencyEnd *end)
{
	bool isExclusive = end->function & LOCK_EXCLUSIVE;
	const struct dependencyEnd none = {
		.trace = UINT32_MAX,
		.time = INT64_MIN,
	};
	struct dependencyEnd *holders;
	int ret;

	while (join->held->len < LOCK_HOLDERS)
		g_array_append_val(join->held, none);
	holders = (struct dependencyEnd *)(void *)join->held->data;
	ret = locksHandOn(join,
			  &holders[isExclusive ? HOLDER_ANY : HOLDER_EXCLUSIVE],
			  end);
	if (end->function & LOCK_RELEASES) {
		holders[HOLDER_ANY] = *end;
		if (isExclusive)
			holders[HOLDER_EXCLUSIVE] = *end;
	}
	return ret;
}

static int locksFinish(struct dependencyJoin *join)
{
	(void)join;
	return 0;
}

const struct dependencySource dependencyAccesses = {
	.name = "accesses",
	.kinds = DEPENDENCY_COLLECTIVE,
	.note = accessesNote,
	.take = accessesAddEnd,
	.finish = accessesFinish,
	.byNumber = true,
};

const struct dependencySource dependencyLocks = {
	.name = "locks",
	.kinds = DEPENDENCY_COLLECTIVE,
	.note = locksNote,
	.take = locksAddEnd,
	.finish = locksFinish,
};
