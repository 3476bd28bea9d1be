/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and their numbers; see names.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "PredictionLibrary/model/names.h"

/* Eight bytes at a time; names of tasks differ in their last letters. */
static uint32_t nameTableHashOf(const char *name, size_t length)
{
	uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15), word;

	for (; length >= sizeof(word);
	     name += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, name, length);
	hash = (hash ^ word) * UINT64_C(0xc4ceb9fe1a85ec53);
	hash ^= hash >> 29;
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 32);
}

int hdPredictGrow(void *array, size_t count, size_t *room, size_t size)
{
	void **pointer = array;
	size_t want;
	void *grown;

	if (count < *room)
		return 0;
	want = *room ? *room + *room / 2 + 1 : 16;
	if (want > SIZE_MAX / 2 / size)
		return -ENOMEM;
	grown = realloc(*pointer, want * size);
	if (!grown)
		return -ENOMEM;
	*pointer = grown;
	*room = want;
	return 0;
}

static uint32_t nameTableGroupOf(const void *array, size_t size, size_t field,
				 uint32_t number)
{
	uint32_t group;

	memcpy(&group, (const char *)array + number * size + field,
	       sizeof(group));
	return group;
}

int hdPredictGroup(const void *array, size_t size, size_t field, uint32_t count,
		   uint32_t groups, uint32_t **first, uint32_t **list)
{
	uint32_t *next;

	*first = calloc((size_t)groups + 2, sizeof(uint32_t));
	*list = malloc(((size_t)count + 1) * sizeof(uint32_t));
	if (!*first || !*list)
		return -ENOMEM;
	/* Counted one further on, so that filling leaves the starts. */
	next = *first + 1;
	for (uint32_t i = 0; i < count; i++)
		next[nameTableGroupOf(array, size, field, i) + 1]++;
	for (size_t g = 1; g <= groups; g++)
		next[g] += next[g - 1];
	for (uint32_t i = 0; i < count; i++)
		(*list)[next[nameTableGroupOf(array, size, field, i)]++] = i;
	return 0;
}

static int rehash(struct hdPredictNames *names)
{
	uint32_t mask = names->mask ? names->mask * 2 + 1 : 63;
	uint64_t *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; names->slots && i <= names->mask; i++) {
		uint64_t slot = names->slots[i];
		uint32_t at = (uint32_t)(slot >> 32) & mask;

		if (!slot)
			continue;
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = slot;
	}
	free(names->slots);
	names->slots = slots;
	names->mask = mask;
	return 0;
}

static uint32_t nameTableFindSlot(const struct hdPredictNames *names,
				  const char *name, size_t length,
				  uint32_t hash, uint32_t *at)
{
	for (*at = hash & names->mask; names->slots[*at];
	     *at = (*at + 1) & names->mask) {
		uint64_t slot = names->slots[*at];
		uint32_t number = (uint32_t)slot - 1;
		size_t other;
		const char *text;

		if ((uint32_t)(slot >> 32) != hash)
			continue;
		text = hdPredictName(names, number, &other);
		if (other == length && memcmp(text, name, length) == 0)
			return number;
	}
	return HD_PREDICT_NONE;
}

int hdPredictNamesAdd(struct hdPredictNames *names, const char *name,
		      size_t length, uint32_t *number)
{
	uint32_t hash = nameTableHashOf(name, length), at;
	size_t used = names->count ? names->offset[names->count] : 0;
	size_t room = names->room;

	if ((size_t)names->count * 4 >= (size_t)names->mask * 3) {
		int ret = names->mask > UINT32_MAX / 4 ? -EOVERFLOW
						       : rehash(names);

		if (ret < 0)
			return ret;
	}
	*number = nameTableFindSlot(names, name, length, hash, &at);
	if (*number != HD_PREDICT_NONE)
		return 0;
	if (hdPredictGrow(&names->offset, (size_t)names->count + 1, &room,
			  sizeof(*names->offset)) < 0)
		return -ENOMEM;
	names->room = (uint32_t)room;
	if (names->textRoom - used < length || !names->text) {
		size_t want = used + used / 2 + length + 256;
		char *text = realloc(names->text, want);

		if (!text)
			return -ENOMEM;
		names->text = text;
		names->textRoom = want;
	}
	memcpy(names->text + used, name, length);
	names->offset[names->count] = used;
	names->offset[names->count + 1] = used + length;
	*number = names->count++;
	names->slots[at] = (uint64_t)hash << 32 | (*number + 1);
	return 1;
}

uint32_t hdPredictNamesFind(const struct hdPredictNames *names,
			    const char *name, size_t length)
{
	uint32_t at;

	if (!names->slots)
		return HD_PREDICT_NONE;
	return nameTableFindSlot(names, name, length,
				 nameTableHashOf(name, length), &at);
}

bool hdPredictIsText(const char *text, size_t size)
{
	const unsigned char *byte = (const unsigned char *)text;

	for (size_t i = 0; i < size; i++) {
		if (byte[i] < ' ' && byte[i] != '\t' && byte[i] != '\n' &&
		    byte[i] != '\r')
			return false;
		/* U+FFFE and U+FFFF. */
		if (byte[i] == 0xef && i + 2 < size && byte[i + 1] == 0xbf &&
		    byte[i + 2] >= 0xbe)
			return false;
	}
	return g_utf8_validate_len(text, size, NULL);
}

int hdPredictNamesTwice(const struct hdPredictNames *names, uint32_t *number)
{
	struct hdPredictNames other = *names;
	uint64_t size = 64;
	uint32_t at;

	while (size < (uint64_t)names->count * 3 / 2)
		size *= 2;
	other.mask = (uint32_t)(size - 1);
	other.slots = calloc(size, sizeof(*other.slots));
	if (!other.slots)
		return -ENOMEM;
	for (*number = 0; *number < names->count; ++*number) {
		size_t length;
		const char *name = hdPredictName(names, *number, &length);
		uint32_t hash = nameTableHashOf(name, length);

		if (nameTableFindSlot(&other, name, length, hash, &at) !=
		    HD_PREDICT_NONE)
			break;
		other.slots[at] = (uint64_t)hash << 32 | (*number + 1);
	}
	free(other.slots);
	return *number < names->count;
}

void hdPredictNamesSeal(struct hdPredictNames *names)
{
	free(names->slots);
	names->slots = NULL;
	names->mask = 0;
}

void hdPredictNamesFree(struct hdPredictNames *names)
{
	free(names->text);
	free(names->offset);
	free(names->slots);
	memset(names, 0, sizeof(*names));
}
