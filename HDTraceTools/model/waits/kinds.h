/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Kinds of wait states; doc/findings.md defines them.
 */
#ifndef HD_WAITKINDS_H
#define HD_WAITKINDS_H

/** A kind; each is a line of the table in kinds.c. */
enum waitKind {
	WAIT_LATE_SENDER,
	WAIT_WRONG_ORDER, /**< A part of the time of WAIT_LATE_SENDER. */
	WAIT_LATE_RECEIVER,
	WAIT_BARRIER,
	WAIT_BARRIER_COMPLETION,
	WAIT_NXN,
	WAIT_NXN_COMPLETION,
	WAIT_EARLY_REDUCE,
	WAIT_EARLY_SCAN,
	WAIT_LATE_BROADCAST,
	WAIT_LATE_POST,
	WAIT_EARLY_WAIT,
	WAIT_LATE_COMPLETE, /**< A part of the time of WAIT_EARLY_WAIT. */
	WAIT_FENCE,
	WAIT_EARLY_FENCE, /**< A part of the time of WAIT_FENCE. */
	WAIT_RMA_LOCK,
	WAIT_IO,
	WAIT_TEAM,
	WAIT_IDLE,
	WAIT_LOCK,
	WAIT_KINDS,
	WAIT_NONE = WAIT_KINDS
};

/** What is said of a kind. */
struct waitKindInfo {
	const char *name;
	enum waitKind partOf; /**< WAIT_NONE: it counts by itself. */
	const char *title;    /**< What happened, for people. */
	const char *advice;   /**< One sentence that says what to do. */
};

/** Get it. */
const struct waitKindInfo *waitKindInfo(enum waitKind kind);

#endif
