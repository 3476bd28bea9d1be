/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace relations: what its parts share.
 */
#ifndef HD_RELATIONS_H
#define HD_RELATIONS_H

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/relations/inferred.h"
#include "HDTraceTools/model/relations/joules.h"
#include "cli/rows.h"

/** So many are listed for people. */
#define RELATIONS_TOP 10

/** The whole command; hdtrace report prints with a part of it. */
struct relationsRun {
	struct tool *tool;
	enum outFormat format;
	const hdIProject *project;
	struct selection selection;
	char *name;            /**< Pattern of names, or NULL. */
	gboolean isAsRecorded; /**< Of DELAY_ENTRY(). */
	char *tree; /**< Token of the one whose tree is asked for, or NULL. */
	int top;    /**< So many of the slowest; -1: as the format has it. */
	int depth;  /**< No deeper than that; -1: any. */
	bool onlySums; /**< Sums by name and layer, and no list. */
	struct forest *forest;
	struct powerChoice *powers;
	struct joules *joules;
	/** Causes that were inferred; NULL: nobody asked for them. */
	struct inferred *inferred;
	int64_t start; /**< When the first relation began. */
	struct rows *rows;
	struct outJson *json;
	uint64_t room; /**< A tree has so many at most; 0: any number. */
};

/** Say that a temporary file failed, if it did: true. */
bool relationsFailed(struct relationsRun *self, int ret);

/** Whether somebody wants to know of a relation. */
bool relationsWants(const struct relationsRun *self,
		    const struct forestRelation *relation);

/** Read all relations, and what they cost; what goes wrong is said. */
void relationsRead(struct relationsRun *self);
/** Free what that took. */
void relationsForget(struct relationsRun *self);

/** Put how many there are, and how many are not as they should be. */
void relationsPutCounts(const struct forest *forest,
			const struct inferred *inferred, struct outJson *json);
/** Print the slowest. */
void relationsPrintList(struct relationsRun *self);
/** Print some, by their numbers: uint32_t. */
void relationsPrintNumbers(struct relationsRun *self, const GArray *numbers);
/** Print a relation, what caused it, and all that it caused. */
void relationsPrintTree(struct relationsRun *self, uint32_t number);
/** Print sums by name and layer. */
void relationsPrintSums(struct relationsRun *self);
/** Print sums that are there: struct relationSum. */
void relationsPrintTheseSums(struct relationsRun *self, const GArray *sums);

/** Show an energy in a cell, with what comes before it. */
void relationsShowEnergy(struct rows *rows, size_t column,
			 const struct attributionAmount *amount,
			 int64_t duration);

#endif
