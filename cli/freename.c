/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for new projects; see freename.h. */
#include "config.h"

#include <glib.h>

#include "cli/freename.h"
#include "common/environment.h"
#include "common/format/projectname.h"

char *cliFreeName(const char *project)
{
	char name[HD_PROJECT_PATH_MAX];

	if (g_strlcpy(name, project, sizeof(name)) >= sizeof(name) ||
	    !hdProjectFindFree(hdEnvironment("HDTRACE_PREFIX"), name,
			       sizeof(name)))
		return NULL;
	return g_strdup(name);
}
