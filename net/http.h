/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Metrics over HTTP: by libmicrohttpd in http.c, or not at all in nohttp.c.
 */
#ifndef HD_HTTP_H
#define HD_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/loop.h"

/** Whether this was built with libmicrohttpd. */
extern const bool hdHasHttp;

struct hdHttp;

/**
 * Makes the metrics.
 *
 * @param isOpenMetrics OpenMetrics 1.0, else the text format 0.0.4.
 *
 * @return Text to be freed; NULL without memory.
 */
typedef char *hdHttpText(void *context, bool isOpenMetrics, size_t *length);

/** What is served, and how long anybody may take for it. */
struct hdHttpSetup {
	hdHttpText *text;
	void *context;
	int64_t headerNs;   /**< Until all of a request's header has come. */
	int64_t deadlineNs; /**< For all of a connection. */
};

/**
 * Serve /metrics at an address, in a loop: one request for each connection.
 *
 * @param address NULL: only connections of hdHttpTake().
 *
 * Where there are too many connections, a new one replaces the oldest that has
 * not sent its request.
 *
 * @return 0 or a negative errno value after a message.
 */
int hdHttpCreate(struct hdLoop *loop, const struct hdAddress *address,
		 const struct hdHttpSetup *setup, struct hdHttp **result);

/** Serve a connection that somebody else has accepted, whose socket does not
 * block; it is closed here. */
void hdHttpTake(struct hdHttp *http, int fd, const struct sockaddr *address,
		socklen_t length);

/** End it; takes NULL. */
void hdHttpDestroy(struct hdHttp *http);

/** Get when hdHttpRun() is to be called at the latest: @p untilNs or before. */
int64_t hdHttpDue(struct hdHttp *http, int64_t nowNs, int64_t untilNs);

/** Do what there is to do. */
void hdHttpRun(struct hdHttp *http);

#endif
