/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --shares: tables of what the states of traces took, and of the
 * C-states of CPUs.
 *
 * A state counts without those that lie in it, so that the cells of a row add
 * up to the whole.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/stat/costs.h"
#include "HDTraceTools/stat/cstates.h"
#include "HDTraceTools/stat/shareprint.h"
#include "HDTraceTools/stat/shares.h"

/* ---- Tables ------------------------------------------------------------ */

struct shareTable *shareTableNew(const char *key, const char *title,
				 const char *unit)
{
	struct shareTable *self = g_new0(struct shareTable, 1);

	self->key = key;
	self->title = title;
	self->unit = unit;
	self->nodes = g_ptr_array_new();
	self->cpus = g_ptr_array_new();
	self->states = g_ptr_array_new();
	self->cells = g_array_new(FALSE, FALSE, sizeof(struct shareCell));
	self->texts = g_string_chunk_new(256);
	return self;
}

void shareTableFree(struct shareTable *self)
{
	if (!self)
		return;
	g_ptr_array_unref(self->nodes);
	g_ptr_array_unref(self->cpus);
	g_ptr_array_unref(self->states);
	g_array_unref(self->cells);
	g_string_chunk_free(self->texts);
	g_free(self);
}

void shareTableRow(struct shareTable *self, const char *node, const char *cpu)
{
	g_ptr_array_add(self->nodes, (void *)node);
	g_ptr_array_add(self->cpus, (void *)cpu);
}

const struct shareCell *shareTableCell(const struct shareTable *self, guint row,
				       guint column)
{
	return &g_array_index(self->cells, struct shareCell,
			      row * self->states->len + column);
}

/** What figures are made of. */
struct shareSums {
	guint rows;
	double total;
	double squares; /**< Of the distances from the average. */
	double maximum;
	double minimum;
	int64_t seconds;
	struct known known;
};

static struct shareSums sharesSumUp(const struct shareTable *self, guint column)
{
	struct shareSums sums = { .maximum = -INFINITY, .minimum = INFINITY };

	for (guint i = 0; i < self->nodes->len; i++) {
		const struct shareCell *cell = shareTableCell(self, i, column);

		sums.known.knownNs += cell->known.knownNs;
		sums.known.durationNs += cell->known.durationNs;
		if (isnan(cell->amount))
			continue;
		sums.rows++;
		sums.total += cell->amount;
		sums.seconds += cell->seconds;
		sums.maximum = fmax(sums.maximum, cell->amount);
		sums.minimum = fmin(sums.minimum, cell->amount);
	}
	for (guint i = 0; i < self->nodes->len; i++) {
		double amount = shareTableCell(self, i, column)->amount;

		if (!isnan(amount))
			sums.squares += pow(amount - sums.total / sums.rows, 2);
	}
	return sums;
}

static double figureOf(const struct shareSums *sums, enum shareFigure figure)
{
	double average = sums->total / sums->rows;

	switch (figure) {
	case SHARE_TOTAL:
		return sums->total;
	case SHARE_AVERAGE:
		return average;
	case SHARE_MAXIMUM:
		return sums->maximum;
	case SHARE_MINIMUM:
		return sums->minimum;
	case SHARE_STDDEV:
		return sqrt(sums->squares / sums->rows);
	case SHARE_BALANCE:
		return sums->maximum > 0 ? average / sums->maximum : NAN;
	case SHARE_FIGURES:
		break;
	}
	return NAN;
}

struct shareCell shareTableFigure(const struct shareTable *self, guint column,
				  enum shareFigure figure, guint *rows)
{
	struct shareSums sums = sharesSumUp(self, column);

	*rows = sums.rows;
	return (struct shareCell){
		.amount = sums.rows ? figureOf(&sums, figure) : NAN,
		.seconds = figure == SHARE_TOTAL && sums.rows &&
					   shareTableCell(self, 0, column)
							   ->seconds >= 0
				   ? sums.seconds
				   : -1,
		.known = sums.known,
	};
}

/* ---- States of traces -------------------------------------------------- */

/** States by the time in them. */
struct shareState {
	const char *name;
	int64_t time;
};

static gint sharesCompareStates(gconstpointer a, gconstpointer b)
{
	const struct shareState *first = a, *second = b;

	if (first->time != second->time)
		return first->time < second->time ? 1 : -1;
	return g_strcmp0(first->name, second->name);
}

static int64_t sharesTimeOf(const struct costs *costs, const char *name)
{
	int64_t time = 0;

	for (guint i = 0; i < costs->traces->len; i++) {
		const struct profile *profile = costsTraceAt(costs, i)->profile;
		const struct profileState *state =
			profile ? profileFind(profile, name) : NULL;

		time += state ? state->own.time : 0;
	}
	return time;
}

/** Find the columns: in no state, and then what took most. */
static GPtrArray *findStates(const struct costs *costs)
{
	GPtrArray *names = costsNames(costs, "*");
	GPtrArray *sorted = g_ptr_array_new();
	GArray *states = g_array_new(FALSE, FALSE, sizeof(struct shareState));

	for (guint i = 0; i < names->len; i++) {
		struct shareState state = { names->pdata[i], 0 };

		state.time = sharesTimeOf(costs, state.name);
		g_array_append_val(states, state);
	}
	g_array_sort(states, sharesCompareStates);
	g_ptr_array_add(sorted, NULL);
	for (guint i = 0; i < states->len; i++)
		g_ptr_array_add(sorted, (void *)g_array_index(
						states, struct shareState, i)
						.name);
	g_array_unref(states);
	g_ptr_array_unref(names);
	return sorted;
}

/** What a trace spent in states of a name, or in none (NULL). */
struct shareSpent {
	int64_t time;
	struct attributionAmount amount; /**< Of a measure. */
};

/** @param time What there is in all; -1: while it was active. */
static struct shareSpent spentIn(const struct costsTrace *read,
				 const struct selection *selection,
				 const char *name, int measure, int64_t time)
{
	const struct profile *profile = read->profile;
	const struct profileState *state =
		name ? profileFind(profile, name) : NULL;
	struct shareSpent rest = { .time = time };

	if (name && !state)
		return (struct shareSpent){ .time = 0 };
	if (state)
		return (struct shareSpent){
			state->own.time,
			measure < 0 ? (struct attributionAmount){ 0 }
				    : state->own.amounts[measure],
		};
	if (time < 0)
		rest.time = MAX(MIN(profile->end, selection->end) -
					MAX(profile->start, selection->start),
				0);
	if (measure >= 0)
		rest.amount = read->whole[measure];
	for (guint i = 0; i < profile->states->len; i++) {
		state = profile->states->pdata[i];
		rest.time -= state->own.time;
		if (measure < 0)
			continue;
		rest.amount.pico -= state->own.amounts[measure].pico;
		rest.amount.measured -= state->own.amounts[measure].measured;
	}
	rest.time = MAX(rest.time, 0);
	rest.amount.measured = MAX(rest.amount.measured, 0);
	return rest;
}

static struct shareTable *sharesNewTable(const struct costs *costs,
					 const GPtrArray *states,
					 const char *key, const char *title,
					 const char *unit)
{
	struct shareTable *table = shareTableNew(key, title, unit);

	for (guint i = 0; i < states->len; i++)
		g_ptr_array_add(table->states, states->pdata[i]);
	for (guint i = 0; i < costs->traces->len; i++)
		shareTableRow(table, costsTraceAt(costs, i)->trace->node->path,
			      NULL);
	return table;
}

static struct shareTable *timeTable(const struct costs *costs,
				    const GPtrArray *states, int64_t length)
{
	struct shareTable *table =
		sharesNewTable(costs, states, "time",
			       "Time in states, without nested states", "%");

	for (guint i = 0; i < table->nodes->len * states->len; i++) {
		const struct costsTrace *read =
			costsTraceAt(costs, i / states->len);
		struct shareCell cell = { NAN, 0, { 0, length } };

		if (read->profile) {
			cell.seconds = spentIn(read, costs->scan.selection,
					       states->pdata[i % states->len],
					       -1, length)
					       .time;
			cell.known.knownNs = length;
			cell.amount = length > 0
					      ? 100.0 * (double)cell.seconds /
							(double)length
					      : NAN;
		}
		g_array_append_val(table->cells, cell);
	}
	return table;
}

static struct shareCell energyCell(const struct costsTrace *read,
				   const struct selection *selection,
				   const char *state, int measure)
{
	struct shareSpent spent = spentIn(read, selection, state, measure, -1);
	struct shareCell cell = {
		.seconds = spent.time,
		.known = { spent.amount.measured, spent.time },
	};

	/* Nothing costs nothing, if any power is known. */
	if (spent.time == 0)
		cell.amount = read->whole[measure].measured > 0 ? 0 : NAN;
	else
		cell.amount = knownTotal(cell.known,
					 attributionEnergy(&spent.amount));
	return cell;
}

static struct shareTable *energyTable(const struct costs *costs,
				      const GPtrArray *states, guint number)
{
	const struct costsMeasure *measure = costsMeasureAt(costs, number);
	struct shareTable *table = sharesNewTable(
		costs, states, "energy",
		"Energy of states, without nested states", measure->energyUnit);

	table->group = measure->group;
	table->value = measure->name;
	table->isSimulated = measure->isSimulated;
	table->isTotal = true;
	for (guint i = 0; i < table->nodes->len * states->len; i++) {
		const struct costsTrace *read =
			costsTraceAt(costs, i / states->len);
		struct shareCell cell = { .amount = NAN };

		if (read->profile)
			cell = energyCell(read, costs->scan.selection,
					  states->pdata[i % states->len],
					  (int)number);
		g_array_append_val(table->cells, cell);
	}
	return table;
}

static void addStateTables(const struct costs *costs, int64_t length,
			   GPtrArray *tables)
{
	GPtrArray *states = findStates(costs);

	if (costs->traces->len)
		g_ptr_array_add(tables, timeTable(costs, states, length));
	for (guint i = 0; costs->traces->len && i < costs->measures->len; i++)
		g_ptr_array_add(tables, energyTable(costs, states, i));
	g_ptr_array_unref(states);
}

/* ---- The whole --------------------------------------------------------- */

int sharesPrint(struct tool *tool, const hdIProject *project,
		const struct selection *selection, enum attributionRule rule)
{
	GPtrArray *tables =
		g_ptr_array_new_with_free_func((GDestroyNotify)shareTableFree);
	struct extent run = extentOfProject(project);
	struct shareTable *cstates;
	struct costs costs;
	int ret = 0;

	costsInit(&costs, tool, project, selection);
	costsRead(&costs, rule);
	addStateTables(&costs,
		       extentLength(&run, selection->start, selection->end),
		       tables);
	cstates = cstatesRead(&costs.scan, &run);
	if (cstates)
		g_ptr_array_add(tables, cstates);
	if (tables->len) {
		sharePrint(tool, project, tables);
	} else {
		toolError(tool,
			  "--shares: the project has neither traces nor shares "
			  "of C-states");
		ret = -1;
	}
	g_ptr_array_unref(tables);
	costsClear(&costs);
	return ret;
}
