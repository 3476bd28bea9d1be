/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Time-independent traces of a run: its ranks, and whether they fit.
 */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/model/ti/tiinside.h"
#include "common/number.h"

/** Records of a rank that are read to find what is counted. */
#define PROBE_RECORDS 200

/** More problems are not noted. */
#define PROBLEMS_MAX 20

/* ---- Ranks ------------------------------------------------------------- */

static void tiClearRank(struct tiRank *rank)
{
	tiTextClear(&rank->text);
	g_array_unref(rank->names);
	g_hash_table_destroy(rank->channels);
	g_array_unref(rank->joined);
	g_array_unref(rank->collectives);
	g_ptr_array_unref(rank->problems);
}

static void tiInitRank(struct ti *self, size_t number,
		       const hdITraceFile *trace)
{
	struct tiRank *rank = &self->ranks[number];

	*rank = (struct tiRank){
		.owner = self,
		.number = number,
		.trace = trace,
		.host = rolesAt(trace->node, 1)->label,
		.names = g_array_new(FALSE, FALSE, sizeof(struct tiName)),
		.channels = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						  NULL, g_free),
		.joined = g_array_new(FALSE, FALSE, sizeof(struct tiJoined)),
		.collectives = g_array_new(FALSE, TRUE, sizeof(uint64_t)),
		.problems = g_ptr_array_new_with_free_func(g_free),
	};
	rank->prefixLength = (size_t)g_snprintf(
		rank->prefix, sizeof(rank->prefix), "%zu ", number);
	tiTextInit(&rank->text, &self->file);
}

static void tiNoteProblem(GPtrArray *problems, char *text)
{
	if (problems->len < PROBLEMS_MAX)
		g_ptr_array_add(problems, text);
	else
		g_free(text);
}

/** Find the first trace of each rank; NULL: a rank has none. */
static const hdITraceFile **tiFindTraces(struct ti *self)
{
	const hdIProject *project = self->project;
	const hdITraceFile **traces =
		g_new0(const hdITraceFile *, project->traceCount + 1);
	int64_t rank, last = -1;

	for (size_t i = 0; i < project->traceCount; i++) {
		rank = messagesRankOf(project, project->traces[i]->node);
		if (rank < 0)
			continue;
		last = MAX(last, rank);
		if (rank < (int64_t)project->traceCount && !traces[rank])
			traces[rank] = project->traces[i];
	}
	self->count = 0;
	while (self->count < project->traceCount && traces[self->count])
		self->count++;
	if (last >= (int64_t)self->count)
		tiNoteProblem(
			self->problems,
			g_strdup_printf("rank %zu has no trace", self->count));
	return traces;
}

/** Whether the calls of a rank have a count of the time before them. */
static void tiProbe(const struct ti *self, const hdITraceFile *trace,
		    bool has[2])
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(self->project, trace, &diagnosticsDropped);
	const hdIRecord *record;

	has[0] = has[1] = false;
	if (!reader)
		return;
	for (int i = 0;
	     i < PROBE_RECORDS && hdI_readTrace(reader, &record) == 1; i++) {
		has[0] |= messagesNumber(record->attributes,
					 record->attributeCount,
					 "outsideInstructions", NULL);
		has[1] |= messagesNumber(record->attributes,
					 record->attributeCount,
					 "outsideTaskClock", NULL);
	}
	hdI_closeTrace(reader);
}

/** All ranks count the same. */
static enum tiCompute tiFindCompute(const struct ti *self)
{
	bool all[2] = { self->count > 0, self->count > 0 }, has[2];

	for (size_t i = 0; i < self->count && (all[0] || all[1]); i++) {
		tiProbe(self, self->ranks[i].trace, has);
		all[0] &= has[0];
		all[1] &= has[1];
	}
	return all[0] ? TI_INSTRUCTIONS : all[1] ? TI_CPU_TIME : TI_WALL_TIME;
}

struct ti *tiNew(const hdIProject *project, double speed)
{
	struct ti *self = g_new0(struct ti, 1);
	const hdITraceFile **traces;

	self->project = project;
	hdNumberPrepare();
	self->speed = speed;
	self->start = INT64_MAX;
	self->messages = messagesNew(project);
	self->problems = g_ptr_array_new_with_free_func(g_free);
	self->report.fates = g_array_new(FALSE, FALSE, sizeof(struct tiFate));
	tiFileInit(&self->file);
	traces = tiFindTraces(self);
	self->ranks = g_new0(struct tiRank, self->count + 1);
	for (size_t i = 0; i < self->count; i++)
		tiInitRank(self, i, traces[i]);
	g_free(traces);
	self->start = extentOfProject(project).start;
	self->report.compute = tiFindCompute(self);
	return self;
}

void tiFree(struct ti *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->count; i++)
		tiClearRank(&self->ranks[i]);
	g_free(self->ranks);
	tiFileClear(&self->file);
	messagesFree(self->messages);
	g_ptr_array_unref(self->problems);
	g_array_unref(self->report.fates);
	g_free(self);
}

size_t tiRanks(const struct ti *self)
{
	return self->count;
}

const hdITraceFile *tiTrace(const struct ti *self, size_t rank)
{
	return self->ranks[rank].trace;
}

const char *tiHost(const struct ti *self, size_t rank)
{
	return self->ranks[rank].host;
}

int tiRead(struct ti *self, size_t rank, const struct diagnosticSink *sink)
{
	return tiReadRank(&self->ranks[rank], sink);
}

void tiRefuse(struct tiRank *self, int64_t time, const char *format, ...)
{
	double seconds = (double)(time - self->owner->start) / 1e9;
	va_list list;
	char *text;

	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	tiNoteProblem(self->problems,
		      g_strdup_printf("rank %zu: %s at %.9g s", self->number,
				      text, seconds));
	g_free(text);
}

/* ---- Whether they fit -------------------------------------------------- */

static int tiCompareChannels(const void *a, const void *b)
{
	const struct tiChannel *const *x = a, *const *y = b;

	return ((*x)->key > (*y)->key) - ((*x)->key < (*y)->key);
}

/** A channel has another end of as many messages. */
static void tiCheckChannel(const struct ti *self, struct tiRank *rank,
			   const struct tiChannel *channel)
{
	int64_t mapped = channel->key >> 1 & (INT64_C(0x7fffffff));
	int64_t key =
		(int64_t)rank->number << 32 | mapped << 1 | !channel->isSent;
	const struct tiChannel *other =
		g_hash_table_lookup(self->ranks[channel->peer].channels, &key);
	uint64_t count = other ? other->count : 0;

	if (count >= channel->count)
		return;
	tiRefuse(rank, channel->last,
		 "%" PRIu64 " of %" PRIu64 " messages %s rank %" PRId64
		 " with tag %" PRId64 " %s, the last one",
		 channel->count - count, channel->count,
		 channel->isSent ? "to" : "from", channel->peer, channel->tag,
		 channel->isSent ? "are not received" : "were not sent");
}

static void tiCheckMessages(const struct ti *self, struct tiRank *rank)
{
	GPtrArray *all = g_ptr_array_new();
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, rank->channels);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_ptr_array_add(all, value);
	g_ptr_array_sort(all, tiCompareChannels);
	for (guint i = 0; i < all->len; i++)
		tiCheckChannel(self, rank, all->pdata[i]);
	g_ptr_array_unref(all);
}

static uint64_t tiCollectivesOf(const struct tiRank *rank, guint group)
{
	return group < rank->collectives->len
		       ? g_array_index(rank->collectives, uint64_t, group)
		       : 0;
}

/** All ranks of a communicator make as many collective calls on it. */
static void tiCheckCollectives(struct ti *self,
			       const struct messageGroup *group)
{
	struct tiRank *first = NULL;

	for (guint i = 0; i < group->globals->len; i++) {
		int64_t number = g_array_index(group->globals, int64_t, i);
		struct tiRank *rank;

		if (number < 0 || (size_t)number >= self->count)
			return;
		rank = &self->ranks[number];
		if (!first)
			first = rank;
		if (tiCollectivesOf(rank, group->number) ==
		    tiCollectivesOf(first, group->number))
			continue;
		tiRefuse(rank, rank->end,
			 "%" PRIu64 " collective calls on communicator %u, "
			 "but %" PRIu64 " of rank %zu",
			 tiCollectivesOf(rank, group->number), group->number,
			 tiCollectivesOf(first, group->number), first->number);
		return;
	}
}

/** Ranks know only their part, so that all would have to make messages of it.
 */
static void tiCheckSizes(struct ti *self)
{
	struct tiRank *rank = &self->ranks[0];

	for (guint i = 0; i < rank->joined->len; i++) {
		if (!tiIsTooLarge(self, i))
			continue;
		tiRefuse(rank, rank->end,
			 "%s of 2 GiB or more in all; the run ends",
			 tiActionOf(
				 g_array_index(rank->joined, struct tiJoined, i)
					 .operation));
		return;
	}
}

/** What is joined of all ranks is the same call, and SMPI can count it. */
static void tiCheckJoined(struct ti *self)
{
	const GArray *first = self->ranks[0].joined;
	bool isSame = true;

	for (size_t i = 1; i < self->count; i++) {
		struct tiRank *rank = &self->ranks[i];
		guint same = 0;

		while (same < MIN(first->len, rank->joined->len) &&
		       g_array_index(first, struct tiJoined, same).operation ==
			       g_array_index(rank->joined, struct tiJoined,
					     same)
				       .operation)
			same++;
		if (same < first->len || same < rank->joined->len) {
			tiRefuse(rank, rank->end,
				 "other collective calls than rank 0, until");
			isSame = false;
		}
	}
	if (isSame)
		tiCheckSizes(self);
}

static bool tiHasProblems(const struct ti *self)
{
	for (size_t i = 0; i < self->count; i++) {
		if (self->ranks[i].problems->len)
			return true;
	}
	return self->problems->len;
}

static void tiCheck(struct ti *self)
{
	const GPtrArray *groups = messagesGroups(self->messages);

	/* Of a trace that is cut ends are missing. */
	if (tiHasProblems(self))
		return;
	for (guint i = 0; i < groups->len; i++)
		tiCheckCollectives(self, groups->pdata[i]);
	if (self->count)
		tiCheckJoined(self);
	for (size_t i = 0; i < self->count; i++)
		tiCheckMessages(self, &self->ranks[i]);
}

/* ---- What became of it ------------------------------------------------- */

static const char *tiFateOf(const struct tiName *name, enum tiOutcome outcome)
{
	enum tiOperation operation;
	enum tiForm form;

	switch (outcome) {
	case TI_MAPPED:
		return *name->action ? name->action : "nothing";
	case TI_AS_MESSAGES:
		if (!tiFindOperation(name->function, &operation, &form))
			return NULL;
		return tiAlgorithmOf(operation, form == TI_BEGUN);
	default:
		return NULL;
	}
}

static void tiAddFate(struct ti *self, const struct tiName *name,
		      enum tiOutcome outcome)
{
	struct tiFate fate = { name->function, tiFateOf(name, outcome),
			       name->counts[outcome] };

	for (guint i = 0; i < self->report.fates->len; i++) {
		struct tiFate *other =
			&g_array_index(self->report.fates, struct tiFate, i);

		if (other->function == fate.function && other->to == fate.to) {
			other->count += fate.count;
			return;
		}
	}
	g_array_append_val(self->report.fates, fate);
}

static int tiCompareFates(const void *a, const void *b)
{
	const struct tiFate *x = a, *y = b;
	int order = strcmp(x->function, y->function);

	return order ? order : g_strcmp0(x->to, y->to);
}

static void tiAddRank(struct ti *self, const struct tiRank *rank)
{
	struct tiReport *report = &self->report;

	for (guint i = 0; i < rank->names->len; i++) {
		const struct tiName *name =
			&g_array_index(rank->names, struct tiName, i);

		for (int k = 0; name->function && k < TI_OUTCOMES; k++) {
			if (name->counts[k])
				tiAddFate(self, name, k);
		}
	}
	report->calls += rank->calls;
	report->messages += rank->messageCount;
	report->synchronous += rank->synchronous;
	report->estimated += rank->estimated;
	if (rank->hasBegun)
		report->start = MIN(report->start, rank->start);
	if (rank->hasEnded)
		report->end = MAX(report->end, rank->end);
}

void tiJoin(struct ti *self)
{
	self->report.start = INT64_MAX;
	self->report.end = INT64_MIN;
	tiCheck(self);
	for (size_t i = 0; i < self->count; i++) {
		struct tiRank *rank = &self->ranks[i];

		for (guint k = 0; k < rank->problems->len; k++)
			tiNoteProblem(self->problems,
				      g_strdup(rank->problems->pdata[k]));
		tiAddRank(self, rank);
	}
	g_array_sort(self->report.fates, tiCompareFates);
}

const GPtrArray *tiProblems(const struct ti *self)
{
	return self->problems;
}

const struct tiReport *tiReport(const struct ti *self)
{
	return &self->report;
}

const char *tiComputeName(enum tiCompute compute)
{
	static const char *const names[] = {
		[TI_INSTRUCTIONS] = "instructions",
		[TI_CPU_TIME] = "cpu_time",
		[TI_WALL_TIME] = "wall_time",
	};

	return names[compute];
}

int tiWrite(const struct ti *self, size_t number, FILE *file)
{
	const struct tiRank *rank = &self->ranks[number];
	uint64_t from = 0;
	int ret = 0;

	for (guint i = 0; i < rank->joined->len && ret == 0; i++) {
		uint64_t until =
			g_array_index(rank->joined, struct tiJoined, i).offset;

		ret = tiTextCopy(&rank->text, from, until, file);
		tiPrintJoined(self, number, i, file);
		from = until;
	}
	return ret < 0 ? ret
		       : tiTextCopy(&rank->text, from,
				    tiTextLength(&rank->text), file);
}
