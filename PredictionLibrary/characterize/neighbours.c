/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who ran beside whom on a host: nobody, others all the time, or for a part. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"

/** Beside it for less than that part of the time is not, for more is all the
 *  time: states begin and end when workers get to it. */
#define PART_NONE 0.01
#define PART_ALL 0.95

/* What a PE did beside a run. */
struct neighbour {
	size_t pe;
	const char *kernel;
	unsigned int pes; /**< That run it together. */
	int64_t overlap;  /**< With this kernel. */
	bool isMixed;     /**< Several kernels. */
};

static int neighboursCompareRuns(const void *a, const void *b, void *data)
{
	const struct learnt *self = data;
	const struct learntRun *x = learntRunOf(self, *(const size_t *)a);
	const struct learntRun *y = learntRunOf(self, *(const size_t *)b);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->pe > y->pe) - (x->pe < y->pe);
}

static void sortRuns(struct learnt *self)
{
	for (guint i = 0; i < self->runs->len; i++) {
		size_t number = i;

		g_array_append_val(
			learntMeterOf(self, learntRunOf(self, i)->meter)->runs,
			number);
	}
	for (guint i = 0; i < self->meters->len; i++)
		g_array_sort_with_data(learntMeterOf(self, i)->runs,
				       neighboursCompareRuns, self);
}

/* Slowdowns are of PEs of one architecture; others are no known load. */
static void addNeighbour(GArray *list, const struct learntRun *run,
			 const struct learntRun *other, int64_t overlap)
{
	struct neighbour added = {
		other->pe, other->kernel, other->pes, overlap,
		strcmp(other->architecture, run->architecture) != 0
	};

	for (guint i = 0; i < list->len; i++) {
		struct neighbour *neighbour =
			&g_array_index(list, struct neighbour, i);

		if (neighbour->pe != other->pe)
			continue;
		neighbour->overlap += overlap;
		neighbour->isMixed = neighbour->isMixed ||
				     neighbour->pes != other->pes ||
				     strcmp(neighbour->kernel, other->kernel);
		return;
	}
	g_array_append_val(list, added);
}

static int neighboursCompareNames(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of those that ran all the time; NULL if any did for a part. */
static char *neighboursNamesOf(const GArray *list, int64_t length,
			       unsigned int *count)
{
	GPtrArray *names = g_ptr_array_new();
	char *text = NULL;
	bool isPart = false;

	for (guint i = 0; i < list->len; i++) {
		const struct neighbour *neighbour =
			&g_array_index(list, struct neighbour, i);
		double part = (double)neighbour->overlap / (double)length;

		if (part <= PART_NONE)
			continue;
		isPart = isPart || part < PART_ALL || neighbour->isMixed;
		for (unsigned int k = 0; k < neighbour->pes; k++)
			g_ptr_array_add(names, (char *)neighbour->kernel);
	}
	*count = names->len;
	if (!isPart) {
		g_ptr_array_sort(names, neighboursCompareNames);
		g_ptr_array_add(names, NULL);
		text = g_strjoinv(" ", (char **)names->pdata);
	}
	g_ptr_array_unref(names);
	return text;
}

/* Runs of a host, by their start, and the longest of them: none that begins
 * earlier than that before a run lies beside it. */
static void findBeside(struct learnt *self, const GArray *runs, guint place,
		       int64_t longest)
{
	struct learntRun *run =
		learntRunOf(self, g_array_index(runs, size_t, place));
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct neighbour));
	guint first = place;

	while (first > 0 &&
	       learntRunOf(self, g_array_index(runs, size_t, first - 1))
			       ->start > run->start - longest)
		first--;
	for (guint i = first; i < runs->len; i++) {
		const struct learntRun *other =
			learntRunOf(self, g_array_index(runs, size_t, i));
		int64_t overlap = MIN(run->end, other->end) -
				  MAX(run->start, other->start);

		if (other->start >= run->end)
			break;
		if (other->pe != run->pe && overlap > 0)
			addNeighbour(list, run, other, overlap);
	}
	run->beside = neighboursNamesOf(list, MAX(run->end - run->start, 1),
					&run->besideCount);
	g_array_unref(list);
}

/* ---- Accesses to files --------------------------------------------------- */

/* When a PE did something. */
struct timed {
	int64_t start;
	int64_t end;
	size_t pe;
};

/* All of a host, by start, and the longest of them. */
struct timetable {
	GArray *list; /* struct timed */
	int64_t longest;
};

static int compareAccesses(const void *a, const void *b, void *data)
{
	const struct learnt *self = data;
	const struct learntAccess *x = &g_array_index(
		self->accesses, struct learntAccess, *(const size_t *)a);
	const struct learntAccess *y = &g_array_index(
		self->accesses, struct learntAccess, *(const size_t *)b);

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->pe > y->pe) - (x->pe < y->pe);
}

static void sortAccesses(struct learnt *self)
{
	for (size_t i = 0; i < self->accesses->len; i++) {
		const struct learntAccess *access =
			&g_array_index(self->accesses, struct learntAccess, i);

		if (!access->isInner)
			g_array_append_val(
				learntMeterOf(self, access->meter)->accesses,
				i);
	}
	for (guint i = 0; i < self->meters->len; i++)
		g_array_sort_with_data(learntMeterOf(self, i)->accesses,
				       compareAccesses, self);
}

static void neighboursPutRun(struct timetable *table, int64_t start,
			     int64_t end, size_t pe)
{
	struct timed timed = { start, end, pe };

	g_array_append_val(table->list, timed);
	table->longest = MAX(table->longest, end - start);
}

/* For how long others did something between two times, all together. */
static int64_t besideOf(const struct timetable *table, int64_t start,
			int64_t end, size_t pe)
{
	guint low = 0, high = table->list->len;
	int64_t sum = 0;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(table->list, struct timed, middle).start <=
		    start - table->longest)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < table->list->len; low++) {
		const struct timed *timed =
			&g_array_index(table->list, struct timed, low);
		int64_t overlap =
			MIN(end, timed->end) - MAX(start, timed->start);

		if (timed->start >= end)
			break;
		if (timed->pe != pe && overlap > 0)
			sum += overlap;
	}
	return sum;
}

static bool isPart(int64_t overlap, int64_t start, int64_t end)
{
	return (double)overlap > PART_NONE * (double)(end - start);
}

/* A run beside an access was not alone; nor was the access. */
static void findAccesses(struct learnt *self, const struct learntMeter *meter)
{
	struct timetable runs = { .longest = 0 }, accesses = { .longest = 0 };

	runs.list = g_array_new(FALSE, FALSE, sizeof(struct timed));
	accesses.list = g_array_new(FALSE, FALSE, sizeof(struct timed));
	for (guint i = 0; i < meter->runs->len; i++) {
		const struct learntRun *run = learntRunOf(
			self, g_array_index(meter->runs, size_t, i));

		neighboursPutRun(&runs, run->start, run->end, run->pe);
	}
	for (guint i = 0; i < meter->accesses->len; i++) {
		const struct learntAccess *access = &g_array_index(
			self->accesses, struct learntAccess,
			g_array_index(meter->accesses, size_t, i));

		neighboursPutRun(&accesses, access->start, access->end,
				 access->pe);
	}
	for (guint i = 0; i < meter->runs->len && accesses.list->len; i++) {
		struct learntRun *run = learntRunOf(
			self, g_array_index(meter->runs, size_t, i));

		if (!isPart(besideOf(&accesses, run->start, run->end, run->pe),
			    run->start, run->end))
			continue;
		g_free(run->beside);
		run->beside = NULL;
	}
	for (guint i = 0; i < meter->accesses->len; i++) {
		struct learntAccess *access = &g_array_index(
			self->accesses, struct learntAccess,
			g_array_index(meter->accesses, size_t, i));
		int64_t overlap = besideOf(&runs, access->start, access->end,
					   access->pe) +
				  besideOf(&accesses, access->start,
					   access->end, access->pe);

		access->isBeside = isPart(overlap, access->start, access->end);
	}
	g_array_unref(runs.list);
	g_array_unref(accesses.list);
}

void learnNeighbours(struct learnt *self)
{
	sortRuns(self);
	sortAccesses(self);
	for (guint m = 0; m < self->meters->len; m++) {
		const GArray *runs = learntMeterOf(self, m)->runs;
		int64_t longest = 0;

		for (guint i = 0; i < runs->len; i++) {
			const struct learntRun *run = learntRunOf(
				self, g_array_index(runs, size_t, i));

			longest = MAX(longest, run->end - run->start);
		}
		for (guint i = 0; i < runs->len; i++)
			findBeside(self, runs, i, longest);
		findAccesses(self, learntMeterOf(self, m));
	}
}
