/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a transport is to those that implement one: a table of calls.
 *
 * The functions of transport.h go through it. Kinds whose other end is a file
 * descriptor share the functions of fd.c.
 */
#ifndef PT_TRANSPORT_CALLS_H
#define PT_TRANSPORT_CALLS_H

#include "PowerTracingLibrary/src/core/transport.h"
#include "common/owned.h"

/** Longest address, with the terminating zero. */
#define PT_ADDRESS_MAX 256

/** As the functions of transport.h; none may be NULL. */
struct ptTransportCalls {
	ssize_t (*read)(struct ptTransport *transport, void *data, size_t size,
			int64_t deadlineNs, int64_t *whenNs);
	int (*write)(struct ptTransport *transport, const void *data,
		     size_t size, int64_t deadlineNs);
	int (*drain)(struct ptTransport *transport, int64_t deadlineNs);
	void (*flushInput)(struct ptTransport *transport);
	int (*sendBreak)(struct ptTransport *transport);
	void (*close)(struct ptTransport *transport);
};

struct ptTransport {
	const struct ptTransportCalls *calls;
	int wakeFd; /**< Or -1. */
	int fd;
	struct hdOwned owned;         /**< The file that it is of. */
	int64_t gatherNs;             /**< Of ptTransportGather(), or 0. */
	char address[PT_ADDRESS_MAX]; /**< For messages. */
};

/** The kinds; the list ends with NULL. */
extern const struct ptTransportKind ptSerialKind;
extern const struct ptTransportKind ptTcpKind; /**< Serial servers. */

struct termios;

/** Fill in how a port is set; 0, or -EINVAL if no port has this speed. */
int ptSerialMode(const struct ptLine *line, struct termios *mode);

/** Make a transport of an open file descriptor, which it then owns. */
int ptFdTransport(const struct ptTransportCalls *calls, int fd,
		  const char *address, struct ptTransport **result);

/** Look whether the program has left us the descriptor; else, after a message,
 *  -ENODEV. */
int ptFdCheck(const struct ptTransport *transport);

ssize_t ptFdRead(struct ptTransport *transport, void *data, size_t size,
		 int64_t deadlineNs, int64_t *whenNs);
int ptFdWrite(struct ptTransport *transport, const void *data, size_t size,
	      int64_t deadlineNs);
int ptFdDrain(struct ptTransport *transport, int64_t deadlineNs);
void ptFdClose(struct ptTransport *transport);

#endif
