/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No metrics over HTTP: this pt was built without libmicrohttpd. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "net/http.h"

const bool hdHasHttp = false;

int hdHttpCreate(struct hdLoop *loop, const struct hdAddress *address,
		 const struct hdHttpSetup *setup, struct hdHttp **result)
{
	(void)loop;
	(void)address;
	(void)setup;
	(void)result;
	return -ENOTSUP;
}

void hdHttpTake(struct hdHttp *http, int fd, const struct sockaddr *address,
		socklen_t length)
{
	(void)http;
	(void)address;
	(void)length;
	close(fd);
}

void hdHttpDestroy(struct hdHttp *http)
{
	(void)http;
}

int64_t hdHttpDue(struct hdHttp *http, int64_t nowNs, int64_t untilNs)
{
	(void)http;
	(void)nowNs;
	return untilNs;
}

void hdHttpRun(struct hdHttp *http)
{
	(void)http;
}
