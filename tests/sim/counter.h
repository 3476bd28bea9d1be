/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulated meter answers to COUNT?: the number of its cycles, or what
 * other meters were seen to answer.
 */
#ifndef SIM_COUNTER_H
#define SIM_COUNTER_H

#include "tests/sim/device.h"

/** What COUNT? answers. */
enum simCounter {
	SIM_COUNT_CYCLES,   /**< The cycles. */
	SIM_COUNT_ZERO,     /**< 0. */
	SIM_COUNT_STUCK,    /**< Always the same number. */
	SIM_COUNT_HALVES,   /**< Every second cycle. */
	SIM_COUNT_CLOCK,    /**< Twentieths of a second. */
	SIM_COUNT_FRACTION, /**< The cycles, and a half. */
	SIM_COUNT_ERROR,    /**< A text about an error. */
	SIM_COUNT_EMPTY,    /**< An empty value. */
	SIM_COUNT_MISSING,  /**< No value. */
	SIM_COUNT_LAST,     /**< The last value of the message before. */
	SIM_COUNT_VALUES,   /**< All values of the message before. */
	SIM_COUNT_CHANNELS, /**< The cycles, once for each channel. */
	SIM_COUNT_ONCE,     /**< The cycles; in continuous mode 0. */
	SIM_COUNTERS,
};

/** Names of these, in their order; ended by NULL. */
extern const char *const simCounters[SIM_COUNTERS + 1];

/** Find one by its name; -1 if there is none. */
int simCounterFind(const char *name);

/** Add the answer to COUNT? to a message. */
void simCounterAnswer(struct simDevice *device, GArray *items,
		      bool isContinuous);

/** Note the values of a message, if it has any. */
void simCounterNote(struct simDevice *device, const GArray *items);

#endif
