/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in a JSON value; see jsonpath.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include <glib.h>

#include "tests/node/jsonpath.h"

json_t *jsonAt(json_t *json, const char *path)
{
	char **keys = g_strsplit(path, ".", -1);

	for (size_t i = 0; keys[i]; i++) {
		json = json_is_array(json)
			       ? json_array_get(json, (size_t)atoi(keys[i]))
			       : json_object_get(json, keys[i]);
		if (!json)
			g_error("%s: there is no \"%s\"", path, keys[i]);
	}
	g_strfreev(keys);
	return json;
}

void jsonIs(json_t *json, const char *path, const char *text)
{
	char *found = json_dumps(jsonAt(json, path),
				 JSON_ENCODE_ANY | JSON_PRESERVE_ORDER |
					 JSON_REAL_PRECISION(10));

	g_assert_cmpstr(found, ==, text);
	free(found);
}

double jsonNumber(json_t *json, const char *path)
{
	const json_t *number = jsonAt(json, path);

	g_assert_true(json_is_number(number) || json_is_null(number));
	return json_is_number(number) ? json_number_value(number) : NAN;
}
