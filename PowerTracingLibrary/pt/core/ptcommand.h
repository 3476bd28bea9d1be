/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The pt command: what its files share.
 *
 * pt sends systemd its notices itself, in 30 lines; libsystemd would be a
 * dependency for one datagram.
 */
#ifndef PT_COMMAND_H
#define PT_COMMAND_H

#include <signal.h>
#include <stdio.h>

#include <glib.h>

#include "PowerTracingLibrary/src/trace.h"
#include "cli/known.h"

/** What the user asks for. */
struct options {
	char *config;
	char *project;
	char *topology;
	char *port;
	char *root;
	char *pidFile;
	double duration; /**< Seconds, or 0. */
	gboolean background;
	gboolean check;
	gboolean force;
	gboolean list, explain;
	gboolean number;
	gboolean quiet;
	gboolean syslog;
};

/** A trace that runs, and its project. */
struct session {
	const struct options *options;
	PowerTrace *trace; /**< NULL for none. */
	char *project;
	gboolean isStopped; /**< Whether the user wants that. */
};

/** Does its own options; argv[0] is the name. Returns as main(). */
typedef int commandRun(int argc, char **argv);

/** The subcommands, "pt NAME ...", one line each: their names, their functions,
 *  and for pt --help one line without a full stop. */
#define PT_COMMANDS(X)                                                         \
	X(devices, commandDevices,                                             \
	  "List the devices and lines of a power service")                     \
	X(energy, commandEnergy, "Print the energy of a command, in one line") \
	X(list, commandList, "List the meters of this machine")                \
	X(record, commandRecord,                                               \
	  "Record the power of nodes while a command runs")                    \
	X(watch, commandWatch, "Show the current power of nodes")

#define PT_DECLARE(name, run, summary) commandRun run;
PT_COMMANDS(PT_DECLARE)

/** Read the configuration, as of ptConfigRead(). */
int sessionRead(const struct options *options, struct ptConfig *config);

struct hdReplacement;

/** A project that is begun; --force replaces an old one once it has. */
struct sessionProject {
	char *name;                        /**< In the end. */
	char *written;                     /**< Until then. */
	struct hdReplacement *replacement; /**< NULL: nothing is replaced. */
};

/**
 * Write the project file of a configuration.
 *
 * @param config Gets the name that is written as its project.
 * @param[out] project To be kept or dropped, and cleared.
 *
 * @return As sessionBegin().
 */
int sessionProjectBegin(const struct options *options, gboolean isNumbered,
			struct ptConfig *config,
			struct sessionProject *project);

/** It is being recorded: replace the old one; as sessionBegin(). */
int sessionProjectKeep(struct sessionProject *project);

/** It is not: remove the project file, or all of what would replace the old
 *  project, and clear it. */
void sessionProjectDrop(struct sessionProject *project);

void sessionProjectClear(struct sessionProject *project);

/**
 * Create the project file and the trace, and start it.
 *
 * The trace before it, if there is one, goes on unless the device is all that
 * is missing for the new one.
 *
 * @param isNumbered Whether a project that exists makes this one be called
 *        NAME-2, NAME-3, ...; else it is an error.
 *
 * @return 0, or one of the public error values.
 */
int sessionBegin(struct session *session, gboolean isNumbered);

/** End the trace and print what was measured; returns as sessionBegin(). */
int sessionEnd(struct session *session);

/** Trace until the time is over or a signal says so; returns as main(). */
int serve(const struct options *options);

/** Block the signals that pt handles, before any thread is created, and get
 * them. */
const sigset_t *servePrepare(void);

/* ---- A power service --------------------------------------------------- */

/** Check the configuration of a service; returns as main(). */
int siteCheck(const struct options *options);

/** Serve until a signal or the end of the duration; returns as main(). */
int siteServe(const struct options *options);

/** Tell which options have no meaning for a service, or NULL. */
const char *siteOptions(const struct options *options);

/** Print the drivers, and what this machine has. */
void listPrint(FILE *file, const char *root);

/** What was recorded of a value of a node. */
struct resultLine {
	const char *node, *value;
	const char *unit; /**< "" for none. */
	double sum;       /**< In the unit times s, while it is known. */
	struct known known;
	gboolean isSimulated;
};

/** Print a line: the mean, and of power the energy (cli/known.h). */
void resultPrint(FILE *file, const struct resultLine *line);

/** Print what was measured. */
void summaryPrint(FILE *file, PowerTrace *trace, const char *project);

/* ---- Being a daemon ---------------------------------------------------- */

/**
 * Go on in a child of its own session; the process that was called waits for
 * daemonReady() and exits.
 *
 * @return FALSE after a message.
 */
gboolean daemonFork(void);

/** Tell the process that was called how it went: its exit status. */
void daemonReady(int status);

/** Write the pid file and lock it; FALSE after a message. */
gboolean daemonWritePid(const char *path);

/** Remove the pid file. */
void daemonRemovePid(const char *path);

/** Let messages go to syslog. */
void daemonUseSyslog(void);

/** Tell systemd something ("READY=1"), if it has started us. */
void daemonNotify(const char *format, ...) G_GNUC_PRINTF(1, 2);

#endif
