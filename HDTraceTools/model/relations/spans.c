/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations as spans of W3C traces; see spans.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/relations/spans.h"
#include "HDTraceTools/model/relations/tokens.h"
#include "common/format/relationid.h"

/** A relation is there, or a link names one. */
struct mention {
	unsigned char key[16]; /**< Hash of the token. */
	uint32_t number;       /**< Who it is, or who names it ... */
	uint32_t index;        /**< ... with which of its links. */
	bool isLink;
};

struct spans {
	struct forest *forest;
	uint32_t *sources; /**< Whose trace each one belongs to. */
	uint64_t links;
	struct sorter *found; /**< struct spansLink */
	/* The last one that was asked for. */
	uint32_t source;
	char trace[SPANS_TRACE_SIZE];
	unsigned int flags;
};

static int compareMentions(const void *left, const void *right)
{
	const struct mention *a = left, *b = right;
	int order = memcmp(a->key, b->key, sizeof(a->key));

	if (order)
		return order;
	if (a->isLink != b->isLink)
		return a->isLink ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compareLinks(const void *left, const void *right)
{
	const struct spansLink *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

struct spans *spansNew(struct forest *forest)
{
	struct spans *self = g_new0(struct spans, 1);

	self->forest = forest;
	self->sources = g_new(uint32_t, (size_t)forestCount(forest) + 1);
	self->found = sorterNew(sizeof(struct spansLink), compareLinks);
	self->source = FOREST_NONE;
	return self;
}

void spansFree(struct spans *self)
{
	if (!self)
		return;
	g_free(self->sources);
	sorterFree(self->found);
	g_free(self);
}

/* ---- Traces ------------------------------------------------------------ */

/** Those that say themselves which trace they belong to are their own sources,
 *  and those that nothing caused. */
static int findOwn(struct spans *self)
{
	struct forestRelation relation;
	int ret = 0;

	for (uint32_t i = 0; i < forestCount(self->forest) && ret == 0; i++) {
		bool isOwn;

		ret = forestGet(self->forest, i, &relation);
		if (ret < 0)
			break;
		isOwn = relationIsTrace(relation.trace) ||
			forestParent(self->forest, i) == FOREST_NONE;
		self->sources[i] = isOwn ? i : FOREST_NONE;
		self->links += relation.linkCount;
	}
	return ret;
}

/** The others have that of who caused them. */
static void findSources(struct spans *self)
{
	for (uint32_t i = 0; i < forestCount(self->forest); i++) {
		uint32_t at = i;
		uint32_t source;

		while (self->sources[at] == FOREST_NONE)
			at = forestParent(self->forest, at);
		source = self->sources[at];
		for (at = i; self->sources[at] == FOREST_NONE;
		     at = forestParent(self->forest, at))
			self->sources[at] = source;
	}
}

int spansTrace(struct spans *self, uint32_t number,
	       char trace[SPANS_TRACE_SIZE], unsigned int *flags)
{
	uint32_t source = self->sources[number];
	struct forestRelation relation;
	int ret = 0;

	if (source != self->source) {
		ret = forestGet(self->forest, source, &relation);
		if (ret < 0)
			return ret;
		self->source = source;
		self->flags = 1;
		if (relationIsTrace(relation.trace)) {
			memcpy(self->trace, relation.trace, 32);
			self->flags = (unsigned int)strtoul(relation.trace + 33,
							    NULL, 16);
		} else {
			spansTraceIdOf(relation.token, strlen(relation.token),
				       self->trace);
		}
	}
	memcpy(trace, self->trace, SPANS_TRACE_SIZE);
	*flags = self->flags;
	return 0;
}

/* ---- Links ------------------------------------------------------------- */

static int addMentions(struct sorter *mentions,
		       const struct forestRelation *relation)
{
	struct mention mention;
	int ret;

	memset(&mention, 0, sizeof(mention));
	mention.number = relation->number;
	hdTraceId(relation->token, strlen(relation->token), mention.key);
	ret = sorterAdd(mentions, &mention);
	mention.isLink = true;
	for (size_t i = 0; i < relation->linkCount && ret == 0; i++) {
		mention.index = (uint32_t)i;
		hdTraceId(relation->links[i], strlen(relation->links[i]),
			  mention.key);
		ret = sorterAdd(mentions, &mention);
	}
	return ret;
}

/** Those of one key come together, who has it first. */
static int joinMentions(struct spans *self, struct sorter *mentions)
{
	struct mention now, relation;
	bool isThere = false;
	int ret;

	while ((ret = sorterNext(mentions, &now)) == 1) {
		bool isSame = isThere && memcmp(relation.key, now.key,
						sizeof(now.key)) == 0;
		struct spansLink link;

		if (!now.isLink && !isSame) {
			relation = now;
			isThere = true;
		}
		if (!now.isLink || !isSame)
			continue;
		memset(&link, 0, sizeof(link));
		link.number = now.number;
		link.index = now.index;
		link.target = relation.number;
		ret = sorterAdd(self->found, &link);
		if (ret < 0)
			break;
	}
	return ret;
}

static int findLinks(struct spans *self)
{
	struct sorter *mentions =
		sorterNew(sizeof(struct mention), compareMentions);
	struct forestRelation relation;
	int ret = 0;

	for (uint32_t i = 0; i < forestCount(self->forest) && ret == 0; i++) {
		ret = forestGet(self->forest, i, &relation);
		if (ret == 0)
			ret = addMentions(mentions, &relation);
	}
	if (ret == 0)
		ret = joinMentions(self, mentions);
	sorterFree(mentions);
	return ret;
}

int spansFind(struct spans *self)
{
	int ret = findOwn(self);

	if (ret < 0)
		return ret;
	findSources(self);
	return self->links > 0 ? findLinks(self) : 0;
}

int spansNextLink(struct spans *self, struct spansLink *link)
{
	return sorterNext(self->found, link);
}

/* ---- Ids --------------------------------------------------------------- */

static void putHex(char *to, const unsigned char *id, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		*to++ = digits[id[i] >> 4];
		*to++ = digits[id[i] & 15];
	}
	*to = '\0';
}

void spansIdOf(const char *token, size_t length, char span[SPANS_SPAN_SIZE])
{
	unsigned char id[8];

	hdSpanId(token, length, id);
	putHex(span, id, sizeof(id));
}

void spansTraceIdOf(const char *text, size_t length,
		    char trace[SPANS_TRACE_SIZE])
{
	unsigned char id[16];

	hdTraceId(text, length, id);
	putHex(trace, id, sizeof(id));
}
