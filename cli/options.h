/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Options of commands. --help, --version, error messages and the completion of
 * shells come from one table of each command.
 *
 * The tables are tables of GLib. The name of an option's argument selects the
 * completion: files for FILE and PATH, directories for DIR and DIRECTORY,
 * processes for PID. The words of struct cliWords take precedence.
 *
 * Letters have the same meaning in all commands: -f --force, -h --help, -n
 * --node, -o --output, -p --project, -q --quiet, -v --verbose.
 * tests/system/habits.sh has the list.
 */
#ifndef HD_CLI_OPTIONS_H
#define HD_CLI_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <glib.h>

/** Valid words of an option. */
struct cliWords {
	const char *option;       /**< "format" */
	const char *const *words; /**< NULL terminated. */
	bool isList;              /**< A list of words, separated by commas. */
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

/** An old letter of an option, which still works but is hidden. */
struct cliOldLetter {
	char letter;
	const char *option; /**< Its long name. */
	/** If the letter has a new meaning: whether the next word shows that
	 *  the old option is meant. NULL: if it is one of the option's words.
	 */
	bool (*isMeant)(const char *value);
};

/** A subcommand in the list of --help. */
struct cliSubcommand {
	const char *name;
	const char *summary; /**< One line, no full stop. */
};

/** A command, without its options. */
struct cliCommand {
	const char *name;        /**< "hdtrace stat" */
	const char *arguments;   /**< "PROJECT", or NULL for none. */
	const char *description; /**< Sentences before the options. */
	const char *notes;       /**< Sentences after the options, or NULL. */
	/** Exit status for a wrong command line: 2, or CLI_EXIT_FAILED for
	 *  commands that run other commands. */
	int usageStatus;
	/** Words after the first argument do not belong to this command. */
	bool isPrefix;
	const struct cliWords
		*words; /**< Ends without an option; may be NULL. */
	const struct cliOldLetter *oldLetters; /**< Likewise. */
	const struct cliNumber *numbers;       /**< Likewise. */
	/** Without any argument, print the help on stderr and fail. */
	bool needsArguments;
	const char *build; /**< Lines that --version adds, or NULL. */
};

/**
 * Parse a command line. This function adds and handles --help, --version and
 * --dump-options.
 *
 * @param lists Tables of options, NULL terminated; each ends with an empty
 *        entry.
 * @param[in,out] argc Number of arguments.
 * @param[in,out] argv Afterwards, the arguments without options begin at
 *        argv[1], without "--".
 *
 * @retval -1 Go on.
 * @return The exit status: the command is done, or its command line is wrong
 *         and there was a message.
 */
int cliParse(const struct cliCommand *command, const GOptionEntry *const *lists,
	     int *argc, char ***argv);

/** Print "COMMAND: TEXT" on stderr, and where help is; returns the exit status.
 *  For errors that several commands share, use cli/errors.h. */
int cliUsage(const struct cliCommand *command, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/**
 * Find a word of an option.
 *
 * @param word The word of the user; NULL is the first word of the list.
 * @param[out] index Its index in the list.
 *
 * @retval -1 Go on.
 * @return The exit status, after a message.
 */
int cliChoose(const struct cliCommand *command, const char *option,
	      const char *word, int *index);

/** Print that a subcommand is unknown, with a suggestion; returns the exit
 *  status. @p list ends with an entry without a name. */
int cliNoSubcommand(const struct cliCommand *command,
		    const struct cliSubcommand *list, const char *word);

/** Make the notes of --help: a text, the subcommands, and another text. There
 *  is one such text in a process, and it stays valid. */
const char *cliSubcommandsNotes(const char *before,
				const struct cliSubcommand *list,
				const char *after);

/** Run the subcommand argv[0]; returns the exit status. */
typedef int cliRun(int argc, char **argv);

/** Print subcommands and their options for the completion, after --dump-options
 *  of the command; returns the exit status.
 *
 * @param more Lines after the names, without the last line feed; NULL: none.
 */
int cliSubcommandsDump(const struct cliSubcommand *list, const char *more,
		       cliRun *run);

/** The whole main function of a command that has subcommands but no options of
 *  its own; returns the exit status. */
int cliSubcommandsMain(const struct cliCommand *command,
		       const struct cliSubcommand *list, const char *more,
		       cliRun *run, int argc, char **argv);

/** Flush standard output and check for errors; returns the exit status. */
int cliFinish(const struct cliCommand *command);

#endif
