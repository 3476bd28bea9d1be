/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace recover: what its parts have in common.
 */
#ifndef HD_RECOVER_H
#define HD_RECOVER_H

#include "cli/newfile.h"
#include "HDTraceTools/command/core/tool.h"

/** What became of a file. */
struct recovered {
	const char *action; /**< "copied", "repaired", ... */
	int64_t bytesLost;
	int64_t recordsLost; /**< -1: not known. */
	GString *rules;      /**< Why, separated by blanks. */
};

/** State of a recovery. */
struct recover {
	struct tool *tool;
	const hdIProject *project;
	/** Directory for the copies. */
	const char *directory;
	/** File to GString of the rules that were broken in it. */
	GHashTable *broken;
	size_t lostOwners;  /**< Nested blocks without owner since the last
				 record. */
	size_t lostRecords; /**< States without time and the like. */
	bool isMuted;       /**< Messages are for nobody. */
	bool isSilent;      /**< Messages were printed before. */
	int64_t projectStart;
	bool hasStart;
};

/** Whether one of some rules was broken in a file so far. */
bool recoverIsBroken(const struct recover *recover, const char *file,
		     const char *const *rules);

/**
 * Write a trace anew: all complete states and events of the old one.
 *
 * States inside a state that was lost move up to where it would stand.
 *
 * @param reader Reads the old file, from its beginning.
 * @param fileSize Size of the old file.
 *
 * @return 0 or a negative errno.
 */
int recoverWriteTrace(struct recover *recover, hdITraceReader *reader,
		      int64_t fileSize, struct newFile *new,
		      struct recovered *result);

/** Write a .proj anew, its open elements closed; 0 or a negative errno. */
int recoverWriteProject(struct recover *recover, const char *text, size_t size,
			struct newFile *new, struct recovered *result);

/** Write an .info file anew, without what is cut; 0 or a negative errno. */
int recoverWriteInfo(struct recover *recover, const char *file,
		     const char *text, size_t size, struct newFile *new,
		     struct recovered *result);

#endif
