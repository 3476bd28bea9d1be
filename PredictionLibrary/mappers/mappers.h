/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Ways to find a mapping: hdP_mapAs() begins with one task after the other, and
 * anneals what came of it.
 */
#ifndef HD_PREDICT_MAPPERS_H
#define HD_PREDICT_MAPPERS_H

#include "PredictionLibrary/mapping/sets.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/platform.h"

/** A task that comes next after another one on a PE. */
struct hdPredictTurn {
	uint32_t task, next;
};

/** A mapping that is made. */
struct hdPredictMapping {
	hdPGraph *graph;
	const hdPPlatform *platform;
	const hdPResources *resources;
	const hdPMapping *options;
	struct hdPredictReport *report;
	uint32_t *usable; /**< PEs. */
	uint32_t usableCount;
	uint32_t *domainPes;   /**< Usable PEs by domain; NULL: each task has
				*   one PE. */
	uint32_t *domainFirst; /**< And the end. */
	struct hdPredictSets sets; /**< Of places. */
	uint32_t *fixed;  /**< Place of each task that may not move; NONE. */
	uint32_t *server; /**< That each task has to run on; NONE. NULL: any. */
	struct hdPredictTurn *turns; /**< Of tasks that keep their order. */
	size_t turnCount, turnRoom;
	uint32_t *turnsFrom, *turnsFromFirst; /**< By task, and the end. */
	uint32_t *turnsTo, *turnsToFirst;     /**< By the next task. */
	uint32_t
		*sequence; /**< Tasks in the order in which they were mapped. */
	/** PE of each task, if those that are not fixed had one PE each; NULL:
	 *  they have, or some cannot. */
	uint32_t *single;
};

/** PEs of a place, ascending. */
static inline const uint32_t *hdPredictMappingPes(
	const struct hdPredictMapping *mapping, const uint32_t *place,
	uint32_t *count)
{
	return hdPredictSetsPes(&mapping->sets, mapping->platform, place,
				count);
}

/** Server of a place. */
static inline uint32_t hdPredictMappingServer(
	const struct hdPredictMapping *mapping, uint32_t place)
{
	uint32_t count;

	return mapping->platform
		->pes[*hdPredictMappingPes(mapping, &place, &count)]
		.server;
}

struct hdPredictCosts;

/** Group the usable PEs by domain, if any task may have several; 0 or
 *  -ENOMEM. */
int hdPredictGroupDomains(struct hdPredictMapping *mapping,
			  const struct hdPredictCosts *costs);

/** Find the tasks that may not be moved: those with pins and, if options say
 * so, with a mapping, which keep their order, too. 0, -ENOMEM, or -EINVAL:
 *  reported. */
int hdPredictFix(struct hdPredictMapping *mapping);

/** Map a task of the graph to a place of some sets; 0 or negative errno. */
int hdPredictMappingSet(const struct hdPredictMapping *mapping,
			const struct hdPredictSets *sets, uint32_t task,
			uint32_t place, int64_t priority);

/** Usable PEs of a domain. */
static inline uint32_t hdPredictDomainSize(
	const struct hdPredictMapping *mapping, uint32_t domain)
{
	return mapping->domainFirst[domain + 1] - mapping->domainFirst[domain];
}

/** Turns after a task, as numbers, and how many. */
static inline const uint32_t *hdPredictTurnsAfter(
	const struct hdPredictMapping *mapping, uint32_t task, uint32_t *count)
{
	*count = 0;
	if (!mapping->turnCount)
		return NULL;
	*count = mapping->turnsFromFirst[task + 1] -
		 mapping->turnsFromFirst[task];
	return mapping->turnsFrom + mapping->turnsFromFirst[task];
}

/** Turns before a task, likewise. */
static inline const uint32_t *hdPredictTurnsBefore(
	const struct hdPredictMapping *mapping, uint32_t task, uint32_t *count)
{
	*count = 0;
	if (!mapping->turnCount)
		return NULL;
	*count = mapping->turnsToFirst[task + 1] - mapping->turnsToFirst[task];
	return mapping->turnsTo + mapping->turnsToFirst[task];
}

/**
 * Read the partition that options name, and let tasks that are not fixed run
 * only on the node or PE of their part.
 *
 * @retval -EINVAL The file is wrong; reported with its name.
 * @return 0, or another negative errno value: it cannot be read.
 */
int hdPredictPartition(struct hdPredictMapping *mapping);

/** Anneal a mapping that was made; 0 or negative errno. */
int hdPredictAnneal(const struct hdPredictMapping *mapping);

#endif
