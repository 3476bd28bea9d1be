/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of PEs; see sets.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mapping/sets.h"

static int setsByNumber(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int hdPredictSetsAdd(struct hdPredictSets *sets, const hdPPlatform *platform,
		     uint32_t *pes, uint32_t count, uint32_t *place)
{
	uint32_t number;

	if (count == 1) {
		*place = pes[0];
		return 0;
	}
	qsort(pes, count, sizeof(*pes), setsByNumber);
	if (sets->lists.count >= UINT32_MAX / 2 - platform->peCount ||
	    hdPredictNamesAdd(&sets->lists, (const char *)pes,
			      count * sizeof(*pes), &number) < 0)
		return -ENOMEM;
	*place = platform->peCount + number;
	return 0;
}

const uint32_t *hdPredictSetsPes(const struct hdPredictSets *sets,
				 const hdPPlatform *platform,
				 const uint32_t *place, uint32_t *count)
{
	const char *list;
	size_t size;

	if (*place < platform->peCount) {
		*count = 1;
		return place;
	}
	/* Each list is as long as some numbers, so all are aligned. */
	list = hdPredictName(&sets->lists, *place - platform->peCount, &size);
	*count = (uint32_t)(size / sizeof(uint32_t));
	return (const uint32_t *)(const void *)list;
}

const char *hdPredictSetsReason(const hdPPlatform *platform,
				const uint32_t *pes, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		if (pes[i] == pes[i - 1])
			return "a PE is listed twice: ";
		if (platform->pes[pes[i]].domain !=
		    platform->pes[pes[0]].domain)
			return "its PEs differ in node or architecture: ";
	}
	return NULL;
}

int hdPredictSetsFind(struct hdPredictSets *sets, const hdPPlatform *platform,
		      const char *text, size_t length, uint32_t *place,
		      const char **reason)
{
	uint32_t *pes, count = 0, pe;
	size_t commas = 0;
	int ret = 0;

	*reason = NULL;
	*place = hdPredictNamesFind(&platform->peNames, text, length);
	if (*place != HD_PREDICT_NONE)
		return 0;
	for (size_t i = 0; i < length; i++)
		commas += text[i] == ',';
	/* Of more, one is listed twice at least. */
	if (!commas || commas >= platform->peCount) {
		*reason = commas ? "it lists more PEs than the platform has: "
				 : NULL;
		return commas ? -EINVAL : -ENOENT;
	}
	pes = malloc((commas + 1) * sizeof(*pes));
	if (!pes)
		return -ENOMEM;
	for (const char *end = text + length; ret == 0; text++) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t size = (size_t)((comma ? comma : end) - text);

		pe = hdPredictNamesFind(&platform->peNames, text, size);
		if (pe == HD_PREDICT_NONE)
			ret = -ENOENT;
		pes[count++] = pe;
		text += size;
		if (text == end)
			break;
	}
	if (ret == 0) {
		qsort(pes, count, sizeof(*pes), setsByNumber);
		*reason = hdPredictSetsReason(platform, pes, count);
		ret = *reason ? -EINVAL
			      : hdPredictSetsAdd(sets, platform, pes, count,
						 place);
	}
	free(pes);
	return ret;
}

char *hdPredictSetsName(const hdPPlatform *platform, const uint32_t *pes,
			uint32_t count)
{
	size_t size = 0;
	char *name, *at;

	for (uint32_t i = 0; i < count; i++)
		size += strlen(platform->peIds[pes[i]]) + 1;
	name = at = malloc(size);
	for (uint32_t i = 0; name && i < count; i++) {
		at = stpcpy(at, platform->peIds[pes[i]]);
		*at++ = i + 1 < count ? ',' : '\0';
	}
	return name;
}

void hdPredictSetsFree(struct hdPredictSets *sets)
{
	hdPredictNamesFree(&sets->lists);
}
