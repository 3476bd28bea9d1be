/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Energies of kernels that run back to back, without pauses.
 *
 * The energy of each entry of a meter is idle power, which may drift in a line,
 * plus what was done in it: of each run the part that lies in the entry, of the
 * energy of its configuration, and likewise of each access to a file that of
 * its class; of all else that ran (MPI, marks) the time. That is a linear
 * model, whose least squares have the energies. What always ran together cannot
 * be told apart, and stays unknown.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"
#include "cli/output.h"

/** Configurations on a host, at most. */
#define FIT_MOST 400
/** A column that others explain up to that is one of them. */
#define FIT_PIVOT 1e-6
/** An energy is known if it is that many times its error (95 %). */
#define FIT_TIMES 2

/* Columns: idle, its drift, what else ran, then configurations, and classes of
 * accesses to files. */
enum { FIT_IDLE, FIT_DRIFT, FIT_OTHER, FIT_CONFIGS };

struct fit {
	struct learnt *self;
	const struct learntMeter *meter;
	size_t *columns;      /**< Of each configuration, or 0. */
	size_t *classColumns; /**< Of each class of accesses, or 0. */
	size_t count;
	double *normal; /**< count x count */
	double *right;
	double *inverse; /**< Of the normal matrix, where it has one. */
	bool *isKnown;
	double *solution;
	double *row;
	GArray *rests;     /**< Of rows (double), what the solution leaves. */
	guint first;       /**< Runs before it have ended, all. */
	guint firstOther;  /**< Likewise, of what else ran. */
	guint firstAccess; /**< Likewise, of accesses. */
	int64_t longest;
	int64_t longestOther;
	int64_t longestAccess;
	GArray *used; /**< Columns (size_t) of the row that are not 0. */
};

static void fitsPutCell(struct fit *fit, size_t column, double value)
{
	if (fit->row[column] == 0 && value != 0)
		g_array_append_val(fit->used, column);
	fit->row[column] += value;
}

/* ---- Rows --------------------------------------------------------------- */

static double overlapOf(int64_t start, int64_t end, int64_t from, int64_t until)
{
	int64_t overlap = MIN(end, until) - MAX(start, from);

	return overlap > 0 ? (double)overlap / 1e9 : 0;
}

static void fitsPutRuns(struct fit *fit, int64_t start, int64_t end)
{
	const GArray *runs = fit->meter->runs;

	while (fit->first < runs->len &&
	       learntRunOf(fit->self, g_array_index(runs, size_t, fit->first))
			       ->start < start - fit->longest)
		fit->first++;
	for (guint i = fit->first; i < runs->len; i++) {
		const struct learntRun *run =
			learntRunOf(fit->self, g_array_index(runs, size_t, i));
		double overlap = overlapOf(start, end, run->start, run->end);

		if (run->start >= end)
			break;
		if (overlap > 0 && run->times > 0)
			fitsPutCell(fit, fit->columns[run->config],
				    overlap * run->times /
					    ((double)(run->end - run->start) /
					     1e9));
	}
}

static const struct learntAccess *accessAt(const struct fit *fit, guint i)
{
	return &g_array_index(fit->self->accesses, struct learntAccess,
			      g_array_index(fit->meter->accesses, size_t, i));
}

static void putAccesses(struct fit *fit, int64_t start, int64_t end)
{
	guint count = fit->meter->accesses->len;

	while (fit->firstAccess < count &&
	       accessAt(fit, fit->firstAccess)->start <
		       start - fit->longestAccess)
		fit->firstAccess++;
	for (guint i = fit->firstAccess; i < count; i++) {
		const struct learntAccess *access = accessAt(fit, i);
		double overlap =
			overlapOf(start, end, access->start, access->end);

		if (access->start >= end)
			break;
		if (overlap > 0)
			fitsPutCell(
				fit, fit->classColumns[access->class],
				overlap * access->times /
					((double)(access->end - access->start) /
					 1e9));
	}
}

static void putOthers(struct fit *fit, int64_t start, int64_t end)
{
	const GArray *others = fit->meter->others;

	while (fit->firstOther < others->len &&
	       g_array_index(others, struct learntSpan, fit->firstOther).start <
		       start - fit->longestOther)
		fit->firstOther++;
	for (guint i = fit->firstOther; i < others->len; i++) {
		const struct learntSpan *span =
			&g_array_index(others, struct learntSpan, i);

		if (span->start >= end)
			break;
		fitsPutCell(fit, FIT_OTHER,
			    overlapOf(start, end, span->start, span->end));
	}
}

/* Make a row of an entry, have it used, and empty it. */
static void makeRow(struct fit *fit, const struct powerStep *step,
		    double position, void (*use)(struct fit *, double energy))
{
	int64_t start = step->start - fit->meter->late;
	int64_t end = step->end - fit->meter->late;
	double length = (double)(end - start) / 1e9;

	fitsPutCell(fit, FIT_IDLE, length);
	fitsPutCell(fit, FIT_DRIFT, length * position);
	putOthers(fit, start, end);
	fitsPutRuns(fit, start, end);
	putAccesses(fit, start, end);
	use(fit, step->amount.energy);
	for (guint i = 0; i < fit->used->len; i++)
		fit->row[g_array_index(fit->used, size_t, i)] = 0;
	g_array_set_size(fit->used, 0);
}

static void eachRow(struct fit *fit, void (*use)(struct fit *, double energy))
{
	int64_t start, end;
	struct powerStep step;

	fit->first = fit->firstOther = fit->firstAccess = 0;
	powerSeriesRange(fit->meter->power, &start, &end);
	for (uint64_t i = 0; powerCursorStep(fit->meter->cursor, i, &step);
	     i++) {
		int64_t length = step.end - step.start;

		if (length > 0 && step.amount.measured == length)
			makeRow(fit, &step,
				2 * (double)(step.end - start) /
						(double)(end - start) -
					1,
				use);
	}
}

static void fitsAddRow(struct fit *fit, double energy)
{
	for (guint i = 0; i < fit->used->len; i++) {
		size_t a = g_array_index(fit->used, size_t, i);

		fit->right[a] += fit->row[a] * energy;
		for (guint j = 0; j < fit->used->len; j++) {
			size_t b = g_array_index(fit->used, size_t, j);

			fit->normal[a * fit->count + b] +=
				fit->row[a] * fit->row[b];
		}
	}
}

/* What the solution leaves of an entry. */
static void addRest(struct fit *fit, double energy)
{
	for (guint i = 0; i < fit->used->len; i++) {
		size_t a = g_array_index(fit->used, size_t, i);

		energy -= fit->row[a] * fit->solution[a];
	}
	g_array_append_val(fit->rests, energy);
}

/* ---- Solution ----------------------------------------------------------- */

/* Gauss and Jordan, in place of the matrix its inverse; a pivot that is little
 * beside what it was makes its column unknown. */
static void invert(struct fit *fit)
{
	size_t n = fit->count;
	double *m = g_memdup2(fit->normal, n * n * sizeof(double));

	for (size_t k = 0; k < n; k++) {
		double pivot = m[k * n + k];

		fit->isKnown[k] =
			pivot > FIT_PIVOT * fit->normal[k * n + k] && pivot > 0;
		if (!fit->isKnown[k])
			continue;
		for (size_t i = 0; i < n; i++) {
			double times = m[i * n + k] / pivot;

			if (i == k)
				continue;
			for (size_t j = 0; j < n; j++) {
				if (j != k)
					m[i * n + j] -= times * m[k * n + j];
			}
			m[i * n + k] = -times;
		}
		for (size_t j = 0; j < n; j++) {
			if (j != k)
				m[k * n + j] /= pivot;
		}
		m[k * n + k] = 1 / pivot;
	}
	fit->inverse = m;
}

static void findSolution(struct fit *fit)
{
	for (size_t i = 0; i < fit->count; i++) {
		fit->solution[i] = 0;
		for (size_t j = 0; j < fit->count; j++) {
			if (fit->isKnown[i] && fit->isKnown[j])
				fit->solution[i] +=
					fit->inverse[i * fit->count + j] *
					fit->right[j];
		}
	}
}

/* Variance of what is left, as it counts: what the model misses stays for as
 * long as runs are (Newey and West 1987). */
static double restVariance(const struct fit *fit)
{
	const double *rest = (const double *)(const void *)fit->rests->data;
	size_t n = fit->rests->len, known = 0, reach;
	double sum = 0, squares = 0;

	for (size_t j = 0; j < fit->count; j++)
		known += fit->isKnown[j];
	if (n <= known + 1)
		return INFINITY;
	reach = (size_t)(2 * fit->longest / MAX(fit->meter->cycle, 1)) + 1;
	reach = MIN(reach, n / 10);
	for (size_t i = 0; i < n; i++)
		squares += rest[i] * rest[i];
	for (size_t k = 1; k <= reach; k++) {
		double weight = 1 - (double)k / (double)(reach + 1);

		for (size_t i = k; i < n; i++)
			sum += 2 * weight * rest[i] * rest[i - k];
	}
	return fmax(squares + sum, squares) / (double)(n - known);
}

/* A column that depends on those before it makes one of these unknown, too:
 * what is known does not move with it. */
static bool isTold(const struct fit *fit, size_t column)
{
	double own = fit->normal[column * fit->count + column];

	for (size_t j = 0; j < fit->count; j++) {
		double share = 0, scale;

		if (fit->isKnown[j])
			continue;
		scale = fit->normal[j * fit->count + j];
		if (!(scale > 0))
			continue;
		for (size_t k = 0; k < fit->count; k++) {
			if (fit->isKnown[k])
				share += fit->inverse[column * fit->count + k] *
					 fit->normal[k * fit->count + j];
		}
		if (fabs(share) * sqrt(own / scale) > 1e-3)
			return false;
	}
	return fit->isKnown[column];
}

/* A number of a column, which was made of so many; whether it is better than
 * what is there. */
static bool fitsUseNumber(struct fit *fit, struct learntNumber *number,
			  size_t count, size_t column, double variance)
{
	double scale = learntHostOf(fit->self, fit->meter->host)->scale;
	double energy, error;

	if (!isTold(fit, column))
		return false;
	energy = fit->solution[column];
	error = 1.96 *
		sqrt(variance * fit->inverse[column * fit->count + column]);
	if (!(energy > FIT_TIMES * error))
		return false;
	/* Of several projects the one that tells it best. */
	if (number->count && !(error * scale < number->error))
		return false;
	number->count = count;
	number->mean = energy * scale;
	number->deviation = NAN;
	number->error = error * scale;
	return true;
}

/* ---- Meters ------------------------------------------------------------- */

/* Give each class of accesses on a host a column; whether any needs a fit. */
static bool findClasses(struct fit *fit)
{
	bool isNeeded = false;

	for (guint i = 0; i < fit->meter->accesses->len; i++) {
		const struct learntAccess *access = accessAt(fit, i);
		size_t *column = &fit->classColumns[access->class];

		fit->longestAccess =
			MAX(fit->longestAccess, access->end - access->start);
		isNeeded = isNeeded ||
			   g_array_index(fit->self->classes,
					 struct learntAccess, access->class)
				   .isOpen;
		if (!*column && fit->count < FIT_MOST)
			*column = fit->count++;
	}
	return isNeeded;
}

/* Give each configuration of a host a column; whether any needs a fit. */
static bool findColumns(struct fit *fit, const bool *isOpen)
{
	const GArray *runs = fit->meter->runs;
	bool isNeeded = false;

	fit->count = FIT_CONFIGS;
	for (guint i = 0; i < runs->len; i++) {
		const struct learntRun *run =
			learntRunOf(fit->self, g_array_index(runs, size_t, i));

		fit->longest = MAX(fit->longest, run->end - run->start);
		isNeeded = isNeeded || isOpen[run->config];
		if (!fit->columns[run->config] && fit->count < FIT_MOST)
			fit->columns[run->config] = fit->count++;
	}
	for (guint i = 0; i < fit->meter->others->len; i++) {
		const struct learntSpan *span = &g_array_index(
			fit->meter->others, struct learntSpan, i);

		fit->longestOther =
			MAX(fit->longestOther, span->end - span->start);
	}
	isNeeded = findClasses(fit) || isNeeded;
	if (isNeeded && fit->count == FIT_MOST)
		learntSay(fit->self, true, NULL,
			  learntHostOf(fit->self, fit->meter->host)->label,
			  "too many kernels and values to separate energies of "
			  "runs without pauses");
	return isNeeded && fit->count < FIT_MOST;
}

static void fitsSolve(struct fit *fit, const bool *isOpen)
{
	double variance;

	eachRow(fit, fitsAddRow);
	invert(fit);
	findSolution(fit);
	eachRow(fit, addRest);
	variance = restVariance(fit);
	for (guint i = 0; i < fit->self->entries->len; i++) {
		struct learntEntry *entry =
			g_ptr_array_index(fit->self->entries, i);

		if (fit->columns[i] && isOpen[i] &&
		    fitsUseNumber(fit, &entry->energy, entry->runs,
				  fit->columns[i], variance))
			entry->isFitted = true;
	}
	for (guint i = 0; i < fit->self->classes->len; i++) {
		struct learntAccess *class = &g_array_index(
			fit->self->classes, struct learntAccess, i);

		if (fit->classColumns[i] && class->isOpen &&
		    fitsUseNumber(fit, &class->energy, class->time.count,
				  fit->classColumns[i], variance))
			class->isFitted = true;
	}
}

static void fitMeter(struct learnt *self, const struct learntMeter *meter,
		     const bool *isOpen)
{
	struct fit fit = {
		.self = self,
		.meter = meter,
		.columns = g_new0(size_t, self->entries->len + 1),
		.classColumns = g_new0(size_t, self->classes->len + 1),
		.used = g_array_new(FALSE, FALSE, sizeof(size_t)),
		.rests = g_array_new(FALSE, FALSE, sizeof(double)),
	};

	if (meter->power && findColumns(&fit, isOpen)) {
		fit.normal = g_new0(double, fit.count *fit.count);
		fit.right = g_new0(double, fit.count);
		fit.row = g_new0(double, fit.count);
		fit.isKnown = g_new0(bool, fit.count);
		fit.solution = g_new0(double, fit.count);
		fitsSolve(&fit, isOpen);
	}
	g_free(fit.columns);
	g_free(fit.classColumns);
	g_free(fit.normal);
	g_free(fit.right);
	g_free(fit.row);
	g_free(fit.isKnown);
	g_free(fit.inverse);
	g_free(fit.solution);
	g_array_unref(fit.rests);
	g_array_unref(fit.used);
}

/* ---- What stays unknown ------------------------------------------------- */

static void fitsRefuseRun(struct learnt *self, struct learntRun *run)
{
	struct learntEntry *entry =
		g_ptr_array_index(self->entries, run->config);
	char when[OUT_NUMBER_SIZE];
	char *id;

	if (entry->isFitted &&
	    (run->refusal == RUN_NO_PAUSE || run->refusal == RUN_OVERLAP ||
	     run->refusal == RUN_LOADED))
		run->refusal = RUN_FITTED;
	if (run->refusal <= RUN_FITTED)
		return;
	entry->refused++;
	self->refused++;
	outDuration(when, run->start - learntMeterOf(self, run->meter)->origin);
	id = g_strdup_printf(
		"%s at %s on %s", run->kernel, when,
		learntHostOf(self, learntMeterOf(self, run->meter)->host)
			->label);
	learntSay(self, true, learntMeterOf(self, run->meter)->project, id,
		  "energy unknown: %s", learntRefusalText(run->refusal));
	g_free(id);
}

void learnFits(struct learnt *self)
{
	bool *isOpen = g_new0(bool, self->entries->len + 1);

	for (guint i = 0; i < self->runs->len; i++) {
		const struct learntRun *run = learntRunOf(self, i);
		struct learntEntry *entry =
			g_ptr_array_index(self->entries, run->config);

		entry->runs += !run->isLoad;
		if (!run->isLoad && !run->isBatch && !entry->energy.count)
			isOpen[run->config] = true;
	}
	for (guint i = 0; i < self->meters->len && !self->choice.isTimeOnly;
	     i++)
		fitMeter(self, learntMeterOf(self, i), isOpen);
	for (guint i = 0; i < self->runs->len && !self->choice.isTimeOnly; i++)
		fitsRefuseRun(self, learntRunOf(self, i));
	g_free(isOpen);
}
