/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdnode explain: which inputs of this machine are the power of the node. */
#include "config.h"

#include <stdio.h>

#include <glib.h>

#include "NodeStatus/command/hdnode.h"
#include "PowerTracingLibrary/client/core/explain.h"
#include "cli/errors.h"

static const struct cliCommand command = {
	.name = "hdnode explain",
	.description =
		"List the power inputs of this machine, and which of them make "
		"up the power of the node.",
	.notes = "Examples:\n"
		 "  hdnode explain\n"
		 "  hdnode explain --root=TREE",
	.usageStatus = NODE_FAILED,
};

int explainRun(int argc, char **argv)
{
	char *root = NULL;
	const GOptionEntry entries[] = {
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &root,
		  "Read /sys and /proc below DIR, such as a copy of another "
		  "machine",
		  "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(&command, lists, &argc, &argv);

	if (status < 0 && argc > 1)
		status = cliErrorUnexpected(&command, argv[1]);
	if (status < 0 && cliErrorRoot(command.name, root))
		status = NODE_FAILED;
	if (status < 0) {
		ptExplain(stdout, root ? root : "");
		status = cliFinish(&command);
	}
	g_free(root);
	return status;
}
