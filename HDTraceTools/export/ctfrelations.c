/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to ctf: relations. A file of them is a stream, whose events
 * are in the order of time, whatever relation they are about; each says which.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/export/ctf.h"
#include "HDTraceTools/export/relationtext.h"

enum { RELATION_BEGIN, RELATION_END, STATE_ENTER, STATE_LEAVE };

/** No text: babeltrace2 2.0 takes an empty one for that of an event before. */
#define NOTHING "-"

/** Something happened. */
struct change {
	int64_t time;
	uint32_t number; /**< To whom. */
	uint32_t order;  /**< What of one relation was first. */
	uint32_t kind;
	uint32_t size;   /**< Of what the event says, */
	uint64_t offset; /**< which begins there. */
};

/** The changes of a file. What they say is rendered while their relation is at
 *  hand: in the order of time each would be about another one. */
struct gathering {
	struct ctf *ctf;
	struct sorter *changes;
	struct spool *said;
	struct change next;
	GArray *open; /**< uint32_t: states that are open, by depth. */
	/* A file in memory, for what is rendered. */
	FILE *file;
	char *bytes;
	size_t size;
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

static int ctfRelationsCompareChanges(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* ---- Rendering --------------------------------------------------------- */

static void ctfRelationsPutState(struct ctf *self, FILE *file,
				 const hdIRelationState *state)
{
	ctfClearAttributes(self);
	for (size_t i = 0; i < state->attributeCount; i++)
		ctfAddAttribute(self, state->attributes[i].name,
				state->attributes[i].value);
	ctfPutText(file, state->name);
	ctfPutAttributes(self, file);
}

/** Put what an event says; state is NULL if it is about none. */
static void putChange(struct ctf *self, FILE *file, uint32_t kind,
		      const struct forestRelation *relation,
		      const hdIRelationState *state)
{
	ctfPutText(file, relation->token);
	switch (kind) {
	case RELATION_BEGIN:
		ctfPutText(file, relation->parent ? relation->parent : NOTHING);
		ctfPutText(file, relation->span ? relation->span : NOTHING);
		ctfPutText(file, *relation->trace ? relation->trace : NOTHING);
		ctfPutNumber(file, relation->linkCount, 4);
		for (size_t i = 0; i < relation->linkCount; i++)
			ctfPutText(file, relation->links[i]);
		break;
	case STATE_ENTER:
		ctfRelationsPutState(self, file, state);
		break;
	case STATE_LEAVE:
		ctfPutText(file, state->name);
		break;
	}
}

/* ---- Gathering --------------------------------------------------------- */

static int ctfRelationsAddChange(struct gathering *self, uint32_t kind,
				 const struct forestRelation *relation,
				 const hdIRelationState *state, int64_t time)
{
	int ret;

	rewind(self->file);
	putChange(self->ctf, self->file, kind, relation, state);
	if (fflush(self->file) != 0)
		return -errno;
	self->next.kind = kind;
	self->next.order++;
	self->next.time = time;
	self->next.offset = spoolLength(self->said);
	self->next.size = (uint32_t)self->size;
	ret = spoolAppend(self->said, self->bytes, self->size);
	return ret < 0 ? ret : sorterAdd(self->changes, &self->next);
}

/** Leave states until only so many are open. */
static int leaveStates(struct gathering *self,
		       const struct forestRelation *relation, guint count)
{
	int ret = 0;

	while (ret == 0 && self->open->len > count) {
		const hdIRelationState *state = &relation->states[g_array_index(
			self->open, uint32_t, self->open->len - 1)];

		g_array_set_size(self->open, self->open->len - 1);
		if (state->end != HDI_NEVER)
			ret = ctfRelationsAddChange(self, STATE_LEAVE, relation,
						    state, state->end);
	}
	return ret;
}

static int ctfRelationsAddRelation(struct gathering *self,
				   const struct forestRelation *relation)
{
	int ret;

	self->next.number = relation->number;
	self->next.order = 0;
	g_array_set_size(self->open, 0);
	ret = ctfRelationsAddChange(self, RELATION_BEGIN, relation, NULL,
				    relation->start);
	for (uint32_t i = 0; i < relation->stateCount && ret == 0; i++) {
		const hdIRelationState *state = &relation->states[i];

		ret = leaveStates(self, relation, state->depth);
		if (ret == 0)
			ret = ctfRelationsAddChange(self, STATE_ENTER, relation,
						    state, state->start);
		g_array_append_val(self->open, i);
	}
	if (ret == 0)
		ret = leaveStates(self, relation, 0);
	if (ret == 0 && relation->end != HDI_NEVER)
		ret = ctfRelationsAddChange(self, RELATION_END, relation, NULL,
					    relation->end);
	return ret;
}

/** Gather what happened to the relations of a file. */
static int ctfRelationsGatherChanges(struct gathering *self,
				     struct forest *forest,
				     const struct forestFile *file)
{
	struct export *export = self->ctf->export;
	struct forestRelation relation;
	int ret = 0;

	self->file = open_memstream(&self->bytes, &self->size);
	if (!self->file)
		return -errno;
	for (uint32_t i = 0; i < file->count && ret == 0; i++) {
		if (!exportHasRelation(export, forest, file->first + i))
			continue;
		ret = forestGet(forest, file->first + i, &relation);
		if (ret == 0)
			ret = ctfRelationsAddRelation(self, &relation);
		export->relations++;
		export->states += relation.stateCount;
	}
	fclose(self->file);
	return ret;
}

/* ---- Writing ----------------------------------------------------------- */

static int putChanges(struct gathering *self, FILE *file)
{
	GByteArray *said = g_byte_array_new();
	struct change change;
	int ret;

	while ((ret = sorterNext(self->changes, &change)) == 1) {
		g_byte_array_set_size(said, change.size);
		ret = spoolRead(self->said, change.offset, said->data,
				change.size);
		if (ret < 0)
			break;
		ctfPutStamp(file, change.kind, change.time);
		fwrite(said->data, 1, change.size, file);
	}
	g_byte_array_unref(said);
	return ret;
}

static int ctfRelationsWriteFile(struct ctf *self, struct forest *forest,
				 const struct forestFile *from)
{
	struct gathering gathering = {
		.ctf = self,
		.changes = sorterNew(sizeof(struct change),
				     ctfRelationsCompareChanges),
		.said = spoolNew(),
		.open = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	};
	uint32_t id = self->streams;
	struct newFile file;
	int ret = exportTemporary(
		self->export,
		ctfRelationsGatherChanges(&gathering, forest, from));

	if (ret == 0)
		ret = ctfStartStream(self, &file, from->file->node,
				     from->file->file);
	if (ret == 0) {
		ctfDescribeStream(self);
		g_string_append_printf(self->metadata, description, id, id, id,
				       id);
		ret = exportTemporary(self->export,
				      putChanges(&gathering, file.file));
		ret = exportEndFile(self->export, &file, ret < 0);
		self->streams++;
	}
	sorterFree(gathering.changes);
	spoolFree(gathering.said);
	g_array_unref(gathering.open);
	free(gathering.bytes);
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
			ret = ctfRelationsWriteFile(self, forest, file);
	}
	forestFree(forest);
	return ret;
}
