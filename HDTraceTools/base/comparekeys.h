/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * For functions that compare items for sorting: one key after the other.
 */
#ifndef HD_COMPAREKEYS_H
#define HD_COMPAREKEYS_H

/** Return from the function unless two keys are equal: the smaller one comes
 *  first. */
#define COMPARE_KEYS(a, b)                         \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

#endif
