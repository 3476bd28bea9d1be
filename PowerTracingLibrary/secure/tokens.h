/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The secrets that users share with a service; pt-site.cfg(5) has the file.
 */
#ifndef PT_TOKENS_H
#define PT_TOKENS_H

#include "PowerTracingLibrary/wire/wire.h"

/** Shortest token in bytes, so that nobody can guess one from a proof. */
#define PT_TOKEN_MIN 32

struct ptTokens;

/**
 * Read the file; it must not be readable for others nor writable for the
 * group.
 *
 * @return 0 or a negative errno value after a message.
 */
int ptTokensRead(const char *path, struct ptTokens **result);

/**
 * Find the token of a user; of several the first.
 *
 * @param[in,out] user The user, or NULL for the first in the file, whose name
 * is set then.
 *
 * @return The token, as long as the tokens are there, or NULL.
 */
const char *ptTokensFind(const struct ptTokens *tokens, const char **user);

/** Forget them; takes NULL. */
void ptTokensDestroy(struct ptTokens *tokens);

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
bool ptTokensCheck(const struct ptTokens *tokens, struct ptWireProof *proof,
		   const unsigned char theirs[PT_WIRE_PROOF_SIZE],
		   unsigned char ours[PT_WIRE_PROOF_SIZE]);

#endif
