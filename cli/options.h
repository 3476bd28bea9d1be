/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Options of commands: one table says what a command takes, and --help,
 * --version, the messages about what is wrong, and the completion of shells are
 * made of it.
 *
 * The tables are GLib's. The text of an option's argument says what shells
 * offer: files for FILE and PATH, directories for DIR and DIRECTORY, processes
 * for PID; where words are listed in struct cliWords, those.
 *
 * Letters mean the same in all commands: -f --force, -h --help, -n --node, -o
 * --output, -p --project, -q --quiet, -v --verbose. tests/system/habits.sh has
 * the list.
 */
#ifndef HD_CLI_OPTIONS_H
#define HD_CLI_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <glib.h>

/** Words that an option takes. */
struct cliWords {
	const char *option;       /**< "format" */
	const char *const *words; /**< NULL terminated. */
	bool isList;              /**< Any number of them, with commas. */
};

/** The least value that is above 0. */
#define CLI_ABOVE_ZERO G_MINDOUBLE

/**
 * The range of an option's value, or a duration. cliParse() checks it, for
 * options of GLib that are integers and doubles, and for texts. Integers and
 * doubles without an entry have no limits.
 */
struct cliNumber {
	const char *option; /**< "interval" */
	double least;       /**< -INFINITY: no limit. */
	double most;        /**< INFINITY: no limit. */
	/**
	 * Not NULL: a duration; users may write any unit. The limits and the
	 * value that the command gets are in this unit: "s" or "ms". So is a
	 * number without a unit.
	 */
	const char *unit;
};

/** A letter that an option had once: it goes on, but nobody is told. */
struct cliOldLetter {
	char letter;
	const char *option; /**< Its long name. */
	/** Where the letter means something else today: whether what follows
	 *  tells that the old option is meant. NULL: if that is one of the
	 *  option's words. */
	bool (*isMeant)(const char *value);
};

/** A subcommand, as --help lists it. */
struct cliSubcommand {
	const char *name;
	const char *summary; /**< One line, no full stop. */
};

/** What a command is, but for its options. */
struct cliCommand {
	const char *name;      /**< "hdtrace stat" */
	const char *arguments; /**< "PROJECT", or NULL for none. */
	const char
		*description; /**< Sentences that stand before the options. */
	const char *notes;    /**< What stands after them, or NULL. */
	/** Exit status if the command line is wrong: 2, or CLI_EXIT_FAILED for
	 *  commands that run others. */
	int usageStatus;
	/** What follows the first argument is not for this command. */
	bool isPrefix;
	const struct cliWords *words; /**< Ends with no option; may be NULL. */
	const struct cliOldLetter *oldLetters; /**< Likewise. */
	const struct cliNumber *numbers;       /**< Likewise. */
	/** Without any argument, print the help on stderr and fail. */
	bool needsArguments;
};

/**
 * Parse a command line. --help, --version and --dump-options are added to the
 * options; they are done here.
 *
 * @param lists Tables of options, NULL terminated; each ends with an empty one.
 * @param[in,out] argc Number of arguments.
 * @param[in,out] argv Afterwards, what is no option stands from argv[1] on,
 *        without "--".
 *
 * @retval -1 Go on.
 * @return The exit status: that was all, or it is wrong, and was said.
 */
int cliParse(const struct cliCommand *command, const GOptionEntry *const *lists,
	     int *argc, char ***argv);

/** Print "COMMAND: TEXT" on stderr, and where help is; returns the exit
 *  status. */
int cliUsage(const struct cliCommand *command, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/**
 * Find a word of an option.
 *
 * @param word What was given; NULL is the first one.
 * @param[out] index Its place in the list.
 *
 * @retval -1 Go on.
 * @return The exit status; what is wrong was said.
 */
int cliChoose(const struct cliCommand *command, const char *option,
	      const char *word, int *index);

/** Say that there is no such subcommand, or option, and which is near; returns
 *  the exit status. @p list is ended by one without a name. */
int cliNoSubcommand(const struct cliCommand *command,
		    const struct cliSubcommand *list, const char *word);

/** What --help says at its end: a text, the subcommands, and another text; it
 *  stays, and there is one a process. */
const char *cliSubcommandsNotes(const char *before,
				const struct cliSubcommand *list,
				const char *after);

/** Run a subcommand, which argv[0] names; the exit status. */
typedef int cliRun(int argc, char **argv);

/** List subcommands and their options for the completion, after --dump-options
 *  of the command; the exit status.
 *
 * @param more Lines behind the names, without an end; NULL: none.
 */
int cliSubcommandsDump(const struct cliSubcommand *list, const char *more,
		       cliRun *run);

/** All that a command does that has no options but those that all have, with
 *  notes; the exit status. */
int cliSubcommandsMain(const struct cliCommand *command,
		       const struct cliSubcommand *list, const char *more,
		       cliRun *run, int argc, char **argv);

/** See that what was printed has arrived; the exit status. */
int cliFinish(const struct cliCommand *command);

#endif
