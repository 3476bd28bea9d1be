/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An operation on its way through a place; see operation.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "GlusterFSTracing/xlator/mpi.h"
#include "GlusterFSTracing/xlator/operation.h"
#include "common/number.h"
#include "common/pool.h"

#define GFID_TEXT 37
#define ATTRIBUTES_MAX 10

struct operation {
	const struct place *place; /* For who looks whether it is that one. */
	struct record *record;     /* Held. */
	struct operationAbout about;
	/* The frame it came by, and who waits there for the result. */
	call_frame_t *frame;
	struct operationCaller caller;
	hdR_token token; /* Or NULL. */
	char *path;      /* Or NULL. */
	bool isCounted;  /* By the gauge, until it ends or leaves the layer. */
	bool isLock;     /* Counted by the gauge of locks. */
	bool hasState, hasPid, isRoot;
	bool hasGfid;
	pid_t pid;
	uuid_t gfid;
	char origin[48];
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
	char text[HDR_TOKEN_SIZE]; /* The token, for those below; or "". */
};

/* Of all places of the process, as many as are often under way. */
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

/* ---- The token in xdata ------------------------------------------------ */

/* Find the token of whoever is above, or return NULL. What came by the wire may
 * be anything. */
static const char *tokenFind(dict_t *xdata)
{
	data_t *data = xdata ? dict_get_sizen(xdata, TOKEN_KEY) : NULL;

	if (!data || !data->data || data->len == 0 ||
	    data->len > HDR_TOKEN_SIZE ||
	    !memchr(data->data, '\0', (size_t)data->len))
		return NULL;
	return data->data;
}

/* Copy a dictionary without the token in it; the values are the same. */
static dict_t *tokenLeaveOut(const dict_t *xdata)
{
	dict_t *dict = dict_new();

	for (data_pair_t *at = xdata ? xdata->members_list : NULL; dict && at;
	     at = at->next) {
		if (strcmp(at->key, TOKEN_KEY) == 0)
			continue;
		if (dict_addn(dict, at->key, (int)strlen(at->key), at->value) <
		    0) {
			dict_unref(dict);
			dict = NULL;
		}
	}
	return dict;
}

/* Get a dictionary with another token in it. Without memory the old one goes
 * on: its token is that of a cause further up. */
static dict_t *tokenSet(dict_t *xdata, const char *text)
{
	dict_t *dict = tokenLeaveOut(xdata);
	char *copy = dict ? gf_strdup(text) : NULL;

	if (copy && dict_set_dynstr_sizen(dict, TOKEN_KEY, copy) == 0)
		return dict;
	GF_FREE(copy);
	if (dict)
		dict_unref(dict);
	return xdata;
}

/* Get a dictionary without a token in it. */
static dict_t *tokenRemove(dict_t *xdata)
{
	if (!xdata || !dict_get_sizen(xdata, TOKEN_KEY))
		return xdata;
	/* Nothing else in it: as if there had been none. */
	return xdata->count == 1 ? NULL : tokenLeaveOut(xdata);
}

void operationPassed(dict_t *handed, dict_t *xdata)
{
	if (handed && handed != xdata)
		dict_unref(handed);
}

/* ---- What this thread is at -------------------------------------------- */

/* The token on whose behalf this thread runs translators' code: while it is in
 * the call that hands an operation down, or in the one that hands its result
 * up. What a translator does by itself meanwhile is done on its account. */
static __thread const char *current;

/* It may have ended, and be let go of, before the call returns. */
static void operationGoDown(struct operation *operation,
			    struct operationWay *way)
{
	way->before = current;
	way->operation = NULL;
	if (operation && operation->text[0]) {
		operationHold(operation);
		way->operation = operation;
		current = operation->text;
	}
}

/* The token of what caused an operation, or NULL. */
static const char *causeText(const struct operation *operation)
{
	if (operation->parent)
		return operation->parent->text;
	return operation->cause ? operation->cause : operation->above;
}

static void operationGoUp(struct operation *operation, struct operationWay *way)
{
	*way = (struct operationWay){ current, operation };
	if (operation->isRoot || causeText(operation))
		current = causeText(operation);
}

static void operationFree(struct operation *operation)
{
	if (!operation || atomic_fetch_sub(&operation->holders, 1) != 1)
		return;
	operationFree(operation->parent);
	if (operation->xdata)
		dict_unref(operation->xdata);
	free(operation->cause);
	free(operation->path);
	hdPoolGive(&operationPool, operation);
}

void operationReturn(struct operationWay way)
{
	current = way.before;
	operationFree(way.operation);
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

/* Find the next place of ours whose operation comes by a frame, or by those
 * further up, and cannot have ended: that operation, and NULL at the end. */
static struct operation *findAbove(struct above *above)
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

	while ((above = findAbove(&at))) {
		if (above->text[0])
			return above;
		aboveNext(&at, above);
	}
	return NULL;
}

bool operationIsFrom(const call_frame_t *frame, const struct place *place)
{
	struct above at = aboveAt(frame);
	struct operation *above;

	while ((above = findAbove(&at))) {
		if (above->place == place)
			return true;
		aboveNext(&at, above);
	}
	return false;
}

dict_t *operationPass(const call_frame_t *frame, const struct place *place,
		      int fop, dict_t *xdata)
{
	const struct operation *above;

	if (place->isLowest)
		return tokenRemove(xdata);
	/* Who stands above a queue has seen to what is below it. */
	if (place->side != PLACE_WHOLE || !placeNeedsToken(place, fop))
		return xdata;
	above = findCauseAbove(frame);
	return above ? tokenSet(xdata, above->text) : xdata;
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

/* Whether a highest place of a brick has something that no client asked for:
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
static void findCauseOfTop(const call_frame_t *frame, const struct place *place,
			   struct operation *operation)
{
	char mpi[HDR_TOKEN_SIZE];

	if (operation->above)
		return;
	if (place->isClient && mpiCurrentRelation(mpi, sizeof(mpi)))
		operation->cause = strdup(mpi);
	else if (!place->isClient && isServers(frame, operation))
		findOrigin(frame, operation->origin, sizeof(operation->origin));
}

/* Find what caused an operation. What a translator between ours does by itself
 * says so: its cause is what the thread was at. */
static void findCause(const call_frame_t *frame, const struct place *place,
		      struct operation *operation, dict_t *xdata)
{
	if (!place->isTop)
		operation->parent = findCauseAbove(frame);
	if (operation->parent) {
		operationHold(operation->parent);
		return;
	}
	operation->above = tokenFind(xdata);
	if (operation->above)
		operation->xdata = dict_ref(xdata);
	if (place->isTop) {
		findCauseOfTop(frame, place, operation);
	} else if (!operation->above) {
		findOrigin(frame, operation->origin, sizeof(operation->origin));
		operation->cause = current ? strdup(current) : NULL;
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
			    const struct place *place,
			    struct operation *operation, bool hasState,
			    dict_t *xdata)
{
	hdR_token parent;
	const char *text;

	if (!operation->record->relations)
		return;
	findCause(frame, place, operation, xdata);
	/* That of a layer which is left has ended. */
	parent = operation->parent ? operation->parent->token : NULL;
	text = parent ? NULL : causeText(operation);
	operation->token = hasState ? relateWithState(operation, parent, text)
				    : relate(operation, parent, text);
}

/* ---- Begin ------------------------------------------------------------- */

static void aboutFile(struct operation *operation, bool hasPath)
{
	const struct operationAbout *about = &operation->about;
	inode_t *inode = about->fd ? about->fd->inode : NULL;

	if (about->loc) {
		inode = about->loc->inode;
		if (!gf_uuid_is_null((unsigned char *)about->loc->gfid)) {
			gf_uuid_copy(operation->gfid, about->loc->gfid);
			operation->hasGfid = true;
		}
	}
	if (!operation->hasGfid && inode && !gf_uuid_is_null(inode->gfid)) {
		gf_uuid_copy(operation->gfid, inode->gfid);
		operation->hasGfid = true;
	}
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
static void operationLeave(const call_frame_t *frame, const struct place *place)
{
	struct above at = aboveAt(frame);
	struct operation *above = findAbove(&at);

	if (above && strcmp(above->record->layer, place->layer) == 0 &&
	    atomic_exchange(&above->isInside, 0) == 1) {
		if (above->isCounted)
			hdS_gaugeAdd(above->record->gauge, -1, 0);
		above->isCounted = false;
		if (above->hasState)
			hdR_endRelation(&above->token, 0, NULL, NULL);
		hdR_destroyRelation(&above->token);
	}
}

static struct operation *operationMake(struct place *place,
				       struct record *record,
				       const struct operationAbout *about)
{
	struct operation *operation = hdPoolTake(&operationPool);

	if (!operation)
		return NULL;
	memset(operation, 0, offsetof(struct operation, text) + 1);
	operation->place = place;
	operation->record = record;
	operation->about = *about;
	atomic_init(&operation->holders, 1);
	return operation;
}

/* Make the text of its token, for those below. What waited in a queue causes
 * nothing: whoever put it there does. */
static void operationPutToken(struct operation *operation,
			      const struct place *place)
{
	if (!operation->token || place->isLowest ||
	    (place->side == PLACE_ENTER && !operation->isRoot))
		return;
	if (hdR_putRemoteToken(operation->token, operation->text,
			       sizeof(operation->text)) < 0)
		operation->text[0] = '\0';
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

/* Record what comes into a place, or is out of a layer there: the operation, or
 * NULL where it is only passed on. */
static struct operation *operationRecord(call_frame_t *frame,
					 struct place *place,
					 const struct operationAbout *about,
					 dict_t *xdata)
{
	unsigned int what =
		atomic_load_explicit(&place->what, memory_order_relaxed);
	struct operation *operation;
	struct record *record;

	if (place->side == PLACE_LEAVE) {
		operationLeave(frame, place);
		return NULL;
	}
	record = recordHold(&place->record);
	operation = record ? operationMake(place, record, about) : NULL;
	if (!operation) {
		recordRelease(record);
		return NULL;
	}
	if (what & RECORD_RELATIONS)
		operationRelate(frame, place, operation, what & RECORD_STATES,
				xdata);
	if (operation->token) {
		if (operation->hasState && place->side == PLACE_WHOLE)
			aboutFile(operation, place->hasPaths);
		operation->hasPid = place->isTop && place->isClient;
		operation->pid = frame->root->pid;
	}
	operation->isInside = 1;
	operation->isCounted = (what & RECORD_GAUGES) && record->gauge;
	if (operation->isCounted)
		hdS_gaugeAdd(record->gauge, 1, 0);
	operation->isLock =
		(what & RECORD_GAUGES) && about->waits && place->isTop;
	if (operation->isLock)
		recordCountLock(record, 1);
	operationPutToken(operation, place);
	operationAwait(operation, frame);
	return operation;
}

dict_t *operationBegin(call_frame_t *frame, struct place *place,
		       const struct operationAbout *about, dict_t *xdata,
		       struct operationWay *way)
{
	struct operation *operation =
		operationRecord(frame, place, about, xdata);

	operationGoDown(operation, way);
	if (!operation || !operation->text[0])
		return operationPass(frame, place, about->fop, xdata);
	return placeNeedsToken(place, about->fop)
		       ? tokenSet(xdata, operation->text)
		       : xdata;
}

/* ---- End --------------------------------------------------------------- */

static void gfidPut(char *to, const unsigned char *gfid)
{
	static const char digits[] = "0123456789abcdef";
	/* Where each byte goes: with '-' behind 4, 6, 8 and 10. */
	static const unsigned char places[16] = { 0,  2,  4,  6,  9,  11,
						  14, 16, 19, 21, 24, 26,
						  28, 30, 32, 34 };

	for (int i = 0; i < 16; i++) {
		to[places[i]] = digits[gfid[i] >> 4];
		to[places[i] + 1] = digits[gfid[i] & 15];
	}
	to[8] = to[13] = to[18] = to[23] = '-';
	to[36] = '\0';
}

/* The attributes of a state, and the memory of their texts. */
struct attributes {
	int count;
	const char *keys[ATTRIBUTES_MAX];
	const char *values[ATTRIBUTES_MAX];
	char *to;
	char texts[ATTRIBUTES_MAX * (HD_INT64_MAX + 1)];
};

static void addText(struct attributes *attributes, const char *key,
		    const char *value)
{
	attributes->keys[attributes->count] = key;
	attributes->values[attributes->count++] = value;
}

static void addNumber(struct attributes *attributes, const char *key,
		      int64_t value)
{
	addText(attributes, key, attributes->to);
	attributes->to = hdNumberInt64(attributes->to, value);
	*attributes->to++ = '\0';
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

static void endState(struct operation *operation, int32_t result, int32_t error,
		     const struct iatt *file)
{
	struct attributes attributes;
	char gfid[GFID_TEXT];

	/* What is not used of it needs no value. */
	attributes.count = 0;
	attributes.to = attributes.texts;
	if (!operation->hasGfid && result >= 0 && file) {
		gf_uuid_copy(operation->gfid, file->ia_gfid);
		operation->hasGfid = !gf_uuid_is_null(operation->gfid);
	}
	if (operation->hasGfid) {
		gfidPut(gfid, operation->gfid);
		addText(&attributes, "gfid", gfid);
	}
	if (operation->path)
		addText(&attributes, "path", operation->path);
	if (operation->about.hasOffset)
		addNumber(&attributes, "offset", operation->about.offset);
	if (operation->about.hasSize)
		addNumber(&attributes, "size", operation->about.size);
	addNumber(&attributes, "result", result);
	if (result < 0) {
		addNumber(&attributes, "errno", error);
		if (isFailure(operation, error))
			addText(&attributes, HDR_ERROR_KEY, strerror(error));
	}
	if (operation->hasPid)
		addNumber(&attributes, "pid", operation->pid);
	if (operation->origin[0])
		addText(&attributes, "origin", operation->origin);
	hdR_endRelation(&operation->token, attributes.count, attributes.keys,
			attributes.values);
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
	if (operation->hasState && operation->token)
		endState(operation, result, error, file);
	hdR_destroyRelation(&operation->token);
	recordRelease(operation->record);
	return caller;
}
