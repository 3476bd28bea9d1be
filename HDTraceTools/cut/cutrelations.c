/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: a part of relations.
 *
 * Elements are copied as they are. What began before the part is kept until
 * something in the part, or behind it, shows that it goes on; then it begins
 * where the part does. What goes on behind the part ends where the part does.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/model/diagnostics.h"
#include "common/format/seconds.h"

/** The first tag of relations ends within so many bytes. */
#define CUT_RELATIONS_HEAD 1048576

/** A state that has not ended. */
struct cutOpenState {
	GString *begin; /**< Its element; NULL: it is written. */
	bool isCut;     /**< It began before the part. */
};

/** A relation that has not ended. */
struct cutRelation {
	uint64_t id;
	GString *begin; /**< Its first element and causes; NULL: written. */
	GArray *states; /**< struct cutOpenState, outer ones first. */
	bool isCut;     /**< It began before the part. */
	bool isClosed;  /**< The part has its end. */
};

/** Relations that are being written. */
struct cutRelationsState {
	struct cut *cut;
	hdIFile *file;
	FILE *out;
	int64_t base;     /**< Times of the file are relative to it. */
	GHashTable *open; /**< Ids to struct cutRelation. */
	GString *element; /**< The one at hand. */
	bool isReached;   /**< The file has times in the part, or behind it. */
	bool isPassed;    /**< The file has times behind the part. */
	int error;        /**< Of an element; 0 or a negative errno. */
};

static void cutOpenStateClear(void *data)
{
	struct cutOpenState *state = data;

	if (state->begin)
		g_string_free(state->begin, TRUE);
}

static void cutRelationFree(void *data)
{
	struct cutRelation *relation = data;

	if (relation->begin)
		g_string_free(relation->begin, TRUE);
	g_array_unref(relation->states);
	g_free(relation);
}

/* ---- Elements ---------------------------------------------------------- */

/** Read an element as it is in the file: 0 or a negative errno. */
static int cutRelationsLoad(struct cutRelationsState *self,
			    const hdIRelationRecord *record)
{
	size_t size = (size_t)(record->endOffset - record->offset), done = 0;

	g_string_set_size(self->element, size);
	while (done < size) {
		ssize_t got =
			hdI_readFile(self->file, record->offset + (int64_t)done,
				     self->element->str + done, size - done);

		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

/** Set an attribute of the tag that a text begins with. */
static void cutSetAttribute(GString *text, const char *name, const char *value)
{
	struct xmlPiece tag;
	size_t start, end;
	char *added;

	if (!xmlNext(text->str, text->len, 0, &tag))
		return;
	if (xmlFindAttribute(text->str, &tag, name, &start, &end)) {
		g_string_erase(text, (gssize)start, (gssize)(end - start));
		g_string_insert(text, (gssize)start, value);
		return;
	}
	added = g_strdup_printf(" %s=\"%s\"", name, value);
	g_string_insert(text,
			(gssize)(tag.end - (tag.kind == XML_EMPTY ? 2 : 1)),
			added);
	g_free(added);
}

/** Let an element be at the start of the part, with a mark. */
static void cutMoveToStart(const struct cutRelationsState *self, GString *text,
			   bool isMarked)
{
	char buffer[OUT_NUMBER_SIZE];
	struct xmlPiece tag;
	size_t start, end;
	char *old = NULL;

	cutSetAttribute(
		text, "time",
		outSeconds(buffer, self->cut->selection.start - self->base));
	if (!isMarked)
		return;
	if (xmlNext(text->str, text->len, 0, &tag) &&
	    xmlFindAttribute(text->str, &tag, "cut", &start, &end))
		old = g_strndup(text->str + start, end - start);
	cutSetAttribute(text, "cut", cutMark(old, true, false));
	g_free(old);
}

/** Write the end of a state or relation where the part ends. */
static void cutPutEnd(const struct cutRelationsState *self, const char *element,
		      uint64_t id, bool isCut)
{
	char buffer[OUT_NUMBER_SIZE];

	fprintf(self->out, "<%s t=\"%" PRIu64 "\" time=\"%s\" cut=\"%s\"/>",
		element, id,
		outSeconds(buffer, self->cut->selection.end - self->base),
		cutMark(NULL, isCut, true));
}

static void cutPutText(const struct cutRelationsState *self, GString **text)
{
	fwrite((*text)->str, 1, (*text)->len, self->out);
	g_string_free(*text, TRUE);
	*text = NULL;
}

/* ---- Relations --------------------------------------------------------- */

/** Write what began before the part. */
static void cutRelationFlush(const struct cutRelationsState *self,
			     struct cutRelation *relation)
{
	if (relation->begin)
		cutPutText(self, &relation->begin);
	for (guint i = 0; i < relation->states->len; i++) {
		struct cutOpenState *state = &g_array_index(
			relation->states, struct cutOpenState, i);

		if (state->begin)
			cutPutText(self, &state->begin);
	}
}

/** End a relation where the part ends. */
static void cutRelationClose(const struct cutRelationsState *self,
			     struct cutRelation *relation)
{
	if (relation->isClosed)
		return;
	relation->isClosed = true;
	cutRelationFlush(self, relation);
	for (guint i = relation->states->len; i > 0; i--)
		cutPutEnd(self, "e", relation->id,
			  g_array_index(relation->states, struct cutOpenState,
					i - 1)
				  .isCut);
	cutPutEnd(self, "un", relation->id, relation->isCut);
}

static struct cutRelation *cutRelationBegin(struct cutRelationsState *self,
					    uint64_t id)
{
	struct cutRelation *relation = g_new0(struct cutRelation, 1);

	relation->id = id;
	relation->states =
		g_array_new(FALSE, FALSE, sizeof(struct cutOpenState));
	g_array_set_clear_func(relation->states, cutOpenStateClear);
	g_hash_table_insert(self->open, g_memdup2(&id, sizeof(id)), relation);
	return relation;
}

/** Take the end of the innermost state; false: there is none. */
static bool cutRelationPop(struct cutRelation *relation)
{
	if (relation->states->len == 0)
		return false;
	g_array_set_size(relation->states, relation->states->len - 1);
	return true;
}

/** Take an element that is not behind the start of the part. */
static void cutTakeBefore(struct cutRelationsState *self,
			  struct cutRelation *relation,
			  const hdIRelationRecord *record)
{
	bool isCut = record->time < self->cut->selection.start;
	struct cutOpenState state = { .isCut = isCut };

	switch (record->kind) {
	case HDI_RELATION_BEGIN:
		cutMoveToStart(self, self->element, isCut);
		relation->begin = g_string_new_len(self->element->str,
						   (gssize)self->element->len);
		relation->isCut = isCut;
		break;
	case HDI_RELATION_LINK:
		cutMoveToStart(self, self->element, false);
		if (relation->begin)
			g_string_append_len(relation->begin, self->element->str,
					    (gssize)self->element->len);
		break;
	case HDI_STATE_BEGIN:
		cutMoveToStart(self, self->element, isCut);
		state.begin = g_string_new_len(self->element->str,
					       (gssize)self->element->len);
		g_array_append_val(relation->states, state);
		break;
	case HDI_STATE_END:
		cutRelationPop(relation);
		break;
	case HDI_RELATION_END:
		g_hash_table_remove(self->open, &relation->id);
		break;
	}
}

/** Take an element in the part. */
static void cutTakeInside(struct cutRelationsState *self,
			  struct cutRelation *relation,
			  const hdIRelationRecord *record)
{
	struct cutOpenState state = { .begin = NULL };

	cutRelationFlush(self, relation);
	if (record->kind == HDI_STATE_END && !cutRelationPop(relation))
		return;
	if (record->kind == HDI_STATE_BEGIN)
		g_array_append_val(relation->states, state);
	fwrite(self->element->str, 1, self->element->len, self->out);
	if (record->kind == HDI_RELATION_END)
		g_hash_table_remove(self->open, &relation->id);
}

/** Take an element: 0 or a negative errno. */
static int cutRelationsAdd(struct cutRelationsState *self,
			   const hdIRelationRecord *record)
{
	const struct selection *selection = &self->cut->selection;
	struct cutRelation *relation =
		g_hash_table_lookup(self->open, &record->id);
	bool isBegin = record->kind == HDI_RELATION_BEGIN;
	int ret;

	self->isReached |= record->time > selection->start;
	self->isPassed |= record->time > selection->end;
	/* Elements of other relations have no effect. */
	if (isBegin ? relation != NULL : relation == NULL)
		return 0;
	if (record->time > selection->end) {
		if (relation)
			cutRelationClose(self, relation);
		if (record->kind == HDI_RELATION_END)
			g_hash_table_remove(self->open, &record->id);
		return 0;
	}
	if (relation && relation->isClosed)
		return 0;
	ret = cutRelationsLoad(self, record);
	if (ret < 0)
		return ret;
	if (isBegin)
		relation = cutRelationBegin(self, record->id);
	if (record->time <= selection->start)
		cutTakeBefore(self, relation, record);
	else
		cutTakeInside(self, relation, record);
	return 0;
}

static gint cutCompareRelations(gconstpointer a, gconstpointer b)
{
	const struct cutRelation *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/** The file is over: relations that never end go on behind the part, if the
 *  file does. */
static void cutRelationsEnd(struct cutRelationsState *self)
{
	GList *left = g_list_sort(g_hash_table_get_values(self->open),
				  cutCompareRelations);

	for (GList *i = left; i && self->isReached; i = i->next) {
		if (self->isPassed)
			cutRelationClose(self, i->data);
		else
			cutRelationFlush(self, i->data);
	}
	g_list_free(left);
}

/* ---- The file ---------------------------------------------------------- */

/** Copy the tag that holds all: 0 or a negative errno. */
static int cutRelationsHead(struct cutRelationsState *self, const char *path,
			    bool *isEmpty)
{
	struct xmlPiece tag;
	const char *text;
	size_t size, start, end;
	GBytes *bytes;
	int ret = contentGet(path, CUT_RELATIONS_HEAD, &bytes);

	if (ret < 0)
		return ret;
	text = g_bytes_get_data(bytes, &size);
	if (text && xmlFindTag(text, size, 0, "relation", &tag)) {
		*isEmpty = tag.kind == XML_EMPTY;
		fwrite(text, 1, tag.end, self->out);
		fputc('\n', self->out);
		if (xmlFindAttribute(text, &tag, "timeAdjustment", &start,
				     &end)) {
			char *value = g_strndup(text + start, end - start);

			if (hdAdjustmentParse(value, &self->base) < 0)
				self->base = 0;
			g_free(value);
		}
	} else {
		ret = -EBADMSG;
	}
	g_bytes_unref(bytes);
	return ret;
}

static bool cutRelationsTake(const hdIRelationRecord *record, void *data)
{
	struct cutRelationsState *self = data;

	self->error = cutRelationsAdd(self, record);
	return self->error == 0;
}

static int cutRelationsRead(struct cutRelationsState *self,
			    const hdIRelationFile *file)
{
	struct scan scan = cutScan(self->cut);
	hdIRelationReader *reader =
		diagnosticsOpenRelations(self->cut->project, file, NULL);

	if (!reader)
		return -errno;
	scanElements(&scan, reader, cutRelationsTake, self);
	if (self->error == 0)
		cutRelationsEnd(self);
	hdI_closeRelations(reader);
	return self->error;
}

bool cutRelations(struct cut *cut, const hdIRelationFile *file)
{
	struct newFile *new = cutStartFile(cut, file->file);
	struct cutRelationsState self = { .cut = cut };
	bool isEmpty = false;
	int ret = 0;

	if (!new)
		return false;
	self.out = new->file;
	self.element = g_string_new(NULL);
	self.open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					  cutRelationFree);
	self.file = hdI_openFile(file->file, NULL, NULL);
	if (!self.file)
		ret = -errno;
	if (ret == 0)
		ret = cutRelationsHead(&self, file->file, &isEmpty);
	if (ret == 0 && !isEmpty) {
		ret = cutRelationsRead(&self, file);
		fputs("</relation>", new->file);
	}
	hdI_closeFile(self.file);
	g_hash_table_destroy(self.open);
	g_string_free(self.element, TRUE);
	return cutEndFile(cut, file->file, new, ret);
}
