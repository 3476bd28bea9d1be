/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Relations of a project; see tokens.h. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "HDTraceTools/model/relations/tokens.h"

void relationToken(const hdIRelationOwner *owner, const hdIRelation *relation,
		   GString *token)
{
	g_string_printf(token, "%s:%s:%s:%" PRIu64, owner->host, owner->process,
			owner->number, relation->id);
}

bool relationParent(const hdIRelationOwner *owner, const hdIRelation *relation,
		    GString *token)
{
	switch (relation->parentKind) {
	case HDI_PARENT_FILE:
		g_string_printf(token, "%s:%s:%s:%s", owner->host,
				owner->process, owner->number,
				relation->parent);
		return true;
	case HDI_PARENT_PROCESS:
		g_string_printf(token, "%s:%s:%s", owner->host, owner->process,
				relation->parent);
		return true;
	case HDI_PARENT_LOCAL:
		g_string_printf(token, "%s:%s", owner->host, relation->parent);
		return true;
	case HDI_PARENT_REMOTE:
		g_string_assign(token, relation->parent);
		return true;
	default:
		return false;
	}
}

bool relationIsTrace(const char *text)
{
	static const char digits[] = "0123456789abcdef";

	return strlen(text) == 32 + 1 + 2 && strspn(text, digits) == 32 &&
	       text[32] == '-' && strspn(text + 33, digits) == 2;
}

const char *relationStateError(const hdIRelationState *state)
{
	for (size_t i = 0; i < state->attributeCount; i++)
		if (strcmp(state->attributes[i].name, "error") == 0)
			return state->attributes[i].value;
	return NULL;
}
