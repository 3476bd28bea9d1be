/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All relations of a project, and which one caused which.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/relations/forestparts.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/relations/forest.h"
#include "HDTraceTools/model/relations/tokens.h"
#include "common/format/relationid.h"

/** So many relations pass without progress. */
#define PROGRESS_STEP 256

/** What is in memory of each relation. */
struct entry {
	uint64_t offset; /**< Of the rest, in the spool. */
	int64_t start;
	int64_t end;
};

/** Times of those that a relation caused, or of its states. */
struct interval {
	int64_t start;
	int64_t end;
};

int forestCompareMentions(const void *left, const void *right)
{
	const struct mention *a = left, *b = right;
	int order = memcmp(a->key, b->key, sizeof(a->key));

	if (order)
		return order;
	if (a->isReference != b->isReference)
		return a->isReference ? 1 : -1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->link > b->link) - (a->link < b->link);
}

static void forestFreeFile(void *data)
{
	struct forestFile *file = data;

	g_free(file->prefix);
	g_free(file->host);
	g_free(file);
}

struct forest *forestNew(const hdIProject *project)
{
	struct forest *self = g_new0(struct forest, 1);

	self->project = project;
	self->files = g_ptr_array_new_with_free_func(forestFreeFile);
	self->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	self->rest = spoolNew();
	self->mentions =
		sorterNew(sizeof(struct mention), forestCompareMentions);
	self->circular = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	self->causes = g_array_new(FALSE, FALSE, sizeof(struct forestLink));
	self->bytes = g_byte_array_new();
	self->states = g_array_new(FALSE, FALSE, sizeof(hdIRelationState));
	self->attributes = g_array_new(FALSE, FALSE, sizeof(hdIAttribute));
	self->links = g_array_new(FALSE, FALSE, sizeof(char *));
	self->token = g_string_new(NULL);
	self->parent = g_string_new(NULL);
	self->intervals = g_array_new(FALSE, FALSE, sizeof(struct interval));
	return self;
}

void forestFree(struct forest *self)
{
	if (!self)
		return;
	g_ptr_array_unref(self->files);
	g_array_unref(self->entries);
	spoolFree(self->rest);
	sorterFree(self->mentions);
	g_free(self->parents);
	g_free(self->children);
	g_free(self->siblings);
	g_free(self->depths);
	g_array_unref(self->circular);
	g_array_unref(self->causes);
	g_byte_array_unref(self->bytes);
	g_array_unref(self->states);
	g_array_unref(self->attributes);
	g_array_unref(self->links);
	g_string_free(self->token, TRUE);
	g_string_free(self->parent, TRUE);
	g_array_unref(self->intervals);
	g_free(self);
}

static struct entry *forestEntryAt(const struct forest *self, uint32_t number)
{
	return &g_array_index(self->entries, struct entry, number);
}

void forestFail(struct forest *self, int ret)
{
	if (ret < 0 && self->error == 0)
		self->error = ret;
}

/* ---- Reading ----------------------------------------------------------- */

static void forestPutNumber(struct forest *self, uint64_t number)
{
	g_byte_array_append(self->bytes, (const void *)&number, sizeof(number));
}

static void forestPutText(struct forest *self, const char *text)
{
	g_byte_array_append(self->bytes, (const void *)text,
			    (guint)strlen(text) + 1);
}

/** What has a place in the spool: numbers first, then texts. */
static void forestPutRelation(struct forest *self, const hdIRelation *relation,
			      const char *parent)
{
	g_byte_array_set_size(self->bytes, 0);
	forestPutNumber(self, relation->id);
	forestPutNumber(self, (uint64_t)relation->parentKind);
	forestPutNumber(self, self->files->len - 1);
	forestPutNumber(self, relation->stateCount);
	forestPutNumber(self, relation->linkCount);
	for (size_t i = 0; i < relation->stateCount; i++) {
		forestPutNumber(self, (uint64_t)relation->states[i].start);
		forestPutNumber(self, (uint64_t)relation->states[i].end);
		forestPutNumber(self, relation->states[i].depth);
		forestPutNumber(self, relation->states[i].attributeCount);
	}
	forestPutText(self, parent);
	forestPutText(self, relation->trace);
	for (size_t i = 0; i < relation->stateCount; i++) {
		const hdIRelationState *state = &relation->states[i];

		forestPutText(self, state->name);
		for (size_t k = 0; k < state->attributeCount; k++) {
			forestPutText(self, state->attributes[k].name);
			forestPutText(self, state->attributes[k].value);
		}
	}
	for (size_t i = 0; i < relation->linkCount; i++)
		forestPutText(self, relation->links[i]);
}

void forestMention(struct forest *self, uint32_t number, const char *token,
		   bool isReference, uint32_t link)
{
	struct mention mention;

	memset(&mention, 0, sizeof(mention));
	mention.number = number;
	mention.link = link;
	mention.isReference = isReference;
	hdTraceId(token, strlen(token), mention.key);
	forestFail(self, sorterAdd(self->mentions, &mention));
}

static void forestAddTime(struct forestFile *file, int64_t time)
{
	if (time == HDI_NEVER)
		return;
	file->begin = MIN(file->begin, time);
	file->last = MAX(file->last, time);
}

/** Whether it says which part of the program made it by itself. */
static bool hasOrigin(const hdIRelation *relation)
{
	for (size_t i = 0;
	     relation->stateCount > 0 && i < relation->states[0].attributeCount;
	     i++) {
		if (strcmp(relation->states[0].attributes[i].name, "origin") ==
		    0)
			return true;
	}
	return false;
}

static void forestAddRelation(struct forest *self, struct forestFile *file,
			      const hdIRelationOwner *owner,
			      const hdIRelation *relation)
{
	const uint32_t number = self->entries->len;
	const struct entry entry = {
		.offset = spoolLength(self->rest),
		.start = relation->start,
		.end = relation->end,
	};

	relationToken(owner, relation, self->token);
	forestMention(self, number, self->token->str, false, 0);
	g_string_truncate(self->parent, 0);
	if (relationParent(owner, relation, self->parent))
		forestMention(self, number, self->parent->str, true, 0);
	else if (relation->parentKind == HDI_PARENT_SPAN)
		self->spans++;
	for (size_t i = 0; i < relation->linkCount; i++)
		forestMention(self, number, relation->links[i], true,
			      (uint32_t)i + 1);
	self->counts.roots += relation->parentKind != HDI_PARENT_SPAN &&
			      self->parent->len == 0;
	self->counts.inferred += (relation->parentKind == HDI_PARENT_SPAN ||
				  self->parent->len > 0) &&
				 hasOrigin(relation);
	forestPutRelation(self, relation,
			  relation->parentKind == HDI_PARENT_SPAN
				  ? relation->parent
				  : self->parent->str);
	forestFail(self, spoolAppend(self->rest, self->bytes->data,
				     self->bytes->len));
	g_array_append_val(self->entries, entry);
	forestAddTime(file, relation->start);
	forestAddTime(file, relation->end);
	for (size_t i = 0; i < relation->stateCount; i++) {
		forestAddTime(file, relation->states[i].start);
		forestAddTime(file, relation->states[i].end);
	}
	file->count++;
	self->counts.unended += relation->end == HDI_NEVER;
}

int forestRead(struct forest *self, const hdIRelationFile *from,
	       const struct diagnosticSink *sink, forestProgress *progress,
	       void *data)
{
	hdIRelationReader *reader =
		diagnosticsOpenRelations(self->project, from, sink);
	hdIRelationOwner owner = { "", "", "" };
	const hdIRelation *relation;
	struct forestFile *file;

	if (!reader)
		return -errno;
	hdI_getRelationOwner(reader, &owner);
	file = g_new0(struct forestFile, 1);
	file->file = from;
	file->host = g_strdup(owner.host);
	file->prefix = g_strdup_printf("%s:%s:%s:", owner.host, owner.process,
				       owner.number);
	file->begin = INT64_MAX;
	file->last = INT64_MIN;
	file->first = self->entries->len;
	g_ptr_array_add(self->files, file);
	while (self->error == 0 && hdI_readRelation(reader, &relation) == 1) {
		if (self->entries->len == FOREST_NONE - 1) {
			forestFail(self, -EFBIG);
			break;
		}
		forestAddRelation(self, file, &owner, relation);
		if (progress && file->count % PROGRESS_STEP == 0)
			progress(data, relation->endOffset);
	}
	hdI_closeRelations(reader);
	return 0;
}

/* ---- What there is ----------------------------------------------------- */

uint32_t forestCount(const struct forest *self)
{
	return self->entries->len;
}

struct forestCounts forestCountAll(const struct forest *self)
{
	return self->counts;
}

const hdIProject *forestProject(const struct forest *self)
{
	return self->project;
}

const struct forestFile *forestFileAt(const struct forest *self, size_t n)
{
	return self->files->pdata[n];
}

size_t forestFileCount(const struct forest *self)
{
	return self->files->len;
}

uint32_t forestParent(const struct forest *self, uint32_t number)
{
	return self->parents[number];
}

uint32_t forestChild(const struct forest *self, uint32_t number)
{
	return self->children[number];
}

uint32_t forestSibling(const struct forest *self, uint32_t number)
{
	return self->parents[number] == FOREST_NONE ? FOREST_NONE
						    : self->siblings[number];
}

bool forestIsCircular(const struct forest *self, uint32_t number)
{
	return g_array_binary_search(self->circular, &number,
				     forestCompareNumbers, NULL);
}

const struct forestFile *forestFileOf(const struct forest *self,
				      uint32_t number)
{
	guint low = 0, high = self->files->len;

	while (high - low > 1) {
		guint middle = low + (high - low) / 2;
		const struct forestFile *file = self->files->pdata[middle];

		if (file->first <= number)
			low = middle;
		else
			high = middle;
	}
	return self->files->pdata[low];
}

uint32_t forestDepth(const struct forest *self, uint32_t number)
{
	return self->depths[number];
}

bool forestEnded(const struct forest *self, uint32_t number)
{
	return forestEntryAt(self, number)->end != HDI_NEVER;
}

const GArray *forestLinks(const struct forest *self)
{
	return self->causes;
}

int64_t forestStart(const struct forest *self, uint32_t number)
{
	return forestEntryAt(self, number)->start;
}

int64_t forestLasted(const struct forest *self, uint32_t number)
{
	int64_t end = forestEntryAt(self, number)->end;

	return end == HDI_NEVER ? forestFileOf(self, number)->last : end;
}

static uint64_t forestGetNumber(const guint8 **at)
{
	uint64_t number;

	memcpy(&number, *at, sizeof(number));
	*at += sizeof(number);
	return number;
}

static const char *forestGetText(const guint8 **at)
{
	const char *text = (const char *)*at;

	*at += strlen(text) + 1;
	return text;
}

/** Read the bytes of a relation. */
static int forestLoad(struct forest *self, uint32_t number)
{
	uint64_t offset = forestEntryAt(self, number)->offset;
	uint64_t end = number + 1 < self->entries->len
			       ? forestEntryAt(self, number + 1)->offset
			       : spoolLength(self->rest);

	g_byte_array_set_size(self->bytes, (guint)(end - offset));
	return spoolRead(self->rest, offset, self->bytes->data,
			 self->bytes->len);
}

static void forestGetStates(struct forest *self, const guint8 **texts)
{
	for (guint i = 0; i < self->states->len; i++) {
		hdIRelationState *state =
			&g_array_index(self->states, hdIRelationState, i);

		state->name = forestGetText(texts);
		for (size_t k = 0; k < state->attributeCount; k++) {
			hdIAttribute attribute;

			attribute.name = forestGetText(texts);
			attribute.value = forestGetText(texts);
			g_array_append_val(self->attributes, attribute);
		}
	}
	/* The array stays where it is from now on. */
	for (guint i = 0, first = 0; i < self->states->len; i++) {
		hdIRelationState *state =
			&g_array_index(self->states, hdIRelationState, i);

		state->attributes = (const hdIAttribute *)(const void *)
					    self->attributes->data +
				    first;
		first += (guint)state->attributeCount;
	}
}

/** Tell who caused it; 0 or a negative errno. */
static int setParent(struct forest *self, struct forestRelation *relation,
		     hdIParentKind kind, const char *text)
{
	uint32_t parent =
		self->parents ? self->parents[relation->number] : FOREST_NONE;
	uint64_t id;
	int ret;

	relation->isParentFound = parent != FOREST_NONE;
	if (kind == HDI_PARENT_SPAN)
		relation->span = text;
	else if (*text)
		relation->parent = text;
	if (!relation->span || !relation->isParentFound)
		return 0;
	ret = spoolRead(self->rest, forestEntryAt(self, parent)->offset, &id,
			sizeof(id));
	if (ret < 0)
		return ret;
	g_string_printf(self->parent, "%s%" PRIu64,
			forestFileOf(self, parent)->prefix, id);
	relation->parent = self->parent->str;
	return 0;
}

int forestGet(struct forest *self, uint32_t number,
	      struct forestRelation *relation)
{
	const struct entry *entry = forestEntryAt(self, number);
	const guint8 *at;
	hdIParentKind kind;
	const char *parent;
	uint64_t id, states, links;
	int ret = forestLoad(self, number);

	memset(relation, 0, sizeof(*relation));
	if (ret < 0)
		return ret;
	at = self->bytes->data;
	id = forestGetNumber(&at);
	kind = (hdIParentKind)forestGetNumber(&at);
	relation->number = number;
	relation->file = self->files->pdata[forestGetNumber(&at)];
	relation->start = entry->start;
	relation->end = entry->end;
	relation->lasted =
		entry->end == HDI_NEVER ? relation->file->last : entry->end;
	relation->depth = self->depths ? self->depths[number] : 0;
	states = forestGetNumber(&at);
	links = forestGetNumber(&at);
	g_array_set_size(self->states, 0);
	g_array_set_size(self->attributes, 0);
	g_array_set_size(self->links, 0);
	for (uint64_t i = 0; i < states; i++) {
		hdIRelationState state = { .name = NULL };

		state.start = (int64_t)forestGetNumber(&at);
		state.end = (int64_t)forestGetNumber(&at);
		state.depth = (unsigned int)forestGetNumber(&at);
		state.attributeCount = (size_t)forestGetNumber(&at);
		g_array_append_val(self->states, state);
	}
	parent = forestGetText(&at);
	relation->trace = forestGetText(&at);
	forestGetStates(self, &at);
	for (uint64_t i = 0; i < links; i++) {
		const char *link = forestGetText(&at);

		g_array_append_val(self->links, link);
	}
	relation->states =
		(const hdIRelationState *)(const void *)self->states->data;
	relation->stateCount = self->states->len;
	relation->links = (const char *const *)(const void *)self->links->data;
	relation->linkCount = self->links->len;
	relation->name = states > 0 ? relation->states[0].name : NULL;
	g_string_printf(self->token, "%s%" PRIu64, relation->file->prefix, id);
	relation->token = self->token->str;
	return setParent(self, relation, kind, parent);
}

/* ---- Times ------------------------------------------------------------- */

static int compareIntervals(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void forestAddInterval(struct forest *self,
			      const struct forestRelation *relation,
			      int64_t start, int64_t end)
{
	struct interval interval = {
		.start = MAX(start, relation->start),
		.end = MIN(end, relation->lasted),
	};

	if (interval.start < interval.end)
		g_array_append_val(self->intervals, interval);
}

/** How long any of the intervals is there. */
static int64_t forestUnite(struct forest *self)
{
	int64_t sum = 0;
	int64_t until = INT64_MIN;

	if (self->intervals->len > 1)
		qsort(self->intervals->data, self->intervals->len,
		      sizeof(struct interval), compareIntervals);
	for (guint i = 0; i < self->intervals->len; i++) {
		const struct interval *interval =
			&g_array_index(self->intervals, struct interval, i);

		if (interval->end <= until)
			continue;
		sum += interval->end - MAX(interval->start, until);
		until = interval->end;
	}
	return sum;
}

struct forestTimes forestTimesOf(struct forest *self,
				 const struct forestRelation *relation)
{
	struct forestTimes times = {
		.total = MAX(relation->lasted - relation->start, 0),
	};
	uint32_t child = forestChild(self, relation->number);

	g_array_set_size(self->intervals, 0);
	for (; child != FOREST_NONE; child = forestSibling(self, child))
		forestAddInterval(self, relation, forestStart(self, child),
				  forestLasted(self, child));
	times.self = times.total - forestUnite(self);
	for (size_t i = 0; i < relation->stateCount; i++) {
		const hdIRelationState *state = &relation->states[i];
		int64_t end = forestStateEnd(relation, state);

		if (state->depth > 0)
			continue;
		forestAddInterval(self, relation, state->start, end);
		times.active += MAX(end - state->start, 0);
	}
	times.waited = times.total - forestUnite(self);
	return times;
}

/* ---- Finding ----------------------------------------------------------- */

uint32_t forestFind(struct forest *self, const char *token, int *error)
{
	char *four = g_strdup(token);
	struct forestRelation relation;
	uint32_t found = FOREST_NONE;
	int colons = 0;

	for (char *at = four; *at; at++) {
		if (*at == ':' && ++colons == 4) {
			*at = '\0';
			break;
		}
	}
	*error = 0;
	for (guint i = 0; i < self->files->len && found == FOREST_NONE; i++) {
		const struct forestFile *file = self->files->pdata[i];

		if (!g_str_has_prefix(four, file->prefix))
			continue;
		for (uint32_t k = 0; k < file->count && *error == 0; k++) {
			*error = forestGet(self, file->first + k, &relation);
			if (*error == 0 && strcmp(relation.token, four) == 0) {
				found = file->first + k;
				break;
			}
		}
	}
	g_free(four);
	return found;
}

int64_t forestStateEnd(const struct forestRelation *relation,
		       const hdIRelationState *state)
{
	return state->end == HDI_NEVER ? relation->lasted : state->end;
}

const char *forestTitle(const struct forestRelation *relation)
{
	return relation->name ? relation->name
			      : relation->file->file->node->label;
}

const char *forestError(const struct forestRelation *relation)
{
	for (size_t i = 0; i < relation->stateCount; i++) {
		const char *error = relationStateError(&relation->states[i]);

		if (error)
			return error;
	}
	return NULL;
}
