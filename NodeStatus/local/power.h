/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the node draws: as a power service says, which owns the meter, else by
 * the meters of the machine itself.
 */
#ifndef HD_NODE_POWER_H
#define HD_NODE_POWER_H

#include <stdint.h>

#include <jansson.h>

#include "PowerTracingLibrary/client/core/own.h"

struct nodePower;

/**
 * Begin to measure.
 *
 * @param node The name of the node at the service.
 * @param server As of hdNodeSetup.power.
 */
struct nodePower *nodePowerStart(const char *node, const char *root,
				 const char *server);

/** End it; takes NULL. */
void nodePowerStop(struct nodePower *power);

/** Get the power in watts, or NaN; of a reading not older than ten seconds. Any
 *  thread. @param[out] joules Energy since the begin; NaN: not known. */
double nodePowerWatts(struct nodePower *power, double *joules);

/** Name all inputs of the machine's own meters; any thread. */
void nodePowerEachInput(struct nodePower *power, ptOwnTake *take,
			void *context);

/** Get `watts`, `joules`, `source`, `age_s`, `left_out`; or null where there is
 * no meter.
 */
json_t *nodePowerJson(struct nodePower *power);

#endif
