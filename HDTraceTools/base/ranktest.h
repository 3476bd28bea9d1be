/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether many quantities differ between two sets of runs: rank tests whose
 * chance of saying so wrongly is that of all of them together.
 *
 * Of each quantity it is Mann's and Whitney's test (Annals of Mathematical
 * Statistics 18, 1947), two-sided, with mean ranks for equal values. What is
 * equal but for chance is equal in whatever way the runs are dealt out to the
 * two sets, so its p is the share of all ways in which the sets are as far
 * apart as they are: exact, also for few runs and with equal values.
 *
 * Of many quantities some are apart by chance. So each is held against the most
 * extreme of all in each of these ways (step-down, as of Westfall and Young,
 * Resampling-Based Multiple Testing, 1993): the chance that any is called
 * different although none is stays below the level, however many there are and
 * however they hang together. With few runs ranks alone do not order what is
 * apart completely; of these the one counts as more extreme that has the larger
 * gap, in lengths of what the two sets cover.
 */
#ifndef HD_RANKTEST_H
#define HD_RANKTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>

/** So many ways to deal out runs are gone through; if there are more, ... */
#define RANKTEST_ALL 13000
/** ... so many are drawn, always the same ones. */
#define RANKTEST_DRAWN 10000

struct rankTest;

/** Of two sets with so many runs, at least one each. */
struct rankTest *rankTestNew(size_t a, size_t b);

/** Free it; NULL does nothing. */
void rankTestFree(struct rankTest *self);

/** Add a quantity: its value in each run, those of the first set first, all
 *  finite. Returns its number, from 0. */
size_t rankTestAdd(struct rankTest *self, const double *values);

/** All were added: test them. */
void rankTestRun(struct rankTest *self);

/** The p of a quantity by itself, and that with all of them taken into
 *  account. After rankTestRun(). */
double rankTestAlone(const struct rankTest *self, size_t number);
double rankTestFamily(const struct rankTest *self, size_t number);

/** In how many ways the runs are dealt out, and whether these are all. */
size_t rankTestWays(const struct rankTest *self, bool *isExact);

/** Compare two doubles that are numbers, for qsort(). */
int rankTestCompare(const void *a, const void *b);

/** The least p that there can be. */
double rankTestLeast(size_t a, size_t b);

#endif
