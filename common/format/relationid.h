/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Ids of W3C traces and spans that are derived from tokens
 * (doc/format/format.md, "Relations"): FNV-1a, the hash of Fowler, Noll and Vo.
 */
#ifndef HD_RELATIONID_H
#define HD_RELATIONID_H

#include <stddef.h>
#include <stdint.h>

/** Put a number with the highest byte first. */
static inline void hdIdPut(unsigned char *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (unsigned char)(value >> (56 - 8 * i));
}

/** Id of the span that a relation is: FNV-1a of 64 bits of HOST:PID:TOPO:ID. */
static inline void hdSpanId(const char *token, size_t length,
			    unsigned char id[8])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)token[i]) *
		       UINT64_C(0x100000001b3);
	/* No id is 0. */
	hdIdPut(id, hash ? hash : 1);
}

/** FNV-1a of 128 bits of the beginning of a token. */
struct hdTraceHash {
	uint64_t high, low;
};

/** That of nothing. */
#define HD_TRACE_HASH_NONE                                                 \
	{                                                                  \
		UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d) \
	}

/** Go on with more of the token. */
static inline void hdTraceHashAdd(struct hdTraceHash *hash, const char *token,
				  size_t length)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t high = hash->high, low = hash->low;

	/* The prime is 2^88 + 0x13b. */
	for (size_t i = 0; i < length; i++) {
		wide product;

		low ^= (unsigned char)token[i];
		product = (wide)low * 0x13b;
		high = high * 0x13b + (uint64_t)(product >> 64) + (low << 24);
		low = (uint64_t)product;
	}
	*hash = (struct hdTraceHash){ high, low };
}

/** Get the id of a whole token. */
static inline void hdTraceHashGet(const struct hdTraceHash *hash,
				  unsigned char id[16])
{
	/* No id is 0. */
	hdIdPut(id, hash->high);
	hdIdPut(id + 8, hash->high | hash->low ? hash->low : 1);
}

/** Id of the trace that a topmost relation begins. */
static inline void hdTraceId(const char *token, size_t length,
			     unsigned char id[16])
{
	struct hdTraceHash hash = HD_TRACE_HASH_NONE;

	hdTraceHashAdd(&hash, token, length);
	hdTraceHashGet(&hash, id);
}

#endif
