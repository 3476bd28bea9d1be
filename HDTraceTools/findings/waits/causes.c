/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Causes of waits, added up by rank and state.
 */
#include "config.h"

#include "HDTraceTools/findings/waits/causes.h"

/** So many sums at most, of all findings; what has none is not listed. */
#define WAITCAUSES_MAX (1 << 18)

/** A sum. */
struct waitCause {
	int64_t rank;
	uint32_t state;
	double time; /**< In ns. */
};

static guint waitCauseHash(gconstpointer item)
{
	const struct waitCause *cause = item;

	return (guint)cause->rank * 2654435761U ^ cause->state;
}

static gboolean waitCauseEqual(gconstpointer a, gconstpointer b)
{
	const struct waitCause *x = a;
	const struct waitCause *y = b;

	return x->rank == y->rank && x->state == y->state;
}

void waitCausesInit(struct waitCauses *sums)
{
	sums->sums = g_hash_table_new_full(waitCauseHash, waitCauseEqual,
					   g_free, NULL);
	sums->indirect = 0;
}

void waitCausesClear(struct waitCauses *sums)
{
	g_hash_table_destroy(sums->sums);
}

void waitCausesStart(struct waitCausesOf *self, struct lateness *lateness)
{
	*self = (struct waitCausesOf){
		.lateness = lateness,
		.causes =
			g_array_new(FALSE, FALSE, sizeof(struct latenessCause)),
	};
}

void waitCausesEnd(struct waitCausesOf *self)
{
	g_array_unref(self->causes);
}

int waitCausesFind(struct waitCausesOf *self, const struct findings *findings,
		   const struct wait *wait, int64_t length)
{
	double part = (double)length / (double)(wait->end - wait->start);
	int ret = latenessFind(self->lateness, wait, self->causes,
			       &self->indirect);

	self->rank = wait->cause == WAIT_NO_CAUSE
			     ? -1
			     : findings->traces[wait->cause].rank;
	self->indirect *= part;
	for (guint i = 0; i < self->causes->len; i++)
		g_array_index(self->causes, struct latenessCause, i).time *=
			part;
	return ret;
}

static void waitCausesAddOne(struct waitCausesOf *self, struct waitCauses *sums,
			     const struct latenessCause *cause)
{
	const struct waitCause key = { self->rank, cause->state, cause->time };
	struct waitCause *sum = g_hash_table_lookup(sums->sums, &key);

	if (sum) {
		sum->time += cause->time;
	} else if (self->kept < WAITCAUSES_MAX) {
		self->kept++;
		g_hash_table_add(sums->sums, g_memdup2(&key, sizeof(key)));
	}
}

void waitCausesAdd(struct waitCausesOf *self, struct waitCauses *sums)
{
	sums->indirect += self->indirect;
	for (guint i = 0; self->rank >= 0 && i < self->causes->len; i++)
		waitCausesAddOne(
			self, sums,
			&g_array_index(self->causes, struct latenessCause, i));
}

static gint waitCausesCompare(gconstpointer a, gconstpointer b)
{
	const struct findingCause *x = a;
	const struct findingCause *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return g_strcmp0(x->state, y->state);
}

struct waitCausesListed waitCausesList(const struct waitCauses *sums,
				       const struct lateness *lateness,
				       enum waitKind kind, int64_t time)
{
	struct waitCausesListed listed = {
		.list = g_array_new(FALSE, FALSE, sizeof(struct findingCause)),
		.indirect = sums->indirect,
	};
	double known = sums->indirect;
	GHashTableIter iterator;
	gpointer item;

	g_hash_table_iter_init(&iterator, sums->sums);
	while (g_hash_table_iter_next(&iterator, &item, NULL)) {
		const struct waitCause *sum = item;
		const struct findingCause cause = {
			.rank = sum->rank,
			.state = latenessState(lateness, sum->state),
			.time = sum->time,
		};

		if (cause.time >= (double)time / 100)
			g_array_append_val(listed.list, cause);
	}
	g_array_sort(listed.list, waitCausesCompare);
	/* In the order of the list: a table has another one in each run. */
	for (guint i = 0; i < listed.list->len; i++)
		known +=
			g_array_index(listed.list, struct findingCause, i).time;
	/* Less than a nanosecond is rounding. */
	if (latenessHasCauses(kind) && (double)time - known >= 1)
		listed.others = (double)time - known;
	return listed;
}
