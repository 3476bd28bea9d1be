/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Names of states and keys of attributes that were checked and made text once.
 *
 * A trace has a table of each. Literals (literal.h) are known by their address;
 * others, variables, by it and by what they say. A text has two places in a
 * table; where both are taken, it is checked each time.
 */
#ifndef HD_KNOWN_H
#define HD_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "HDTraceWritingCLibrary/src/attributes.h"

/** Places of a table. */
#define HD_KNOWNS 64

/** Longest text; each has as much room, to be copied without a look at how long
 *  it is. */
#define HD_KNOWN_LENGTH 32

/** A name, `<name`, or a key, ` key='`. */
struct hdKnown {
	const char *literal; /**< Where it stands; of a variable not that. */
	uint32_t length;     /**< Of the text; 0: the place is free. */
	bool isVariable;
	struct hdKeys keys; /**< The filter that a key sets. */
	char text[HD_KNOWN_LENGTH];
};

/** Make a table one of nothing: not even of NULL. */
void hdKnownInit(struct hdKnown *table);

/** The first place of a text, which may be another's. */
static inline const struct hdKnown *hdKnownFirst(const struct hdKnown *table,
						 const char *text)
{
	return &table[(uintptr_t)text % HD_KNOWNS];
}

/** Find a text wherever it is, or NULL. */
const struct hdKnown *hdKnownFind(struct hdKnown *table, const char *text);

/** Remember a state's name that was found good, if that is possible. */
void hdKnownAddName(struct hdKnown *table, const char *name);

/** Remember a key that was found good, if that is possible. */
void hdKnownAddKey(struct hdKnown *table, const char *key);

/** Whether an element may have a key already. */
static inline bool hdKnownIsThere(const struct hdKnown *known,
				  const struct hdKeys *keys)
{
	return (keys->first & known->keys.first) &&
	       (keys->second & known->keys.second);
}

/** Put a key where there is room for HD_KNOWN_LENGTH bytes; behind it. */
static inline char *hdKnownPutKey(const struct hdKnown *known,
				  struct hdKeys *keys, char *to)
{
	memcpy(to, known->text, HD_KNOWN_LENGTH);
	keys->first |= known->keys.first;
	keys->second |= known->keys.second;
	return to + known->length;
}

#endif
