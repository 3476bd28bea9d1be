/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a server does with a request: state machines. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow.h"
#include "layers.h"
#include "request.h"
#include "scheduler.h"
#include "wire.h"

struct request {
	struct machine machine;
	struct service *service;
	void *connection;
	int socket;
	struct wireRequest wire;
	char *data;       /* What came along with it. */
	hdR_hints *hints; /* For the layers below. */
	struct schedulerEntry entry;
	int fd;
	char reply[WIRE_REPLY + WIRE_SMALL];
	int isScheduled, isBroken;
	struct bmiOperation message;
	struct troveOperation operation;
	struct flow flow;
};

/* ---- Operations that states wait for ----------------------------------- */

/* What a post returned, as the result of an action. */
static enum machineResult posted(struct machine *machine, int ret)
{
	if (ret == 0)
		return MACHINE_DEFERRED;
	if (ret > 0)
		return MACHINE_COMPLETE;
	machine->error = -ret;
	return MACHINE_ERROR;
}

static enum machineResult failed(struct machine *machine)
{
	machine->error = errno;
	return MACHINE_ERROR;
}

static void bmiCompleted(struct bmiOperation *message, int error)
{
	struct request *request = message->owner;

	if (error)
		request->isBroken = 1;
	machineGoOn(&request->machine, error);
}

static enum machineResult sendBytes(struct request *request, size_t size)
{
	enum machineResult result;

	request->message = (struct bmiOperation){
		.socket = request->socket,
		.buffer = request->reply,
		.size = size,
		.isSend = 1,
		.hints = request->hints,
		.completed = bmiCompleted,
		.owner = request,
	};
	result = posted(&request->machine,
			bmiPost(request->service->bmi, &request->message));
	if (result == MACHINE_ERROR)
		request->isBroken = 1;
	return result;
}

static void troveCompleted(struct troveOperation *operation, int error)
{
	struct request *request = operation->owner;

	machineGoOn(&request->machine, error);
}

static enum machineResult useTrove(struct request *request, enum troveKind kind,
				   char *buffer)
{
	request->operation = (struct troveOperation){
		.kind = kind,
		.fd = kind == TROVE_CREATE ? request->service->directory
					   : request->fd,
		.name = request->wire.name,
		.buffer = buffer,
		.size = kind == TROVE_CREATE ? 0 : request->wire.size,
		.offset = (long long)request->wire.offset,
		.hints = request->hints,
		.completed = troveCompleted,
		.owner = request,
	};
	return posted(&request->machine,
		      trovePost(request->service->trove, &request->operation));
}

static void flowCompleted(struct flow *flow, int error)
{
	struct request *request = flow->owner;

	if (flow->isBroken)
		request->isBroken = 1;
	machineGoOn(&request->machine, error);
}

/* ---- States ------------------------------------------------------------ */

static enum machineResult doSchedule(struct machine *machine)
{
	struct request *request = machine->owner;
	const char *slash = strchr(request->wire.name, '/');

	request->isScheduled = 1;
	request->entry.machine = machine;
	if (request->wire.operation == WIRE_CREATE) {
		request->entry.key[0] = '/';
		if (slash)
			memcpy(request->entry.key + 1, request->wire.name,
			       (size_t)(slash - request->wire.name));
	}
	return schedulerPost(&request->entry);
}

static enum machineResult doOpen(struct machine *machine)
{
	struct request *request = machine->owner;
	int flags = request->wire.operation == WIRE_WRITE ? O_RDWR | O_CREAT
							  : O_RDONLY;

	request->fd = openat(request->service->directory, request->wire.name,
			     flags | O_CLOEXEC, 0666);
	return request->fd < 0 ? failed(machine) : MACHINE_COMPLETE;
}

static enum machineResult doMakeDirectory(struct machine *machine)
{
	struct request *request = machine->owner;

	if (request->entry.key[1] &&
	    mkdirat(request->service->directory, request->entry.key + 1, 0777) <
		    0 &&
	    errno != EEXIST)
		return failed(machine);
	return MACHINE_COMPLETE;
}

static enum machineResult doCreate(struct machine *machine)
{
	return useTrove(machine->owner, TROVE_CREATE, NULL);
}

static enum machineResult doSmallWrite(struct machine *machine)
{
	struct request *request = machine->owner;

	return useTrove(request, TROVE_WRITE, request->data);
}

static enum machineResult doSmallRead(struct machine *machine)
{
	struct request *request = machine->owner;

	return useTrove(request, TROVE_READ, request->reply + WIRE_REPLY);
}

/* Tell the client that its data may come, or is about to be sent. */
static enum machineResult doReady(struct machine *machine)
{
	struct request *request = machine->owner;

	wireEncodeReply(request->reply, 0, request->wire.size);
	return sendBytes(request, WIRE_REPLY);
}

static enum machineResult doFlow(struct machine *machine)
{
	struct request *request = machine->owner;
	struct flow *flow = &request->flow;

	flow->bmi = request->service->bmi;
	flow->trove = request->service->trove;
	flow->socket = request->socket;
	flow->fd = request->fd;
	flow->toStorage = request->wire.operation == WIRE_WRITE;
	flow->offset = request->wire.offset;
	flow->size = request->wire.size;
	flow->hints = request->hints;
	flow->completed = flowCompleted;
	flow->owner = request;
	flowPost(flow);
	return MACHINE_DEFERRED;
}

/* Files of a server are as long as what was written into them. */
static enum machineResult doAccount(struct machine *machine)
{
	struct request *request = machine->owner;
	struct stat info;

	if (fstat(request->fd, &info) < 0)
		return failed(machine);
	hdR_logAttributeInt64(machine->token, "fileSize", info.st_size);
	return MACHINE_COMPLETE;
}

static enum machineResult doRespond(struct machine *machine)
{
	struct request *request = machine->owner;
	size_t size = WIRE_REPLY;

	if (request->isBroken)
		return MACHINE_COMPLETE;
	if (request->wire.operation == WIRE_READ && !machine->error &&
	    wireIsSmall(request->wire.size))
		size += request->wire.size;
	wireEncodeReply(request->reply, machine->error, request->wire.size);
	return sendBytes(request, size);
}

static enum machineResult doRelease(struct machine *machine)
{
	struct request *request = machine->owner;

	if (request->fd >= 0)
		close(request->fd);
	return MACHINE_TERMINATE;
}

/* ---- Machines ---------------------------------------------------------- */

static const struct machineState transferStates[] = {
	{ "flow", doFlow, NULL, 1, MACHINE_RETURN },
	{ "account", doAccount, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState ioStates[] = {
	{ "schedule", doSchedule, NULL, 1, 4 },
	{ "open", doOpen, NULL, 2, 4 },
	{ "ready", doReady, NULL, 3, 5 },
	{ "transfer", NULL, transferStates, 4, 4 },
	{ "respond", doRespond, NULL, 5, 5 },
	{ "release", doRelease, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState smallWriteStates[] = {
	{ "schedule", doSchedule, NULL, 1, 3 },
	{ "open", doOpen, NULL, 2, 3 },
	{ "write", doSmallWrite, NULL, 3, 3 },
	{ "respond", doRespond, NULL, 4, 4 },
	{ "release", doRelease, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState smallReadStates[] = {
	{ "schedule", doSchedule, NULL, 1, 3 },
	{ "open", doOpen, NULL, 2, 3 },
	{ "read", doSmallRead, NULL, 3, 3 },
	{ "respond", doRespond, NULL, 4, 4 },
	{ "release", doRelease, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState createStates[] = {
	{ "schedule", doSchedule, NULL, 1, 3 },
	{ "directory", doMakeDirectory, NULL, 2, 3 },
	{ "create", doCreate, NULL, 3, 3 },
	{ "respond", doRespond, NULL, 4, 4 },
	{ "release", doRelease, NULL, MACHINE_RETURN, MACHINE_RETURN },
};

static const struct machineState *statesOf(struct request *request)
{
	struct wireRequest *wire = &request->wire;

	switch (wire->operation) {
	case WIRE_CREATE:
		request->machine.name = "create";
		return createStates;
	case WIRE_WRITE:
		request->machine.name =
			wireIsSmall(wire->size) ? "small-write" : "write";
		return wireIsSmall(wire->size) ? smallWriteStates : ioStates;
	case WIRE_READ:
	default:
		request->machine.name =
			wireIsSmall(wire->size) ? "small-read" : "read";
		return wireIsSmall(wire->size) ? smallReadStates : ioStates;
	}
}

static void describe(struct machine *machine)
{
	struct request *request = machine->owner;

	hdR_logAttributeString(machine->token, "file", request->wire.name);
	if (request->wire.operation == WIRE_CREATE)
		return;
	hdR_logAttributeInt64(machine->token, "totalSize",
			      (int64_t)request->wire.size);
	hdR_logAttributeInt64(machine->token, "offset",
			      (int64_t)request->wire.offset);
}

static void ended(struct machine *machine)
{
	struct request *request = machine->owner;
	struct service *service = request->service;
	void *connection = request->connection;
	int isBroken = request->isBroken;

	layerLeave(LAYER_REQ, request->wire.size);
	if (request->isScheduled)
		schedulerRelease(&request->entry);
	hdR_freeHints(&request->wire.hints);
	hdR_freeHints(&request->hints);
	free(request);
	service->answered(connection, isBroken);
}

void requestStart(struct service *service, void *connection, int socket,
		  char *bytes)
{
	struct request *request = calloc(1, sizeof(*request));
	const char *data;

	if (!request) {
		service->answered(connection, 1);
		return;
	}
	data = wireDecode(&request->wire, bytes);
	if (!data) {
		free(request);
		service->answered(connection, 1);
		return;
	}
	request->service = service;
	request->connection = connection;
	request->socket = socket;
	request->data = bytes + (data - bytes);
	request->fd = -1;
	request->machine.owner = request;
	request->machine.describe = describe;
	request->machine.ended = ended;
	layerEnter(LAYER_REQ);
	/* A client that does not trace has sent no token. */
	request->machine.token = layerRelate(LAYER_REQ, request->wire.hints);
	hdR_addTokenHint(&request->hints, request->machine.token);
	machineStart(service->pool, &request->machine, statesOf(request));
}
