/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to ctf: relations. A file of them is a stream, whose events
 * are in the order of time, whatever relation they are about; each says which.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/export/ctf.h"
#include "HDTraceTools/export/relations.h"

enum { RELATION_BEGIN, RELATION_END, STATE_ENTER, STATE_LEAVE };

/** No text: babeltrace2 2.0 takes an empty one for that of an event before. */
#define NOTHING "-"

/** Something happened. */
struct change {
	int64_t time;
	uint32_t number; /**< To whom. */
	uint32_t order;  /**< What of one relation was first. */
	uint32_t state;  /**< Which one it is about. */
	uint32_t kind;
};

/** The changes of a file while they are gathered. */
struct gathering {
	struct sorter *changes;
	struct change next;
	GArray *open; /**< uint32_t: states that are open, by depth. */
};

static const char description[] =
	"event {\n"
	"\tname = \"begin\";\n"
	"\tid = 0;\n"
	"\tstream_id = %" PRIu32 ";\n"
	"\tfields := struct {\n"
	"\t\tstring _relation;\n"
	"\t\tstring _parent;\n"
	"\t\tstring _parent_span;\n"
	"\t\tstring _trace;\n"
	"\t\tuint32_t _count;\n"
	"\t\tstring _links[_count];\n"
	"\t};\n"
	"};\n"
	"event {\n"
	"\tname = \"end\";\n"
	"\tid = 1;\n"
	"\tstream_id = %" PRIu32 ";\n"
	"\tfields := struct { string _relation; };\n"
	"};\n"
	"event {\n"
	"\tname = \"enter\";\n"
	"\tid = 2;\n"
	"\tstream_id = %" PRIu32 ";\n"
	"\tfields := struct {\n"
	"\t\tstring _relation;\n"
	"\t\tstring _name;\n"
	"\t\tuint32_t _count;\n"
	"\t\tstruct { string key; string value; } _attributes[_count];\n"
	"\t};\n"
	"};\n"
	"event {\n"
	"\tname = \"leave\";\n"
	"\tid = 3;\n"
	"\tstream_id = %" PRIu32 ";\n"
	"\tfields := struct { string _relation; string _name; };\n"
	"};\n";

static int compareChanges(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* ---- Gathering --------------------------------------------------------- */

static int addChange(struct gathering *self, uint32_t kind, uint32_t state,
		     int64_t time)
{
	self->next.kind = kind;
	self->next.state = state;
	self->next.order++;
	self->next.time = time;
	return sorterAdd(self->changes, &self->next);
}

/** Leave states until only so many are open. */
static int leaveStates(struct gathering *self,
		       const struct forestRelation *relation, guint count)
{
	int ret = 0;

	while (ret == 0 && self->open->len > count) {
		uint32_t state = g_array_index(self->open, uint32_t,
					       self->open->len - 1);
		int64_t end = relation->states[state].end;

		g_array_set_size(self->open, self->open->len - 1);
		if (end != HDI_NEVER)
			ret = addChange(self, STATE_LEAVE, state, end);
	}
	return ret;
}

static int addRelation(struct gathering *self,
		       const struct forestRelation *relation)
{
	int ret;

	self->next.number = relation->number;
	self->next.order = 0;
	g_array_set_size(self->open, 0);
	ret = addChange(self, RELATION_BEGIN, 0, relation->start);
	for (uint32_t i = 0; i < relation->stateCount && ret == 0; i++) {
		const hdIRelationState *state = &relation->states[i];

		ret = leaveStates(self, relation, state->depth);
		if (ret == 0)
			ret = addChange(self, STATE_ENTER, i, state->start);
		g_array_append_val(self->open, i);
	}
	if (ret == 0)
		ret = leaveStates(self, relation, 0);
	if (ret == 0 && relation->end != HDI_NEVER)
		ret = addChange(self, RELATION_END, 0, relation->end);
	return ret;
}

/** Gather what happened to the relations of a file. */
static int gather(struct ctf *self, struct forest *forest,
		  const struct forestFile *file, struct sorter *changes)
{
	struct gathering gathering = { .changes = changes };
	struct forestRelation relation;
	int ret = 0;

	gathering.open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = 0; i < file->count && ret == 0; i++) {
		if (!exportHasRelation(self->export, forest, file->first + i))
			continue;
		ret = forestGet(forest, file->first + i, &relation);
		if (ret == 0)
			ret = addRelation(&gathering, &relation);
		self->export->relations++;
		self->export->states += relation.stateCount;
	}
	g_array_unref(gathering.open);
	return ret;
}

/* ---- Writing ----------------------------------------------------------- */

static void putState(struct ctf *self, FILE *file,
		     const hdIRelationState *state)
{
	ctfClearAttributes(self);
	for (size_t i = 0; i < state->attributeCount; i++)
		ctfAddAttribute(self, state->attributes[i].name,
				state->attributes[i].value);
	ctfPutText(file, state->name);
	ctfPutAttributes(self, file);
}

static void putChange(struct ctf *self, FILE *file, const struct change *change,
		      const struct forestRelation *relation)
{
	ctfPutStamp(file, change->kind, change->time);
	ctfPutText(file, relation->token);
	switch (change->kind) {
	case RELATION_BEGIN:
		ctfPutText(file, relation->parent ? relation->parent : NOTHING);
		ctfPutText(file, relation->span ? relation->span : NOTHING);
		ctfPutText(file, *relation->trace ? relation->trace : NOTHING);
		ctfPutNumber(file, relation->linkCount, 4);
		for (size_t i = 0; i < relation->linkCount; i++)
			ctfPutText(file, relation->links[i]);
		break;
	case STATE_ENTER:
		putState(self, file, &relation->states[change->state]);
		break;
	case STATE_LEAVE:
		ctfPutText(file, relation->states[change->state].name);
		break;
	}
}

static int putChanges(struct ctf *self, FILE *file, struct forest *forest,
		      struct sorter *changes)
{
	struct forestRelation relation = { .token = NULL };
	struct change change;
	int ret;

	while ((ret = sorterNext(changes, &change)) == 1) {
		if (!relation.token || relation.number != change.number)
			ret = forestGet(forest, change.number, &relation);
		if (ret < 0)
			break;
		putChange(self, file, &change, &relation);
	}
	return ret;
}

static int writeFile(struct ctf *self, struct forest *forest,
		     const struct forestFile *from)
{
	struct sorter *changes =
		sorterNew(sizeof(struct change), compareChanges);
	uint32_t id = self->streams;
	struct newFile file;
	int ret = exportTemporary(self->export,
				  gather(self, forest, from, changes));

	if (ret == 0)
		ret = ctfStartStream(self, &file, from->file->node,
				     from->file->file);
	if (ret == 0) {
		ctfDescribeStream(self);
		g_string_append_printf(self->metadata, description, id, id, id,
				       id);
		ret = exportTemporary(
			self->export,
			putChanges(self, file.file, forest, changes));
		ret = exportEndFile(self->export, &file, ret < 0);
		self->streams++;
	}
	sorterFree(changes);
	return ret;
}

int ctfWriteRelations(struct ctf *self)
{
	struct forest *forest = exportReadRelations(self->export);
	int ret = forest ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < forestFileCount(forest); i++) {
		const struct forestFile *file = forestFileAt(forest, i);

		if (selectionHasNode(&self->export->selection,
				     file->file->node))
			ret = writeFile(self, forest, file);
	}
	forestFree(forest);
	return ret;
}
