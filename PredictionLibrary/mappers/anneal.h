/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A state of annealing (anneal.c), and the steps to other states.
 */
#ifndef HD_PREDICT_ANNEAL_H
#define HD_PREDICT_ANNEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "PredictionLibrary/mappers/estimate.h"
#include "PredictionLibrary/mappers/mappers.h"
#include "PredictionLibrary/mapping/mapping.h"
#include "PredictionLibrary/simulation/simulate.h"

struct hdPredictAnnealing {
	const struct hdPredictMapping *mapping;
	const hdPGraph *graph;
	const hdPPlatform *platform;
	struct hdPredictBase base;
	struct hdPredictSim *sim;
	uint32_t *pe;       /* Place of each task: a PE, or a set of them. */
	uint32_t *sequence; /* Tasks in their order. */
	uint32_t *place;    /* Of each task in it. */
	uint32_t *movable;  /* Tasks that may go to another PE. */
	uint32_t movableCount;
	uint32_t *bestPe, *bestSequence;
	struct hdPredictSets *sets; /* Of places: those of the plan. */
	uint32_t *drawn; /* PEs of a domain; NULL: each task has one PE. */
	uint64_t draws;
	double cost, best; /* For the search; of the best state. */
	/* Of the state whose cost was found last: its cost without a limit, and
	 * how far it is beyond, as a part of that. */
	double unlimited, beyond;
	/* What the search pays for that, as a multiple of the first cost; 0: it
	 * does not pass the limit. */
	double slope;
	double scale; /* Cost of the first state that can run. */
	bool hasScale;
	int64_t startNs;
	struct hdPredictEstimate *estimate; /* Of large graphs. */
	double ratio; /* Simulated time by its estimate. */
};

/** What a step changed, to be undone. */
struct hdPredictAnnealMove {
	uint32_t task, pe, place;
};

/** A random number below a limit. */
uint32_t hdPredictAnnealDraw(struct hdPredictAnnealing *self, uint32_t limit);

/** Another place where a task can run; its own: there is none. */
uint32_t hdPredictAnnealPlace(struct hdPredictAnnealing *self, uint32_t task);

/** Make a step. */
struct hdPredictAnnealMove hdPredictAnnealStep(struct hdPredictAnnealing *self);

/** Take it back. */
void hdPredictAnnealUndo(struct hdPredictAnnealing *self,
			 const struct hdPredictAnnealMove *move);

#endif
