/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Suggestions for unknown words: "did you mean".
 */
#ifndef HD_CLI_NEAREST_H
#define HD_CLI_NEAREST_H

#include <glib.h>

/**
 * Find the most similar word: by missing, added, replaced or swapped letters,
 * or by a common beginning.
 *
 * @param word The word of the user.
 * @param words The valid words: const char *.
 *
 * @return One of @p words, or NULL if none is similar enough.
 */
const char *cliNearest(const char *word, const GPtrArray *words);

/** Make the text "; did you mean MARKWORD?", or "" if no word is similar; to be
 *  freed. */
char *cliNearestAsk(const char *word, const char *mark, const GPtrArray *words);

#endif
