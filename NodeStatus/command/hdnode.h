/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The hdnode command: what its files share.
 */
#ifndef HD_NODE_COMMAND_H
#define HD_NODE_COMMAND_H

#include <glib.h>

#include <hdNode.h>

#include "cli/options.h"

/** Exit status of a command line that is wrong, or when nothing could be done.
 */
#define NODE_FAILED 2
/** Exit status when some nodes have not answered. */
#define NODE_SOME 1

/** Subcommands: name, what runs it, and what it does. */
#define NODE_COMMANDS(X)                                            \
	X(advise, adviseRun, "Print nodes as lines of slurm.conf")  \
	X(collect, collectRun, "Query the status of many nodes")    \
	X(configure, configureRun, "Send a configuration to nodes") \
	X(explain, explainRun, "Explain the power of this node")    \
	X(rules, rulesRun, "Print alarms as Prometheus rules")

typedef int nodeRun(int argc, char **argv);
#define NODE_DECLARE(name, run, summary) nodeRun run;
NODE_COMMANDS(NODE_DECLARE)
#undef NODE_DECLARE

/** Which nodes are asked, and how: options that subcommands share. */
struct nodeAsk {
	char *nodes; /**< File with addresses. */
	/** What is recorded, with two files more of each node; or NULL. */
	char *project;
	char *token, *user, *ca, *fingerprint;
	gboolean isEncrypted;
	double timeout;
	size_t named; /**< Nodes that are not of the file: the first ones. */
};

/** The options of a struct nodeAsk, to be put into a table. */
#define NODE_ASK_OPTIONS(ask)                                                  \
	{ "nodes",                                                             \
	  'n',                                                                 \
	  0,                                                                   \
	  G_OPTION_ARG_FILENAME,                                               \
	  &(ask)->nodes,                                                       \
	  "Also query the nodes in FILE, one address per line",                \
	  "FILE" },                                                            \
		{ "timeout",                                                   \
		  0,                                                           \
		  0,                                                           \
		  G_OPTION_ARG_DOUBLE,                                         \
		  &(ask)->timeout,                                             \
		  "Timeout for answers in seconds (default: 5)",               \
		  "SECONDS" },                                                 \
		{ "token",                                                     \
		  0,                                                           \
		  0,                                                           \
		  G_OPTION_ARG_FILENAME,                                       \
		  &(ask)->token,                                               \
		  "Authenticate with a token from FILE",                       \
		  "FILE" },                                                    \
		{ "user",                                                      \
		  0,                                                           \
		  0,                                                           \
		  G_OPTION_ARG_STRING,                                         \
		  &(ask)->user,                                                \
		  "User of the token (default: the first in the file)",        \
		  "NAME" },                                                    \
		{ "tls",                                                       \
		  0,                                                           \
		  0,                                                           \
		  G_OPTION_ARG_NONE,                                           \
		  &(ask)->isEncrypted,                                         \
		  "Encrypt connections",                                       \
		  NULL },                                                      \
		{ "ca",       0,                                               \
		  0,          G_OPTION_ARG_FILENAME,                           \
		  &(ask)->ca, "Encrypt, and trust the authorities in FILE",    \
		  "FILE" },                                                    \
	{                                                                      \
		"fingerprint", 0, 0, G_OPTION_ARG_STRING, &(ask)->fingerprint, \
			"Encrypt, and trust only the certificate with this "   \
			"SHA-256 fingerprint",                                 \
			"HEX"                                                  \
	}

/**
 * Make a collector of the nodes that were named.
 *
 * @param argv Addresses from argv[1] on.
 *
 * @retval -1 Good.
 * @return An exit status; what is wrong was said.
 */
int nodeAskBegin(const struct cliCommand *command, struct nodeAsk *ask,
		 int argc, char **argv, hdNode_Collector **result);

/**
 * Add those nodes of the file that are new, and remove those that are there no
 * more; what is wrong with it is said once.
 */
void nodeAskAgain(const struct cliCommand *command, const struct nodeAsk *ask,
		  hdNode_Collector *collector);

/** Free options. */
void nodeAskClear(struct nodeAsk *ask);

#endif
