/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimGrid's replay, in a process of its own. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/replay/replaying.h"

/* Where distributions put it; HDTRACE_SIMGRID names another directory. */
static const char *const enginePlaces[] = {
	"/usr/lib/*/simgrid/smpireplaymain",
	"/usr/lib/simgrid/smpireplaymain",
	"/usr/local/lib/simgrid/smpireplaymain",
	"/usr/local/lib/*/simgrid/smpireplaymain",
};

/* Their directory, to be freed; NULL: none. */
static char *engineFind(void)
{
	const char *given = getenv("HDTRACE_SIMGRID");
	char *found = NULL;
	glob_t paths;

	if (given) {
		found = g_build_filename(given, "smpireplaymain", NULL);
		if (access(found, X_OK) != 0) {
			g_free(found);
			return NULL;
		}
		g_free(found);
		return g_canonicalize_filename(given, NULL);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(enginePlaces) && !found; i++) {
		if (glob(enginePlaces[i], 0, NULL, &paths) != 0)
			continue;
		if (paths.gl_pathc > 0)
			found = g_path_get_dirname(paths.gl_pathv[0]);
		globfree(&paths);
	}
	return found;
}

int engineCheck(const struct predict *predict)
{
	char *dir = engineFind();
	int status =
		dir ? PREDICT_OK
		    : predictError(predict,
				   "SimGrid is missing (tried: %s); install "
				   "the Debian package libsimgrid-dev",
				   REPLAY_TRIED);

	g_free(dir);
	return status;
}

/* Options that come first; those of the user follow and win. */
static void engineOptions(struct replay *self, char *const *cfg)
{
	static const char *const first[] = {
		"smpi/privatization:no",
		"smpi/hostfile:hostfile",
		"smpi/replay:ti.list",
		"smpi/tmpdir:.",
		"tracing:yes",
		"tracing/filename:trace.paje",
		"tracing/smpi:yes",
		"tracing/smpi/computing:yes",
		"tracing/smpi/sleeping:yes",
		"tracing/precision:9",
		"surf/precision:1e-9",
		"network/model:SMPI",
	};
	static const char *const links[] = { "tracing/uncategorized:yes",
					     "tracing/platform/topology:no" };

	for (size_t i = 0; i < G_N_ELEMENTS(first); i++)
		g_ptr_array_add(self->options,
				g_strconcat("--cfg=", first[i], NULL));
	g_ptr_array_add(self->options,
			g_strdup_printf("--cfg=smpi/np:%zu", self->count));
	for (size_t i = 0; self->hasLinks && i < G_N_ELEMENTS(links); i++)
		g_ptr_array_add(self->options,
				g_strconcat("--cfg=", links[i], NULL));
	for (; cfg && *cfg; cfg++)
		g_ptr_array_add(self->options,
				g_strconcat("--cfg=", *cfg, NULL));
}

static void engineExec(const struct replay *self, const char *dir)
{
	GPtrArray *words = g_ptr_array_new();
	char *program = g_build_filename(dir, "smpimain", NULL);
	int log;

	/* It ends with us. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(self->place) != 0)
		_exit(127);
	log = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (log < 0 || dup2(log, STDOUT_FILENO) < 0 ||
	    dup2(log, STDERR_FILENO) < 0)
		_exit(127);
	g_ptr_array_add(words, program);
	g_ptr_array_add(words, g_build_filename(dir, "smpireplaymain", NULL));
	for (guint i = 0; i < self->options->len; i++)
		g_ptr_array_add(words, self->options->pdata[i]);
	g_ptr_array_add(words, (gpointer) "--log=root.fmt:%m%n");
	g_ptr_array_add(words, (gpointer)self->platform);
	g_ptr_array_add(words, NULL);
	setenv("LC_ALL", "C", 1);
	execv(program, (char **)words->pdata);
	_exit(127);
}

static int engineWait(pid_t pid)
{
	int state = 0;

	while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
		;
	workdirChild(0);
	return state;
}

/* What the log says. */
struct engineLog {
	bool isDone;
	bool isStuck;
	char *reason; /* The last line that is one. */
};

static void engineReadLine(struct engineLog *log, const char *line)
{
	if (g_str_has_prefix(line, "Simulation time "))
		log->isDone = true;
	else if (strstr(line, "Deadlock detected") ||
		 g_str_has_prefix(line, "Stalling SMPI instance"))
		log->isStuck = true;
	else if (*line && !g_str_has_prefix(line, "Configuration change:") &&
		 !g_str_has_prefix(line, "You did not set the power") &&
		 !g_str_has_prefix(line, "Switch to algorithm") &&
		 !g_str_has_prefix(line, "  ->") &&
		 !strstr(line, ", use default MPI_") &&
		 !g_str_has_prefix(line, "Backtrace") && !log->reason)
		log->reason = g_strdup(line);
}

static struct engineLog engineReadLog(const struct replay *self)
{
	struct engineLog log = { false, false, NULL };
	char *path = replayFile(self, "log"), *line = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;
	ssize_t length;

	while (file && (length = getline(&line, &room, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		engineReadLine(&log, line);
	}
	if (file)
		fclose(file);
	free(line);
	g_free(path);
	return log;
}

int engineRun(struct replay *self, char *const *cfg, bool *isStuck)
{
	char *dir = engineFind();
	struct engineLog log;
	int status = PREDICT_OK, state;
	pid_t pid;

	*isStuck = false;
	if (!dir)
		return engineCheck(self->predict);
	engineOptions(self, cfg);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		engineExec(self, dir);
	g_free(dir);
	if (pid < 0)
		return predictError(self->predict, "fork: %s",
				    g_strerror(errno));
	workdirChild(pid);
	state = engineWait(pid);
	log = engineReadLog(self);
	*isStuck = log.isStuck;
	if (log.isStuck)
		status = PREDICT_INVALID;
	else if (!log.isDone)
		status = predictError(self->predict, "SimGrid failed: %s",
				      log.reason ? log.reason
				      : WIFSIGNALED(state)
					      ? g_strsignal(WTERMSIG(state))
					      : "no simulation time");
	g_free(log.reason);
	return status;
}
