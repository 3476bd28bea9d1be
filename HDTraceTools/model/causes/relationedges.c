/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Edges between relations, and between these and traces.
 *
 * Nothing says when a relation waits for what it caused. It may do so until the
 * last one of them that ends before it does, and before that one began, for the
 * last one that ended before that.
 */
#include "config.h"

#include "HDTraceTools/model/causes/ends.h"

/** What is needed while edges are made. */
struct making {
	struct dependencies *owner;
	const struct forest *forest;
	uint32_t first;
	GArray *numbers; /**< uint32_t: children, or what has no cause. */
};

static int64_t relationEdgesStartOf(const struct making *self, uint32_t number)
{
	return forestStart(self->forest, number);
}

static int64_t relationEdgesEndOf(const struct making *self, uint32_t number)
{
	return forestLasted(self->forest, number);
}

/** More than how deep relations are looked at. */
#define DEPTHS (1 << 29)

/** Of edges at the same time: back to causes, from the innermost outwards; then
 *  into what ended, from the outermost inwards; and back from what began and
 *  ended at that time. */
static int32_t startOrder(const struct making *self, uint32_t number)
{
	int32_t depth =
		(int32_t)MIN(forestDepth(self->forest, number), DEPTHS / 2);

	return relationEdgesEndOf(self, number) >
			       relationEdgesStartOf(self, number)
		       ? -2 * DEPTHS - depth
		       : 3 * DEPTHS - depth;
}

/** From who caused a relation, or went before it, to its start. */
static int addStart(struct making *self, uint32_t from, int64_t fromTime,
		    uint32_t to, enum dependencyKind kind,
		    enum dependencyCertainty certainty)
{
	struct dependency edge = {
		.kind = kind,
		.certainty = certainty,
		.from = from,
		.fromTime = fromTime,
		.to = self->first + to,
		.toTime = relationEdgesStartOf(self, to),
		.toStart = relationEdgesStartOf(self, to),
		.order = startOrder(self, to),
		.size = -1,
	};

	return dependencyMake(self->owner, &edge);
}

/** From the end of a relation to what goes on after it, and waited since a
 * time.
 */
static int addReturn(struct making *self, uint32_t from, uint32_t to,
		     uint32_t depth, int64_t since, enum dependencyKind kind)
{
	int64_t end = relationEdgesEndOf(self, from);
	struct dependency edge = {
		.kind = kind,
		.certainty = DEPENDENCY_POSSIBLE,
		.from = self->first + from,
		.fromTime = end,
		.to = to,
		.toTime = end,
		.toStart = MIN(since, end),
		/* What took no time is of no importance. */
		.order = 2 * (int32_t)MIN(depth, DEPTHS / 2) +
			 (relationEdgesStartOf(self, from) == end),
		.size = -1,
	};

	return dependencyMake(self->owner, &edge);
}

/* ---- Children ---------------------------------------------------------- */

static gint lastFirst(gconstpointer left, gconstpointer right, gpointer data)
{
	const uint32_t *a = left, *b = right;
	int64_t x = forestLasted(data, *a), y = forestLasted(data, *b);

	if (x != y)
		return x > y ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static gint firstFirst(gconstpointer left, gconstpointer right, gpointer data)
{
	const uint32_t *a = left, *b = right;
	int64_t x = forestStart(data, *a), y = forestStart(data, *b);

	if (x != y)
		return x < y ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static uint32_t relationEdgesNumberAt(const struct making *self, guint i)
{
	return g_array_index(self->numbers, uint32_t, i);
}

/** What a relation caused, and may have waited for. */
static int addChildren(struct making *self, uint32_t parent)
{
	uint32_t child = forestChild(self->forest, parent);
	int64_t until = relationEdgesEndOf(self, parent);
	uint32_t depth = forestDepth(self->forest, parent) + 1;
	int ret = 0;

	g_array_set_size(self->numbers, 0);
	for (; child != FOREST_NONE; child = forestSibling(self->forest, child))
		g_array_append_val(self->numbers, child);
	g_array_sort_with_data(self->numbers, lastFirst, (void *)self->forest);
	for (guint i = 0; i < self->numbers->len && ret == 0; i++) {
		int64_t start, cause, end;

		child = relationEdgesNumberAt(self, i);
		start = relationEdgesStartOf(self, child);
		end = relationEdgesEndOf(self, child);
		/* It may be caused by one that is over. */
		cause = MAX(MIN(start, relationEdgesEndOf(self, parent)),
			    relationEdgesStartOf(self, parent));
		ret = addStart(self, self->first + parent, cause, child,
			       DEPENDENCY_RELATION, DEPENDENCY_CERTAIN);
		if (ret < 0 || !forestEnded(self->forest, child) ||
		    end > relationEdgesEndOf(self, parent) ||
		    end < relationEdgesStartOf(self, parent))
			continue;
		/* Of those at the same time, one counts as waited for. */
		ret = addReturn(self, child, self->first + parent, depth,
				end <= until ? MAX(start, relationEdgesStartOf(
								  self, parent))
					     : end,
				DEPENDENCY_RETURN);
		if (end <= until)
			until = start;
	}
	return ret;
}

/* ---- Links ------------------------------------------------------------- */

static int relationEdgesAddLinks(struct making *self)
{
	const GArray *links = forestLinks(self->forest);
	int ret = 0;

	for (guint i = 0; i < links->len && ret == 0; i++) {
		const struct forestLink *link =
			&g_array_index(links, struct forestLink, i);
		int64_t start = relationEdgesStartOf(self, link->number);
		int64_t end = relationEdgesEndOf(self, link->cause);

		if (link->cause == link->number)
			continue;
		if (end > start &&
		    end <= relationEdgesEndOf(self, link->number) &&
		    forestEnded(self->forest, link->cause))
			ret = addReturn(
				self, link->cause, self->first + link->number,
				forestDepth(self->forest, link->number) + 1,
				start, DEPENDENCY_LINK);
		else if (relationEdgesStartOf(self, link->cause) <= start)
			ret = addStart(self, self->first + link->cause,
				       MIN(end, start), link->number,
				       DEPENDENCY_LINK, DEPENDENCY_POSSIBLE);
	}
	return ret;
}

/* ---- What has no cause ------------------------------------------------- */

/** Of a node with a trace they are a part of what that does. */
static int addOfTrace(struct making *self, uint32_t trace)
{
	int ret = 0;

	for (guint i = 0; i < self->numbers->len && ret == 0; i++) {
		uint32_t number = relationEdgesNumberAt(self, i);

		ret = addStart(self, trace, relationEdgesStartOf(self, number),
			       number, DEPENDENCY_RELATION,
			       DEPENDENCY_POSSIBLE);
		if (ret == 0 && forestEnded(self->forest, number))
			ret = addReturn(self, number, trace, 0,
					relationEdgesStartOf(self, number),
					DEPENDENCY_RETURN);
	}
	return ret;
}

/** One after the other, unless they overlap. */
static int addInOrder(struct making *self)
{
	int ret = 0;

	g_array_sort_with_data(self->numbers, firstFirst, (void *)self->forest);
	for (guint i = 1; i < self->numbers->len; i++) {
		if (relationEdgesStartOf(self, relationEdgesNumberAt(self, i)) <
		    relationEdgesEndOf(self,
				       relationEdgesNumberAt(self, i - 1)))
			return 0;
	}
	for (guint i = 1; i < self->numbers->len && ret == 0; i++)
		ret = addStart(
			self, self->first + relationEdgesNumberAt(self, i - 1),
			relationEdgesEndOf(self,
					   relationEdgesNumberAt(self, i - 1)),
			relationEdgesNumberAt(self, i), DEPENDENCY_RELATION,
			DEPENDENCY_POSSIBLE);
	return ret;
}

static int relationEdgesAddFile(struct making *self,
				const struct forestFile *file)
{
	const hdIProject *project = forestProject(self->forest);
	const hdITraceFile *own = file->file->node->trace;
	uint32_t trace = 0;

	g_array_set_size(self->numbers, 0);
	for (uint32_t i = 0; i < file->count; i++) {
		uint32_t number = file->first + i;

		if (forestParent(self->forest, number) == FOREST_NONE)
			g_array_append_val(self->numbers, number);
	}
	if (!own)
		return addInOrder(self);
	while (project->traces[trace] != own)
		trace++;
	return addOfTrace(self, trace);
}

int dependenciesAddRelations(struct dependencies *self,
			     const struct forest *forest, uint32_t first)
{
	struct making making = {
		.owner = self,
		.forest = forest,
		.first = first,
		.numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	};
	int ret = 0;

	self->forest = forest;
	self->firstRelation = first;
	for (uint32_t i = 0; i < forestCount(forest) && ret == 0; i++) {
		if (forestChild(forest, i) != FOREST_NONE)
			ret = addChildren(&making, i);
	}
	for (size_t i = 0; i < forestFileCount(forest) && ret == 0; i++)
		ret = relationEdgesAddFile(&making, forestFileAt(forest, i));
	if (ret == 0)
		ret = relationEdgesAddLinks(&making);
	g_array_unref(making.numbers);
	return ret;
}
