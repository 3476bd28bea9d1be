/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The way to a meter: bytes in both directions.
 *
 * The part of `port` after the node's name says which: a device file is the
 * serial port ("/dev/ttyUSB0"), "tcp://HOST:PORT" a serial server.
 * Used by one thread at a time. Times are those of CLOCK_MONOTONIC in
 * nanoseconds. Functions that can fail return a negative errno value after
 * logging the reason; -ETIMEDOUT and -EINTR are not logged.
 */
#ifndef PT_TRANSPORT_H
#define PT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ptTransport;

/** Parity of a serial port. */
enum ptParity { PT_PARITY_NONE, PT_PARITY_ODD, PT_PARITY_EVEN };

/** What a serial port does beside sending bytes. */
enum ptFlow {
	/** Sends only while CTS is on, and switches RTS off when it cannot
	 *  take more. */
	PT_FLOW_RTSCTS = 1,
	/** DTR is on while the port is open. That is all: Linux does not look
	 *  at DSR. */
	PT_FLOW_DTR = 2,
};

/** How a serial port is set: 8 bits, one stop bit, and this. */
struct ptLine {
	unsigned int baud;
	/**
	 * A byte whose parity is wrong is read as 0, so that it is noticed: not
	 * to read it would make another number of what is left.
	 */
	enum ptParity parity;
	unsigned int flow; /**< Of enum ptFlow. */
};

/** A kind of transport. */
struct ptTransportKind {
	const char *name; /**< "serial", "tcp". */
	/** Whether an address is of this kind. */
	int (*matches)(const char *address);
	/** -ENOENT, -EBUSY, -EACCES, -ENOTTY, -ECONNREFUSED, -ETIMEDOUT, ... */
	int (*open)(const char *address, const struct ptLine *line,
		    int64_t deadlineNs, struct ptTransport **result);
};

/**
 * Open the way to a meter.
 *
 * @param address Device file or tcp://HOST:PORT.
 * @param line How a serial port is set; ignored by others.
 * @param wakeFd Readable when ptTransportRead() must return -EINTR; or -1.
 * @param deadlineNs When to give up.
 */
int ptTransportOpen(const char *address, const struct ptLine *line, int wakeFd,
		    int64_t deadlineNs, struct ptTransport **result);

/**
 * Choose what makes ptTransportRead() return -EINTR from now on.
 *
 * @param wakeFd As of ptTransportOpen().
 */
void ptTransportSetWake(struct ptTransport *transport, int wakeFd);

/** Check the form of an address; @p why gets what is allowed. */
int ptTransportCheck(const char *address, char *why, size_t whySize);

/**
 * Read what there is, at least one byte.
 *
 * @param[out] whenNs Wall clock time at which the first of these bytes was
 *        seen; may be NULL.
 * @return Number of bytes.
 * @retval -ETIMEDOUT Nothing came until the deadline.
 * @retval -EINTR wakeFd is readable.
 * @retval -ENODEV The other side is gone.
 */
ssize_t ptTransportRead(struct ptTransport *transport, void *data, size_t size,
			int64_t deadlineNs, int64_t *whenNs);

/**
 * Let ptTransportRead() return less often, with more bytes each time: not
 * before so many are there, unless no more come for some time. It does nothing
 * where the way cannot (a serial port).
 *
 * @param bytes Below what the way has room for: some KiB.
 * @param longestNs After so long without more it returns what there is.
 */
void ptTransportGather(struct ptTransport *transport, size_t bytes,
		       int64_t longestNs);

/** Write all; -ETIMEDOUT, -ENODEV. */
int ptTransportWrite(struct ptTransport *transport, const void *data,
		     size_t size, int64_t deadlineNs);

/** Wait until all is sent, at most until the deadline. */
int ptTransportDrain(struct ptTransport *transport, int64_t deadlineNs);

/**
 * Wait until all is sent and nothing comes any more, and forget what came.
 *
 * @retval -ETIMEDOUT It did not become quiet.
 */
int ptTransportQuiet(struct ptTransport *transport, int64_t deadlineNs);

/** Forget what was received and not read. */
void ptTransportFlushInput(struct ptTransport *transport);

/** Send a BREAK; where there is none (TCP), -ENOTSUP without a message. */
int ptTransportBreak(struct ptTransport *transport);

/** Close; takes NULL. */
void ptTransportClose(struct ptTransport *transport);

#endif
