/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a device has measured, as long as somebody needs it; see store.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/store/segment.h"
#include "common/clock.h"

/* What it is taken to be before there is one. */
#define LATENCY_UNKNOWN_NS 20000000
/* How much longer than that a set waits: the next one may take longer. Of a
 * fast device there will be one that belongs to it no more, unless this host is
 * busy, so it may wait for that. */
#define SLACK_NS 20000000
#define SLACK_FAST_NS 500000000
#define FAST_NS 100000000

int64_t ptAccountUsed(const struct ptAccount *account)
{
	return __atomic_load_n(&account->used, __ATOMIC_RELAXED);
}

struct ptStore *ptStoreCreate(size_t columns, struct ptAccount *service)
{
	struct ptStore *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->columns = columns;
	store->service = service;
	store->lastValues = calloc(columns + 1, sizeof(*store->lastValues));
	if (!store->lastValues) {
		free(store);
		return NULL;
	}
	pthread_mutex_init(&store->mutex, NULL);
	return store;
}

void ptStoreDestroy(struct ptStore *store)
{
	if (!store)
		return;
	pthread_mutex_destroy(&store->mutex);
	free(store->lastValues);
	free(store);
}

/* ---- Room -------------------------------------------------------------- */

/* The set that is to give way when the service has no room. */
static struct ptSet *storeLargest(const struct ptStore *store)
{
	struct ptSet *largest = NULL;

	for (struct ptSet *set = store->sets; set; set = set->next)
		if (!largest || ptAccountUsed(set->account) >
					ptAccountUsed(largest->account))
			largest = set;
	return largest;
}

/* Take room from a set: its oldest segment, or it gets no more. */
static bool storeTake(struct ptStore *store, struct ptSet *set,
		      enum ptMissing why)
{
	set->missing = why;
	if (!set->dropsOldest) {
		ptSegmentsClose(store, set);
		return true;
	}
	if (!set->first || set->first == set->pinned)
		return false;
	set->begin = set->first->first + set->first->count;
	ptSegmentRelease(store, set);
	return true;
}

/* Let no client have more than its limit with one more segment. */
static void storeFitClients(struct ptStore *store)
{
	struct ptSet *next;

	for (struct ptSet *set = store->sets; set; set = next) {
		next = set->next;
		while (ptAccountUsed(set->account) + ptSegmentNeed(set) >
			       set->account->limit &&
		       storeTake(store, set, PT_MISSING_CLIENT) && set->isOpen)
			;
	}
}

/* Open a segment for all that want it; else nothing is kept of a reading. */
static void storeOpen(struct ptStore *store)
{
	struct ptSet *set;

	storeFitClients(store);
	while (store->sets) {
		if (ptAccountUsed(store->service) + ptSegmentCost(store) <=
		    store->service->limit) {
			if (ptSegmentOpen(store) == 0)
				return;
		}
		set = storeLargest(store);
		if (!storeTake(store, set, PT_MISSING_SERVICE))
			break;
	}
	/* Who wants all readings gets no more; others have lost this one. */
	for (set = store->sets; set;) {
		struct ptSet *next = set->next;

		set->missing = PT_MISSING_SERVICE;
		if (!set->dropsOldest)
			ptSegmentsClose(store, set);
		set = next;
	}
}

/* ---- The device's side ------------------------------------------------- */

static void storeRemember(struct ptStore *store, const struct ptStored *reading,
			  const double *values)
{
	int64_t latency = hdMonotonicNow() - reading->mono;

	store->last = *reading;
	memcpy(store->lastValues, values, store->columns * sizeof(*values));
	store->latencies[store->number % PT_STORE_LATENCIES] = latency;
	store->number++;
}

void ptStoreAdd(struct ptStore *store, const struct ptStored *reading,
		const double *values)
{
	struct ptSegment *segment;

	pthread_mutex_lock(&store->mutex);
	if (!store->sets)
		store->open = NULL;
	else if (!store->open || store->open->count == PT_SEGMENT_SIZE) {
		store->open = NULL;
		storeOpen(store);
	}
	segment = store->open;
	if (segment) {
		size_t at = segment->count++;

		segment->readings[at] = *reading;
		for (size_t i = 0; i < store->columns; i++)
			if (segment->columns[i].values)
				segment->columns[i].values[at] = values[i];
	}
	storeRemember(store, reading, values);
	pthread_mutex_unlock(&store->mutex);
}

uint64_t ptStoreLast(struct ptStore *store, struct ptStored *reading,
		     double *values)
{
	uint64_t number;

	pthread_mutex_lock(&store->mutex);
	number = store->number;
	if (number > 0) {
		*reading = store->last;
		if (values)
			memcpy(values, store->lastValues,
			       store->columns * sizeof(*values));
	}
	pthread_mutex_unlock(&store->mutex);
	return number;
}

static int64_t storeLatency(const struct ptStore *store)
{
	int64_t latency = 0;
	size_t count = store->number < PT_STORE_LATENCIES
			       ? (size_t)store->number
			       : PT_STORE_LATENCIES;

	for (size_t i = 0; i < count; i++)
		if (store->latencies[i] > latency)
			latency = store->latencies[i];
	return count > 0 ? latency : LATENCY_UNKNOWN_NS;
}

int64_t ptStoreLatency(struct ptStore *store)
{
	int64_t latency;

	pthread_mutex_lock(&store->mutex);
	latency = storeLatency(store);
	pthread_mutex_unlock(&store->mutex);
	return latency;
}

/* ---- Sets -------------------------------------------------------------- */

int ptSetStart(struct ptSet *set, struct ptStore *store, int64_t wall,
	       int64_t mono)
{
	int ret = 0;

	pthread_mutex_lock(&store->mutex);
	set->store = store;
	set->startWall = wall;
	set->startMono = mono;
	set->stopWall = set->stopMono = INT64_MAX;
	set->begin = store->number;
	if (ptAccountUsed(set->account) + ptSegmentNeed(set) >
	    set->account->limit)
		ret = -EDQUOT;
	else if (ptAccountUsed(store->service) + ptSegmentNeed(set) >
		 store->service->limit)
		ret = -ENOMEM;
	else if (store->open && store->open->count < PT_SEGMENT_SIZE)
		ret = ptSegmentUse(store, set);
	if (ret == 0) {
		set->isOpen = true;
		set->next = store->sets;
		store->sets = set;
	} else {
		set->store = NULL;
	}
	pthread_mutex_unlock(&store->mutex);
	return ret;
}

/* Whether the next reading is not far. */
static bool isFast(const struct ptStore *store)
{
	return store->number > 0 && store->last.length <= FAST_NS;
}

void ptSetStop(struct ptSet *set, int64_t wall, int64_t mono)
{
	pthread_mutex_lock(&set->store->mutex);
	set->stopWall = wall;
	set->stopMono = mono;
	set->deadlineNs = mono + storeLatency(set->store) +
			  (isFast(set->store) ? SLACK_FAST_NS : SLACK_NS);
	pthread_mutex_unlock(&set->store->mutex);
}

bool ptSetIsComplete(struct ptSet *set, int64_t nowNs, bool isUp)
{
	struct ptStore *store = set->store;
	bool is;

	pthread_mutex_lock(&store->mutex);
	is = !set->isOpen || !isUp || nowNs >= set->deadlineNs ||
	     (store->number > 0 && store->last.mono > set->stopMono);
	if (is)
		ptSegmentsClose(store, set);
	pthread_mutex_unlock(&store->mutex);
	return is;
}

enum ptMissing ptSetMissing(struct ptSet *set)
{
	enum ptMissing missing;

	pthread_mutex_lock(&set->store->mutex);
	missing = set->missing;
	pthread_mutex_unlock(&set->store->mutex);
	return missing;
}

/* Narrow a run to the readings between start and stop. */
static bool setCut(const struct ptSet *set, const struct ptSegment *segment,
		   uint64_t number, struct ptRun *run)
{
	size_t from =
		number > segment->first ? (size_t)(number - segment->first) : 0;
	size_t to = segment->count;

	while (from < to && segment->readings[from].mono <= set->startMono)
		from++;
	while (to > from && segment->readings[to - 1].mono > set->stopMono)
		to--;
	run->number = segment->first + from;
	run->count = to - from;
	run->readings = segment->readings + from;
	return run->count > 0;
}

bool ptSetFind(struct ptSet *set, uint64_t number, struct ptRun *run)
{
	struct ptSegment *s;
	bool isFound = false;

	if (!set->store)
		return false;
	pthread_mutex_lock(&set->store->mutex);
	if (number < set->begin)
		number = set->begin;
	/* Who reads goes on where the last run was. */
	s = set->first;
	if (set->pinned && set->pinned->first <= number)
		s = set->pinned;
	set->pinned = NULL;
	for (; s && !isFound; s = s->next) {
		if (s->first + s->count > number)
			isFound = setCut(set, s, number, run);
		if (isFound)
			set->pinned = s;
		if (s == set->last)
			break;
	}
	pthread_mutex_unlock(&set->store->mutex);
	return isFound;
}

const double *ptSetValues(struct ptSet *set, const struct ptRun *run,
			  size_t column)
{
	const struct ptSegment *segment = set->pinned;

	return segment->columns[column].values +
	       (run->readings - segment->readings);
}

void ptSetRelease(struct ptSet *set, uint64_t number)
{
	pthread_mutex_lock(&set->store->mutex);
	set->pinned = NULL;
	while (set->first && set->first->first + set->first->count <= number &&
	       (set->first->count == PT_SEGMENT_SIZE ||
		set->first != set->store->open))
		ptSegmentRelease(set->store, set);
	pthread_mutex_unlock(&set->store->mutex);
}

void ptSetClear(struct ptSet *set)
{
	if (!set->store)
		return;
	pthread_mutex_lock(&set->store->mutex);
	ptSegmentsClose(set->store, set);
	while (set->first)
		ptSegmentRelease(set->store, set);
	pthread_mutex_unlock(&set->store->mutex);
	set->store = NULL;
	set->pinned = NULL;
	set->missing = PT_MISSING_NOTHING;
}
