/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the numbers of a value are, and so which results have a meaning.
 *
 * The attribute kind of a value says it (doc/format/format.md). Without one, or
 * with a text that is none, it is guessed from names and units: those of libRUT
 * and libPT, and of the tracers of 2009.
 */
#ifndef HD_MODEL_KIND_H
#define HD_MODEL_KIND_H

#include <stdbool.h>

#include <hdReading.h>
#include "common/kind.h"

/**
 * Get the kind of a value.
 *
 * @param[out] isGuessed Whether the file does not say it; never for a string,
 *             which is a gauge. May be NULL.
 */
enum hdKind valueKind(const hdIGroup *group, const hdIValue *value,
		      bool *isGuessed);

/** The kind of a value as people read it: "delta", or "delta?" if it is
 * guessed;
 *  "" of a string. */
const char *valueKindTitle(const hdIGroup *group, const hdIValue *value);

/** The line below tables with such titles, if any is guessed. */
#define KIND_GUESSED_NOTE \
	"Kinds marked with ? are guessed: the file does not state them."

/** The attribute kind of a value, if it names no kind; else NULL. */
const char *valueKindUnknown(const hdIValue *value);

/** Whether the entries of a value are amounts, of deltas, or of what counters
 *  grow by, whose sum is their total. */
static inline bool kindIsAmount(enum hdKind kind)
{
	return kind != HD_KIND_GAUGE;
}

/**
 * Name the unit of a rate: J gives W, and Wh, too, both with the same prefix;
 * anything else "X/s", or "1/s" without a unit.
 *
 * @param[out] scale What an amount a second is to be multiplied with.
 *
 * @return The unit, to be freed with g_free().
 */
char *rateUnit(const char *unit, double *scale);

#endif
