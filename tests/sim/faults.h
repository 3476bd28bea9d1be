/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the rules of a script do to the meter and its messages.
 */
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include "tests/sim/device.h"

/** Let rules happen: at once, or to the next message. Takes the list. */
void simFaultsApply(struct simDevice *device, GSList *rules);

/**
 * Let the rules for a command happen.
 *
 * @return Whether the command is to be carried out.
 */
bool simFaultsMayRun(struct simDevice *device, const char *command);

#endif
