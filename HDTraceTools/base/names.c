/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers for names.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/names.h"

/** Names that were asked for, by where they were. */
#define NAMES_RECENT 64

/** One of them. */
struct recent {
	const char *where;
	const char *name; /**< Our copy. */
	uint32_t number;
};

struct names {
	GHashTable *numbers; /**< Names to their numbers + 1. */
	GPtrArray *list;
	struct recent recent[NAMES_RECENT];
};

struct names *namesNew(void)
{
	struct names *self = g_new0(struct names, 1);

	self->numbers = g_hash_table_new(g_str_hash, g_str_equal);
	self->list = g_ptr_array_new_with_free_func(g_free);
	return self;
}

void namesFree(struct names *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->numbers);
	g_ptr_array_unref(self->list);
	g_free(self);
}

static uint32_t namesFindNumber(struct names *self, const char *name)
{
	gpointer found = g_hash_table_lookup(self->numbers, name);
	char *copy;

	if (found)
		return GPOINTER_TO_UINT(found) - 1;
	copy = g_strdup(name);
	g_ptr_array_add(self->list, copy);
	g_hash_table_insert(self->numbers, copy,
			    GUINT_TO_POINTER(self->list->len));
	return self->list->len - 1;
}

uint32_t namesNumber(struct names *self, const char *name)
{
	uintptr_t address = (uintptr_t)name;
	struct recent *recent =
		&self->recent[(address ^ address >> 6) % NAMES_RECENT];

	/* Another name may be there by now. */
	if (recent->where == name && strcmp(recent->name, name) == 0)
		return recent->number;
	recent->where = name;
	recent->number = namesFindNumber(self, name);
	recent->name = self->list->pdata[recent->number];
	return recent->number;
}

uint32_t namesCount(const struct names *self)
{
	return self->list->len;
}

const char *namesAt(const struct names *self, uint32_t number)
{
	return self->list->pdata[number];
}
