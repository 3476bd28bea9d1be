/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which tasks come before others, by all orders of a workflow in WfFormat; see
 * wfformat.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "PredictionLibrary/command/import/wfformat.h"
#include "PredictionLibrary/model/names.h"

/* Orders that are looked at for all files together: seconds. */
#define STEPS_MAX UINT64_C(200000000)

struct lineage {
	uint32_t count;                 /* Tasks. */
	uint32_t *firstParent, *parent; /* Orders, by the later task. */
	uint32_t *firstChild, *child;   /* Orders, by the earlier task. */
	uint32_t *level;                /* Orders in a row before a task. */
	uint32_t *seen;                 /* The last search that met a task. */
	uint32_t *stack;
	uint32_t size; /* Of the stack. */
	uint32_t search;
	uint64_t steps;
};

void wfformatFreeLineage(struct lineage *self)
{
	if (!self)
		return;
	free(self->firstParent);
	free(self->parent);
	free(self->firstChild);
	free(self->child);
	g_free(self->level);
	g_free(self->seen);
	g_free(self->stack);
	g_free(self);
}

static const struct order *lineageOrder(const struct wfformat *self,
					uint32_t number)
{
	return &g_array_index(self->orders, struct order, number);
}

/* Find the levels of all tasks; false: there is a cycle. */
static bool lineageLevels(const struct wfformat *self, struct lineage *lineage)
{
	uint32_t *missing = g_new0(uint32_t, (gsize)lineage->count + 1);
	uint32_t done = 0;

	for (uint32_t t = 0; t < lineage->count; t++) {
		missing[t] =
			lineage->firstParent[t + 1] - lineage->firstParent[t];
		if (!missing[t])
			lineage->stack[lineage->size++] = t;
	}
	while (lineage->size) {
		uint32_t task = lineage->stack[--lineage->size];

		done++;
		for (uint32_t i = lineage->firstChild[task];
		     i < lineage->firstChild[task + 1]; i++) {
			uint32_t after =
				lineageOrder(self, lineage->child[i])->after;

			lineage->level[after] = MAX(lineage->level[after],
						    lineage->level[task] + 1);
			if (!--missing[after])
				lineage->stack[lineage->size++] = after;
		}
	}
	g_free(missing);
	return done == lineage->count;
}

int wfformatMakeLineage(struct wfformat *self)
{
	struct lineage *lineage = g_new0(struct lineage, 1);
	uint32_t count = importCount(self->import);
	int ret;

	self->lineage = lineage;
	lineage->count = count;
	lineage->level = g_new0(uint32_t, (gsize)count + 1);
	lineage->seen = g_new0(uint32_t, (gsize)count + 1);
	/* A search begins with tasks that it may meet once more. */
	lineage->stack = g_new(uint32_t, 2 * (gsize)count + 2);
	ret = hdPredictGroup(self->orders->data, sizeof(struct order),
			     offsetof(struct order, after), self->orders->len,
			     count, &lineage->firstParent, &lineage->parent);
	if (ret == 0)
		ret = hdPredictGroup(self->orders->data, sizeof(struct order),
				     offsetof(struct order, before),
				     self->orders->len, count,
				     &lineage->firstChild, &lineage->child);
	if (ret == 0 && !lineageLevels(self, lineage))
		ret = -ELOOP;
	return ret;
}

static void lineageBegin(struct lineage *self)
{
	self->search++;
	self->size = 0;
}

bool wfformatHasSteps(const struct wfformat *self)
{
	return self->lineage->steps < STEPS_MAX;
}

void wfformatCountSteps(struct wfformat *self, uint64_t steps)
{
	self->lineage->steps += steps;
}

/* What a search does with a task that it has not met. */
enum meeting {
	MEET_NOT, /* As if there were no order. */
	MEET_END, /* It is found; not those behind it. */
	MEET_ON,
};

struct search {
	bool isBack; /* To earlier tasks. */
	enum meeting (*meet)(const struct search *search,
			     const struct lineage *lineage, uint32_t task);
	uint32_t level;
	GHashTable *writers;
	GArray *found;
};

/* Search from the tasks on the stack. */
static void lineageSearch(struct wfformat *self, const struct search *search)
{
	struct lineage *lineage = self->lineage;
	const uint32_t *first =
		search->isBack ? lineage->firstParent : lineage->firstChild;
	const uint32_t *orders =
		search->isBack ? lineage->parent : lineage->child;

	while (lineage->size && wfformatHasSteps(self)) {
		uint32_t at = lineage->stack[--lineage->size];

		lineage->steps++;
		for (uint32_t i = first[at]; i < first[at + 1]; i++) {
			const struct order *order =
				lineageOrder(self, orders[i]);
			uint32_t task =
				search->isBack ? order->before : order->after;
			enum meeting meeting;

			lineage->steps++;
			if (lineage->seen[task] == lineage->search)
				continue;
			meeting = search->meet(search, lineage, task);
			if (meeting != MEET_NOT)
				lineage->seen[task] = lineage->search;
			if (meeting == MEET_ON)
				lineage->stack[lineage->size++] = task;
		}
	}
}

static enum meeting meetUpTo(const struct search *search,
			     const struct lineage *lineage, uint32_t task)
{
	return lineage->level[task] <= search->level ? MEET_ON : MEET_NOT;
}

void wfformatFindNext(struct wfformat *self, uint32_t task, uint32_t level)
{
	struct search search = { .meet = meetUpTo, .level = level };

	lineageBegin(self->lineage);
	self->lineage->stack[self->lineage->size++] = task;
	lineageSearch(self, &search);
}

bool wfformatIsFound(const struct wfformat *self, uint32_t task)
{
	return self->lineage->seen[task] == self->lineage->search;
}

uint32_t wfformatLevel(const struct wfformat *self, uint32_t task)
{
	return self->lineage->level[task];
}

static enum meeting meetFrom(const struct search *search,
			     const struct lineage *lineage, uint32_t task)
{
	return lineage->level[task] >= search->level ? MEET_ON : MEET_NOT;
}

/* Those that others of them come after, directly or not, are no longer last. */
static void lineageKeepLast(struct wfformat *self, GArray *tasks)
{
	struct lineage *lineage = self->lineage;
	struct search search = {
		.isBack = true,
		.meet = meetFrom,
		.level = UINT32_MAX,
	};
	guint kept = 0;

	lineageBegin(lineage);
	for (guint i = 0; i < tasks->len; i++) {
		uint32_t task = g_array_index(tasks, uint32_t, i);

		search.level = MIN(search.level, lineage->level[task]);
		lineage->stack[lineage->size++] = task;
	}
	lineageSearch(self, &search);
	for (guint i = 0; i < tasks->len; i++) {
		uint32_t task = g_array_index(tasks, uint32_t, i);

		if (!wfformatIsFound(self, task))
			g_array_index(tasks, uint32_t, kept++) = task;
	}
	g_array_set_size(tasks, kept);
}

static enum meeting meetWriter(const struct search *search,
			       const struct lineage *lineage, uint32_t task)
{
	(void)lineage;
	if (!g_hash_table_contains(search->writers, GUINT_TO_POINTER(task)))
		return MEET_ON;
	g_array_append_val(search->found, task);
	return MEET_END;
}

void wfformatFindLast(struct wfformat *self, uint32_t task, GHashTable *writers,
		      GArray *found)
{
	struct search search = {
		.isBack = true,
		.meet = meetWriter,
		.writers = writers,
		.found = found,
	};

	g_array_set_size(found, 0);
	lineageBegin(self->lineage);
	self->lineage->stack[self->lineage->size++] = task;
	lineageSearch(self, &search);
	if (found->len > 1)
		lineageKeepLast(self, found);
}
