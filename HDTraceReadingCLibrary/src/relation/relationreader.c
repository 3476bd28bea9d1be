/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relations of a .rel file, each with its states. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/relation/relationreader.h"

/* A relation whose end has not come. */
struct hdIOpenRelation {
	hdIRelation pub;
	struct hdIArena arena; /* All its texts. */
	int64_t time;          /* Its last one. */
	hdIRelationState *states;
	size_t *outer; /* Of each state: the one it lies in, or SIZE_MAX. */
	size_t stateRoom;
	size_t top; /* The innermost open state, or SIZE_MAX. */
	const char **links;
	size_t linkRoom;
	struct hdIOpenRelation *next;
	struct hdIOpenRelation *previous;
};

/* ---- Those that are open ----------------------------------------------- */

static struct hdIOpenRelation *relReaderFindOpen(
	const struct hdIRelationReader *reader, uint64_t id)
{
	return hdMapGetPointer(&reader->open, id);
}

static struct hdIOpenRelation *relReaderAddOpen(
	struct hdIRelationReader *reader, uint64_t id)
{
	struct hdIOpenRelation *open = reader->unused;

	if (!open)
		open = calloc(1, sizeof(*open));
	if (!open || hdMapSet(&reader->open, id, (uintptr_t)open) < 0) {
		if (open != reader->unused)
			free(open);
		return NULL;
	}
	if (open == reader->unused)
		reader->unused = open->next;
	memset(&open->pub, 0, sizeof(open->pub));
	open->pub.id = id;
	open->pub.end = HDI_NEVER;
	open->top = SIZE_MAX;
	open->next = NULL;
	open->previous = reader->last;
	if (reader->last)
		reader->last->next = open;
	else
		reader->first = open;
	reader->last = open;
	return open;
}

static void takeOut(struct hdIRelationReader *reader,
		    struct hdIOpenRelation *open)
{
	uint64_t removed;

	hdMapRemove(&reader->open, open->pub.id, &removed);
	if (open->next)
		open->next->previous = open->previous;
	else
		reader->last = open->previous;
	if (open->previous)
		open->previous->next = open->next;
	else
		reader->first = open->next;
}

static void freeList(struct hdIOpenRelation *open)
{
	while (open) {
		struct hdIOpenRelation *next = open->next;

		hdIArenaFree(&open->arena);
		free(open->states);
		free(open->outer);
		free(open->links);
		free(open);
		open = next;
	}
}

void hdIRelationsForget(struct hdIRelationReader *reader)
{
	freeList(reader->first);
	freeList(reader->unused);
	freeList(reader->delivered);
	hdMapClear(&reader->open);
}

/* ---- What elements say of them ----------------------------------------- */

static char *copy(struct hdIOpenRelation *open, const char *text)
{
	return hdIArenaCopy(&open->arena, text, strlen(text));
}

/* Copy attributes, with room for some more behind them. */
static hdIAttribute *copyAttributes(struct hdIOpenRelation *open,
				    const hdIAttribute *from, size_t count,
				    size_t more)
{
	hdIAttribute *to =
		hdIArenaAllocArray(&open->arena, count + more, sizeof(*to));

	for (size_t i = 0; to && i < count; i++) {
		to[i].name = copy(open, from[i].name);
		to[i].value = copy(open, from[i].value);
		if (!to[i].name || !to[i].value)
			return NULL;
	}
	return to;
}

static int relReaderBeginRelation(struct hdIRelationReader *reader,
				  const hdIRelationRecord *record)
{
	struct hdIOpenRelation *open = relReaderAddOpen(reader, record->id);
	const char *parent, *trace;

	if (!open)
		return -ENOMEM;
	open->time = record->time;
	open->pub.start = record->time;
	/* Without memory, it is still delivered. */
	open->pub.parentKind = HDI_PARENT_NONE;
	open->pub.parent = open->pub.trace = "";
	parent = copy(open, record->parent);
	trace = copy(open, record->trace);
	if (!parent || !trace)
		return -ENOMEM;
	open->pub.parentKind = record->parentKind;
	open->pub.parent = parent;
	open->pub.trace = trace;
	return 0;
}

static int beginState(struct hdIOpenRelation *open,
		      const hdIRelationRecord *record)
{
	size_t count = open->pub.stateCount;
	hdIRelationState *state;

	if (count == open->stateRoom) {
		size_t room = count ? 2 * count : 4;
		hdIRelationState *states =
			realloc(open->states, room * sizeof(*states));
		size_t *outer;

		if (!states)
			return -ENOMEM;
		open->states = states;
		outer = realloc(open->outer, room * sizeof(*outer));
		if (!outer)
			return -ENOMEM;
		open->outer = outer;
		open->stateRoom = room;
	}
	state = &open->states[count];
	memset(state, 0, sizeof(*state));
	state->depth =
		open->top == SIZE_MAX ? 0 : open->states[open->top].depth + 1;
	state->start = record->time;
	state->end = HDI_NEVER;
	state->name = copy(open, record->name);
	state->attributes = copyAttributes(open, record->attributes,
					   record->attributeCount, 0);
	state->attributeCount = record->attributeCount;
	if (!state->name || !state->attributes)
		return -ENOMEM;
	open->outer[count] = open->top;
	open->top = count;
	open->pub.stateCount++;
	return 0;
}

/* The end's attributes win over those of the begin. */
static int mergeAttributes(struct hdIOpenRelation *open,
			   hdIRelationState *state,
			   const hdIRelationRecord *record)
{
	size_t count = state->attributeCount;
	hdIAttribute *all;

	if (record->attributeCount == 0)
		return 0;
	all = hdIArenaAllocArray(&open->arena, count + record->attributeCount,
				 sizeof(*all));
	if (!all)
		return -ENOMEM;
	if (count > 0)
		memcpy(all, state->attributes, count * sizeof(*all));
	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *from = &record->attributes[i];
		char *value = copy(open, from->value);
		size_t k = 0;

		while (k < state->attributeCount &&
		       strcmp(all[k].name, from->name) != 0)
			k++;
		if (k == state->attributeCount) {
			k = count++;
			all[k].name = copy(open, from->name);
		}
		all[k].value = value;
		if (!all[k].name || !value)
			return -ENOMEM;
	}
	state->attributes = all;
	state->attributeCount = count;
	return 0;
}

static int addLink(struct hdIOpenRelation *open,
		   const hdIRelationRecord *record)
{
	size_t count = open->pub.linkCount;

	if (count == open->linkRoom) {
		size_t room = count ? 2 * count : 4;
		const char **links =
			realloc(open->links, room * sizeof(*links));

		if (!links)
			return -ENOMEM;
		open->links = links;
		open->linkRoom = room;
	}
	open->links[count] = copy(open, record->parent);
	if (!open->links[count])
		return -ENOMEM;
	open->pub.linkCount++;
	return 0;
}

static int relReaderLeaveOut(struct hdIRelationReader *reader, const char *why)
{
	hdIReport(&reader->xml->sink, HDI_RULE_REL_ORDER, reader->xml->file,
		  reader->record.offset, 0, "relation %llu %s; omitted",
		  (unsigned long long)reader->record.id, why);
	return 0;
}

static void checkTime(struct hdIRelationReader *reader,
		      struct hdIOpenRelation *open)
{
	if (reader->record.time < open->time)
		hdIReport(&reader->xml->sink, HDI_RULE_REL_TIME_ORDER,
			  reader->xml->file, reader->record.offset, 0,
			  "relation %llu: the time steps back",
			  (unsigned long long)open->pub.id);
	else
		open->time = reader->record.time;
}

/* Take the element at hand: 1 if it ends a relation, which is then first in
 * the list of those to deliver. */
static int relReaderAddElement(struct hdIRelationReader *reader)
{
	const hdIRelationRecord *record = &reader->record;
	struct hdIOpenRelation *open = relReaderFindOpen(reader, record->id);
	int ret = 0;

	if (record->kind == HDI_RELATION_BEGIN)
		return open ? relReaderLeaveOut(reader, "begins a second time")
			    : relReaderBeginRelation(reader, record);
	if (!open)
		return relReaderLeaveOut(reader, "does not exist or has ended");
	checkTime(reader, open);
	switch (record->kind) {
	case HDI_STATE_BEGIN:
		return beginState(open, record);
	case HDI_STATE_END:
		if (open->top == SIZE_MAX)
			return relReaderLeaveOut(
				reader, "ends a state that is not open");
		ret = mergeAttributes(open, &open->states[open->top], record);
		open->states[open->top].end = record->time;
		open->top = open->outer[open->top];
		return ret;
	case HDI_RELATION_LINK:
		return addLink(open, record);
	default:
		open->pub.end = record->time;
		takeOut(reader, open);
		open->next = reader->delivered;
		reader->delivered = open;
		return 1;
	}
}

static void recycle(struct hdIRelationReader *reader)
{
	static const struct hdIArenaMark empty;
	struct hdIOpenRelation *open = reader->delivered;

	if (!open)
		return;
	reader->delivered = open->next;
	hdIArenaRelease(&open->arena, empty);
	open->next = reader->unused;
	reader->unused = open;
}

int hdI_readRelation(hdIRelationReader *reader, const hdIRelation **relation)
{
	struct hdIOpenRelation *open;
	int ret = 0;

	recycle(reader);
	while (!reader->isOver && ret == 0) {
		ret = hdIRelationNext(reader);
		if (ret == 1) {
			ret = relReaderAddElement(reader);
			if (ret == 1)
				break;
			if (ret == 0)
				continue;
		}
		reader->isOver = 1;
		reader->error = ret;
	}
	if (!reader->delivered) {
		if (!reader->first) {
			errno = reader->error ? -reader->error : errno;
			return reader->error ? -1 : 0;
		}
		open = reader->first;
		takeOut(reader, open);
		open->next = NULL;
		reader->delivered = open;
	}
	open = reader->delivered;
	open->pub.states = open->states;
	open->pub.links = open->links;
	open->pub.endOffset = reader->record.endOffset;
	*relation = &open->pub;
	return 1;
}
