/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from numbers to numbers: open addressing, linear probing. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/handles/map.h"

#define MAP_SIZE_FIRST 64

/* The entry of a key, or the free one where it belongs. */
static struct hdmpiMapEntry *mapFind(const struct hdmpiMap *map, uint64_t key)
{
	size_t mask = map->size - 1;
	size_t i = hdmpiHash(key) & mask;

	while (map->entries[i].isUsed && map->entries[i].key != key)
		i = (i + 1) & mask;
	return &map->entries[i];
}

static int mapGrow(struct hdmpiMap *map)
{
	struct hdmpiMap larger = {
		.size = map->size ? map->size * 2 : MAP_SIZE_FIRST,
		.used = map->used,
	};

	larger.entries = calloc(larger.size, sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++)
		if (map->entries[i].isUsed)
			*mapFind(&larger, map->entries[i].key) =
				map->entries[i];
	free(map->entries);
	*map = larger;
	return 0;
}

bool hdmpiMapGet(const struct hdmpiMap *map, uint64_t key, uint64_t *value)
{
	const struct hdmpiMapEntry *entry;

	if (map->used == 0)
		return false;
	entry = mapFind(map, key);
	if (entry->isUsed)
		*value = entry->value;
	return entry->isUsed;
}

int hdmpiMapSet(struct hdmpiMap *map, uint64_t key, uint64_t value)
{
	struct hdmpiMapEntry *entry;

	if (map->used >= map->size / 2 && mapGrow(map) < 0)
		return -ENOMEM;
	entry = mapFind(map, key);
	if (!entry->isUsed)
		map->used++;
	*entry = (struct hdmpiMapEntry){ key, value, true };
	return 0;
}

bool hdmpiMapRemove(struct hdmpiMap *map, uint64_t key, uint64_t *value)
{
	size_t mask = map->size - 1;
	struct hdmpiMapEntry *entry;
	size_t hole, i;

	if (map->used == 0)
		return false;
	entry = mapFind(map, key);
	if (!entry->isUsed)
		return false;
	*value = entry->value;
	map->used--;
	/* Entries that were pushed behind this one move up. */
	hole = (size_t)(entry - map->entries);
	for (i = (hole + 1) & mask; map->entries[i].isUsed;
	     i = (i + 1) & mask) {
		size_t home = hdmpiHash(map->entries[i].key) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		map->entries[hole] = map->entries[i];
		hole = i;
	}
	map->entries[hole].isUsed = false;
	return true;
}

void hdmpiMapClear(struct hdmpiMap *map)
{
	free(map->entries);
	*map = (struct hdmpiMap){ 0 };
}
