/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FLOW: data on its way between the network and the storage. */
#include <errno.h>
#include <stdlib.h>

#include "flow.h"
#include "layers.h"

static void advance(struct flow *flow);

/* ---- Buffers ----------------------------------------------------------- */

static struct flowBuffer *findFree(struct flow *flow)
{
	for (int i = 0; i < FLOW_BUFFERS; i++)
		if (flow->buffers[i].state == FLOW_FREE)
			return &flow->buffers[i];
	return NULL;
}

/* The buffer that has what is to be sent next, if that is there. */
static struct flowBuffer *findNext(struct flow *flow)
{
	for (int i = 0; i < FLOW_BUFFERS; i++)
		if (flow->buffers[i].state == FLOW_FULL &&
		    flow->buffers[i].offset == flow->passed)
			return &flow->buffers[i];
	return NULL;
}

/* Fill a free buffer with what comes next of the flow; its token goes along. */
static struct flowBuffer *begin(struct flow *flow)
{
	struct flowBuffer *buffer = findFree(flow);
	uint64_t rest = flow->size - flow->begun;

	if (!buffer || rest == 0)
		return NULL;
	/* Not what was in this memory before: it may be sent after an error. */
	if (!buffer->bytes)
		buffer->bytes = calloc(1, FLOW_BUFFER_SIZE);
	if (!buffer->bytes)
		abort();
	if (!buffer->hints)
		hdR_addTokenHint(&buffer->hints, flow->token);
	buffer->flow = flow;
	buffer->offset = flow->begun;
	buffer->size = rest < FLOW_BUFFER_SIZE ? rest : FLOW_BUFFER_SIZE;
	buffer->state = FLOW_FILLING;
	flow->begun += buffer->size;
	flow->pending++;
	return buffer;
}

static void release(struct flowBuffer *buffer)
{
	buffer->state = FLOW_FREE;
	buffer->flow->pending--;
}

static void fail(struct flow *flow, int error)
{
	if (!flow->error)
		flow->error = error;
}

/* ---- The storage ------------------------------------------------------- */

static void stored(struct flowBuffer *buffer, int error)
{
	if (error)
		fail(buffer->flow, error);
	if (buffer->flow->toStorage)
		release(buffer);
	else
		buffer->state = FLOW_FULL;
}

static void troveCompleted(struct troveOperation *operation, int error)
{
	struct flowBuffer *buffer = operation->owner;
	struct flow *flow = buffer->flow;

	pthread_mutex_lock(&flow->lock);
	stored(buffer, error);
	advance(flow);
}

static void postTrove(struct flowBuffer *buffer)
{
	struct flow *flow = buffer->flow;
	int ret;

	buffer->operation = (struct troveOperation){
		.kind = flow->toStorage ? TROVE_WRITE : TROVE_READ,
		.fd = flow->fd,
		.buffer = buffer->bytes,
		.size = buffer->size,
		.offset = (long long)(flow->offset + buffer->offset),
		.hints = buffer->hints,
		.completed = troveCompleted,
		.owner = buffer,
	};
	ret = trovePost(flow->trove, &buffer->operation);
	if (ret != 0)
		stored(buffer, ret < 0 ? -ret : 0);
}

/* ---- The network ------------------------------------------------------- */

/* A message is complete. */
static void moved(struct flowBuffer *buffer, int error)
{
	struct flow *flow = buffer->flow;

	flow->isTalking = 0;
	flow->passed += buffer->size;
	if (error) {
		fail(flow, error);
		flow->isBroken = 1;
	}
	/* After an error what comes is dropped. */
	if (!flow->toStorage || flow->error) {
		release(buffer);
		return;
	}
	buffer->state = FLOW_DRAINING;
	postTrove(buffer);
}

static void bmiCompleted(struct bmiOperation *message, int error)
{
	struct flowBuffer *buffer = message->owner;
	struct flow *flow = buffer->flow;

	pthread_mutex_lock(&flow->lock);
	moved(buffer, error);
	advance(flow);
}

static void postBmi(struct flowBuffer *buffer)
{
	struct flow *flow = buffer->flow;
	int ret;

	flow->isTalking = 1;
	buffer->message = (struct bmiOperation){
		.socket = flow->socket,
		.buffer = buffer->bytes,
		.size = buffer->size,
		.isSend = !flow->toStorage,
		.hints = buffer->hints,
		.completed = bmiCompleted,
		.owner = buffer,
	};
	ret = bmiPost(flow->bmi, &buffer->message);
	if (ret != 0)
		moved(buffer, ret < 0 ? -ret : 0);
}

/* ---- The flow ---------------------------------------------------------- */

static void receive(struct flow *flow)
{
	struct flowBuffer *buffer;

	while (!flow->isTalking && !flow->isBroken &&
	       (buffer = begin(flow)) != NULL)
		postBmi(buffer);
}

/* After an error the reader gets as many bytes as it waits for; the reply that
 * follows says that they are nothing. */
static void sendOn(struct flow *flow)
{
	struct flowBuffer *buffer;

	for (;;) {
		while (!flow->isBroken && (buffer = begin(flow)) != NULL)
			postTrove(buffer);
		buffer = flow->isTalking ? NULL : findNext(flow);
		if (!buffer)
			return;
		buffer->state = FLOW_DRAINING;
		if (flow->isBroken) {
			flow->passed += buffer->size;
			release(buffer);
		} else {
			postBmi(buffer);
		}
	}
}

static void finish(struct flow *flow)
{
	long long offset = (long long)flow->offset;

	for (int i = 0; i < FLOW_BUFFERS; i++) {
		free(flow->buffers[i].bytes);
		hdR_freeHints(&flow->buffers[i].hints);
	}
	layerEnd(&flow->token, flow->error, flow->size, &offset);
	layerLeave(LAYER_FLOW, flow->size);
	pthread_mutex_destroy(&flow->lock);
	flow->completed(flow, flow->error);
}

/* Go on as far as that is possible; the lock is held, and is released. */
static void advance(struct flow *flow)
{
	int isOver;

	if (flow->toStorage)
		receive(flow);
	else
		sendOn(flow);
	isOver = !flow->isOver && flow->pending == 0 &&
		 (flow->isBroken || flow->begun == flow->size);
	flow->isOver |= isOver;
	pthread_mutex_unlock(&flow->lock);
	if (isOver)
		finish(flow);
}

void flowPost(struct flow *flow)
{
	layerEnter(LAYER_FLOW);
	flow->token = layerRelateOnly(LAYER_FLOW, flow->hints, "flow");
	flow->begun = flow->passed = 0;
	flow->isTalking = flow->pending = flow->isBroken = flow->isOver = 0;
	flow->error = 0;
	for (int i = 0; i < FLOW_BUFFERS; i++)
		flow->buffers[i] = (struct flowBuffer){ 0 };
	pthread_mutex_init(&flow->lock, NULL);
	pthread_mutex_lock(&flow->lock);
	advance(flow);
}
