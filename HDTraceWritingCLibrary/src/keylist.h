/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Lists of keys that are used again and again, checked and made text once.
 *
 * A trace remembers the lists that it got last, by where they stand and by what
 * they say, so that attributes cost a copy and a number each.
 *
 * Keys of attributes are checked once: a trace remembers the lists that it
 * is given again and again, by their address, and where they are no literals of
 * the program by their content.
 */
#ifndef HD_KEYLIST_H
#define HD_KEYLIST_H

#include <stdint.h>

#include "HDTraceWritingCLibrary/src/attributes.h"

/** Lists up to this length, with as many keys, are remembered. */
#define HD_KEYLIST_LENGTH 63
#define HD_KEYLIST_KEYS 8
/** What a key needs besides its name: `' ` before it and `='` after it. */
#define HD_KEYLIST_MORE 4
/** Keys are copied in pieces of this size. */
#define HD_KEYLIST_PIECE 16

/** A list that is remembered. */
struct hdKeyList {
	char keys[HD_KEYLIST_LENGTH + 1]; /**< "": nothing is. */
	const char *literal;  /**< Where it stands and stays (literal.h). */
	struct hdKeys filter; /**< Of all of them. */
	unsigned int count;
	unsigned int room; /**< For the attributes, whatever the values are. */
	unsigned char ends[HD_KEYLIST_KEYS]; /**< Of each key, in the text. */
	/** ` a='`, `' b='`, ... and room to copy in pieces. */
	char text[HD_KEYLIST_LENGTH + HD_KEYLIST_KEYS * HD_KEYLIST_MORE +
		  HD_KEYLIST_PIECE];
};

/**
 * Check a list and make it text.
 *
 * @retval 0 Success.
 * @retval 1 It is too long to be remembered.
 * @retval -HD_ERR_INVALID_ARGUMENT It is not a list, or has a key twice.
 */
int hdKeyListMake(struct hdKeyList *list, const char *keys);

/**
 * Append the attributes of a list.
 *
 * @return As of hdAttributeBegin().
 */
int hdKeyListAdd(const struct hdKeyList *list, struct hdText *text,
		 size_t element, struct hdKeys *keys, const int64_t *values);

/** The same for any list. */
int hdKeyListAddSlowly(const char *list, struct hdText *text, size_t element,
		       struct hdKeys *keys, const int64_t *values);

#endif
