/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No encrypted connections: this pt was built without GnuTLS. */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/secure/tls.h"
#include "PowerTracingLibrary/src/message.h"

const bool ptHasTls = false;

int ptTlsCreate(const char *certificate, const char *key, struct ptTls **result)
{
	(void)certificate;
	(void)key;
	(void)result;
	return -ENOTSUP;
}

int ptTlsCreateClient(const char *ca, const char *fingerprint,
		      struct ptTls **result)
{
	(void)ca;
	(void)fingerprint;
	(void)result;
	ptMessage(HD_LOG_ERROR, "this pt was built without TLS");
	return -ENOTSUP;
}

void ptTlsDestroy(struct ptTls *tls)
{
	(void)tls;
}

int ptTlsOpen(struct ptTls *tls, int fd, struct ptTlsSession **result)
{
	(void)tls;
	(void)fd;
	(void)result;
	return -ENOTSUP;
}

int ptTlsConnect(struct ptTls *tls, int fd, const char *host,
		 struct ptTlsSession **result)
{
	(void)tls;
	(void)fd;
	(void)host;
	(void)result;
	return -ENOTSUP;
}

void ptTlsClose(struct ptTlsSession *session)
{
	(void)session;
}

ssize_t ptTlsReceive(struct ptTlsSession *session, void *bytes, size_t size)
{
	(void)session;
	(void)bytes;
	(void)size;
	return -ENOTSUP;
}

ssize_t ptTlsSend(struct ptTlsSession *session, const void *bytes, size_t size)
{
	(void)session;
	(void)bytes;
	(void)size;
	return -ENOTSUP;
}

bool ptTlsWantsToSend(const struct ptTlsSession *session)
{
	(void)session;
	return false;
}

int ptTlsBinding(struct ptTlsSession *session, unsigned char binding[32])
{
	(void)session;
	(void)binding;
	return -ENOTSUP;
}
