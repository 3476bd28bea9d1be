/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Parts of an instance: its place in the graph, and lists in its options.
 */
#ifndef HDG_INSTANCEPARTS_H
#define HDG_INSTANCEPARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "GlusterFSTracing/xlator/instance.h"

#define ALL_FOPS UINT64_MAX

extern const struct xlator_fops *instanceFops;

bool graphHasInstanceAbove(const xlator_t *xlator);

/** Whether below a translator somebody takes the token: one of ours, or the
 * other side of the wire. */
bool graphHasTakerBelow(const xlator_t *xlator);

/** The operations whose frames may be lost below a translator; see
 * instanceNeedsToken(). */
uint64_t graphLosesFrames(const xlator_t *xlator);

/** Whether some translator below may use frame->cookie of the frame that it
 * gets for itself, as features/marker does: those that keep frames do not, nor
 * does protocol/client, as tests/gluster/frames.sh tries, too. Each may hand
 * its frame on to the next one, so it is asked for all of them. */
bool graphMayUseCookies(const xlator_t *xlator);

void instanceSetHost(struct instance *instance, const char *given);

/** A brick is called HOST-VOLUME by default; processes of clients add their
 * number, since there may be any number of them, and say which brick they ask
 * where they have several. */
void instanceSetNode(struct instance *instance, const char *given);

#endif
