/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A hash table from numbers to numbers, for code that must not use GLib.
 *
 * Three tables are not this one, for a reason. Call sites of libhdMPI: two
 * numbers make a key, and each recorded call looks one up. Names of task
 * graphs: they are millions, with 8 bytes each. Names in the reader of traces:
 * a cache, in which a new name replaces an old one.
 *
 * Not locked. Entries can be removed; the memory follows the largest number of
 * entries that there were at a time. Pointers are stored as numbers.
 */
#ifndef HD_HASHMAP_H
#define HD_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A place of a map. */
struct hdMapEntry {
	uint64_t key;
	uint64_t value;
	bool isUsed;
};

/** A map; all zero is an empty one. */
struct hdMap {
	struct hdMapEntry *entries;
	size_t size; /**< A power of two, or 0. */
	size_t used;
};

/** Mix the bits of a key. */
static inline uint64_t hdMapHash(uint64_t key)
{
	key ^= key >> 33;
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key ^ key >> 29;
}

/** Hash a text of some length: FNV-1a, mixed. */
static inline uint64_t hdMapHashBytes(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) *
		       UINT64_C(1099511628211);
	return hdMapHash(hash);
}

/** Hash a text. */
static inline uint64_t hdMapHashText(const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hdMapHash(hash);
}

/** Find the entry of a key in a map that is not empty, or the free entry where
 *  it belongs. */
static inline struct hdMapEntry *hdMapEntryOf(const struct hdMap *map,
					      uint64_t key)
{
	size_t mask = map->size - 1;
	size_t i = hdMapHash(key) & mask;

	while (map->entries[i].isUsed && map->entries[i].key != key)
		i = (i + 1) & mask;
	return &map->entries[i];
}

/** Find the value of a key, or NULL; it stays there until another one is added
 *  or removed. */
static inline uint64_t *hdMapFind(const struct hdMap *map, uint64_t key)
{
	struct hdMapEntry *entry;

	if (map->used == 0)
		return NULL;
	entry = hdMapEntryOf(map, key);
	return entry->isUsed ? &entry->value : NULL;
}

/** Find the value of a key. */
bool hdMapGet(const struct hdMap *map, uint64_t key, uint64_t *value);

/** Find the pointer of a key, or NULL. */
static inline void *hdMapGetPointer(const struct hdMap *map, uint64_t key)
{
	const uint64_t *value = hdMapFind(map, key);

	return value ? (void *)(uintptr_t)*value : NULL;
}

/** Find the value of a key, or add one, which tells @p isNew; NULL without
 *  memory. */
uint64_t *hdMapAdd(struct hdMap *map, uint64_t key, bool *isNew);

/** Remove a key whose value was found. */
void hdMapDrop(struct hdMap *map, uint64_t *value);

/** Set the value of a key; 0 or -ENOMEM. */
int hdMapSet(struct hdMap *map, uint64_t key, uint64_t value);

/** Remove a key; tells whether it was there, and its value. */
bool hdMapRemove(struct hdMap *map, uint64_t key, uint64_t *value);

/** Remove all keys; the memory stays. */
void hdMapEmpty(struct hdMap *map);

/** Free the memory of a map, which is empty then. */
void hdMapClear(struct hdMap *map);

#endif
