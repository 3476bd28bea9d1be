/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info: which nodes are alike, so that they are one line.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/info/content.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "cli/quantity.h"

/** Contents of so many lines at most are printed as they are. */
#define FOLD_INFO_LINES 60

void infoDecideFold(struct info *info)
{
	const hdIProject *project = info->project;
	size_t lines = project->nodeCount + project->groupCount +
		       project->traceCount + project->relationCount +
		       info->missingGroups->len;

	for (size_t i = 0; i < project->groupCount; i++)
		lines += project->groups[i]->valueCount / 4;
	info->isFolded = lines > FOLD_INFO_LINES;
}

/** Whether nodes at a level may be one line. */
static bool foldMay(const struct info *info, const hdINode *node)
{
	int ranks = rolesRankLevel(info->project);
	bool isOfRank = ranks && node->level >= ranks;

	return info->isFolded && !info->isOfRanks &&
	       (isOfRank || !info->isOfNodes);
}

static gint foldCompareTexts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** What alike nodes have in common, in one text. Labels, numbers of children
 *  that are alike and contents may differ. */
static char *foldShape(const struct info *info, const hdINode *node)
{
	GPtrArray *children = g_ptr_array_new_with_free_func(g_free);
	GString *text = g_string_new(rolesLevelType(info->project, node));

	g_string_append_printf(text, "\1%d%d%d", node->isDeclared,
			       node->trace != NULL, node->relations != NULL);
	for (size_t i = 0; i < node->groupCount; i++)
		g_string_append_printf(text, "\2%s\3%d%d",
				       node->groups[i]->name,
				       node->groups[i]->isDeclared,
				       node->groups[i]->isReadable);
	for (size_t i = 0; i < node->childCount; i++)
		g_ptr_array_add(children, foldShape(info, node->children[i]));
	g_ptr_array_sort(children, foldCompareTexts);
	for (guint i = 0; i < children->len; i++) {
		const char *shape = children->pdata[i];

		if (i == 0 || strcmp(shape, children->pdata[i - 1]) != 0)
			g_string_append_printf(text, "\4%s\5", shape);
	}
	g_ptr_array_unref(children);
	return g_string_free(text, FALSE);
}

static void foldFree(void *data)
{
	g_ptr_array_unref(data);
}

GPtrArray *infoChildren(const struct info *info, const GPtrArray *nodes)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(foldFree);
	GHashTable *shapes =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < nodes->len; i++) {
		const hdINode *node = nodes->pdata[i];

		for (size_t k = 0; k < node->childCount; k++) {
			const hdINode *child = node->children[k];
			char *shape =
				foldMay(info, child)
					? foldShape(info, child)
					: g_strdup_printf("%p", (void *)child);
			GPtrArray *alike = g_hash_table_lookup(shapes, shape);

			if (!alike) {
				alike = g_ptr_array_new();
				g_ptr_array_add(all, alike);
				g_hash_table_insert(shapes, g_strdup(shape),
						    alike);
			}
			g_ptr_array_add(alike, (void *)child);
			g_free(shape);
		}
	}
	g_hash_table_destroy(shapes);
	return all;
}

/* ---- Contents of many ---------------------------------------------------- */

/** The least and the most of something. */
struct foldRange {
	uint64_t least;
	uint64_t most;
};

static void foldAdd(struct foldRange *range, uint64_t number)
{
	range->least = MIN(range->least, number);
	range->most = MAX(range->most, number);
}

static void foldPrintCount(const struct foldRange *range, const char *what)
{
	if (range->least == range->most)
		printf("%" PRIu64, range->least);
	else
		printf("%" PRIu64 " to %" PRIu64, range->least, range->most);
	printf(" %s", what);
}

static void foldPrintRange(const char *least, const char *most)
{
	if (strcmp(least, most) == 0)
		printf(", %s", least);
	else
		printf(", %s to %s", least, most);
}

void infoPrintMany(const struct content *const *contents, guint count,
		   const char *what)
{
	const struct foldRange none = { UINT64_MAX, 0 };
	struct foldRange entries = none, lengths = none, sizes = none;
	char low[OUT_NUMBER_SIZE], high[OUT_NUMBER_SIZE];
	uint64_t gaps = 0, events = 0;

	for (guint i = 0; i < count; i++) {
		const struct content *content = contents[i];

		foldAdd(&entries, content->entries);
		foldAdd(&sizes, (uint64_t)content->fileSize);
		if (content->hasTime)
			foldAdd(&lengths,
				(uint64_t)(content->end - content->start));
		gaps += content->gaps;
		events += content->events;
	}
	foldPrintCount(&entries, what);
	if (lengths.most > 0)
		foldPrintRange(outDuration(low, (int64_t)lengths.least),
			       outDuration(high, (int64_t)lengths.most));
	foldPrintRange(outSize(low, (int64_t)sizes.least),
		       outSize(high, (int64_t)sizes.most));
	printf(" each");
	if (events)
		printf(", %" PRIu64 " %s in all", events,
		       events == 1 ? "event" : "events");
	if (gaps)
		printf(", %" PRIu64 " %s in all", gaps,
		       gaps == 1 ? "gap" : "gaps");
}
