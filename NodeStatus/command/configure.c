/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdnode configure: the same configuration for many nodes. */
#include "config.h"

#include <errno.h>

#include "NodeStatus/command/hdnode.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/readfile.h"

static const struct cliNumber numbers[] = {
	{ "timeout", CLI_ABOVE_ZERO, 86400, "s" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdnode configure",
	.arguments = "FILE [HOST[:PORT]...]",
	.description =
		"Send a configuration file (hdnode.conf(5)) to nodes. Each "
		"node accepts it as a whole, or reports the errors and keeps "
		"its configuration. It is valid until hdnode ends.",
	.notes = "Exit status: 0 all nodes accepted it, 1 some did not, 2 "
		 "usage error or unreadable\nfile.\n\n"
		 "Examples:\n"
		 "  hdnode configure alarms.conf localhost\n"
		 "  hdnode configure --token=tokens --nodes=nodes.txt "
		 "alarms.conf",
	.usageStatus = NODE_FAILED,
	.numbers = numbers,
};

static int configure(hdNode_Collector *collector, const char *path)
{
	char *text;
	gsize length;
	size_t count = hdNode_count(collector);
	int taken;

	if (!cliReadFile(command.name, path, &text, &length))
		return NODE_FAILED;
	taken = hdNode_configure(collector, text, length);
	g_free(text);
	if (taken < 0) {
		outSay(stderr, "%s: %s: %s", command.name, path,
		       g_strerror(-taken));
		return NODE_FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		hdNode_Info info;

		hdNode_info(collector, i, &info);
		if (info.state == HDNODE_OK)
			outSay(stdout, "%s: taken", info.name);
		else
			outSay(stdout, "%s: %s: %s", info.name, info.word,
			       info.why ? info.why : "");
	}
	return (size_t)taken == count ? cliFinish(&command) : NODE_SOME;
}

int configureRun(int argc, char **argv)
{
	struct nodeAsk ask = { .timeout = 5 };
	const GOptionEntry entries[] = {
		NODE_ASK_OPTIONS(&ask),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	hdNode_Collector *collector;
	int status = cliParse(&command, lists, &argc, &argv);

	if (status < 0 && argc < 2)
		status = cliErrorMissing(&command, "FILE");
	if (status < 0)
		status = nodeAskBegin(&command, &ask, argc - 1, argv + 1,
				      &collector);
	if (status < 0) {
		status = configure(collector, argv[1]);
		hdNode_destroy(collector);
	}
	nodeAskClear(&ask);
	return status;
}
