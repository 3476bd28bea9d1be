/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The relations that took longest.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/relations/slowest.h"

/** So many are sorted in memory. */
#define TOP_IN_MEMORY 100000

struct choice {
	int64_t total;
	uint32_t number;
};

struct slowest {
	size_t top;
	GArray *few;         /**< struct choice: where that is not many ... */
	struct sorter *many; /**< ... or where it is. */
	size_t taken;
};

static int compareChoices(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

struct slowest *slowestNew(size_t top)
{
	struct slowest *self = g_new0(struct slowest, 1);

	self->top = top;
	if (top > TOP_IN_MEMORY)
		self->many = sorterNew(sizeof(struct choice), compareChoices);
	self->few = g_array_new(FALSE, FALSE, sizeof(struct choice));
	return self;
}

void slowestFree(struct slowest *self)
{
	if (!self)
		return;
	g_array_unref(self->few);
	sorterFree(self->many);
	g_free(self);
}

/** Leave those that may be among the slowest. */
static void cut(struct slowest *self)
{
	if (self->few->len == 0)
		return;
	qsort(self->few->data, self->few->len, sizeof(struct choice),
	      compareChoices);
	g_array_set_size(self->few, (guint)MIN(self->few->len, self->top));
}

int slowestAdd(struct slowest *self, const struct forestRelation *relation)
{
	struct choice choice;

	memset(&choice, 0, sizeof(choice));
	choice.number = relation->number;
	choice.total = relation->lasted - relation->start;
	if (self->many)
		return sorterAdd(self->many, &choice);
	g_array_append_val(self->few, choice);
	if (self->few->len >= 2 * self->top + 64)
		cut(self);
	return 0;
}

int slowestNext(struct slowest *self, uint32_t *number)
{
	struct choice choice;
	int ret = 1;

	if (self->taken == self->top)
		return 0;
	if (!self->many && self->taken == 0)
		cut(self);
	if (self->many)
		ret = sorterNext(self->many, &choice);
	else if (self->taken < self->few->len)
		choice = g_array_index(self->few, struct choice, self->taken);
	else
		ret = 0;
	if (ret == 1)
		*number = choice.number;
	self->taken++;
	return ret;
}
