/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations: gathers records of rings in their order, and identities of
 * processes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/relation/relrecord.h"
#include "HDTraceWritingCLibrary/src/relation/relring.h"
#include "common/clock.h"
#include "common/format/escape.h"
#include "common/number.h"

/* Bytes after which the thread of a ring is told that they are free: less than
 * the smallest ring. */
#define RING_STEP ((size_t)2048)

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

/* Give the bytes of records that were taken back to the ring's thread. */
static void ringGiveBack(struct hdRelRing *ring)
{
	ring->given = ring->at;
	atomic_store_explicit(&ring->tail, ring->at, memory_order_release);
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
	if (ring->at - ring->given >= RING_STEP)
		ringGiveBack(ring);
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
	for (struct hdRelRing *ring = node->rings; ring; ring = ring->next)
		ringGiveBack(ring);
	stageWrite(node, file);
}

void hdRelNodeGather(struct hdOutfile *file, void *data)
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

int hdRelIdentityMake(void)
{
	struct hdRelIdentity *identity;
	int64_t now = hdClockNow();
	char *to;

	if (hdRelAll.identity && hdRelAll.generation == hdOutfileGeneration)
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
	identity->next = hdRelAll.identity;
	hdRelAll.identity = identity;
	hdRelAll.generation = hdOutfileGeneration;
	hdRelAll.numbers = 0;
	return 0;
}
