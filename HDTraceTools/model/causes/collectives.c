/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Edges of collective calls, by their patterns.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/windows.h"

/** The largest element of MPI has so many bytes. */
#define COLLECTIVES_TINY 16

/** A function of MPI, without "MPI_". */
struct function {
	const char *name;
	enum collectivePattern pattern;
};

#define PATTERN_OTHER PATTERN_ALL2ALL
static const struct function functions[] = {
	{ "Finalize", PATTERN_FINALIZE },
#define PATTERN_OF_ROLE(role) PATTERN_##role
#define MPI_MEETS(name, PATTERN) { name, PATTERN_OF_ROLE(PATTERN) },
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike) \
	{ name, PATTERN_OF_ROLE(ROLE) },
#include "HDTraceTools/model/mpi/functions.h"
};

#undef MPI_MEETS

/** Of role "other", too, but those that are prefixes. */
static const char *const prefixes[] = {
#undef MPI_COLLECTIVE
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#define MPI_PREFIX(name) name,
#include "HDTraceTools/model/mpi/functions.h"
};

static enum collectivePattern patternOf(uint32_t function)
{
	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		if (strcmp(prefixes[i], functions[function].name) == 0)
			return PATTERN_PREFIX;
	}
	return functions[function].pattern;
}

int dependencyFunction(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
		const char *known = functions[i].name;

		if (strcmp(known, name) == 0)
			return (int)i;
		/* Ibarrier, Iallreduce. */
		if (name[0] == 'I' && name[1] == g_ascii_tolower(known[0]) &&
		    strcmp(name + 2, known + 1) == 0)
			return (int)i;
	}
	return -1;
}

/** The calls of a rank on a communicator, in an epoch. */
struct calls {
	uint64_t count;
	uint32_t local; /**< The rank in it, or LOCAL_NONE. */
};

static struct calls *callsOn(struct dependencyReader *reader, int64_t cid,
			     const struct messageGroup *group)
{
	int64_t key =
		(int64_t)group->number << 32 | (int64_t)(uint32_t)reader->epoch;
	struct calls *calls = g_hash_table_lookup(reader->calls, &key);
	int64_t local;

	if (calls)
		return calls;
	calls = g_new0(struct calls, 1);
	local = messagesLocalRank(reader->messages, cid);
	calls->local =
		local >= 0 && local < LOCAL_NONE ? (uint32_t)local : LOCAL_NONE;
	g_hash_table_insert(reader->calls, g_memdup2(&key, sizeof(key)), calls);
	return calls;
}

/* ---- Calls that do not wait -------------------------------------------- */

/** A call whose request is not complete yet, by that; calls are kept among
 *  the numbers, which are not negative. */
#define PENDING(request) (-1 - (request))

/** It. */
struct pending {
	struct dependencyEnd end;
	int64_t epoch;
	const struct messageGroup *group;
};

static void collectivesComplete(struct dependencyReader *reader,
				int64_t request, void *data)
{
	int64_t key = PENDING(request);
	struct pending *pending = g_hash_table_lookup(reader->calls, &key);

	(void)data;
	if (!pending)
		return;
	pending->end.waited = reader->record->start;
	pending->end.time = reader->record->end;
	dependencyAddCall(reader, &pending->end, pending->epoch,
			  pending->group);
	g_hash_table_remove(reader->calls, &key);
}

/** Whether a call moves one element of each rank. */
static bool collectivesIsTiny(const struct messageFields *fields, int function)
{
	int64_t sizes[2] = { -1, -1 };

	if (functions[function].pattern == PATTERN_BARRIER ||
	    functions[function].pattern == PATTERN_FINALIZE)
		return false;
	messageField(fields, MESSAGE_SIZE, &sizes[0]);
	messageField(fields, MESSAGE_RECV_SIZE, &sizes[1]);
	return MAX(sizes[0], sizes[1]) > 0 &&
	       MAX(sizes[0], sizes[1]) <= COLLECTIVES_TINY;
}

static void noteCall(struct dependencyReader *reader, uint8_t source,
		     int function)
{
	const hdIRecord *record = reader->record;
	const struct messageFields *fields = &reader->read->own;
	struct pending call = {
		.end.start = record->start,
		.end.waited = record->start,
		.end.time = record->end,
		.end.rank = reader->rank,
		.end.root = -1,
		.end.function = (uint16_t)function,
		.end.source = source,
		.end.isTiny = collectivesIsTiny(fields, function),
		.epoch = reader->epoch,
	};
	struct calls *calls;
	int64_t cid = 0;
	int64_t root, request, key;

	/* That of all, which has no communicator, is the last on that of all.
	 */
	if (functions[function].pattern != PATTERN_FINALIZE &&
	    !messageField(fields, MESSAGE_CID, &cid))
		return;
	call.group = messagesGroupOf(reader->messages, cid);
	if (!call.group)
		return;
	calls = callsOn(reader, cid, call.group);
	/* It is the last of each rank, whether others are missing or not. */
	call.end.number = functions[function].pattern == PATTERN_FINALIZE
				  ? UINT64_MAX
				  : calls->count++;
	call.end.local = calls->local;
	if ((messageField(fields, MESSAGE_ROOT_RANK, &root) ||
	     messageField(fields, MESSAGE_ROOT, &root)) &&
	    root >= 0)
		call.end.root = messagesPeer(reader->messages, cid, root);
	if (record->name[0] != 'I' ||
	    !messageField(fields, MESSAGE_RID, &request)) {
		dependencyAddCall(reader, &call.end, call.epoch, call.group);
		return;
	}
	key = PENDING(request);
	g_hash_table_insert(reader->calls, g_memdup2(&key, sizeof(key)),
			    g_memdup2(&call, sizeof(call)));
}

/** Note a call of all ranks of a window or file. */
static void noteHandleCall(struct dependencyReader *reader, uint8_t source,
			   int function)
{
	const hdIRecord *record = reader->record;
	bool isFence = functions[function].pattern == PATTERN_FENCE;
	enum handleKind kind = isFence ? HANDLE_WINDOW : HANDLE_FILE;
	struct dependencyEnd end = {
		.start = record->start,
		.waited = record->start,
		.time = record->end,
		.rank = reader->rank,
		.root = -1,
		.function = (uint16_t)function,
		.source = source,
	};
	struct handle *handle;

	/* What was recorded before an interruption is not known after it. */
	if (reader->epoch != 0)
		return;
	handle = strcmp(record->name, "File_open") == 0
			 ? handlesMake(reader, kind)
			 : handlesFind(reader, kind);
	if (!handle)
		return;
	end.number = handle->calls++;
	end.local = handle->local;
	end.isAgain = handle->isAgain;
	handlesAdd(reader, &end, handle, HANDLE_CALLS, -1, -1);
	if (isFence)
		windowsNoteTouches(reader, &end, handle);
	if (strcmp(record->name, "File_close") == 0)
		handlesForget(reader, kind);
}

/** Whether a call is one of a window or file. */
static bool isOfHandle(enum collectivePattern pattern)
{
	return pattern == PATTERN_FENCE || pattern == PATTERN_FILES;
}

static void collectivesNote(struct dependencyReader *reader, uint8_t source)
{
	int function = (int)(reader->role / ROLE_FUNCTION);

	if (reader->role & ROLE_COMPLETES)
		dependencyRequests(reader, collectivesComplete, NULL);
	else if (reader->role & ROLE_COLLECTIVE &&
		 isOfHandle(functions[function].pattern))
		noteHandleCall(reader, source, function);
	else if (reader->role & ROLE_COLLECTIVE)
		noteCall(reader, source, function);
}

/* ---- Joining ----------------------------------------------------------- */

/** Whether one of a call depends on another one, which comes before it where
 *  that matters. */
static bool dependsOn(enum collectivePattern pattern,
		      const struct dependencyEnd *self,
		      const struct dependencyEnd *other)
{
	switch (pattern) {
	case PATTERN_ONE2ALL:
		return other->rank == other->root;
	case PATTERN_ALL2ONE:
		return self->rank == self->root;
	case PATTERN_BARRIER:
	case PATTERN_ALL2ALL:
	case PATTERN_PREFIX:
	case PATTERN_FINALIZE:
	case PATTERN_FENCE:
	case PATTERN_FILES:
	case PATTERN_ALONE:
		break;
	}
	return true;
}

/** Whether all ranks of a communicator take part, in the same function; they
 *  are in the order of their ranks in it. */
static bool collectivesIsWhole(const GArray *held,
			       const struct messageGroup *group)
{
	const struct dependencyEnd *ends =
		(const struct dependencyEnd *)(const void *)held->data;

	/* What depends on whom across an intercommunicator differs by function.
	 */
	if (group->remotes || held->len != group->globals->len)
		return false;
	for (guint i = 0; i < held->len; i++) {
		if (ends[i].local != i || ends[i].function != ends->function)
			return false;
	}
	return true;
}

/** How many ranks of a group are in this project. */
static guint countKnown(const GArray *group)
{
	guint count = 0;

	for (guint i = 0; group && i < group->len; i++)
		count += g_array_index(group, int64_t, i) >= 0;
	return count;
}

/** Whether nobody is missing who could be there: all ranks that this project
 * has of a communicator, of both groups if there are two, call the same
 * function. */
static bool isComplete(const GArray *held, const struct messageGroup *group)
{
	const struct dependencyEnd *ends =
		(const struct dependencyEnd *)(const void *)held->data;

	if (held->len !=
	    countKnown(group->globals) + countKnown(group->remotes))
		return false;
	for (guint i = 0; i < held->len; i++) {
		if (ends[i].function != ends->function)
			return false;
	}
	return true;
}

/** Count calls without their others. */
static void countLoose(struct dependencies *self, const GArray *held)
{
	for (guint i = 0; i < held->len; i++) {
		const struct dependencyEnd *end =
			&g_array_index(held, struct dependencyEnd, i);

		self->counts.collectives +=
			patternOf(end->function) != PATTERN_FINALIZE;
	}
}

/** Whether nobody left before the last one came, as far as clocks tell. */
static bool haveMet(const struct dependencies *self, const GArray *held)
{
	const struct dependencyEnd *last = NULL;
	const struct dependencyEnd *first = NULL;

	for (guint i = 0; i < held->len; i++) {
		const struct dependencyEnd *end =
			&g_array_index(held, struct dependencyEnd, i);

		if (!last || end->start > last->start)
			last = end;
		if (!first || end->time < first->time)
			first = end;
	}
	return !last || last->start <= first->time ||
	       last->start - first->time <=
		       dependencyResidual(self, last->trace, first->trace);
}

/** Whether ranks may wait for each other in a call, and need not. */
static bool mayMeet(enum collectivePattern pattern)
{
	return pattern == PATTERN_FINALIZE || isOfHandle(pattern);
}

/** The last access to the window of a rank before a fence. */
struct touch {
	int64_t time; /**< INT64_MIN: there is none. */
	uint32_t trace;
};

/** Take the accesses away, which come after the calls: by rank in the group, a
 *  struct touch for each call. NULL: there are none. */
static struct touch *takeTouches(GArray *held)
{
	const struct dependencyEnd *ends =
		(const struct dependencyEnd *)(const void *)held->data;
	struct touch *touches;
	guint calls = held->len;

	while (calls && ends[calls - 1].function == WINDOWS_TOUCHED)
		calls--;
	if (calls == held->len)
		return NULL;
	touches = g_new(struct touch, calls + 1);
	for (guint i = 0; i < calls; i++)
		touches[i].time = INT64_MIN;
	for (guint i = calls; i < held->len; i++) {
		struct touch *touch =
			ends[i].rank < calls ? &touches[ends[i].rank] : NULL;

		if (touch && ends[i].time > touch->time)
			*touch = (struct touch){ ends[i].time, ends[i].trace };
	}
	g_array_set_size(held, calls);
	return touches;
}

/** The one that came last of the first so many, and of all but that one. */
struct latest {
	const struct dependencyEnd *first;
	const struct dependencyEnd *second;
};

static void addLatest(struct latest *latest, const struct dependencyEnd *end)
{
	if (!latest->first || end->start > latest->first->start) {
		latest->second = latest->first;
		latest->first = end;
	} else if (!latest->second || end->start > latest->second->start) {
		latest->second = end;
	}
}

static int collectivesMakeEdge(struct dependencyJoin *join,
			       enum collectivePattern pattern,
			       const struct dependencyEnd *from,
			       const struct dependencyEnd *to)
{
	struct dependency edge = {
		.kind = pattern == PATTERN_BARRIER ||
					pattern == PATTERN_FINALIZE
				? DEPENDENCY_BARRIER
				: DEPENDENCY_COLLECTIVE,
		.certainty = mayMeet(pattern)           ? DEPENDENCY_POSSIBLE
			     : join->channel->key.epoch ? DEPENDENCY_UNSURE
							: DEPENDENCY_CERTAIN,
		.from = from->trace,
		.fromTime = from->start,
		.to = to->trace,
		.toStart = to->waited,
		.toTime = to->time,
		.size = -1,
		.group = join->channel->key.group->number,
	};

	if (!to->isChosen || !from->isChosen)
		return 0;
	return dependencyMake(join->dependencies, &edge);
}

/** Hand on all of a call, if all are chosen. */
static int handOnCall(struct dependencyJoin *join,
		      enum collectivePattern pattern,
		      const struct touch *touches)
{
	const struct dependencyEnd *ends =
		(const struct dependencyEnd *)(const void *)join->held->data;
	struct dependencyMatch match = {
		.meeting = MEETING_COLLECTIVE,
		.pattern = pattern,
		.certainty = join->channel->key.epoch ? DEPENDENCY_UNSURE
						      : DEPENDENCY_CERTAIN,
		.root = join->held->len,
		.channel = ends->channel,
		.isTiny = true,
		.isOpening = ends->number == 0,
		.size = -1,
	};

	for (guint i = 0; i < join->held->len; i++) {
		if (!ends[i].isChosen) {
			g_array_set_size(join->parts, 0);
			return 0;
		}
		match.isTiny = match.isTiny && ends[i].isTiny;
		if (ends[i].rank == ends[i].root)
			match.root = i;
		dependencyAddPart(join, &ends[i], ends[i].rank);
		if (touches && touches[i].trace != ends[i].trace) {
			struct dependencyPart *part = &g_array_index(
				join->parts, struct dependencyPart, i);

			part->touched = touches[i].time;
			part->toucher = touches[i].trace;
		}
	}
	return dependencyHandOn(join, &match);
}

static int collectivesJoin(struct dependencyJoin *join,
			   const struct touch *touches)
{
	struct dependencies *self = join->dependencies;
	const struct messageGroup *group = join->channel->key.group;
	GArray *held = join->held;
	struct latest latest = { NULL, NULL };
	enum collectivePattern pattern;
	const struct dependencyEnd *ends;
	int ret = 0;

	if (join->channel->key.epoch < 0 || !collectivesIsWhole(held, group)) {
		if (join->channel->key.epoch < 0 || !isComplete(held, group))
			countLoose(self, held);
		return 0;
	}
	ends = (const struct dependencyEnd *)(const void *)held->data;
	pattern = patternOf(ends->function);
	if (mayMeet(pattern) && !haveMet(self, held))
		return pattern == PATTERN_FILES && self->filter.take
			       ? handOnCall(join, PATTERN_ALONE, NULL)
			       : 0;
	if (self->filter.take)
		ret = handOnCall(join, pattern, touches);
	for (guint i = 0; pattern != PATTERN_PREFIX && i < held->len; i++) {
		const struct dependencyEnd *end = &ends[i];

		if (pattern != PATTERN_ONE2ALL || end->rank == end->root)
			addLatest(&latest, end);
	}
	for (guint i = 0; i < held->len && ret == 0; i++) {
		const struct dependencyEnd *end = &ends[i];
		const struct dependencyEnd *from =
			latest.first == end ? latest.second : latest.first;

		if (from && dependsOn(pattern, end, from))
			ret = collectivesMakeEdge(join, pattern, from, end);
		if (pattern == PATTERN_PREFIX)
			addLatest(&latest, end);
	}
	return ret;
}

static int collectivesFinish(struct dependencyJoin *join)
{
	struct touch *touches = takeTouches(join->held);
	int ret = collectivesJoin(join, touches);

	g_free(touches);
	return ret;
}

static int collectivesAddEnd(struct dependencyJoin *join,
			     const struct dependencyEnd *end)
{
	g_array_append_val(join->held, *end);
	return 0;
}

const struct dependencySource dependencyCollectives = {
	.name = "collectives",
	.kinds = DEPENDENCY_COLLECTIVE | DEPENDENCY_BARRIER,
	.note = collectivesNote,
	.take = collectivesAddEnd,
	.finish = collectivesFinish,
	.byNumber = true,
};
