/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a node; see processes.h. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "NodeStatus/local/processes.h"
#include "common/format/frame.h"

/* Looks at which the open files of a process are looked at: it may open them
 * later than it begins. */
#define FIRST_LOOKS 3
#define EVERY_LOOK 6
/* Open files of a process that are looked at. */
#define FILES_MAX 16384
/* Generations that are gone up. */
#define DEPTH_MAX 64

struct process {
	pid_t pid, parent;
	uint64_t start;  /* Ticks since the boot: tells pids from pids. */
	uint64_t ticks;  /* Used, with children that were waited for. */
	uint64_t before; /* The same at the last look. */
	uint64_t waited; /* Those of children alone. */
	uint64_t waitedBefore;
	uint64_t
		owed; /* Ticks of children that have ended, of earlier looks. */
	unsigned int looks;
	bool isSeen, isNew, isStep;
	bool isOurs, wasOurs;
	bool hasProbes;
};

struct nodeProcesses {
	char *root;
	GHashTable *all; /* By pid. */
	/* Those whose number another one has got; of one look. */
	GPtrArray *replaced;
	double tickS;
	uint64_t lastStart; /* Of the newest process of the last look. */
	bool hasLooked;
};

struct nodeProcesses *nodeProcessesCreate(const char *root)
{
	struct nodeProcesses *self = g_new0(struct nodeProcesses, 1);

	self->root = g_strdup(root);
	self->all = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	self->replaced = g_ptr_array_new_with_free_func(g_free);
	self->tickS = 1.0 / (double)sysconf(_SC_CLK_TCK);
	return self;
}

void nodeProcessesFree(struct nodeProcesses *self)
{
	if (!self)
		return;
	g_hash_table_unref(self->all);
	g_ptr_array_unref(self->replaced);
	g_free(self->root);
	g_free(self);
}

/* ---- Files of a process ------------------------------------------------ */

static bool processesReadFile(int proc, const char *pid, const char *name,
			      char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* "PID (NAME) S PPID ...": a name may have anything in it. */
static bool parseStat(const char *text, struct process *process)
{
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	uint64_t utime, stime;
	int64_t cutime, cstime;

	if (!name || !end ||
	    sscanf(end + 1,
		   " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		   " %" SCNu64 " %" SCNd64 " %" SCNd64
		   " %*d %*d %*d %*d %" SCNu64,
		   &process->parent, &utime, &stime, &cutime, &cstime,
		   &process->start) != 6)
		return false;
	process->waited = (uint64_t)MAX(cutime, 0) + (uint64_t)MAX(cstime, 0);
	process->ticks = utime + stime + process->waited;
	process->isStep =
		end - name - 1 == (ptrdiff_t)strlen("slurmstepd") &&
		strncmp(name + 1, "slurmstepd", strlen("slurmstepd")) == 0;
	return true;
}

/* Slurm keeps one "slurmstepd infinity" for ever where there are control groups
 * of version 2: it belongs to no job. */
static bool isInfinite(int proc, const char *pid)
{
	char text[4096] = "";
	const char *second;

	if (!processesReadFile(proc, pid, "cmdline", text, sizeof(text)))
		return false;
	second = text + strlen(text) + 1;
	return second < text + sizeof(text) && strcmp(second, "infinity") == 0;
}

/* Only root, or who runs us, has a slurmstepd that counts: to read the command
 * line of another user's process may take as long as that user likes. */
static bool isTrusted(int proc, const char *pid)
{
	struct stat is;

	return fstatat(proc, pid, &is, 0) == 0 &&
	       (is.st_uid == 0 || is.st_uid == geteuid());
}

static bool isInJob(int proc, const char *pid)
{
	char text[4096];

	return processesReadFile(proc, pid, "cgroup", text, sizeof(text)) &&
	       (strstr(text, "/slurm") || strstr(text, "slurmstepd")) &&
	       strstr(text, "/job_");
}

static bool isRecord(const char *target)
{
	return hdFrameStem(target, ".trc") || hdFrameStem(target, ".stat") ||
	       hdFrameStem(target, ".rel");
}

/* Whether it has a file of ours open. */
static void processesScanFiles(int proc, const char *pid,
			       struct process *process)
{
	char path[64], target[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir && fd >= 0)
		close(fd);
	for (int i = 0; dir && i < FILES_MAX && (entry = readdir(dir)); i++) {
		ssize_t length = readlinkat(fd, entry->d_name, target,
					    sizeof(target) - 1);

		if (length < 0)
			continue;
		target[length] = '\0';
		if (g_str_has_prefix(target, "/memfd:hdprobe"))
			process->hasProbes = true;
		if (process->hasProbes || isRecord(target))
			process->isOurs = true;
	}
	if (dir)
		closedir(dir);
}

static void findEvidence(int proc, const char *pid, struct process *process)
{
	bool isTime = process->looks < FIRST_LOOKS ||
		      process->looks % EVERY_LOOK == 0;

	process->looks++;
	/* Threads of the kernel have no files. */
	if (!isTime || process->parent == 2 || process->pid == 2)
		return;
	if ((process->isStep && isTrusted(proc, pid) &&
	     !isInfinite(proc, pid)) ||
	    isInJob(proc, pid))
		process->isOurs = true;
	if (process->pid != getpid())
		processesScanFiles(proc, pid, process);
}

/* ---- All of them ------------------------------------------------------- */

static void processesScanProcess(struct nodeProcesses *self, int proc,
				 const char *name)
{
	struct process now = { .pid = (pid_t)atoi(name), .isNew = true };
	struct process *process;
	char text[1024];

	if (!processesReadFile(proc, name, "stat", text, sizeof(text)) ||
	    !parseStat(text, &now))
		return;
	process = g_hash_table_lookup(self->all, GINT_TO_POINTER(now.pid));
	/* Another one that got the number: the old one is gone. */
	if (process && process->start != now.start) {
		g_hash_table_steal(self->all, GINT_TO_POINTER(now.pid));
		g_ptr_array_add(self->replaced, process);
		process = NULL;
	}
	if (!process) {
		process = g_memdup2(&now, sizeof(now));
		g_hash_table_replace(self->all, GINT_TO_POINTER(now.pid),
				     process);
	} else {
		process->parent = now.parent;
		process->ticks = now.ticks;
		process->waited = now.waited;
		process->isStep = now.isStep;
	}
	process->isSeen = true;
	findEvidence(proc, name, process);
}

/* Whether any ancestor is ours. */
static bool descends(const struct nodeProcesses *self,
		     const struct process *process)
{
	for (int depth = 0; process && depth < DEPTH_MAX; depth++) {
		if (process->isOurs)
			return true;
		process = g_hash_table_lookup(self->all,
					      GINT_TO_POINTER(process->parent));
	}
	return false;
}

/* Who has the time of one that has ended: the nearest ancestor that lives. One
 * that is younger is none: it has got the number of one. */
static struct process *heirOf(const struct nodeProcesses *self,
			      const struct process *process)
{
	for (int depth = 0; process && depth < DEPTH_MAX; depth++) {
		struct process *parent = g_hash_table_lookup(
			self->all, GINT_TO_POINTER(process->parent));

		if (parent && parent->start > process->start)
			return NULL;
		if (parent && parent->isSeen)
			return parent;
		process = parent;
	}
	return NULL;
}

/* Of one that has ended, what was counted at earlier looks comes once more with
 * its heir's. */
static void owe(const struct nodeProcesses *self, const struct process *process)
{
	struct process *heir = !process->isSeen && process->wasOurs
				       ? heirOf(self, process)
				       : NULL;

	if (heir && heir->isOurs)
		heir->owed += process->before;
}

/* What has gone from one look to the other. Time of one that has ended is in
 * its parent's, if that is ours and has waited for it: then what was counted
 * before is taken off. Who does not wait, as with SIGCHLD ignored, has nothing
 * of it, and what has come from all children is the most that can be too much;
 * what went with those who had nobody is lost. */
static uint64_t processesTicksOf(const struct nodeProcesses *self,
				 const struct process *process)
{
	uint64_t ticks, waited, twice;

	/* Of an older one that turns out to be ours at its first look nobody
	 * knows how much it has used since; a new one has used all since. */
	if (!process->isSeen || !process->isOurs ||
	    (process->isNew && process->start <= self->lastStart))
		return 0;
	ticks = process->ticks - MIN(process->before, process->ticks);
	waited = process->waited - MIN(process->waitedBefore, process->waited);
	twice = MIN(process->owed, waited);
	return ticks - MIN(twice, ticks);
}

static gboolean processesIsForgotten(gpointer key, gpointer value,
				     gpointer context)
{
	struct process *process = value;

	(void)key;
	(void)context;
	if (!process->isSeen)
		return TRUE;
	process->isSeen = process->isNew = false;
	process->wasOurs = process->isOurs;
	process->before = process->ticks;
	process->waitedBefore = process->waited;
	process->owed = 0;
	return FALSE;
}

static double processesAccountTicks(struct nodeProcesses *self, size_t *count)
{
	uint64_t ticks = 0, newest = self->lastStart;
	GHashTableIter iter;
	gpointer value;

	*count = 0;
	g_hash_table_iter_init(&iter, self->all);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct process *process = value;

		if (process->isSeen && descends(self, process))
			process->isOurs = true;
		*count += process->isSeen && process->isOurs;
		newest = MAX(newest, process->start);
	}
	g_hash_table_iter_init(&iter, self->all);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		owe(self, value);
	for (guint i = 0; i < self->replaced->len; i++)
		owe(self, g_ptr_array_index(self->replaced, i));
	g_ptr_array_set_size(self->replaced, 0);
	g_hash_table_iter_init(&iter, self->all);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		ticks += processesTicksOf(self, value);
	g_hash_table_foreach_remove(self->all, processesIsForgotten, NULL);
	self->lastStart = newest;
	return (double)ticks * self->tickS;
}

bool nodeProcessesLook(struct nodeProcesses *self, double *seconds,
		       size_t *count)
{
	char *path = g_strconcat(self->root, "/proc", NULL);
	struct dirent *entry;
	DIR *dir = opendir(path);
	double used;

	g_free(path);
	*seconds = 0;
	*count = 0;
	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (g_ascii_isdigit(entry->d_name[0]))
			processesScanProcess(self, dirfd(dir), entry->d_name);
	closedir(dir);
	used = processesAccountTicks(self, count);
	if (self->hasLooked)
		*seconds = used;
	self->hasLooked = true;
	return true;
}

size_t nodeProcessesProbes(const struct nodeProcesses *self, pid_t **list)
{
	GHashTableIter iter;
	gpointer value;
	size_t count = 0;

	*list = calloc(g_hash_table_size(self->all) + 1, sizeof(**list));
	g_hash_table_iter_init(&iter, self->all);
	while (*list && g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct process *process = value;

		if (process->hasProbes)
			(*list)[count++] = process->pid;
	}
	return count;
}
