/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file phases.h
 * Phases of a run: from a file of border times, or from the states of a trace.
 */
#ifndef HD_PHASES_H
#define HD_PHASES_H

#include <stddef.h>
#include <stdint.h>

#include "select.h"
#include "tool.h"

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

/**
 * Read border times: a line each, "TIME [NAME]"; a phase lasts to the next
 * border, the last one to the end. The name "-" means that no phase starts
 * there. Blank lines and what follows a '#' are ignored.
 *
 * @param path File; "-" is stdin.
 * @param projectStart What relative times count from.
 *
 * @retval 0 Success.
 * @retval -1 Error; it was said.
 */
int phasesRead(struct phases *phases, struct tool *tool, const char *path,
	       int64_t projectStart);

/**
 * Take the states of a trace as phases.
 *
 * @param spec "NODE[:STATE[:DEPTH]]": path of the node, pattern for the names
 *        of states (all), number of states they lie in (0).
 *
 * @retval 0 Success.
 * @retval -1 Error; it was said.
 */
int phasesTake(struct phases *phases, struct tool *tool,
	       const hdIProject *project, const char *spec);

/** Cut the phases to those parts that lie in ]start, end]. */
void phasesClip(struct phases *phases, int64_t start, int64_t end);

#endif
