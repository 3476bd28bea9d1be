/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Volume files of a trial.
 */
#ifndef HD_GLUSTER_GRAPH_H
#define HD_GLUSTER_GRAPH_H

#include "GlusterFSTracing/command/trial.h"

/**
 * Write the file of a brick: storage, locks, threads, server.
 *
 * @param number From 1.
 * @param volumeId A UUID, which the brick's directory has as an attribute.
 * @param port Where it listens, on loopback.
 *
 * @return The text.
 */
char *graphOfBrick(const struct trial *trial, int number, const char *volumeId,
		   int port);

/** Write the file of a client: connections, distribute, shard. */
char *graphOfClient(const struct trial *trial, const int *ports);

#endif
