/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The server of a node: says what the node is and how it is to who asks
 * (NodeStatus/wire/wire.h), and metrics over HTTP at the same port.
 *
 * One thread runs it, and calls what knows about the node in it; only
 * hdNodeServerWake() may be called by others. Nothing is sent that was not
 * asked for. What belongs to users is read elsewhere, and who asks for it waits
 * alone (later.c).
 *
 * Who connects from this host need not prove anything, and all others must, by
 * a token (net/tokens.h), and should use TLS. What changes the node - its
 * configuration, probes that begin at zero - is for who has proved a token, and
 * of this host for root and the user that the server runs as.
 */
#ifndef HD_NODE_SERVER_H
#define HD_NODE_SERVER_H

#include <jansson.h>

#include "net/address.h"
#include "net/loop.h"
#include "net/metrictext.h"

struct hdNodeServer;

/** What knows about the node. */
struct hdNodeSource {
	/**
	 * Get a section; it waits for nothing.
	 *
	 * @param section One of enum hdNodeWireSections, without probes.
	 *
	 * @return A new reference; NULL for nothing.
	 */
	json_t *(*section)(void *context, unsigned int section);
	/**
	 * Read probes, and call when that is done: from any thread, once, and
	 * be it after the end of the server.
	 *
	 * @param isReset Whether they begin at zero.
	 */
	void (*askProbes)(void *context, bool isReset,
			  void (*done)(void *context, json_t *probes),
			  void *doneContext);
	/**
	 * Use another configuration.
	 *
	 * @param[out] error What is wrong, to be freed.
	 *
	 * @return 0 or a negative errno value; nothing has changed then.
	 */
	int (*configure)(void *context, const char *text, size_t length,
			 char **error);
	/** Write metrics. */
	void (*metrics)(void *context, const struct hdMetricText *text);
	void *context;
};

/** What is served, where, and to whom; all of it stays. */
struct hdNodeServerSetup {
	const struct hdAddress *addresses;
	size_t count;
	const char *name;        /**< Of the node, or NULL. */
	const char *tokens;      /**< File, or NULL: only to this host. */
	const char *certificate; /**< File, or NULL: no TLS. */
	const char *key;         /**< File that belongs to it. */
	/** Who may read metrics besides this host. */
	const struct hdNetwork *metricsFrom;
	size_t metricsCount;
	unsigned int clients; /**< At once; 0: 64. */
	int64_t timeoutNs;    /**< For a request, and to read; 0: 10 s. */
	int64_t idleNs;       /**< From one request to the next; 0: 600 s. */
	struct hdNodeSource source;
};

/**
 * Listen.
 *
 * @return 0 or a negative errno value, after a message.
 */
int hdNodeServerCreate(const struct hdNodeServerSetup *setup,
		       struct hdNodeServer **result);

/** Read tokens and certificate again; 0 or a negative errno value, after a
 * message: then nothing has changed. */
int hdNodeServerReload(struct hdNodeServer *server);

/** Get its loop, for more that is to be waited for. */
struct hdLoop *hdNodeServerLoop(struct hdNodeServer *server);

/** Serve until hdNodeServerStop(). */
void hdNodeServerRun(struct hdNodeServer *server);

/** Let hdNodeServerRun() return, in its thread. */
void hdNodeServerStop(struct hdNodeServer *server);

/** Let hdNodeServerRun() return, from any thread or handler of signals. */
void hdNodeServerWake(struct hdNodeServer *server);

/** End it; takes NULL. */
void hdNodeServerDestroy(struct hdNodeServer *server);

#endif
