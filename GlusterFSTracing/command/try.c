/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdgluster try: a command in a whole volume, and what is to be said of it. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "GlusterFSTracing/command/hdgluster.h"
#include "GlusterFSTracing/command/trial.h"
#include "cli/command.h"
#include "cli/freename.h"
#include "cli/errors.h"
#include "cli/output.h"

static const char *const faults[] = { "disk", "network", NULL };
static const struct cliWords words[] = {
	{ "slow-at", faults, false },
	{ NULL, NULL, false },
};

static const struct cliNumber numbers[] = {
	{ "bricks", 1, TRIAL_BRICKS_MAX, NULL },
	{ "slow", 0, TRIAL_BRICKS_MAX, NULL },
	{ "delay", 1, 10000, "ms" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdgluster try",
	.arguments = "-- COMMAND [ARGUMENT...]",
	.description =
		"Run a command in a new GlusterFS volume on this machine, with "
		"translators that record. The command starts in the mounted "
		"volume. Afterwards, the volume is removed, and the output of "
		"hdtrace diagnose is printed. Requires root and GlusterFS.",
	.notes = "Examples:\n"
		 "  hdgluster try -- fio --name=x --rw=write --size=40M\n"
		 "  hdgluster try --bricks=4 --slow=2 -- fio --name=x "
		 "--rw=write "
		 "--size=64M --bs=1M",
	.usageStatus = CLI_EXIT_FAILED,
	.numbers = numbers,
	.isPrefix = true,
	.words = words,
};

struct options {
	int bricks, slow, delay;
	char *at, *directory, *project;
	gboolean isUntraced;
};

/* ---- What comes after -----------------------------------------------------
 */

/* In the child: it ends with this process, of which it is a part. */
static void endWithParent(gpointer parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* It may be gone already. */
	if (getppid() != *(const pid_t *)parent)
		_exit(CLI_EXIT_FAILED);
}

/* Run a command of hdtrace; what it prints is shown, or only what is wrong. */
static bool hdtrace(const char *program, bool isShown, const char *const *list)
{
	const char *arguments[8] = { program };
	pid_t self = getpid();
	int status = 0;

	for (int i = 0; list[i]; i++)
		arguments[i + 1] = list[i];
	fflush(stdout);
	return g_spawn_sync(NULL, (char **)arguments, NULL,
			    isShown ? G_SPAWN_SEARCH_PATH |
					      G_SPAWN_CHILD_INHERITS_STDIN
				    : G_SPAWN_SEARCH_PATH |
					      G_SPAWN_STDOUT_TO_DEV_NULL,
			    endWithParent, &self, NULL, NULL, &status, NULL) &&
	       status == 0;
}

/* Make one project of all files, and say what it shows: its name first, since a
 * signal may end this before all files are merged. */
static void tryExplainProject(const char *path)
{
	const char *const merge[] = { "merge", "-q", "-f", path, NULL };
	const char *const diagnose[] = { "diagnose", path, NULL };
	char *program = cliBeside("hdtrace");

	outSay(stderr, "hdgluster try: the project is %s.proj", path);
	if (hdtrace(program, false, merge))
		hdtrace(program, true, diagnose);
	else
		trialReport(0, "%s: hdtrace merge failed", path);
	g_free(program);
}

/* ---- The namespace --------------------------------------------------------
 */

/* Signals that end it are for this process, which passes them on. */
static void blockSignals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* Wait for the first process of the namespace. */
static int tryAwaitNamespace(pid_t pid, const sigset_t *set)
{
	int status, signalled = 0;

	for (;;) {
		int number = sigwaitinfo(set, NULL);

		if (number == SIGCHLD) {
			pid_t ended = waitpid(pid, &status, WNOHANG);

			if (ended == pid)
				break;
		} else if (number > 0) {
			signalled = number;
			kill(pid, SIGTERM);
		}
	}
	if (signalled)
		return 128 + signalled;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int runApart(const struct trial *trial)
{
	sigset_t set;
	int pipes[2], status;
	pid_t pid;

	blockSignals(&set);
	if (pipe(pipes) < 0)
		return trialReport(CLI_EXIT_FAILED, "cannot create a pipe: %s",
				   g_strerror(errno));
	/* As fork(): unshare() would take all later children there, too. */
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD,
			     NULL, NULL, NULL, NULL);
	if (pid < 0)
		return trialReport(CLI_EXIT_FAILED,
				   "cannot create a namespace: %s",
				   g_strerror(errno));
	if (pid == 0) {
		close(pipes[1]);
		_exit(trialRun(trial, pipes[0]));
	}
	close(pipes[0]);
	status = tryAwaitNamespace(pid, &set);
	close(pipes[1]);
	return status;
}

/* ---- Preparations ---------------------------------------------------------
 */

/* Where GlusterFS has its translators, or NULL. */
static char *findXlators(void)
{
	char *const arguments[] = { (char *)"glusterfsd",
				    (char *)"--print-xlatordir", NULL };
	char *out = NULL;

	if (!g_spawn_sync(NULL, (char **)arguments, NULL,
			  G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL,
			  NULL, NULL, &out, NULL, NULL, NULL))
		return NULL;
	g_strstrip(out);
	if (g_file_test(out, G_FILE_TEST_IS_DIR))
		return out;
	g_free(out);
	return NULL;
}

static int wrongNumber(const char *option, int number, int min, int max)
{
	char *text = g_strdup_printf("%d", number);
	char *expected = g_strdup_printf("%d to %d", min, max);
	int status = cliErrorNumber(&command, option, text, expected);

	g_free(text);
	g_free(expected);
	return status;
}

static int tryCheckOptions(const struct options *options, int argc)
{
	if (argc < 2)
		return cliErrorMissing(&command, "COMMAND");
	if (options->slow < 0 || options->slow > options->bricks)
		return wrongNumber("slow", options->slow, 1, options->bricks);
	return glusterCheckProject(&command, options->project);
}

/* What has to be there; -1: it is. */
static int checkMachine(void)
{
	if (geteuid() != 0)
		return trialReport(
			CLI_EXIT_FAILED,
			"permission denied; run this command as root, because "
			"bricks need trusted attributes");
	if (cliCheckCommand("hdgluster try", "glusterfsd") != 0 ||
	    cliCheckCommand("hdgluster try", "glusterfs") != 0)
		return trialReport(
			CLI_EXIT_FAILED,
			"GlusterFS is not installed (Debian: glusterfs-server "
			"glusterfs-client)");
	return -1;
}

static int runIn(struct trial *trial, const char *place)
{
	char *project =
		g_build_filename(trial->directory, trial->project, NULL);
	char *name = trial->isTraced ? cliFreeName(project) : g_strdup(project);
	char *base = name ? g_path_get_basename(name) : NULL;
	int status = CLI_EXIT_FAILED;
	sigset_t before;

	sigprocmask(SIG_BLOCK, NULL, &before);
	trial->place = place;
	trial->project = base;
	trial->xlators = findXlators();
	if (!name)
		trialReport(CLI_EXIT_FAILED,
			    "%s: too many projects with this name", project);
	else if (!trial->xlators)
		trialReport(
			CLI_EXIT_FAILED,
			"glusterfsd does not print its translator directory");
	else
		status = runApart(trial);
	/* What comes now may end with a closed pipe, or by a signal. */
	trialRemove(place);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (name && trial->xlators && trial->isTraced)
		tryExplainProject(name);
	g_free((char *)trial->xlators);
	g_free(base);
	g_free(name);
	g_free(project);
	return status;
}

static int tryProgram(const struct options *options, int fault,
		      char **arguments)
{
	char *directory = g_canonicalize_filename(
		options->directory ? options->directory : ".", NULL);
	char *place =
		g_build_filename(g_get_tmp_dir(), "hdgluster-XXXXXX", NULL);
	struct trial trial = {
		.bricks = options->bricks,
		.slow = options->slow,
		.fault = (enum trialFault)fault,
		.delayMs = options->delay,
		.isTraced = !options->isUntraced,
		.project = options->project ? options->project : "try",
		.directory = directory,
		.command = arguments,
	};
	int status;

	if (!glusterIsWord(directory) || !glusterIsWord(place)) {
		status = trialReport(
			CLI_EXIT_FAILED, "%s: not valid in a volume file; %s",
			glusterIsWord(place) ? directory : place,
			glusterIsWord(place) ? "select another --directory"
					     : "select another TMPDIR");
	} else if (g_mkdir_with_parents(directory, 0777) < 0) {
		status = trialReport(CLI_EXIT_FAILED, "%s: %s", directory,
				     g_strerror(errno));
	} else if (!g_mkdtemp_full(place, 0755)) {
		status = trialReport(CLI_EXIT_FAILED, "%s: %s", place,
				     g_strerror(errno));
	} else {
		status = runIn(&trial, place);
	}
	g_free(place);
	g_free(directory);
	return status;
}

int tryRun(int argc, char **argv)
{
	struct options options = { .bricks = 4, .delay = 20 };
	const GOptionEntry entries[] = {
		{ "bricks", 0, 0, G_OPTION_ARG_INT, &options.bricks,
		  "Number of bricks (default: 4)", "COUNT" },
		{ "slow", 0, 0, G_OPTION_ARG_INT, &options.slow,
		  "Slow down this brick, counted from 1", "NUMBER" },
		{ "slow-at", 0, 0, G_OPTION_ARG_STRING, &options.at,
		  "Place of the delay: disk or network (default: disk)",
		  "WHERE" },
		{ "delay", 0, 0, G_OPTION_ARG_INT, &options.delay,
		  "Delay of each read, write and fsync in ms (default: 20)",
		  "MILLISECONDS" },
		{ "project", 'p', 0, G_OPTION_ARG_STRING, &options.project,
		  "Name of the project; a number is added if it exists "
		  "(default: try)",
		  "NAME" },
		{ "directory", 0, 0, G_OPTION_ARG_FILENAME, &options.directory,
		  "Directory of the project (default: the current directory)",
		  "DIRECTORY" },
		{ "no-trace", 0, 0, G_OPTION_ARG_NONE, &options.isUntraced,
		  "Omit the HDTrace translators, for comparison", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int fault = 0;
	int status = cliParse(&command, lists, &argc, &argv);

	if (status < 0)
		status = tryCheckOptions(&options, argc);
	if (status < 0)
		status = cliChoose(&command, "slow-at", options.at, &fault);
	if (status < 0)
		status = checkMachine();
	if (status < 0)
		status = tryProgram(&options, fault, argv + 1);
	g_free(options.at);
	g_free(options.directory);
	g_free(options.project);
	return status;
}
