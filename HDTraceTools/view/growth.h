/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: the files of a project that may be written: which there are,
 * how large they are, and whether a program still writes them.
 */
#ifndef HD_VIEWGROWTH_H
#define HD_VIEWGROWTH_H

#include <hdReading.h>
#include <stdbool.h>
#include <glib.h>

/** The files of a project at a time. */
struct viewFiles;

/**
 * Look at the files of a project.
 *
 * @param project Tells where they are; an archive, or a single file, is alone.
 * @param like Leaves out the same files; NULL: none.
 */
struct viewFiles *viewFilesNew(const hdIProject *project,
			       const struct viewFiles *like);

/** Free them; NULL does nothing. */
void viewFilesFree(struct viewFiles *self);

/**
 * Take what is known of files from a project that was opened after they were
 * looked at: leave out those that it lacks, though their names begin like its
 * own, and read what tells a file from another one of its name.
 */
void viewFilesTake(struct viewFiles *self, const hdIProject *project);

/** Whether a file is the same as it was; @p offset is where its data begins. */
bool viewFilesHold(const struct viewFiles *self, const char *path,
		   int64_t offset);

/** Whether files were added, removed, or written. */
bool viewFilesDiffer(const struct viewFiles *before,
		     const struct viewFiles *now);

/**
 * Tell what happened to data that was there before: files that were replaced,
 * overwritten or removed. Heads of files that are shorter go on in @p now.
 *
 * @param lines Gets texts, such as "a_0.trc: replaced".
 */
void viewFilesCompare(const struct viewFiles *before, struct viewFiles *now,
		      GPtrArray *lines);

/**
 * Find the files that a program records into: it has a lock on them.
 *
 * @return Paths, to be freed.
 */
GHashTable *viewGrowthLocked(const hdIProject *project);

/** Whether a file shows that the program that wrote it has ended it: a trace,
 * or relations. */
bool viewGrowthTells(const char *path);

/** Whether a file has its end, which it tells. */
bool viewGrowthHasEnd(const char *path);

/** Whether all that tell it have their end; true if there are none. */
bool viewGrowthIsClosed(const hdIProject *project);

#endif
