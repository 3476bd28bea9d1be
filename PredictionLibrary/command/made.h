/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Models that hdpredict makes of a few numbers: graphs and platforms.
 */
#ifndef HD_PREDICT_MADE_H
#define HD_PREDICT_MADE_H

#include <float.h>
#include <glib.h>

#include <hdPredict.h>

/** A task graph. */
struct generation {
	int kind; /**< Number of its name in generationKinds. */
	int tiles, tileSize, width, steps, inputs;
	gint64 seed;
	char *on; /**< PEs that tasks are mapped to, by commas; or NULL. */
};

/** What holds where nothing else is said. */
#define GENERATION_DEFAULT                                               \
	{                                                                \
		.tiles = 10, .tileSize = 1024, .width = 32, .steps = 10, \
		.inputs = 3, .seed = 1                                   \
	}

/** A platform; latencies in ns, energy in nJ. */
struct topology {
	int kind; /**< Number of its name in topologyKinds. */
	int nodes, pes, radix;
	char *architecture;       /**< Of PEs; NULL is "core". */
	double idlePower, memory; /**< Of a server, W and bytes. */
	double peakPower;         /**< 0: unknown. */
	double initLatency, packetSize, packetLatency, packetEnergy;
};

/** Nobody says what a server draws: there is a default, and it is marked. */
#define TOPOLOGY_IDLE_UNKNOWN (-DBL_MAX)

#define TOPOLOGY_DEFAULT                                                      \
	{                                                                     \
		.nodes = 16, .pes = 4, .radix = 16,                           \
		.idlePower = TOPOLOGY_IDLE_UNKNOWN, .memory = 64e9,           \
		.initLatency = 1000, .packetSize = 1500, .packetLatency = 120 \
	}

/** Names of kinds, NULL terminated. */
extern const char *const generationKinds[];
extern const char *const topologyKinds[];

/** The parameter that is wrong, and why; NULL: none. Free it with g_free(). */
char *generationWrong(const struct generation *self);
char *topologyWrong(const struct topology *self);

/** Make the graph; as hdP_generateCholesky(). */
int generationMake(const struct generation *self, hdPGraph **graph);

/** The platform as XML, to be freed. */
GString *topologyXml(const struct topology *self);

#endif
