/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The subcommands of hdgluster, and what they share.
 */
#ifndef HD_GLUSTER_H
#define HD_GLUSTER_H

#include <stdbool.h>
#include <glib.h>

#include "cli/options.h"

/** Exit status. */
enum glusterStatus {
	GLUSTER_OK = 0,
	GLUSTER_WRONG = 1,  /**< The volume file is, or a process disobeys. */
	GLUSTER_FAILED = 2, /**< Usage, input, output. */
};

/** The subcommands, in the order of the help: of each there is NAMERun(). */
#define GLUSTER_COMMANDS(X)                                               \
	X(volfile, "Add the translators to a volume file or remove them") \
	X(filter, "Add the translators to a file of glusterd")            \
	X(try, "Run a command in a trial volume on this machine")         \
	X(enable, "Start recording in a running volume")                  \
	X(disable, "Stop recording in a running volume")                  \
	X(status, "Show the state of recording")

#define GLUSTER_DECLARE(name, summary) int name##Run(int argc, char **argv);
GLUSTER_COMMANDS(GLUSTER_DECLARE)

/** The name of this host as a label of a topology. */
char *glusterHost(void);

/** Make a text a label: what is no letter, digit, "." or "-" becomes "-". */
char *glusterLabel(const char *text);

/** Whether a text is a word of a volume file without quotes: no blanks, and no
 *  marks. */
bool glusterIsWord(const char *text);

/** Check --project: -1 if it is the name of a project, or NULL; else the exit
 *  status, and it was said. */
int glusterCheckProject(const struct cliCommand *command, const char *project);

/**
 * Put the translator into a volume file, at all layers, silently.
 *
 * @param directory Absolute.
 * @param text The file; taken.
 *
 * @return It, or NULL: what is wrong was said.
 */
char *volfileTrace(const char *project, const char *directory, const char *node,
		   char *text);

#endif
