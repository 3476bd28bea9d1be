/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the trace is in the project, and the project file. */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rut.h"

/* A label may hold letters, digits, "." and "-". */
static char *placeHost(void)
{
	char *host = g_strdup(g_get_host_name());

	return g_strcanon(host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".-",
			  '-');
}

gboolean placeParse(struct rutPlace *place, const char *project,
		    const char *topology, char **message)
{
	const char *prefix = g_getenv("HDTRACE_PREFIX");
	char **parts;

	place->levels = g_ptr_array_new_with_free_func(g_free);
	place->labels = g_ptr_array_new_with_free_func(g_free);
	/* The library puts the prefix before its files; so do we. */
	if (!prefix || g_path_is_absolute(project))
		prefix = "";
	place->project = g_strconcat(prefix, project, NULL);
	if (!topology) {
		g_ptr_array_add(place->levels, g_strdup("Host"));
		g_ptr_array_add(place->labels, placeHost());
		return TRUE;
	}
	parts = g_strsplit(topology, ",", -1);
	for (size_t i = 0; parts[i]; i++) {
		char *equal = strchr(parts[i], '=');

		if (!equal || equal == parts[i] || equal[1] == '\0') {
			*message = g_strdup_printf("not LEVEL=LABEL: \"%s\"",
						   parts[i]);
			break;
		}
		g_ptr_array_add(place->levels,
				g_strndup(parts[i], (gsize)(equal - parts[i])));
		g_ptr_array_add(place->labels, g_strdup(equal + 1));
	}
	g_strfreev(parts);
	return *message == NULL;
}

void placeClear(struct rutPlace *place)
{
	if (place->levels)
		g_ptr_array_free(place->levels, TRUE);
	if (place->labels)
		g_ptr_array_free(place->labels, TRUE);
	g_free(place->project);
}

char *projectFile(const struct rutPlace *place)
{
	return g_strconcat(place->project, ".proj", NULL);
}

static void indent(GString *text, guint depth)
{
	g_string_append_printf(text, "%*s", (int)depth, "");
}

static char *projectText(const struct rutPlace *place)
{
	GString *text = g_string_new("<?xml version=\"1.0\" "
				     "encoding=\"UTF-8\"?>\n");
	char *base = g_path_get_basename(place->project);
	char *head =
		g_markup_printf_escaped("<Application name=\"%s\">\n", base);
	guint depth = place->levels->len;

	g_string_append(text, head);
	g_string_append(text, " <Description></Description>\n <Topology>\n");
	for (guint i = 0; i < depth; i++) {
		indent(text, i + 2);
		g_string_append_printf(text, "<Level type=\"%s\">\n",
				       (char *)place->levels->pdata[i]);
	}
	for (guint i = depth; i > 0; i--) {
		indent(text, i + 1);
		g_string_append(text, "</Level>\n");
	}
	for (guint i = 0; i < depth; i++) {
		indent(text, i + 2);
		g_string_append_printf(text, "<Node name=\"%s\">\n",
				       (char *)place->labels->pdata[i]);
	}
	for (guint i = depth; i > 0; i--) {
		indent(text, i + 1);
		g_string_append(text, "</Node>\n");
	}
	g_string_append(text, " </Topology>\n <ExternalStatistics>\n"
			      "  <Utilization/>\n </ExternalStatistics>\n"
			      "</Application>\n");
	g_free(head);
	g_free(base);
	return g_string_free(text, FALSE);
}

gboolean projectWrite(const struct rutPlace *place, gboolean replace,
		      GError **error)
{
	char *file = projectFile(place), *text = projectText(place);
	gboolean isDone = FALSE;

	if (!replace && access(file, F_OK) == 0)
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
			    "%s exists; --force replaces it", file);
	else
		isDone = g_file_set_contents_full(
			file, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
			error);
	g_free(file);
	g_free(text);
	return isDone;
}
