/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: whether relations fit together, in memory that does not grow
 * with them.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/check/check.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/relations/inferred.h"
#include "HDTraceTools/model/relations/tokens.h"
#include "common/format/relationid.h"

/** A relation, or that one names it. Those of a token come together. */
struct mention {
	unsigned char token[16]; /**< Its hash. */
	bool isReference;
	bool isLink; /**< It names a further cause. */
	uint32_t file;
	uint64_t id; /**< Of who mentions it, in its file. */
	int64_t time;
};

/** State of the check of all relations. */
struct relationCheck {
	struct check *check;
	struct sorter *mentions;
	struct sorter *spans; /**< The same of those of W3C's traces, ... */
	uint64_t spanCauses;  /**< ... so many of them references. */
	GPtrArray *hosts;     /**< Of each file: its host, or "". */
	GHashTable *owners;
	struct inferredAskers *askers; /**< Or NULL. */
	int64_t clockError;
	GString *text;
	uint64_t open; /**< In the file at hand. */
	uint64_t openStates;
	uint64_t failed;
	uint64_t inferred;  /**< Causes. */
	uint64_t malformed; /**< And traces. */
	bool hasFailed;     /**< A temporary file; it was reported. */
};

static int relationCheckCompareMentions(const void *left, const void *right)
{
	const struct mention *a = left, *b = right;
	int order = memcmp(a->token, b->token, sizeof(a->token));

	if (order)
		return order;
	if (a->isReference != b->isReference)
		return a->isReference ? 1 : -1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->isLink - b->isLink;
}

static const char *relationCheckFileOf(const struct relationCheck *self,
				       const struct mention *mention)
{
	return self->check->project->relations[mention->file]->file;
}

/* ---- Reading ----------------------------------------------------------- */

/** The result of a temporary file; the first error is reported. */
static void checkTemporary(struct relationCheck *self, int ret)
{
	if (ret < 0 && !self->hasFailed)
		toolErrorTemporary(self->check->tool, ret);
	self->hasFailed |= ret < 0;
}

static void relationCheckAddToSorter(struct relationCheck *self,
				     struct sorter *sorter,
				     const struct mention *mention)
{
	checkTemporary(self, sorterAdd(sorter, mention));
}

static void relationCheckAddMention(struct relationCheck *self,
				    struct mention *mention)
{
	hdTraceId(self->text->str, self->text->len, mention->token);
	relationCheckAddToSorter(self, self->mentions, mention);
}

/** Add to spans what has 8 bytes as its id. */
static void relationCheckAddSpan(struct relationCheck *self,
				 struct mention mention,
				 const unsigned char *id)
{
	memset(mention.token, 0, sizeof(mention.token));
	memcpy(mention.token, id, 8);
	relationCheckAddToSorter(self, self->spans, &mention);
}

/** Whether a text has so many parts, none of them empty, of which the last one,
 *  an id, is a number. */
static bool hasParts(const char *text, int count)
{
	char **parts = g_strsplit(text, ":", count + 1);
	bool isGood = g_strv_length(parts) == (guint)count;
	guint64 id;

	for (int i = 0; isGood && i < count; i++)
		isGood = *parts[i] != '\0';
	isGood = isGood && g_ascii_string_to_unsigned(parts[count - 1], 10, 0,
						      G_MAXUINT64, &id, NULL);
	g_strfreev(parts);
	return isGood;
}

static bool isCause(hdIParentKind kind, const char *text)
{
	switch (kind) {
	case HDI_PARENT_FILE:
		return hasParts(text, 1);
	case HDI_PARENT_PROCESS:
		return hasParts(text, 2);
	case HDI_PARENT_LOCAL:
		return hasParts(text, 3);
	case HDI_PARENT_REMOTE:
		return hasParts(text, 4);
	case HDI_PARENT_SPAN:
		return strlen(text) == 16 &&
		       strspn(text, "0123456789abcdef") == 16;
	default:
		return true;
	}
}

static void checkForm(struct relationCheck *self, const hdIRelation *relation)
{
	self->malformed +=
		*relation->trace && !relationIsTrace(relation->trace);
	self->malformed += !isCause(relation->parentKind, relation->parent);
	for (size_t i = 0; i < relation->linkCount; i++)
		self->malformed +=
			!isCause(HDI_PARENT_REMOTE, relation->links[i]);
}

/** A span may be one of a program of others, or of a relation. */
static void takeParentSpan(struct relationCheck *self,
			   const struct mention *mention, const char *text)
{
	unsigned char id[8];
	guint64 span;

	if (!isCause(HDI_PARENT_SPAN, text))
		return;
	g_ascii_string_to_unsigned(text, 16, 0, G_MAXUINT64, &span, NULL);
	hdIdPut(id, span);
	relationCheckAddSpan(self, *mention, id);
	self->spanCauses++;
}

static void relationCheckAddRelation(struct relationCheck *self,
				     const hdIRelationOwner *owner,
				     const hdIRelation *relation, uint32_t file)
{
	struct mention mention;
	unsigned char span[8];

	memset(&mention, 0, sizeof(mention));
	mention.file = file;
	mention.id = relation->id;
	mention.time = relation->start;
	self->open += relation->end == HDI_NEVER;
	for (size_t i = 0; i < relation->stateCount; i++) {
		const hdIRelationState *state = &relation->states[i];

		self->openStates +=
			state->end == HDI_NEVER && relation->end != HDI_NEVER;
		self->failed += relationStateError(state) != NULL;
	}
	checkForm(self, relation);
	self->inferred +=
		relation->parentKind == HDI_PARENT_NONE &&
		inferredAskersHave(self->askers,
				   self->check->project->relations[file]->node,
				   relation->states, relation->stateCount);
	relationToken(owner, relation, self->text);
	relationCheckAddMention(self, &mention);
	hdSpanId(self->text->str, self->text->len, span);
	relationCheckAddSpan(self, mention, span);
	mention.isReference = true;
	if (relation->parentKind == HDI_PARENT_SPAN)
		takeParentSpan(self, &mention, relation->parent);
	else if (relationParent(owner, relation, self->text))
		relationCheckAddMention(self, &mention);
	mention.isLink = true;
	for (size_t i = 0; i < relation->linkCount; i++) {
		g_string_assign(self->text, relation->links[i]);
		relationCheckAddMention(self, &mention);
	}
}

/** Two processes may not be one: their relations would be taken for the same.
 */
static void checkOwner(struct relationCheck *self, const hdIRelationFile *file,
		       const hdIRelationOwner *owner)
{
	char *name = g_strdup_printf("%s:%s:%s", owner->host, owner->process,
				     owner->number);

	if (!g_hash_table_add(self->owners, name))
		toolReport(self->check->tool, "rel.owner-twice", file->file, -1,
			   0,
			   "another file has the same hostID, localToken and "
			   "topologyNumber");
}

static void relationCheckReport(struct relationCheck *self, const char *rule,
				const char *file, uint64_t count,
				const char *what)
{
	if (count > 0)
		toolReport(self->check->tool, rule, file, -1, 0,
			   "%" PRIu64 " %s", count, what);
}

static void relationCheckReadFile(struct relationCheck *self, uint32_t index)
{
	const hdIRelationFile *file = self->check->project->relations[index];
	struct checkSpan span = { .file = file->file };
	hdIRelationReader *reader = diagnosticsOpenRelations(
		self->check->project, file, self->check->scan.sink);
	hdIRelationOwner owner = { "", "", "" };
	const hdIRelation *relation;

	if (!reader && errno != EBADMSG)
		toolError(self->check->tool, "%s: %s", file->file,
			  strerror(errno));
	if (reader && hdI_getRelationOwner(reader, &owner) == 1)
		checkOwner(self, file, &owner);
	g_ptr_array_add(self->hosts, g_strdup(owner.host));
	self->open = self->openStates = self->failed = 0;
	self->inferred = self->malformed = 0;
	while (reader && !self->check->tool->hasFailed &&
	       hdI_readRelation(reader, &relation) == 1) {
		relationCheckAddRelation(self, &owner, relation, index);
		checkCover(&span, relation->start,
			   relation->end == HDI_NEVER ? relation->start
						      : relation->end);
	}
	hdI_closeRelations(reader);
	relationCheckReport(self, "rel.never-ended", file->file, self->open,
			    "relations never ended");
	relationCheckReport(self, "rel.state-open", file->file,
			    self->openStates,
			    "states still open when their relation ended");
	relationCheckReport(self, "rel.failed", file->file, self->failed,
			    "states failed");
	relationCheckReport(
		self, "rel.inferred", file->file, self->inferred,
		"relations with a cause inferred from a process number");
	relationCheckReport(
		self, "rel.token", file->file, self->malformed,
		"malformed causes (tokens or spans) or traces of relations");
	g_array_append_val(self->check->spans, span);
	toolProgressFile(self->check->tool, file->fileSize);
}

/* ---- What fits together ------------------------------------------------ */

/** By how much a child may seem to begin before its parent. */
static int64_t allowance(const struct relationCheck *self,
			 const struct mention *parent,
			 const struct mention *child)
{
	return strcmp(self->hosts->pdata[parent->file],
		      self->hosts->pdata[child->file]) == 0
		       ? 0
		       : 2 * self->clockError;
}

static void checkChild(struct relationCheck *self, const struct mention *parent,
		       const struct mention *child)
{
	int64_t early = parent->time - child->time;
	char buffer[OUT_NUMBER_SIZE];

	if (early > allowance(self, parent, child))
		toolReport(self->check->tool, "rel.child-early",
			   relationCheckFileOf(self, child), -1, 0,
			   "relation %" PRIu64 " begins %s before its cause",
			   child->id, outDuration(buffer, early));
}

/** One that names a cause which is nowhere; of spans nobody knows. */
static void checkOrphan(struct relationCheck *self, const struct mention *now)
{
	toolReport(self->check->tool, "rel.orphan",
		   relationCheckFileOf(self, now), -1, 0,
		   "relation %" PRIu64 "%s: its cause is not in any file",
		   now->id, now->isLink ? " as well" : "");
}

static void checkMentions(struct relationCheck *self, struct sorter *sorter)
{
	bool areSpans = sorter == self->spans;
	struct mention now, relation;
	bool isThere = false;
	int ret;

	while ((ret = sorterNext(sorter, &now)) == 1) {
		bool isSame = isThere && memcmp(relation.token, now.token,
						sizeof(now.token)) == 0;

		if (!now.isReference && !isSame) {
			relation = now;
			isThere = true;
		} else if (!now.isReference) {
			/* Of two files was said already. */
			if (!areSpans && now.file == relation.file)
				toolReport(self->check->tool, "rel.twice",
					   relationCheckFileOf(self, &now), -1,
					   0,
					   "relation %" PRIu64
					   " begins again after its end",
					   now.id);
		} else if (isSame) {
			/* When a further cause was named is not known. */
			if (!now.isLink)
				checkChild(self, &relation, &now);
		} else if (!areSpans) {
			checkOrphan(self, &now);
		}
	}
	checkTemporary(self, ret);
}

void checkRelations(struct check *check)
{
	struct relationCheck self = { .check = check };
	const hdIProject *project = check->project;

	if (project->relationCount == 0)
		return;
	for (size_t i = 0; i < project->clockCount; i++)
		self.clockError =
			MAX(self.clockError, project->clocks[i].error);
	self.mentions =
		sorterNew(sizeof(struct mention), relationCheckCompareMentions);
	self.spans =
		sorterNew(sizeof(struct mention), relationCheckCompareMentions);
	self.hosts = g_ptr_array_new_with_free_func(g_free);
	self.owners =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self.askers = inferredAskersNew(project);
	self.text = g_string_new(NULL);
	for (size_t i = 0; i < project->relationCount; i++)
		relationCheckReadFile(&self, (uint32_t)i);
	checkMentions(&self, self.mentions);
	if (self.spanCauses > 0)
		checkMentions(&self, self.spans);
	g_string_free(self.text, TRUE);
	inferredAskersFree(self.askers);
	g_hash_table_destroy(self.owners);
	g_ptr_array_free(self.hosts, TRUE);
	sorterFree(self.mentions);
	sorterFree(self.spans);
}
