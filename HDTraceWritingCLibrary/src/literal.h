/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Texts that a program has in memory that nobody writes to.
 *
 * Nearly all names and keys are literals of the program. What such a text says
 * need be looked at once only; afterwards it is known by its address.
 */
#ifndef HD_LITERAL_H
#define HD_LITERAL_H

#include <stdbool.h>

/** Find out where such memory is; any thread, costs some microseconds once. */
void hdLiteralPrepare(void);

/**
 * Whether a text says the same as long as this library is there: it stands in
 * memory that is mapped for reading only, of the program itself or of the
 * library that this one is a part of. Others may be closed, and others again be
 * loaded to where they were. After hdLiteralPrepare().
 */
bool hdLiteralIs(const char *text);

#endif
