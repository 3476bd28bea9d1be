/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When the entries of a trace are due whose sampler goes several steps to an
 * interval.
 *
 * Steps are numbered from a start that may be another trace's, and entries come
 * at multiples of the interval since then. The first interval after a start has
 * half to one and a half of its length, as sampler.h has it of steps.
 */
#ifndef RUT_DUE_H
#define RUT_DUE_H

#include <stdbool.h>
#include <stdint.h>

struct rutDue {
	uint64_t steps; /**< Of an interval. */
	int64_t stepNs;
	uint64_t next; /**< Number of the step; 0: not known yet. */
};

/** A first interval begins now. */
static inline void rutDueBegin(struct rutDue *due)
{
	due->next = 0;
}

/**
 * Whether an entry is due.
 *
 * @param number The step that has come; some may have been left out.
 * @param sinceNs How long ago the interval began.
 */
static inline bool rutDueIs(struct rutDue *due, uint64_t number,
			    int64_t sinceNs)
{
	int64_t intervalNs = (int64_t)due->steps * due->stepNs;

	if (due->next == 0) {
		due->next = (number + due->steps - 1) / due->steps * due->steps;
		if (sinceNs + (int64_t)(due->next - number) * due->stepNs <
		    intervalNs / 2)
			due->next += due->steps;
	}
	if (number < due->next)
		return false;
	due->next = (number / due->steps + 1) * due->steps;
	return true;
}

#endif
