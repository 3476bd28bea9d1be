/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the trace is in the project. */
#include "config.h"

#include <string.h>

#include "ResourcesUtilizationTracingLibrary/rut/rut.h"
#include "common/format/level.h"

/* A label may hold letters, digits, "." and "-". */
static char *placeHost(void)
{
	char *host = g_strdup(g_get_host_name());

	return g_strcanon(host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".-",
			  '-');
}

gboolean targetParse(struct rutTarget *target, const char *project,
		     const char *topology, char **message)
{
	char **parts;

	target->levels = g_ptr_array_new_with_free_func(g_free);
	target->labels = g_ptr_array_new_with_free_func(g_free);
	target->project = g_strdup(project);
	if (!topology) {
		g_ptr_array_add(target->levels, g_strdup(HD_LEVEL_HOST));
		g_ptr_array_add(target->labels, placeHost());
		return TRUE;
	}
	parts = g_strsplit(topology, ",", -1);
	for (size_t i = 0; parts[i]; i++) {
		char *equal = strchr(parts[i], '=');

		if (!equal || equal == parts[i] || equal[1] == '\0') {
			*message = g_strdup_printf(
				"invalid place \"%s\"; expected LEVEL=LABEL",
				parts[i]);
			break;
		}
		g_ptr_array_add(target->levels,
				g_strndup(parts[i], (gsize)(equal - parts[i])));
		g_ptr_array_add(target->labels, g_strdup(equal + 1));
	}
	g_strfreev(parts);
	return *message == NULL;
}

void targetClear(struct rutTarget *target)
{
	if (target->levels)
		g_ptr_array_free(target->levels, TRUE);
	if (target->labels)
		g_ptr_array_free(target->labels, TRUE);
	g_free(target->project);
}
