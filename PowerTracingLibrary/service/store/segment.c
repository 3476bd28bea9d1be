/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segments of a store; see segment.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/store/segment.h"

#define COLUMN_SIZE ((int64_t)(PT_SEGMENT_SIZE * sizeof(double)))

static void segmentChargeAccount(struct ptAccount *account, int64_t bytes)
{
	__atomic_add_fetch(&account->used, bytes, __ATOMIC_RELAXED);
}

static int64_t segmentBase(const struct ptStore *store)
{
	return (int64_t)(sizeof(struct ptSegment) +
			 store->columns * sizeof(struct ptSegmentColumn));
}

int64_t ptSegmentNeed(const struct ptSet *set)
{
	return (int64_t)sizeof(struct ptSegment) +
	       (int64_t)set->columnCount * COLUMN_SIZE;
}

/* Whether a set that wants readings wants a column. */
static bool columnIsWanted(const struct ptStore *store, size_t column)
{
	for (const struct ptSet *set = store->sets; set; set = set->next)
		for (size_t i = 0; i < set->columnCount; i++)
			if (set->columns[i] == column)
				return true;
	return false;
}

int64_t ptSegmentCost(const struct ptStore *store)
{
	int64_t cost = segmentBase(store);

	for (size_t i = 0; i < store->columns; i++)
		if (columnIsWanted(store, i))
			cost += COLUMN_SIZE;
	return cost;
}

static void segmentFreeColumn(struct ptStore *store,
			      struct ptSegmentColumn *column)
{
	if (!column->values)
		return;
	free(column->values);
	column->values = NULL;
	segmentChargeAccount(store->service, -COLUMN_SIZE);
}

static int segmentAddColumn(struct ptStore *store,
			    struct ptSegmentColumn *column)
{
	if (column->values)
		return 0;
	column->values = malloc((size_t)COLUMN_SIZE);
	if (!column->values)
		return -ENOMEM;
	segmentChargeAccount(store->service, COLUMN_SIZE);
	return 0;
}

/* Free a segment that nobody uses. */
static void segmentFree(struct ptStore *store, struct ptSegment *segment)
{
	struct ptSegment **link = &store->head, *before = NULL;

	while (*link != segment) {
		before = *link;
		link = &(*link)->next;
	}
	*link = segment->next;
	if (store->tail == segment)
		store->tail = before;
	if (store->open == segment)
		store->open = NULL;
	for (size_t i = 0; i < store->columns; i++)
		segmentFreeColumn(store, &segment->columns[i]);
	segmentChargeAccount(store->service, -segmentBase(store));
	free(segment);
}

int ptSegmentUse(struct ptStore *store, struct ptSet *set)
{
	struct ptSegment *segment = store->open;
	int64_t need = ptSegmentNeed(set);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < set->columnCount; i++)
		ret = segmentAddColumn(store,
				       &segment->columns[set->columns[i]]);
	if (ret < 0) {
		for (size_t i = 0; i < store->columns; i++)
			if (segment->columns[i].uses == 0)
				segmentFreeColumn(store, &segment->columns[i]);
		return ret;
	}
	for (size_t i = 0; i < set->columnCount; i++)
		segment->columns[set->columns[i]].uses++;
	segment->uses++;
	if (!set->first)
		set->first = segment;
	set->last = segment;
	set->bytes += need;
	segmentChargeAccount(set->account, need);
	return 0;
}

int ptSegmentOpen(struct ptStore *store)
{
	struct ptSegment *segment =
		calloc(1, sizeof(*segment) +
				  store->columns * sizeof(segment->columns[0]));

	if (!segment)
		return -ENOMEM;
	segmentChargeAccount(store->service, segmentBase(store));
	segment->first = store->number;
	if (store->tail)
		store->tail->next = segment;
	else
		store->head = segment;
	store->tail = store->open = segment;
	for (size_t i = 0; i < store->columns; i++) {
		if (columnIsWanted(store, i) &&
		    segmentAddColumn(store, &segment->columns[i]) < 0) {
			segmentFree(store, segment);
			return -ENOMEM;
		}
	}
	/* Now nothing can fail. */
	for (struct ptSet *set = store->sets; set; set = set->next)
		ptSegmentUse(store, set);
	return 0;
}

void ptSegmentRelease(struct ptStore *store, struct ptSet *set)
{
	struct ptSegment *segment = set->first;
	int64_t need = ptSegmentNeed(set);

	set->first = segment == set->last ? NULL : segment->next;
	if (!set->first)
		set->last = NULL;
	set->bytes -= need;
	segmentChargeAccount(set->account, -need);
	for (size_t i = 0; i < set->columnCount; i++) {
		struct ptSegmentColumn *column =
			&segment->columns[set->columns[i]];

		if (--column->uses == 0)
			segmentFreeColumn(store, column);
	}
	if (--segment->uses == 0)
		segmentFree(store, segment);
}

/* Whether all of a segment is later than the stop. */
static bool segmentIsLate(const struct ptSegment *segment,
			  const struct ptSet *set)
{
	return segment->count > 0 && segment->readings[0].mono > set->stopMono;
}

void ptSegmentsClose(struct ptStore *store, struct ptSet *set)
{
	struct ptSet **link = &store->sets;

	if (!set->isOpen)
		return;
	while (*link != set)
		link = &(*link)->next;
	*link = set->next;
	set->isOpen = false;
	set->end = store->number;
	/* One at most: the stop was noticed with the first reading after it,
	 * unless nobody looked. */
	if (set->first && set->first == set->last &&
	    segmentIsLate(set->first, set))
		ptSegmentRelease(store, set);
}
