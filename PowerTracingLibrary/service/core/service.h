/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The service: devices, clients, and the loop that goes between them.
 *
 * All is done by one thread, but for the meters, which have one each.
 */
#ifndef PT_SERVICE_H
#define PT_SERVICE_H

#include <stdint.h>

#include "PowerTracingLibrary/service/core/served.h"
#include "PowerTracingLibrary/service/site/site.h"
#include "net/connection.h"
#include "net/listen.h"
#include "net/service/places.h"

struct ptClient;
struct ptService;
struct hdHttp;
struct hdListener;
struct hdTls;
struct hdTokens;

/** What the caller decides. */
struct ptServiceSetup {
	const char *root; /**< As of struct ptSetup. */
	/** As of struct ptServedContext. */
	int (*project)(void *data, struct ptConfig *config);
	int (*begun)(void *data, struct ptConfig *config, bool isThere);
	/** Called after ptServiceChange(), when nothing else is going on. */
	void (*change)(struct ptService *service, void *data);
	void *data;
};

/** All of it; what is not said belongs to the loop. */
struct ptService {
	struct hdLoop loop; /**< First; woken by devices. */
	struct ptServiceSetup setup;
	struct ptSite *site;
	struct hdTokens *tokens;
	struct hdTls *tls;
	struct hdConnectionSetup connections;
	struct hdHttp *http;
	struct hdListener *listeners;
	struct ptServed **devices;
	size_t deviceCount;
	struct ptClient *clients, *dead;
	size_t clientCount; /**< Atomic, as is refused: others may look. */
	struct hdPlaces places;
	struct ptAccount memory;
	uint64_t accepted, refused; /**< Clients, requests. */
	int64_t refusedNs;          /**< For how often that is said. */
	unsigned int refusedSaid;
	int64_t sweepNs, dueNs, newsNs;
	bool hasNews, wantsChange;
};

/**
 * Open devices and sockets.
 *
 * @param site Used until the end.
 *
 * @return 0, or one of the public error values after a message.
 */
int ptServiceCreate(struct ptSite *site, const struct ptServiceSetup *setup,
		    struct ptService **result);

/**
 * Give up privileges and begin to measure.
 *
 * @return 0, or one of the public error values after a message.
 */
int ptServiceBegin(struct ptService *service);

/** Prepare the loop of a service that has nothing yet; as ptServiceCreate(). */
int ptServiceInit(struct ptService *service);

/** Wait for something, at most so many milliseconds (-1: any time), and do what
 * is to be done then. */
void ptServiceStep(struct ptService *service, int maxMs);

/** Serve until ptServiceStop(). */
void ptServiceRun(struct ptService *service);

/** Let setup.change() be called. */
void ptServiceChange(struct ptService *service);

/** Let the loop end. */
void ptServiceStop(struct ptService *service);

/**
 * Take another configuration; in setup.change(). Devices that it describes as
 * before go on; clients of others are told.
 *
 * @return 0, or one of the public error values after a message; then nothing
 *         has changed.
 */
int ptServiceReload(struct ptService *service, struct ptSite *site);

/** Tell the clients, and free everything. Takes NULL. */
void ptServiceDestroy(struct ptService *service);

/** Find a device by name, or return NULL. */
struct ptServed *ptServiceFind(const struct ptService *service,
			       const char *name);

#endif
