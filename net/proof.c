/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Proofs that a secret is known; see proof.h. */
#include "config.h"

#include <stdio.h>

#include "net/proof.h"

void hdProve(const struct hdProof *proof, enum hdProofSide side,
	     unsigned char result[HD_PROOF_SIZE])
{
	char label[16] = { 0 };
	struct hdHmac hmac;

	snprintf(label, sizeof(label), "%.8s %s", proof->protocol,
		 side == HD_PROOF_CLIENT ? "client" : "server");
	hdHmacBegin(&hmac, proof->token, proof->tokenLength);
	hdHmacAdd(&hmac, label, sizeof(label));
	hdHmacAdd(&hmac, proof->serverNonce, sizeof(proof->serverNonce));
	hdHmacAdd(&hmac, proof->clientNonce, sizeof(proof->clientNonce));
	hdHmacAdd(&hmac, proof->binding, sizeof(proof->binding));
	hdHmacAdd(&hmac, proof->user.at, proof->user.length);
	hdHmacEnd(&hmac, result);
}

bool hdProofIsEqual(const void *a, const void *b, size_t size)
{
	const volatile unsigned char *left = a, *right = b;
	unsigned char difference = 0;

	for (size_t i = 0; i < size; i++)
		difference |= left[i] ^ right[i];
	return difference == 0;
}
