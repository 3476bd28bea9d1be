/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * XML of the caller that is to stand in an element of ours.
 */
#ifndef HD_FRAGMENT_H
#define HD_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>

/** Elements of a caller that may lie in each other. */
#define HD_FRAGMENT_DEPTH 100

/**
 * Whether text is a sequence of well-formed elements, with attributes, text and
 * elements in them; nothing else (comments, declarations, CDATA), and no text
 * beside the outermost ones but blanks.
 */
bool hdFragmentIsValid(const char *text, size_t length);

#endif
