/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is in a collector.
 */
#ifndef HD_NODE_COLLECTOR_H
#define HD_NODE_COLLECTOR_H

#include <stdio.h>

#include "NodeStatus/collect/peer.h"

struct hdNode_Collector {
	struct nodeShared shared;
	struct nodePeer **peers;
	size_t count, size;
	int64_t timeoutNs;
	char *user;
	int64_t pulledWall; /**< When the last pull began. */
	int64_t tookNs;     /**< How long it took. */
};

/** Get the word of a state. */
const char *hdNodeStateWord(enum hdNode_State state);

/**
 * Write all as JSON, node by node: there are trees of one node at a time.
 *
 * @param isFlat On one line.
 *
 * @return Whether that was possible; errors of the file are not looked at.
 */
bool hdNodeDocument(hdNode_Collector *collector, unsigned int sections,
		    bool isFlat, FILE *file);

#endif
