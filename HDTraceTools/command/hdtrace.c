/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The hdtrace command: finds and runs a subcommand.
 */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/command/tool.h"

#define COMMAND(name, summary) { #name, summary, name##Run },
#define SUBCOMMAND(name, summary) { #name, summary },

static const struct toolCommand commands[] = { TOOL_COMMANDS(COMMAND) };
static const struct cliSubcommand subcommands[] = {
	TOOL_COMMANDS(SUBCOMMAND){ NULL, NULL },
};

static struct cliCommand hdtrace = {
	.name = "hdtrace",
	.arguments = "COMMAND [OPTION...] PROJECT",
	.description =
		"Reads, checks and analyses HDTrace projects.\n\nPROJECT is a "
		".proj file, its path without \".proj\", a directory with "
		"one,\nor a single .stat or .trc file.",
	.usageStatus = TOOL_FAILED,
	.isPrefix = true,
};

/** What --help says at its end. */
static const char *notes(void)
{
	static char text[4096];
	GString *out = g_string_new("Commands:\n");

	cliSubcommandsAppend(out, subcommands);
	g_string_append(out,
			"\nExit status: 0 success, 1 the data has problems, 2 "
			"wrong usage or input/output\nfailed.\n\n"
			"'hdtrace COMMAND --help' and 'man hdtrace-COMMAND' "
			"say more.");
	g_strlcpy(text, out->str, sizeof(text));
	g_string_free(out, TRUE);
	return text;
}

static int run(int argc, char **argv)
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

/** What shells complete, of all subcommands. */
static int dump(void)
{
	int status = 0;

	cliSubcommandsDump(subcommands);
	puts("subcommand\thelp\tprint the help of a command\n"
	     "command\thdtrace help\tplain\tCOMMAND");
	for (size_t i = 0; status == 0 && subcommands[i].name; i++) {
		char *argv[] = { (char *)subcommands[i].name,
				 (char *)"--dump-options", NULL };

		status = run(2, argv);
	}
	return status;
}

/** Print the help of hdtrace, or of a subcommand. */
static int help(const GOptionEntry *const *lists, char *command)
{
	char *words[] = { command, (char *)"--help", NULL };
	char **argv = words;
	int argc = 2;

	return command ? run(argc, argv)
		       : cliParse(&hdtrace, lists, &argc, &argv);
}

int main(int argc, char **argv)
{
	static const GOptionEntry none[] = {
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { none, NULL };
	bool wantsDump = argc > 1 && strcmp(argv[1], "--dump-options") == 0;
	int status;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	/* GLib makes a locale for its first number. A thread that waits until
	 * another one has done so takes errno for a fault of its number. */
	g_ascii_strtoll("0", NULL, 10);
	hdtrace.notes = notes();
	status = cliParse(&hdtrace, lists, &argc, &argv);
	if (status == 0 && wantsDump)
		return dump();
	if (status >= 0)
		return status;
	if (argc < 2)
		return cliUsage(&hdtrace, "COMMAND is missing");
	if (strcmp(argv[1], "help") == 0)
		return help(lists, argv[2]);
	return run(argc - 1, argv + 1);
}
