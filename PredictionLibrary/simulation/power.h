/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power of servers over time, without what they draw when idle.
 */
#ifndef HD_PREDICT_POWER_H
#define HD_PREDICT_POWER_H

#include "PredictionLibrary/simulation/simulate.h"

/** The power of a server changes: a task or a message begins or ends. */
struct hdPredictChange {
	double at;
	double power; /**< By which. */
	uint32_t server;
	uint32_t task; /**< Of a message, the one that it is from. */
	bool isMessage;
};

struct hdPredictChanges {
	struct hdPredictChange *list;
	size_t count, room;
	bool isShort; /**< Of memory. */
};

/**
 * Get all changes of a result that kept transfers, in no order. The energy of a
 * task is spread over its run by the profile of its kernel, that of packets
 * over their message. What takes no time has no power.
 *
 * @param[out] changes Its list is to be freed.
 * @return 0 or -ENOMEM.
 */
int hdPredictChangesOf(const hdPResult *result,
		       struct hdPredictChanges *changes);

/** Server that a bridge is in, or NONE. */
uint32_t hdPredictBridgeServer(const hdPPlatform *platform, uint32_t edge);

#endif
