/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes of a calibration, and the directory that they write to. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "PredictionLibrary/command/calibrate/calibrating.h"
#include "PredictionLibrary/command/errors.h"

/* What a signal ends; the directory is removed when the child is gone. */
static volatile sig_atomic_t calibrateRunChild, calibrateRunSignal;

static const int calibrateRunSignals[] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction calibrateRunBefore[G_N_ELEMENTS(calibrateRunSignals)];

static void calibrateRunStop(int number)
{
	int error = errno;

	calibrateRunSignal = number;
	if (calibrateRunChild > 0)
		kill(calibrateRunChild, SIGTERM);
	errno = error;
}

static void calibrateRunTakeSignals(void)
{
	struct sigaction action = { .sa_handler = calibrateRunStop };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < G_N_ELEMENTS(calibrateRunSignals); i++) {
		sigaction(calibrateRunSignals[i], NULL, &calibrateRunBefore[i]);
		if (calibrateRunBefore[i].sa_handler != SIG_IGN)
			sigaction(calibrateRunSignals[i], &action, NULL);
	}
}

int calibrateRunBegin(struct calibrateRun *self, const char *keep)
{
	int status;

	if (keep) {
		self->isKept = true;
		if (mkdir(keep, 0777) < 0)
			return predictErrorCreate(self->predict, keep, errno);
		self->place = g_canonicalize_filename(keep, NULL);
	} else {
		self->place =
			g_strdup_printf("%s/hdpredict.XXXXXX", g_get_tmp_dir());
		if (!g_mkdtemp(self->place)) {
			status = predictErrorCreate(self->predict, self->place,
						    errno);
			g_free(self->place);
			self->place = NULL;
			return status;
		}
	}
	calibrateRunTakeSignals();
	return PREDICT_OK;
}

void calibrateRunEnd(struct calibrateRun *self)
{
	DIR *dir = self->place && !self->isKept ? opendir(self->place) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (!self->place)
		return;
	if (!self->isKept)
		rmdir(self->place);
	g_free(self->place);
	self->place = NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(calibrateRunSignals); i++)
		sigaction(calibrateRunSignals[i], &calibrateRunBefore[i], NULL);
	if (calibrateRunSignal)
		raise(calibrateRunSignal);
}

char *calibrateRunFile(const struct calibrateRun *self, const char *name)
{
	return g_build_filename(self->place, name, NULL);
}

/* ---- Processes --------------------------------------------------------- */

/* A program of ours: beside this one, or where it is installed. */
static char *calibrateRunFind(const char *name, const char *installed)
{
	char *self = g_file_read_link("/proc/self/exe", NULL);
	char *directory = g_path_get_dirname(self ? self : "");
	char *path;

	/* libtool runs programs of a build from there. */
	if (g_str_has_suffix(directory, "/.libs"))
		directory[strlen(directory) - strlen("/.libs")] = '\0';
	path = g_build_filename(directory, name, NULL);
	if (access(path, X_OK) != 0 && installed) {
		g_free(path);
		path = g_build_filename(installed, name, NULL);
	}
	g_free(self);
	g_free(directory);
	return path;
}

static void calibrateRunSetup(gpointer data)
{
	(void)data;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* Variables of hdmpirun that the user has set for other runs are left out. */
static char **calibrateRunEnvironment(void)
{
	char **all = g_get_environ();
	char **names = g_listenv();

	for (char **name = names; *name; name++) {
		if (g_str_has_prefix(*name, "HDTRACE_MPI_") &&
		    strcmp(*name, "HDTRACE_MPI_HDTRACE") != 0)
			all = g_environ_unsetenv(all, *name);
	}
	g_strfreev(names);
	return all;
}

/* Start a child in a directory, NULL: this one, and wait until it ends; its
 * output goes to a log. Returns its state. */
static int calibrateRunWait(struct calibrateRun *self, const char *directory,
			    GPtrArray *words, const char *log, GError **error)
{
	char *path = calibrateRunFile(self, log);
	char **environment = calibrateRunEnvironment();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int state = -1;
	GPid pid;

	g_ptr_array_add(words, NULL);
	if (g_spawn_async_with_fds(
		    directory, (char **)words->pdata, environment,
		    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
		    calibrateRunSetup, NULL, &pid, -1, fd, fd, error)) {
		calibrateRunChild = pid;
		if (calibrateRunSignal)
			kill(pid, SIGTERM);
		while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
			;
		calibrateRunChild = 0;
	}
	if (fd >= 0)
		close(fd);
	g_strfreev(environment);
	g_free(path);
	return state;
}

/* The first line of a log that says something. */
static char *calibrateRunReason(const struct calibrateRun *self,
				const char *log)
{
	char *path = calibrateRunFile(self, log), *text = NULL;
	char *found = NULL, *rest, *line;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		rest = text;
		while (!found && (line = strsep(&rest, "\n"))) {
			if (strpbrk(line, "abcdefghijklmnopqrstuvwxyz"))
				found = g_strdup(line);
		}
	}
	g_free(text);
	g_free(path);
	return found ? found : g_strdup("it has no output");
}

static void calibrateRunAdd(GPtrArray *words, const char *format, ...)
	G_GNUC_PRINTF(2, 3);
static void calibrateRunAdd(GPtrArray *words, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	g_ptr_array_add(words, g_strdup_vprintf(format, list));
	va_end(list);
}

int calibrateRunProgram(struct calibrateRun *self, char *const *launcher)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
	char *runner = calibrateRunFind("hdmpirun", NULL);
	char *program = calibrateRunFind("hdcalibrate", HDPREDICT_LIBEXECDIR);
	char *project = calibrateRunFile(self, "run.proj");
	int status = PREDICT_OK, state;
	GError *error = NULL;

	for (; *launcher; launcher++)
		calibrateRunAdd(words, "%s", *launcher);
	if (words->len == 0) {
		calibrateRunAdd(words, "mpiexec");
		calibrateRunAdd(words, "-n");
		calibrateRunAdd(words, "2");
	}
	calibrateRunAdd(words, "%s", runner);
	calibrateRunAdd(words, "--project=run");
	calibrateRunAdd(words, "--directory=%s", self->place);
	calibrateRunAdd(words, "--interval=0");
	calibrateRunAdd(words, "--nesting=0");
	calibrateRunAdd(words, "%s", program);
	calibrateRunAdd(words, "%.0f", self->max);
	calibrateRunAdd(words, "%d", self->sizes);
	calibrateRunAdd(words, "%d", self->rounds);
	state = calibrateRunWait(self, NULL, words, "run.log", &error);
	if (error) {
		status = predictError(self->predict, "%s", error->message);
		g_error_free(error);
	} else if (calibrateRunSignal) {
		status = PREDICT_FAILED;
	} else if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 ||
		   access(project, F_OK) != 0) {
		char *reason = calibrateRunReason(self, "run.log");

		status = predictError(self->predict, "%s: %s",
				      (char *)words->pdata[0], reason);
		g_free(reason);
	}
	g_ptr_array_unref(words);
	g_free(runner);
	g_free(program);
	g_free(project);
	return status;
}

char *calibrateRunFailure(const struct calibrateRun *self)
{
	return calibrateRunReason(self, "replay.log");
}

bool calibrateRunReplay(struct calibrateRun *self, const char *selector,
			const char *name)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
	GError *error = NULL;
	int state;

	calibrateRunAdd(words, "/proc/self/exe");
	calibrateRunAdd(words, "replay");
	calibrateRunAdd(words, "--platform=platform.xml");
	calibrateRunAdd(words, "--ranks=hosts");
	calibrateRunAdd(words, "--cfg=smpi/coll-selector:%s", selector);
	calibrateRunAdd(words, "--output=%s", name);
	calibrateRunAdd(words, "run");
	state = calibrateRunWait(self, self->place, words, "replay.log",
				 &error);
	g_clear_error(&error);
	g_ptr_array_unref(words);
	return !calibrateRunSignal && WIFEXITED(state) &&
	       WEXITSTATUS(state) == 0;
}
