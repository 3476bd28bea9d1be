/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), for tokens only.
 *
 * Whoever asks for power must be able to prove who it is without any library,
 * and without TLS being built in.
 */
#ifndef PT_SHA256_H
#define PT_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define PT_SHA256_SIZE 32
#define PT_SHA256_BLOCK 64

/** A digest that is being computed. */
struct ptSha256 {
	uint32_t state[8];
	uint64_t length;
	unsigned char block[PT_SHA256_BLOCK];
};

void ptSha256Begin(struct ptSha256 *sha);
void ptSha256Add(struct ptSha256 *sha, const void *data, size_t length);
void ptSha256End(struct ptSha256 *sha, unsigned char digest[PT_SHA256_SIZE]);

/** A keyed digest that is being computed. */
struct ptHmac {
	struct ptSha256 inner;
	struct ptSha256 outer;
};

void ptHmacBegin(struct ptHmac *hmac, const void *key, size_t length);
void ptHmacAdd(struct ptHmac *hmac, const void *data, size_t length);
void ptHmacEnd(struct ptHmac *hmac, unsigned char digest[PT_SHA256_SIZE]);

#endif
