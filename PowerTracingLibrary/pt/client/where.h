/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The options that subcommands have in common: which service, who asks, and
 * for which values of which nodes.
 */
#ifndef PT_WHERE_H
#define PT_WHERE_H

#include <glib.h>

#include "PowerTracingLibrary/client/core/recorder.h"
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
	GArray *selections;              /**< struct ptSelection */
};

/** For --help, before the exit status. */
#define WHERE_NOTES                                                         \
	"Without --server, $HDTRACE_PT_SERVER or the service of this host " \
	"is used.\n"
/** And of commands that run a command. */
#define WHERE_COMMAND_STATUS                                           \
	"Exit status: the status of COMMAND; 125 if pt fails, 126 if " \
	"COMMAND\ncannot be run, 127 if it is not found."

/** Options that say how to get to a service; six, no terminator. */
#define WHERE_SERVER_ENTRIES(where)                                           \
	{ "server",                                                           \
	  0,                                                                  \
	  0,                                                                  \
	  G_OPTION_ARG_STRING,                                                \
	  &(where)->server,                                                   \
	  "Address of the service: HOST[:PORT] or unix:/PATH",                \
	  "HOST" },                                                           \
		{ "token",                                                    \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_FILENAME,                                      \
		  &(where)->token,                                            \
		  "Authenticate with the token in FILE",                      \
		  "FILE" },                                                   \
		{ "user",                                                     \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_STRING,                                        \
		  &(where)->user,                                             \
		  "User of the token (default: the first in the file)",       \
		  "NAME" },                                                   \
		{ "tls",                                                      \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_NONE,                                          \
		  &(where)->isEncrypted,                                      \
		  "Encrypt the connection",                                   \
		  NULL },                                                     \
		{ "ca",                                                       \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_FILENAME,                                      \
		  &(where)->ca,                                               \
		  "Trust the certificate authorities in FILE; implies --tls", \
		  "FILE" },                                                   \
	{                                                                     \
		"fingerprint", 0, 0, G_OPTION_ARG_STRING,                     \
			&(where)->fingerprint,                                \
			"Trust only this SHA-256 fingerprint; implies --tls", \
			"HEX"                                                 \
	}

/** Options that say what is wanted of it; three, no terminator. */
#define WHERE_WISH_ENTRIES(where)                                      \
	{ "nodes",                                                     \
	  'n',                                                         \
	  0,                                                           \
	  G_OPTION_ARG_STRING,                                         \
	  &(where)->nodes,                                             \
	  "Nodes, separated by commas, or * (default: this host)",     \
	  "LIST" },                                                    \
		{ "values",                                            \
		  0,                                                   \
		  0,                                                   \
		  G_OPTION_ARG_STRING,                                 \
		  &(where)->values,                                    \
		  "Values, separated by commas, or * (default: P)",    \
		  "LIST" },                                            \
	{                                                              \
		"device", 0, 0, G_OPTION_ARG_STRING, &(where)->device, \
			"Use only this device", "NAME"                 \
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
 * Make selections; nodes that are not given are this host's, values P.
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
