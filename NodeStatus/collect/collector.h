/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is in a collector.
 */
#ifndef HD_NODE_COLLECTOR_H
#define HD_NODE_COLLECTOR_H

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

/** Get all as JSON; a new reference. */
json_t *hdNodeDocument(hdNode_Collector *collector, unsigned int sections);

#endif
