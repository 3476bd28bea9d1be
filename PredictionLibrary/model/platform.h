/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A platform in memory: the tree of nodes, what is in them, and who can send to
 * whom.
 */
#ifndef HD_PREDICT_PLATFORM_H
#define HD_PREDICT_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdPredict.h>
#include "PredictionLibrary/model/names.h"
#include "PredictionLibrary/model/report.h"

/** What a server does when its memory is full. */
enum hdPredictFull {
	HD_PREDICT_FULL_NOTED, /**< It is noted. */
	HD_PREDICT_FULL_FAIL,  /**< The simulation fails. */
	HD_PREDICT_FULL_DELAY, /**< Tasks and messages wait. */
};

/** What an end point of links is. */
enum hdPredictEndKind {
	HD_PREDICT_CHANNEL,
	HD_PREDICT_MEMORY,
	HD_PREDICT_PE,
};

/** An architecture of nodes or bridges. */
struct hdPredictArchitecture {
	uint32_t name;
	bool isBridge;
	bool hasIdle; /**< Its idle power is not assumed. */
	double idlePower, peakPower;
	double initLatency, packetSize, packetLatency, packetEnergy;
};

/** A node of the hierarchy. */
struct hdPredictNode {
	uint32_t name, parent, server;
	uint32_t architecture; /**< Name, or NONE. */
	int64_t line;
};

/** A channel, memory or PE. */
struct hdPredictEnd {
	uint32_t name, node;
	uint32_t architecture; /**< Name, or NONE. */
	enum hdPredictEndKind kind;
	double size;
	enum hdPredictFull full;
	int64_t line;
};

/** A bridge as it was declared. */
struct hdPredictBridge {
	uint32_t name, node, architecture;
	int64_t line;
	uint32_t links; /**< How many name it. */
	uint32_t first; /**< Its links: two of them. */
	uint32_t second;
};

/** That an end point names a bridge. */
struct hdPredictLink {
	uint32_t end, bridge; /**< The bridge is a name. */
	bool isOut, isIn;     /**< As seen from the end point. */
	int64_t line;
};

/** A bridge in one direction. */
struct hdPredictEdgeOf {
	uint32_t from, to; /**< End points. */
	uint32_t bridge;
	double init, size, latency, energy; /**< ns, bytes, ns, nJ. */
};

/** A processing element. */
struct hdPredictPe {
	uint32_t end, server, domain;
	uint32_t architecture; /**< In peArchitectures. */
};

/** A cluster server. */
struct hdPredictServer {
	uint32_t node, memory;
	double idlePower, peakPower, size;
	bool hasIdle;
	bool isOff; /**< hdP_selectServers() left it out. */
	enum hdPredictFull full;
};

/** A platform. */
struct hdPPlatform {
	bool isFinished;
	char *file;
	struct hdPredictNames names; /**< Of elements. */
	uint8_t *isTaken;            /**< By name: has an element. */
	size_t takenRoom;
	struct hdPredictNames architectureNames; /**< Of all kinds. */
	uint32_t *architectureOf;                /**< By name; or NONE. */
	size_t architectureOfRoom;
	struct hdPredictArchitecture *architectures;
	size_t architectureCount, architectureRoom;
	struct hdPredictNode *nodes;
	size_t nodeCount, nodeRoom;
	struct hdPredictEnd *ends;
	size_t endCount, endRoom;
	struct hdPredictBridge *bridges;
	size_t bridgeCount, bridgeRoom;
	uint32_t *bridgeOf; /**< By name; or NONE. */
	struct hdPredictLink *links;
	size_t linkCount, linkRoom;

	/* What follows is there once it is finished. */
	struct hdPredictPe *pes;
	uint32_t peCount, serverCount, domainCount, edgeCount;
	struct hdPredictServer *servers;
	struct hdPredictEdgeOf *edges;
	uint32_t *edgeFrom;  /**< First in edgeOrder of an end, and the end. */
	uint32_t *edgeOrder; /**< Edges by where they begin. */
	struct hdPredictNames peArchitectures;
	char **peIds;
	char **serverIds;
	char **bridgeIds;              /**< Of edges. */
	struct hdPredictNames peNames; /**< Numbers are those of PEs. */
};

/** Note a name of an element; -EEXIST: it is taken. */
int hdPredictPlatformName(hdPPlatform *platform, const char *id, size_t length,
			  uint32_t *name);

/** Add a bridge without links; 0 or negative errno. */
int hdPredictBridgeAdd(hdPPlatform *platform, uint32_t node, const char *id,
		       size_t length, const char *architecture,
		       size_t architectureLength, int64_t line);

/** Add a link. */
int hdPredictLinkAdd(hdPPlatform *platform, uint32_t end, const char *bridge,
		     size_t length, bool isOut, bool isIn, int64_t line);

/** Number of the name of an architecture, which may come later. */
int hdPredictArchitectureName(hdPPlatform *platform, const char *id,
			      size_t length, uint32_t *name);

/** Add an architecture; -EEXIST. */
int hdPredictArchitectureAdd(hdPPlatform *platform, const char *id,
			     size_t length,
			     struct hdPredictArchitecture *architecture);

/** Check a platform, and get it ready; as hdP_finishPlatform(). */
int hdPredictPlatformSeal(hdPPlatform *platform,
			  struct hdPredictReport *report);

/** Resolve bridges and their directions; 0 or -ENOMEM. */
int hdPredictEdgesResolve(hdPPlatform *platform,
			  struct hdPredictReport *report);

/** Report what cannot be reached; 0 or -ENOMEM. */
int hdPredictConnected(const hdPPlatform *platform,
		       struct hdPredictReport *report);

/** Whether a name matches one of the patterns, separated by commas; NULL: all.
 */
bool hdPredictMatches(const char *pattern, const char *id);

/** Copy of a name, to be freed; NULL: no memory. */
char *hdPredictNameCopy(const struct hdPredictNames *names, uint32_t name);

#endif
