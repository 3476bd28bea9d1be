/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to openmetrics: nodes that are read by columns.
 */
#ifndef HD_OPENMETRICS_H
#define HD_OPENMETRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"

/** A metric family. */
struct family {
	const hdIValue *value;
	enum hdKind kind;
	const char *unit; /**< "" if there is none. */
	double scale;
	char *name;
	size_t width;  /**< Bytes of a value in memory; 0: it is not written. */
	size_t before; /**< Of what an entry has before it. */
};

#define PART_ENTRIES 2048

/** A node: its entries are in chunks of the spool, in each the times of all of
 *  them, and then the values, one family after the other. */
struct node {
	GArray *chunks;   /**< uint64_t: where they are. */
	uint64_t entries; /**< In all of them. */
	size_t firstPart; /**< Its number, of the samples of all nodes. */
};

/** The nodes of some families. */
struct nodes {
	struct export *export;
	const struct export *begun; /**< As it was before the first one. */
	GPtrArray *groups;          /**< struct exportGroup, of each node. */
	struct node *list;
	size_t parts; /**< Of the samples of a family. */
	const struct family *families;
	size_t familyCount;
	size_t entrySize;
	size_t chunkEntries; /**< Of all chunks of a node but the
					   last one. */
	struct spool *spool;
	pthread_mutex_t lock; /**< For appending. */
	int error;            /**< -1: it was said. */
};

size_t openmetricsChunkEntries(size_t entrySize);

/** Whether there is a number, of a counter one from 0 on. */
bool openmetricsIsReading(const struct family *family, const hdIColumn *values,
			  size_t entry);

/** Read all nodes; 0, or -1 after an error that was said. */
int openmetricsReadNodes(struct nodes *self);

void openmetricsOpenNodes(struct nodes *self, struct family *families);

void openmetricsCloseNodes(struct nodes *self);

#endif
