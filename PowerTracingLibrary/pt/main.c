/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The pt command: traces power as a configuration file says.
 */
#include "config.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/client/core/explain.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "PowerTracingLibrary/service/site/site.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "cli/compress.h"
#include "cli/errors.h"
#include "cli/freename.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/precision.h"

#define COMMAND(name, ptMainRun, summary) { #name, summary },
#define RUN(name, ptMainRun, summary) ptMainRun,

static const struct cliSubcommand commands[] = {
	PT_COMMANDS(COMMAND){ NULL, NULL },
};
static commandRun *const runs[] = { PT_COMMANDS(RUN) };

/* -p named the port once: what looks like one is one. */
static bool isPort(const char *value)
{
	return g_str_has_prefix(value, "/dev/") || strchr(value, ':');
}

static const struct cliOldLetter oldLetters[] = {
	{ 'n', "check", NULL },
	{ 'P', "project", NULL },
	{ 'p', "port", isPort },
	{ '\0', NULL, NULL },
};

static const struct cliNumber numbers[] = {
	{ "duration", CLI_ABOVE_ZERO, 1e9, "s" },
	{ NULL, 0, 0, NULL },
};

static struct cliCommand pt = {
	.name = "pt",
	.arguments = "| COMMAND ...",
	.description = "Trace the power of nodes, from a power analyzer or "
		       "from the meters of this\nmachine.",
	.usageStatus = -PT_ESYNTAX,
	.oldLetters = oldLetters,
	.numbers = numbers,
	.needsArguments = true,
};

/* Check what options do not check themselves; returns a message or NULL. */
static const char *ptMainCheckOptions(const struct options *options)
{
	if (options->explain && !options->list)
		return "--explain: requires --list";
	if (!options->config && !options->list)
		return "missing option: --config";
	if (options->force && options->number)
		return "--force: cannot be combined with --number";
	return NULL;
}

static int ptMainCheck(const struct options *options)
{
	struct ptConfig config;
	int ret = sessionRead(options, &config);

	if (ret < 0)
		return -ret;
	if (!options->quiet)
		outSay(stdout, "%s: valid: %s, %zu values of %zu nodes",
		       options->config, config.driver->name, config.columnCount,
		       config.nodeCount);
	ptConfigClear(&config);
	return 0;
}

/* Read the configuration while this is still the user's terminal. */
static int readFirst(const struct options *options)
{
	struct options quiet = *options;
	struct ptConfig config;
	int ret;

	if (ptSiteIsOne(options->config)) {
		quiet.quiet = TRUE;
		return siteCheck(&quiet);
	}
	ret = sessionRead(options, &config);
	if (ret == 0)
		ptConfigClear(&config);
	return -ret;
}

static int ptMainRun(const struct options *options)
{
	gboolean isSite = ptSiteIsOne(options->config);
	int result;

	if (options->background) {
		result = readFirst(options);
		if (result != 0)
			return result;
		if (!daemonFork())
			return -PT_ESYNTAX;
	}
	if (options->pidFile && !daemonWritePid(options->pidFile)) {
		daemonReady(-PT_ESYNTAX);
		return -PT_ESYNTAX;
	}
	if (options->syslog || options->background)
		daemonUseSyslog();
	result = isSite ? siteServe(options) : serve(options);
	/* The waiting parent, and who started it, find no file of a daemon that
	 * has failed. */
	if (options->pidFile)
		daemonRemovePid(options->pidFile);
	daemonReady(result);
	return result;
}

static int ptMainParseAndRun(struct options *options, int argc, char **argv)
{
	gboolean hasDuration;
	const GOptionEntry entries[] = {
		{ "config", 'c', 0, G_OPTION_ARG_FILENAME, &options->config,
		  "Configuration file; see pt.cfg(5)", "FILE" },
		{ "check", 0, 0, G_OPTION_ARG_NONE, &options->check,
		  "Check the configuration and exit", NULL },
		{ "list", 'l', 0, G_OPTION_ARG_NONE, &options->list,
		  "List the supported devices and the meters of this machine",
		  NULL },
		{ "explain", 0, 0, G_OPTION_ARG_NONE, &options->explain,
		  "With --list: list the inputs that make up the power of this "
		  "machine",
		  NULL },
		{ "project", 'p', 0, G_OPTION_ARG_FILENAME, &options->project,
		  "Name of the project (default: as in the configuration)",
		  "NAME" },
		{ "topology", 't', 0, G_OPTION_ARG_STRING, &options->topology,
		  "Levels of the topology (default: as in the configuration)",
		  "A_B_C" },
		{ "port", 0, 0, G_OPTION_ARG_STRING, &options->port,
		  "Location of the device (default: as in the configuration)",
		  "[NODE:]DEVICE" },
		{ "duration", 'd', 0, G_OPTION_ARG_DOUBLE, &options->duration,
		  "Duration of the trace in seconds", "S" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options->force,
		  "Replace the files of an old project", NULL },
		CLI_OPTION_NUMBER(&options->number),
		CLI_OPTION_COMPRESS,
		{ "background", 'D', 0, G_OPTION_ARG_NONE, &options->background,
		  "Run in the background; return when the trace runs", NULL },
		{ "pid-file", 0, 0, G_OPTION_ARG_FILENAME, &options->pidFile,
		  "Write the process ID to FILE", "FILE" },
		{ "syslog", 0, 0, G_OPTION_ARG_NONE, &options->syslog,
		  "Send log lines to syslog; implied by -D", NULL },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet,
		  "Print no summary", NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &options->root,
		  "Read /sys and /proc below DIR, for tests", "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, cliPrecision, NULL };
	const char *message;
	int status;

	options->duration = -1;
	pt.notes = cliSubcommandsNotes(
		"Commands, for power services and this machine:\n", commands,
		"\nUse 'pt COMMAND --help' for the options of a command.\n\n"
		"Examples:\n"
		"  pt --check -c pt.cfg && pt -c pt.cfg\n"
		"  pt -c pt.cfg --number --duration=60 -p run7\n\n"
		"Signals: SIGINT and SIGTERM end the trace. SIGUSR1 stops "
		"and SIGUSR2 starts it.\nSIGHUP reads the configuration again "
		"and begins a new project.\n"
		"Exit status: 0, or the number of PT_E... in PT.h; see "
		"pt(1).");
	status = cliParse(&pt, lists, &argc, &argv);
	if (status >= 0)
		return status;
	if (argc > 1)
		return cliErrorUnexpected(&pt, argv[1]);
	hasDuration = options->duration != -1;
	message = ptMainCheckOptions(options);
	if (message)
		return cliUsage(&pt, "%s", message);
	if (!hasDuration)
		options->duration = 0;
	if (options->list && cliErrorRoot(pt.name, options->root))
		return pt.usageStatus;
	if (options->list) {
		(options->explain ? ptExplain : listPrint)(
			stdout, options->root ? options->root : "");
		return cliFinish(&pt);
	}
	if (ptSiteIsOne(options->config)) {
		message = siteOptions(options);
		if (message)
			return cliUsage(&pt, "%s", message);
		return options->check ? siteCheck(options) : ptMainRun(options);
	}
	return options->check ? ptMainCheck(options) : ptMainRun(options);
}

/* What does not begin with an option is a subcommand. */
static int ptMainRunCommand(int argc, char **argv)
{
	for (size_t i = 0; i < G_N_ELEMENTS(runs); i++)
		if (strcmp(commands[i].name, argv[0]) == 0)
			return runs[i](argc, argv);
	return cliNoSubcommand(&pt, commands, argv[0]);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	const char *verbosity = g_getenv("PT_VERBOSITY");
	bool wantsDump;
	int result;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	/* Who runs for weeks says when its device is lost. */
	hdLogSetVerbosity(&ptLogger, verbosity && *verbosity ? verbosity : "1");
	if (argc > 1 && argv[1][0] != '-')
		return ptMainRunCommand(argc - 1, argv + 1);
	wantsDump = argc > 1 && strcmp(argv[1], "--dump-options") == 0;
	result = ptMainParseAndRun(&options, argc, argv);
	if (result == 0 && wantsDump)
		result = cliSubcommandsDump(commands, NULL, ptMainRunCommand);
	g_free(options.config);
	g_free(options.project);
	g_free(options.topology);
	g_free(options.port);
	g_free(options.root);
	g_free(options.pidFile);
	return result;
}
