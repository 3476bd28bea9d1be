/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bridges that messages share, max-min fair; see simulate.h.
 *
 * All rates grow alike until a bridge is full; those that pass it stay there,
 * and the others go on. Each time that a message begins or ends, all rates are
 * computed anew: this is a cross-check of the exclusive rule, not its equal in
 * speed.
 */
#include "config.h"

#include <math.h>

#include "PredictionLibrary/simulation/simulate.h"

/* Seconds of a bridge that a byte takes. */
static double simShareCostOf(const struct hdPredictSim *sim,
			     const struct hdPredictFlow *flow, uint32_t number)
{
	const struct hdPredictEdgeOf *edge = &sim->platform->edges[number];

	return hdPredictPackets(edge, flow->parcel.size) * edge->latency / 1e9 /
	       flow->parcel.size;
}

/* The bridge that is full first; its rate, or NONE. */
static uint32_t fullest(const struct hdPredictSim *sim, double *rate)
{
	uint32_t best = HD_PREDICT_NONE;

	for (uint32_t e = 0; e < sim->platform->edgeCount; e++) {
		if (sim->load[e] <= 0)
			continue;
		if (best == HD_PREDICT_NONE ||
		    sim->room[e] / sim->load[e] < *rate) {
			best = e;
			*rate = sim->room[e] / sim->load[e];
		}
	}
	return best;
}

static void simShareAddLoads(struct hdPredictSim *sim)
{
	for (uint32_t e = 0; e < sim->platform->edgeCount; e++)
		sim->load[e] = 0;
	for (size_t f = 0; f < sim->flowCount; f++) {
		const struct hdPredictFlow *flow = &sim->flows[f];

		if (!flow->isOpen || flow->latest >= 0)
			continue;
		for (uint32_t i = 0; i < flow->length; i++) {
			uint32_t e = flow->path[i];

			sim->load[e] += simShareCostOf(sim, flow, e);
		}
	}
}

static void setRates(struct hdPredictSim *sim, uint32_t full, double rate)
{
	for (size_t f = 0; f < sim->flowCount; f++) {
		struct hdPredictFlow *flow = &sim->flows[f];
		bool passes = false;

		if (!flow->isOpen || flow->latest >= 0)
			continue;
		for (uint32_t i = 0; i < flow->length; i++)
			passes =
				passes || (flow->path[i] == full &&
					   simShareCostOf(sim, flow, full) > 0);
		if (!passes)
			continue;
		flow->latest = rate;
		for (uint32_t i = 0; i < flow->length; i++) {
			uint32_t e = flow->path[i];

			sim->room[e] -= simShareCostOf(sim, flow, e) * rate;
			if (sim->room[e] < 0)
				sim->room[e] = 0;
		}
	}
}

void hdPredictShare(struct hdPredictSim *sim)
{
	double rate = 0;
	uint32_t full;

	if (!sim->isShareStale)
		return;
	sim->isShareStale = false;
	for (uint32_t e = 0; e < sim->platform->edgeCount; e++)
		sim->room[e] = 1;
	for (size_t f = 0; f < sim->flowCount; f++)
		sim->flows[f].latest = -1;
	for (simShareAddLoads(sim);
	     (full = fullest(sim, &rate)) != HD_PREDICT_NONE;
	     simShareAddLoads(sim))
		setRates(sim, full, rate);
	for (uint32_t f = 0; f < sim->flowCount; f++) {
		struct hdPredictFlow *flow = &sim->flows[f];

		if (!flow->isOpen ||
		    (flow->latest == flow->rate && flow->latest > 0))
			continue;
		/* What a byte costs is infinite. */
		if (!(flow->latest > 0)) {
			hdPredictBeyond(sim, "time");
			return;
		}
		flow->left -= (sim->now - flow->last) * flow->rate;
		flow->rate = flow->latest;
		flow->last = sim->now;
		hdPredictEventsSet(&sim->events, sim->platform->peCount + f,
				   sim->now + fmax(0, flow->left) / flow->rate);
	}
}
