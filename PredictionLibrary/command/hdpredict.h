/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What all subcommands of hdpredict have in common.
 */
#ifndef HD_PREDICT_COMMAND_H
#define HD_PREDICT_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include <hdPredict.h>
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"

/** Exit status. */
enum predictStatus {
	PREDICT_OK = 0,
	PREDICT_INVALID = 1, /**< The model, or no simulation of it. */
	PREDICT_FAILED = 2,  /**< Usage, input, output. */
	PREDICT_FOUND = 3,   /**< A finding, with --fail. */
};

/** Messages that are printed; of more, only the number is. */
#define PREDICT_SHOWN 20

/** State of a running subcommand. */
struct predict {
	const char *command;
	uint64_t errors;
	uint64_t warnings;
	GPtrArray *texts; /**< Values of options, until the command ends. */
	struct cliProgress progress;
};

/** The subcommands, in the order of the help. */
#define PREDICT_COMMANDS(X)                                               \
	X(generate, "Generate a task graph: cholesky, lu, stencil, ...")  \
	X(platform, "Generate a platform: star, fat-tree, torus")         \
	X(validate, "Check task graphs, platforms and resource models")   \
	X(map, "Map the tasks of a graph to PEs")                         \
	X(simulate, "Predict time, energy and power")                     \
	X(measure, "Measure the kernels of a task graph on this machine") \
	X(graph, "Convert the project of a run into a task graph")        \
	X(sweep, "Predict many models, and find the best models")         \
	X(characterize, "Create models from measurements")                \
	X(convert, "Convert task graphs, also from WfFormat and DOT")

/** One whose function cannot be called after it: hdtrace has one, too. */
#define PREDICT_COMPARE "compare", "Compare a prediction with measured runs"
int predictCompareRun(struct predict *predict, int argc, char **argv);

/** Likewise. */
#define PREDICT_REPLAY "replay", "Replay a run on another platform, by SimGrid"
int predictReplayRun(struct predict *predict, int argc, char **argv);

/** Likewise. */
#define PREDICT_CALIBRATE                                                \
	"calibrate", "Measure messages of MPI, and write a platform of " \
		     "SimGrid"
int predictCalibrateRun(struct predict *predict, int argc, char **argv);

#define PREDICT_DECLARE(name, summary) \
	int name##Run(struct predict *predict, int argc, char **argv);
PREDICT_COMMANDS(PREDICT_DECLARE)

/** Text of `--help` of a subcommand. */
struct predictHelp {
	const char *arguments;
	const char *description; /**< Begins with an imperative. */
	const char *notes;       /**< Examples and exit status. */
	int minArguments;
	int maxArguments;
	const struct cliNumber *numbers; /**< As in struct cliCommand. */
	bool hasNumbers;                 /**< --precision is an option. */
};

/**
 * Parse options; what is left starts at argv[1].
 *
 * @retval -1 Go on.
 * @return The exit status.
 */
int predictParse(struct predict *predict, int *argc, char ***argv,
		 const GOptionEntry *entries, const struct predictHelp *help);

/** Print "hdpredict COMMAND: TEXT"; returns PREDICT_FAILED. */
int predictError(const struct predict *predict, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/** Begins messages that are no errors. */
#define PREDICT_WARNING "warning: "

/** As predictError(), with a line that says where help is. */
int predictUsage(const struct predict *predict, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

/** Takes messages of the library; data is the struct predict. */
void predictTake(const hdPMessage *message, void *data);

/** Takes progress of the library, of what cliProgressStart() was told. It goes
 *  with predictStatus(). */
void predictShow(uint64_t done, void *data);

/** Say how many messages were not printed, and turn a result of the library
 *  into an exit status; @p what names what failed. */
int predictStatus(struct predict *predict, int ret, const char *what);

/** Check that a file can be opened; "-" always can. @return Exit status. */
int predictOpens(const struct predict *predict, const char *path);

/** Read models; those whose place is NULL are not read. @return Exit status. */
int predictRead(struct predict *predict, const char *graphPath,
		hdPGraph **graph, const char *platformPath,
		hdPPlatform **platform, const char *resourcesPath,
		hdPResources **resources);

/** End: all that was printed must have arrived. @return Exit status. */
int predictFinish(struct predict *predict, int status);

/** Choose among words; -1 after a message. */
int predictChoose(struct predict *predict, const char *option, const char *word,
		  const char *const *words);

#endif
