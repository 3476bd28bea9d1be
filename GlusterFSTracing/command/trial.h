/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A whole volume of GlusterFS on this machine, for a command: bricks, a mount,
 * and away again.
 *
 * All of it is in a process namespace and a mount namespace of its own, so that
 * nothing of it can be left: when the first process of the namespace ends, in
 * whatever way, the kernel ends the others, and with them the mount.
 */
#ifndef HD_GLUSTER_TRIAL_H
#define HD_GLUSTER_TRIAL_H

#include <stdbool.h>
#include <glib.h>

/** Bricks of a trial, at most. */
#define TRIAL_BRICKS_MAX 64

/** What makes a brick slow. */
enum trialFault {
	TRIAL_DISK,    /**< debug/delay-gen above storage/posix. */
	TRIAL_NETWORK, /**< The same above protocol/client, below threads. */
};

/** A volume, and what is done with it. */
struct trial {
	int bricks;
	int slow; /**< From 1; 0: none. */
	enum trialFault fault;
	int delayMs;
	bool isTraced;
	const char *project;   /**< Its name. */
	const char *directory; /**< Where it is, absolute. */
	const char *place;   /**< An empty directory for all else, absolute. */
	const char *xlators; /**< GlusterFS' folder of translators. */
	char *const *command;
};

/**
 * Run the command in the mount; in the first process of the namespace, which
 * ends with the result. What goes wrong is said.
 *
 * SIGINT, SIGTERM and SIGHUP have to be blocked; they end it.
 *
 * @param parent Read end of a pipe that the parent holds open: when it is
 *        closed the trial ends, too.
 *
 * @return Exit status: that of the command, or as of prefix commands.
 */
int trialRun(const struct trial *trial, int parent);

/** Say what has gone wrong with a trial; returns the status. */
int trialReport(int status, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Remove a directory and all in it. */
void trialRemove(const char *path);

#endif
