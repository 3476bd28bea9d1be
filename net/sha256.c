/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SHA-256 and HMAC; see sha256.h. Names are those of FIPS 180-4, section 6. */
#include "config.h"

#include <string.h>

#include "net/sha256.h"

static const uint32_t sha256K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static void sha256Schedule(const unsigned char *block, uint32_t w[64])
{
	for (size_t t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 |
		       (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
	for (size_t t = 16; t < 64; t++) {
		uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^
			      w[t - 15] >> 3;
		uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^
			      w[t - 2] >> 10;

		w[t] = s1 + w[t - 7] + s0 + w[t - 16];
	}
}

static void sha256Block(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	sha256Schedule(block, w);
	memcpy(v, state, sizeof(v));
	for (size_t t = 0; t < 64; t++) {
		uint32_t s1 =
			rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
		uint32_t s0 =
			rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
		uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t t1 = v[7] + s1 + ch + sha256K[t] + w[t];

		memmove(&v[1], &v[0], 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + s0 + maj;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += v[i];
}

void hdSha256Begin(struct hdSha256 *sha)
{
	*sha = (struct hdSha256){
		.state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 },
	};
}

void hdSha256Add(struct hdSha256 *sha, const void *data, size_t length)
{
	const unsigned char *at = data;
	size_t used = sha->length % HD_SHA256_BLOCK;

	sha->length += length;
	while (length > 0) {
		size_t some = HD_SHA256_BLOCK - used;

		if (some > length)
			some = length;
		memcpy(sha->block + used, at, some);
		at += some;
		length -= some;
		used += some;
		if (used == HD_SHA256_BLOCK) {
			sha256Block(sha->state, sha->block);
			used = 0;
		}
	}
}

void hdSha256End(struct hdSha256 *sha, unsigned char digest[HD_SHA256_SIZE])
{
	static const unsigned char padding[HD_SHA256_BLOCK] = { 0x80 };
	uint64_t bits = sha->length * 8;
	size_t used = sha->length % HD_SHA256_BLOCK;
	unsigned char length[8];

	for (size_t i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	hdSha256Add(sha, padding, (used < 56 ? 56 : 120) - used);
	hdSha256Add(sha, length, sizeof(length));
	for (size_t i = 0; i < HD_SHA256_SIZE; i++)
		digest[i] = (unsigned char)(sha->state[i / 4] >>
					    (24 - 8 * (i % 4)));
}

void hdSha256Of(const void *data, size_t length,
		unsigned char digest[HD_SHA256_SIZE])
{
	struct hdSha256 sha;

	hdSha256Begin(&sha);
	hdSha256Add(&sha, data, length);
	hdSha256End(&sha, digest);
}

void hdHmacBegin(struct hdHmac *hmac, const void *key, size_t length)
{
	unsigned char block[HD_SHA256_BLOCK] = { 0 };

	if (length > sizeof(block)) {
		hdSha256Begin(&hmac->inner);
		hdSha256Add(&hmac->inner, key, length);
		hdSha256End(&hmac->inner, block);
	} else {
		memcpy(block, key, length);
	}
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36;
	hdSha256Begin(&hmac->inner);
	hdSha256Add(&hmac->inner, block, sizeof(block));
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36 ^ 0x5c;
	hdSha256Begin(&hmac->outer);
	hdSha256Add(&hmac->outer, block, sizeof(block));
}

void hdHmacAdd(struct hdHmac *hmac, const void *data, size_t length)
{
	hdSha256Add(&hmac->inner, data, length);
}

void hdHmacEnd(struct hdHmac *hmac, unsigned char digest[HD_SHA256_SIZE])
{
	unsigned char inner[HD_SHA256_SIZE];

	hdSha256End(&hmac->inner, inner);
	hdSha256Add(&hmac->outer, inner, sizeof(inner));
	hdSha256End(&hmac->outer, digest);
}
