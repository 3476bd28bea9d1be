/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The works, done by OTF2.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "tests/bench/bench.h"

/** What there is without OTF2: a name, and no function. */
struct benchPeer {
	const char *name;
	benchFunction writeEntries;  /**< Metric events of 15 doubles. */
	benchFunction writeStates;   /**< Enter and leave. */
	benchFunction writeIntegers; /**< The same with six attributes. */
	benchFunction writeMixture;  /**< Integers, a double, a string. */
	/** The size of chunks of events, 0: as recommended; and how many of
	 * them are given from outside, 0: it takes its memory itself. */
	void (*useMemory)(size_t chunkSize, size_t chunks);
	void (*create)(size_t count); /**< Archives for reading. */
	benchFunction readEntries;    /**< Metric events of 15 doubles. */
	benchFunction readStates;     /**< Enter and leave. */
	benchFunction readIntegers;   /**< The same with six attributes. */
	void (*destroy)(void);
};

extern const struct benchPeer benchPeer;

#endif
