/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Channels of a load: the workers that are measured and controlled together.
 */
#ifndef HD_LOAD_CHANNELS_H
#define HD_LOAD_CHANNELS_H

#include <stdbool.h>

#include "LoadLevels/control/controller.h"
#include "LoadLevels/control/meter.h"
#include "LoadLevels/control/worker.h"

/** What is controlled together: a CPU, the node, or all workers of a
 *  component. */
struct levelChannel {
	const struct hdLoadKind *kind;
	struct hdLoadWorker *workers;
	size_t workerCount;
	size_t cpu; /**< Index of the first one, of HD_LOAD_BUSY. */
	struct hdLoadController controller;
	double maximum; /**< Amount per second, or held, at 100 %. */
	double maximumOperations;
	bool isCounted; /**< By the counter of the system. */
	/** Of the last tick. */
	int64_t lastCpuNs;
	int64_t lastAmount;
	/** Sums over the mean of the level, in s. */
	double all;
	double own;
	double steal;
	/** Of calibrations but the first. */
	double calibratedS;
	double calibratedOwn;
	double calibratedCounter;
	double calibratedOperations;
};

/** A load that runs. */
struct levelRun {
	const struct hdLevelJob *job;
	struct hdLoadCrew crew;
	struct hdLoadMeter *meter;
	struct hdLoadWorker *workers;
	size_t workerCount;
	struct levelChannel *channels;
	size_t channelCount;
	double seconds; /**< Of the mean of the level. */
	size_t calibrations;
	int64_t lastNs;
	int64_t checkedNs;
	int64_t throttled;
	enum hdLevelEnd end;
};

/** Open the workers of all components. @param[out] failed The component that
 *  cannot be used, or NULL. @return 0 or negative errno. */
int hdLevelOpenWorkers(struct levelRun *run, const struct hdLoadKind **failed);

/** Close and free the workers. */
void hdLevelCloseWorkers(struct levelRun *run);

/** Give each worker its part of the maximum. */
void hdLevelTellMaximum(const struct levelChannel *channel);

/** Operations that a channel did in a phase. */
int64_t hdLevelOperations(const struct levelChannel *channel, size_t phase);

/** Take a measurement of a channel, and control it; @p isCounted: it belongs to
 *  the mean of the level. */
void hdLevelTickChannel(struct levelRun *run, struct levelChannel *channel,
			size_t phase, bool isCounted);

/** End a calibration of some length: 100 % is known now. */
void hdLevelEndCalibration(struct levelRun *run, size_t phase, double seconds);

#endif
