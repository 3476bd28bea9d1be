/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations as spans of W3C traces; see spans.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/relations/spans.h"
#include "HDTraceTools/model/relations/tokens.h"
#include "common/format/relationid.h"
#include "common/hex.h"

struct spans {
	struct forest *forest;
	uint32_t *sources; /**< Whose trace each one belongs to. */
	/* The last one that was asked for. */
	uint32_t source;
	char trace[SPANS_TRACE_SIZE];
	unsigned int flags;
};

struct spans *spansNew(struct forest *forest)
{
	struct spans *self = g_new0(struct spans, 1);

	self->forest = forest;
	self->sources = g_new(uint32_t, (size_t)forestCount(forest) + 1);
	self->source = FOREST_NONE;
	return self;
}

void spansFree(struct spans *self)
{
	if (!self)
		return;
	g_free(self->sources);
	g_free(self);
}

/* ---- Traces ------------------------------------------------------------ */

/** Those that say themselves which trace they belong to are their own sources,
 *  and those that nothing caused. */
static int spansFindOwn(struct spans *self)
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

int spansFind(struct spans *self)
{
	int ret = spansFindOwn(self);

	if (ret == 0)
		findSources(self);
	return ret;
}

/* ---- Ids --------------------------------------------------------------- */

void spansIdOf(const char *token, size_t length, char span[SPANS_SPAN_SIZE])
{
	unsigned char id[8];

	hdSpanId(token, length, id);
	*hdHexPut(span, id, sizeof(id)) = '\0';
}

void spansTraceIdOf(const char *text, size_t length,
		    char trace[SPANS_TRACE_SIZE])
{
	unsigned char id[16];

	hdTraceId(text, length, id);
	*hdHexPut(trace, id, sizeof(id)) = '\0';
}
