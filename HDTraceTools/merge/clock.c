/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: the clocks of hosts.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "common/format/level.h"
#include "cli/output.h"

const struct mergeNode *mergeHostOf(const struct merge *merge,
				    const struct mergeNode *node)
{
	unsigned int level =
		MAX((unsigned int)hdLevelFind(merge->levels,
					      g_strv_length(merge->levels),
					      HD_LEVEL_HOST),
		    1);

	while (node && node->level > level)
		node = node->parent;
	return node && node->level == level ? node : NULL;
}

static struct mergeClock *findClock(const struct merge *merge, const char *path)
{
	for (guint i = 0; i < merge->clocks->len; i++) {
		struct mergeClock *clock = merge->clocks->pdata[i];

		if (strcmp(clock->node->path, path) == 0)
			return clock;
	}
	return NULL;
}

void mergeAddClock(struct merge *merge, const struct mergeFile *file,
		   const struct infoLine *line)
{
	const struct mergeNode *host = mergeHostOf(merge, file->node);
	struct mergeClock *clock;

	if (!host) {
		toolReport(merge->tool, "info.clock", file->path, line->offset,
			   line->line,
			   "clock without a host: the file does not belong to "
			   "a node of level \"Host\"; the line is ignored");
		return;
	}
	clock = findClock(merge, host->path);
	if (!clock) {
		clock = g_new0(struct mergeClock, 1);
		clock->node = host;
		clock->method = g_strdup(line->method);
		clock->points =
			g_array_new(FALSE, FALSE, sizeof(struct hdClockPoint));
		g_ptr_array_add(merge->clocks, clock);
	}
	g_array_append_val(clock->points, line->clock);
}

static gint compareClocks(gconstpointer a, gconstpointer b)
{
	const struct mergeClock *const *x = a;
	const struct mergeClock *const *y = b;
	int order = mergeCompareLabels((*x)->node->path, (*y)->node->path);

	return order ? order : strcmp((*x)->node->path, (*y)->node->path);
}

static struct hdClockPoint *pointsOf(const struct mergeClock *clock)
{
	return (struct hdClockPoint *)(void *)clock->points->data;
}

void mergeFitClocks(struct merge *merge)
{
	g_ptr_array_sort(merge->clocks, compareClocks);
	for (guint i = 0; i < merge->clocks->len; i++) {
		struct mergeClock *clock = merge->clocks->pdata[i];
		size_t count = hdClockFit(pointsOf(clock), clock->points->len);

		g_array_set_size(clock->points, (guint)count);
	}
}

/** Whether a clock is the reference itself, or just as good. */
static bool isReference(const struct mergeClock *clock)
{
	for (guint i = 0; i < clock->points->len; i++) {
		if (pointsOf(clock)[i].offset != 0)
			return false;
	}
	return true;
}

/** The clock that the times of a file were taken from; NULL if unknown. */
static const struct mergeClock *mergeClockClockOf(const struct merge *merge,
						  const struct mergeFile *file)
{
	const struct mergeNode *host = mergeHostOf(merge, file->node);

	if (file->clockNode)
		return findClock(merge, file->clockNode);
	return host ? findClock(merge, host->path) : NULL;
}

/* The clock of a host as processes of another base see it. */
static const struct mergeClock *moveClock(struct merge *merge,
					  const struct mergeClock *clock,
					  int64_t shift)
{
	struct mergeClock *moved = g_new0(struct mergeClock, 1);

	moved->node = clock->node;
	moved->method = g_strdup(clock->method);
	moved->points = g_array_new(FALSE, FALSE, sizeof(struct hdClockPoint));
	for (guint i = 0; i < clock->points->len; i++) {
		struct hdClockPoint point = pointsOf(clock)[i];

		point.time -= shift;
		point.offset += shift;
		g_array_append_val(moved->points, point);
	}
	g_ptr_array_add(merge->moved, moved);
	return moved;
}

const struct mergeClock *mergeClockOf(struct merge *merge,
				      const struct mergeFile *file)
{
	const struct mergeClock *clock = NULL;

	if (!file->isCorrected && file->kind != MERGE_INFO &&
	    !merge->hasRawTimes)
		clock = mergeClockClockOf(merge, file);
	if (!clock || isReference(clock))
		return NULL;
	return file->shift ? moveClock(merge, clock, file->shift) : clock;
}

/** Whether all files of a clock have the times of the reference. */
static bool isApplied(const struct merge *merge, const struct mergeClock *clock)
{
	if (!merge->hasRawTimes || isReference(clock))
		return true;
	for (guint i = 0; i < merge->files->len; i++) {
		const struct mergeFile *file = merge->files->pdata[i];

		if (file->kind != MERGE_INFO && !file->isCorrected &&
		    mergeClockClockOf(merge, file) == clock)
			return false;
	}
	return true;
}

void mergeWriteClocks(GString *out, const struct merge *merge)
{
	char buffer[OUT_NUMBER_SIZE];
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < merge->clocks->len; i++) {
		const struct mergeClock *clock = merge->clocks->pdata[i];
		const struct hdClockPoint *points = pointsOf(clock);
		guint count = clock->points->len;

		if (!isApplied(merge, clock))
			continue;
		g_string_append(list, "  <Clock node=\"");
		xmlAppend(list, clock->node->path);
		g_string_append(list, "\" method=\"");
		xmlAppend(list, clock->method);
		g_string_append_printf(
			list, "\" error=\"%s\">\n",
			outSeconds(buffer, hdClockError(points, count)));
		for (guint k = 0; k < count; k++) {
			g_string_append_printf(
				list, "   <Point time=\"%s\"",
				outSeconds(buffer, points[k].time));
			g_string_append_printf(
				list, " offset=\"%s\"",
				outSeconds(buffer, points[k].offset));
			g_string_append_printf(
				list, " error=\"%s\" />\n",
				outSeconds(buffer, points[k].error));
		}
		g_string_append(list, "  </Clock>\n");
	}
	if (list->len)
		g_string_append_printf(out, " <ClockList>\n%s </ClockList>\n\n",
				       list->str);
	g_string_free(list, TRUE);
}
