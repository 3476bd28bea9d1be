/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between a prediction and runs, and why; see trial.h. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/compare/trial.h"

const char *const trialMeasureKeys[TRIAL_MEASURES] = { "time_s",
						       "energy_dynamic_j",
						       "energy_total_j" };

struct trialUse *trialUseOf(struct trial *self, enum trialKind kind,
			    const char *name, size_t run)
{
	char *key = g_strdup_printf("%d %s", (int)kind, name);
	struct trialRow *row = g_hash_table_lookup(self->places, key);
	struct trialUse *use;

	if (row) {
		g_free(key);
	} else {
		row = g_new0(struct trialRow, 1);
		row->kind = kind;
		row->name = g_strdup(name);
		row->uses = g_new0(struct trialUse, self->count);
		g_ptr_array_add(self->rows, row);
		g_hash_table_insert(self->places, key, row);
	}
	use = &row->uses[run];
	if (!use->isThere)
		*use = (struct trialUse){ .isThere = true,
					  .energy = NAN,
					  .dynamic = NAN,
					  .memoryPeak = NAN,
					  .memoryMean = NAN,
					  .pendingMost = NAN,
					  .pendingMean = NAN };
	return use;
}

double trialError(double predicted, double measured)
{
	return measured > 0 || measured < 0 ? (predicted - measured) / measured
					    : NAN;
}

static int byValue(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double trialMedian(const struct trial *self,
		   double (*value)(const void *of, size_t run), const void *of)
{
	double *values = g_new(double, self->count), median = NAN;
	size_t count = 0;

	for (size_t i = 1; i < self->count; i++) {
		double one = value(of, i);

		if (!isnan(one))
			values[count++] = one;
	}
	if (count) {
		qsort(values, count, sizeof(*values), byValue);
		median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	}
	g_free(values);
	return median;
}

/* ---- Rows -------------------------------------------------------------- */

/* A value of a row. */
struct cell {
	const struct trialRow *row;
	size_t place;
};

static double trialJudgeCellOf(const void *of, size_t run)
{
	const struct cell *cell = of;
	const struct trialUse *use = &cell->row->uses[run];

	return use->isThere ? *(const double *)((const char *)use + cell->place)
			    : NAN;
}

void trialPair(const struct trial *self, const struct trialRow *row,
	       size_t place, double pair[2])
{
	struct cell cell = { row, place };

	pair[0] = trialJudgeCellOf(&cell, 0);
	pair[1] = trialMedian(self, trialJudgeCellOf, &cell);
}

/* Energies of kernels, PEs and links: those of hdtrace compare. */
static void takeEnergies(struct trial *self)
{
	for (guint i = 0; i < self->rows->len; i++) {
		struct trialRow *row = self->rows->pdata[i];
		const char *slash = strrchr(row->name, '/');
		bool isRank = row->kind == TRIAL_PE || row->kind == TRIAL_LINK;
		char *key;
		const struct compareRow *found;

		if (row->kind == TRIAL_NODE)
			continue;
		key = g_strdup_printf("%d %s",
				      isRank ? COMPARE_RANK : COMPARE_REGION,
				      isRank && slash ? slash + 1 : row->name);
		found = g_hash_table_lookup(self->compare.places, key);
		for (size_t k = 0; found && k < self->count; k++) {
			if (found->costs[k].isThere)
				row->uses[k].energy =
					found->costs[k].values[COMPARE_ENERGY];
		}
		g_free(key);
	}
}

/* ---- Whole runs -------------------------------------------------------- */

/* A measure of runs. */
struct ofRuns {
	const struct trialRun *runs;
	int measure;
};

static double measureOf(const void *of, size_t run)
{
	const struct ofRuns *runs = of;

	return runs->runs[run].values[runs->measure];
}

/* Standard deviation of the runs, by their mean. */
static double trialJudgeSpreadOf(const struct trial *self, int measure)
{
	double sum = 0, squares = 0, mean;
	size_t count = self->count - 1;

	for (size_t i = 1; i < self->count; i++)
		sum += self->runs[i].values[measure];
	mean = sum / (double)count;
	for (size_t i = 1; i < self->count; i++)
		squares += pow(self->runs[i].values[measure] - mean, 2);
	return count > 1 ? sqrt(squares / (double)(count - 1)) / mean : NAN;
}

/* What differs by rounding only is the same. */
static bool isWithin(double value, double low, double high)
{
	return value >= low - fabs(low) * 1e-9 &&
	       value <= high + fabs(high) * 1e-9;
}

static void judgeMeasure(struct trial *self, int measure)
{
	struct trialResult *result = &self->results[measure];
	struct ofRuns runs = { self->runs, measure };
	double low = self->runs[0].low[measure];
	double high = self->runs[0].high[measure];

	*result = (struct trialResult){
		.predicted = self->runs[0].values[measure],
		.measured = trialMedian(self, measureOf, &runs),
		.spread = trialJudgeSpreadOf(self, measure),
		.least = NAN,
		.most = NAN,
		.inside = isnan(low) ? -1 : 0,
	};
	/* What nobody knows is nowhere. */
	if (isnan(result->measured))
		result->inside = -1;
	result->error = trialError(result->predicted, result->measured);
	result->isInside = isWithin(result->measured, low, high);
	for (size_t i = 1; i < self->count; i++) {
		double value = self->runs[i].values[measure];

		result->least = fmin(result->least, value);
		result->most = fmax(result->most, value);
		result->known += !isnan(value);
		if (result->inside >= 0)
			result->inside += isWithin(value, low, high);
	}
}

/* ---- Causes ------------------------------------------------------------ */

/* What makes up the time of a run, and its energy. */
enum part { TASKS, TRANSFERS, WAITING, IDLE, LENGTH, DYNAMIC, PARTS };

static double trialJudgePartOf(const struct trialRun *run, enum part part)
{
	double tasks = run->busy / run->pes;
	double transfers = run->transfers / run->pes;

	switch (part) {
	case TASKS:
		return tasks;
	case TRANSFERS:
		return transfers;
	case WAITING:
		return run->values[TRIAL_TIME] - tasks - transfers;
	case IDLE:
		return run->idle;
	case LENGTH:
		return run->values[TRIAL_TIME];
	case DYNAMIC:
		return run->values[TRIAL_DYNAMIC];
	case PARTS:
		break;
	}
	return NAN;
}

/* A part of runs. */
struct ofParts {
	const struct trialRun *runs;
	enum part part;
};

static double partOfRun(const void *of, size_t run)
{
	const struct ofParts *parts = of;

	return trialJudgePartOf(&parts->runs[run], parts->part);
}

/* The time of a run is that of its tasks, and what PEs wait for, by their
 * number; its energy is idle power by time, and the dynamic energy. Parts of
 * one run add up to the whole; medians of several nearly do. */
static void findCauses(struct trial *self)
{
	double predicted[PARTS], measured[PARTS];
	static const struct trialCause names[2][TRIAL_CAUSES] = {
		{ { "tasks", "tasks_s", "run times of tasks", NAN },
		  { "transfers", "transfers_s",
		    "waiting for data of other nodes", NAN },
		  { "waiting", "waiting_s", "other waiting", NAN } },
		{ { "idle_power", "idle_power_j", "idle power", NAN },
		  { "time", "time_j", "different duration of idle power", NAN },
		  { "dynamic", "dynamic_j", "dynamic energy", NAN } },
	};

	for (int k = 0; k < PARTS; k++) {
		struct ofParts parts = { self->runs, (enum part)k };

		predicted[k] = trialJudgePartOf(&self->runs[0], (enum part)k);
		measured[k] = trialMedian(self, partOfRun, &parts);
	}
	memcpy(self->causes, names, sizeof(names));
	for (int k = TASKS; k <= WAITING; k++)
		self->causes[0][k].difference = predicted[k] - measured[k];
	self->causes[1][0].difference =
		(predicted[IDLE] - measured[IDLE]) * measured[LENGTH];
	self->causes[1][1].difference =
		predicted[IDLE] * (predicted[LENGTH] - measured[LENGTH]);
	self->causes[1][2].difference = predicted[DYNAMIC] - measured[DYNAMIC];
}

/* ---- Tasks ------------------------------------------------------------- */

static double durationOf(const void *of, size_t run)
{
	return ((const struct trialTask *)of)->durations[run];
}

/* By how much tasks differ; those that are not in both come last. */
static int byDifference(const void *a, const void *b)
{
	const struct trialTask *x = *(struct trialTask *const *)a;
	const struct trialTask *y = *(struct trialTask *const *)b;
	double p = fabs(x->durations[0] - x->measured);
	double q = fabs(y->durations[0] - y->measured);

	if (isnan(p) || isnan(q))
		return isnan(p) - isnan(q);
	return p != q ? (p < q) - (p > q) : strcmp(x->id, y->id);
}

void trialUnmatched(const struct trial *self, size_t *predicted,
		    size_t *measured)
{
	*predicted = *measured = 0;
	for (guint i = 0; i < self->tasks->len; i++) {
		const struct trialTask *task = self->tasks->pdata[i];

		*predicted += isnan(task->measured);
		*measured += isnan(task->durations[0]);
	}
}

static int trialJudgeByName(const void *a, const void *b)
{
	const struct trialRow *x = *(struct trialRow *const *)a;
	const struct trialRow *y = *(struct trialRow *const *)b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
				  : strcmp(x->name, y->name);
}

void trialJudge(struct trial *self)
{
	takeEnergies(self);
	g_ptr_array_sort(self->rows, trialJudgeByName);
	for (guint i = 0; i < self->tasks->len; i++) {
		struct trialTask *task = self->tasks->pdata[i];

		task->measured = trialMedian(self, durationOf, task);
	}
	g_ptr_array_sort(self->tasks, byDifference);
	for (int k = 0; k < TRIAL_MEASURES; k++)
		judgeMeasure(self, k);
	findCauses(self);
}
