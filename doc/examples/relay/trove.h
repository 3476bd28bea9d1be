/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TROVE: the storage. Operations are posted and complete later, or at once.
 */
#ifndef TROVE_H
#define TROVE_H

#include <stddef.h>

#include "aio.h"

enum troveMethod {
	TROVE_THREADS, /* A thread for each operation. */
	TROVE_DIRECT,  /* The thread that posts it does it. */
	TROVE_GATED    /* Threads, once troveOpen() has been called. */
};

enum troveKind { TROVE_CREATE, TROVE_WRITE, TROVE_READ };

struct troveOptions {
	enum troveMethod method;
	int threads;
	int delayMs; /* Each operation takes longer by that. */
	int failNth; /* Of so many posts the last one fails; 0: none. */
};

struct trove;

struct troveOperation {
	enum troveKind kind;
	int fd; /* Of a file; of the directory of one to be created. */
	const char *name; /* Of one to be created. */
	char *buffer;
	size_t size;
	long long offset;
	const hdR_hints *hints; /* Carry the token of what it belongs to. */
	/* Called by another thread: ERROR is a value of errno, or 0. */
	void (*completed)(struct troveOperation *operation, int error);
	void *owner;

	/* Of the layer. */
	struct aioTask task;
	hdR_token token;
	struct trove *trove;
	size_t done;
	int error;
};

struct trove *troveStart(const struct troveOptions *options);
void troveStop(struct trove *trove);

/* Post an operation: 1, it is complete; 0, it will be, and completed() is
 * called then; or a negative value of errno, it failed. What is read beyond the
 * end of a file is 0. */
int trovePost(struct trove *trove, struct troveOperation *operation);

void troveOpen(struct trove *trove);

#endif
