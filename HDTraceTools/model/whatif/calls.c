/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Calls of MPI: those of all traces are in one temporary file, in pieces.
 */
#include "config.h"

#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/whatif/calls.h"

/** A call. */
struct callsCall {
	int64_t start;
	int64_t end;
	int64_t inside; /**< Of the time between them; see polls.h. */
};

/** Calls that are written at once, and that are read at once. */
#define CALLS_PIECE 512
#define CALLS_READ 16

/** A trace. */
struct callsList {
	struct callsTrace trace;
	GArray *pieces; /**< uint64_t: where they are. */
};

struct calls {
	struct callsList *lists;
	size_t count;
	char *name;          /**< States that are kept instead; or NULL. */
	struct spool *spool; /**< struct callsCall */
	pthread_mutex_t mutex;
};

struct callsReader {
	struct calls *owner;
	struct callsList *list;
	struct names *names;
	GArray *kinds; /**< uint8_t of each name. */
	struct callsCall held[CALLS_PIECE];
	size_t count;
	int error;
};

/** What states of a name are, as bits. */
enum callsKind {
	CALLS_NONE,
	CALLS_MPI = 1,
	CALLS_INIT = 2,
	CALLS_FINALIZE = 4,
	CALLS_POLLS = 8,
};

struct calls *callsNew(size_t traces, const char *name)
{
	struct calls *self = g_new0(struct calls, 1);

	self->name = g_strdup(name);

	self->lists = g_new0(struct callsList, traces + 1);
	self->count = traces;
	self->spool = spoolNew();
	pthread_mutex_init(&self->mutex, NULL);
	for (size_t i = 0; i < traces; i++)
		self->lists[i].trace = (struct callsTrace){
			.start = INT64_MAX,
			.end = INT64_MIN,
			.initEnd = INT64_MIN,
			.finalizeStart = INT64_MAX,
		};
	return self;
}

void callsFree(struct calls *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->count; i++) {
		if (self->lists[i].pieces)
			g_array_unref(self->lists[i].pieces);
	}
	g_free(self->lists);
	g_free(self->name);
	spoolFree(self->spool);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

const struct callsTrace *callsOf(const struct calls *self, size_t trace)
{
	return &self->lists[trace].trace;
}

/* ---- While traces are read --------------------------------------------- */

struct callsReader *callsEnter(struct calls *self, size_t trace)
{
	struct callsReader *reader = g_new0(struct callsReader, 1);

	reader->owner = self;
	reader->list = &self->lists[trace];
	reader->list->pieces = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	reader->names = namesNew();
	reader->kinds = g_array_new(FALSE, FALSE, sizeof(uint8_t));
	return reader;
}

static uint8_t callsKindOf(const struct calls *self, const char *name)
{
	if (self->name)
		return strcmp(name, self->name) == 0 ? CALLS_MPI : CALLS_NONE;
	if (strcmp(name, "Polls") == 0)
		return CALLS_POLLS;
	if (strcmp(name, "Init") == 0 || strcmp(name, "Init_thread") == 0)
		return CALLS_MPI | CALLS_INIT;
	if (strcmp(name, "Finalize") == 0)
		return CALLS_MPI | CALLS_FINALIZE;
	return mpiIsFunction(name) || pollsIsTracer(name) ? CALLS_MPI
							  : CALLS_NONE;
}

static uint8_t callsKind(struct callsReader *reader, const char *name)
{
	uint32_t number = namesNumber(reader->names, name);

	for (guint i = reader->kinds->len; i <= number; i++) {
		uint8_t kind =
			callsKindOf(reader->owner, namesAt(reader->names, i));

		g_array_append_val(reader->kinds, kind);
	}
	return g_array_index(reader->kinds, uint8_t, number);
}

static void callsFlush(struct callsReader *reader)
{
	struct calls *self = reader->owner;
	uint64_t offset;

	if (reader->count == 0)
		return;
	pthread_mutex_lock(&self->mutex);
	offset = spoolLength(self->spool);
	if (reader->error == 0)
		reader->error =
			spoolAppend(self->spool, reader->held,
				    reader->count * sizeof(*reader->held));
	pthread_mutex_unlock(&self->mutex);
	g_array_append_val(reader->list->pieces, offset);
	reader->count = 0;
}

/** Time of a state in calls and in the tracer. */
static int64_t callsInside(const hdIRecord *record)
{
	struct pollsPart parts[POLLS_PARTS + 1];
	size_t count = pollsParts(record, parts);
	int64_t inside = 0;

	for (size_t i = 0; i < count; i++)
		inside += parts[i].time;
	return count ? inside : record->end - record->start;
}

int callsNote(struct callsReader *reader, const hdIRecord *record)
{
	struct callsTrace *trace = &reader->list->trace;
	struct callsCall call = { .start = record->start, .end = record->end };
	uint8_t kind;

	trace->start = MIN(trace->start, record->start);
	trace->end = MAX(trace->end, record->end);
	if (record->kind != HDI_STATE)
		return reader->error;
	kind = callsKind(reader, record->name);
	if (kind == CALLS_NONE)
		return reader->error;
	if (kind & CALLS_INIT)
		trace->initEnd = record->end;
	if (kind & CALLS_FINALIZE)
		trace->finalizeStart = record->start;
	call.inside = callsInside(record);
	/* What lies in it came before it. */
	while (reader->count &&
	       reader->held[reader->count - 1].start >= call.start) {
		reader->count--;
		trace->count--;
	}
	/* A piece is full when the next one comes. */
	if (reader->count == CALLS_PIECE)
		callsFlush(reader);
	reader->held[reader->count++] = call;
	trace->count++;
	return reader->error;
}

int callsLeave(struct callsReader *reader)
{
	int ret;

	callsFlush(reader);
	ret = reader->error;
	namesFree(reader->names);
	g_array_unref(reader->kinds);
	g_free(reader);
	return ret;
}

/* ---- Reading ----------------------------------------------------------- */

struct callsCursor {
	const struct calls *owner;
	const struct callsList *list;
	struct callsCall held[CALLS_READ];
	uint64_t next; /**< The first that is not read yet. */
	size_t at;     /**< Of those that are. */
	size_t count;
	int64_t before; /**< Time in those that are over. */
	int error;
};

struct callsCursor *callsCursorNew(const struct calls *self, size_t trace)
{
	struct callsCursor *cursor = g_new0(struct callsCursor, 1);

	cursor->owner = self;
	cursor->list = &self->lists[trace];
	return cursor;
}

void callsCursorFree(struct callsCursor *cursor)
{
	g_free(cursor);
}

/** The next call; NULL: there is none. */
static const struct callsCall *callsNext(struct callsCursor *cursor)
{
	uint64_t left = cursor->list->trace.count - cursor->next;
	uint64_t inPiece = CALLS_PIECE - cursor->next % CALLS_PIECE;
	uint64_t offset;

	if (cursor->at < cursor->count)
		return &cursor->held[cursor->at];
	if (left == 0 || cursor->error)
		return NULL;
	offset = g_array_index(cursor->list->pieces, uint64_t,
			       cursor->next / CALLS_PIECE) +
		 cursor->next % CALLS_PIECE * sizeof(struct callsCall);
	cursor->count = (size_t)MIN(MIN(left, inPiece), CALLS_READ);
	cursor->at = 0;
	cursor->error = spoolPeek(cursor->owner->spool, offset, cursor->held,
				  cursor->count * sizeof(struct callsCall));
	cursor->next += cursor->count;
	return cursor->error ? NULL : cursor->held;
}

int64_t callsUntil(struct callsCursor *cursor, int64_t time)
{
	const struct callsCall *call;

	while ((call = callsNext(cursor)) && call->end <= time) {
		cursor->before += call->inside;
		cursor->at++;
	}
	if (cursor->error)
		return INT64_MIN;
	if (!call || call->start >= time || call->end == call->start)
		return cursor->before;
	return cursor->before +
	       (int64_t)((__int128)call->inside * (time - call->start) /
			 (call->end - call->start));
}
