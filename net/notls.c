/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No encrypted connections: this was built without GnuTLS. */
#include "config.h"

#include <errno.h>

#include "net/tls.h"
#include "net/logger.h"

const bool hdHasTls = false;

int hdTlsCreate(const char *certificate, const char *key, struct hdTls **result)
{
	(void)certificate;
	(void)key;
	(void)result;
	hdNetLog(HD_LOG_ERROR, "this %s was built without TLS",
		 hdNetLogger->prefix);
	return -ENOTSUP;
}

int hdTlsCreateClient(const char *ca, const char *fingerprint,
		      struct hdTls **result)
{
	(void)ca;
	(void)fingerprint;
	(void)result;
	hdNetLog(HD_LOG_ERROR, "this %s was built without TLS",
		 hdNetLogger->prefix);
	return -ENOTSUP;
}

void hdTlsDestroy(struct hdTls *tls)
{
	(void)tls;
}

int hdTlsOpen(struct hdTls *tls, int fd, struct hdTlsSession **result)
{
	(void)tls;
	(void)fd;
	(void)result;
	return -ENOTSUP;
}

int hdTlsConnect(struct hdTls *tls, int fd, const char *host,
		 struct hdTlsSession **result)
{
	(void)tls;
	(void)fd;
	(void)host;
	(void)result;
	return -ENOTSUP;
}

void hdTlsClose(struct hdTlsSession *session)
{
	(void)session;
}

ssize_t hdTlsReceive(struct hdTlsSession *session, void *bytes, size_t size)
{
	(void)session;
	(void)bytes;
	(void)size;
	return -ENOTSUP;
}

ssize_t hdTlsSend(struct hdTlsSession *session, const void *bytes, size_t size)
{
	(void)session;
	(void)bytes;
	(void)size;
	return -ENOTSUP;
}

bool hdTlsWantsToSend(const struct hdTlsSession *session)
{
	(void)session;
	return false;
}

int hdTlsBinding(struct hdTlsSession *session, const char *label,
		 unsigned char binding[32])
{
	(void)session;
	(void)label;
	(void)binding;
	return -ENOTSUP;
}
