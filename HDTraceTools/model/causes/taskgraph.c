/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Edges of a task graph that was simulated, or run: from the end of what took
 * place to what could not begin before.
 *
 * Who wrote the project knew it (doc/prediction.md): each activity, of a task
 * or of a transfer, has a number; a state that ended when one did names it as
 * what it `awaits`, and one that began then as what it `follows`.
 */
#include "config.h"

#include "HDTraceTools/model/causes/ends.h"

/** What an end with the number of an activity is. */
enum graphEnd {
	GRAPH_ACTIVITY,
	GRAPH_WAITED,
};

static void taskGraphAddEnd(struct dependencyReader *reader, uint8_t source,
			    enum graphEnd what, int64_t activity, int64_t time)
{
	const GPtrArray *groups = messagesGroups(reader->messages);
	const struct dependencyEnd end = {
		.number = (uint64_t)activity,
		.waited = reader->record->start,
		.time = time,
		.function = (uint16_t)what,
		.source = source,
	};

	if (activity >= 0 && groups->len)
		dependencyAddCall(reader, &end, 0, groups->pdata[0]);
}

static void taskGraphNote(struct dependencyReader *reader, uint8_t source)
{
	const hdIRecord *record = reader->record;
	const struct messageFields *fields = &reader->read->own;
	int64_t activity;

	if (messageField(fields, MESSAGE_ACTIVITY, &activity))
		taskGraphAddEnd(reader, source, GRAPH_ACTIVITY, activity,
				record->end);
	if (messageField(fields, MESSAGE_AWAITS, &activity))
		taskGraphAddEnd(reader, source, GRAPH_WAITED, activity,
				record->end);
	if (messageField(fields, MESSAGE_FOLLOWS, &activity))
		taskGraphAddEnd(reader, source, GRAPH_WAITED, activity,
				record->start);
}

static int taskGraphAddSortedEnd(struct dependencyJoin *join,
				 const struct dependencyEnd *end)
{
	g_array_append_val(join->held, *end);
	return 0;
}

static int taskGraphMakeEdge(struct dependencyJoin *join,
			     const struct dependencyEnd *from,
			     const struct dependencyEnd *to)
{
	struct dependency edge = {
		.kind = DEPENDENCY_GRAPH,
		.from = from->trace,
		.fromTime = from->time,
		.to = to->trace,
		/* What follows could not begin before; in a run it does
		 * somewhat later. */
		.toStart = to->waited == to->time ? MIN(from->time, to->time)
						  : to->waited,
		.toTime = to->time,
		/* What took time, before messages that took none. */
		.order = -1,
		.size = -1,
	};

	if (!from->isChosen || !to->isChosen)
		return 0;
	return dependencyMake(join->dependencies, &edge);
}

static int taskGraphFinish(struct dependencyJoin *join)
{
	const struct dependencyEnd *ends =
		(const struct dependencyEnd *)(const void *)join->held->data;
	const struct dependencyEnd *activity = NULL;
	int ret = 0;

	for (guint i = 0; i < join->held->len; i++) {
		if (ends[i].function == GRAPH_ACTIVITY)
			activity = &ends[i];
	}
	for (guint i = 0; activity && i < join->held->len && ret == 0; i++) {
		if (ends[i].function == GRAPH_WAITED)
			ret = taskGraphMakeEdge(join, activity, &ends[i]);
	}
	return ret;
}

const struct dependencySource dependencyGraph = {
	.name = "graph",
	.kinds = DEPENDENCY_GRAPH,
	.note = taskGraphNote,
	.take = taskGraphAddSortedEnd,
	.finish = taskGraphFinish,
	.byNumber = true,
};
