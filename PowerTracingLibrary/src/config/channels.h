/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Channels of meters that have numbers.
 */
#ifndef PT_CHANNELS_H
#define PT_CHANNELS_H

#include "PowerTracingLibrary/src/core/driver.h"

/**
 * Do what ptDriver.resolve() is to, for channels 1 to @p count, labelled with
 * their number. Of a meter that has one only it need not be named.
 */
int ptChannelResolve(unsigned int count, const char *channel, size_t index,
		     unsigned int *number, char label[PT_CHANNEL_MAX],
		     char *why, size_t whySize);

/**
 * Parse a whole number from 1 to @p max, without sign and leading zeros.
 *
 * @retval 0 It is none.
 */
unsigned int ptChannelParse(const char *text, unsigned int max);

#endif
