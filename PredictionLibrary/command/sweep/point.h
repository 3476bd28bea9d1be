/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A point of a sweep: what its values mean, and what is predicted of them.
 */
#ifndef HD_PREDICT_POINT_H
#define HD_PREDICT_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "PredictionLibrary/command/made.h"
#include "PredictionLibrary/command/sweep/design.h"

/** What is predicted; energies in J, times in s. */
enum pointValue {
	POINT_TASKS,
	POINT_TIME,
	POINT_TOTAL, /**< Energy of all. */
	POINT_DYNAMIC,
	POINT_COMPUTATION,
	POINT_COMMUNICATION,
	POINT_IDLE,
	POINT_MESSAGES,
	POINT_BYTES,
	POINT_PEAK,      /**< Power of all servers together, W. */
	POINT_MEMORY,    /**< Most that a server needs, bytes. */
	POINT_PENDING,   /**< Most messages that a server has to send. */
	POINT_ASSUMED,   /**< 1: energies have an assumed idle power. */
	POINT_TIME_LOW,  /**< 5 % of the samples have less; NaN: no samples. */
	POINT_TIME_HIGH, /**< 95 %. */
	POINT_ENERGY_LOW,
	POINT_ENERGY_HIGH,
	POINT_VALUES
};

/** Models, and how they are simulated. Texts belong to the design. */
struct setting {
	const char *graph; /**< File, or NULL: it is generated. */
	struct generation generation;
	int matrix;           /**< Rows; 0: tileSize says it. */
	const char *platform; /**< Likewise. */
	struct topology topology;
	const char *resources;
	double clock, links; /**< How much faster kernels and links are. */
	double energy;       /**< That of kernels is multiplied by it. */
	int map, slowdown, comm, off;
	const char *use, *cost, *nodes;
	int mapSteps, ignoresMap;
	gint64 mapSeed;
	hdPMapping mapping; /**< All that says how tasks are mapped. */
	const char *run;    /**< A project that is replayed, or NULL. */
	double cpu, bandwidth, latency; /**< Factors of its platform. */
	const char *ranks;              /**< Hosts of its ranks. */
	int waiting;
	const char *powerModel;          /**< Of its hosts; NULL: watts. */
	bool hasGeneration, hasTopology; /**< A number of it was given. */
	bool hasModel, hasReplay;        /**< Likewise. */
};

/** What all points have in common. */
struct sampling {
	uint64_t count; /**< 0: no samples. */
	uint64_t seed;
};

/**
 * Find out what the values of a point mean.
 *
 * @param base What holds without them.
 * @return NULL, or what is wrong, to be freed.
 */
char *settingOf(const struct design *design, size_t point,
		const struct setting *base, struct setting *setting);

/** Start with what holds where nothing is said. */
void settingInit(struct setting *setting);

/** Take a graph: the kind of one, or a file. */
void settingGraph(struct setting *setting, const char *graph);

/** Whether the value of a parameter is the name of a file. */
bool settingIsFile(const char *name);

/** Append the names of all parameters. */
void settingNames(GString *out);

/** pointRun() of a replay. */
int replayPointRun(const struct setting *setting, double values[POINT_VALUES],
		   char **wrong);

/**
 * Predict; any thread.
 *
 * @param[out] wrong Why this cannot be predicted, to be freed; then no value is
 *        known. It stays as it is where it can.
 * @return 0, or a negative errno: it was not found out.
 */
int pointRun(const struct setting *setting, const struct sampling *sampling,
	     double values[POINT_VALUES], char **wrong);

#endif
