/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The client's FLOW: the stripes of one server, between memory and a socket.
 */
#ifndef STRIPES_H
#define STRIPES_H

#include <stdint.h>

#include "bmi.h"

#define STRIPES_BUFFER_SIZE (256 * 1024)

struct stripes {
	struct bmi *bmi;
	int socket;
	int isSend;
	char *memory; /* The call's, which begins at START of the file. */
	uint64_t start;
	uint64_t server, servers;
	uint64_t offset; /* In the server's file. */
	uint64_t size;
	const hdR_hints *hints; /* Carry the token of the call. */
	/* Called by any thread: ERROR is a value of errno, or 0. */
	void (*completed)(struct stripes *stripes, int error);
	void *owner;

	/* Of the layer. */
	char *buffer;
	uint64_t passed;
	hdR_token token;
	hdR_hints *below;
	struct bmiOperation message;
};

/* Copy SIZE bytes that begin at OFFSET of the server's file from the memory of
 * the call to a buffer, or back. */
void stripesCopy(const struct stripes *stripes, uint64_t offset, char *buffer,
		 uint64_t size, int isGather);

/* Begin; completed() may be called before this returns. */
void stripesPost(struct stripes *stripes);

#endif
