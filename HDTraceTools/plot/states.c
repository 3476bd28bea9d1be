/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: time lines of states, one for each trace.
 *
 * A trace is read twice: to find which states take most time, since these are
 * told apart, and to draw them. Of each bin of the picture it is known how much
 * time each of these takes.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/plot/statecolour.h"
#include "HDTraceTools/plot/plot.h"

/** Levels of states that are shown if nobody says how many. */
#define DEPTHS 2
/** With so many traces only one is. */
#define MANY_ROWS 64

/** States beyond the coloured ones. */
static const struct canvasColor otherColor = { 0.6, 0.6, 0.6 };

void plotFreeRow(void *data)
{
	struct plotRow *row = data;

	g_free(row->times);
	g_free(row);
}

struct canvasColor plotStateColor(const struct plot *plot, guint number)
{
	if (number >= plot->colored)
		return otherColor;
	return g_array_index(plot->names, struct plotName, number).color;
}

static struct canvasColor colorOf(const char *name)
{
	uint32_t colour = stateColour(name);

	return (struct canvasColor){
		(colour >> 16) / 255.0,
		(colour >> 8 & 0xff) / 255.0,
		(colour & 0xff) / 255.0,
	};
}

static gint plotStatesByTime(gconstpointer a, gconstpointer b)
{
	const struct plotName *x = a;
	const struct plotName *y = b;

	return (x->time < y->time) - (x->time > y->time);
}

/** Only what can be seen has a colour: of so many parts of all time one. */
#define SEEN_PARTS 1000

static void nameStates(struct plot *plot)
{
	int64_t all = 0;

	for (guint i = 0; i < plot->profile->states->len; i++) {
		const struct profileState *state =
			plot->profile->states->pdata[i];
		struct plotName name = {
			.name = state->name,
			.time = state->total.time,
		};

		g_array_append_val(plot->names, name);
		all += name.time;
	}
	g_array_sort(plot->names, plotStatesByTime);
	for (guint i = 0; i < plot->names->len; i++) {
		struct plotName *name =
			&g_array_index(plot->names, struct plotName, i);

		if (i < PLOT_NAMES_MAX && name->time >= all / SEEN_PARTS)
			plot->colored = i + 1;
		name->color = colorOf(name->name);
	}
}

/** A project whose rows are chosen. */
struct rowsChosen {
	struct plot *plot;
	const struct plotSource *source;
};

static bool plotStatesShowProgress(void *data, const hdIRecord *record,
				   const struct site *site)
{
	(void)site;
	toolProgressAt(data, record->offset);
	return true;
}

static void plotStatesAddRow(const hdITraceFile *trace, void *data)
{
	const struct rowsChosen *self = data;
	const struct plotSource *source = self->source;
	struct plot *plot = self->plot;
	struct plotRow *row;
	struct profile *profile;
	int ret = profileRead(source->project, trace, NULL, NULL, 0,
			      source->selection.start, source->selection.end,
			      false, plotStatesShowProgress, plot->tool,
			      &profile);

	if (ret < 0) {
		if (ret != -EBADMSG)
			toolError(plot->tool, "%s: %s", trace->file,
				  strerror(-ret));
		return;
	}
	if (profile->start <= profile->end) {
		plot->start = MIN(plot->start, profile->start + source->shift);
		plot->end = MAX(plot->end, profile->end + source->shift);
	}
	profileAdd(plot->profile, profile);
	profileFree(profile);
	row = g_new0(struct plotRow, 1);
	row->source = source;
	row->trace = trace;
	row->path = plotPathOf(source, trace->node);
	g_ptr_array_add(plot->rows, row);
}

void plotChooseRows(struct plot *plot)
{
	int64_t size = 0;

	for (size_t i = 0; i < plot->sourceCount && plot->states; i++)
		size += scanTracesSize(&plot->sources[i].scan);
	toolProgressStart(plot->tool, size);
	for (size_t i = 0; i < plot->sourceCount && plot->states; i++) {
		struct rowsChosen chosen = { plot, &plot->sources[i] };

		scanTraces(&plot->sources[i].scan, plotStatesAddRow, &chosen);
	}
	toolProgressEnd(plot->tool);
	nameStates(plot);
	if (plot->depth == 0)
		plot->depth = plot->rows->len > MANY_ROWS ? 1 : DEPTHS;
}

/* ---- Reading ----------------------------------------------------------- */

/** So much of the time of a state is its own; see polls.h. */
struct ownPart {
	int64_t part;
	int64_t all;
};

/** Add a state, the part of it that is in the picture, to the bins. */
static void plotStatesAddState(const struct plot *plot,
			       const struct plotRow *row, unsigned int depth,
			       guint name, int64_t start, int64_t end,
			       struct ownPart own)
{
	size_t first = plotBinOf(plot, start);
	size_t last = plotBinOf(plot, MAX(end - 1, start));

	for (size_t i = first; i <= last; i++) {
		int64_t from = i == first ? start : plotBinStart(plot, i);
		int64_t to = i == last ? end : plotBinStart(plot, i + 1);

		plotTimesOf(plot, row, depth, i)[name] +=
			(int64_t)((__int128)MAX(to - from, 0) * own.part /
				  own.all);
	}
}

/** A row while it is read. */
struct rowRead {
	const struct plot *plot;
	struct plotRow *row;
	GHashTable *numbers; /**< Of names of states. */
};

/** Add what a record has of a name. */
static void plotStatesAddPart(struct rowRead *self, const hdIRecord *record,
			      const char *name, int64_t part)
{
	const struct plot *plot = self->plot;
	int64_t shift = self->row->source->shift;
	int64_t start = MAX(record->start + shift, plot->start);
	int64_t end = MIN(record->end + shift, plot->end);
	struct ownPart own = { part, record->end - record->start };
	gpointer number;

	if (own.all <= 0)
		own = (struct ownPart){ 1, 1 };
	if (g_hash_table_lookup_extended(self->numbers, name, NULL, &number))
		plotStatesAddState(plot, self->row, record->depth,
				   GPOINTER_TO_UINT(number), start, end, own);
}

static bool plotStatesAddRecord(const hdIRecord *record, void *data)
{
	struct rowRead *self = data;
	struct pollsPart parts[POLLS_PARTS + 1];
	size_t count;
	const struct plot *plot = self->plot;
	int64_t shift = self->row->source->shift;
	int64_t start = MAX(record->start + shift, plot->start);
	int64_t end = MIN(record->end + shift, plot->end);

	if (record->kind != HDI_STATE || end < start ||
	    record->depth >= (unsigned int)plot->depth)
		return true;
	self->row->depths = MAX(self->row->depths, record->depth + 1);
	count = pollsParts(record, parts);
	for (size_t i = 0; i < count; i++)
		plotStatesAddPart(self, record, parts[i].name, parts[i].time);
	if (count == 0)
		plotStatesAddPart(self, record, record->name,
				  record->end - record->start);
	return true;
}

static void plotStatesReadRow(struct plot *plot, struct plotRow *row,
			      GHashTable *numbers)
{
	/* All was said when the rows were chosen. */
	const struct scan scan = { .tool = plot->tool,
				   .project = row->source->project,
				   .sink = &diagnosticsDropped };
	struct rowRead self = { plot, row, numbers };
	hdITraceReader *reader = scanOpenTrace(&scan, row->trace);

	row->times = g_new0(int64_t, (size_t)plot->depth * plot->binCount *
					     (plot->colored + 1));
	if (reader)
		hdI_skipTrace(reader, plot->start - row->source->shift,
			      plot->end - row->source->shift);
	scanRecords(&scan, reader, plotStatesAddRecord, &self);
	hdI_closeTrace(reader);
	toolProgressFile(plot->tool, row->trace->fileSize);
}

void plotReadRows(struct plot *plot)
{
	GHashTable *numbers = g_hash_table_new(g_str_hash, g_str_equal);
	int64_t size = 0;

	for (guint i = 0; i < plot->names->len; i++)
		g_hash_table_insert(
			numbers,
			(gpointer)g_array_index(plot->names, struct plotName, i)
				.name,
			GUINT_TO_POINTER(MIN(i, plot->colored)));
	for (guint i = 0; i < plot->rows->len; i++)
		size += ((struct plotRow *)plot->rows->pdata[i])
				->trace->fileSize;
	toolProgressStart(plot->tool, size);
	for (guint i = 0; i < plot->rows->len; i++)
		plotStatesReadRow(plot, plot->rows->pdata[i], numbers);
	toolProgressEnd(plot->tool);
	g_hash_table_destroy(numbers);
}
