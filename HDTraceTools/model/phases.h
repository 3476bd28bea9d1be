/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Phases of a run, in the order of time.
 */
#ifndef HD_PHASES_H
#define HD_PHASES_H

#include <stddef.h>
#include <stdint.h>
#include <glib.h>

/** A phase: the half-open interval ]start, end]. */
struct phase {
	int64_t start;
	int64_t end;
	size_t name; /**< Index into names of struct phases. */
};

/** Phases in the order of time; they do not overlap. */
struct phases {
	struct phase *list;
	size_t count;
	size_t size;
	GPtrArray *names;  /**< Distinct names. */
	GHashTable *index; /**< Name to index + 1. */
};

/** Start with no phases. */
void phasesInit(struct phases *phases);

/** Free what the phases hold. */
void phasesFree(struct phases *phases);

/**
 * Add a phase at the end.
 *
 * @param name Name; copied.
 */
void phasesAdd(struct phases *phases, int64_t start, int64_t end,
	       const char *name);

/** Cut the phases to those parts that lie in ]start, end]. */
void phasesClip(struct phases *phases, int64_t start, int64_t end);

#endif
