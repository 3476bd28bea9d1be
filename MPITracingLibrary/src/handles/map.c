/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from numbers to numbers: open addressing, linear probing. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
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

uint64_t *hdmpiMapFind(const struct hdmpiMap *map, uint64_t key)
{
	struct hdmpiMapEntry *entry;

	if (map->used == 0)
		return NULL;
	entry = mapFind(map, key);
	return entry->isUsed ? &entry->value : NULL;
}

bool hdmpiMapGet(const struct hdmpiMap *map, uint64_t key, uint64_t *value)
{
	const uint64_t *found = hdmpiMapFind(map, key);

	if (found)
		*value = *found;
	return found != NULL;
}

uint64_t *hdmpiMapAdd(struct hdmpiMap *map, uint64_t key, bool *isNew)
{
	struct hdmpiMapEntry *entry;

	if (map->used >= map->size / 2 && mapGrow(map) < 0)
		return NULL;
	entry = mapFind(map, key);
	*isNew = !entry->isUsed;
	if (*isNew) {
		map->used++;
		*entry = (struct hdmpiMapEntry){ key, 0, true };
	}
	return &entry->value;
}

int hdmpiMapSet(struct hdmpiMap *map, uint64_t key, uint64_t value)
{
	bool isNew;
	uint64_t *place = hdmpiMapAdd(map, key, &isNew);

	if (!place)
		return -ENOMEM;
	*place = value;
	return 0;
}

bool hdmpiMapRemove(struct hdmpiMap *map, uint64_t key, uint64_t *value)
{
	uint64_t *found = hdmpiMapFind(map, key);

	if (!found)
		return false;
	*value = *found;
	hdmpiMapDrop(map, found);
	return true;
}

void hdmpiMapDrop(struct hdmpiMap *map, uint64_t *value)
{
	size_t mask = map->size - 1;
	size_t hole, i;

	map->used--;
	/* Entries that were pushed behind this one move up. */
	hole = (size_t)((char *)value - (char *)map->entries) /
	       sizeof(*map->entries);
	for (i = (hole + 1) & mask; map->entries[i].isUsed;
	     i = (i + 1) & mask) {
		size_t home = hdmpiHash(map->entries[i].key) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		map->entries[hole] = map->entries[i];
		hole = i;
	}
	map->entries[hole].isUsed = false;
}

void hdmpiMapClear(struct hdmpiMap *map)
{
	free(map->entries);
	*map = (struct hdmpiMap){ 0 };
}
