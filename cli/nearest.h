/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What somebody may have meant who wrote a word that there is not.
 */
#ifndef HD_CLI_NEAREST_H
#define HD_CLI_NEAREST_H

#include <glib.h>

/**
 * Find the word that is nearest: by letters that were left out, added, taken
 * for others, or swapped with their neighbours, or one that begins like it.
 *
 * @param word What was written.
 * @param words What there is: const char *.
 *
 * @return One of @p words, or NULL if none is near enough.
 */
const char *cliNearest(const char *word, const GPtrArray *words);

/** Ask "; did you mean "WORD"?", or "" if none is near; free it. */
char *cliNearestAsk(const char *word, const char *mark, const GPtrArray *words);

#endif
