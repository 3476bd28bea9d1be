/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How both sides of a connection find out who the other one is: by proofs
 * (net/proof.h) in messages (net/frames.h), bound to the TLS connection, if
 * there is one.
 */
#ifndef HD_AUTHENTICATE_H
#define HD_AUTHENTICATE_H

#include <stdbool.h>

#include "net/frames.h"
#include "net/tls.h"
#include "net/tokens.h"

/** What a protocol puts into its proofs, so that they hold nowhere else. */
struct hdAuthentication {
	const char *protocol; /**< Up to 8 bytes. */
	const char *exporter; /**< Label of what TLS exports. */
};

/**
 * Read by what a service finds out who its clients are, and shows who it is.
 *
 * @param tokenFile Of hdTokensRead(), or NULL.
 * @param certificate With @p key of hdTlsCreate(), or NULL.
 * @param[out] tokens NULL without a file.
 * @param[out] tls NULL without a certificate.
 *
 * @return 0 or a negative errno value after a message, with neither.
 */
int hdAuthenticationRead(const char *tokenFile, const char *certificate,
			 const char *key, struct hdTokens **tokens,
			 struct hdTls **tls);

/**
 * Look whether a client has a token; takes as long for a user that is not
 * known.
 *
 * @param tokens Or NULL: nobody has one.
 * @param tls Of this connection, or NULL.
 * @param nonce What the greeting had.
 * @param[out] ours The proof that is sent back.
 * @param[out] token SHA-256 of the token.
 */
bool hdAuthenticationCheck(const struct hdAuthentication *what,
			   const struct hdTokens *tokens,
			   struct hdTlsSession *tls,
			   const unsigned char nonce[HD_NONCE_SIZE],
			   const struct hdFrameAuthenticate *request,
			   unsigned char ours[HD_PROOF_SIZE],
			   unsigned char token[HD_SHA256_SIZE]);

/**
 * Make the proof that a client sends.
 *
 * @param nonce What the greeting had.
 * @param[out] request What is sent; its user is @p user.
 * @param[out] theirs The proof that the server must send back.
 *
 * @retval -EIO There is no randomness, or TLS does not bind.
 */
int hdAuthenticationMake(const struct hdAuthentication *what,
			 struct hdTlsSession *tls,
			 const unsigned char nonce[HD_NONCE_SIZE],
			 const char *user, const char *token,
			 struct hdFrameAuthenticate *request,
			 unsigned char theirs[HD_PROOF_SIZE]);

#endif
