/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What becomes of the bytes of a message.
 */
#include "config.h"

#include "tests/sim/damage.h"

void simDamage(GString *message, const struct simRule *rule)
{
	/* A position from the end is negative. */
	double from = rule->number < 0 ? (double)message->len + rule->number
				       : rule->number;
	gssize position = (gssize)CLAMP(from, 0, (double)message->len);
	gssize count = MIN(rule->count, (gssize)message->len - position);
	char *copy;

	switch (rule->action) {
	case SIM_LOSE:
		g_string_erase(message, position, count);
		break;
	case SIM_DOUBLE:
		copy = g_memdup2(message->str + position, (gsize)count);
		g_string_insert_len(message, position, copy, count);
		g_free(copy);
		break;
	case SIM_INSERT:
		g_string_insert_len(message, position, rule->bytes->str,
				    (gssize)rule->bytes->len);
		break;
	case SIM_REPLACE:
		g_string_truncate(message, 0);
		g_string_append_len(message, rule->bytes->str,
				    (gssize)rule->bytes->len);
		break;
	default:
		break;
	}
}
