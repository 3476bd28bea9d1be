/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the entries of a group amount to, by the kinds of its values.
 *
 * A gauge's entry is its value, a delta's is the amount in its interval, and a
 * counter's is what it grew by in its interval: the reading less that of the
 * entry before, or the reading itself where that is smaller, since the counter
 * began again at 0 then. Growth is not known in the first entry, behind a gap,
 * and where this reading or the one before is missing.
 *
 * All blocks of a group are taken, in their order.
 */
#ifndef HD_MODEL_AMOUNTS_H
#define HD_MODEL_AMOUNTS_H

#include <stddef.h>

#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"

struct amounts;

/** Start before the first entry of a group. */
struct amounts *amountsNew(const hdIGroup *group);

/** Free it; NULL does nothing. */
void amountsFree(struct amounts *self);

/** Take the next block; what follows is about its entries. */
void amountsTake(struct amounts *self, const hdIBlock *block);

/** The kind of a value of the group. */
enum hdKind amountsKind(const struct amounts *self, size_t column);

/** Get what an entry amounts to; NaN: not known. */
double amountsGet(const struct amounts *self, size_t column, size_t entry);

/** Get the same as a level: of amounts the rate, in rateUnit(). An amount in no
 *  time has none. */
double amountsLevel(const struct amounts *self, size_t column, size_t entry);

/** Add entries that lie inside as a whole. */
void amountsAdd(const struct amounts *self, size_t column,
		struct moments *moments, size_t first, size_t last);

/** Add the part of an entry that lies inside: ]start, end]. */
void amountsAddPart(const struct amounts *self, size_t column,
		    struct moments *moments, size_t entry, int64_t start,
		    int64_t end);

#endif
