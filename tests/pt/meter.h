/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Drivers for tests of the core: they do what the test tells them.
 */
#ifndef TEST_METER_H
#define TEST_METER_H

#include "PowerTracingLibrary/src/core/driver.h"

/**
 * "Meter" waits for what testMeterGive() gives; "Host" takes what it finds;
 * "Ported" has a port, and is good for configurations only. All have channels 1
 * to 4 and the values U (FLOAT, V), P (FLOAT, W), E (DOUBLE, J), N (INT64).
 * "Raw" is a "Meter" that reads once a second, gives raw numbers (N, and what
 * is made of them, P) and has an address of its own, raw://NAME or none.
 */
extern const struct ptDriver *const testDrivers[];

/** What was done with them, and what is to be done. */
struct testMeter {
	int opens, starts, stops, closes; /**< Calls. */
	int openResult; /**< What open() and start() return, if below 0. */
	int startResult;
	int stopResult;
	int columns;
	int64_t cycleNs; /**< What open() finds out. */
};

extern struct testMeter testMeter;

/** Forget everything. */
void testMeterReset(void);

/** Let a read() that waits return. */
void testMeterGive(int result, int64_t endNs, int64_t lengthNs, uint64_t lost);

/** The cell that a column has in a reading. */
union hdCell testMeterCell(const struct ptColumn *column, int64_t endNs);

/** Read one of the numbers above, which other threads write. */
#define testMeterGet(field) __atomic_load_n(&testMeter.field, __ATOMIC_SEQ_CST)
/** Set one of them. */
#define testMeterSet(field, value) \
	__atomic_store_n(&testMeter.field, value, __ATOMIC_SEQ_CST)

#endif
