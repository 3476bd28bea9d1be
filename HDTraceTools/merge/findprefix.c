/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finds the name of a project in the names of its files.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/merge/findprefix.h"
#include "HDTraceTools/merge/merge.h"

/* ---- Finding the prefix ------------------------------------------------ */

static size_t countLevels(const struct merge *merge, char **levels)
{
	size_t count = levels ? g_strv_length(levels) : 0;

	if (count)
		return count;
	for (guint i = 0; i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];

		if (file->levels)
			count = MAX(count, g_strv_length(file->levels));
	}
	return count ? count : 3;
}

/** Number of leading parts, separated by '_', that two names share. */
static size_t sharedParts(const char *a, const char *b)
{
	size_t parts = 0;
	size_t i = 0;

	for (;; i++) {
		bool endA = a[i] == '_' || a[i] == '\0';
		bool endB = b[i] == '_' || b[i] == '\0';

		if (endA != endB || (!endA && a[i] != b[i]))
			return parts;
		if (endA) {
			parts++;
			if (a[i] == '\0' || b[i] == '\0')
				return parts;
		}
	}
}

static size_t countParts(const char *name)
{
	size_t parts = 1;

	for (; *name; name++)
		parts += *name == '_';
	return parts;
}

/** Without any proof: let the deepest trace have all levels. */
static char *guessPrefix(const struct merge *merge, char **levels)
{
	const struct mergeFile *first = merge->files->pdata[0];
	size_t levelCount = countLevels(merge, levels);
	size_t deepest = 0;
	size_t shared = SIZE_MAX;
	size_t length;
	const char *end = first->stem;

	for (guint i = 0; i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];

		deepest = MAX(deepest, countParts(file->stem));
		shared = MIN(shared, sharedParts(first->stem, file->stem));
	}
	length = deepest > levelCount ? deepest - levelCount : 1;
	if (length > shared)
		return NULL;
	for (size_t i = 0; i < length; i++)
		end += strcspn(end, "_") + (i + 1 < length);
	return g_strndup(first->stem, (size_t)(end - first->stem));
}

static char *joinKeys(GHashTable *table)
{
	GList *keys =
		g_list_sort(g_hash_table_get_keys(table), (GCompareFunc)strcmp);
	GString *out = g_string_new(NULL);

	for (GList *key = keys; key; key = key->next)
		g_string_append_printf(out, "%s%s", out->len ? ", " : "",
				       (const char *)key->data);
	g_list_free(keys);
	return g_string_free(out, FALSE);
}

int mergeChoosePrefix(struct merge *merge, GHashTable *proven, char **levels)
{
	GHashTableIter iter;
	void *key;

	if (g_hash_table_size(proven) > 1) {
		char *list = joinKeys(proven);

		toolUsage(merge->tool,
			  "%s: contains several projects: %s; name one of them",
			  merge->directory, list);
		g_free(list);
		return TOOL_FAILED;
	}
	g_hash_table_iter_init(&iter, proven);
	if (g_hash_table_iter_next(&iter, &key, NULL))
		merge->name = g_strdup(key);
	else if (merge->files->len)
		merge->name = guessPrefix(merge, levels);
	if (merge->name)
		return -1;
	if (merge->files->len)
		return toolUsage(
			merge->tool,
			"%s: contains several projects; name one of them",
			merge->directory);
	toolError(merge->tool,
		  "%s: contains no .trc, .info, .stat or .rel files",
		  merge->directory);
	return TOOL_FAILED;
}
