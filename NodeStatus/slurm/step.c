/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What srun does about a step; see step.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "NodeStatus/slurm/account.h"
#include "NodeStatus/slurm/step.h"
#include "common/format/projectname.h"

#define NUMBER_MAX 9999

void hdslurmSay(const char *format, ...)
{
	char text[2 * PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* One write: others write there, too. */
	fprintf(stderr, "hdtrace: %s\n", text);
}

/* ---- Begin ----------------------------------------------------------------
 */

/* The absolute path of where projects go. */
static bool slurmStepMakeDirectory(const char *given, char *directory)
{
	char here[PATH_MAX];

	if (*given == '/')
		return snprintf(directory, PATH_MAX, "%s", given) < PATH_MAX;
	if (!getcwd(here, sizeof(here)))
		return false;
	return snprintf(directory, PATH_MAX, "%s%s%s", here, *given ? "/" : "",
			given) < PATH_MAX;
}

/* The name that a project has if nobody has it. Steps of a script have one
 * option, so their numbers tell them apart, and in arrays those of the tasks.
 */
static void makeName(const struct hdslurmOptions *options,
		     const struct hdslurmStepInfo *info, char *name,
		     size_t size)
{
	if (!*options->project)
		snprintf(name, size, "hdtrace-%u-%u", info->job, info->step);
	else if (!info->isInherited)
		snprintf(name, size, "%s", options->project);
	else
		snprintf(name, size, "%s%s%s-%u", options->project,
			 info->task ? "-" : "", info->task ? info->task : "",
			 info->step);
}

/* Take a path if nobody has it; -EEXIST if somebody has. */
static int slurmStepClaimPath(struct hdslurmStep *step)
{
	int ret;

	if (!hdslurmAccountPath(step->path, step->account))
		return -ENAMETOOLONG;
	ret = hdslurmAccountCreate(step->account);
	if (ret < 0 || !hdProjectExists(step->path))
		return ret;
	unlink(step->account);
	return -EEXIST;
}

static int takeFreePath(const char *path, struct hdslurmStep *step)
{
	int ret = -EEXIST;

	for (int i = 1; ret == -EEXIST && i <= NUMBER_MAX; i++) {
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof(number), "-%d", i);
		if (snprintf(step->path, sizeof(step->path), "%s%s", path,
			     number) >= (int)sizeof(step->path))
			return -ENAMETOOLONG;
		ret = slurmStepClaimPath(step);
	}
	return ret;
}

bool hdslurmStepBegin(const struct hdslurmOptions *options,
		      const struct hdslurmStepInfo *info,
		      struct hdslurmStep *step)
{
	char directory[PATH_MAX], path[PATH_MAX], name[2 * HDSLURM_NAME_MAX];
	int ret = -ENAMETOOLONG;

	memset(step, 0, sizeof(*step));
	step->nodes = info->nodes;
	makeName(options, info, name, sizeof(name));
	if (slurmStepMakeDirectory(options->directory, directory) &&
	    snprintf(path, sizeof(path), "%s/%s", directory, name) <
		    (int)sizeof(path)) {
		hdProjectMakeDirectories(path);
		ret = takeFreePath(path, step);
	}
	if (ret < 0) {
		hdslurmSay("nothing is recorded: %s/%s: %s", directory, name,
			   strerror(-ret));
		return false;
	}
	if (strcmp(path, step->path) != 0)
		hdslurmSay("%s.proj exists or is being recorded; the new "
			   "project is %s",
			   path, strrchr(step->path, '/') + 1);
	return true;
}

/* ---- End ------------------------------------------------------------------
 */

/* Whom a line is missing of is counted; what one says is passed on. */
static void tellNode(void *context, const struct hdslurmNode *node)
{
	const struct hdslurmStep *step = context;

	if (*node->text)
		hdslurmSay("%s: %s: %s", step->path, node->name, node->text);
}

static void runMerge(const char *hdtrace, const char *path)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	/* srun has blocked and caught signals. */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null, 0);
	dup2(null, 1);
	unsetenv("LD_PRELOAD");
	execl(hdtrace, "hdtrace", "merge", path, (char *)NULL);
	fprintf(stderr, "hdtrace: %s: %s\n", hdtrace, strerror(errno));
	_exit(127);
}

static bool merge(const char *hdtrace, const char *path)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0)
		runMerge(hdtrace, path);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	/* 1: it was written, but for what is wrong in other files. */
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

void hdslurmStepEnd(const struct hdslurmStep *step, const char *hdtrace)
{
	int count = hdslurmAccountRead(step->account, tellNode, (void *)step);

	if (!hdProjectExists(step->path)) {
		hdslurmSay("%s: nothing was recorded", step->path);
		unlink(step->account);
		return;
	}
	if (count < (int)step->nodes)
		hdslurmSay("%s: %d of %u nodes did not report complete files",
			   step->path,
			   (int)step->nodes - (count < 0 ? 0 : count),
			   step->nodes);
	if (!merge(hdtrace, step->path))
		hdslurmSay("%s: the project file is missing; create it with "
			   "hdtrace merge %s",
			   step->path, step->path);
	unlink(step->account);
}
