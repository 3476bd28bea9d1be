/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which nodes are asked, and how; see hdnode.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "NodeStatus/command/hdnode.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/readfile.h"
#include "net/loop.h"

/* Descriptors that are no connections. */
#define OTHER_FILES 32

/* Each node is an open file, or three. Whoever has too few is told, and goes on
 * with those that there are. */
static void askFiles(const struct cliCommand *command,
		     const struct nodeAsk *ask, size_t nodes)
{
	static gboolean isSaid;
	unsigned long wanted = nodes * (ask->project ? 3 : 1) + OTHER_FILES;
	unsigned long files = hdLoopFiles(wanted);

	if (files >= wanted || isSaid)
		return;
	isSaid = TRUE;
	outSay(stderr,
	       "%s: limit of %lu open files is too low for %zu nodes; "
	       "raise it with ulimit -Hn",
	       command->name, files, nodes);
}

/* Read the lines of the file; NULL after a message. */
static char **askRead(const struct cliCommand *command, const char *path,
		      gboolean isQuiet)
{
	char *text, **lines;

	if (!cliReadFile(isQuiet ? NULL : command->name, path, &text, NULL))
		return NULL;
	lines = g_strsplit(text, "\n", -1);
	g_free(text);
	for (char **line = lines; *line; line++) {
		g_strdelimit(*line, "#\r", '\0');
		g_strstrip(*line);
	}
	return lines;
}

/* Add one; FALSE after a message. */
static gboolean askAdd(const struct cliCommand *command,
		       hdNode_Collector *collector, const char *address)
{
	int ret = hdNode_add(collector, address);

	if (ret == 0 || ret == -EEXIST)
		return TRUE;
	outSay(stderr, "%s: %s: %s", command->name, cliErrorObject(address),
	       ret == -EINVAL ? "invalid address; expected HOST[:PORT]"
			      : g_strerror(-ret));
	return FALSE;
}

static int askCollector(const struct cliCommand *command,
			const struct nodeAsk *ask, hdNode_Collector **result)
{
	const hdNode_Options options = {
		.timeout = ask->timeout,
		.tokenFile = ask->token,
		.user = ask->user,
		.isEncrypted = ask->isEncrypted || ask->ca || ask->fingerprint,
		.caFile = ask->ca,
		.fingerprint = ask->fingerprint,
	};
	int ret = hdNode_create(&options, result);

	if (ret == 0)
		return -1;
	if (ret == -ENOTSUP)
		outSay(stderr,
		       "%s: --tls: this hdnode was built without GnuTLS",
		       command->name);
	else if (ret == -ENOKEY)
		outSay(stderr, "%s: %s: no token of %s in this file",
		       command->name, ask->token,
		       ask->user ? ask->user : "any user");
	return NODE_FAILED;
}

int nodeAskBegin(const struct cliCommand *command, struct nodeAsk *ask,
		 int argc, char **argv, hdNode_Collector **result)
{
	char **lines = NULL;
	gboolean isGood = TRUE;
	int status;

	if (argc < 2 && !ask->nodes)
		return cliErrorMissing(command, "HOST");
	if (ask->nodes) {
		lines = askRead(command, ask->nodes, FALSE);
		if (!lines)
			return NODE_FAILED;
	}
	status = askCollector(command, ask, result);
	for (int i = 1; status < 0 && isGood && i < argc; i++)
		isGood = askAdd(command, *result, argv[i]);
	if (status < 0)
		ask->named = hdNode_count(*result);
	for (char **line = lines; status < 0 && isGood && line && *line; line++)
		isGood = !**line || askAdd(command, *result, *line);
	g_strfreev(lines);
	if (status < 0 && !isGood) {
		hdNode_destroy(*result);
		return NODE_FAILED;
	}
	if (status < 0)
		askFiles(command, ask, hdNode_count(*result));
	return status;
}

/* Remove those that are not in the file, but for the first ones. */
static void askRemove(hdNode_Collector *collector, size_t named, char **lines)
{
	for (size_t i = hdNode_count(collector); i-- > named;) {
		hdNode_Info info;
		char *address;

		hdNode_info(collector, i, &info);
		if (g_strv_contains((const char *const *)lines, info.address))
			continue;
		address = g_strdup(info.address);
		hdNode_remove(collector, address);
		g_free(address);
	}
}

void nodeAskAgain(const struct cliCommand *command, const struct nodeAsk *ask,
		  hdNode_Collector *collector)
{
	static gboolean isSaid;
	char **lines;

	if (!ask->nodes)
		return;
	lines = askRead(command, ask->nodes, isSaid);
	isSaid = lines == NULL;
	/* A file that is being written anew is read the next time. */
	if (!lines)
		return;
	askRemove(collector, ask->named, lines);
	for (char **line = lines; *line; line++)
		if (**line)
			askAdd(command, collector, *line);
	g_strfreev(lines);
	askFiles(command, ask, hdNode_count(collector));
}

void nodeAskClear(struct nodeAsk *ask)
{
	g_free(ask->nodes);
	g_free(ask->project);
	g_free(ask->token);
	g_free(ask->user);
	g_free(ask->ca);
	g_free(ask->fingerprint);
}
