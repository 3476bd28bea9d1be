/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Values that tell power, as channels of common/nodepower.h.
 */
#ifndef HD_MODEL_POWER_CANDIDATES_H
#define HD_MODEL_POWER_CANDIDATES_H

#include <stdbool.h>

#include <hdReading.h>

#include "common/nodepower.h"

/** Collect the numbers of the values of a group that tell power: those in W,
 *  else those in J; of the names that match a pattern, or else alike names.
 *  Returns how many there are. */
size_t candidatesFind(const hdIGroup *group, const char *pattern,
		      size_t *values);

/** Describe one by its attributes and its name. */
void candidateDescribe(const hdIGroup *group, const hdIValue *value,
		       struct hdPowerChannel *channel,
		       struct hdPowerGain *gain);

#endif
