/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What all subcommands of hdtrace have in common: options, messages, progress
 * and how they end.
 */
#ifndef HD_TOOL_H
#define HD_TOOL_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

/** Exit status of the command. */
enum toolStatus {
	TOOL_OK = 0,
	TOOL_PROBLEMS = 1, /**< The data has problems; a message said which. */
	TOOL_FAILED = 2,   /**< Wrong usage, or reading or writing failed. */
	TOOL_FOUND = 3,    /**< With --fail: there is something to tell. */
};

/** What a tool asks that is one of several which work at the same time, so that
 *  they speak one after the other; see parts.h. */
struct toolTurn {
	/** Wait until it may speak; false: nobody wants to know. */
	bool (*wait)(struct toolTurn *self);
	/** Show that this many bytes of its file are done, if it may speak. */
	void (*showAt)(struct toolTurn *self, int64_t bytes);
	/** Whether nobody wants what it does any more. */
	bool (*isStopped)(struct toolTurn *self);
};

/** State of a running subcommand. */
struct tool {
	const char *program; /**< NULL: hdtrace. */
	const char *command; /**< "stat"; NULL for hdtrace itself. */
	enum outFormat format;
	bool isQuiet;
	bool isColored; /**< Whether stdout takes colours. */
	bool isUnicode; /**< Whether stdout takes characters beyond ASCII. */
	size_t notes;
	size_t warnings;
	size_t errors;
	/** Takes messages instead of stderr, if not NULL, and counts them with
	 *  toolCount(). */
	hdIMessageHandler take;
	void *takeData;
	/** Whether the reason why a project cannot be opened is a diagnostic,
	 * too. */
	bool listsOpening;
	const char *openingPath; /**< Only while toolOpen() opens it. */
	char *openingReason;     /**< Why it cannot be opened, if known. */
	bool hasFailed;          /**< Something was said with toolError(). */
	/** A temporary file failed, so that results may miss something. */
	bool hasTemporaryError;
	/** Why output took no more, if that was found while it was written. */
	int outputError;
	struct cliProgress progress;
	struct toolTurn *turn;    /**< NULL: it speaks at any time. */
	struct cliCommand parsed; /**< By toolParse(). */
	bool opensFiles;          /**< Projects need no .proj. */
};

/** A subcommand. */
struct toolCommand {
	const char *name;
	const char *summary;
	int (*run)(struct tool *tool, int argc, char **argv);
};

/** What `--help` says about a subcommand. */
struct toolHelp {
	const char *arguments;   /**< "PROJECT" */
	const char *description; /**< Sentences. */
	const char *examples;    /**< Lines, or NULL. */
	/** The last mandatory argument, for messages; NULL: as in arguments.
	 */
	const char *missing;
	int minArguments;
	int maxArguments; /**< -1: any number. */
	/** What --format takes, NULL terminated: TOOL_TEXT_JSON, or
	 *  TOOL_TEXT_ONLY, which has no such option. NULL: text, csv, json. */
	const char *const *formats;
	bool writesCsv;  /**< --csv-safe is an option, whatever --format takes.
			  */
	bool hasNumbers; /**< --precision is an option. */
	/** As of struct cliCommand; may be NULL. */
	const struct cliWords *words;
	const struct cliOldLetter *oldLetters;
	const struct cliNumber *numbers;
};

extern const char *const toolTextJson[];
extern const char *const toolTextOnly[];
#define TOOL_TEXT_JSON toolTextJson
#define TOOL_TEXT_ONLY toolTextOnly

/** The subcommands, one line each, in the order of the help. Users write "-"
 *  for "_". */
#define TOOL_COMMANDS(X)                                                \
	X(info, "Show the contents of a project")                       \
	X(dump, "Print all data of a project")                          \
	X(stat, "Summarize statistics: mean, minimum, energy and more") \
	X(report, "Report time, energy and problems of a run")          \
	X(compare, "Compare runs")                                      \
	X(relations, "Show causes, times and energy of relations")      \
	X(diagnose, "Find the slow node, and the slow layer in it")     \
	X(delay, "Find by how much power lags behind load")             \
	X(loads, "Show load levels with power and efficiency")          \
	X(power_model, "Fit the power of a node to its utilization")    \
	X(usage, "Learn phases of a program and their power from runs") \
	X(view, "Show a project in a browser")                          \
	X(export, "Convert a project for other tools")                  \
	X(plot, "Draw values and states over time as SVG, PNG or PDF")  \
	X(check, "List all problems of a project")                      \
	X(recover, "Write repaired copies of damaged files")            \
	X(merge, "Write the .proj file of a run")                       \
	X(cut, "Write times, ranks or a region as a new project")       \
	X(pack, "Write a project as one compressed file")               \
	X(unpack, "Write the plain files of a packed project")

#define TOOL_DECLARE(name, summary) \
	int name##Run(struct tool *tool, int argc, char **argv);
TOOL_COMMANDS(TOOL_DECLARE)

/**
 * Parse the options of a subcommand and those that all have.
 *
 * @param tool State; the common options go there.
 * @param argc Number of arguments; what is left afterwards starts at argv[1].
 * @param argv Arguments; argv[0] is the subcommand.
 * @param entries Options, NULL terminated.
 * @param help Texts, and how many arguments there may be.
 *
 * @retval -1 Go on.
 * @return The exit status: help was printed or the usage is wrong.
 */
int toolParse(struct tool *tool, int *argc, char ***argv,
	      const GOptionEntry *entries, const struct toolHelp *help);

/** Print "hdtrace COMMAND: TEXT" on stderr; the command will exit with 2. */
void toolError(struct tool *tool, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Print that a temporary file failed, by a negative errno, and note it. */
void toolErrorTemporary(struct tool *tool, int error);

/** As toolError(), with a line that says where help is. Returns TOOL_FAILED. */
int toolUsage(struct tool *tool, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Find a word of an option among those of struct toolHelp: as cliChoose(). */
int toolChoose(struct tool *tool, const char *option, const char *word,
	       int *index);

/** Wait until what others have to say before is said; at once if there are
 * none.
 */
void toolWaitTurn(struct tool *tool);

/** Whether nobody wants what it does any more: then it is not to go on. */
bool toolIsStopped(const struct tool *tool);

/** Count a message for the exit status. */
void toolCount(struct tool *tool, hdISeverity severity);

/** Takes messages of the reading library; data is the struct tool. */
void toolTakeDiagnostic(const hdIMessage *message, void *data);

/** Report a problem that the tool found itself, by a rule of rules.c. */
void toolReport(struct tool *tool, const char *rule, const char *file,
		int64_t offset, int64_t line, const char *format, ...)
	G_GNUC_PRINTF(6, 7);

/** "note", "warning" or "error". */
const char *toolSeverityName(hdISeverity severity);

/**
 * Write a message as one line: "FILE: offset N: severity: text [rule]".
 *
 * @param out String to append to, without a newline.
 */
void toolFormatDiagnostic(GString *out, hdISeverity severity, const char *rule,
			  const char *file, int64_t offset, const char *text);

/**
 * Open a project; says why if that fails.
 *
 * @return The project, or NULL.
 */
hdIProject *toolOpen(struct tool *tool, const char *path);

/** As toolOpen(), but not a single file of a project. */
hdIProject *toolOpenProject(struct tool *tool, const char *path);

/**
 * End a subcommand: everything printed must have arrived.
 *
 * @return The exit status.
 */
int toolFinish(struct tool *tool);

/** Whether stdout cannot take any more, so that going on is no use. */
bool toolIsOutputBroken(void);

/** Start a progress bar for a number of bytes; nothing without a terminal. */
void toolProgressStart(struct tool *tool, int64_t total);
/** Show that this many bytes of the current file are done. */
void toolProgressAt(struct tool *tool, int64_t bytes);
/** A file of this many bytes is done. */
void toolProgressFile(struct tool *tool, int64_t bytes);
/** Take the progress bar away until it moves again. */
void toolProgressHide(struct tool *tool);
/** End the progress bar. */
void toolProgressEnd(struct tool *tool);

#endif
