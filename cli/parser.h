/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The parts of cliParse(), which only the files of commandline.c share.
 */
#ifndef HD_CLI_PARSER_H
#define HD_CLI_PARSER_H

#include <stdbool.h>
#include <stdio.h>
#include <glib.h>

#include "cli/options.h"

/** The options of a command. */
struct parser {
	const struct cliCommand *command;
	GPtrArray *entries; /**< const GOptionEntry * */
	gboolean wantsHelp;
	gboolean wantsVersion;
	gboolean wantsDump;
};

/** Find an option by its long name. */
const GOptionEntry *parserLong(const struct parser *parser, const char *name,
			       size_t length);

/** Find an option by its letter. */
const GOptionEntry *parserLetter(const struct parser *parser, char letter);

/** Whether an option takes a value. */
bool parserTakes(const GOptionEntry *entry);

/** Find the words that an option takes; NULL: any text. */
const struct cliWords *parserWords(const struct cliCommand *command,
				   const char *option);

/** Keep a text as long as the process runs, as GLib needs it for arguments. */
void *parserKeep(void *text);

/**
 * Make a list of arguments that GLib can parse without an error of its own:
 * check options and their values, replace old letters, and convert durations.
 *
 * @param[in,out] out The arguments.
 *
 * @retval -1 Go on.
 * @return The exit status, after a message.
 */
int parserPrepare(const struct parser *parser, int argc, char **argv,
		  GPtrArray *out);

/**
 * Check the value of an option, and convert a duration to its unit.
 *
 * @param[out] value What GLib is to parse.
 *
 * @return As parserPrepare().
 */
int parserValue(const struct parser *parser, const GOptionEntry *entry,
		const char *text, const char **value);

/** Print the help text. */
void parserHelp(const struct parser *parser, FILE *file);

#endif
