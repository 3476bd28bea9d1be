/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All places of the process, to be switched on and off.
 */
#ifndef HDG_PLACES_H
#define HDG_PLACES_H

#include "GlusterFSTracing/xlator/place.h"

/** Hold the list, and what can be changed in places. */
void placesLock(void);
void placesUnlock(void);

/** The first place; with the lock held. */
struct place *placesFirst(void);

/** Name of the project that a place records into; with the lock held. */
const char *placeProject(const struct place *place);

/** Do what a place's choice says; with the lock held. */
void placeApply(struct place *place);

#endif
