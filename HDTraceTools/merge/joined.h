/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A project that is joined from several.
 */
#ifndef HD_JOINED_H
#define HD_JOINED_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "cli/newfile.h"
#include "HDTraceTools/merge/join.h"

/** A file of the joined project. */
struct joinFile {
	const struct joinProject *of;
	const struct mergeFile *from;
	char **labels;
	char *path;
	int64_t add;
	struct newFile new; /**< Its path is NULL if it is not written. */
	bool isNew;         /**< This run wrote it. */
};

/** All that is joined. */
struct join {
	struct tool *tool;
	const struct joinOptions *options;
	char *directory;
	char *prefix; /**< Directory and name. */
	struct joinProject *projects;
	struct joinOffset *offsets;
	size_t count;
	GPtrArray *files;   /**< struct joinFile */
	GHashTable *byPath; /**< Of these. */
	GPtrArray *levels;  /**< Types. */
};

void joinFreeFile(void *data);

int joinPlaceAll(struct join *self);

/** What all projects have, they keep; else they are Host > Process > Part. */
void joinChooseLevels(struct join *self);

#endif
