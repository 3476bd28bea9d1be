/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers for names: records have few different names, and these come often.
 */
#ifndef HD_NAMES_H
#define HD_NAMES_H

#include <stdint.h>

struct names;

/** Start with none. */
struct names *namesNew(void);

/** Free it; NULL does nothing. */
void namesFree(struct names *self);

/** The number of a name, from 0 on; it is added if it is not there. Fastest
 *  where the same names are at the same addresses. */
uint32_t namesNumber(struct names *self, const char *name);

/** How many there are. */
uint32_t namesCount(const struct names *self);

/** The name with a number; valid as long as @p self. */
const char *namesAt(const struct names *self, uint32_t number);

#endif
