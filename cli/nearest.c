/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What somebody may have meant who wrote a word that there is not.
 */
#include "config.h"

#include <string.h>

#include "cli/nearest.h"

/** Words of more letters are no typing errors. */
#define NEAREST_MAX 40

/** Number of edits from one word to another: the optimal string alignment
 *  distance, which counts two neighbours that were swapped as one. */
static size_t nearestDistance(const char *a, const char *b)
{
	size_t rows[3][NEAREST_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *next = rows[2];
	size_t length = strlen(b);

	for (size_t j = 0; j <= length; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *free = before;

		next[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t cost = last[j - 1] + (a[i - 1] != b[j - 1]);

			cost = MIN(cost, last[j] + 1);
			cost = MIN(cost, next[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				cost = MIN(cost, before[j - 2] + 1);
			next[j] = cost;
		}
		before = last;
		last = next;
		next = free;
	}
	return last[length];
}

const char *cliNearest(const char *word, const GPtrArray *words)
{
	size_t length = strlen(word);
	size_t least = length / 3 + 1;
	const char *nearest = NULL;

	if (length == 0 || length > NEAREST_MAX)
		return NULL;
	for (guint i = 0; i < words->len; i++) {
		const char *known = words->pdata[i];
		size_t distance;

		if (strlen(known) > NEAREST_MAX)
			continue;
		distance = nearestDistance(word, known);
		/* What was cut off is near, but what differs less is nearer. */
		if (length > 1 && distance > 1 && g_str_has_prefix(known, word))
			distance = 1;
		if (distance < strlen(known) && distance <= least &&
		    (!nearest || distance < least)) {
			nearest = known;
			least = distance;
		}
	}
	return nearest;
}

char *cliNearestAsk(const char *word, const char *mark, const GPtrArray *words)
{
	const char *nearest = cliNearest(word, words);

	return nearest ? g_strdup_printf("; did you mean %s%s?", mark, nearest)
		       : g_strdup("");
}
