/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which bridges lie between two servers: as few as possible; of those that are
 * equal the ones that stand first in the file, seen from the source.
 */
#ifndef HD_PREDICT_ROUTES_H
#define HD_PREDICT_ROUTES_H

#include <math.h>

#include "PredictionLibrary/model/platform.h"

/** Paths that were found so far, and how to find others. */
struct hdPredictRoutes;

/** Start; NULL: no memory. */
struct hdPredictRoutes *hdPredictRoutesNew(const hdPPlatform *platform);

/** Free it; NULL does nothing. */
void hdPredictRoutesFree(struct hdPredictRoutes *routes);

/**
 * Find the edges from one server to another one.
 *
 * @param[out] edges Of the path, valid until the next call.
 * @return Their number, or -ENOMEM.
 */
int hdPredictRoute(struct hdPredictRoutes *routes, uint32_t from, uint32_t to,
		   const uint32_t **edges);

/** Time of a message alone on its path, in s. */
double hdPredictPathTime(const hdPPlatform *platform, const uint32_t *edges,
			 int count, double size);

/** Packets of a message, by their size; 0 is none. */
static inline double hdPredictPacketsOf(double size, double packetSize)
{
	return packetSize > 0 ? ceil(size / packetSize) : 0;
}

/** Packets of a message on a bridge. */
static inline double hdPredictPackets(const struct hdPredictEdgeOf *edge,
				      double size)
{
	return hdPredictPacketsOf(size, edge->size);
}

#endif
