/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Regions and call sites: where a trace is at a time.
 */
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/regions/regions.h"

/** Intervals that are read at once. */
#define REGIONS_READ 16

/** A region, or a call with a site. */
struct regionInterval {
	int64_t start;
	int64_t end;
	uint32_t number;
	uint32_t isSite;
};

/** The same, while they are sorted. */
struct regionSorted {
	struct regionInterval interval;
	uint32_t trace;
	uint32_t depth;
};

/** The intervals of a trace, by their starts. */
struct regionList {
	uint64_t offset;
	uint64_t count;
};

struct regions {
	struct sorter *sorter;
	struct spool *spool; /**< struct regionInterval, trace by trace. */
	struct regionList *lists;
	size_t traces;
	pthread_mutex_t mutex; /**< For what follows, and the sorter. */
	struct names *names;
	GHashTable *siteKeys; /**< Keys to their numbers. */
	GPtrArray *sites;     /**< struct site */
};

/** What states of a name are. */
enum regionKind { REGION_OTHER, REGION_CALL, REGION_NAMED };

struct regionsReader {
	struct regions *owner;
	uint32_t trace;
	struct names *names;
	GArray *kinds;    /**< uint8_t of each name ... */
	GArray *numbers;  /**< ... and uint32_t: its number for all; 0. */
	GArray *sites;    /**< uint32_t by the trace's numbers; 0: none. */
	int64_t lastCall; /**< Start of a call that began last. */
	int error;
};

/* ---- Sorting ------------------------------------------------------------ */

/** What is around others comes before these. */
static int regionsCompare(const void *a, const void *b)
{
	const struct regionSorted *x = a;
	const struct regionSorted *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	COMPARE_KEYS(x->interval.start, y->interval.start);
	COMPARE_KEYS(x->depth, y->depth);
	COMPARE_KEYS(y->interval.end, x->interval.end);
	COMPARE_KEYS(x->interval.number, y->interval.number);
	return 0;
}

static void regionsUnref(void *site)
{
	siteUnref(site);
}

struct regions *regionsNew(size_t traces)
{
	struct regions *self = g_new0(struct regions, 1);

	self->sorter = sorterNew(sizeof(struct regionSorted), regionsCompare);
	self->spool = spoolNew();
	self->lists = g_new0(struct regionList, traces + 1);
	self->traces = traces;
	self->names = namesNew();
	self->siteKeys = g_hash_table_new(g_str_hash, g_str_equal);
	self->sites = g_ptr_array_new_with_free_func(regionsUnref);
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void regionsFree(struct regions *self)
{
	if (!self)
		return;
	sorterFree(self->sorter);
	spoolFree(self->spool);
	g_free(self->lists);
	namesFree(self->names);
	g_hash_table_destroy(self->siteKeys);
	g_ptr_array_unref(self->sites);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

/* ---- While traces are read ---------------------------------------------- */

static uint8_t regionsKindOf(const char *name)
{
	if (pollsIsTracer(name))
		return REGION_OTHER;
	if (mpiIsFunction(name) || pollsIsMixed(name) ||
	    g_str_has_prefix(name, "omp."))
		return REGION_CALL;
	return REGION_NAMED;
}

bool regionsIsRegion(const char *name)
{
	return regionsKindOf(name) == REGION_NAMED;
}

struct regionsReader *regionsEnter(struct regions *self, uint32_t trace)
{
	struct regionsReader *reader = g_new0(struct regionsReader, 1);

	reader->owner = self;
	reader->trace = trace;
	reader->names = namesNew();
	reader->kinds = g_array_new(FALSE, FALSE, sizeof(uint8_t));
	reader->numbers = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	reader->sites = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	reader->lastCall = INT64_MIN;
	return reader;
}

/** The number of a name in the trace. */
static uint32_t regionsNumberName(struct regionsReader *reader,
				  const char *name)
{
	uint32_t number = namesNumber(reader->names, name);

	for (guint i = reader->kinds->len; i <= number; i++) {
		uint8_t kind = regionsKindOf(namesAt(reader->names, i));

		g_array_append_val(reader->kinds, kind);
		g_array_set_size(reader->numbers, i + 1);
	}
	return number;
}

/** The number of a name for all traces. */
static uint32_t regionsShareName(struct regionsReader *reader, uint32_t name)
{
	uint32_t *number = &g_array_index(reader->numbers, uint32_t, name);
	struct regions *self = reader->owner;

	if (*number)
		return *number;
	pthread_mutex_lock(&self->mutex);
	*number = namesNumber(self->names, namesAt(reader->names, name)) + 1;
	pthread_mutex_unlock(&self->mutex);
	return *number;
}

static uint32_t regionsShareSite(struct regionsReader *reader,
				 const struct site *site)
{
	struct regions *self = reader->owner;
	uint32_t *number;

	if (reader->sites->len <= site->number)
		g_array_set_size(reader->sites, site->number + 1);
	number = &g_array_index(reader->sites, uint32_t, site->number);
	if (*number)
		return *number;
	pthread_mutex_lock(&self->mutex);
	*number = GPOINTER_TO_UINT(
		g_hash_table_lookup(self->siteKeys, site->key));
	if (!*number) {
		struct site *kept = siteRef(site);

		g_ptr_array_add(self->sites, kept);
		*number = self->sites->len;
		g_hash_table_insert(self->siteKeys, kept->key,
				    GUINT_TO_POINTER(*number));
	}
	pthread_mutex_unlock(&self->mutex);
	return *number;
}

static int regionsAdd(struct regionsReader *reader, const hdIRecord *record,
		      uint32_t number, bool isSite)
{
	struct regions *self = reader->owner;
	const struct regionSorted sorted = {
		.interval = { record->start, record->end, number, isSite },
		.trace = reader->trace,
		.depth = record->depth,
	};

	pthread_mutex_lock(&self->mutex);
	if (reader->error == 0)
		reader->error = sorterAdd(self->sorter, &sorted);
	pthread_mutex_unlock(&self->mutex);
	return reader->error;
}

int regionsNote(struct regionsReader *reader, const hdIRecord *record,
		const struct site *site)
{
	uint32_t name;

	if (record->kind != HDI_STATE)
		return reader->error;
	name = regionsNumberName(reader, record->name);
	switch (g_array_index(reader->kinds, uint8_t, name)) {
	case REGION_CALL:
		reader->lastCall = MAX(reader->lastCall, record->start);
		if (site && record->end > record->start)
			return regionsAdd(reader, record,
					  regionsShareSite(reader, site), true);
		break;
	case REGION_NAMED:
		/* What lies in it came before it. */
		if (record->end > record->start &&
		    reader->lastCall >= record->start)
			return regionsAdd(reader, record,
					  regionsShareName(reader, name),
					  false);
	}
	return reader->error;
}

int regionsLeave(struct regionsReader *reader)
{
	int ret = reader->error;

	namesFree(reader->names);
	g_array_unref(reader->kinds);
	g_array_unref(reader->numbers);
	g_array_unref(reader->sites);
	g_free(reader);
	return ret;
}

int regionsEnd(struct regions *self)
{
	struct regionSorted sorted;
	int ret;

	while ((ret = sorterNext(self->sorter, &sorted)) == 1) {
		struct regionList *list = &self->lists[sorted.trace];

		if (list->count++ == 0)
			list->offset = spoolLength(self->spool);
		ret = spoolAppend(self->spool, &sorted.interval,
				  sizeof(sorted.interval));
		if (ret < 0)
			break;
	}
	sorterFree(self->sorter);
	self->sorter = NULL;
	return ret;
}

uint32_t regionsCount(const struct regions *self)
{
	return namesCount(self->names);
}

const char *regionsName(const struct regions *self, uint32_t region)
{
	return region ? namesAt(self->names, region - 1) : NULL;
}

const struct site *regionsSite(const struct regions *self, uint32_t site)
{
	return site ? self->sites->pdata[site - 1] : NULL;
}

/* ---- Reading ------------------------------------------------------------ */

struct regionsCursor {
	const struct regions *owner;
	const struct regionList *list;
	struct regionInterval held[REGIONS_READ];
	uint64_t next; /**< The first that is not read yet. */
	size_t at;     /**< Of those that are. */
	size_t count;
	GArray *open; /**< struct regionInterval, the innermost last. */
	int64_t time; /**< Of the last mark. */
	int error;
};

struct regionsCursor *regionsCursorNew(const struct regions *self,
				       uint32_t trace)
{
	struct regionsCursor *cursor = g_new0(struct regionsCursor, 1);

	cursor->owner = self;
	cursor->list = &self->lists[trace];
	cursor->open = g_array_new(FALSE, FALSE, sizeof(struct regionInterval));
	cursor->time = INT64_MIN;
	return cursor;
}

void regionsCursorFree(struct regionsCursor *cursor)
{
	if (!cursor)
		return;
	g_array_unref(cursor->open);
	g_free(cursor);
}

/** The next interval; NULL: there is none. */
static const struct regionInterval *regionsPeek(struct regionsCursor *cursor)
{
	uint64_t left = cursor->list->count - cursor->next;

	if (cursor->at < cursor->count)
		return &cursor->held[cursor->at];
	if (left == 0 || cursor->error)
		return NULL;
	cursor->count = (size_t)MIN(left, REGIONS_READ);
	cursor->at = 0;
	cursor->error = spoolPeek(
		cursor->owner->spool,
		cursor->list->offset +
			cursor->next * sizeof(struct regionInterval),
		cursor->held, cursor->count * sizeof(struct regionInterval));
	cursor->next += cursor->count;
	return cursor->error ? NULL : cursor->held;
}

/** An interval begins or ends, not later than a time; false: none does. */
static bool regionsStep(struct regionsCursor *cursor, int64_t until,
			struct regionInterval *interval, bool *isEnd)
{
	const struct regionInterval *next = regionsPeek(cursor);
	guint depth = cursor->open->len;
	const struct regionInterval *last =
		depth ? &g_array_index(cursor->open, struct regionInterval,
				       depth - 1)
		      : NULL;

	if (last && last->end <= until && (!next || last->end <= next->start)) {
		*interval = *last;
		*isEnd = true;
		g_array_set_size(cursor->open, depth - 1);
		return true;
	}
	if (!next || next->start > until)
		return false;
	*interval = *next;
	*isEnd = false;
	g_array_append_val(cursor->open, *interval);
	cursor->at++;
	return true;
}

int regionsCursorFind(struct regionsCursor *cursor, int64_t time,
		      struct regionPlace *place)
{
	struct regionInterval interval;
	bool isEnd;

	*place = (struct regionPlace){ 0, 0 };
	while (regionsStep(cursor, time, &interval, &isEnd))
		;
	for (guint i = 0; i < cursor->open->len; i++) {
		const struct regionInterval *open =
			&g_array_index(cursor->open, struct regionInterval, i);

		if (open->isSite)
			place->site = open->number;
		else
			place->region = open->number;
	}
	return cursor->error;
}

/** Whether a region of a number is open. */
static bool regionsIsOpen(const struct regionsCursor *cursor, guint depth,
			  uint32_t number)
{
	for (guint i = 0; i < depth; i++) {
		const struct regionInterval *open =
			&g_array_index(cursor->open, struct regionInterval, i);

		if (!open->isSite && open->number == number)
			return true;
	}
	return false;
}

int regionsCursorNext(struct regionsCursor *cursor, struct regionMark *mark)
{
	struct regionInterval interval;
	bool isEnd;

	while (regionsStep(cursor, INT64_MAX, &interval, &isEnd)) {
		guint around = cursor->open->len - (isEnd ? 0 : 1);

		if (interval.isSite ||
		    regionsIsOpen(cursor, around, interval.number))
			continue;
		cursor->time = MAX(cursor->time,
				   isEnd ? interval.end : interval.start);
		*mark = (struct regionMark){ cursor->time, interval.number,
					     isEnd };
		return 1;
	}
	return cursor->error;
}
