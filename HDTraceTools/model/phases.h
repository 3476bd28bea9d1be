/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Phases of a run, in the order of time.
 */
#ifndef HD_PHASES_H
#define HD_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <glib.h>

/** A phase: the half-open interval ]start, end]. */
struct phase {
	int64_t start;
	int64_t end;
	/** Index into names of struct phases; of a window its number. */
	size_t name;
};

/**
 * Windows: phases that are equally long, of which there may be too many for a
 * list. The one with the number n is ]origin + n * length, origin + (n + 1) *
 * length], as far as that lies in the time they cover.
 */
struct phaseWindows {
	int64_t length; /**< In ns; 0: there are none. */
	int64_t origin;
	int64_t start; /**< What they cover. */
	int64_t end;
	bool isOpen;     /**< The first one holds its start, too. */
	uint64_t number; /**< Of the first one. */
};

/** Phases in the order of time; they do not overlap. */
struct phases {
	struct phaseWindows windows; /**< If there are any, there is no list. */
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

/**
 * Make the phases the windows of a time.
 *
 * @param origin Where a window starts; not behind the start of the time.
 * @param isOpen Whether what ends at the start of the time is in it.
 */
void phasesSetWindows(struct phases *phases, int64_t length, int64_t origin,
		      int64_t start, int64_t end, bool isOpen);

/** Get a phase; the start of what is open is INT64_MIN. */
struct phase phasesAt(const struct phases *phases, size_t i);

/** Get the window that lasts at a time behind the start of the first one. */
size_t phasesWindowAt(const struct phases *phases, int64_t time);

/** Cut the phases to those parts that lie in ]start, end]. */
void phasesClip(struct phases *phases, int64_t start, int64_t end);

#endif
