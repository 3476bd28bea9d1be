/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Metrics over HTTP: by libmicrohttpd in http.c, or not at all in nohttp.c.
 */
#ifndef PT_HTTP_H
#define PT_HTTP_H

#include "PowerTracingLibrary/service/service.h"

/**
 * Serve /metrics at an address, in the loop of the service.
 *
 * @return 0 or a negative errno value after a message.
 */
int ptHttpCreate(struct ptService *service, const struct ptSiteAddress *address,
		 struct ptHttp **result);

/** End it; takes NULL. */
void ptHttpDestroy(struct ptHttp *http);

/** Get when ptHttpRun() is to be called at the latest: @p untilNs or before. */
int64_t ptHttpDue(struct ptHttp *http, int64_t nowNs, int64_t untilNs);

/** Do what there is to do. */
void ptHttpRun(struct ptHttp *http);

#endif
