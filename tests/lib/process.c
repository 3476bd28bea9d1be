/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that run beside a test; see process.h. */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/process.h"

/* A test that fails must not leave it behind. */
static void endWithParent(void *data)
{
	(void)data;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void processStart(struct process *process, const char *const *arguments,
		  const char *const *environment)
{
	char **all = g_get_environ();
	GError *error = NULL;

	for (; environment && *environment; environment += 2)
		all = g_environ_setenv(all, environment[0], environment[1],
				       TRUE);
	/* GLib does not change them. */
	g_spawn_async_with_pipes(NULL, (char **)(guintptr)arguments, all,
				 G_SPAWN_DO_NOT_REAP_CHILD, endWithParent, NULL,
				 &process->pid, NULL, &process->out, NULL,
				 &error);
	g_assert_no_error(error);
	g_strfreev(all);
}

char *processLine(struct process *process)
{
	struct pollfd entry = { .fd = process->out, .events = POLLIN };
	GString *line = g_string_new(NULL);
	char byte;

	for (;;) {
		g_assert_cmpint(poll(&entry, 1, PROCESS_PATIENCE_S * 1000), ==,
				1);
		g_assert_cmpint(read(process->out, &byte, 1), ==, 1);
		if (byte == '\n')
			return g_string_free(line, FALSE);
		g_string_append_c(line, byte);
	}
}

static void forget(struct process *process)
{
	g_spawn_close_pid(process->pid);
	close(process->out);
	process->pid = 0;
}

int processEnd(struct process *process)
{
	int status;

	kill(process->pid, SIGTERM);
	g_assert_cmpint(waitpid(process->pid, &status, 0), ==, process->pid);
	forget(process);
	return status;
}

gboolean processHasEnded(struct process *process)
{
	int status;
	pid_t pid = waitpid(process->pid, &status, WNOHANG);

	if (pid == 0)
		return FALSE;
	forget(process);
	return TRUE;
}
