/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The end of the cable: a pseudo-terminal, or a TCP port of this host.
 */
#ifndef SIM_PORT_H
#define SIM_PORT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "tests/sim/record.h"

/** What is taken for a BREAK, which no pseudo-terminal carries; see README. */
enum simBreak {
	SIM_BREAK_OPEN,  /**< Opening the port. */
	SIM_BREAK_FLUSH, /**< That, and discarding what was received. */
	SIM_BREAK_NONE,  /**< Nothing but the bytes FF F3. */
};

/** What simPortRead() found. */
enum simInput {
	SIM_INPUT_NOTHING,
	SIM_INPUT_BYTES,
	SIM_INPUT_BREAK,
	SIM_INPUT_CLOSED, /**< The host closed the port. */
};

/** The port. Set by the caller: what comes before @c name. */
struct simPort {
	struct simRecord *record;
	const char *link; /**< Symbolic link to make, or NULL. */
	int tcp;          /**< TCP port (0: any), or -1 for a terminal. */
	double baud;      /**< Bits a second, 0 for no limit. */
	enum simBreak breakWhen;

	char *name;       /**< How the host reaches it. */
	int listener;     /**< TCP only. */
	int fd;           /**< Terminal or connection, or -1. */
	bool hungUp;      /**< Terminal: nobody has it open. */
	bool flushed;     /**< Terminal: we discarded what nobody read. */
	bool full;        /**< The last write was short. */
	int64_t backAt;   /**< When it is plugged in again, or 0. */
	int64_t lineFree; /**< When the last byte was through the line. */
	GQueue queue;     /**< What is to be sent. */
	gsize queued;     /**< Bytes therein. */
};

/** Open the port; whether that worked, if not, @p error tells. */
bool simPortOpen(struct simPort *port, GError **error);

/** Close it and remove its link. */
void simPortClose(struct simPort *port);

/** Whether somebody has it open. */
bool simPortConnected(const struct simPort *port);

/** Pull the plug, until simPortService() finds that it is @p backAt. */
void simPortUnplug(struct simPort *port, int64_t backAt);

/**
 * Take a message for sending.
 *
 * @param notBefore When it may begin.
 * @return Whether there was room, and a host; @p message is gone anyway.
 */
bool simPortSend(struct simPort *port, GString *message, int64_t notBefore);

/** Forget what was not sent yet. */
void simPortDiscard(struct simPort *port);

/** Send what is due. */
void simPortWrite(struct simPort *port, int64_t now);

/** Read what came; at most @p size bytes, their number in @p length. */
enum simInput simPortRead(struct simPort *port, void *buffer, size_t size,
			  size_t *length);

/** What to wait for; returns how many entries, at most two. */
nfds_t simPortPoll(const struct simPort *port, bool reading,
		   struct pollfd *entries);

/** When something is due without an event, or INT64_MAX. */
int64_t simPortNext(const struct simPort *port, int64_t now);

/**
 * Accept who calls, notice who opened, come back when it is time.
 *
 * @return Whether that worked; if not, @p error tells.
 */
bool simPortService(struct simPort *port, int64_t now, GError **error);

#endif
