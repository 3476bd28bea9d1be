/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps from one state of annealing to another; see anneal.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mappers/anneal.h"
#include "PredictionLibrary/model/chance.h"

/* A domain of so many PEs has few sets. */
#define DOMAIN_SMALL 12

uint32_t hdPredictAnnealDraw(struct hdPredictAnnealing *self, uint32_t limit)
{
	return hdPredictDraw(self->mapping->options->seed, self->draws++,
			     limit);
}

/* A task goes to another place in the order; others move by one. */
static void annealShift(struct hdPredictAnnealing *self, uint32_t from,
			uint32_t to)
{
	uint32_t task = self->sequence[from];

	for (; from < to; from++) {
		self->sequence[from] = self->sequence[from + 1];
		self->place[self->sequence[from]] = from;
	}
	for (; from > to; from--) {
		self->sequence[from] = self->sequence[from - 1];
		self->place[self->sequence[from]] = from;
	}
	self->sequence[to] = task;
	self->place[task] = to;
}

/* Places that a task may have: after what it needs, before what needs it. */
static void annealBounds(const struct hdPredictAnnealing *self, uint32_t task,
			 uint32_t *low, uint32_t *high)
{
	const hdPGraph *graph = self->graph;
	const uint32_t *turns;
	uint32_t count;

	*low = 0;
	*high = graph->taskCount - 1;
	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t at =
			self->place[hdPredictProducer(graph, graph->source[j])];

		*low = at >= *low ? at + 1 : *low;
	}
	turns = hdPredictTurnsBefore(self->mapping, task, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = self->place[self->mapping->turns[turns[i]].task];

		*low = at >= *low ? at + 1 : *low;
	}
	for (uint32_t c = graph->consumer[graph->output[task]];
	     c < graph->consumer[graph->output[task + 1]]; c++) {
		uint32_t at = self->place[graph->consumerTask[c]];

		*high = at <= *high ? at - 1 : *high;
	}
	turns = hdPredictTurnsAfter(self->mapping, task, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = self->place[self->mapping->turns[turns[i]].next];

		*high = at <= *high ? at - 1 : *high;
	}
}

/* Draw a set of the domain of a PE: it, and others. A domain of many PEs has
 * too many sets to keep; there they are those that follow in it. NONE: no
 * memory. */
static uint32_t annealDrawSet(struct hdPredictAnnealing *self, uint32_t pe,
			      uint32_t count)
{
	const struct hdPredictMapping *mapping = self->mapping;
	uint32_t domain = self->platform->pes[pe].domain, place = 0, result;
	const uint32_t *pes = mapping->domainPes + mapping->domainFirst[domain];
	uint32_t n = hdPredictDomainSize(mapping, domain);

	while (pes[place] != pe)
		place++;
	for (uint32_t i = 0; i < n; i++)
		self->drawn[i] = pes[(place + i) % n];
	for (uint32_t i = 1; i < count && n <= DOMAIN_SMALL; i++) {
		uint32_t other = i + hdPredictAnnealDraw(self, n - i);
		uint32_t swapped = self->drawn[other];

		self->drawn[other] = self->drawn[i];
		self->drawn[i] = swapped;
	}
	return hdPredictSetsAdd(self->sets, self->platform, self->drawn, count,
				&result) < 0
		       ? HD_PREDICT_NONE
		       : result;
}

/* Another place where a task can run, of which a PE is drawn, and then how
 * many; its own: there is none. */
static uint32_t annealOtherSet(struct hdPredictAnnealing *self, uint32_t task)
{
	const struct hdPredictMapping *mapping = self->mapping;
	uint32_t start = hdPredictAnnealDraw(self, mapping->usableCount), sizes;
	const uint32_t *counts = hdPredictCostsCounts(self->base.costs, &sizes);

	for (uint32_t i = 0; i < mapping->usableCount; i++) {
		uint32_t pe =
			mapping->usable[(start + i) % mapping->usableCount];
		const struct hdPredictPe *about = &self->platform->pes[pe];
		uint32_t n = hdPredictDomainSize(mapping, about->domain);
		uint32_t first = hdPredictAnnealDraw(self, sizes + 1);

		for (uint32_t k = 0; k <= sizes; k++) {
			uint32_t at = (first + k) % (sizes + 1);
			uint32_t count = at ? counts[at - 1] : 1, place;

			if (count > n ||
			    !hdPredictIsEntry(hdPredictCostsFind(
				    self->base.costs, self->graph->config[task],
				    about->architecture, count)))
				continue;
			place = annealDrawSet(self, pe, count);
			if (place != self->pe[task] && place != HD_PREDICT_NONE)
				return place;
		}
	}
	return self->pe[task];
}

uint32_t hdPredictAnnealPlace(struct hdPredictAnnealing *self, uint32_t task)
{
	const struct hdPredictMapping *mapping = self->mapping;
	uint32_t start;

	if (self->drawn)
		return annealOtherSet(self, task);
	start = hdPredictAnnealDraw(self, mapping->usableCount);
	for (uint32_t i = 0; i < mapping->usableCount; i++) {
		uint32_t pe =
			mapping->usable[(start + i) % mapping->usableCount];

		if (pe != self->pe[task] &&
		    hdPredictIsEntry(hdPredictCostsFind(
			    self->base.costs, self->graph->config[task],
			    self->platform->pes[pe].architecture, 1)))
			return pe;
	}
	return self->pe[task];
}

struct hdPredictAnnealMove hdPredictAnnealStep(struct hdPredictAnnealing *self)
{
	uint32_t kind = hdPredictAnnealDraw(self, 3), low, high;
	uint32_t task = hdPredictAnnealDraw(self, self->graph->taskCount);
	struct hdPredictAnnealMove move;

	if (kind < 2 && self->movableCount)
		task = self->movable[hdPredictAnnealDraw(self,
							 self->movableCount)];
	move = (struct hdPredictAnnealMove){ task, self->pe[task],
					     self->place[task] };
	if (kind < 2 && self->movableCount)
		self->pe[task] = hdPredictAnnealPlace(self, task);
	if (kind > 0) {
		annealBounds(self, task, &low, &high);
		annealShift(self, self->place[task],
			    low + hdPredictAnnealDraw(self, high - low + 1));
	}
	return move;
}

void hdPredictAnnealUndo(struct hdPredictAnnealing *self,
			 const struct hdPredictAnnealMove *move)
{
	self->pe[move->task] = move->pe;
	annealShift(self, self->place[move->task], move->place);
}
