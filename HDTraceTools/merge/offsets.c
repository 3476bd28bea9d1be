/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge --into: by how much the clocks of projects are apart, from
 * relations.
 *
 * Nothing begins before its cause, and nobody names a further cause before that
 * began. So a relation of one project whose cause is in another one says by how
 * much the times of its project have to be shifted at least against those of
 * the other; one in the other direction, at most. What all pairs allow is found
 * as longest paths between projects, as a system of difference constraints.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/merge/join.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/relations/tokens.h"
#include "common/format/relationid.h"

/** Not bound; others are far from it. */
#define UNBOUND INT64_MIN
/** Times differ by no more than this, or it is as good as that. */
#define FAR (INT64_MAX / 4)

/** A relation that can be a cause, or that one names it. */
struct mention {
	unsigned char key[16]; /**< Hash of the token, or the span. */
	bool isReference;
	uint32_t file; /**< Of all. */
	uint64_t id;   /**< Of who mentions it, in its file. */
	int64_t time;
};

/** A file of relations. */
struct source {
	uint32_t project;
	const char *path;
	char *host;
};

/** What a pair of projects says. */
struct bound {
	int64_t least;  /**< Later by at least this; or UNBOUND. */
	uint32_t file;  /**< Who says so, ... */
	uint64_t id;    /**< ... and which relation of it. */
	uint64_t pairs; /**< So many relations do. */
};

struct search {
	struct tool *tool;
	const struct joinProject *projects;
	size_t count;
	GPtrArray *sources; /**< struct source */
	struct sorter *mentions;
	struct bound *bounds; /**< [cause * count + effect] */
	int64_t *closure;     /**< Likewise: of all ways. */
	int64_t *errors;      /**< How wrong times of each are at most. */
	GString *token;
	int error; /**< Of the temporary file, which was reported. */
};

static int offsetsCompareMentions(const void *left, const void *right)
{
	const struct mention *a = left, *b = right;
	int order = memcmp(a->key, b->key, sizeof(a->key));

	if (order)
		return order;
	if (a->isReference != b->isReference)
		return a->isReference ? 1 : -1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void offsetsFreeSource(void *data)
{
	struct source *source = data;

	g_free(source->host);
	g_free(source);
}

static int64_t offsetSum(int64_t a, int64_t b)
{
	int64_t result;

	if (__builtin_add_overflow(a, b, &result))
		result = a < 0 ? -FAR : FAR;
	return CLAMP(result, -FAR, FAR);
}

static int64_t difference(int64_t a, int64_t b)
{
	int64_t result;

	if (__builtin_sub_overflow(a, b, &result))
		result = a < 0 ? -FAR : FAR;
	return CLAMP(result, -FAR, FAR);
}

/* ---- Reading ----------------------------------------------------------- */

static void failTemporary(struct search *self, int error)
{
	self->error = error;
	toolErrorTemporary(self->tool, error);
}

static void offsetsAddMention(struct search *self, struct mention *mention)
{
	int ret = self->error ? 0 : sorterAdd(self->mentions, mention);

	if (ret < 0)
		failTemporary(self, ret);
}

static void addToken(struct search *self, struct mention *mention)
{
	hdTraceId(self->token->str, self->token->len, mention->key);
	offsetsAddMention(self, mention);
}

/** Spans are found among spans. */
static void offsetsAddSpan(struct search *self, struct mention *mention)
{
	memset(mention->key, 0, sizeof(mention->key));
	hdSpanId(self->token->str, self->token->len, mention->key);
	offsetsAddMention(self, mention);
}

/** Who caused a relation is named by a span: 16 digits. */
static void addParentSpan(struct search *self, struct mention *mention,
			  const char *text)
{
	guint64 span;

	if (strlen(text) != 16 ||
	    !g_ascii_string_to_unsigned(text, 16, 0, G_MAXUINT64, &span, NULL))
		return;
	memset(mention->key, 0, sizeof(mention->key));
	hdIdPut(mention->key, span);
	offsetsAddMention(self, mention);
}

static void offsetsAddRecord(struct search *self, const hdIRelationOwner *owner,
			     const hdIRelationRecord *record)
{
	const hdIRelation relation = {
		.id = record->id,
		.parentKind = record->parentKind,
		.parent = record->parent,
	};
	struct mention mention;

	memset(&mention, 0, sizeof(mention));
	mention.file = self->sources->len - 1;
	mention.id = record->id;
	mention.time = record->time;
	if (record->kind == HDI_RELATION_BEGIN) {
		relationToken(owner, &relation, self->token);
		addToken(self, &mention);
		offsetsAddSpan(self, &mention);
	} else if (record->kind != HDI_RELATION_LINK) {
		return;
	}
	mention.isReference = true;
	/* Of the same process nobody has another clock. */
	if (record->parentKind == HDI_PARENT_SPAN)
		addParentSpan(self, &mention, record->parent);
	else if ((record->parentKind == HDI_PARENT_LOCAL ||
		  record->parentKind == HDI_PARENT_REMOTE) &&
		 relationParent(owner, &relation, self->token))
		addToken(self, &mention);
}

static void offsetsReadFile(struct search *self, uint32_t number,
			    const hdIRelationFile *file)
{
	hdIRelationReader *reader = diagnosticsOpenRelations(
		self->projects[number].project, file, &diagnosticsDropped);
	hdIRelationOwner owner = { "", "", "" };
	const hdIRelationRecord *record;
	struct source *source;

	if (!reader)
		return; /* It was said when the file was found. */
	hdI_getRelationOwner(reader, &owner);
	source = g_new0(struct source, 1);
	source->project = number;
	source->path = file->file;
	source->host = g_strdup(owner.host);
	g_ptr_array_add(self->sources, source);
	while (!self->tool->hasFailed &&
	       hdI_readRelationRecord(reader, &record) == 1) {
		toolProgressAt(self->tool, record->endOffset);
		offsetsAddRecord(self, &owner, record);
	}
	hdI_closeRelations(reader);
}

static void offsetsReadAll(struct search *self)
{
	int64_t size = 0;

	for (size_t i = 0; i < self->count; i++) {
		const hdIProject *project = self->projects[i].project;

		for (size_t k = 0; k < project->relationCount; k++)
			size += project->relations[k]->fileSize;
	}
	toolProgressStart(self->tool, size);
	for (size_t i = 0; i < self->count; i++) {
		const hdIProject *project = self->projects[i].project;

		for (size_t k = 0; k < project->relationCount; k++) {
			offsetsReadFile(self, (uint32_t)i,
					project->relations[k]);
			toolProgressFile(self->tool,
					 project->relations[k]->fileSize);
		}
	}
	toolProgressEnd(self->tool);
}

/* ---- What pairs say ---------------------------------------------------- */

static const struct source *sourceOf(const struct search *self, uint32_t file)
{
	return self->sources->pdata[file];
}

/** How wrong the times of a project are at most. */
static int64_t offsetsErrorOf(const hdIProject *project)
{
	int64_t error = 0;

	for (size_t i = 0; i < project->clockCount; i++)
		error = MAX(error, project->clocks[i].error);
	return CLAMP(error, 0, FAR);
}

static void takePair(struct search *self, const struct mention *cause,
		     const struct mention *effect)
{
	const struct source *from = sourceOf(self, cause->file);
	const struct source *to = sourceOf(self, effect->file);
	struct bound *bound =
		&self->bounds[from->project * self->count + to->project];
	int64_t least = difference(cause->time, effect->time);

	if (from->project == to->project)
		return;
	/* One host has one clock. */
	if (strcmp(from->host, to->host) != 0)
		least = difference(least, offsetSum(self->errors[from->project],
						    self->errors[to->project]));
	bound->pairs++;
	if (bound->least != UNBOUND && least <= bound->least)
		return;
	bound->least = least;
	bound->file = effect->file;
	bound->id = effect->id;
}

static void offsetsJoinMentions(struct search *self)
{
	struct mention now, relation;
	bool isThere = false;
	int ret;

	while ((ret = sorterNext(self->mentions, &now)) == 1) {
		bool isSame = isThere && memcmp(relation.key, now.key,
						sizeof(now.key)) == 0;

		if (now.isReference && isSame) {
			takePair(self, &relation, &now);
		} else if (!now.isReference && !isSame) {
			relation = now;
			isThere = true;
		}
	}
	if (ret < 0)
		failTemporary(self, ret);
}

/* ---- What all of them allow -------------------------------------------- */

static const struct bound *boundOf(const struct search *self, size_t from,
				   size_t to)
{
	return &self->bounds[from * self->count + to];
}

static int64_t *closureOf(const struct search *self, size_t from, size_t to)
{
	return &self->closure[from * self->count + to];
}

/** Find the longest ways between all. */
static void closeWays(struct search *self)
{
	size_t n = self->count;

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < n; i++) {
			for (size_t j = 0; j < n; j++) {
				int64_t first = *closureOf(self, i, k);
				int64_t second = *closureOf(self, k, j);
				int64_t *whole = closureOf(self, i, j);

				if (first == UNBOUND || second == UNBOUND)
					continue;
				*whole = MAX(*whole, offsetSum(first, second));
			}
		}
	}
}

/** The times of a project are shifted by so much against those of another. */
static void fix(struct search *self, size_t from, size_t to, int64_t by)
{
	*closureOf(self, from, to) = by;
	*closureOf(self, to, from) = -by;
}

/** Say which relations of two projects contradict each other. */
static bool sayPair(struct search *self, size_t i, size_t j)
{
	const struct bound *least = boundOf(self, i, j);
	const struct bound *most = boundOf(self, j, i);
	char buffers[2][OUT_NUMBER_SIZE];

	if (least->least == UNBOUND || most->least == UNBOUND ||
	    offsetSum(least->least, most->least) <= 0)
		return false;
	toolError(self->tool,
		  "no offset of %s to %s fits all relations: at least %s s for "
		  "relation %" PRIu64
		  " of %s, at most %s s for relation %" PRIu64
		  " of %s; --offset sets one",
		  self->projects[j].argument, self->projects[i].argument,
		  outSeconds(buffers[0], least->least), least->id,
		  sourceOf(self, least->file)->path,
		  outSeconds(buffers[1], -most->least), most->id,
		  sourceOf(self, most->file)->path);
	return true;
}

/** Say who contradicts whom, if anybody does. */
static int checkCycles(struct search *self)
{
	GString *names = g_string_new(NULL);

	for (size_t i = 0; i < self->count; i++) {
		if (*closureOf(self, i, i) <= 0)
			continue;
		g_string_append_printf(names, "%s%s", names->len ? ", " : "",
				       self->projects[i].argument);
	}
	if (!names->len) {
		g_string_free(names, TRUE);
		return -1;
	}
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (sayPair(self, j, i)) {
				g_string_free(names, TRUE);
				return TOOL_FAILED;
			}
		}
	}
	toolError(self->tool,
		  "%s: no offsets are consistent with all relations between "
		  "these projects; --offset sets an offset",
		  names->str);
	g_string_free(names, TRUE);
	return TOOL_FAILED;
}

/** Say where relations do not allow what was asked for. */
static void checkGiven(struct search *self, const struct joinOffset *offsets)
{
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < self->count; j++) {
			const struct bound *bound = boundOf(self, i, j);
			int64_t by = difference(offsets[j].offset,
						offsets[i].offset);
			char buffers[2][OUT_NUMBER_SIZE];

			if (!offsets[i].isGiven || !offsets[j].isGiven ||
			    bound->least == UNBOUND || by >= bound->least)
				continue;
			toolReport(self->tool, "merge.offset",
				   self->projects[j].argument, -1, 0,
				   "shifted by %s s relative to %s, but "
				   "relation %" PRIu64
				   " of %s needs at least %s s",
				   outSeconds(buffers[0], by),
				   self->projects[i].argument, bound->id,
				   sourceOf(self, bound->file)->path,
				   outSeconds(buffers[1], bound->least));
		}
	}
}

/** Find out what is allowed for a project, by those whose offsets are known. */
static void offsetsFindInterval(struct search *self, size_t reference,
				size_t number, const struct joinOffset *known,
				struct joinOffset *offset)
{
	int64_t least = *closureOf(self, reference, number);
	int64_t most = *closureOf(self, number, reference);

	offset->hasLowest = least != UNBOUND;
	offset->hasHighest = most != UNBOUND;
	if (offset->hasLowest)
		offset->lowest = offsetSum(known[reference].offset, least);
	if (offset->hasHighest)
		offset->highest = difference(known[reference].offset, most);
}

/** As near to what is recorded as is allowed; or in the middle. */
static int64_t offsetsChooseOffset(const struct joinOffset *offset)
{
	bool isTooLow = offset->hasLowest && offset->lowest > 0;
	bool isTooHigh = offset->hasHighest && offset->highest < 0;

	if (!isTooLow && !isTooHigh)
		return 0;
	if (offset->hasLowest && offset->hasHighest)
		return offset->lowest +
		       difference(offset->highest, offset->lowest) / 2;
	return isTooLow ? offset->lowest : offset->highest;
}

static void initClosure(struct search *self, const struct joinOffset *offsets)
{
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < self->count; j++)
			*closureOf(self, i, j) =
				i == j ? 0 : boundOf(self, i, j)->least;
	}
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (offsets[i].isGiven && offsets[j].isGiven)
				fix(self, j, i,
				    difference(offsets[i].offset,
					       offsets[j].offset));
		}
	}
	closeWays(self);
}

/** What is allowed for one that was given, by the others that were. */
static void showGiven(struct search *self, size_t number,
		      struct joinOffset *offsets)
{
	struct joinOffset *offset = &offsets[number];

	for (size_t i = 0; i < self->count; i++) {
		int64_t least = boundOf(self, i, number)->least;
		int64_t most = boundOf(self, number, i)->least;

		if (i == number || !offsets[i].isGiven)
			continue;
		if (least != UNBOUND) {
			least = offsetSum(offsets[i].offset, least);
			offset->lowest = offset->hasLowest
						 ? MAX(offset->lowest, least)
						 : least;
			offset->hasLowest = true;
		}
		if (most != UNBOUND) {
			most = difference(offsets[i].offset, most);
			offset->highest = offset->hasHighest
						  ? MIN(offset->highest, most)
						  : most;
			offset->hasHighest = true;
		}
	}
}

static int chooseAll(struct search *self, struct joinOffset *offsets)
{
	size_t reference = 0;
	int status;

	checkGiven(self, offsets);
	for (size_t i = 0; i < self->count; i++) {
		if (offsets[i].isGiven)
			showGiven(self, i, offsets);
	}
	while (!offsets[reference].isGiven)
		reference++;
	initClosure(self, offsets);
	status = checkCycles(self);
	for (size_t i = 0; status < 0 && i < self->count; i++) {
		if (offsets[i].isGiven)
			continue;
		offsetsFindInterval(self, reference, i, offsets, &offsets[i]);
		offsets[i].offset = offsetsChooseOffset(&offsets[i]);
		fix(self, reference, i,
		    difference(offsets[i].offset, offsets[reference].offset));
		closeWays(self);
	}
	return status;
}

static void countPairs(const struct search *self, struct joinOffset *offsets)
{
	for (size_t i = 0; i < self->count; i++) {
		for (size_t j = 0; j < self->count; j++) {
			uint64_t pairs = boundOf(self, i, j)->pairs;

			offsets[i].pairs += pairs;
			offsets[j].pairs += pairs;
		}
	}
}

int joinFindOffsets(struct tool *tool, const struct joinProject *projects,
		    size_t count, struct joinOffset *offsets)
{
	struct search self = {
		.tool = tool,
		.projects = projects,
		.count = count,
		.sources = g_ptr_array_new_with_free_func(offsetsFreeSource),
		.mentions = sorterNew(sizeof(struct mention),
				      offsetsCompareMentions),
		.bounds = g_new0(struct bound, count * count),
		.closure = g_new0(int64_t, count * count),
		.errors = g_new(int64_t, count),
		.token = g_string_new(NULL),
	};
	int status = TOOL_FAILED;

	for (size_t i = 0; i < count * count; i++)
		self.bounds[i].least = UNBOUND;
	for (size_t i = 0; i < count; i++)
		self.errors[i] = offsetsErrorOf(projects[i].project);
	offsetsReadAll(&self);
	if (!self.error)
		offsetsJoinMentions(&self);
	countPairs(&self, offsets);
	if (!tool->hasFailed)
		status = chooseAll(&self, offsets);
	sorterFree(self.mentions);
	g_ptr_array_unref(self.sources);
	g_string_free(self.token, TRUE);
	g_free(self.bounds);
	g_free(self.closure);
	g_free(self.errors);
	return status;
}
