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
#include "cli/errors.h"
#include "cli/output.h"
#include "net/logger.h"

#define COMMAND(name, run, summary) { #name, summary },
#define RUN(name, run, summary) run,

static const struct cliSubcommand commands[] = {
	NODE_COMMANDS(COMMAND){ NULL, NULL },
};
static nodeRun *const runs[] = { NODE_COMMANDS(RUN) };

static const struct cliNumber numbers[] = {
	{ "interval", 0, 3600, "s" },
	{ NULL, 0, 0, NULL },
};

static struct cliCommand hdnode = {
	.name = "hdnode",
	.arguments = "| COMMAND ...",
	.description =
		"Serve the capabilities, status, health and alarms of this "
		"node to clients. The daemon stays in the foreground until a "
		"signal ends it, and sends data only on request. Without "
		"options, it serves only this host and needs no keys.",
	.usageStatus = NODE_FAILED,
	.numbers = numbers,
};

static int hdnodeCheckServe(const struct serveOptions *options, int argc,
			    char **argv)
{
	if (argc > 1)
		return cliErrorUnexpected(&hdnode, argv[1]);
	if (!options->certificate != !options->key)
		return cliErrorNeeds(&hdnode,
				     options->key ? "key" : "certificate",
				     options->key ? "certificate" : "key");
	return serveRun(options);
}

static int hdnodeServe(struct serveOptions *options, int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "listen", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->listen,
		  "Listen on this address, repeatable; port 0: any "
		  "(default: 127.0.0.1:6528)",
		  "HOST:PORT|unix:PATH" },
		{ "name", 0, 0, G_OPTION_ARG_STRING, &options->name,
		  "Name of the node (default: the host name)", "NAME" },
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &options->config,
		  "Read alarms and settings from FILE; see hdnode.conf(5) for "
		  "its format",
		  "FILE" },
		{ "interval", 'i', 0, G_OPTION_ARG_DOUBLE, &options->interval,
		  "Time between two samples in seconds (default: 1)",
		  "SECONDS" },
		{ "tokens", 0, 0, G_OPTION_ARG_FILENAME, &options->tokens,
		  "Also serve other hosts that have a token from FILE",
		  "FILE" },
		{ "certificate", 0, 0, G_OPTION_ARG_FILENAME,
		  &options->certificate, "Offer TLS with this certificate",
		  "FILE" },
		{ "key", 0, 0, G_OPTION_ARG_FILENAME, &options->key,
		  "Private key of the certificate", "FILE" },
		{ "metrics-from", 0, 0, G_OPTION_ARG_STRING_ARRAY,
		  &options->metricsFrom,
		  "Also serve metrics to the hosts of this network, "
		  "repeatable",
		  "ADDRESS[/BITS]" },
		{ "power", 0, 0, G_OPTION_ARG_STRING, &options->power,
		  "Power service that measures this node; empty for none",
		  "SERVER" },
		{ "no-sandbox", 0, 0, G_OPTION_ARG_NONE, &options->isOpen,
		  "Keep all capabilities and system calls", NULL },
		{ "smartctl", 0, 0, G_OPTION_ARG_FILENAME, &options->smartctl,
		  "Program that queries disks; empty for none", "FILE" },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->isQuiet,
		  "Print only errors", NULL },
		{ "verbose", 'v', 0, G_OPTION_ARG_NONE, &options->isVerbose,
		  "Print more details", NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &options->root,
		  "Directory that contains /sys and /proc, for tests", "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status;

	hdnode.notes = cliSubcommandsNotes(
		"Commands for clients:\n", commands,
		"\n'hdnode COMMAND --help' describes a command.\n\n"
		"Prometheus reads metrics from /metrics on the same port.\n"
		"Signals: SIGINT and SIGTERM end the daemon, SIGHUP reads all "
		"files again.\n"
		"Exit status: 0 a signal ended the daemon, 2 it could not "
		"start; commands return 1\nif some nodes do not answer.\n\n"
		"Examples:\n"
		"  hdnode --name=node01\n"
		"  hdnode --listen=0.0.0.0:6528 --tokens=/etc/hdtrace/tokens");
	status = cliParse(&hdnode, lists, &argc, &argv);
	return status < 0 ? hdnodeCheckServe(options, argc, argv) : status;
}

/* What does not begin with an option is a subcommand. */
static int hdnodeRunCommand(int argc, char **argv)
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
		return hdnodeRunCommand(argc - 1, argv + 1);
	wantsDump = argc > 1 && strcmp(argv[1], "--dump-options") == 0;
	status = hdnodeServe(&options, argc, argv);
	if (status == 0 && wantsDump)
		status = cliSubcommandsDump(commands, NULL, hdnodeRunCommand);
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
