/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view, where libmicrohttpd was not there when hdtrace was built.
 */
#include "config.h"

#include "HDTraceTools/command/tool.h"

int viewRun(struct tool *tool, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	toolError(tool,
		  "this hdtrace was built without libmicrohttpd (Debian: "
		  "libmicrohttpd-dev); hdtrace report --html writes a page");
	return TOOL_FAILED;
}
