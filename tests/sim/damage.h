/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What becomes of the bytes of a message.
 */
#ifndef SIM_DAMAGE_H
#define SIM_DAMAGE_H

#include "tests/sim/script.h"

/** Do to the bytes of a message what a rule says, if it says that. */
void simDamage(GString *message, const struct simRule *rule);

#endif
