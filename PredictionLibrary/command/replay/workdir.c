/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of a replay: nothing is left of it, whatever ends the command.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/replay/replaying.h"

/* What a signal ends and removes; a handler may not allocate. */
static volatile sig_atomic_t workdirPid;
static char workdirPath[4096];
static int workdirFd = -1;

static const int workdirSignals[] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction workdirBefore[G_N_ELEMENTS(workdirSignals)];

char *replayFile(const struct replay *self, const char *name)
{
	return g_build_filename(self->place, name, NULL);
}

/* The names of all that is ever in it are known: unlinkat() and rmdir() may be
 * called in a handler, and readdir() may not. */
static const char *const workdirNames[] = {
	"ti.list", "hostfile",   "export.json", "platform.xml",
	"log",     "trace.paje", "hosts",       "flat.xml",
};

/* Whole number as text, without a library. */
static void workdirName(char *name, unsigned long number)
{
	char digits[24];
	int count = 0;

	memcpy(name, "rank-", 5);
	name += 5;
	do {
		digits[count++] = (char)('0' + number % 10);
	} while (number /= 10);
	while (count)
		*name++ = digits[--count];
	memcpy(name, ".ti", 4);
}

static volatile sig_atomic_t workdirRanks;

static void workdirClear(void)
{
	char name[64];

	for (size_t i = 0; i < G_N_ELEMENTS(workdirNames); i++)
		unlinkat(workdirFd, workdirNames[i], 0);
	for (unsigned long i = 0; i < (unsigned long)workdirRanks; i++) {
		workdirName(name, i);
		unlinkat(workdirFd, name, 0);
	}
	rmdir(workdirPath);
}

static void workdirStop(int number)
{
	int error = errno;

	if (workdirPid > 0)
		kill(workdirPid, SIGKILL);
	if (workdirFd >= 0)
		workdirClear();
	for (size_t i = 0; i < G_N_ELEMENTS(workdirSignals); i++)
		sigaction(workdirSignals[i], &workdirBefore[i], NULL);
	raise(number);
	errno = error;
}

static void workdirTakeSignals(void)
{
	struct sigaction action = { .sa_handler = workdirStop };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < G_N_ELEMENTS(workdirSignals); i++)
		sigaddset(&action.sa_mask, workdirSignals[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(workdirSignals); i++) {
		sigaction(workdirSignals[i], NULL, &workdirBefore[i]);
		if (workdirBefore[i].sa_handler != SIG_IGN)
			sigaction(workdirSignals[i], &action, NULL);
	}
}

void workdirChild(int pid)
{
	workdirPid = pid;
}

static bool workdirIsEmpty(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	bool isEmpty = dir && !g_dir_read_name(dir);

	if (dir)
		g_dir_close(dir);
	return isEmpty;
}

int workdirBegin(struct replay *self, const char *keep)
{
	char *path;

	workdirRanks = (sig_atomic_t)self->count;
	if (keep) {
		if (mkdir(keep, 0777) < 0 && !workdirIsEmpty(keep))
			return errno == EEXIST
				       ? predictError(
						 self->predict,
						 "%s: exists and is not an "
						 "empty directory",
						 keep)
				       : predictErrorCreate(self->predict, keep,
							    errno);
		self->place = g_canonicalize_filename(keep, NULL);
		workdirTakeSignals();
		return PREDICT_OK;
	}
	path = g_strdup_printf("%s/hdpredict.XXXXXX", g_get_tmp_dir());
	if (!g_mkdtemp(path) ||
	    g_strlcpy(workdirPath, path, sizeof(workdirPath)) >=
		    sizeof(workdirPath)) {
		int status = predictErrorCreate(self->predict, path,
						errno ? errno : ENAMETOOLONG);

		g_free(path);
		return status;
	}
	self->place = path;
	workdirFd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	workdirTakeSignals();
	return PREDICT_OK;
}

/* SimGrid leaves files if it is aborted: all of them go. */
static void workdirClearAll(void)
{
	DIR *dir = opendir(workdirPath);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			unlinkat(workdirFd, entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	rmdir(workdirPath);
}

void workdirEnd(struct replay *self)
{
	if (!self->place)
		return;
	if (workdirFd >= 0) {
		workdirClearAll();
		close(workdirFd);
		workdirFd = -1;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(workdirSignals); i++)
		sigaction(workdirSignals[i], &workdirBefore[i], NULL);
	g_free(self->place);
	self->place = NULL;
}
