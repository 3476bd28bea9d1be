/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a power service has: devices, their lines, and the values of these.
 */
#ifndef PT_REMOTELIST_H
#define PT_REMOTELIST_H

#include "PowerTracingLibrary/client/core/remote.h"

/** What a line measures. */
struct ptListedValue {
	char *name, *unit, *grouping, *source, *resolution;
	enum ptWireKind kind;
	bool isSimulated;
};

struct ptListedLine {
	unsigned int number; /**< That of pmlib's masks. */
	char *name, *node, *channel, *description;
	double voltage; /**< NaN for none. */
	bool isSummed;
	struct ptListedValue *values;
	size_t valueCount;
};

struct ptListedDevice {
	char *name, *driver, *description;
	int64_t intervalNs;
	bool isTimedByMeter, isUp;
	uint64_t readings, lost, errors, reconnects, late;
	int64_t lastNs; /**< End of the last reading, our clock; 0 for none. */
	struct ptListedLine *lines;
	size_t lineCount;
};

struct ptListed {
	struct ptListedDevice *devices;
	size_t count;
};

/**
 * Ask for all that the user may see.
 *
 * @return As of ptRemoteAnswer(), after a message.
 */
int ptRemoteList(struct ptRemote *remote, struct ptListed **result);

/** Free it; takes NULL. */
void ptListedFree(struct ptListed *listed);

/** Tell whether any line measures a node. */
bool ptListedHasNode(const struct ptListed *listed, const char *node);

/** Tell whether a node has a value. */
bool ptListedHasValue(const struct ptListed *listed, const char *node,
		      const char *value);

/** Name the nodes: "node06, node07". To be freed. */
char *ptListedNodes(const struct ptListed *listed);

/** Name the values of a node. To be freed. */
char *ptListedValues(const struct ptListed *listed, const char *node);

#endif
