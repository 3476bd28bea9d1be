/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Causes of waits, added up by rank and state.
 */
#ifndef HD_WAITCAUSES_H
#define HD_WAITCAUSES_H

#include "HDTraceTools/findings/findings.h"

/** The sums of some waits. */
struct waitCauses {
	GHashTable *sums; /**< struct waitCause, which are their own keys. */
	double indirect;  /**< In ns. */
};

/** What is needed for all of them. */
struct waitCausesOf {
	struct lateness *lateness;
	guint kept;      /**< Sums of all waits, so far. */
	GArray *causes;  /**< struct latenessCause, of the current wait, ... */
	double indirect; /**< ... likewise, in ns, ... */
	int64_t rank;    /**< ... and whose they are; -1: not known. */
};

void waitCausesStart(struct waitCausesOf *self, struct lateness *lateness);
void waitCausesEnd(struct waitCausesOf *self);

/** Find the causes of a wait, of which a part of that length counts, ... */
int waitCausesFind(struct waitCausesOf *self, const struct findings *findings,
		   const struct wait *wait, int64_t length);

/** ... and add them to sums. */
void waitCausesAdd(struct waitCausesOf *self, struct waitCauses *sums);

void waitCausesInit(struct waitCauses *sums);
void waitCausesClear(struct waitCauses *sums);

/** What is known of the causes of all waits of a finding. */
struct waitCausesListed {
	GArray *list;    /**< struct findingCause, the largest first. */
	double indirect; /**< In ns. */
	double others;   /**< What is neither of them, in ns. */
};

/** List the sums that have at least 1 % of a time. */
struct waitCausesListed waitCausesList(const struct waitCauses *sums,
				       const struct lateness *lateness,
				       enum waitKind kind, int64_t time);

#endif
