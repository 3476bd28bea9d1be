/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The health of a node: what its disks say, temperatures, errors of memory,
 * and links. A thread of its own looks, since disks may take long.
 */
#ifndef HD_NODE_HEALTH_H
#define HD_NODE_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

struct nodeHealth;

/** What is known, as numbers; NaN: not known. */
struct nodeHealthNumbers {
	double hottestCelsius;
	double failingDisks;
	double corrected, uncorrected;
};

/**
 * Begin to look; the first look has begun when this returns.
 *
 * @param root As of hdNodeSetup.
 * @param smartctl Path, NULL to look for it, "" for none.
 * @param limitNs How long it may take for a disk.
 *
 * @retval -EAGAIN No thread could be created. (Or -EMFILE.)
 */
int nodeHealthStart(const char *root, const char *smartctl, int64_t intervalNs,
		    int64_t limitNs, struct nodeHealth **result);

/** Look at another interval from now on, and once at once. */
void nodeHealthSetInterval(struct nodeHealth *health, int64_t intervalNs);

/** End it; takes NULL. */
void nodeHealthStop(struct nodeHealth *health);

/** Get the last look: a new reference. Any thread. */
json_t *nodeHealthJson(struct nodeHealth *health);

/** Get the age of the last look in seconds, and whether it is stale. Any
 *  thread. */
double nodeHealthAge(struct nodeHealth *health, bool *isStale);

/** Get its numbers. Any thread. */
void nodeHealthGet(struct nodeHealth *health,
		   struct nodeHealthNumbers *numbers);

/** Look at sensors of the CPUs: `package`, `hottest_celsius`, `sensor` of each
 *  package. @param[out] hottest Of all; NaN: there is none. */
json_t *nodeTemperatures(const char *root, double *hottest);

/** Look at errors of memory (EDAC). */
json_t *nodeMemoryErrors(const char *root, struct nodeHealthNumbers *numbers);

/** Look at links: `name`, `up`, `bits_per_s`, `errors`, `changes`. */
json_t *nodeLinks(const char *root);

#endif
