/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), for tokens only.
 *
 * Whoever asks for power must be able to prove who it is without any library,
 * and without TLS being built in.
 */
#ifndef HD_SHA256_H
#define HD_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define HD_SHA256_SIZE 32
#define HD_SHA256_BLOCK 64

/** A digest that is being computed. */
struct hdSha256 {
	uint32_t state[8];
	uint64_t length;
	unsigned char block[HD_SHA256_BLOCK];
};

void hdSha256Begin(struct hdSha256 *sha);
void hdSha256Add(struct hdSha256 *sha, const void *data, size_t length);
void hdSha256End(struct hdSha256 *sha, unsigned char digest[HD_SHA256_SIZE]);

/** The digest of some bytes. */
void hdSha256Of(const void *data, size_t length,
		unsigned char digest[HD_SHA256_SIZE]);

/** A keyed digest that is being computed. */
struct hdHmac {
	struct hdSha256 inner;
	struct hdSha256 outer;
};

void hdHmacBegin(struct hdHmac *hmac, const void *key, size_t length);
void hdHmacAdd(struct hdHmac *hmac, const void *data, size_t length);
void hdHmacEnd(struct hdHmac *hmac, unsigned char digest[HD_SHA256_SIZE]);

#endif
