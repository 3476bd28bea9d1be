/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A way to a meter that is the test: what it says and when, by the clock of
 * softdriver.h. Nobody waits: where a driver would, time passes.
 */
#ifndef FAKEPORT_H
#define FAKEPORT_H

#include "PowerTracingLibrary/src/transport/calls.h"
#include "tests/pt/softdriver.h"

/** What is on its way. */
struct fakeChunk {
	int64_t atNs; /**< When it comes, by the monotonic clock. */
	GString *bytes;
};

struct fakePort {
	struct ptTransport transport;
	GString *log;   /**< What was written, and "(drain)", "(flush)". */
	bool isBinary;  /**< The log has bytes as hexadecimal numbers. */
	GQueue chunks;  /**< Of struct fakeChunk. */
	int64_t lastNs; /**< When the last of them comes. */
	size_t step;    /**< Bytes that are read at once, at the most. */
	/** Called for each write; may be NULL. */
	void (*answer)(struct fakePort *port, const char *bytes, size_t size);
	const void *context; /**< For answer(). */
	int calls;           /**< That were made so far. */
	int failAt;          /**< This call fails, and all that follow, */
	int error;           /**< with this; */
	int silentFrom;      /**< from this call on nothing comes. */
	int64_t longestNs;   /**< That anybody wanted to wait. */
};

/** Begin with nothing. */
void fakePortInit(struct fakePort *port);

/** Free what it holds. */
void fakePortClear(struct fakePort *port);

/** Forget what is on its way. */
void fakePortForget(struct fakePort *port);

/** Let bytes come so long after those before, but not before now. */
void fakePortGive(struct fakePort *port, int64_t ns, const void *bytes,
		  size_t size);

/** As fakePortGive(), a text. */
void fakePortSay(struct fakePort *port, int64_t ns, const char *text);

#endif
