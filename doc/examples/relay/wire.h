/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What clients and servers send to each other, and how a file is spread.
 *
 * A request is a head of WIRE_HEAD bytes, the name of a file, the hints of the
 * client, and the data if it is small. A server answers with WIRE_REPLY bytes,
 * before the data of a large write ("send it") and at the end. All numbers have
 * their highest byte first.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>
#include <stdlib.h>

#include <hdRelation.h>

#define WIRE_HEAD 32
#define WIRE_REPLY 16
#define WIRE_NAME_MAX 255
#define WIRE_HINTS_MAX 8192
/* Up to so many bytes go along with the request, without a flow. */
#define WIRE_SMALL (16 * 1024)
#define WIRE_REQUEST_MAX \
	(WIRE_HEAD + WIRE_NAME_MAX + WIRE_HINTS_MAX + WIRE_SMALL)
/* Longest write or read that a request may be for. */
#define WIRE_SIZE_MAX (INT64_C(1) << 40)

/* A file goes to the servers in turn, in pieces of so many bytes. */
#define STRIPE_SIZE (64 * 1024)

enum wireOperation { WIRE_CREATE = 1, WIRE_WRITE, WIRE_READ };

struct wireRequest {
	enum wireOperation operation;
	char name[WIRE_NAME_MAX + 1];
	uint64_t offset; /* In the server's file. */
	uint64_t size;
	hdR_hints *hints; /* To be freed. */
};

/* Encode a request without its data: its length. */
size_t wireEncode(const struct wireRequest *request, char *buffer);

/* How long a request is that begins with so many bytes, or at least how long it
 * is before more can be said: more than that. Negative: it is none. */
long wireLength(const char *bytes, size_t length);

/* Decode one that is complete: where its data begins. NULL: it is none; then
 * there are no hints either. Hints that are wrong are left out. */
const char *wireDecode(struct wireRequest *request, const char *bytes);

void wireEncodeReply(char *buffer, int error, uint64_t size);
/* The error that it tells, or EPROTO. */
int wireDecodeReply(const char *buffer, uint64_t *size);

/* Whether data is to go along with a request. */
static inline int wireIsSmall(uint64_t size)
{
	return size <= WIRE_SMALL;
}

/* How many bytes of a file up to an offset are on a server; those of a range
 * lie there without a gap. */
static inline uint64_t stripeBefore(uint64_t offset, uint64_t servers,
				    uint64_t server)
{
	uint64_t unit = offset / STRIPE_SIZE;
	uint64_t whole = unit / servers + (unit % servers > server);

	return whole * STRIPE_SIZE +
	       (unit % servers == server ? offset % STRIPE_SIZE : 0);
}

/* Where in the file a byte of a server's is. */
static inline uint64_t stripeOffset(uint64_t there, uint64_t servers,
				    uint64_t server)
{
	return (there / STRIPE_SIZE * servers + server) * STRIPE_SIZE +
	       there % STRIPE_SIZE;
}

#endif
