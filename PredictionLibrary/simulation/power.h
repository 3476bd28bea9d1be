/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power of servers: when idle, and what comes to that over time.
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

/** All of them, by server, then by time. */
struct hdPredictChanges {
	struct hdPredictChange *list;
	size_t count, room;
	size_t *first; /**< Of each server in the list, and the end. */
	bool isShort;  /**< Of memory. */
};

/**
 * All changes of a result that kept transfers, which keeps them from the first
 * time on that they are asked for. The energy of a task is spread over its run
 * by the profile of its kernel, that of packets over their message. What takes
 * no time has no power.
 *
 * @return The changes, of the result; NULL: no memory.
 */
const struct hdPredictChanges *hdPredictChangesOf(const hdPResult *result);

/** Free them; NULL does nothing. */
void hdPredictChangesFree(struct hdPredictChanges *changes);

/** Idle power of a server, in W: none if what runs nothing is off. */
double hdPredictIdleOf(const hdPResult *result, uint32_t server);

/** That of all servers together. */
double hdPredictIdleOfAll(const hdPResult *result);

/** Server that a bridge is in, or NONE. */
uint32_t hdPredictBridgeServer(const hdPPlatform *platform, uint32_t edge);

#endif
