/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Encrypted connections: by GnuTLS in tls.c, or not at all in notls.c.
 */
#ifndef PT_TLS_H
#define PT_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Whether this pt has GnuTLS. */
extern const bool ptHasTls;

/** Certificate and key of a server, or what a client trusts. */
struct ptTls;

/** A connection. */
struct ptTlsSession;

/**
 * Read certificate and key.
 *
 * @return 0 or a negative errno value after a message.
 */
int ptTlsCreate(const char *certificate, const char *key,
		struct ptTls **result);

/**
 * Say what a client trusts.
 *
 * @param ca File with certificates of authorities, PEM; NULL for those of the
 *        system, or for none if there is a fingerprint.
 * @param fingerprint SHA-256 of the server's certificate (DER) in hexadecimal,
 *        colons are skipped; NULL for any. With both, both must hold.
 *
 * @return 0 or a negative errno value after a message.
 */
int ptTlsCreateClient(const char *ca, const char *fingerprint,
		      struct ptTls **result);

/** Forget them; connections that there are go on. Takes NULL. */
void ptTlsDestroy(struct ptTls *tls);

/**
 * Begin with a connection whose socket does not block.
 *
 * @retval -ENOMEM Out of memory.
 */
int ptTlsOpen(struct ptTls *tls, int fd, struct ptTlsSession **result);

/**
 * The same as a client.
 *
 * @param host Who the other side must be.
 */
int ptTlsConnect(struct ptTls *tls, int fd, const char *host,
		 struct ptTlsSession **result);

/** Say goodbye, if that is possible without waiting, and free it; takes NULL.
 */
void ptTlsClose(struct ptTlsSession *session);

/**
 * Receive, as read() does; shakes hands first.
 *
 * @retval -EAGAIN Later.
 * @retval -EACCES The other side is not who it must be; after a message.
 * @retval -EPROTO The other side does not speak TLS as it should. (Or another
 *         error of the connection.)
 */
ssize_t ptTlsReceive(struct ptTlsSession *session, void *bytes, size_t size);

/** Send, as write() does; errors as of ptTlsReceive(). */
ssize_t ptTlsSend(struct ptTlsSession *session, const void *bytes, size_t size);

/** Tell whether it waits until it can send, even if only receiving. */
bool ptTlsWantsToSend(const struct ptTlsSession *session);

/** Get what binds a proof to this connection: 32 bytes.
 *  Returns 0 or -EPROTO. */
int ptTlsBinding(struct ptTlsSession *session, unsigned char binding[32]);

#endif
