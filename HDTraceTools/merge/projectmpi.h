/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Communicators and datatypes of the ranks, for the .proj file.
 */
#ifndef HD_PROJECTMPI_H
#define HD_PROJECTMPI_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/merge/merge.h"

/** A communicator, put together from what its ranks say. */
struct comm {
	/** Its uid; without, name, ranks, and how many such there were before.
	 */
	char *key;
	char *name;
	char *uid;    /**< Or NULL. */
	bool isNamed; /**< By a line of its own, of this rank. */
	int64_t namedBy;
	bool isInter;
	int64_t sizes[2]; /**< Of its groups; 0: that of the ranks. */
	GString *ranks;   /**< Elements. */
};

/** A name that a rank gave to a communicator, after that was described. */
struct commName {
	struct infoRank rank; /**< Global rank, and its id of it. */
	char *name;
};

/** What the .info files say, all together. */
struct gathered {
	struct merge *merge;
	GPtrArray *comms;      /**< struct comm, in order of appearance. */
	GHashTable *commIndex; /**< Key to struct comm. */
	GHashTable *commsOf;   /**< Rank and id (infoRank) to struct comm. */
	GArray *commNames;     /**< struct commName */
	GString *datatypes;    /**< Elements. */
	GPtrArray *fileNames;
	GHashTable *fileSizes; /**< Name to smallest size (int64_t *). */
};

/**
 * Add what a rank says about a communicator. Those of the same uid are one.
 * Without, the n-th one of the same name and ranks is the same communicator
 * everywhere, since creating one is collective.
 */
void mergeAddComm(struct gathered *gathered, const struct mergeFile *file,
		  const struct infoLine *line, int64_t global,
		  GHashTable *seen);

/** What a rank says about the name of a communicator, later. */
void mergeAddCommName(struct gathered *gathered, const struct infoLine *line,
		      int64_t global);

/** A communicator has the last name that it was given, by the first rank that
 *  gave it one. */
void mergeNameComms(struct gathered *gathered);

void mergeProjectPutAttribute(GString *out, const char *name, int64_t value);

void mergeAddType(struct gathered *gathered, const struct infoLine *line);

#endif
