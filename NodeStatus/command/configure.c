/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdnode configure: the same configuration for many nodes. */
#include "config.h"

#include "NodeStatus/command/hdnode.h"
#include "cli/output.h"

static const struct cliCommand command = {
	.name = "hdnode configure",
	.arguments = "FILE [HOST[:PORT]...]",
	.description =
		"Give nodes another configuration (hdnode.conf(5)). A node "
		"takes it as a whole, or says what is wrong and goes on with "
		"the one that it has. It holds until hdnode ends there.",
	.notes = "Exit status: 0 all nodes have taken it, 1 some have not, 2 "
		 "wrong usage, or the\nfile cannot be read.",
	.usageStatus = NODE_FAILED,
};

static int configure(hdNode_Collector *collector, const char *path)
{
	GError *error = NULL;
	char *text;
	gsize length;
	size_t count = hdNode_count(collector);
	int taken;

	if (!g_file_get_contents(path, &text, &length, &error)) {
		outSay(stderr, "%s: %s", command.name, error->message);
		g_error_free(error);
		return NODE_FAILED;
	}
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
		status = cliUsage(&command, "which file?");
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
