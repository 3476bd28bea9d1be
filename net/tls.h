/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Encrypted connections: by GnuTLS in tls.c, or not at all in notls.c.
 */
#ifndef HD_TLS_H
#define HD_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Whether this was built with GnuTLS. */
extern const bool hdHasTls;

/** Certificate and key of a server, or what a client trusts. */
struct hdTls;

/** A connection. */
struct hdTlsSession;

/**
 * Read certificate and key.
 *
 * @return 0 or a negative errno value after a message.
 */
int hdTlsCreate(const char *certificate, const char *key,
		struct hdTls **result);

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
int hdTlsCreateClient(const char *ca, const char *fingerprint,
		      struct hdTls **result);

/** Forget them; connections that there are go on. Takes NULL. */
void hdTlsDestroy(struct hdTls *tls);

/**
 * Begin with a connection whose socket does not block.
 *
 * @retval -ENOMEM Out of memory.
 */
int hdTlsOpen(struct hdTls *tls, int fd, struct hdTlsSession **result);

/**
 * The same as a client.
 *
 * @param host Who the other side must be.
 */
int hdTlsConnect(struct hdTls *tls, int fd, const char *host,
		 struct hdTlsSession **result);

/** Say goodbye, if that is possible without waiting, and free it; takes NULL.
 */
void hdTlsClose(struct hdTlsSession *session);

/**
 * Receive, as read() does; shakes hands first.
 *
 * @retval -EAGAIN Later.
 * @retval -EACCES The other side is not who it must be; after a message.
 * @retval -EPROTO The other side does not speak TLS as it should. (Or another
 *         error of the connection.)
 */
ssize_t hdTlsReceive(struct hdTlsSession *session, void *bytes, size_t size);

/** Send, as write() does; errors as of hdTlsReceive(). */
ssize_t hdTlsSend(struct hdTlsSession *session, const void *bytes, size_t size);

/** Tell whether it waits until it can send, even if only receiving. */
bool hdTlsWantsToSend(const struct hdTlsSession *session);

/** Get what binds a proof to this connection: 32 bytes that TLS exports by a
 *  label.
 *  Returns 0 or -EPROTO. */
int hdTlsBinding(struct hdTlsSession *session, const char *label,
		 unsigned char binding[32]);

#endif
