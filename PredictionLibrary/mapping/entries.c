/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of a resource model, sorted by a value; see entries.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PredictionLibrary/mapping/entries.h"

/* Entries from which on they are sorted. */
#define SORTED_MIN 16

/* An entry and the value that it is sorted by. */
struct keyed {
	double value;
	uint32_t entry;
};

static int entriesByValue(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

/* The value that an entry has a condition for; NULL: none. */
static const double *entriesValue(const hdPResources *resources,
				  uint32_t number, uint32_t variable)
{
	const struct hdPredictEntry *entry = &resources->entries[number];

	for (uint32_t i = 0; i < entry->conditionCount; i++) {
		const struct hdPredictCondition *condition =
			&resources->conditions[entry->conditions + i];

		if (condition->variable == variable)
			return &condition->value;
	}
	return NULL;
}

int hdPredictEntriesSort(const hdPResources *resources, uint32_t *entries,
			 uint32_t count, uint32_t *variable)
{
	const struct hdPredictEntry *first;
	struct keyed *keyed;
	uint32_t found = 0;

	*variable = HD_PREDICT_NONE;
	if (count < SORTED_MIN)
		return 0;
	first = &resources->entries[entries[0]];
	if (!first->conditionCount)
		return 0;
	keyed = malloc(count * sizeof(*keyed));
	if (!keyed)
		return -ENOMEM;
	*variable = resources->conditions[first->conditions].variable;
	for (; found < count; found++) {
		const double *value =
			entriesValue(resources, entries[found], *variable);

		if (!value)
			break;
		keyed[found] = (struct keyed){ *value, entries[found] };
	}
	if (found == count) {
		qsort(keyed, count, sizeof(*keyed), entriesByValue);
		for (uint32_t i = 0; i < count; i++)
			entries[i] = keyed[i].entry;
	} else {
		*variable = HD_PREDICT_NONE;
	}
	free(keyed);
	return 0;
}

void hdPredictEntriesRange(const hdPResources *resources,
			   const uint32_t *entries, uint32_t variable,
			   double value, uint32_t *from, uint32_t *end)
{
	uint32_t high = *end;

	while (*from < high) {
		uint32_t middle = *from + (high - *from) / 2;

		if (*entriesValue(resources, entries[middle], variable) < value)
			*from = middle + 1;
		else
			high = middle;
	}
	while (high < *end &&
	       *entriesValue(resources, entries[high], variable) == value)
		high++;
	*end = high;
}
