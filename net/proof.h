/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Proofs of both sides that they share a secret, which is not sent.
 */
#ifndef HD_PROOF_H
#define HD_PROOF_H

#include <stdbool.h>
#include <stddef.h>

#include "net/fields.h"
#include "net/sha256.h"

#define HD_NONCE_SIZE 32
#define HD_PROOF_SIZE HD_SHA256_SIZE

/** Who proves that it has the token. */
enum hdProofSide { HD_PROOF_CLIENT, HD_PROOF_SERVER };

/** What a proof is made of. */
struct hdProof {
	const void *token;
	size_t tokenLength;
	unsigned char serverNonce[HD_NONCE_SIZE];
	unsigned char clientNonce[HD_NONCE_SIZE];
	unsigned char binding[HD_NONCE_SIZE]; /**< Zeros without TLS. */
	struct hdFieldText user;
	const char *protocol; /**< What is spoken: up to 8 bytes. */
};

/** Make the proof of a side. */
void hdProve(const struct hdProof *proof, enum hdProofSide side,
	     unsigned char result[HD_PROOF_SIZE]);

/** Compare secrets in a time that does not depend on them. */
bool hdProofIsEqual(const void *a, const void *b, size_t size);

#endif
