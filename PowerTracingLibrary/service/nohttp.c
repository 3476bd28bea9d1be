/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No metrics over HTTP: this pt was built without libmicrohttpd. */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/service/built.h"
#include "PowerTracingLibrary/service/http.h"

const bool ptHasHttp = false;

int ptHttpCreate(struct ptService *service, const struct ptSiteAddress *address,
		 struct ptHttp **result)
{
	(void)service;
	(void)address;
	(void)result;
	return -ENOTSUP;
}

void ptHttpDestroy(struct ptHttp *http)
{
	(void)http;
}

int64_t ptHttpDue(struct ptHttp *http, int64_t nowNs, int64_t untilNs)
{
	(void)http;
	(void)nowNs;
	return untilNs;
}

void ptHttpRun(struct ptHttp *http)
{
	(void)http;
}
