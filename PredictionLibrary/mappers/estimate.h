/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Estimate of the time and energy of a mapping, updated when one task moves.
 *
 * The time is that of the busiest PE or link, and a part of the mean, so it
 * ignores the order of tasks. The dynamic energy is exact without samples.
 */
#ifndef HD_PREDICT_ESTIMATE_H
#define HD_PREDICT_ESTIMATE_H

#include "PredictionLibrary/simulation/simulate.h"

struct hdPredictEstimate;

/** Create an estimate without tasks; NULL: no memory. @p sets are those of
 *  places. */
struct hdPredictEstimate *hdPredictEstimateNew(const struct hdPredictBase *base,
					       const struct hdPredictSets *sets,
					       const hdPOptions *options);

/** Free it; NULL does nothing. */
void hdPredictEstimateFree(struct hdPredictEstimate *self);

/** Put all tasks in places, in an array that stays and that moves change. */
void hdPredictEstimatePlace(struct hdPredictEstimate *self, uint32_t *places);

/** Move a task to a place that can run it. */
void hdPredictEstimateMove(struct hdPredictEstimate *self, uint32_t task,
			   uint32_t place);

/** Estimated time in s. */
double hdPredictEstimateTime(const struct hdPredictEstimate *self);

/** Energy in J, if the mapping takes this time. */
double hdPredictEstimateEnergy(const struct hdPredictEstimate *self,
			       double time);

/** Whether memory was short, so that messages are missing. */
bool hdPredictEstimateIsShort(const struct hdPredictEstimate *self);

#endif
