/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes that have relations, and their rings; see relring.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/relring.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"

/* Records go to the file in pieces of about this size. */
#define STAGE_SIZE ((size_t)65536)
/* No record is shorter than this: "<un t='0' time='0.000000000'/>". */
#define RECORD_MIN 24
#define STAGE_RECORDS (STAGE_SIZE / RECORD_MIN)
/* Smallest ring of a thread. */
#define RING_MIN ((size_t)4096)

/* What stands before a record in a ring, whole: records begin at multiples of
 * its size, */
struct recordHead {
	uint32_t length;
	uint16_t isAfter; /* Whether the next one follows. */
	uint16_t last;    /* As of struct hdRelRecord. */
	int64_t time;
};

/* and before one that comes after a record of another ring. */
struct recordAfter {
	uint64_t ring;
	uint64_t end;
};

_Static_assert(sizeof(struct recordHead) == 16 &&
		       sizeof(struct recordAfter) == 16,
	       "no more than one of them where the ring goes round");

/* All nodes there are, open or not, and what is counted. */
static struct {
	pthread_mutex_t lock;
	_Atomic(hdR_topoToken) nodes;
	size_t slots;
	uint64_t epochs;
	uint32_t numbers;
	uint64_t serials;
	struct hdRelIdentity *identity; /* Of this process first. */
	unsigned int generation;        /* That it is of. */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

__thread struct hdRelThread *hdRelThreadOwn;
static pthread_key_t threadKey;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void allLock(struct hdOutfileGuard *guard)
{
	hdOutfileGuardEnter(guard);
	pthread_mutex_lock(&all.lock);
}

static void allUnlock(const struct hdOutfileGuard *guard)
{
	pthread_mutex_unlock(&all.lock);
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
	pthread_mutex_init(&all.lock, NULL);
	for (hdR_topoToken node = atomic_load(&all.nodes); node;
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
	ring->serial = ++all.serials;
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

/* Bytes that a record takes of a ring, with what stands before it. */
static size_t recordSize(size_t length, bool isAfter)
{
	size_t size = sizeof(struct recordHead) + length +
		      (isAfter ? sizeof(struct recordAfter) : 0);

	return (size + sizeof(struct recordHead) - 1) &
	       ~(sizeof(struct recordHead) - 1);
}

/* What stands at a place of a ring, whole. */
static void *ringAt(struct hdRelRing *ring, size_t at)
{
	return ring->bytes + (at & ring->mask);
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

static void ringCopyOut(const struct hdRelRing *ring, size_t from, void *bytes,
			size_t length)
{
	size_t at = from & ring->mask;
	size_t first = ring->mask + 1 - at;

	if (__builtin_expect(length <= first, 1)) {
		memcpy(bytes, ring->bytes + at, length);
	} else {
		memcpy(bytes, ring->bytes + at, first);
		memcpy((char *)bytes + first, ring->bytes, length - first);
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

/* Put where the elements of a record end that begins at a place; returns how
 * many there are. */
static size_t recordEnds(size_t length, size_t last, size_t from, size_t *ends)
{
	size_t count = 0;

	if (last > 0)
		ends[count++] = from + length - last;
	ends[count++] = from + length;
	return count;
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

/* ---- Gathering --------------------------------------------------------- */

static void stageWrite(hdR_topoToken node, struct hdOutfile *file)
{
	hdOutfileAppend(file, node->stage, node->ends, node->endCount);
	node->stageUsed = 0;
	node->endCount = 0;
}

/* Take a record out of its ring. */
static void stagePut(hdR_topoToken node, struct hdOutfile *file,
		     const struct hdRelRing *ring, size_t from,
		     const struct recordHead *head)
{
	size_t length = head->length;

	if (node->stageUsed + length > STAGE_SIZE ||
	    node->endCount + 1 >= STAGE_RECORDS)
		stageWrite(node, file);
	if (length > STAGE_SIZE) {
		/* Only where rings are larger: as a whole or in two parts it
		 * is one record, whose begin must not stay without its end. */
		size_t at = from & ring->mask;
		size_t first = ring->mask + 1 - at;
		char *whole = length <= first ? NULL : malloc(length);
		size_t ends[2];
		size_t count = recordEnds(length, head->last, 0, ends);

		if (length <= first) {
			hdOutfileAppend(file, ring->bytes + at, ends, count);
		} else if (whole) {
			ringCopyOut(ring, from, whole, length);
			hdOutfileAppend(file, whole, ends, count);
		} else {
			atomic_fetch_add(&node->lost, count);
		}
		free(whole);
		return;
	}
	ringCopyOut(ring, from, node->stage + node->stageUsed, length);
	node->endCount += recordEnds(length, head->last, node->stageUsed,
				     node->ends + node->endCount);
	node->stageUsed += length;
}

static struct hdRelRing *nodeFindRing(hdR_topoToken node, uint64_t serial)
{
	struct hdRelRing *ring = node->rings;

	while (ring && ring->serial != serial)
		ring = ring->next;
	return ring;
}

/* The time of its next record. */
static int64_t ringTime(struct hdRelRing *ring)
{
	return ((const struct recordHead *)ringAt(ring, ring->at))->time;
}

static void ringTake(hdR_topoToken node, struct hdOutfile *file,
		     struct hdRelRing *ring);

/* Take what a record comes after: it was put before that was, so it is there.
 * No record comes after itself, so this ends. */
static void ringTakeUpTo(hdR_topoToken node, struct hdOutfile *file,
			 const struct recordAfter *after)
{
	struct hdRelRing *ring = nodeFindRing(node, after->ring);
	size_t end = (size_t)after->end;

	/* A ring that is not there was emptied before. */
	if (!ring)
		return;
	if ((ptrdiff_t)(end - ring->cut) > 0)
		ring->cut = atomic_load_explicit(&ring->published,
						 memory_order_acquire);
	while ((ptrdiff_t)(end - ring->at) > 0)
		ringTake(node, file, ring);
}

/* Take the next record of a ring, and before it what it comes after. */
static void ringTake(hdR_topoToken node, struct hdOutfile *file,
		     struct hdRelRing *ring)
{
	const struct recordHead *head = ringAt(ring, ring->at);
	size_t at = ring->at + sizeof(*head);

	if (head->isAfter) {
		ringTakeUpTo(node, file, ringAt(ring, at));
		at += sizeof(struct recordAfter);
	}
	stagePut(node, file, ring, at, head);
	ring->at += recordSize(head->length, head->isAfter);
	atomic_store_explicit(&ring->tail, ring->at, memory_order_release);
}

/* The rings that have something, with the earliest record first: a heap. */
static void heapDown(struct hdRelRing **heap, size_t count, size_t at)
{
	struct hdRelRing *ring = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < count &&
		    heap[child + 1]->key < heap[child]->key)
			child++;
		if (child >= count || heap[child]->key >= ring->key)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = ring;
}

/* Free the rings of threads that are gone, once they are empty. */
static void nodeSweep(hdR_topoToken node)
{
	struct hdRelRing **at = &node->rings;

	while (*at) {
		struct hdRelRing *ring = *at;

		if (!ring->isOrphan ||
		    ring->at != atomic_load(&ring->published)) {
			at = &ring->next;
			continue;
		}
		atomic_fetch_add(&node->lost, atomic_load(&ring->lost));
		*at = ring->next;
		node->ringCount--;
		free(ring);
	}
}

static void nodeMerge(hdR_topoToken node, struct hdOutfile *file)
{
	size_t count = 0;

	for (struct hdRelRing *ring = node->rings; ring; ring = ring->next) {
		ring->cut = atomic_load_explicit(&ring->published,
						 memory_order_acquire);
		if (ring->at == ring->cut)
			continue;
		ring->key = ringTime(ring);
		node->heap[count++] = ring;
	}
	for (size_t i = count / 2; i-- > 0;)
		heapDown(node->heap, count, i);
	while (count > 0) {
		struct hdRelRing *ring = node->heap[0];

		/* It may have gone on since it was sorted. */
		if (ring->at != ring->cut && ringTime(ring) == ring->key)
			ringTake(node, file, ring);
		if (ring->at == ring->cut)
			node->heap[0] = node->heap[--count];
		else
			ring->key = ringTime(ring);
		if (count > 0)
			heapDown(node->heap, count, 0);
	}
	stageWrite(node, file);
}

/* What the file calls when it is drained. */
static void nodeGather(struct hdOutfile *file, void *data)
{
	hdR_topoToken node = data;

	atomic_store(&node->isAwaited, false);
	pthread_mutex_lock(&node->list);
	nodeMerge(node, file);
	nodeSweep(node);
	pthread_mutex_unlock(&node->list);
	if (atomic_load(&file->error) != 0)
		atomic_store(&node->hasFailed, true);
}

/* ---- Identity ---------------------------------------------------------- */

static void identityHost(char *host, size_t size)
{
	if (gethostname(host, size) < 0 || !*host)
		strcpy(host, "localhost");
	host[size - 1] = '\0';
	for (char *at = host; *at; at++)
		if (!hdNameBytes[(unsigned char)*at])
			*at = '-';
}

/* With the lock held; 0 or negative. */
static int identityMake(void)
{
	struct hdRelIdentity *identity;
	int64_t now = hdClockNow();
	char *to;

	if (all.identity && all.generation == hdOutfileGeneration)
		return 0;
	if (now < 0)
		return -HD_ERR_GET_TIME;
	identity = calloc(1, sizeof(*identity));
	if (!identity)
		return -HD_ERR_MALLOC;
	identityHost(identity->host, sizeof(identity->host));
	to = hdNumberInt64(identity->local, getpid());
	*to++ = '.';
	*hdNumberInt64(to, now) = '\0';
	to = stpcpy(stpcpy(stpcpy(identity->remote, identity->host), ":"),
		    identity->local);
	identity->remoteLength = (size_t)(to - identity->remote);
	identity->hash = (struct hdTraceHash)HD_TRACE_HASH_NONE;
	hdTraceHashAdd(&identity->hash, identity->remote,
		       identity->remoteLength);
	identity->next = all.identity;
	all.identity = identity;
	all.generation = hdOutfileGeneration;
	all.numbers = 0;
	return 0;
}

/* ---- Nodes ------------------------------------------------------------- */

/* Get memory for a node, with the lock held. */
static hdR_topoToken nodeTake(void)
{
	hdR_topoToken node;

	for (node = atomic_load(&all.nodes); node; node = node->next)
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
	node->slot = all.slots++;
	node->generation = hdOutfileGeneration;
	node->next = atomic_load(&all.nodes);
	atomic_store(&all.nodes, node);
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
	node->number = all.numbers;
	node->start = now / HD_NS_PER_S * HD_NS_PER_S;
	node->identity = all.identity;
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
	all.numbers++;
	node->file = file;
	hdOutfileSetGather(file, nodeGather, node);
	atomic_store(&node->epoch, ++all.epochs);
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
	ret = identityMake();
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
	hdR_topoToken node = atomic_load(&all.nodes), kept = NULL;

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
	atomic_store(&all.nodes, kept);
	if (!kept)
		all.slots = 0;
	while (all.identity) {
		struct hdRelIdentity *identity = all.identity;

		all.identity = identity->next;
		free(identity);
	}
}

int hdRelNodesFree(void)
{
	struct hdRelThread *thread = hdRelThreadOwn;
	struct hdOutfileGuard guard;
	int ret = 0;

	allLock(&guard);
	for (hdR_topoToken node = atomic_load(&all.nodes); node && ret == 0;
	     node = node->next)
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
