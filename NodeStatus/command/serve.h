/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The daemon: what a node is asked for, from its options to its end.
 */
#ifndef HD_NODE_SERVE_H
#define HD_NODE_SERVE_H

#include "NodeStatus/command/hdnode.h"

/** Options of the daemon. */
struct serveOptions {
	char **listen; /**< NULL: the usual port of this host. */
	char *name, *config, *tokens, *certificate, *key, *power, *smartctl,
		*root;
	char **metricsFrom;
	double interval;                     /**< Seconds; 0: as configured. */
	gboolean isQuiet, isVerbose, isOpen; /**< No sandbox. */
};

/** Serve until a signal comes; the exit status. */
int serveRun(const struct serveOptions *options);

#endif
