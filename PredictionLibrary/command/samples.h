/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Samples of a simulation, and which of two models is better.
 */
#ifndef HD_PREDICT_SAMPLES_H
#define HD_PREDICT_SAMPLES_H

#include "PredictionLibrary/command/hdpredict.h"

/** Models of a simulation. */
struct predictModels {
	hdPGraph *graph;
	hdPPlatform *platform;
	hdPResources *resources;
};

/** What was sampled; all zero is nothing. */
struct samples {
	size_t count;
	uint64_t seed;
	hdPTotals *own;
	hdPTotals *other;    /**< Of what it is compared with, or NULL. */
	const char *against; /**< Its name. */
};

/**
 * Take the samples.
 *
 * @param[in,out] samples Count, seed, and what is compared with are set.
 * @param other Models that it is compared with, or NULL.
 * @return Exit status.
 */
int samplesTake(struct predict *predict, struct samples *samples,
		const hdPOptions *options, const struct predictModels *models,
		const struct predictModels *other);

/** Free what is in it. */
void samplesFree(struct samples *samples);

/** Add them to JSON, or print them; nothing if there are none. */
void samplesJson(const struct samples *samples, struct outJson *json);
void samplesText(const struct samples *samples);

#endif
