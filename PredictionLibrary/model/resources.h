/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A resource model in memory.
 */
#ifndef HD_PREDICT_RESOURCES_H
#define HD_PREDICT_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdPredict.h>
#include "PredictionLibrary/model/io.h"
#include "PredictionLibrary/model/names.h"
#include "PredictionLibrary/model/report.h"

/** That a variable has a value. */
struct hdPredictCondition {
	uint32_t entry, variable;
	double value;
};

/** What a kernel costs on an architecture. */
struct hdPredictEntry {
	uint32_t kernel, architecture;
	double time, energy, timeSpread, energySpread;
	uint32_t conditions, conditionCount; /**< Once it is finished. */
	uint32_t pes;                        /**< On so many PEs. */
	uint32_t first; /**< Entry whose conditions it has: its own, or those of
			 *   the first count of its element. */
	int64_t line;
};

/** Most PEs of an entry. */
#define HD_PREDICT_PES_MAX 100000

/** By how much a kernel is slower. */
struct hdPredictSlowdown {
	uint32_t kernel, architecture; /**< The kernel may be a class. */
	size_t loads;                  /**< In the loads of all. */
	uint32_t loadCount;            /**< Names in it. */
	uint32_t count;                /**< PEs that run them. */
	double factor;
	int64_t line;
};

/** What one access to a file costs. */
struct hdPredictIoCosts {
	uint32_t architecture;
	hdPAccess access;
	double size, time, energy;
};

/** A resource model. */
struct hdPResources {
	bool isFinished;
	char *file;
	struct hdPredictNames kernels; /**< And classes. */
	struct hdPredictNames architectures;
	struct hdPredictNames variables;
	struct hdPredictEntry *entries;
	size_t entryCount, entryRoom;
	struct hdPredictCondition *conditions; /**< By entry, once finished. */
	size_t conditionCount, conditionRoom;
	struct hdPredictSlowdown *slowdowns;
	size_t slowdownCount, slowdownRoom;
	uint32_t *loads;
	size_t loadCount, loadRoom;
	struct hdPredictIoCosts *ios;
	size_t ioCount, ioRoom;
};

/** Say that accesses to files cost nothing on an architecture; 0 or negative
 *  errno. */
int hdPredictIoFree(hdPResources *resources, const char *architecture);

/** Check a resource model, and get it ready; as hdP_finishResources(). */
int hdPredictResourcesSeal(hdPResources *resources,
			   struct hdPredictReport *report);

#endif
