/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The waits of a trace, and the states that they are in.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/pages/waitpyramid.h"

/** A state that was entered. */
struct waitState {
	char *name;
	int64_t end; /**< Not after that of the state around it. */
};

struct waitPyramid {
	struct tracePyramid *zooms;
	struct rowWaits *waits;
	size_t trace;
	GArray *open; /**< struct waitState, the innermost last. */
};

static void waitStateClear(void *data)
{
	struct waitState *state = data;

	g_free(state->name);
}

/** The innermost state that has all of the wait in it. */
static guint waitPyramidDepth(const struct waitPyramid *self,
			      const struct rowWait *wait)
{
	guint depth = self->open->len;

	while (depth &&
	       g_array_index(self->open, struct waitState, depth - 1).end <
		       wait->end)
		depth--;
	return depth;
}

static int waitPyramidAdd(struct waitPyramid *self, const struct rowWait *row,
			  guint depth, bool isOutermost)
{
	const struct waitState *state =
		depth ? &g_array_index(self->open, struct waitState, depth - 1)
		      : NULL;
	const struct traceWait wait = {
		.start = row->start,
		.end = row->end,
		.state = state ? state->name : "",
		.kind = waitKindInfo(row->kind)->name,
		.depth = depth ? depth - 1 : 0,
		.isOutermost = isOutermost,
	};

	return tracePyramidAddWait(self->zooms, &wait);
}

/** Take waits that start before a time: the states that are open at their start
 *  are known. */
static int waitPyramidTakeUntil(struct waitPyramid *self, int64_t time)
{
	const struct rowWait *wait;
	int ret = 0;

	while (ret == 0 && (wait = rowWaitsGet(self->waits, self->trace)) &&
	       wait->start < time) {
		guint depth = waitPyramidDepth(self, wait);

		ret = waitPyramidAdd(self, wait, depth, false);
		if (ret == 0 && depth > 1)
			ret = waitPyramidAdd(self, wait, 1, true);
		rowWaitsNext(self->waits);
	}
	return ret < 0 ? ret : rowWaitsError(self->waits);
}

static void waitPyramidEnter(struct waitPyramid *self,
			     const struct orderedStep *step)
{
	struct waitState state = {
		.name = g_strdup(step->record->name),
		.end = MAX(step->record->end, step->time),
	};
	guint depth = self->open->len;

	if (depth)
		state.end = MIN(
			state.end,
			g_array_index(self->open, struct waitState, depth - 1)
				.end);
	g_array_append_val(self->open, state);
}

static int waitPyramidReadTrace(struct waitPyramid *self,
				struct ordered *ordered,
				waitPyramidProgress *progress, void *data)
{
	struct orderedStep step;
	int more;
	int ret = 0;

	while (ret == 0 && (more = orderedRead(ordered, &step)) == 1) {
		ret = waitPyramidTakeUntil(self, step.time);
		if (step.kind == ORDERED_ENTER)
			waitPyramidEnter(self, &step);
		else if (step.kind == ORDERED_LEAVE)
			g_array_set_size(self->open, self->open->len - 1);
		if (ret == 0 && progress &&
		    !progress(orderedOffset(ordered), data))
			ret = -ECANCELED;
	}
	if (ret == 0 && more < 0)
		ret = -errno;
	return ret < 0 ? ret : waitPyramidTakeUntil(self, INT64_MAX);
}

int waitPyramidMake(struct track *track, const hdIProject *project,
		    size_t trace, struct rowWaits *waits,
		    waitPyramidProgress *progress, void *data)
{
	struct waitPyramid self = { .waits = waits, .trace = trace };
	struct ordered *ordered;
	int ret;

	if (!rowWaitsGet(waits, trace))
		return rowWaitsError(waits);
	ordered = orderedOpen(project, project->traces[trace],
			      &diagnosticsDropped);
	if (!ordered)
		return -errno;
	self.zooms = tracePyramidNew(track, NULL, true);
	self.open = g_array_new(FALSE, FALSE, sizeof(struct waitState));
	g_array_set_clear_func(self.open, waitStateClear);
	ret = waitPyramidReadTrace(&self, ordered, progress, data);
	if (ret == 0)
		ret = tracePyramidFinish(self.zooms, NULL, NULL, false);
	g_array_unref(self.open);
	tracePyramidFree(self.zooms);
	orderedClose(ordered);
	return ret;
}
