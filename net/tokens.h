/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The secrets that users share with a service; pt-site.cfg(5) has the file.
 */
#ifndef HD_TOKENS_H
#define HD_TOKENS_H

#include "net/proof.h"

/** Shortest token in bytes, so that nobody can guess one from a proof. */
#define HD_TOKEN_MIN 32

struct hdTokens;

/**
 * Read the file; it must not be readable for others nor writable for the
 * group.
 *
 * @return 0 or a negative errno value after a message.
 */
int hdTokensRead(const char *path, struct hdTokens **result);

/**
 * Find the token of a user; of several the first.
 *
 * @param[in,out] user The user, or NULL for the first in the file, whose name
 * is set then.
 *
 * @return The token, as long as the tokens are there, or NULL.
 */
const char *hdTokensFind(const struct hdTokens *tokens, const char **user);

/** Tell whether a user still has a token, of which the SHA-256 is known. */
bool hdTokensHave(const struct hdTokens *tokens, const char *user,
		  const unsigned char digest[HD_SHA256_SIZE]);

/** Forget them; takes NULL. */
void hdTokensDestroy(struct hdTokens *tokens);

/**
 * Check the proof of a client, and make ours.
 *
 * Takes as long for a user that is not known.
 *
 * @param proof All but the token.
 * @param theirs What the client sent.
 * @param[out] ours The proof of the server.
 *
 * @return Whether it is right.
 */
bool hdTokensCheck(const struct hdTokens *tokens, struct hdProof *proof,
		   const unsigned char theirs[HD_PROOF_SIZE],
		   unsigned char ours[HD_PROOF_SIZE]);

#endif
