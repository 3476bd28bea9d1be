/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A hash table from numbers to numbers.
 *
 * Not locked. Entries can be removed; the memory follows the largest number of
 * entries that there were at a time.
 */
#ifndef HDMPI_MAP_H
#define HDMPI_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hdmpiMapEntry {
	uint64_t key;
	uint64_t value;
	bool isUsed;
};

/** A map; all zero is an empty one. */
struct hdmpiMap {
	struct hdmpiMapEntry *entries;
	size_t size; /**< A power of two, or 0. */
	size_t used;
};

/** Find the value of a key. */
bool hdmpiMapGet(const struct hdmpiMap *map, uint64_t key, uint64_t *value);

/** Find the value of a key, or NULL; it stays there until another one is added
 *  or removed. */
uint64_t *hdmpiMapFind(const struct hdmpiMap *map, uint64_t key);

/** Find the value of a key, or add one, which tells @p isNew; NULL without
 *  memory. */
uint64_t *hdmpiMapAdd(struct hdmpiMap *map, uint64_t key, bool *isNew);

/** Remove a key whose value was found. */
void hdmpiMapDrop(struct hdmpiMap *map, uint64_t *value);

/** Set the value of a key; 0 or -ENOMEM. */
int hdmpiMapSet(struct hdmpiMap *map, uint64_t key, uint64_t value);

/** Remove a key; tells whether it was there, and its value. */
bool hdmpiMapRemove(struct hdmpiMap *map, uint64_t key, uint64_t *value);

/** Free what the map holds. */
void hdmpiMapClear(struct hdmpiMap *map);

/** Mix the bits of a key. */
static inline uint64_t hdmpiHash(uint64_t key)
{
	key ^= key >> 33;
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key ^ key >> 29;
}

/** Hash a text. */
static inline uint64_t hdmpiHashText(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hdmpiHash(hash);
}

#endif
