/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations of a project: their tokens, and those of who caused them
 * (doc/format/format.md, "Relations").
 */
#ifndef HD_MODEL_RELATIONS_TOKENS_H
#define HD_MODEL_RELATIONS_TOKENS_H

#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>

/** Set a text to the token of a relation, HOST:PID:TOPOLOGY:ID. */
void relationToken(const hdIRelationOwner *owner, const hdIRelation *relation,
		   GString *token);

/**
 * Set a text to the whole token of who caused a relation.
 *
 * @return Whether there is one; not of a span of a W3C trace.
 */
bool relationParent(const hdIRelationOwner *owner, const hdIRelation *relation,
		    GString *token);

/** Whether a text is a trace as of W3C: its id, '-', and flags. */
bool relationIsTrace(const char *text);

/** Why a state failed; NULL: it did not. */
const char *relationStateError(const hdIRelationState *state);

#endif
