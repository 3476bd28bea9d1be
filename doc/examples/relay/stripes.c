/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The client's FLOW: the stripes of one server, between memory and a socket. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layers.h"
#include "stripes.h"
#include "wire.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void stripesCopy(const struct stripes *stripes, uint64_t offset, char *buffer,
		 uint64_t size, int isGather)
{
	while (size > 0) {
		uint64_t part = least(size, STRIPE_SIZE - offset % STRIPE_SIZE);
		char *at =
			stripes->memory - stripes->start +
			stripeOffset(offset, stripes->servers, stripes->server);

		if (isGather)
			memcpy(buffer, at, part);
		else
			memcpy(at, buffer, part);
		offset += part;
		buffer += part;
		size -= part;
	}
}

static void finish(struct stripes *stripes, int error)
{
	long long offset = (long long)stripes->offset;

	free(stripes->buffer);
	hdR_freeHints(&stripes->below);
	layerEnd(&stripes->token, error, stripes->passed, &offset);
	layerLeave(LAYER_FLOW, stripes->passed);
	stripes->completed(stripes, error);
}

/* A message is complete. */
static void moved(struct stripes *stripes)
{
	if (!stripes->isSend)
		stripesCopy(stripes, stripes->offset + stripes->passed,
			    stripes->buffer, stripes->message.size, 0);
	stripes->passed += stripes->message.size;
}

static void advance(struct stripes *stripes);

static void bmiCompleted(struct bmiOperation *message, int error)
{
	struct stripes *stripes = message->owner;

	if (error) {
		finish(stripes, error);
		return;
	}
	moved(stripes);
	advance(stripes);
}

/* Post messages, up to the first that does not complete at once. */
static void advance(struct stripes *stripes)
{
	while (stripes->passed < stripes->size) {
		int ret;

		stripes->message = (struct bmiOperation){
			.socket = stripes->socket,
			.buffer = stripes->buffer,
			.size = least(STRIPES_BUFFER_SIZE,
				      stripes->size - stripes->passed),
			.isSend = stripes->isSend,
			.hints = stripes->below,
			.completed = bmiCompleted,
			.owner = stripes,
		};
		if (stripes->isSend)
			stripesCopy(stripes, stripes->offset + stripes->passed,
				    stripes->buffer, stripes->message.size, 1);
		ret = bmiPost(stripes->bmi, &stripes->message);
		if (ret == 0)
			return;
		if (ret < 0) {
			finish(stripes, -ret);
			return;
		}
		moved(stripes);
	}
	finish(stripes, 0);
}

void stripesPost(struct stripes *stripes)
{
	layerEnter(LAYER_FLOW);
	stripes->token = layerRelateOnly(LAYER_FLOW, stripes->hints, "flow");
	stripes->passed = 0;
	stripes->below = NULL;
	hdR_addTokenHint(&stripes->below, stripes->token);
	stripes->buffer = malloc(STRIPES_BUFFER_SIZE);
	if (stripes->buffer)
		advance(stripes);
	else
		finish(stripes, ENOMEM);
}
