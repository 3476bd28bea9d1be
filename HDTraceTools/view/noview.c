/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view, where libmicrohttpd was not there when hdtrace was built.
 */
#include "config.h"

#include "HDTraceTools/command/core/tool.h"

int viewRun(struct tool *tool, int argc, char **argv)
{
	static const struct toolHelp help = {
		.arguments = "PROJECT",
		.description = "Is not available: hdtrace was built without "
			       "libmicrohttpd.",
		.maxArguments = -1,
		.formats = TOOL_TEXT_ONLY,
	};
	const GOptionEntry entries[] = { { NULL, 0, 0, 0, NULL, NULL, NULL } };

	/* Of options, there is but --help, and its kind. */
	if (argc == 2 && g_str_has_prefix(argv[1], "--")) {
		int status = toolParse(tool, &argc, &argv, entries, &help);

		if (status >= 0)
			return status;
	}
	toolError(tool, "hdtrace was built without libmicrohttpd (Debian: "
			"libmicrohttpd-dev); use hdtrace report --html");
	return TOOL_FAILED;
}
