/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: tables of an interval.
 *
 * One table is made at a time, in the threads of tasks.h. The one that was
 * asked for last comes first; it waits only while another one is asked for,
 * too. Tables that are complete are kept as text, the newest ones.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/findings/stateprofiles.h"
#include "HDTraceTools/report/json/json.h"
#include "HDTraceTools/view/matrix.h"
#include "HDTraceTools/view/tables.h"

/** So long a page may be silent: a timer of one in the background fires once a
 *  second. */
#define SILENCE_US (5 * G_TIME_SPAN_SECOND)
/** So many tables are kept, and so many bytes of them. */
#define TABLES_MAX 64
#define TABLES_BYTES (16 << 20)

enum tableState { TABLE_WAITING, TABLE_RUNNING, TABLE_COMPLETE, TABLE_FAILED };

/** A table of an interval. */
struct table {
	struct viewTables *tables;
	enum viewTable kind;
	int64_t start;
	int64_t end;
	enum tableState state;
	gint64 asked;            /**< When it was asked for last. */
	int64_t done;            /**< Bytes. */
	struct profile *sum;     /**< While it is made. */
	struct traffic *traffic; /**< When it was read, until there is text. */
	char *text;              /**< When it is complete. */
};

struct viewTables {
	const struct findings *findings;
	struct stateProfiles *source;  /**< NULL: there are no states. */
	int64_t sizes[VIEW_PAIRS + 1]; /**< Bytes to read, by kind. */
	GThread *thread;               /**< From viewTablesStart() on. */
	pthread_mutex_t mutex;         /**< Protects what follows. */
	pthread_cond_t changed;
	bool isOver;
	GQueue tables; /**< struct table, the one asked for last first. */
	size_t bytes;  /**< Of their texts. */
};

static void tableFree(struct table *table)
{
	profileFree(table->sum);
	trafficFree(table->traffic);
	free(table->text);
	g_free(table);
}

/** Forget a table; it is not the one that is made. */
static void tablesDrop(struct viewTables *self, struct table *table)
{
	g_queue_remove(&self->tables, table);
	if (table->text)
		self->bytes -= strlen(table->text);
	tableFree(table);
}

/** Forget the oldest ones. */
static void tablesTrim(struct viewTables *self)
{
	while (self->tables.length > TABLES_MAX ||
	       (self->bytes > TABLES_BYTES && self->tables.length > 1)) {
		struct table *last = g_queue_peek_tail(&self->tables);

		if (last->state == TABLE_RUNNING)
			break;
		tablesDrop(self, last);
	}
}

/* ---- Text --------------------------------------------------------------- */

static void tablesPutStates(const struct viewTables *self,
			    const struct table *table, struct outJson *json)
{
	GPtrArray *states;

	outJsonBool(json, "hasEnergy", self->findings->attribution != NULL);
	if (table->sum) {
		states = findingsListStates(table->sum, true);
		reportJsonPutStates(json, self->findings, states);
		g_ptr_array_unref(states);
	} else {
		outJsonArray(json, "states", false);
		outJsonEnd(json);
	}
}

/** Put how far a table is, and its rows. */
static char *tablesPut(const struct viewTables *self, const struct table *table)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct outJson json = { .file = file, .isInPage = false };

	if (!file)
		g_error("no memory");
	outJsonObject(&json, NULL, false);
	outJsonInteger(&json, "done", table->done);
	outJsonInteger(&json, "total", self->sizes[table->kind]);
	outJsonBool(&json, "isComplete", table->state == TABLE_COMPLETE);
	outJsonBool(&json, "hasFailed", table->state == TABLE_FAILED);
	if (table->kind == VIEW_STATES)
		tablesPutStates(self, table, &json);
	else if (table->traffic)
		matrixPut(&json, table->traffic);
	outJsonEnd(&json);
	if (fclose(file) != 0)
		g_error("no memory");
	return text;
}

/* ---- Making tables ------------------------------------------------------ */

static bool tableProgress(void *data, int64_t bytes)
{
	struct table *table = data;
	struct viewTables *self = table->tables;
	bool goesOn;

	pthread_mutex_lock(&self->mutex);
	table->done += bytes;
	goesOn = !self->isOver &&
		 g_get_monotonic_time() - table->asked < SILENCE_US;
	pthread_mutex_unlock(&self->mutex);
	return goesOn;
}

static void tableTake(void *data, const struct profile *trace)
{
	struct table *table = data;

	pthread_mutex_lock(&table->tables->mutex);
	profileAdd(table->sum, trace);
	pthread_mutex_unlock(&table->tables->mutex);
}

/** The next table to make, or NULL; those that no page waits for go. */
static struct table *tablesNext(struct viewTables *self)
{
	gint64 now = g_get_monotonic_time();
	GList *next;

	for (GList *at = self->tables.head; at; at = next) {
		struct table *table = at->data;

		next = at->next;
		if (table->state != TABLE_WAITING)
			continue;
		if (now - table->asked < SILENCE_US)
			return table;
		tablesDrop(self, table);
	}
	return NULL;
}

/** Read what a table is of; 0 or a negative errno. */
static int tableRead(struct viewTables *self, struct table *table,
		     struct traffic **traffic)
{
	const struct stateProfilesWatch watch = {
		.progress = tableProgress,
		.take = tableTake,
		.data = table,
	};

	if (table->kind == VIEW_PAIRS)
		return matrixRead(self->findings->project, table->start,
				  table->end, tableProgress, table, traffic);
	return stateProfilesRead(self->source, table->start, table->end,
				 &watch);
}

/** Make a table, with the mutex held but not while files are read. */
static void tablesMake(struct viewTables *self, struct table *table)
{
	struct traffic *traffic = NULL;
	int ret;

	table->state = TABLE_RUNNING;
	table->done = 0;
	if (table->kind == VIEW_STATES)
		table->sum = stateProfilesSum(self->source);
	pthread_mutex_unlock(&self->mutex);
	ret = tableRead(self, table, &traffic);
	pthread_mutex_lock(&self->mutex);
	if (ret == -ECANCELED) {
		tablesDrop(self, table);
		return;
	}
	table->state = ret < 0 ? TABLE_FAILED : TABLE_COMPLETE;
	table->done = self->sizes[table->kind];
	table->traffic = traffic;
	table->text = tablesPut(self, table);
	self->bytes += strlen(table->text);
	profileFree(table->sum);
	trafficFree(table->traffic);
	table->sum = NULL;
	table->traffic = NULL;
	tablesTrim(self);
}

static gpointer tablesRun(gpointer data)
{
	struct viewTables *self = data;
	struct table *table;

	pthread_mutex_lock(&self->mutex);
	while (!self->isOver) {
		table = tablesNext(self);
		if (table)
			tablesMake(self, table);
		else
			pthread_cond_wait(&self->changed, &self->mutex);
	}
	pthread_mutex_unlock(&self->mutex);
	return NULL;
}

/* ---- Asking ------------------------------------------------------------- */

/** The table of an interval, which becomes the newest one. */
static struct table *tablesFind(struct viewTables *self, enum viewTable kind,
				int64_t start, int64_t end)
{
	struct table *table = NULL;

	for (GList *at = self->tables.head; at && !table; at = at->next) {
		struct table *one = at->data;

		if (one->kind != kind || one->start != start || one->end != end)
			continue;
		table = one;
		g_queue_delete_link(&self->tables, at);
		break;
	}
	if (!table) {
		table = g_new0(struct table, 1);
		table->tables = self;
		table->kind = kind;
		table->start = start;
		table->end = end;
	}
	g_queue_push_head(&self->tables, table);
	return table;
}

int viewTablesAsk(struct viewTables *self, enum viewTable kind, int64_t start,
		  int64_t end, GByteArray *body)
{
	struct table *table;
	char *text;
	int ret;

	if (kind == VIEW_STATES && !self->source)
		return -ENOTSUP;
	pthread_mutex_lock(&self->mutex);
	table = tablesFind(self, kind, start, end);
	table->asked = g_get_monotonic_time();
	if (table->state == TABLE_WAITING) {
		tablesTrim(self);
		pthread_cond_signal(&self->changed);
	}
	text = table->text ? table->text : tablesPut(self, table);
	g_byte_array_append(body, (const guint8 *)text, (guint)strlen(text));
	ret = table->text ? 0 : 1;
	if (!table->text)
		free(text);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

struct viewTables *viewTablesNew(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	struct viewTables *self = g_new0(struct viewTables, 1);

	self->findings = findings;
	if (stateProfilesArePossible(project)) {
		self->source = stateProfilesNew(findings);
		self->sizes[VIEW_STATES] = stateProfilesSize(self->source);
	}
	for (size_t i = 0; i < project->traceCount; i++)
		self->sizes[VIEW_PAIRS] += project->traces[i]->fileSize;
	g_queue_init(&self->tables);
	pthread_mutex_init(&self->mutex, NULL);
	pthread_cond_init(&self->changed, NULL);
	return self;
}

void viewTablesStart(struct viewTables *self)
{
	self->thread = g_thread_new("tables", tablesRun, self);
}

void viewTablesFree(struct viewTables *self)
{
	if (!self)
		return;
	pthread_mutex_lock(&self->mutex);
	self->isOver = true;
	pthread_cond_signal(&self->changed);
	pthread_mutex_unlock(&self->mutex);
	if (self->thread)
		g_thread_join(self->thread);
	while (self->tables.length)
		tableFree(g_queue_pop_head(&self->tables));
	stateProfilesFree(self->source);
	pthread_cond_destroy(&self->changed);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}
