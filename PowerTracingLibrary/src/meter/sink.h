/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What takes the readings of a meter: the files of a trace, the store of a
 * service, or both.
 *
 * All calls come from the thread that has the meter; the first opened() may
 * come from the one that creates it.
 *
 * The readings of a meter go to sinks: the files of a trace, the store of
 * the power service, or both.
 */
#ifndef PT_SINK_H
#define PT_SINK_H

#include "PowerTracingLibrary/src/core/driver.h"

struct ptSink;

/** What a sink does; what is NULL does nothing. */
struct ptSinkCalls {
	/** The device was opened: its columns are filled in. */
	void (*opened)(struct ptSink *sink);
	/** A reading. */
	void (*add)(struct ptSink *sink, const union hdCell *cells,
		    const struct ptReading *reading);
	/** Something is missing before the next reading. */
	void (*gap)(struct ptSink *sink);
	/** Measuring has ended, for a while or for ever. */
	void (*stop)(struct ptSink *sink);
	/** The device is out of reach; stop() follows. The strings that
	 * opened() has seen are gone. */
	void (*lost)(struct ptSink *sink);
};

/** Part of whatever takes readings. */
struct ptSink {
	const struct ptSinkCalls *calls;
	struct ptSink *next;
};

#endif
