/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The hdtrace command: finds and runs a subcommand.
 */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/revision.h"

#define COMMAND(name, summary) { #name, summary, name##Run },
#define SUBCOMMAND(name, summary) { #name, summary },

static struct toolCommand commands[] = { TOOL_COMMANDS(COMMAND) };
static struct cliSubcommand subcommands[] = {
	TOOL_COMMANDS(SUBCOMMAND){ NULL, NULL },
};

/** Names in C have no "-"; users have no "_". */
static void hdtraceNameCommands(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (!strchr(commands[i].name, '_'))
			continue;
		commands[i].name =
			g_strdelimit(g_strdup(commands[i].name), "_", '-');
		subcommands[i].name = commands[i].name;
	}
}

static struct cliCommand hdtrace = {
	.name = "hdtrace",
	.arguments = "COMMAND [OPTION...] PROJECT",
	.description =
		"Read, check and analyse HDTrace projects.\n\nPROJECT is a "
		".proj file, its path without \".proj\", a directory with one "
		".proj file,\nor a single .stat, .trc or .rel file.",
	.usageStatus = TOOL_FAILED,
	.isPrefix = true,
	.build = "Revision: " HD_REVISION "\nFeatures: " HD_FEATURES "\n"
		 "Missing:  " HD_MISSING_FEATURES "\n",
};

static int hdtraceRun(int argc, char **argv)
{
	struct tool tool = { .command = NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[0], commands[i].name) != 0)
			continue;
		tool.command = commands[i].name;
		return commands[i].run(&tool, argc, argv);
	}
	return cliNoSubcommand(&hdtrace, subcommands, argv[0]);
}

/** Print the help of hdtrace, or of a subcommand. */
static int help(char *command)
{
	char *words[] = { command ? command : (char *)"hdtrace",
			  (char *)"--help", NULL };

	return command ? hdtraceRun(2, words)
		       : cliSubcommandsMain(&hdtrace, subcommands, NULL,
					    hdtraceRun, 2, words);
}

/** What was asked for. */
static int runOrHelp(int argc, char **argv)
{
	return strcmp(argv[0], "help") == 0 ? help(argv[1])
					    : hdtraceRun(argc, argv);
}

int main(int argc, char **argv)
{
	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	/* GLib makes a locale for its first number. A thread that waits until
	 * another one has done so takes errno for a fault of its number. */
	g_ascii_strtoll("0", NULL, 10);
	hdtraceNameCommands();
	hdtrace.notes = cliSubcommandsNotes(
		"Commands:\n", subcommands,
		"\nExit status: 0 for success, 1 for problems in the data, 2 "
		"for wrong usage or failed\ninput or output.\n\nSee 'hdtrace "
		"COMMAND --help' and 'man hdtrace-COMMAND' for details.");
	return cliSubcommandsMain(
		&hdtrace, subcommands,
		"subcommand\thelp\tprint the help of a "
		"command\ncommand\thdtrace help\tplain\tCOMMAND",
		runOrHelp, argc, argv);
}
