/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Joins the relations of a project with their causes.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/relations/forestparts.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/relations/forest.h"
#include "common/format/relationid.h"

/* ---- Who caused whom --------------------------------------------------- */

/** Those of one key come together, who has it first. */
static void forestJoinMentions(struct forest *self)
{
	struct mention now, relation;
	bool isThere = false;
	int ret;

	while ((ret = sorterNext(self->mentions, &now)) == 1) {
		bool isSame = isThere && memcmp(relation.key, now.key,
						sizeof(now.key)) == 0;

		if (!now.isReference && !isSame) {
			relation = now;
			isThere = true;
		} else if (now.link && isSame) {
			const struct forestLink link = {
				.number = now.number,
				.index = now.link - 1,
				.cause = relation.number,
			};

			g_array_append_val(self->causes, link);
		} else if (now.isReference && isSame) {
			self->parents[now.number] = relation.number;
		}
	}
	forestFail(self, ret);
	sorterFree(self->mentions);
	self->mentions = NULL;
}

/** Read 16 hexadecimal digits. */
static bool parseSpan(const char *text, unsigned char *id)
{
	for (int i = 0; i < 8; i++) {
		int high = g_ascii_xdigit_value(text[2 * i]);
		int low = high < 0 ? -1 : g_ascii_xdigit_value(text[2 * i + 1]);

		if (low < 0)
			return false;
		id[i] = (unsigned char)(16 * high + low);
	}
	return true;
}

/** Spans that caused relations may be relations of the project. */
static void forestJoinSpans(struct forest *self)
{
	struct forestRelation relation;

	self->mentions =
		sorterNew(sizeof(struct mention), forestCompareMentions);
	for (uint32_t i = 0; i < forestCount(self) && self->error == 0; i++) {
		struct mention mention;

		forestFail(self, forestGet(self, i, &relation));
		if (self->error)
			return;
		memset(&mention, 0, sizeof(mention));
		mention.number = i;
		hdSpanId(relation.token, strlen(relation.token), mention.key);
		forestFail(self, sorterAdd(self->mentions, &mention));
		mention.isReference = true;
		if (relation.span && parseSpan(relation.span, mention.key))
			forestFail(self, sorterAdd(self->mentions, &mention));
	}
	forestJoinMentions(self);
}

static gint compareLinks(gconstpointer left, gconstpointer right)
{
	const struct forestLink *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

gint forestCompareNumbers(gconstpointer left, gconstpointer right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/** Find depths, and cut where a relation would be its own cause. */
static void findDepths(struct forest *self)
{
	const uint32_t isOnWay = UINT32_MAX;
	GArray *way = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	/* Depths are one more until all are known. */
	for (uint32_t i = 0; i < forestCount(self); i++) {
		uint32_t at = i;
		uint32_t depth;

		while (at != FOREST_NONE && self->depths[at] == 0) {
			self->depths[at] = isOnWay;
			g_array_append_val(way, at);
			at = self->parents[at];
		}
		if (at != FOREST_NONE && self->depths[at] == isOnWay) {
			uint32_t last =
				g_array_index(way, uint32_t, way->len - 1);

			self->parents[last] = FOREST_NONE;
			g_array_append_val(self->circular, last);
			self->counts.circular++;
			at = FOREST_NONE;
		}
		depth = at == FOREST_NONE ? 0 : self->depths[at];
		while (way->len > 0) {
			self->depths[g_array_index(way, uint32_t,
						   way->len - 1)] = ++depth;
			g_array_set_size(way, way->len - 1);
		}
	}
	g_array_unref(way);
	g_array_sort(self->circular, forestCompareNumbers);
	for (uint32_t i = 0; i < forestCount(self); i++)
		self->depths[i]--;
}

int forestEnd(struct forest *self)
{
	const uint32_t count = forestCount(self);
	uint32_t without = 0;

	self->parents = g_new(uint32_t, (size_t)count + 1);
	self->children = g_new(uint32_t, (size_t)count + 1);
	self->siblings = g_new(uint32_t, (size_t)count + 1);
	self->depths = g_new0(uint32_t, (size_t)count + 1);
	memset(self->parents, 0xff, sizeof(uint32_t) * ((size_t)count + 1));
	memset(self->children, 0xff, sizeof(uint32_t) * ((size_t)count + 1));
	forestJoinMentions(self);
	g_array_sort(self->causes, compareLinks);
	if (self->spans > 0)
		forestJoinSpans(self);
	findDepths(self);
	for (uint32_t i = count; i-- > 0;) {
		uint32_t parent = self->parents[i];

		if (parent == FOREST_NONE) {
			without++;
			continue;
		}
		self->siblings[i] = self->children[parent];
		self->children[parent] = i;
	}
	/* Others without one name one; circular ones are cut from theirs. */
	self->counts.unknown =
		without - self->counts.roots - self->counts.circular;
	return self->error;
}
