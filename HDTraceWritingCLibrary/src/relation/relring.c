/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes that have relations, and their rings; see relring.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/relation/relrecord.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/relation/relring.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"

/* Smallest ring of a thread. */
#define RING_MIN ((size_t)4096)

struct relAll hdRelAll = { .lock = PTHREAD_MUTEX_INITIALIZER };

__thread struct hdRelThread *hdRelThreadOwn;

static pthread_key_t threadKey;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void allLock(struct hdOutfileGuard *guard)
{
	hdOutfileGuardEnter(guard);
	pthread_mutex_lock(&hdRelAll.lock);
}

static void allUnlock(const struct hdOutfileGuard *guard)
{
	pthread_mutex_unlock(&hdRelAll.lock);
	hdOutfileGuardLeave(guard);
}

/* ---- Rings of threads -------------------------------------------------- */

/* The thread has no more use for a ring. */
static void ringRelease(struct hdRelRing *ring)
{
	struct hdOutfileGuard guard;
	bool isDetached;

	if (!ring)
		return;
	/* Nobody else has the rings of a parent process. */
	if (ring->generation != hdOutfileGeneration) {
		free(ring);
		return;
	}
	hdOutfileGuardEnter(&guard);
	pthread_mutex_lock(&ring->node->list);
	isDetached = ring->isDetached;
	ring->isOrphan = true;
	ring->node->users--;
	pthread_mutex_unlock(&ring->node->list);
	hdOutfileGuardLeave(&guard);
	if (isDetached)
		free(ring);
}

static void threadEnd(void *data)
{
	struct hdRelThread *thread = data;

	hdRelThreadOwn = NULL;
	for (size_t i = 0; i < thread->count; i++)
		ringRelease(thread->rings[i]);
	free(thread->rings);
	hdTextClear(&thread->scratch);
	hdTextClear(&thread->xml);
	free(thread);
}

/* In a child of fork(): the nodes are not ours. */
static void allForget(void)
{
	pthread_mutex_init(&hdRelAll.lock, NULL);
	for (hdR_topoToken node = atomic_load(&hdRelAll.nodes); node;
	     node = node->next)
		atomic_store(&node->epoch, 0);
}

static void allInitialise(void)
{
	pthread_key_create(&threadKey, threadEnd);
	pthread_atfork(NULL, NULL, allForget);
}

struct hdRelThread *hdRelThreadMake(void)
{
	struct hdRelThread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	hdLiteralPrepare();
	if (pthread_setspecific(threadKey, thread) != 0) {
		free(thread);
		return NULL;
	}
	hdRelThreadOwn = thread;
	return thread;
}

static size_t ringSize(void)
{
	size_t size = hdSettingsGet()->bufferSize / 4;

	return size < RING_MIN ? RING_MIN : size;
}

/* Make room in the thread's table for the node's slot. */
static int threadGrow(struct hdRelThread *thread, size_t slot)
{
	struct hdRelRing **rings;
	size_t count = slot + 8;

	if (slot < thread->count)
		return 0;
	rings = realloc(thread->rings, count * sizeof(*rings));
	if (!rings)
		return -HD_ERR_MALLOC;
	memset(rings + thread->count, 0,
	       (count - thread->count) * sizeof(*rings));
	thread->rings = rings;
	thread->count = count;
	return 0;
}

/* Put a ring into the list of its node, unless that was closed. */
static bool ringAttach(struct hdRelRing *ring, uint64_t epoch)
{
	hdR_topoToken node = ring->node;
	struct hdOutfileGuard guard;
	struct hdRelRing **heap;
	bool isOpen;

	hdOutfileGuardEnter(&guard);
	pthread_mutex_lock(&node->list);
	isOpen = atomic_load(&node->epoch) == epoch;
	heap = isOpen ? realloc(node->heap,
				(node->ringCount + 1) * sizeof(*node->heap))
		      : NULL;
	if (heap) {
		node->heap = heap;
		ring->next = node->rings;
		node->rings = ring;
		node->ringCount++;
		node->users++;
	}
	pthread_mutex_unlock(&node->list);
	hdOutfileGuardLeave(&guard);
	return heap;
}

struct hdRelRing *hdRelRingMake(struct hdRelThread *thread, hdR_topoToken node,
				uint64_t epoch)
{
	struct hdOutfileGuard guard;
	size_t size = ringSize();
	struct hdRelRing *ring;

	if (threadGrow(thread, node->slot) < 0)
		return NULL;
	ringRelease(thread->rings[node->slot]);
	thread->rings[node->slot] = NULL;
	ring = malloc(sizeof(*ring) + size);
	if (!ring)
		return NULL;
	memset(ring, 0, sizeof(*ring));
	ring->epoch = epoch;
	ring->generation = hdOutfileGeneration;
	ring->mask = size - 1;
	ring->node = node;
	ring->dropOnFull = hdSettingsGet()->dropOnFull;
	ring->forceFlush = hdSettingsGet()->forceFlush;
	ring->asksAhead = hdCacheLineCanOwn();
	allLock(&guard);
	ring->serial = ++hdRelAll.serials;
	allUnlock(&guard);
	if (!ringAttach(ring, epoch)) {
		free(ring);
		return NULL;
	}
	thread->rings[node->slot] = ring;
	return ring;
}

/* ---- Putting records --------------------------------------------------- */

/* Ask for as many bytes as were just put, some records ahead: who gathers has
 * read them on another processor. */
static void ringAskAhead(const struct hdRelRing *ring, size_t length)
{
	size_t from = ring->head + HD_OUTFILE_AHEAD;

	for (size_t i = 0; ring->asksAhead && i < length; i += HD_CACHE_LINE)
		hdCacheLineOwn((uintptr_t)ring->bytes +
			       ((from + i) & ring->mask));
}

static void ringCopyIn(struct hdRelRing *ring, size_t to, const void *bytes,
		       size_t length)
{
	size_t at = to & ring->mask;
	size_t first = ring->mask + 1 - at;

	if (__builtin_expect(length <= first, 1)) {
		memcpy(ring->bytes + at, bytes, length);
	} else {
		memcpy(ring->bytes + at, bytes, first);
		memcpy(ring->bytes, (const char *)bytes + first,
		       length - first);
	}
}

/* Count the elements of a record that is lost. */
static void ringLose(struct hdRelRing *ring, const struct hdRelRecord *record)
{
	uint64_t lost = atomic_load_explicit(&ring->lost, memory_order_relaxed);

	lost += record->last > 0 ? 2 : 1;
	atomic_store_explicit(&ring->lost, lost, memory_order_relaxed);
}

/* A record is lost because the file has failed. */
static int ringFail(struct hdRelRing *ring, const struct hdRelRecord *record)
{
	ringLose(ring, record);
	return atomic_exchange(&ring->node->isReported, true)
		       ? 1
		       : -HD_ERR_WRITE_FILE;
}

static bool nodeHasFailed(hdR_topoToken node)
{
	return atomic_load_explicit(&node->hasFailed, memory_order_relaxed);
}

static void ringSeeTail(struct hdRelRing *ring)
{
	ring->tailSeen =
		atomic_load_explicit(&ring->tail, memory_order_acquire);
}

static size_t ringFree(const struct hdRelRing *ring)
{
	return ring->mask + 1 - (ring->head - ring->tailSeen);
}

/* Write a record that is larger than the ring. */
static int ringPutLarge(struct hdRelRing *ring,
			const struct hdRelRecord *record)
{
	hdR_topoToken node = ring->node;
	struct hdOutfileGuard guard;
	bool isOpen;

	hdOutfileGuardEnter(&guard);
	pthread_mutex_lock(&node->closing);
	isOpen = atomic_load(&node->epoch) == ring->epoch;
	if (isOpen) {
		size_t ends[2];

		hdOutfileAppendNow(
			node->file, record->bytes, ends,
			recordEnds(record->length, record->last, 0, ends));
		hdOutfileTakeSignal(node->file, &guard);
	}
	pthread_mutex_unlock(&node->closing);
	hdOutfileGuardLeave(&guard);
	ringSeeTail(ring);
	return isOpen ? 0 : 1;
}

/* Make room for a record; 0, or what hdRelRingPut() returns. */
static __attribute__((__noinline__)) int ringMakeRoom(
	struct hdRelRing *ring, const struct hdRelRecord *record, size_t size,
	enum hdOutfileNeed need)
{
	if (nodeHasFailed(ring->node))
		return ringFail(ring, record);
	ringSeeTail(ring);
	if (ringFree(ring) >= size)
		return 0;
	if (ring->dropOnFull && need == HD_OUTFILE_MAY_DROP) {
		ringLose(ring, record);
		return 1;
	}
	hdRelNodeFlush(ring->node, ring->epoch);
	ringSeeTail(ring);
	/* Nobody empties a ring whose node was closed. */
	if (ringFree(ring) < size)
		return 1;
	return nodeHasFailed(ring->node) ? ringFail(ring, record) : 0;
}

static __attribute__((__noinline__)) void ringCommitSlowly(
	struct hdRelRing *ring)
{
	hdR_topoToken node = ring->node;

	if (ring->forceFlush) {
		hdRelNodeFlush(node, ring->epoch);
		return;
	}
	ringSeeTail(ring);
	if (ringFree(ring) < ring->mask / 2 &&
	    !atomic_exchange(&node->isAwaited, true))
		hdOutfileWake();
}

int hdRelRingPut(struct hdRelRing *ring, const struct hdRelRecord *record,
		 enum hdOutfileNeed need)
{
	bool isAfter = record->afterRing != 0;
	size_t size = recordSize(record->length, isAfter);
	size_t at = ring->head;
	int ret;

	if (__builtin_expect(size > ring->mask + 1, 0))
		return nodeHasFailed(ring->node) ? ringFail(ring, record)
						 : ringPutLarge(ring, record);
	if (__builtin_expect(size > ringFree(ring) || nodeHasFailed(ring->node),
			     0)) {
		ret = ringMakeRoom(ring, record, size, need);
		if (ret != 0)
			return ret;
	}
	*(struct recordHead *)ringAt(ring, at) =
		(struct recordHead){ (uint32_t)record->length, isAfter,
				     (uint16_t)record->last, record->time };
	at += sizeof(struct recordHead);
	if (isAfter) {
		*(struct recordAfter *)ringAt(ring, at) =
			(struct recordAfter){ record->afterRing,
					      record->afterEnd };
		at += sizeof(struct recordAfter);
	}
	ringCopyIn(ring, at, record->bytes, record->length);
	ring->head += size;
	ringAskAhead(ring, size);
	atomic_store_explicit(&ring->published, ring->head,
			      memory_order_release);
	if (__builtin_expect(
		    ringFree(ring) < ring->mask / 2 || ring->forceFlush, 0))
		ringCommitSlowly(ring);
	return 0;
}

/* ---- Nodes ------------------------------------------------------------- */

/* Get memory for a node, with the lock held. */
static hdR_topoToken nodeTake(void)
{
	hdR_topoToken node;

	for (node = atomic_load(&hdRelAll.nodes); node; node = node->next)
		if (!node->file && node->generation == hdOutfileGeneration)
			return node;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->stage = malloc(STAGE_SIZE);
	node->ends = malloc(STAGE_RECORDS * sizeof(*node->ends));
	if (!node->stage || !node->ends) {
		free(node->stage);
		free(node->ends);
		free(node);
		return NULL;
	}
	pthread_mutex_init(&node->closing, NULL);
	pthread_mutex_init(&node->list, NULL);
	node->slot = hdRelAll.slots++;
	node->generation = hdOutfileGeneration;
	node->next = atomic_load(&hdRelAll.nodes);
	atomic_store(&hdRelAll.nodes, node);
	return node;
}

static int relRingHeaderAttribute(struct hdText *header, const char *key,
				  const char *value)
{
	int ret = hdTextAdd(header, key);

	if (ret == 0)
		ret = hdTextAdd(header, "=\"");
	if (ret == 0)
		ret = hdEscape(header, value, strlen(value));
	return ret == 0 ? hdTextAdd(header, "\"") : ret;
}

static int nodeWriteHeader(hdR_topoToken node, const hdTopoNode *place,
			   struct hdOutfile *file)
{
	char number[HD_INT64_MAX + 1], start[HD_INT64_MAX + 1];
	char source[HD_TIME_SOURCE_SIZE];
	struct hdText header = { 0 };
	int ret;

	*hdNumberInt64(number, node->number) = '\0';
	*hdNumberInt64(start, node->start / HD_NS_PER_S) = '\0';
	ret = relRingHeaderAttribute(&header, "<relation version", "1");
	if (ret == 0)
		ret = relRingHeaderAttribute(&header, " hostID",
					     node->identity->host);
	if (ret == 0)
		ret = relRingHeaderAttribute(&header, " localToken",
					     node->identity->local);
	if (ret == 0)
		ret = relRingHeaderAttribute(&header, " topologyNumber",
					     number);
	if (ret == 0)
		ret = relRingHeaderAttribute(&header, " timeAdjustment", start);
	if (ret == 0 && *place->levels)
		ret = relRingHeaderAttribute(&header, " levels", place->levels);
	node->sourceAt = 0;
	if (ret == 0 && hdTimeSourceBegin(source, '"')) {
		node->sourceAt = header.used;
		ret = hdTextAdd(&header, source);
	}
	if (ret == 0)
		ret = hdTextAdd(&header, ">\n");
	if (ret == 0)
		ret = hdOutfilePut(file, header.bytes, header.used,
				   HD_OUTFILE_KEEP);
	if (ret == 0)
		ret = hdOutfileFlush(file);
	hdTextClear(&header);
	return ret;
}

/* Open the file of a node that is taken, with the lock held. */
static int nodeStart(hdR_topoToken node, const hdTopoNode *place, int64_t now)
{
	struct hdOutfile *file;
	char *path = hdTopoNodeFile(place, place->length, NULL, ".rel");
	int ret;

	if (!path)
		return -HD_ERR_MALLOC;
	ret = hdOutfileOpen(path, false, &file);
	if (ret < 0)
		return ret;
	node->number = hdRelAll.numbers;
	node->start = now / HD_NS_PER_S * HD_NS_PER_S;
	node->identity = hdRelAll.identity;
	atomic_store(&node->hasFailed, false);
	atomic_store(&node->isReported, false);
	atomic_store(&node->lost, 0);
	atomic_store(&node->clamped, 0);
	atomic_store(&node->nextId, 0);
	ret = nodeWriteHeader(node, place, file);
	if (ret < 0) {
		hdOutfileRemove(file);
		return ret;
	}
	hdRelAll.numbers++;
	node->file = file;
	hdOutfileSetGather(file, hdRelNodeGather, node);
	atomic_store(&node->epoch, ++hdRelAll.epochs);
	return 0;
}

int hdRelNodeOpen(hdTopoNode *place, hdR_topoToken *out)
{
	struct hdOutfileGuard guard;
	int64_t now = hdClockNow();
	hdR_topoToken node;
	int ret;

	if (now < 0)
		return -HD_ERR_GET_TIME;
	pthread_once(&once, allInitialise);
	hdNumberPrepare();
	allLock(&guard);
	ret = hdRelIdentityMake();
	node = ret == 0 ? nodeTake() : NULL;
	if (ret == 0)
		ret = node ? nodeStart(node, place, now) : -HD_ERR_MALLOC;
	allUnlock(&guard);
	if (ret == 0)
		*out = node;
	return ret;
}

int hdRelNodeFlush(hdR_topoToken node, uint64_t epoch)
{
	struct hdOutfileGuard guard;
	int ret = 0;

	hdOutfileGuardEnter(&guard);
	pthread_mutex_lock(&node->closing);
	if (atomic_load(&node->epoch) == epoch) {
		ret = hdOutfileFlush(node->file);
		hdOutfileTakeSignal(node->file, &guard);
	}
	pthread_mutex_unlock(&node->closing);
	hdOutfileGuardLeave(&guard);
	return ret;
}

/* From now on nobody finds the node, or its rings. */
static void nodeDetach(hdR_topoToken node)
{
	pthread_mutex_lock(&node->list);
	atomic_store(&node->epoch, 0);
	while (node->rings) {
		struct hdRelRing *ring = node->rings;

		node->rings = ring->next;
		atomic_fetch_add(&node->lost, atomic_load(&ring->lost));
		ring->isDetached = true;
		if (ring->isOrphan)
			free(ring);
	}
	node->ringCount = 0;
	pthread_mutex_unlock(&node->list);
}

int hdRelNodeClose(hdR_topoToken node)
{
	static const char end[] = "</relation>";
	struct hdOutfileGuard guard;
	struct hdOutfile *file;
	uint64_t lost;
	int ret = 0;

	if (node->generation != hdOutfileGeneration) {
		if (node->file)
			ret = hdOutfileClose(node->file);
		node->file = NULL;
		return ret;
	}
	hdOutfileGuardEnter(&guard);
	pthread_mutex_lock(&node->closing);
	file = node->file;
	hdOutfileFlush(file);
	hdOutfileTakeSignal(file, &guard);
	hdOutfileSetGather(file, NULL, NULL);
	nodeDetach(node);
	lost = atomic_load(&node->lost);
	if (atomic_load(&node->nextId) == 0) {
		hdOutfileRemove(file);
	} else {
		hdOutfilePut(file, end, sizeof(end) - 1, HD_OUTFILE_KEEP);
		if (lost > 0)
			hdMessage(HD_LOG_WARNING,
				  "%s: %llu more records are lost", file->path,
				  (unsigned long long)lost);
		hdTimeSourceEnd(file, node->sourceAt, '"', NULL);
		hdOutfileFlush(file);
		hdOutfileTakeSignal(file, &guard);
		ret = hdOutfileClose(file);
	}
	node->file = NULL;
	pthread_mutex_unlock(&node->closing);
	hdOutfileGuardLeave(&guard);
	return ret;
}

uint64_t hdRelNodeLost(hdR_topoToken node)
{
	struct hdOutfileGuard guard;
	uint64_t lost;

	hdOutfileGuardEnter(&guard);
	pthread_mutex_lock(&node->closing);
	lost = hdOutfileLost(node->file);
	pthread_mutex_lock(&node->list);
	for (const struct hdRelRing *ring = node->rings; ring;
	     ring = ring->next)
		lost += atomic_load(&ring->lost);
	pthread_mutex_unlock(&node->list);
	lost += atomic_load(&node->lost);
	pthread_mutex_unlock(&node->closing);
	hdOutfileGuardLeave(&guard);
	return lost;
}

static void nodeFree(hdR_topoToken node)
{
	/* The locks of a parent's may be anything. */
	if (node->generation == hdOutfileGeneration) {
		pthread_mutex_destroy(&node->closing);
		pthread_mutex_destroy(&node->list);
	}
	free(node->heap);
	free(node->stage);
	free(node->ends);
	free(node);
}

/* Free the nodes that no thread refers to any more. */
static void nodesFree(void)
{
	hdR_topoToken node = atomic_load(&hdRelAll.nodes), kept = NULL;

	while (node) {
		hdR_topoToken next = node->next;

		if (node->generation == hdOutfileGeneration &&
		    node->users > 0) {
			node->next = kept;
			kept = node;
		} else {
			nodeFree(node);
		}
		node = next;
	}
	atomic_store(&hdRelAll.nodes, kept);
	if (!kept)
		hdRelAll.slots = 0;
	while (hdRelAll.identity) {
		struct hdRelIdentity *identity = hdRelAll.identity;

		hdRelAll.identity = identity->next;
		free(identity);
	}
}

int hdRelNodesFree(void)
{
	struct hdRelThread *thread = hdRelThreadOwn;
	struct hdOutfileGuard guard;
	int ret = 0;

	allLock(&guard);
	for (hdR_topoToken node = atomic_load(&hdRelAll.nodes);
	     node && ret == 0; node = node->next)
		if (node->file)
			ret = -HD_ERR_INVALID_CONTEXT;
	for (size_t i = 0; ret == 0 && thread && i < thread->count; i++) {
		ringRelease(thread->rings[i]);
		thread->rings[i] = NULL;
	}
	if (ret == 0)
		nodesFree();
	allUnlock(&guard);
	return ret;
}
