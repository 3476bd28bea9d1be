/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Replacing an old project by a new one, once that has really begun.
 *
 * The new files are made in a directory beside the old ones, PROJECT.new, and
 * take their places when the recording has begun: what was to be traced runs,
 * or the meter is there. If it does not, or whoever records is killed before,
 * the old project is as it was. The project file comes last; until the files
 * before it have been renamed, which takes microseconds, it is the old one.
 *
 * A directory that was left behind is used again, unless somebody holds its
 * lock.
 */
#ifndef HD_FORMAT_REPLACEMENT_H
#define HD_FORMAT_REPLACEMENT_H

#include <stdbool.h>

struct hdReplacement;

/** Get the name that a project has until it replaces the old one, to be freed;
 *  NULL without memory. */
char *hdReplacementName(const char *project);

/**
 * Begin to replace a project, which may exist or not.
 *
 * @param project Its name, without HDTRACE_PREFIX.
 *
 * @retval -EBUSY Another program is about to do that.
 * @return 0, or another negative errno value.
 */
int hdReplacementBegin(const char *project, struct hdReplacement **result);

/** Get the project to write meanwhile. */
const char *hdReplacementProject(const struct hdReplacement *replacement);

/**
 * Put the new files in the places of the old ones, and free it; takes NULL.
 *
 * @param isWhole The new files are all that there is of the project, but for
 * its project file, which is written later: the old one goes, and what else an
 * MPI program has left of this name.
 *
 * @retval -EBUSY A file that would be replaced is being written. (Or another
 *         error.) The new files stay where they are then.
 */
int hdReplacementKeep(struct hdReplacement *replacement, bool isWhole);

/**
 * Likewise, of a project that is complete, with its file, and has parts of one
 * host only: what the old one has of that host besides goes, traces of parts
 * with a number and groups.
 */
int hdReplacementKeepHost(struct hdReplacement *replacement, const char *host);

/** Leave the new files where they are, if there are any, and free it; takes
 *  NULL. */
void hdReplacementLeave(struct hdReplacement *replacement);

/** Remove the new files and free it; takes NULL. */
void hdReplacementDrop(struct hdReplacement *replacement);

#endif
