/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FLOW: data on its way between the network and the storage, in FLOW_BUFFERS
 * buffers. Messages go one after the other, as a socket is a stream; operations
 * of the storage as many at a time as there are buffers.
 */
#ifndef FLOW_H
#define FLOW_H

#include <pthread.h>
#include <stdint.h>

#include "bmi.h"
#include "trove.h"

#define FLOW_BUFFERS 8
#define FLOW_BUFFER_SIZE (256 * 1024)

struct flow;

struct flowBuffer {
	struct flow *flow;
	char *bytes;
	size_t size;
	uint64_t offset; /* In the flow. */
	enum { FLOW_FREE, FLOW_FILLING, FLOW_FULL, FLOW_DRAINING } state;
	hdR_hints *hints;
	struct bmiOperation message;
	struct troveOperation operation;
};

struct flow {
	struct bmi *bmi;
	struct trove *trove;
	int socket;
	int fd;
	int toStorage;   /* Or from it. */
	uint64_t offset; /* In the file. */
	uint64_t size;
	const hdR_hints *hints; /* Carry the token of what it belongs to. */
	/* Called by any thread: ERROR is a value of errno, or 0. */
	void (*completed)(struct flow *flow, int error);
	void *owner;

	/* Of the layer. */
	pthread_mutex_t lock;
	hdR_token token;
	uint64_t begun;  /* So much has been asked of its source. */
	uint64_t passed; /* So much has gone on over the socket, or came. */
	int isTalking;   /* A message is pending. */
	int pending;     /* Buffers that are not free. */
	int error;
	int isBroken; /* The socket is of no use any more. */
	int isOver;
	struct flowBuffer buffers[FLOW_BUFFERS];
};

/* Begin; completed() may be called before this returns. All data of a flow to a
 * storage that fails is received all the same, so that the socket can be used.
 */
void flowPost(struct flow *flow);

#endif
