/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of a client: state machines. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "layers.h"
#include "stripes.h"

struct call;

/* What one server has to do with a call. */
struct part {
	struct machine machine; /* Without a relation: it is the call's. */
	struct call *call;
	int server;
	struct wireRequest request;
	char bytes[WIRE_REQUEST_MAX];
	size_t length;
	char reply[WIRE_REPLY];
	struct bmiOperation message;
	struct stripes stripes;
};

struct call {
	struct machine machine;
	struct caller *caller;
	enum wireOperation operation;
	const char *name;
	uint64_t offset, size;
	char *memory;
	hdR_hints *hints; /* For servers and the layers below. */
	struct part *parts;
	int partCount;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int pending; /* Parts that are under way. */
	int partError;
	int isOver;
};

/* ---- Parts ------------------------------------------------------------- */

static void bmiCompleted(struct bmiOperation *message, int error)
{
	struct part *part = message->owner;

	machineGoOn(&part->machine, error);
}

static enum machineResult move(struct part *part, char *bytes, size_t size,
			       int isSend)
{
	int ret;

	part->message = (struct bmiOperation){
		.socket = part->call->caller->sockets[part->server],
		.buffer = bytes,
		.size = size,
		.isSend = isSend,
		.hints = part->call->hints,
		.completed = bmiCompleted,
		.owner = part,
	};
	ret = bmiPost(part->call->caller->bmi, &part->message);
	if (ret < 0)
		part->machine.error = -ret;
	return ret > 0    ? MACHINE_COMPLETE
	       : ret == 0 ? MACHINE_DEFERRED
			  : MACHINE_ERROR;
}

static enum machineResult doRequest(struct machine *machine)
{
	struct part *part = machine->owner;

	return move(part, part->bytes, part->length, 1);
}

static enum machineResult doAwait(struct machine *machine)
{
	struct part *part = machine->owner;

	return move(part, part->reply, WIRE_REPLY, 0);
}

static enum machineResult doReply(struct machine *machine)
{
	struct part *part = machine->owner;
	uint64_t size;

	machine->error = wireDecodeReply(part->reply, &size);
	if (!machine->error && size != part->request.size)
		machine->error = EPROTO;
	return machine->error ? MACHINE_ERROR : MACHINE_COMPLETE;
}

static void stripesCompleted(struct stripes *stripes, int error)
{
	struct part *part = stripes->owner;

	machineGoOn(&part->machine, error);
}

static enum machineResult doStripes(struct machine *machine)
{
	struct part *part = machine->owner;

	part->stripes.completed = stripesCompleted;
	part->stripes.owner = part;
	stripesPost(&part->stripes);
	return MACHINE_DEFERRED;
}

static enum machineResult doSmallData(struct machine *machine)
{
	struct part *part = machine->owner;

	return move(part, part->bytes, part->request.size, 0);
}

static enum machineResult doScatter(struct machine *machine)
{
	struct part *part = machine->owner;

	stripesCopy(&part->stripes, part->request.offset, part->bytes,
		    part->request.size, 0);
	return MACHINE_COMPLETE;
}

static const struct machineState shortStates[] = {
	{ "request", doRequest, NULL, 1, MACHINE_RETURN },
	{ "await", doAwait, NULL, 2, MACHINE_RETURN },
	{ "reply", doReply, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState smallReadStates[] = {
	{ "request", doRequest, NULL, 1, MACHINE_RETURN },
	{ "await", doAwait, NULL, 2, MACHINE_RETURN },
	{ "reply", doReply, NULL, 3, MACHINE_RETURN },
	{ "data", doSmallData, NULL, 4, MACHINE_RETURN },
	{ "scatter", doScatter, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState longStates[] = {
	{ "request", doRequest, NULL, 1, MACHINE_RETURN },
	{ "await", doAwait, NULL, 2, MACHINE_RETURN },
	{ "ready", doReply, NULL, 3, MACHINE_RETURN },
	{ "stripes", doStripes, NULL, 4, MACHINE_RETURN },
	{ "finish", doAwait, NULL, 5, MACHINE_RETURN },
	{ "reply", doReply, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState *statesOf(const struct part *part)
{
	if (part->request.operation == WIRE_CREATE)
		return shortStates;
	if (!wireIsSmall(part->request.size))
		return longStates;
	return part->request.operation == WIRE_READ ? smallReadStates
						    : shortStates;
}

/* A part is over; with the last one the call goes on. */
static void partEnded(struct machine *machine)
{
	struct part *part = machine->owner;
	struct call *call = part->call;
	int error, isLast;

	pthread_mutex_lock(&call->lock);
	if (machine->error && !call->partError)
		call->partError = machine->error;
	error = call->partError;
	isLast = --call->pending == 0;
	pthread_mutex_unlock(&call->lock);
	if (isLast)
		machineGoOn(&call->machine, error);
}

/* ---- Calls ------------------------------------------------------------- */

/* Say what a server has to do; whether that is anything. */
static int fillPart(struct call *call, struct part *part, int server)
{
	struct wireRequest *request = &part->request;
	struct stripes *stripes = &part->stripes;
	uint64_t servers = (uint64_t)call->caller->servers, end;

	request->operation = call->operation;
	strcpy(request->name, call->name);
	request->hints = call->hints;
	request->offset = stripeBefore(call->offset, servers, (uint64_t)server);
	end = stripeBefore(call->offset + call->size, servers,
			   (uint64_t)server);
	request->size = end - request->offset;
	/* Names are kept by the first server. */
	if (call->operation == WIRE_CREATE ? server > 0 : request->size == 0)
		return 0;
	stripes->bmi = call->caller->bmi;
	stripes->socket = call->caller->sockets[server];
	stripes->isSend = call->operation == WIRE_WRITE;
	stripes->memory = call->memory;
	stripes->start = call->offset;
	stripes->server = (uint64_t)server;
	stripes->servers = servers;
	stripes->offset = request->offset;
	stripes->size = request->size;
	stripes->hints = call->hints;
	part->length = wireEncode(request, part->bytes);
	if (call->operation == WIRE_WRITE && wireIsSmall(request->size)) {
		stripesCopy(stripes, request->offset,
			    part->bytes + part->length, request->size, 1);
		part->length += request->size;
	}
	part->call = call;
	part->server = server;
	part->machine.name = "part";
	part->machine.owner = part;
	part->machine.ended = partEnded;
	return 1;
}

static enum machineResult doSplit(struct machine *machine)
{
	struct call *call = machine->owner;

	call->parts =
		calloc((size_t)call->caller->servers, sizeof(*call->parts));
	if (!call->parts) {
		machine->error = ENOMEM;
		return MACHINE_ERROR;
	}
	for (int i = 0; i < call->caller->servers; i++)
		if (fillPart(call, &call->parts[call->partCount], i))
			call->partCount++;
	hdR_logAttributeInt64(machine->token, "parts", call->partCount);
	return MACHINE_COMPLETE;
}

static enum machineResult doParts(struct machine *machine)
{
	struct call *call = machine->owner;
	int count = call->partCount;

	if (count == 0)
		return MACHINE_COMPLETE;
	call->pending = count;
	for (int i = 0; i < count; i++)
		machineStart(call->caller->pool, &call->parts[i].machine,
			     statesOf(&call->parts[i]));
	return MACHINE_DEFERRED;
}

static enum machineResult doFinish(struct machine *machine)
{
	struct call *call = machine->owner;

	hdR_freeHints(&call->hints);
	free(call->parts);
	return MACHINE_TERMINATE;
}

static const struct machineState callStates[] = {
	{ "split", doSplit, NULL, 1, 2 },
	{ "parts", doParts, NULL, 2, 2 },
	{ "finish", doFinish, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static void describe(struct machine *machine)
{
	struct call *call = machine->owner;

	hdR_logAttributeString(machine->token, "file", call->name);
	hdR_logAttributeInt64(machine->token, "size", (int64_t)call->size);
	hdR_logAttributeInt64(machine->token, "offset", (int64_t)call->offset);
}

static void ended(struct machine *machine)
{
	struct call *call = machine->owner;

	layerLeave(LAYER_CLIENT, call->size);
	pthread_mutex_lock(&call->lock);
	call->isOver = 1;
	pthread_cond_signal(&call->wake);
	pthread_mutex_unlock(&call->lock);
}

/* Start a call, and wait for it. */
static int perform(struct call *call, struct caller *caller, const char *name)
{
	if (strlen(call->name = name) > WIRE_NAME_MAX)
		return ENAMETOOLONG;
	call->caller = caller;
	pthread_mutex_init(&call->lock, NULL);
	pthread_cond_init(&call->wake, NULL);
	call->machine.owner = call;
	call->machine.describe = describe;
	call->machine.ended = ended;
	layerEnter(LAYER_CLIENT);
	call->machine.token = layerRelate(LAYER_CLIENT, NULL);
	hdR_addTokenHint(&call->hints, call->machine.token);
	machineStart(caller->pool, &call->machine, callStates);
	pthread_mutex_lock(&call->lock);
	while (!call->isOver)
		pthread_cond_wait(&call->wake, &call->lock);
	pthread_mutex_unlock(&call->lock);
	pthread_cond_destroy(&call->wake);
	pthread_mutex_destroy(&call->lock);
	return call->machine.error;
}

int callCreate(struct caller *caller, const char *name)
{
	struct call call = { .operation = WIRE_CREATE,
			     .machine.name = "create" };

	return perform(&call, caller, name);
}

int callWrite(struct caller *caller, const char *name, uint64_t offset,
	      char *memory, uint64_t size)
{
	struct call call = { .operation = WIRE_WRITE,
			     .machine.name = "write",
			     .offset = offset,
			     .size = size,
			     .memory = memory };

	return perform(&call, caller, name);
}

int callRead(struct caller *caller, const char *name, uint64_t offset,
	     char *memory, uint64_t size)
{
	struct call call = { .operation = WIRE_READ,
			     .machine.name = "read",
			     .offset = offset,
			     .size = size,
			     .memory = memory };

	return perform(&call, caller, name);
}
