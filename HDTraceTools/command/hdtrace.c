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

static const struct toolCommand commands[] = { TOOL_COMMANDS(COMMAND) };

static void printHelp(void)
{
	puts("Usage:\n"
	     "  hdtrace COMMAND [OPTION...] PROJECT\n"
	     "\n"
	     "Reads, checks and analyses HDTrace projects.\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].summary);
	puts("\n"
	     "PROJECT is a .proj file, its path without \".proj\", a directory "
	     "with one,\n"
	     "or a single .stat or .trc file.\n"
	     "\n"
	     "Options:\n"
	     "  -h, --help       Print this help\n"
	     "  --version        Print the version\n"
	     "\n"
	     "Exit status: 0 success, 1 the data has problems, 2 wrong usage "
	     "or input/output\n"
	     "failed.\n"
	     "\n"
	     "'hdtrace COMMAND --help' and 'man hdtrace-COMMAND' say more.");
}

int main(int argc, char **argv)
{
	struct tool tool = { .command = NULL };
	const char *name;

	/* For the character set only: numbers keep their decimal point. */
	setlocale(LC_CTYPE, "");
	if (argc < 2)
		return toolUsage(&tool, "COMMAND is missing");
	name = argv[1];
	if (strcmp(name, "--version") == 0) {
		puts("hdtrace " PACKAGE_VERSION);
		return toolFinish(&tool);
	}
	if (strcmp(name, "help") == 0 && argc == 3 && argv[2][0] != '-') {
		static char help[] = "--help";

		name = argv[2];
		argv[2] = help;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    strcmp(name, "help") == 0) {
		printHelp();
		return toolFinish(&tool);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(name, commands[i].name) != 0)
			continue;
		tool.command = commands[i].name;
		return commands[i].run(&tool, argc - 1, argv + 1);
	}
	return toolUsage(&tool, "no such %s: \"%s\"",
			 name[0] == '-' ? "option" : "command", name);
}
