/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info: the contents of files.
 */
#ifndef HD_CONTENT_H
#define HD_CONTENT_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/core/tool.h"
#include "cli/output.h"

struct sizes;

/** What reading a file through tells about it. */
struct content {
	struct sizes *sizes; /**< Also counts the bytes; or NULL. */
	const hdINode *node; /**< Where it belongs. */
	const char *file;
	int64_t fileSize;
	uint64_t entries; /**< Or states. */
	uint64_t events;
	uint64_t relations;
	uint64_t ended; /**< Of these. */
	uint64_t links;
	uint64_t gaps;
	unsigned int depth; /**< Number of levels of states. */
	bool hasTime;
	int64_t start;
	int64_t end;
};

/** State of the command. */
struct info {
	struct tool *tool;
	const hdIProject *project;
	struct scan scan;
	struct content *groups; /**< In the order of the project. */
	struct content *traces;
	struct content *relations;
	/** By hdIGroup, hdITraceFile and hdIRelationFile. */
	GHashTable *contents;
	struct content all;
	/** Declared groups without any file. */
	GPtrArray *missingGroups;
	bool isFolded; /**< Nodes that are alike are one line; but: */
	gboolean isOfNodes;
	gboolean isOfRanks;
	gboolean isOfSizes;
	struct sizes *sizes; /**< With --sizes; else NULL. */
	struct outJson json;
};

/** What a group or a trace of the project holds. */
const struct content *infoContentOf(const struct info *info, const void *file);

/** Decide whether nodes that are alike are one line. */
void infoDecideFold(struct info *info);

/** The children of nodes: array of arrays of nodes that are alike, in the order
 * in which they are met. */
GPtrArray *infoChildren(const struct info *info, const GPtrArray *nodes);

/** Print the contents of several files of a kind in one line. */
void infoPrintMany(const struct content *const *contents, guint count,
		   const char *what);

void infoPrintText(const struct info *info);

#endif
