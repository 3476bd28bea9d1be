/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who waited for whom: what sources note is sorted so that what belongs
 * together is together, they make edges of it, and these are sorted.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/ends.h"

/** All sources; what one needs of another comes after it. */
static const struct dependencySource *const sources[] = {
	&dependencyMessages, &dependencyCollectives, &dependencyCompletions,
	&dependencyTeams,    &dependencyTasks,       &dependencyGraph,
	&dependencyAccesses, &dependencyLocks,
};

/** The roles of so many names are kept. */
#define ROLES_KEPT 65536

/* ---- Orders ------------------------------------------------------------ */

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int compareEnds(const void *a, const void *b)
{
	const struct dependencyEnd *x = a;
	const struct dependencyEnd *y = b;

	COMPARE(x->channel, y->channel);
	COMPARE(x->number, y->number);
	COMPARE(y->isSent, x->isSent);
	COMPARE(x->completes, y->completes);
	COMPARE(x->local, y->local);
	COMPARE(x->trace, y->trace);
	return 0;
}

/** What is the same in both orders. */
static int compareRest(const struct dependency *x, const struct dependency *y)
{
	COMPARE(x->from, y->from);
	COMPARE(x->to, y->to);
	COMPARE(x->kind, y->kind);
	COMPARE(x->group, y->group);
	COMPARE(x->tag, y->tag);
	COMPARE(x->toStart, y->toStart);
	COMPARE(x->size, y->size);
	COMPARE(x->early, y->early);
	COMPARE(x->peer, y->peer);
	return 0;
}

static int compareByCause(const void *a, const void *b)
{
	const struct dependency *x = a;
	const struct dependency *y = b;

	COMPARE(dependencyStart(x), dependencyStart(y));
	COMPARE(x->toTime, y->toTime);
	return compareRest(x, y);
}

static int compareFromLatest(const void *a, const void *b)
{
	const struct dependency *x = a;
	const struct dependency *y = b;

	COMPARE(y->toTime, x->toTime);
	COMPARE(y->fromTime, x->fromTime);
	COMPARE(x->order, y->order);
	return compareRest(x, y);
}

/* ---- Begin and end ----------------------------------------------------- */

struct dependencies *dependenciesNew(const hdIProject *project,
				     const struct dependencyFilter *filter)
{
	struct dependencies *self = g_new0(struct dependencies, 1);

	self->filter = *filter;
	self->project = project;
	self->residuals = residualsNew(project);
	self->messages = messagesNew(project);
	self->channels = channelsNew(sizeof(struct dependencyChannel));
	self->nodes = g_array_new(FALSE, TRUE, sizeof(const hdINode *));
	self->roles =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	pthread_mutex_init(&self->mutex, NULL);
	self->ends = sorterNew(sizeof(struct dependencyEnd), compareEnds);
	self->edges = sorterNew(sizeof(struct dependency),
				filter->order == DEPENDENCIES_BY_CAUSE
					? compareByCause
					: compareFromLatest);
	return self;
}

void dependenciesFree(struct dependencies *self)
{
	if (!self)
		return;
	sorterFree(self->ends);
	sorterFree(self->edges);
	channelsFree(self->channels);
	g_array_unref(self->nodes);
	messagesFree(self->messages);
	residualsFree(self->residuals);
	g_hash_table_destroy(self->roles);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

/* ---- Traces ------------------------------------------------------------ */

struct dependencyReader *dependenciesEnter(struct dependencies *self,
					   const hdITraceFile *trace,
					   uint32_t number)
{
	struct dependencyReader *reader = g_new0(struct dependencyReader, 1);

	reader->messages = messagesCopy(self->messages);
	reader->owner = self;
	reader->trace = trace;
	reader->number = number;
	reader->rank = -1;
	messagesEnter(reader->messages, trace, &reader->rank);
	reader->channels = channelsNew(sizeof(struct dependencyChannel));
	reader->ends = spoolNew();
	reader->roles = g_array_new(FALSE, FALSE, sizeof(unsigned int));
	reader->started = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						g_free, g_free);
	reader->calls = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					      g_free, g_free);
	if (self->filter.take)
		reader->sends = g_hash_table_new_full(
			g_int64_hash, g_int64_equal, g_free, g_free);
	return reader;
}

void dependenciesDrop(struct dependencyReader *reader)
{
	if (!reader)
		return;
	dependencyNestEnd(reader);
	messagesFree(reader->messages);
	channelsFree(reader->channels);
	spoolFree(reader->ends);
	g_array_unref(reader->roles);
	g_hash_table_destroy(reader->started);
	g_hash_table_destroy(reader->calls);
	dependencyHandlesEnd(reader);
	if (reader->sends)
		g_hash_table_destroy(reader->sends);
	g_free(reader);
}

const GPtrArray *dependenciesGroups(const struct dependencies *self)
{
	return messagesGroups(self->messages);
}

int64_t dependencyRank(const struct dependencyReader *reader)
{
	return reader->rank;
}

/** Whether a function sends or receives, or prepares it. */
static bool hasMessages(const char *name)
{
	static const char *const names[] = {
#define MPI_POINT2POINT(name, isSending, isReceiving) name,
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/mpi/functions.h"
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return g_str_has_suffix(name, "_init") ||
	       g_str_has_suffix(name, "_init_c");
}

static unsigned int dependenciesFindRole(const char *name)
{
	int function = dependencyFunction(name);
	unsigned int role = dependencyOpenmp(name);

	role |= hasMessages(name) ? ROLE_MESSAGES : 0;
	if (g_str_has_prefix(name, "Wait") || g_str_has_prefix(name, "Test"))
		role |= ROLE_COMPLETES;
	else if (g_str_has_prefix(name, "Start"))
		role |= ROLE_STARTS;
	else if (name[0] == 'I' && !g_str_has_suffix(name, "_init") &&
		 !g_str_has_suffix(name, "_init_c"))
		role |= ROLE_BEGINS;
	role |= dependencyIsOfWindow(name) ? ROLE_WINDOW : 0;
	if (function >= 0)
		role |= ROLE_COLLECTIVE +
			(unsigned int)function * ROLE_FUNCTION;
	return role;
}

/** The same, once for all traces; any thread. */
static unsigned int dependenciesKnownRole(struct dependencies *self,
					  const char *name)
{
	unsigned int role;
	gpointer known;

	pthread_mutex_lock(&self->mutex);
	if (g_hash_table_lookup_extended(self->roles, name, NULL, &known)) {
		role = GPOINTER_TO_UINT(known);
	} else {
		role = dependenciesFindRole(name);
		if (g_hash_table_size(self->roles) < ROLES_KEPT)
			g_hash_table_insert(self->roles, g_strdup(name),
					    GUINT_TO_POINTER(role));
	}
	pthread_mutex_unlock(&self->mutex);
	return role;
}

/** What records of a name are; most names come often. */
static unsigned int dependenciesRoleOf(struct dependencyReader *reader,
				       const char *name)
{
	uint32_t number = messagesName(reader->messages, name);

	if (number >= reader->roles->len) {
		g_array_set_size(reader->roles, number + 1);
		g_array_index(reader->roles, unsigned int, number) =
			dependenciesKnownRole(reader->owner, name);
	}
	return g_array_index(reader->roles, unsigned int, number);
}

int dependencyNote(struct dependencyReader *reader, const hdIRecord *record,
		   bool isChosen)
{
	if (reader->rank < 0 || record->kind != HDI_STATE)
		return 0;
	reader->record = record;
	reader->isChosen = isChosen;
	reader->role = dependenciesRoleOf(reader, record->name);
	if (!reader->role && !messagesEpoch(record, &reader->epoch) &&
	    !messagesIsOfGraph(record)) {
		if (reader->nestings)
			dependencyNest(reader);
		return reader->error;
	}
	reader->read = messagesRead(reader->messages, record);
	/* They count epochs, too. */
	if (messageField(&reader->read->own, MESSAGE_PART, &reader->epoch))
		reader->role |= ROLE_MESSAGES;
	for (uint8_t i = 0; i < G_N_ELEMENTS(sources); i++) {
		if (sources[i]->kinds & reader->owner->filter.kinds ||
		    sources[i] == &dependencyCompletions)
			sources[i]->note(reader, i);
	}
	if (reader->nestings || reader->role & ROLE_OPENMP)
		dependencyNest(reader);
	return reader->error;
}

static bool isMessage(const struct dependencyEnd *end)
{
	return sources[end->source] == &dependencyMessages;
}

static bool isReceived(const struct dependencyEnd *end)
{
	return isMessage(end) && !end->isSent;
}

uint64_t dependencyAdd(struct dependencyReader *reader,
		       const struct dependencyEnd *end,
		       const struct messageEnd *key)
{
	struct dependencyChannel *channel = channelsNote(reader->channels, key);
	struct dependencyEnd noted = *end;

	noted.channel = (uint32_t)channel->channel.number;
	noted.trace = reader->number;
	noted.isChosen = reader->isChosen;
	if (isMessage(end) && !end->completes)
		noted.number = channel->counts[end->isSent]++;
	if (isReceived(end)) {
		channel->isMixed |= end->posted < channel->posted;
		reader->isMixed |= channel->isMixed;
		channel->posted = MAX(channel->posted, end->posted);
	}
	if (reader->error == 0)
		reader->error =
			spoolAppend(reader->ends, &noted, sizeof(noted));
	return noted.number;
}

void dependencyAddCall(struct dependencyReader *reader,
		       const struct dependencyEnd *end, int64_t epoch,
		       const struct messageGroup *group)
{
	const struct messageEnd key = {
		.sender = -1,
		.receiver = -1,
		.tag = end->source,
		.epoch = epoch,
		.group = group,
		.time = end->time,
	};

	dependencyAdd(reader, end, &key);
}

void dependencyAddOwn(struct dependencyReader *reader,
		      const struct dependencyEnd *end)
{
	const struct messageEnd key = {
		.sender = reader->rank,
		.receiver = -1,
		.tag = end->source,
		.time = end->time,
	};

	dependencyAdd(reader, end, &key);
}

/** Find the channels of a trace among all. */
static void addChannels(struct dependencies *self,
			const struct channels *channels)
{
	for (uint64_t i = 0; i < channelsCount(channels); i++) {
		struct dependencyChannel *own = channelsAt(channels, i);
		struct dependencyChannel *whole =
			channelsNote(self->channels, &own->channel.key);

		whole->channel.firstSent =
			MIN(whole->channel.firstSent, own->channel.firstSent);
		own->whole = whole->channel.number;
		for (int k = 0; k < 2; k++) {
			own->before[k] = whole->counts[k];
			whole->counts[k] += own->counts[k];
		}
	}
}

/** Hand on an end of a trace to those of all. */
static int addEnd(struct dependencies *self,
		  const struct dependencyReader *reader,
		  struct dependencyEnd *end)
{
	const struct dependencyChannel *channel =
		channelsAt(reader->channels, end->channel);

	end->channel = (uint32_t)channel->whole;
	if (isMessage(end))
		end->number += channel->before[end->isSent];
	return sorterAdd(self->ends, end);
}

/** Hand on ends; those of channels that are mixed to what sorts these. */
static int addEnds(struct dependencies *self,
		   const struct dependencyReader *reader, struct sorter *mixed,
		   struct dependencyEnd *ends, size_t count)
{
	int ret = 0;

	for (size_t i = 0; i < count && ret == 0; i++) {
		const struct dependencyChannel *channel =
			channelsAt(reader->channels, ends[i].channel);

		ret = channel->isMixed && isReceived(&ends[i])
			      ? sorterAdd(mixed, &ends[i])
			      : addEnd(self, reader, &ends[i]);
	}
	return ret;
}

static int compareByPosting(const void *a, const void *b)
{
	const struct dependencyEnd *x = a;
	const struct dependencyEnd *y = b;

	COMPARE(x->channel, y->channel);
	COMPARE(x->posted, y->posted);
	COMPARE(x->number, y->number);
	return 0;
}

/** Messages belong to receives in the order in which these were posted
 * (MPI 4.0, section 3.5), not in that in which they ended: number them anew. */
static int addMixed(struct dependencies *self,
		    const struct dependencyReader *reader, struct sorter *mixed)
{
	struct dependencyEnd end;
	uint64_t number = 0;
	int64_t channel = -1;
	int ret;

	while ((ret = sorterNext(mixed, &end)) > 0) {
		number = end.channel == channel ? number + 1 : 0;
		channel = end.channel;
		end.number = number;
		ret = addEnd(self, reader, &end);
		if (ret < 0)
			break;
	}
	return ret;
}

/** Ends that are read at once. */
#define AT_ONCE 512

int dependenciesLeave(struct dependencies *self,
		      struct dependencyReader *reader)
{
	struct dependencyEnd *ends = g_new(struct dependencyEnd, AT_ONCE);
	struct sorter *mixed = NULL;
	uint64_t left;
	int ret;

	dependencyNestEnd(reader);
	ret = reader->error;
	left = spoolLength(reader->ends);
	if (self->nodes->len <= reader->number)
		g_array_set_size(self->nodes, reader->number + 1);
	g_array_index(self->nodes, const hdINode *, reader->number) =
		reader->trace->node;
	addChannels(self, reader->channels);
	if (reader->isMixed)
		mixed = sorterNew(sizeof(struct dependencyEnd),
				  compareByPosting);
	while (left && ret == 0) {
		size_t size = (size_t)MIN(left, AT_ONCE * sizeof(*ends));

		ret = spoolPeek(reader->ends, spoolLength(reader->ends) - left,
				ends, size);
		if (ret == 0)
			ret = addEnds(self, reader, mixed, ends,
				      size / sizeof(*ends));
		left -= size;
	}
	if (ret == 0 && mixed)
		ret = addMixed(self, reader, mixed);
	sorterFree(mixed);
	g_free(ends);
	dependenciesDrop(reader);
	return ret;
}

/* ---- Edges ------------------------------------------------------------- */

static const hdINode *dependenciesNodeOf(const struct dependencies *self,
					 uint32_t trace)
{
	if (self->forest && trace >= self->firstRelation)
		return forestFileOf(self->forest, trace - self->firstRelation)
			->file->node;
	return g_array_index(self->nodes, const hdINode *, trace);
}

int64_t dependencyResidual(const struct dependencies *self, uint32_t a,
			   uint32_t b)
{
	int64_t residual;

	residualsGet(self->residuals, dependenciesNodeOf(self, a),
		     dependenciesNodeOf(self, b), &residual);
	return residual;
}

/** Compare its times with what clocks allow. */
static void dependenciesCheckTimes(struct dependencies *self,
				   struct dependency *edge)
{
	int64_t residual;
	bool isKnown;

	edge->early = 0;
	if (edge->fromTime <= edge->toTime)
		return;
	edge->early = edge->fromTime - edge->toTime;
	isKnown = residualsGet(self->residuals,
			       dependenciesNodeOf(self, edge->from),
			       dependenciesNodeOf(self, edge->to), &residual);
	if (isKnown && edge->early > residual) {
		edge->certainty = DEPENDENCY_IMPOSSIBLE;
		self->counts.backwards++;
		self->counts.worst = MAX(self->counts.worst, edge->early);
		return;
	}
	self->counts.clamped++;
	edge->fromTime = edge->toTime;
}

/** Whether something waited. A thread is there no earlier than its first
 * region, a relation no earlier than its cause, and what a graph's activity
 * follows is handed over at once. */
static bool isWait(const struct dependency *edge)
{
	return edge->from != edge->to &&
	       edge->certainty != DEPENDENCY_IMPOSSIBLE &&
	       (edge->kind & DEPENDENCIES_OF_RELATIONS ||
		edge->fromTime > edge->toStart ||
		(edge->fromTime == edge->toStart &&
		 (edge->kind & (DEPENDENCY_FORK | DEPENDENCY_GRAPH))));
}

int dependencyMake(struct dependencies *self, struct dependency *edge)
{
	if (!(edge->kind & self->filter.kinds))
		return 0;
	dependenciesCheckTimes(self, edge);
	if (self->filter.onlyWaits && !isWait(edge))
		return 0;
	return sorterAdd(self->edges, edge);
}

void dependencyAddPart(struct dependencyJoin *join,
		       const struct dependencyEnd *end, int64_t rank)
{
	const struct dependencyPart part = {
		.trace = end->trace,
		.rank = rank,
		.start = end->start,
		.waited = end->waited,
		.end = end->time,
		.touched = INT64_MIN,
		.isAgain = end->isAgain,
		.receives = end->receives,
	};

	g_array_append_val(join->parts, part);
}

int dependencyHandOn(struct dependencyJoin *join, struct dependencyMatch *match)
{
	const struct dependencyFilter *filter = &join->dependencies->filter;
	int ret;

	match->parts =
		(const struct dependencyPart *)(const void *)join->parts->data;
	match->count = join->parts->len;
	ret = filter->take(match, filter->takeData);
	g_array_set_size(join->parts, 0);
	return ret;
}

/** What came last was the last of its channel, or of its number. */
static int finishJoin(struct dependencyJoin *join, uint8_t source)
{
	int ret = sources[source]->finish(join);

	g_array_set_size(join->held, 0);
	join->next = 0;
	join->strays = 0;
	return ret;
}

static int dependenciesJoinAll(struct dependencies *self)
{
	struct dependencyJoin join = {
		.dependencies = self,
		.held = g_array_new(FALSE, FALSE, sizeof(struct dependencyEnd)),
		.parts = g_array_new(FALSE, FALSE,
				     sizeof(struct dependencyPart)),
	};
	struct dependencyEnd end;
	struct dependencyEnd last = { .channel = UINT32_MAX };
	int ret = 0;

	while (ret == 0 && (ret = sorterNext(self->ends, &end)) == 1) {
		ret = 0;
		if (last.channel != UINT32_MAX &&
		    (end.channel != last.channel ||
		     (sources[end.source]->byNumber &&
		      end.number != last.number)))
			ret = finishJoin(&join, last.source);
		if (end.channel != last.channel)
			join.members = 0;
		join.channel = channelsAt(self->channels, end.channel);
		if (ret == 0)
			ret = sources[end.source]->take(&join, &end);
		last = end;
	}
	if (ret == 0 && last.channel != UINT32_MAX)
		ret = finishJoin(&join, last.source);
	g_array_unref(join.held);
	g_array_unref(join.parts);
	return ret;
}

int dependenciesNext(struct dependencies *self, struct dependency *edge)
{
	int ret = self->isJoined ? 0 : dependenciesJoinAll(self);

	if (!self->isJoined) {
		sorterFree(self->ends);
		self->ends = NULL;
	}
	self->isJoined = true;
	return ret < 0 ? ret : sorterNext(self->edges, edge);
}

struct dependencyCounts dependenciesCounts(const struct dependencies *self)
{
	return self->counts;
}
