/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing the project file: `hdtrace merge` does it.
 *
 * The program must not notice that it has a child. A child may be one that
 * sends no signal when it ends and that wait() does not find (clone(2),
 * __WCLONE), but execve() would make a usual one of it. So there is one between
 * that waits for the command. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/host/project.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "common/environment.h"
#include "common/thread.h"

#define CHILD_STACK_SIZE ((size_t)64 * 1024)

struct command {
	char *stack; /* For two children. */
	bool isQuiet;
	int status; /* As of wait(). */
	const char *program;
	char *const *arguments;
	char *const *environment;
	sigset_t mask;
};

extern char **environ;

/* The command. It runs in our memory until execve(). */
static int commandMain(void *data)
{
	const struct command *command = data;
	struct sigaction normal = { .sa_handler = SIG_DFL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &normal, NULL);
	if (null >= 0) {
		for (int i = 0; i <= (command->isQuiet ? 2 : 1); i++)
			dup2(null, i);
	}
	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	execve(command->program, command->arguments, command->environment);
	_exit(127);
}

/* The child between; the caller waits until it has ended. */
static int betweenMain(void *data)
{
	struct command *command = data;
	pid_t child = clone(commandMain, command->stack + CHILD_STACK_SIZE,
			    CLONE_VM | CLONE_VFORK | SIGCHLD, data);

	while (child > 0 && waitpid(child, &command->status, 0) < 0 &&
	       errno == EINTR)
		;
	_exit(0);
}

/* Run the command; whether it succeeded. */
static bool mpiProjectRunCommand(struct command *command)
{
	int saved = errno;
	pid_t child;

	command->stack =
		mmap(NULL, 2 * CHILD_STACK_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (command->stack == MAP_FAILED)
		return false;
	command->status = -1;
	/* No handler of the program's may run in the children. */
	hdSignalsBlock(&command->mask);
	child = clone(betweenMain, command->stack + 2 * CHILD_STACK_SIZE,
		      CLONE_VM | CLONE_VFORK, command);
	while (child > 0 && waitpid(child, NULL, __WCLONE) < 0 &&
	       errno == EINTR)
		;
	hdSignalsRestore(&command->mask);
	munmap(command->stack, 2 * CHILD_STACK_SIZE);
	errno = saved;
	return WIFEXITED(command->status) && WEXITSTATUS(command->status) == 0;
}

/* What the environment says at the beginning: a program may clear it. */
static struct {
	const char *program;
	char given[HDMPI_PATH_MAX];
	bool replaces;
} project;

void hdmpiProjectPrepare(void)
{
	const char *given = hdEnvironmentText("HDTRACE_MPI_HDTRACE");
	const char *overwrite =
		hdEnvironmentText("HDTRACE_OVERWRITE_EXISTING_FILES");

	project.program = HDMPI_BINDIR "/hdtrace";
	if (given) {
		snprintf(project.given, sizeof(project.given), "%s", given);
		project.program = project.given;
	}
	project.replaces = overwrite && strcmp(overwrite, "1") == 0;
}

bool hdmpiProjectCanMerge(void)
{
	return access(project.program, X_OK) == 0;
}

static bool mpiProjectIsThere(const char *prefix)
{
	char file[HDMPI_PATH_MAX + sizeof(".proj")];

	snprintf(file, sizeof(file), "%s.proj", prefix);
	return access(file, F_OK) == 0;
}

void hdmpiProjectMerge(void)
{
	char path[HDMPI_PATH_MAX];
	char name[] = "hdtrace", merge[] = "merge", force[] = "--force";
	char names[] = "--";
	char *const arguments[] = { name,
				    merge,
				    project.replaces ? force : names,
				    project.replaces ? names : path,
				    project.replaces ? path : NULL,
				    NULL };
	struct command command = {
		.isQuiet = hdmpiLogger.level < HD_LOG_ERROR,
		.program = project.program,
		.arguments = arguments,
	};
	size_t count = 0, kept = 0;
	char **environment;

	hdmpiOptionsPath(hdmpiOptions.project, path, sizeof(path));
	if (access(command.program, X_OK) < 0) {
		hdmpiLossSay("no project file: %s: %s; run 'hdtrace merge %s'",
			     command.program, strerror(errno),
			     hdmpiOptionsShown(path));
		return;
	}
	/* A program may have none: clearenv(). */
	while (environ && environ[count])
		count++;
	environment = calloc(count + 1, sizeof(*environment));
	if (!environment)
		return;
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			environment[kept++] = environ[i];
	command.environment = environment;
	/* An older one that is kept was reported before. */
	if (!mpiProjectRunCommand(&command) && !mpiProjectIsThere(path))
		hdmpiLossSay("no project file: hdtrace merge failed; run "
			     "'hdtrace merge %s' to see why",
			     hdmpiOptionsShown(path));
	free(environment);
}
