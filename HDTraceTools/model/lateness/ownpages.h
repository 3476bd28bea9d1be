/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Intervals of traces in pages on disk, and sums of what they are in.
 */
#ifndef HD_OWNPAGES_H
#define HD_OWNPAGES_H

#include <stddef.h>
#include <stdint.h>

struct ownPages;

/** Start with none, of so many traces. */
struct ownPages *ownPagesNew(size_t traces);

/** Free it; NULL does nothing. */
void ownPagesFree(struct ownPages *self);

/** The intervals that follow are those of a trace, which starts at that time;
 *  each trace once. */
void ownPagesEnter(struct ownPages *self, uint32_t trace, int64_t start);

/** An interval begins, where the one before ends. 0 or a negative errno. */
int ownPagesAdd(struct ownPages *self, int64_t start, uint32_t number);

/** The last one of the trace ends. 0 or a negative errno. */
int ownPagesLeave(struct ownPages *self, int64_t end);

/** When a trace starts, as ownPagesEnter() was told; INT64_MIN: it was not. */
int64_t ownPagesStart(const struct ownPages *self, uint32_t trace);

/** Takes a time in intervals of a number; less than 0: it is taken away. */
typedef void ownPagesTake(void *data, uint32_t number, int64_t time);

/** Hand on the times of a trace between two times. 0 or a negative errno. */
int ownPagesSum(struct ownPages *self, uint32_t trace, int64_t from, int64_t to,
		ownPagesTake *take, void *data);

#endif
