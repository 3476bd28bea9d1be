/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values as JSON; see json.h. */
#include "config.h"

#include <glib.h>

#include "NodeStatus/local/json.h"

json_t *nodeJsonText(const char *text)
{
	json_t *json;
	char *valid;

	if (!text || !*text)
		return json_null();
	json = json_string(text);
	if (json)
		return json;
	valid = g_strdup(text);
	for (char *at = valid; *at; at++)
		if (*at & 0x80)
			*at = '?';
	json = json_string(valid);
	g_free(valid);
	return json;
}
