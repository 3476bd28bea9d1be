/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The hdnode command: the daemon of a node, and who asks many of them.
 */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "NodeStatus/command/serve.h"
#include "cli/output.h"
#include "net/logger.h"

#define COMMAND(name, run, summary) { #name, summary },
#define RUN(name, run, summary) run,

static const struct cliSubcommand commands[] = {
	NODE_COMMANDS(COMMAND){ NULL, NULL },
};
static nodeRun *const runs[] = { NODE_COMMANDS(RUN) };

static struct cliCommand hdnode = {
	.name = "hdnode",
	.arguments = "| COMMAND ...",
	.description =
		"Says what this node is and how it is - CPUs, memory, disks, "
		"network, power, health,\nalarms - to those who ask, in the "
		"foreground, until a signal ends it; nothing is\nsent that was "
		"not asked for. Without options only this host is served, and "
		"needs no\nkeys.",
	.usageStatus = NODE_FAILED,
};

static int check(const struct serveOptions *options, int argc, char **argv)
{
	if (argc > 1)
		return cliUsage(&hdnode, "too many arguments: %s", argv[1]);
	if (!options->certificate != !options->key)
		return cliUsage(&hdnode,
				"--certificate and --key belong together");
	if (!(options->interval >= 0 && options->interval <= 3600))
		return cliUsage(&hdnode, "--interval is up to 3600 seconds");
	return serveRun(options);
}

static int serve(struct serveOptions *options, int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "listen", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->listen,
		  "Where to serve (default 127.0.0.1:6528); port 0 is any; "
		  "more than once",
		  "HOST:PORT|unix:PATH" },
		{ "name", 0, 0, G_OPTION_ARG_STRING, &options->name,
		  "How the node is called (default: as its host)", "NAME" },
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &options->config,
		  "Alarms and more; see hdnode.conf(5)", "FILE" },
		{ "interval", 'i', 0, G_OPTION_ARG_DOUBLE, &options->interval,
		  "How often to look (default 1)", "SECONDS" },
		{ "tokens", 0, 0, G_OPTION_ARG_FILENAME, &options->tokens,
		  "Serve other hosts: those that have a token of FILE",
		  "FILE" },
		{ "certificate", 0, 0, G_OPTION_ARG_FILENAME,
		  &options->certificate, "Speak TLS with this certificate",
		  "FILE" },
		{ "key", 0, 0, G_OPTION_ARG_FILENAME, &options->key,
		  "Key of the certificate", "FILE" },
		{ "metrics-from", 0, 0, G_OPTION_ARG_STRING_ARRAY,
		  &options->metricsFrom,
		  "Serve metrics to hosts of this network, too; more than once",
		  "ADDRESS[/BITS]" },
		{ "power", 0, 0, G_OPTION_ARG_STRING, &options->power,
		  "The power service that measures this node; \"\" for none",
		  "SERVER" },
		{ "smartctl", 0, 0, G_OPTION_ARG_FILENAME, &options->smartctl,
		  "The program that asks disks; \"\" for none", "FILE" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->isQuiet,
		  "Say errors only", NULL },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &options->isVerbose,
		  "Say more", NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &options->root,
		  "Find /sys and /proc below DIR (for tests)", "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status;

	hdnode.notes = cliSubcommandsNotes(
		"Commands, for those who ask:\n", commands,
		"\n'hdnode COMMAND --help' says more.\n\n"
		"Metrics for Prometheus are at /metrics, at the same "
		"port.\n"
		"Signals: SIGINT and SIGTERM end it, SIGHUP reads all "
		"files again.\n"
		"Exit status: 0 a signal has ended it, 2 it could not "
		"begin; of commands 1 if some\nnodes do not answer.");
	status = cliParse(&hdnode, lists, &argc, &argv);
	return status < 0 ? check(options, argc, argv) : status;
}

/* What does not begin with an option is a subcommand. */
static int runCommand(int argc, char **argv)
{
	for (size_t i = 0; i < G_N_ELEMENTS(runs); i++)
		if (strcmp(commands[i].name, argv[0]) == 0)
			return runs[i](argc, argv);
	return cliNoSubcommand(&hdnode, commands, argv[0]);
}

int main(int argc, char **argv)
{
	struct serveOptions options = { 0 };
	bool wantsDump;
	int status;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	hdNetLogger->prefix = "hdnode";
	if (argc > 1 && argv[1][0] != '-')
		return runCommand(argc - 1, argv + 1);
	wantsDump = argc > 1 && strcmp(argv[1], "--dump-options") == 0;
	status = serve(&options, argc, argv);
	if (status == 0 && wantsDump)
		status = cliSubcommandsDump(commands, NULL, runCommand);
	g_strfreev(options.listen);
	g_strfreev(options.metricsFrom);
	g_free(options.name);
	g_free(options.config);
	g_free(options.tokens);
	g_free(options.certificate);
	g_free(options.key);
	g_free(options.power);
	g_free(options.smartctl);
	g_free(options.root);
	return status;
}
