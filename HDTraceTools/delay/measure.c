/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A load that tells delays; see measure.h. */
#include "config.h"

#include <stdio.h>
#include <sys/wait.h>

#include "HDTraceTools/delay/measure.h"
#include "cli/command.h"

/* Its exit status if there is a project, but not all is in it. */
#define HDLOAD_INCOMPLETE 1

static void measureLoadAddOption(GPtrArray *words, const char *option,
				 const char *value)
{
	if (!value)
		return;
	g_ptr_array_add(words, g_strdup(option));
	g_ptr_array_add(words, g_strdup(value));
}

bool measureRun(struct tool *tool, const struct measureChoice *choice)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
	GError *error = NULL;
	bool isThere = false;
	int status = 0;

	g_ptr_array_add(words, cliBeside("hdload"));
	g_ptr_array_add(words, g_strdup("--sequence"));
	g_ptr_array_add(words, g_strdup("--quiet"));
	measureLoadAddOption(words, "--config", choice->configuration);
	measureLoadAddOption(words, "--project", choice->project);
	measureLoadAddOption(words, "--cpus", choice->cpus);
	measureLoadAddOption(words, "--order", choice->order);
	if (choice->isForced)
		g_ptr_array_add(words, g_strdup("--force"));
	g_ptr_array_add(words, NULL);
	fflush(stdout);
	if (!g_spawn_sync(NULL, (char **)words->pdata, NULL,
			  G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN,
			  NULL, NULL, NULL, NULL, &status, &error))
		toolError(tool, "%s", error->message);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == HDLOAD_INCOMPLETE)
		toolError(tool, "%s: the measurement is incomplete",
			  choice->project);
	else if (status != 0)
		toolError(tool, "no power was measured");
	isThere = !error && WIFEXITED(status) &&
		  WEXITSTATUS(status) <= HDLOAD_INCOMPLETE;
	g_clear_error(&error);
	g_ptr_array_unref(words);
	return isThere;
}
