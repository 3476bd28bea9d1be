/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The project of a replay: states of ranks, with what they send and receive,
 * and the power of hosts. Lines of one call are one state. Messages of
 * collective calls are not told, since nobody called a function for them. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdError.h>
#include <hdTrace.h>

#include "PredictionLibrary/command/replay/timedproject.h"
#include "PredictionLibrary/output/series.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"

/* Records and entries between two calls that write them. */
#define TIMED_FLUSH 500

/* Tags from here on are of collective calls. */
#define TIMED_COLLECTIVE (INT64_C(1) << 30)

/* What a message is waited for by. */
struct timedRequest {
	int64_t key[3]; /* Sender, receiver, tag. */
	GQueue *open;   /* struct timedPost * */
};

struct timedPost {
	int64_t rid;
	int64_t size;
};

/* A part of a call. */
struct timedItem {
	char action; /* s, r: waits for the message; i, j: begins it; w */
	int64_t peer;
	int64_t tag;
	int64_t size;
	int64_t rid;
};

/* A rank: its trace, and the call that is put together. */
struct timedTrace {
	hdTrace *trace;
	uint64_t block;
	GString *function;
	GString *arguments; /* Of a single action. */
	GString *action;
	double start, end;
	GArray *items;        /* struct timedItem */
	GHashTable *requests; /* key to struct timedRequest */
	int64_t rids;
	uint32_t written;
};

struct timedProject {
	struct replay *replay;
	const char *name;
	hdTopology *topology;
	struct timedTrace *traces;
	struct timedLinks *links; /* Or NULL. */
	int64_t base;             /* Its start, in ns since 1970. */
	int error;                /* Why it could not begin; 0: it has. */
};

struct timespec timedProjectTime(const struct timedProject *self,
				 double seconds)
{
	int64_t ns = self->base + llround(seconds * 1e9);

	return hdClockToTimespec(ns);
}

/* ---- Requests ---------------------------------------------------------- */

static guint timedWriteHash(gconstpointer data)
{
	const int64_t *key = data;

	return (guint)(key[0] * 7919 + key[1] * 104729 + key[2]);
}

static gboolean timedWriteIsSame(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, 3 * sizeof(int64_t)) == 0;
}

static void timedWriteFreeRequest(void *data)
{
	struct timedRequest *request = data;

	g_queue_free_full(request->open, g_free);
	g_free(request);
}

static int64_t timedWritePost(struct timedTrace *trace, const int64_t key[3],
			      int64_t size)
{
	struct timedRequest *request =
		g_hash_table_lookup(trace->requests, key);
	struct timedPost *post = g_new(struct timedPost, 1);

	if (!request) {
		request = g_new(struct timedRequest, 1);
		memcpy(request->key, key, sizeof(request->key));
		request->open = g_queue_new();
		g_hash_table_insert(trace->requests, request->key, request);
	}
	*post = (struct timedPost){ ++trace->rids, size };
	g_queue_push_tail(request->open, post);
	return post->rid;
}

static struct timedPost timedWriteDone(struct timedTrace *trace,
				       const int64_t key[3])
{
	struct timedRequest *request =
		g_hash_table_lookup(trace->requests, key);
	struct timedPost *post =
		request ? g_queue_pop_head(request->open) : NULL;
	struct timedPost result = post ? *post : (struct timedPost){ -1, 0 };

	g_free(post);
	return result;
}

/* ---- Calls ------------------------------------------------------------- */

/** Read an action with a message; false: it has none. */
static bool timedWriteItem(struct timedTrace *trace, int64_t rank,
			   const struct tiLine *line, struct timedItem *item)
{
	long long numbers[3];
	const char *action = line->action;
	struct timedPost post;

	if (sscanf(line->arguments, "%lld %lld %lld", &numbers[0], &numbers[1],
		   &numbers[2]) != 3)
		return false;
	*item = (struct timedItem){ .peer = numbers[0],
				    .tag = numbers[1],
				    .size = numbers[2] };
	item->action = strcmp(action, "send") == 0    ? 's'
		       : strcmp(action, "recv") == 0  ? 'r'
		       : strcmp(action, "isend") == 0 ? 'i'
		       : strcmp(action, "irecv") == 0 ? 'j'
		       : strcmp(action, "wait") == 0  ? 'w'
						      : '\0';
	if (item->action == 'i')
		item->rid = timedWritePost(
			trace, (int64_t[]){ rank, item->peer, item->tag },
			item->size);
	if (item->action == 'j')
		item->rid = timedWritePost(
			trace, (int64_t[]){ item->peer, rank, item->tag },
			item->size);
	if (item->action == 'w') {
		post = timedWriteDone(
			trace,
			(int64_t[]){ numbers[0], numbers[1], numbers[2] });
		/* What was sent has no source. */
		item->peer = numbers[0] == rank && numbers[1] != rank
				     ? -1
				     : numbers[0];
		item->tag = numbers[2];
		item->rid = post.rid;
		item->size = post.size;
	}
	return item->action;
}

/* Attributes of the one message of a call, or elements for several. */
static bool timedWriteNumbers(hdTrace *trace, bool isOne, const char *keys,
			      const int64_t *values)
{
	return isOne ? hdT_logAttributesInt64(trace, keys, values) == 0
		     : hdT_logElementInt64(trace, "Request", keys, values) == 0;
}

static bool timedWriteMessage(hdTrace *trace, const struct timedItem *item,
			      bool isOne)
{
	const int64_t begun[] = { item->size, item->peer, item->tag, 0,
				  item->rid };
	const int64_t done[] = { item->rid, item->peer, item->tag, item->size,
				 0 };

	if (item->tag >= TIMED_COLLECTIVE)
		return true;
	switch (item->action) {
	case 's':
		return timedWriteNumbers(trace, isOne, "size toRank toTag cid",
					 begun);
	case 'r':
		return timedWriteNumbers(trace, isOne,
					 "size fromRank fromTag cid", begun);
	case 'i':
		return timedWriteNumbers(trace, isOne,
					 "size toRank toTag cid rid", begun);
	case 'j':
		return timedWriteNumbers(
			trace, isOne, "size fromRank fromTag cid rid", begun);
	default:
		return item->peer < 0
			       ? timedWriteNumbers(trace, isOne, "rid", done)
			       : timedWriteNumbers(
					 trace, isOne,
					 "rid fromRank fromTag size cid", done);
	}
}

/* A call that sends, receives and waits for both. */
static bool timedWriteExchange(hdTrace *trace, const GArray *items)
{
	const struct timedItem *sent = NULL, *received = NULL;
	bool isGood = true;

	for (guint i = 0; i < items->len; i++) {
		const struct timedItem *item =
			&g_array_index(items, struct timedItem, i);

		if (item->action == 'i')
			sent = item;
		if (item->action == 'j')
			received = item;
	}
	if (sent)
		isGood = hdT_logAttributesInt64(trace, "size toRank toTag",
						(int64_t[]){ sent->size,
							     sent->peer,
							     sent->tag }) == 0;
	if (received && isGood)
		isGood = hdT_logAttributesInt64(
				 trace, "fromRank fromTag recvSize",
				 (int64_t[]){ received->peer, received->tag,
					      received->size }) == 0;
	return isGood && hdT_logAttributeInt64(trace, "cid", 0) == 0;
}

/* Collective calls of all ranks: what the first arguments of their action are.
 */
static const struct {
	const char *action;
	const char *keys; /* "-" of what is not recorded. */
	bool isRootLast;
} timedCollectives[] = {
	{ "barrier", "", false },
	{ "bcast", "size rootRank", false },
	{ "reduce", "size - rootRank", false },
	{ "allreduce", "size", false },
	{ "scan", "size", false },
	{ "exscan", "size", false },
	{ "gather", "size recvSize root", false },
	{ "scatter", "size recvSize root", false },
	{ "allgather", "size recvSize", false },
	{ "alltoall", "size recvSize", false },
	{ "gatherv", "size", true },
	{ "scatterv", "", true },
	{ "allgatherv", "size", false },
	{ "alltoallv", "size", false },
	{ "reducescatter", "", false },
};

static bool timedWriteCollective(hdTrace *trace, const char *action,
				 const char *arguments)
{
	char **words, **keys;
	bool isGood = true;
	size_t i = 0;

	while (i < G_N_ELEMENTS(timedCollectives) &&
	       strcmp(timedCollectives[i].action, action) != 0)
		i++;
	if (i == G_N_ELEMENTS(timedCollectives))
		return true;
	words = g_strsplit(arguments, " ", -1);
	keys = g_strsplit(timedCollectives[i].keys, " ", -1);
	for (guint k = 0; keys[k] && words[k] && *keys[k] && isGood; k++)
		isGood = strcmp(keys[k], "-") == 0 ||
			 hdT_logAttributeInt64(
				 trace, keys[k],
				 g_ascii_strtoll(words[k], NULL, 10)) == 0;
	if (timedCollectives[i].isRootLast && isGood)
		isGood =
			hdT_logAttributeInt64(
				trace, "root",
				g_ascii_strtoll(words[g_strv_length(words) - 1],
						NULL, 10)) == 0;
	g_strfreev(words);
	g_strfreev(keys);
	return isGood && hdT_logAttributeInt64(trace, "cid", 0) == 0;
}

static bool timedWriteContent(struct timedTrace *self)
{
	const GArray *items = self->items;
	guint begun = 0, done = 0;
	bool isGood = true;

	if (items->len == 0)
		return timedWriteCollective(self->trace, self->action->str,
					    self->arguments->str);
	for (guint i = 0; i < items->len; i++) {
		char action = g_array_index(items, struct timedItem, i).action;

		begun += action == 'i' || action == 'j';
		done += action == 'w';
	}
	if (begun && done)
		return g_array_index(items, struct timedItem, 0).tag >=
			       TIMED_COLLECTIVE ||
		       timedWriteExchange(self->trace, items);
	for (guint i = 0; i < items->len && isGood; i++)
		isGood = timedWriteMessage(
			self->trace, &g_array_index(items, struct timedItem, i),
			items->len == 1);
	return isGood;
}

/* Write the call that was put together. */
static bool timedWriteCall(struct timedProject *self, struct timedTrace *trace)
{
	struct timespec start = timedProjectTime(self, trace->start);
	struct timespec end = timedProjectTime(self, trace->end);
	bool isGood = true;

	if (trace->function->len)
		isGood = hdT_logStateStartAt(trace->trace, trace->function->str,
					     &start) == 0 &&
			 timedWriteContent(trace) &&
			 hdT_logStateEndAt(trace->trace, &end) == 0 &&
			 (++trace->written % TIMED_FLUSH ||
			  hdT_flush(trace->trace) == 0);
	g_string_truncate(trace->function, 0);
	g_array_set_size(trace->items, 0);
	return isGood;
}

bool timedProjectAdd(struct timedProject *self, size_t rank,
		     const struct tiLine *line, double start, double end)
{
	struct timedTrace *trace = &self->traces[rank];
	struct timedItem item;

	if (trace->function->len == 0 || line->block != trace->block) {
		if (!timedWriteCall(self, trace))
			return false;
		trace->block = line->block;
		trace->start = start;
		g_string_assign(trace->function, line->function);
		g_string_assign(trace->action, line->action);
		g_string_assign(trace->arguments, line->arguments);
	}
	trace->end = end;
	if (timedWriteItem(trace, (int64_t)rank, line, &item))
		g_array_append_val(trace->items, item);
	return true;
}

/* ---- Hosts ------------------------------------------------------------- */

char *timedProjectLabel(const char *name)
{
	char *label = g_strdup(name);

	g_strcanon(label,
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		   "0123456789.-",
		   '-');
	if (*label == '-')
		*label = 'x';
	return label;
}

hdTopoNode *timedProjectNode(const struct timedProject *self,
			     const char *const path[], int levels)
{
	/* It does not change the path. */
	return hdT_createTopoNode(self->topology, (const char **)path, levels);
}

/* The label of a host; "links" has the rows of links. */
static char *timedWriteHostLabel(const struct timedProject *self, guint host)
{
	char *label = timedProjectLabel(replayHostAt(self->replay, host)->name);

	if (strcmp(label, TIMED_LINKS) == 0) {
		g_free(label);
		label = g_strdup("host-" TIMED_LINKS);
	}
	return label;
}

static hdTopoNode *timedWriteNode(const struct timedProject *self, guint host,
				  gssize rank)
{
	char *label = timedWriteHostLabel(self, host);
	char number[24];
	const char *path[] = { label, number, "0" };
	hdTopoNode *node;

	g_snprintf(number, sizeof(number), "%" G_GSSIZE_FORMAT, rank);
	node = timedProjectNode(self, path, rank < 0 ? 1 : 3);
	g_free(label);
	return node;
}

static void timedWriteBeginSeries(struct timedProject *self, guint number)
{
	static const struct hdPredictColumn column = { "P",     DOUBLE,  "W",
						       "Power", "gauge", NULL };
	hdTopoNode *node = timedWriteNode(self, number, -1);
	struct hdPredictSeries *series = g_new(struct hdPredictSeries, 1);

	*series = hdPredictSeriesOn(node, 1, self->base, "simgrid", "Energy",
				    &column, 1);
	replayHostAt(self->replay, number)->series = series;
	if (node)
		hdT_destroyTopoNode(node);
}

void timedProjectPower(struct timedProject *self, guint host, double until,
		       double power)
{
	const union hdPredictCell cell = { .number = power };

	if (replayHostAt(self->replay, host)->series)
		hdPredictSeriesWrite(replayHostAt(self->replay, host)->series,
				     until, &cell);
}

static bool timedWriteBeginTrace(struct timedProject *self, size_t rank)
{
	struct timedTrace *trace = &self->traces[rank];
	struct timespec start = timedProjectTime(self, 0);
	hdTopoNode *node = timedWriteNode(self, self->replay->ranks[rank].host,
					  (gssize)rank);

	trace->function = g_string_new(NULL);
	trace->arguments = g_string_new(NULL);
	trace->action = g_string_new(NULL);
	trace->items = g_array_new(FALSE, FALSE, sizeof(struct timedItem));
	trace->requests = g_hash_table_new_full(
		timedWriteHash, timedWriteIsSame, NULL, timedWriteFreeRequest);
	trace->trace = node ? hdT_createTraceAt(node, &start) : NULL;
	if (node)
		hdT_destroyTopoNode(node);
	if (trace->trace)
		hdT_setTimeBase(trace->trace, HD_TIME_AS_GIVEN);
	return trace->trace;
}

struct timedProject *timedProjectNew(struct replay *replay, const char *name)
{
	static const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
					HD_LEVEL_THREAD };
	struct timedProject *self = g_new0(struct timedProject, 1);
	bool isGood;

	self->replay = replay;
	self->name = name;
	self->base = tiReport(replay->ti)->start;
	self->topology = hdT_createTopology(name, levels, 3);
	self->traces = g_new0(struct timedTrace, replay->count + 1);
	isGood = self->topology;
	for (size_t i = 0; i < replay->count && isGood; i++)
		isGood = timedWriteBeginTrace(self, i);
	for (guint i = 0; i < replay->hosts->len && isGood; i++) {
		const struct replayHost *host = replayHostAt(replay, i);

		if (host->ranks > 0 && host->watts.isKnown)
			timedWriteBeginSeries(self, i);
	}
	if (isGood && replay->hasLinks)
		self->links = timedLinksNew(self);
	/* Errors of libhdTracing have no text for users. */
	if (!isGood)
		self->error = errno > 0 && errno < HD_ERR_BASE ? -errno : -EIO;
	return self;
}

struct timedLinks *timedProjectLinks(const struct timedProject *self)
{
	return self->links;
}

int64_t timedProjectBase(const struct timedProject *self)
{
	return self->base;
}

bool timedProjectIsGood(const struct timedProject *self)
{
	return self->error == 0;
}

/* ---- The end ----------------------------------------------------------- */

static void timedWritePutHost(const struct timedProject *self, FILE *file,
			      guint host)
{
	char *label = timedWriteHostLabel(self, host);
	char number[24];

	hdProjectTag(file, 4, "Node name", label, false);
	for (size_t i = 0; i < self->replay->count; i++) {
		if (self->replay->ranks[i].host != host)
			continue;
		g_snprintf(number, sizeof(number), "%zu", i);
		hdProjectTag(file, 6, "Node name", number, false);
		hdProjectTag(file, 8, "Node name", "0", true);
		hdProjectEnd(file, 6, "Node");
	}
	hdProjectEnd(file, 4, "Node");
	g_free(label);
}

static bool timedWriteHasPower(const struct timedProject *self)
{
	for (guint i = 0; i < self->replay->hosts->len; i++) {
		const struct replayHost *host = replayHostAt(self->replay, i);

		if (host->ranks > 0 && host->watts.isKnown)
			return true;
	}
	return false;
}

static void timedWriteGroups(const struct timedProject *self, FILE *file)
{
	bool hasPower = timedWriteHasPower(self);
	bool hasLinks = self->links && timedLinksAny(self->links);

	if (!hasPower && !hasLinks)
		return;
	fputs("  <ExternalStatistics>\n", file);
	if (hasPower)
		fputs("    <Energy />\n", file);
	if (hasLinks)
		fputs("    <" TIMED_LINK " />\n", file);
	fputs("  </ExternalStatistics>\n", file);
}

static int timedWriteFile(const struct timedProject *self)
{
	char *path = hdProjectFileName(self->name, ".proj");
	char *base = g_path_get_basename(self->name);
	FILE *file = path ? fopen(path, "wxe") : NULL;
	int ret = file ? 0 : -errno;

	free(path);
	if (file) {
		hdProjectBegin(file, base,
			       "simulated: a run that was replayed by SimGrid");
		fputs("  <Topology>\n    <Level type=\"Host\">\n"
		      "      <Level type=\"Rank\">\n"
		      "        <Level type=\"Thread\" />\n"
		      "      </Level>\n    </Level>\n",
		      file);
		for (guint i = 0; i < self->replay->hosts->len; i++) {
			if (replayHostAt(self->replay, i)->ranks > 0)
				timedWritePutHost(self, file, i);
		}
		if (self->links)
			timedLinksPut(self->links, file);
		fputs("  </Topology>\n  <CommunicatorList>\n"
		      "    <Communicator name=\"WORLD\">\n",
		      file);
		for (size_t i = 0; i < self->replay->count; i++)
			fprintf(file,
				"      <Rank global=\"%zu\" local=\"%zu\" "
				"cid=\"0\" />\n",
				i, i);
		fputs("    </Communicator>\n  </CommunicatorList>\n", file);
		timedWriteGroups(self, file);
		fputs("</Application>\n", file);
		if (ferror(file))
			ret = -EIO;
		if (fclose(file) != 0 && ret == 0)
			ret = -errno;
	}
	g_free(base);
	return ret;
}

static bool timedWriteEndTrace(struct timedProject *self,
			       struct timedTrace *trace, bool isGood)
{
	hdLosses losses = { 0, 0 };

	if (!trace->function)
		return false;
	if (trace->trace) {
		isGood = isGood && timedWriteCall(self, trace) &&
			 hdT_flush(trace->trace) == 0 &&
			 hdT_getLosses(trace->trace, &losses) == 0;
		isGood &= hdT_finalize(trace->trace) == 0 && !losses.records;
	}
	g_string_free(trace->function, TRUE);
	g_string_free(trace->arguments, TRUE);
	g_string_free(trace->action, TRUE);
	g_array_unref(trace->items);
	g_hash_table_destroy(trace->requests);
	return isGood && trace->trace;
}

static bool timedWriteEndSeries(struct replayHost *host)
{
	struct hdPredictSeries *series = host->series;
	union hdPredictCell cell = { .number = 0 };
	bool isGood;

	if (!series)
		return true;
	/* All was written up to the end. */
	isGood = hdPredictSeriesEnd(series, series->last, &cell) == 0;
	g_free(series);
	host->series = NULL;
	return isGood;
}

int timedProjectEnd(struct timedProject *self, bool isGood)
{
	bool isWritten = true;
	int ret;

	for (size_t i = 0; i < self->replay->count; i++)
		isWritten &= timedWriteEndTrace(self, &self->traces[i], isGood);
	for (guint i = 0; i < self->replay->hosts->len; i++)
		isWritten &= timedWriteEndSeries(replayHostAt(self->replay, i));
	if (self->links)
		isWritten &= timedLinksEnd(self->links, self->replay->time);
	ret = self->error           ? self->error
	      : isWritten && isGood ? timedWriteFile(self)
	      : isGood              ? -EIO
				    : 0;
	if (self->topology)
		hdT_destroyTopology(self->topology);
	timedLinksFree(self->links);
	g_free(self->traces);
	g_free(self);
	return ret;
}
