/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Records in the rings of relations, and all nodes of the process.
 */
#ifndef HD_RELRECORD_H
#define HD_RELRECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "HDTraceWritingCLibrary/src/relation/relring.h"
#include "common/clock.h"

/** Records go to the file in pieces of about this size. */
#define STAGE_SIZE ((size_t)65536)

/** No record is shorter than this: "<un t='0' time='0.000000000'/>". */
#define RECORD_MIN 24

#define STAGE_RECORDS (STAGE_SIZE / RECORD_MIN)

/** What stands before a record in a ring, whole: records begin at multiples of
 * its size, */
struct recordHead {
	uint32_t length;
	uint16_t isAfter; /* Whether the next one follows. */
	uint16_t last;    /* As of struct hdRelRecord. */
	int64_t time;
};

/** and before one that comes after a record of another ring. */
struct recordAfter {
	uint64_t ring;
	uint64_t end;
};

_Static_assert(sizeof(struct recordHead) == 16 &&
		       sizeof(struct recordAfter) == 16,
	       "no more than one of them where the ring goes round");

/** All nodes there are, open or not, and what is counted. */
struct relAll {
	pthread_mutex_t lock;
	_Atomic(hdR_topoToken) nodes;
	size_t slots;
	uint64_t epochs;
	uint32_t numbers;
	uint64_t serials;
	struct hdRelIdentity *identity; /* Of this process first. */
	unsigned int generation;        /* That it is of. */
};

extern struct relAll hdRelAll;

/** What the file calls when it is drained. */
void hdRelNodeGather(struct hdOutfile *file, void *data);

/** With the lock held; 0 or negative. */
int hdRelIdentityMake(void);

/* Bytes that a record takes of a ring, with what stands before it. */
static inline size_t recordSize(size_t length, bool isAfter)
{
	size_t size = sizeof(struct recordHead) + length +
		      (isAfter ? sizeof(struct recordAfter) : 0);

	return (size + sizeof(struct recordHead) - 1) &
	       ~(sizeof(struct recordHead) - 1);
}

/* What stands at a place of a ring, whole. */
static inline void *ringAt(struct hdRelRing *ring, size_t at)
{
	return ring->bytes + (at & ring->mask);
}

/* Put where the elements of a record end that begins at a place; returns how
 * many there are. */
static inline size_t recordEnds(size_t length, size_t last, size_t from,
				size_t *ends)
{
	size_t count = 0;

	if (last > 0)
		ends[count++] = from + length - last;
	ends[count++] = from + length;
	return count;
}

#endif
