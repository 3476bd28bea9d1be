/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: the bases of clocks.
 *
 * Processes that began before and after the clock of their host was set have
 * different bases (doc/format/format.md). They are aligned where steps that
 * were recorded on the host explain the difference; what else differs, as after
 * a reboot, stays as it is.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/merge/merge.h"
#include "cli/output.h"
#include "common/clock.h"

/* What is no difference, and two lines about one step have less between them.
 */
#define BASES_NS (HD_NS_PER_S / 1000)
#define BASES_SAME_NS (10 * HD_NS_PER_S)
/* Steps of a host that are looked at. */
#define BASES_STEPS 1000

/* A step, as a file says it. */
struct step {
	const struct mergeNode *host, *node;
	int64_t time, by;
};

GArray *mergeNewSteps(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct step));
}

void mergeAddStep(struct merge *merge, const struct mergeFile *file,
		  const struct infoLine *line)
{
	const struct step step = { mergeHostOf(merge, file->node), file->node,
				   line->clock.time, line->clock.offset };

	if (step.host)
		g_array_append_val(merge->steps, step);
}

static gint basesCompare(gconstpointer a, gconstpointer b)
{
	const struct step *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Let times of steps be those since the boot, which all processes of a host
 * have alike: the times of their files differ by their bases. */
static void basesUnify(struct merge *merge)
{
	GHashTable *files = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < merge->files->len; i++) {
		struct mergeFile *file = merge->files->pdata[i];

		if (file->hasBase)
			g_hash_table_insert(files, file->node, file);
	}
	for (guint i = 0; i < merge->steps->len; i++) {
		struct step *step =
			&g_array_index(merge->steps, struct step, i);
		const struct mergeFile *file =
			g_hash_table_lookup(files, step->node);

		if (file)
			step->time -= file->base;
	}
	g_hash_table_unref(files);
}

/* The steps of a host by time, each of them once. */
static GArray *basesSteps(const struct merge *merge,
			  const struct mergeNode *host)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct step));

	for (guint i = 0; i < merge->steps->len; i++) {
		struct step one = g_array_index(merge->steps, struct step, i);
		bool isNew = one.host == host && found->len < BASES_STEPS;

		for (guint k = 0; isNew && k < found->len; k++) {
			const struct step *other =
				&g_array_index(found, struct step, k);

			isNew = llabs(one.by - other->by) > BASES_NS ||
				llabs(one.time - other->time) > BASES_SAME_NS;
		}
		if (isNew)
			g_array_append_val(found, one);
	}
	g_array_sort(found, basesCompare);
	return found;
}

/* Whether steps, one behind the other, make such a difference. */
static bool basesExplain(const GArray *steps, int64_t difference)
{
	for (guint i = 0; i < steps->len; i++) {
		int64_t sum = 0;

		for (guint k = i; k < steps->len; k++) {
			sum += g_array_index(steps, struct step, k).by;
			if (llabs(llabs(difference) - llabs(sum)) <= BASES_NS)
				return true;
		}
	}
	return false;
}

/* Whether a base counts more than another one: that of clocks that were
 * compared, of traces, of what else there is. */
static unsigned int basesRank(const struct mergeFile *file)
{
	return file->isCompared ? 2 : file->kind == MERGE_TRACE;
}

/* The file whose base is that of its host, for each host with such files. */
static GHashTable *basesReferences(const struct merge *merge)
{
	GHashTable *references = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < merge->files->len; i++) {
		struct mergeFile *file = merge->files->pdata[i];
		struct mergeNode *host =
			(struct mergeNode *)mergeHostOf(merge, file->node);
		const struct mergeFile *found;

		if (!host || !file->hasBase)
			continue;
		found = g_hash_table_lookup(references, host);
		if (!found || basesRank(file) > basesRank(found))
			g_hash_table_insert(references, host, file);
	}
	return references;
}

static void basesAlign(struct merge *merge, struct mergeFile *file,
		       const struct mergeNode *host,
		       const struct mergeFile *reference)
{
	int64_t difference = reference->base - file->base;
	char seconds[OUT_NUMBER_SIZE];
	GArray *steps;

	if (file->isCorrected || llabs(difference) <= BASES_NS)
		return;
	steps = basesSteps(merge, host);
	if (basesExplain(steps, difference)) {
		file->shift = difference;
		file->newBase = reference->base;
		toolReport(merge->tool, "merge.base", file->path, -1, 0,
			   "times moved by %s%s s: the system clock was set "
			   "between the starts of this process and of others",
			   difference < 0 ? "" : "+",
			   outSeconds(seconds, difference));
	}
	g_array_unref(steps);
}

void mergeAlignBases(struct merge *merge)
{
	GHashTable *references;

	if (merge->hasRawTimes || merge->steps->len == 0)
		return;
	basesUnify(merge);
	references = basesReferences(merge);
	for (guint i = 0; i < merge->files->len; i++) {
		struct mergeFile *file = merge->files->pdata[i];
		const struct mergeNode *host =
			file->hasBase ? mergeHostOf(merge, file->node) : NULL;

		if (host)
			basesAlign(merge, file, host,
				   g_hash_table_lookup(references, host));
	}
	g_hash_table_unref(references);
}

void mergeMarkCompared(struct merge *merge, const struct mergeFile *info)
{
	for (guint i = 0; i < merge->files->len; i++) {
		struct mergeFile *file = merge->files->pdata[i];

		if (file->node == info->node && file->kind == MERGE_TRACE)
			file->isCompared = true;
	}
}
