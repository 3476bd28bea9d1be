/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is noted of messages, collective calls and files for findings of habits.
 */
#ifndef HD_FINDINGS_HABITS_H
#define HD_FINDINGS_HABITS_H

#include "HDTraceTools/findings/findings.h"

/** So many are many. */
#define HABITS_MANY 1000

/** What a trace does many times. */
struct habitsCount {
	uint64_t count;
	int64_t time;
};

struct habits {
	const hdIProject *project;
	int hostLevel;
	uint64_t small;
	int64_t *times;    /**< In calls of small messages, by trace. */
	GHashTable *pairs; /**< uint64_t of both traces to struct habitsPair. */
	bool isFull;       /**< There are more. */
	uint64_t tiny;     /**< Collective calls of one element; and by trace:
			    */
	int64_t *tinyTimes;
	struct habitsCount *accesses; /**< Small ones. */
	struct habitsCount *openings; /**< Of files that were opened before. */
};

/** Take a collective call, or one of a file. */
void habitsTakeTiny(struct habits *self, const struct dependencyMatch *match);
void habitsTakeOpening(struct habits *self,
		       const struct dependencyMatch *match);

/** Add what ranks do `count` times, with its time by trace; with no time unless
 * that is often. */
void habitsAdd(struct findings *findings, struct finding finding,
	       const int64_t *times);

/* The findings, in files of their names. */
void findingsFindCollectives(struct findings *findings);
void findingsFindFiles(struct findings *findings);

#endif
