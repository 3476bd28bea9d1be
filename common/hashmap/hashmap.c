/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from numbers to numbers: open addressing, linear probing. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/hashmap/hashmap.h"

#define HASHMAP_SIZE_FIRST 64

static int hashMapGrow(struct hdMap *map)
{
	struct hdMap larger = {
		.size = map->size ? map->size * 2 : HASHMAP_SIZE_FIRST,
		.used = map->used,
	};

	larger.entries = calloc(larger.size, sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++)
		if (map->entries[i].isUsed)
			*hdMapEntryOf(&larger, map->entries[i].key) =
				map->entries[i];
	free(map->entries);
	*map = larger;
	return 0;
}

bool hdMapGet(const struct hdMap *map, uint64_t key, uint64_t *value)
{
	const uint64_t *found = hdMapFind(map, key);

	if (found)
		*value = *found;
	return found != NULL;
}

uint64_t *hdMapAdd(struct hdMap *map, uint64_t key, bool *isNew)
{
	struct hdMapEntry *entry;

	if (map->used >= map->size / 2 && hashMapGrow(map) < 0)
		return NULL;
	entry = hdMapEntryOf(map, key);
	*isNew = !entry->isUsed;
	if (*isNew) {
		map->used++;
		*entry = (struct hdMapEntry){ key, 0, true };
	}
	return &entry->value;
}

int hdMapSet(struct hdMap *map, uint64_t key, uint64_t value)
{
	bool isNew;
	uint64_t *place = hdMapAdd(map, key, &isNew);

	if (!place)
		return -ENOMEM;
	*place = value;
	return 0;
}

bool hdMapRemove(struct hdMap *map, uint64_t key, uint64_t *value)
{
	uint64_t *found = hdMapFind(map, key);

	if (!found)
		return false;
	*value = *found;
	hdMapDrop(map, found);
	return true;
}

void hdMapDrop(struct hdMap *map, uint64_t *value)
{
	size_t mask = map->size - 1;
	size_t hole, i;

	map->used--;
	/* Entries that were pushed behind this one move up. */
	hole = (size_t)((char *)value - (char *)map->entries) /
	       sizeof(*map->entries);
	for (i = (hole + 1) & mask; map->entries[i].isUsed;
	     i = (i + 1) & mask) {
		size_t home = hdMapHash(map->entries[i].key) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		map->entries[hole] = map->entries[i];
		hole = i;
	}
	map->entries[hole].isUsed = false;
}

void hdMapEmpty(struct hdMap *map)
{
	if (map->size > 0)
		memset(map->entries, 0, map->size * sizeof(*map->entries));
	map->used = 0;
}

void hdMapClear(struct hdMap *map)
{
	free(map->entries);
	*map = (struct hdMap){ 0 };
}
