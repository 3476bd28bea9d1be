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
#include "cli/options.h"

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

/** For --help, before the exit status. */
#define WHERE_NOTES                                                       \
	"Without --server: $HDTRACE_PT_SERVER, else the service of this " \
	"host.\n"
/** And of commands that run a command. */
#define WHERE_COMMAND_STATUS                                             \
	"Exit status: that of COMMAND; 125 if pt fails, 126 if COMMAND " \
	"cannot "                                                        \
	"be run,\n127 if there is no COMMAND."

/** Options that say how to get to a service; six, no terminator. */
#define WHERE_SERVER_ENTRIES(where)                                          \
	{ "server",                                                          \
	  0,                                                                 \
	  0,                                                                 \
	  G_OPTION_ARG_STRING,                                               \
	  &(where)->server,                                                  \
	  "The service: HOST[:PORT], or unix:/PATH",                         \
	  "HOST" },                                                          \
		{ "token",                                                   \
		  0,                                                         \
		  0,                                                         \
		  G_OPTION_ARG_FILENAME,                                     \
		  &(where)->token,                                           \
		  "Say who you are, by the token in FILE",                   \
		  "FILE" },                                                  \
		{ "user",                                                    \
		  0,                                                         \
		  0,                                                         \
		  G_OPTION_ARG_STRING,                                       \
		  &(where)->user,                                            \
		  "Whose token it is (default: the first in the file)",      \
		  "NAME" },                                                  \
		{ "tls",                                                     \
		  0,                                                         \
		  0,                                                         \
		  G_OPTION_ARG_NONE,                                         \
		  &(where)->isEncrypted,                                     \
		  "Encrypt the connection",                                  \
		  NULL },                                                    \
		{ "ca",                                                      \
		  0,                                                         \
		  0,                                                         \
		  G_OPTION_ARG_FILENAME,                                     \
		  &(where)->ca,                                              \
		  "Trust certificates signed by those in FILE; means --tls", \
		  "FILE" },                                                  \
	{                                                                    \
		"fingerprint", 0, 0, G_OPTION_ARG_STRING,                    \
			&(where)->fingerprint,                               \
			"Trust the certificate with this SHA-256; means "    \
			"--tls",                                             \
			"HEX"                                                \
	}

/** Options that say what is wanted of it; three, no terminator. */
#define WHERE_WISH_ENTRIES(where)                                      \
	{ "nodes",                                                     \
	  'n',                                                         \
	  0,                                                           \
	  G_OPTION_ARG_STRING,                                         \
	  &(where)->nodes,                                             \
	  "Nodes, or * for all (default: this host)",                  \
	  "LIST" },                                                    \
		{ "values",                                            \
		  0,                                                   \
		  0,                                                   \
		  G_OPTION_ARG_STRING,                                 \
		  &(where)->values,                                    \
		  "Values, or * for all (default: P)",                 \
		  "LIST" },                                            \
	{                                                              \
		"device", 0, 0, G_OPTION_ARG_STRING, &(where)->device, \
			"Of this device only", "NAME"                  \
	}

/** Letters that these options had, and --lines and --anyway. */
extern const struct cliOldLetter whereOldLetters[];

/**
 * Check what the options of WHERE_SERVER_ENTRIES() say, and take variables for
 * those that are not given.
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

/**
 * Tell whether a service is meant: one is named, or one of the usual ones is
 * there. After whereParse().
 */
gboolean whereIsService(const struct where *where);

/** Free it. */
void whereClear(struct where *where);

#endif
