/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The service that grants leases, on a Unix socket.
 *
 * Requests and answers are lines of text. The service begins with "hdpower 1".
 *
 *     lease POLICY KEY=VALUE,...      set PATH OLD NEW, ... ok
 *     end                             ok
 *     status                          lease ..., set ..., ok
 *     restore                         restored PATH OLD, ... ok
 *
 * An answer ends with "ok", or "error TEXT". A lease ends with its connection,
 * with the process that asked for it, and with the service.
 */
#ifndef HD_POWER_SERVER_H
#define HD_POWER_SERVER_H

#include "PowerSaving/daemon/lease.h"
#include "PowerSaving/daemon/permissions.h"
#include "net/connection.h"
#include "net/listen.h"
#include "net/loop.h"
#include "net/service/places.h"

#define SERVER_GREETING "hdpower 1\n"

struct powerClient;

struct powerServer {
	struct hdLoop loop;
	struct hdPlaces places;
	struct hdListener *listeners;
	struct hdAddress address;
	struct leases leases;
	struct permissions permissions;
	struct powerClient *clients;
	struct powerClient *dead;
	int64_t sweepNs;
};

/** Open the service: restore what an earlier one left, and listen. Says what is
 *  wrong; 0 or a negative errno, and powerServerClose() in any case. */
int powerServerOpen(struct powerServer *self, const char *root,
		    const char *socketPath);

/** Serve until the loop is over. */
void powerServerRun(struct powerServer *self);

/** Restore everything and close it. */
void powerServerClose(struct powerServer *self);

#endif
