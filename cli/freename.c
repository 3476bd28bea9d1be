/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for new projects; see freename.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "cli/freename.h"
#include "common/format/projectfile.h"
#include "common/format/projectname.h"

char *cliFreeName(const char *project)
{
	/* The project with what stands before it. */
	char *path = hdProjectFileName(project, "");
	char name[HD_PROJECT_PATH_MAX];
	char *prefix = NULL, *found = NULL;

	if (path)
		prefix = g_strndup(path, strlen(path) - strlen(project));
	free(path);
	if (prefix && g_strlcpy(name, project, sizeof(name)) < sizeof(name) &&
	    hdProjectFindFree(prefix, name, sizeof(name)))
		found = g_strdup(name);
	g_free(prefix);
	return found;
}
