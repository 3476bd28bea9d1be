/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An operation on its way through an instance; see operation.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "GlusterFSTracing/xlator/token.h"
#include "GlusterFSTracing/xlator/mpi.h"
#include "GlusterFSTracing/xlator/operation.h"
#include "common/hex.h"
#include "common/pool.h"
#include "common/thread.h"

#define GFID_TEXT 37
#define ATTRIBUTES_MAX 10

struct operation {
	const struct instance
		*instance;     /* For who looks whether it is that one. */
	struct record *record; /* Held. */
	struct operationAbout about;
	/* The frame it came by, and who waits there for the result. */
	call_frame_t *frame;
	struct operationCaller caller;
	hdR_token token; /* Or NULL; ended with the operation, kept with it. */
	char *path;      /* Or NULL. */
	bool handsOn;    /* It causes what it becomes below. */
	bool isCounted;  /* By the gauge, until it ends or leaves the layer. */
	bool isLock;     /* Counted by the gauge of locks. */
	bool hasEnded;   /* Its relation, since it has left the layer. */
	bool hasState, hasPid, isRoot;
	bool hasGfid;
	pid_t pid;
	/* The callback, and who goes down with it, or was caused by it. */
	atomic_int holders;
	/* What caused it: one of this process, held; or its token in xdata,
	 * which is held for that; or the token from elsewhere. */
	struct operation *parent;
	const char *above;
	dict_t *xdata;
	char *cause;
	/* Of the enter side: 1 until the leave side has seen it. */
	atomic_int isInside;
	/* From here on it is not set to 0. */
	uuid_t gfid;
	char origin[48]; /* Or "". */
};

/* Of all instances of the process, as many as are often under way. */
#define POOL_OPERATIONS 256

HD_POOL(operationPool, struct operation, POOL_OPERATIONS);

static void operationHold(struct operation *operation)
{
	atomic_fetch_add_explicit(&operation->holders, 1, memory_order_relaxed);
}

/* ---- Locks ------------------------------------------------------------- */

bool hdgFlockWaits(int32_t command, const struct gf_flock *flock)
{
	return (command == F_SETLKW || command == F_SETLKW64) && flock &&
	       flock->l_type != F_UNLCK;
}

/* ---- What this thread is at -------------------------------------------- */

/* On whose behalf this thread runs translators' code: that of an operation,
 * while it is in the call that hands it down, or of what caused it, while it is
 * in the one that hands its result up. What a translator does by itself
 * meanwhile is done on its account. */
static __thread struct current {
	struct operation *at; /* Held. */
	bool isAbove;
} current;

/* Keep what this thread is at, and what to let go of when it is back. */
static struct current *operationGo(struct operation *operation,
				   struct operationWay *way)
{
	struct current *own = &current;

	HD_THREAD_KEEP(own);
	*way = (struct operationWay){ own, own->at, own->isAbove, operation };
	return own;
}

/* It may have ended, and be let go of, before the call returns. */
static void operationGoDown(struct operation *operation,
			    struct operationWay *way)
{
	struct current *own = operationGo(NULL, way);

	if (operation && operation->handsOn) {
		operationHold(operation);
		way->operation = operation;
		own->at = operation;
		own->isAbove = false;
	}
}

/* The token from elsewhere of what caused an operation, or NULL. */
static const char *causeText(const struct operation *operation)
{
	return operation->cause ? operation->cause : operation->above;
}

static void operationGoUp(struct operation *operation, struct operationWay *way)
{
	struct current *own = operationGo(operation, way);

	if (operation->isRoot || operation->parent || causeText(operation)) {
		own->at = operation;
		own->isAbove = true;
	}
}

/* Copy the token of what this thread is at; NULL: nothing that is known. */
static char *currentCopy(void)
{
	const struct operation *at = current.at;
	char text[HDR_TOKEN_SIZE];

	if (!at)
		return NULL;
	if (current.isAbove && !at->parent)
		return causeText(at) ? strdup(causeText(at)) : NULL;
	if (current.isAbove)
		at = at->parent;
	return hdR_putRemoteToken(at->token, text, sizeof(text)) > 0
		       ? strdup(text)
		       : NULL;
}

static void operationFree(struct operation *operation)
{
	if (!operation || atomic_fetch_sub(&operation->holders, 1) != 1)
		return;
	operationFree(operation->parent);
	if (operation->xdata)
		dict_unref(operation->xdata);
	hdR_destroyRelation(&operation->token);
	free(operation->cause);
	free(operation->path);
	hdPoolGive(&operationPool, operation);
}

void operationReturn(struct operationWay way)
{
	struct current *own = &current;

	HD_THREAD_KEEP(own);
	if (own == way.own) {
		own->at = way.at;
		own->isAbove = way.isAbove;
		operationFree(way.operation);
		return;
	}
	/* A task that waited in the call, and goes on in another thread: what
	 * the first one was at is not held for this one. The operation stays
	 * held, since the first one may be at it still. */
	own->at = NULL;
	own->isAbove = false;
}

/* ---- What is above in this process ------------------------------------- */

/* Where those who get results begin, and end. */
extern const char doneBegin[] __asm__("__start_hdtrace_done")
	__attribute__((__visibility__("hidden")));

extern const char doneEnd[] __asm__("__stop_hdtrace_done")
	__attribute__((__visibility__("hidden")));

/* A step of the way up a call stack. */
struct above {
	const call_frame_t *frame;
	void *cookie;
	uintptr_t ret;
};

/* In the order in which operationEnd() does not put them back. */
static struct above aboveAt(const call_frame_t *frame)
{
	struct above above = { .frame = frame };

	above.cookie = __atomic_load_n(&frame->cookie, __ATOMIC_ACQUIRE);
	above.ret = (uintptr_t)__atomic_load_n(&frame->ret, __ATOMIC_ACQUIRE);
	return above;
}

/* Find the next instance of ours whose operation comes by a frame, or by those
 * further up, and cannot have ended: that operation, and NULL at the end. */
static struct operation *operationFindAbove(struct above *above)
{
	while (above->ret - (uintptr_t)doneBegin >=
	       (uintptr_t)doneEnd - (uintptr_t)doneBegin) {
		if (!above->frame->parent)
			return NULL;
		*above = aboveAt(above->frame->parent);
	}
	return above->cookie;
}

/* Leave that operation behind. */
static void aboveNext(struct above *above, const struct operation *operation)
{
	above->ret = (uintptr_t)operation->caller.ret;
	above->cookie = operation->caller.cookie;
}

/* Find the next one above that hands on a token, or NULL. */
static struct operation *findCauseAbove(const call_frame_t *frame)
{
	struct above at = aboveAt(frame);
	struct operation *above;

	while ((above = operationFindAbove(&at))) {
		if (above->handsOn)
			return above;
		aboveNext(&at, above);
	}
	return NULL;
}

bool operationIsFrom(const call_frame_t *frame, const struct instance *instance)
{
	struct above at = aboveAt(frame);
	struct operation *above;

	while ((above = operationFindAbove(&at))) {
		if (above->instance == instance)
			return true;
		aboveNext(&at, above);
	}
	return false;
}

dict_t *operationPass(const call_frame_t *frame,
		      const struct instance *instance, int fop, dict_t *xdata)
{
	const struct operation *above;

	if (instance->isLowest)
		return tokenRemove(xdata);
	/* Who stands above a queue has seen to what is below it. */
	if (instance->side != INSTANCE_WHOLE ||
	    !instanceNeedsToken(instance, fop))
		return xdata;
	above = findCauseAbove(frame);
	return above ? tokenSet(xdata, above->token) : xdata;
}

/* Say which translator made an operation that none of ours above knows of. */
static void findOrigin(const call_frame_t *frame, char *origin, size_t size)
{
	const xlator_t *maker = NULL;
	const char *name;

	for (frame = frame->parent; frame; frame = frame->parent) {
		if (frame->this)
			maker = frame->this;
	}
	name = maker && maker->type ? maker->type : "unknown";
	if (strchr(name, '/'))
		name = strchr(name, '/') + 1;
	snprintf(origin, size, "%s", name);
}

/* Whether a highest instance of a brick has something that no client asked for:
 * the server looks for files before it does what it was asked for, and when a
 * client comes; and it closes what one that went has open, without a request.
 */
static bool isServers(const call_frame_t *frame,
		      const struct operation *operation)
{
	return !frame->root->client || !frame->root->state ||
	       (frame->root->op > 0 && frame->root->op != operation->about.fop);
}

/* Find what caused an operation that comes into this process here. */
static void findCauseOfTop(const call_frame_t *frame,
			   const struct instance *instance,
			   struct operation *operation)
{
	char mpi[HDR_TOKEN_SIZE];

	if (operation->above)
		return;
	if (instance->isClient && mpiCurrentRelation(mpi, sizeof(mpi)))
		operation->cause = strdup(mpi);
	else if (!instance->isClient && isServers(frame, operation))
		findOrigin(frame, operation->origin, sizeof(operation->origin));
}

/* Find what caused an operation. What a translator between ours does by itself
 * says so: its cause is what the thread was at. */
static void findCause(const call_frame_t *frame,
		      const struct instance *instance,
		      struct operation *operation, dict_t *xdata)
{
	if (!instance->isTop)
		operation->parent = findCauseAbove(frame);
	if (operation->parent) {
		operationHold(operation->parent);
		return;
	}
	operation->above = tokenFind(xdata);
	if (operation->above)
		operation->xdata = dict_ref(xdata);
	if (instance->isTop) {
		findCauseOfTop(frame, instance, operation);
	} else if (!operation->above) {
		findOrigin(frame, operation->origin, sizeof(operation->origin));
		operation->cause = currentCopy();
	}
}

/* Relate an operation to what caused it, and begin its state. */
static hdR_token relateWithState(struct operation *operation, hdR_token parent,
				 const char *text)
{
	hdR_topoToken relations = operation->record->relations;
	hdR_token token = hdR_startRelation(relations, parent, text,
					    operation->about.name);

	operation->isRoot = !parent && !text;
	/* By the wire there may come anything. */
	if (!token && text) {
		operation->isRoot = true;
		token = hdR_startRelation(relations, NULL, NULL,
					  operation->about.name);
	}
	operation->hasState = token;
	return token;
}

/* The same without a state. */
static hdR_token relate(struct operation *operation, hdR_token parent,
			const char *text)
{
	hdR_topoToken relations = operation->record->relations;
	hdR_token token = NULL;

	if (parent)
		token = hdR_relateProcessLocalToken(relations, parent);
	else if (text)
		token = hdR_relateRemoteToken(relations, text);
	operation->isRoot = !token;
	return token ? token : hdR_createTopLevelRelation(relations);
}

static void operationRelate(const call_frame_t *frame,
			    const struct instance *instance,
			    struct operation *operation, bool hasState,
			    dict_t *xdata)
{
	hdR_token parent;
	const char *text;

	if (!operation->record->relations)
		return;
	findCause(frame, instance, operation, xdata);
	parent = operation->parent ? operation->parent->token : NULL;
	text = parent ? NULL : causeText(operation);
	operation->token = hasState ? relateWithState(operation, parent, text)
				    : relate(operation, parent, text);
}

/* ---- Begin ------------------------------------------------------------- */

/* A file that has one says which it is. */
static void aboutGfid(struct operation *operation, const unsigned char *gfid)
{
	uint64_t halves[2];

	memcpy(halves, gfid, sizeof(halves));
	operation->hasGfid = halves[0] | halves[1];
	memcpy(operation->gfid, halves, sizeof(halves));
}

static void aboutFile(struct operation *operation, bool hasPath)
{
	const struct operationAbout *about = &operation->about;
	inode_t *inode = about->fd ? about->fd->inode : NULL;

	if (about->loc) {
		inode = about->loc->inode;
		aboutGfid(operation, about->loc->gfid);
	}
	if (!operation->hasGfid && inode)
		aboutGfid(operation, inode->gfid);
	if (!hasPath)
		return;
	if (about->loc && about->loc->path)
		operation->path = strdup(about->loc->path);
	else if (inode) {
		char *path = NULL;

		if (inode_path(inode, NULL, &path) >= 0 && path)
			operation->path = strdup(path);
		GF_FREE(path);
	}
}

/* The leave side: whatever came in at the enter side is out of the layer. */
static void operationLeave(const call_frame_t *frame,
			   const struct instance *instance)
{
	struct above at = aboveAt(frame);
	struct operation *above = operationFindAbove(&at);

	if (above && strcmp(above->record->layer, instance->layer) == 0 &&
	    atomic_exchange(&above->isInside, 0) == 1) {
		if (above->isCounted)
			hdS_gaugeAdd(above->record->gauge, -1, 0);
		above->isCounted = false;
		hdR_finishRelation(above->token, 0, NULL);
		above->hasEnded = true;
	}
}

static struct operation *operationMake(struct instance *instance,
				       struct record *record,
				       const struct operationAbout *about)
{
	struct operation *operation = hdPoolTake(&operationPool);

	if (!operation)
		return NULL;
	memset(operation, 0, offsetof(struct operation, gfid));
	operation->origin[0] = '\0';
	operation->instance = instance;
	operation->record = record;
	operation->about = *about;
	atomic_init(&operation->holders, 1);
	return operation;
}

/* Whether it causes what is below. What waited in a queue causes nothing:
 * whoever put it there does. */
static bool operationHandsOn(const struct operation *operation,
			     const struct instance *instance)
{
	return operation->token && !instance->isLowest &&
	       (instance->side != INSTANCE_ENTER || operation->isRoot);
}

/* The result of an operation is to come to us. */
static void operationAwait(struct operation *operation, call_frame_t *frame)
{
	operation->frame = frame;
	operation->caller.ret = (void (*)(void))frame->ret;
	operation->caller.cookie = frame->cookie;
	frame->cookie = operation;
	frame->ret = (ret_fn_t)operation->about.done;
}

/* Record what comes into an instance, or is out of a layer there: the
 * operation, or NULL where it is only passed on. */
static struct operation *operationRecord(call_frame_t *frame,
					 struct instance *instance,
					 const struct operationAbout *about,
					 dict_t *xdata)
{
	unsigned int what =
		atomic_load_explicit(&instance->what, memory_order_relaxed);
	struct operation *operation;
	struct record *record;

	if (instance->side == INSTANCE_LEAVE) {
		operationLeave(frame, instance);
		return NULL;
	}
	record = recordHold(&instance->record);
	operation = record ? operationMake(instance, record, about) : NULL;
	if (!operation) {
		recordRelease(record);
		return NULL;
	}
	if (what & RECORD_RELATIONS)
		operationRelate(frame, instance, operation,
				what & RECORD_STATES, xdata);
	if (operation->token) {
		if (operation->hasState && instance->side == INSTANCE_WHOLE)
			aboutFile(operation, instance->hasPaths);
		operation->hasPid = instance->isTop && instance->isClient;
		operation->pid = frame->root->pid;
	}
	operation->isInside = 1;
	operation->isCounted = (what & RECORD_GAUGES) && record->gauge;
	if (operation->isCounted)
		hdS_gaugeAdd(record->gauge, 1, 0);
	operation->isLock =
		(what & RECORD_GAUGES) && about->waits && instance->isTop;
	if (operation->isLock)
		recordCountLock(record, 1);
	operation->handsOn = operationHandsOn(operation, instance);
	operationAwait(operation, frame);
	return operation;
}

dict_t *operationBegin(call_frame_t *frame, struct instance *instance,
		       const struct operationAbout *about, dict_t *xdata,
		       struct operationWay *way)
{
	struct operation *operation =
		operationRecord(frame, instance, about, xdata);

	operationGoDown(operation, way);
	if (!operation || !operation->handsOn)
		return operationPass(frame, instance, about->fop, xdata);
	return instanceNeedsToken(instance, about->fop)
		       ? tokenSet(xdata, operation->token)
		       : xdata;
}

/* ---- End --------------------------------------------------------------- */

static void gfidPut(char *to, const unsigned char *gfid)
{
	char digits[32];

	hdHexPut(digits, gfid, 16);
	memcpy(to, digits, 8);
	memcpy(to + 9, digits + 8, 4);
	memcpy(to + 14, digits + 12, 4);
	memcpy(to + 19, digits + 16, 4);
	memcpy(to + 24, digits + 20, 12);
	to[8] = to[13] = to[18] = to[23] = '-';
	to[36] = '\0';
}

/* The attributes of a state. */
struct attributes {
	int count;
	hdR_attribute list[ATTRIBUTES_MAX];
};

static void operationAddText(struct attributes *attributes, const char *key,
			     const char *value)
{
	hdR_attribute *to = &attributes->list[attributes->count++];

	to->key = key;
	to->text = value;
}

static void operationAddNumber(struct attributes *attributes, const char *key,
			       int64_t value)
{
	hdR_attribute *to = &attributes->list[attributes->count++];

	to->key = key;
	to->text = NULL;
	to->number = value;
}

/* That a file is not there, or has no such attribute, is an answer. */
static bool isFailure(const struct operation *operation, int32_t error)
{
	switch (operation->about.fop) {
	case GF_FOP_LOOKUP:
		return error != ENOENT && error != ESTALE;
	case GF_FOP_GETXATTR:
	case GF_FOP_FGETXATTR:
		return error != ENODATA;
	default:
		return true;
	}
}

static int operationEndState(struct operation *operation, int32_t result,
			     int32_t error, const struct iatt *file)
{
	struct attributes attributes;
	char gfid[GFID_TEXT];

	/* What is not used of it needs no value. */
	attributes.count = 0;
	if (!operation->hasGfid && result >= 0 && file)
		aboutGfid(operation, file->ia_gfid);
	if (operation->hasGfid) {
		gfidPut(gfid, operation->gfid);
		operationAddText(&attributes, "gfid", gfid);
	}
	if (operation->path)
		operationAddText(&attributes, "path", operation->path);
	if (operation->about.hasOffset)
		operationAddNumber(&attributes, "offset",
				   operation->about.offset);
	if (operation->about.hasSize)
		operationAddNumber(&attributes, "size", operation->about.size);
	operationAddNumber(&attributes, "result", result);
	if (result < 0) {
		operationAddNumber(&attributes, "errno", error);
		if (isFailure(operation, error))
			operationAddText(&attributes, HDR_ERROR_KEY,
					 strerror(error));
	}
	if (operation->hasPid)
		operationAddNumber(&attributes, "pid", operation->pid);
	if (operation->origin[0])
		operationAddText(&attributes, "origin", operation->origin);
	return hdR_finishRelation(operation->token, attributes.count,
				  attributes.list);
}

/* Whoever waits for the result gets it, and what comes by the frame thereafter
 * is of those above. */
static struct operationCaller operationGiveBack(struct operation *operation)
{
	struct operationCaller caller = operation->caller;
	call_frame_t *frame = operation->frame;

	__atomic_store_n(&frame->ret, (ret_fn_t)caller.ret, __ATOMIC_RELEASE);
	__atomic_store_n(&frame->cookie, caller.cookie, __ATOMIC_RELEASE);
	return caller;
}

struct operationCaller operationEnd(void *cookie, int32_t result, int32_t error,
				    const struct iatt *file,
				    struct operationWay *way)
{
	struct operation *operation = cookie;
	struct operationCaller caller = operationGiveBack(operation);
	int64_t bytes = operation->about.movesBytes && result > 0 ? result : 0;

	operationGoUp(operation, way);
	if (operation->isLock)
		recordCountLock(operation->record, -1);
	if (operation->isCounted)
		hdS_gaugeAdd(operation->record->gauge, -1, bytes);
	if (operation->token && !operation->hasEnded) {
		/* A path that is too long, or no memory. */
		if (!operation->hasState ||
		    operationEndState(operation, result, error, file) < 0)
			hdR_finishRelation(operation->token, 0, NULL);
	}
	recordRelease(operation->record);
	return caller;
}
