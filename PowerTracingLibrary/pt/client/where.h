/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The options that subcommands have in common: which service, who asks, and
 * for which values of which nodes.
 */
#ifndef PT_WHERE_H
#define PT_WHERE_H

#include <glib.h>

#include "PowerTracingLibrary/client/recorder.h"
#include "PowerTracingLibrary/client/remotelist.h"

struct where {
	/* As given. */
	char *server, *token, *user, *ca, *fingerprint;
	gboolean isEncrypted;
	char *nodes, *values, *device;
	/* What comes of it. */
	struct ptRemoteSetup setup;
	GPtrArray *nodeList, *valueList; /**< char * */
	GArray *wishes;                  /**< struct ptWish */
};

/** For --help of commands that run a command. */
#define WHERE_COMMAND_STATUS                                             \
	"Exit status: that of COMMAND; 125 if pt fails, 126 if COMMAND " \
	"cannot "                                                        \
	"be run,\n127 if there is no COMMAND.\n"

/**
 * Begin the options of a subcommand.
 *
 * @param arguments What follows the options, or NULL.
 * @param summary What it does.
 * @param status Its exit status.
 */
GOptionContext *whereContext(const char *arguments, const char *summary,
			     const char *status);

/**
 * Parse the options, and free the context.
 *
 * @param[in,out] argv As of g_option_context_parse().
 * @param[out] result Exit status, if there is nothing more to be done.
 *
 * @return Whether there is.
 */
gboolean whereOptions(const char *tool, GOptionContext *context, int *argc,
		      char ***argv, int *result);

/** Print "TOOL: MESSAGE", and where to find help; returns the exit status. */
int whereUsage(const char *tool, const char *message);

/** Add the options that say how to get to a service. */
void whereAddServer(GOptionContext *context, struct where *where);

/**
 * Add the options that say what is wanted of it.
 */
void whereAddWishes(GOptionContext *context, struct where *where);

/**
 * Check what the options of whereAddServer() say, and take variables for those
 * that are not given.
 *
 * @return FALSE after a message.
 */
gboolean whereParse(const char *tool, struct where *where);

/**
 * Make wishes; nodes that are not given are this host's, values P.
 *
 * @return FALSE after a message.
 */
gboolean whereWish(const char *tool, struct where *where);

/**
 * Ask the service whether it has what is wished, so that it can be said what
 * there is instead. A node that is not given becomes one as the service has it.
 *
 * @return 0 or a negative errno value after a message.
 */
int whereCheck(struct where *where);

/** Free it. */
void whereClear(struct where *where);

#endif
