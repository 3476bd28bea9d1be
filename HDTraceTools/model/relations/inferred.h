/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What probably caused relations that nothing is known to have caused: the
 * state of a rank that the process was in which asked.
 *
 * A file system that a program reaches through the kernel is not told the token
 * of the call: its operations have nothing but the number of the process, or
 * thread, that made the system call (attribute `pid` of their first state).
 * Where the .info file of a trace of the same host has that number (a line
 * Process), the innermost state that the trace was in when the relation began
 * is said to be its cause. That is an inference: numbers of processes come
 * round, other namespaces have others, and the kernel writes in the name of
 * whoever it likes. It never is a parent in the forest, and is counted by
 * itself.
 */
#ifndef HD_MODEL_RELATIONS_INFERRED_H
#define HD_MODEL_RELATIONS_INFERRED_H

#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/relations/forest.h"

/** A cause that was inferred. */
struct inferredCause {
	uint32_t number; /**< Of the relation. */
	const hdITraceFile *trace;
	int64_t at;       /**< When the relation began. */
	const char *name; /**< Of the state; NULL: it was in none. */
	int64_t start;    /**< Of the state. */
	int64_t end;
};

/** Threads that may have asked: their traces say which number they have. */
struct inferredAskers;

/** Find those of a project; NULL if there is none. */
struct inferredAskers *inferredAskersNew(const hdIProject *project);
/** Free them; NULL does nothing. */
void inferredAskersFree(struct inferredAskers *askers);

/**
 * Whether one of them has asked for a relation that nothing is known to have
 * caused.
 *
 * @param askers NULL: none.
 * @param node Of the relation.
 * @param states Of the relation.
 */
bool inferredAskersHave(const struct inferredAskers *askers,
			const hdINode *node, const hdIRelationState *states,
			size_t count);

struct inferred;

/** Start with none; the forest has ended, and stays. */
struct inferred *inferredNew(struct forest *forest);
/** Free it; NULL does nothing. */
void inferredFree(struct inferred *self);

/** Find all. 0, or the negative errno of a temporary file; traces that cannot
 * be read infer nothing. */
int inferredFind(struct inferred *self);

/** How many relations have one. */
uint64_t inferredCount(const struct inferred *self);

/** That of a relation; NULL if there is none. */
const struct inferredCause *inferredOf(const struct inferred *self,
				       uint32_t number);

#endif
