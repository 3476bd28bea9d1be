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
#ifndef HD_CLI_REPLACEMENT_H
#define HD_CLI_REPLACEMENT_H

struct cliReplacement;

/**
 * Begin to replace a project, which may exist or not.
 *
 * @param project Its name, without HDTRACE_PREFIX.
 *
 * @retval -EBUSY Another program is about to do that.
 * @return 0, or another negative errno value.
 */
int cliReplacementBegin(const char *project, struct cliReplacement **result);

/** Get the project to write meanwhile. */
const char *cliReplacementProject(const struct cliReplacement *replacement);

/**
 * Put the new files in the places of the old ones, and free it; takes NULL.
 *
 * @retval -EBUSY A file that would be replaced is being written. (Or another
 *         error.) The new files stay where they are then.
 */
int cliReplacementKeep(struct cliReplacement *replacement);

/** Remove the new files and free it; takes NULL. */
void cliReplacementDrop(struct cliReplacement *replacement);

#endif
