/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A child that says which tasks ran when its parent died; see watch.h. It reads
 * a pipe that nobody writes to but who ends well: of one that dies it finds the
 * end. It was made by fork() beside threads, so it only reads, writes and
 * exits.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "PredictionLibrary/execution/watch.h"

static pid_t child = -1;

struct hdExecuteMark *hdExecuteMarksNew(uint32_t count)
{
	struct hdExecuteMark *marks =
		mmap(NULL, (count + 1) * sizeof(*marks), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (marks == MAP_FAILED)
		return NULL;
	for (uint32_t w = 0; w < count; w++) {
		atomic_init(&marks[w].current, HD_PREDICT_NONE);
		atomic_init(&marks[w].awaited, HD_PREDICT_NONE);
		atomic_init(&marks[w].starved, HD_PREDICT_NONE);
		atomic_init(&marks[w].gathering, HD_PREDICT_NONE);
	}
	return marks;
}

void hdExecuteMarksFree(struct hdExecuteMark *marks, uint32_t count)
{
	if (marks)
		munmap(marks, (count + 1) * sizeof(*marks));
}

/* A line in one piece, of pieces that may be long. */
struct line {
	char text[600];
	size_t used;
};

static void executeWatchAddText(struct line *line, const char *text,
				size_t length)
{
	size_t room = sizeof(line->text) - 1 - line->used;

	if (length > room)
		length = room;
	memcpy(line->text + line->used, text, length);
	line->used += length;
}

static void executeWatchReportTask(const struct hdExecution *run, uint32_t task,
				   const char *what)
{
	const hdPGraph *graph = run->plan.graph;
	const char *kernel = hdPredictKernelOf(graph, task)->id;
	const char *node = run->plan.platform->serverIds[run->plan.server];
	struct line line = { .used = 0 };
	size_t length;
	const char *id = hdPredictName(&graph->ids, task, &length);
	ssize_t done;

	executeWatchAddText(&line, "hdexecute: task ", 16);
	executeWatchAddText(&line, id, length > 200 ? 200 : length);
	executeWatchAddText(&line, " (kernel ", 9);
	executeWatchAddText(&line, kernel, strnlen(kernel, 100));
	executeWatchAddText(&line, ", node ", 7);
	executeWatchAddText(&line, node, strnlen(node, 100));
	executeWatchAddText(&line, "): the process died while it ", 29);
	executeWatchAddText(&line, what, strlen(what));
	line.text[line.used++] = '\n';
	done = write(STDERR_FILENO, line.text, line.used);
	(void)done;
}

/* Whether a worker waits for PEs of a task that has not begun, and is the first
 * that does. */
static bool executeWatchGathers(const struct hdExecution *run, uint32_t worker)
{
	uint32_t task = atomic_load(&run->marks[worker].gathering);

	for (uint32_t w = 0; w < run->workerCount; w++) {
		const struct hdExecuteMark *mark = &run->marks[w];

		if (atomic_load(&mark->current) == task ||
		    atomic_load(&mark->starved) == task ||
		    (w < worker && atomic_load(&mark->gathering) == task))
			return false;
	}
	return task != HD_PREDICT_NONE;
}

static void executeWatchWatchPipe(const struct hdExecution *run, int pipe)
{
	ssize_t count;
	char byte;

	do
		count = read(pipe, &byte, 1);
	while (count < 0 && errno == EINTR);
	for (uint32_t w = 0; w < run->workerCount && count == 0; w++) {
		uint32_t task = atomic_load(&run->marks[w].current);
		uint32_t awaited = atomic_load(&run->marks[w].awaited);

		if (task != HD_PREDICT_NONE)
			executeWatchReportTask(run, task, "ran");
		else if (awaited != HD_PREDICT_NONE)
			executeWatchReportTask(run, awaited,
					       "waited for its inputs");
		else if (atomic_load(&run->marks[w].starved) != HD_PREDICT_NONE)
			executeWatchReportTask(
				run, atomic_load(&run->marks[w].starved),
				"waited for memory");
		else if (executeWatchGathers(run, w))
			executeWatchReportTask(
				run, atomic_load(&run->marks[w].gathering),
				"waited for its PEs");
	}
	_exit(0);
}

int hdExecuteWatch(const struct hdExecution *run)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		/* Who ends the processes of a job is not to end this one. */
		setsid();
		close(ends[1]);
		executeWatchWatchPipe(run, ends[0]);
	}
	close(ends[0]);
	if (child < 0) {
		close(ends[1]);
		return -1;
	}
	return ends[1];
}

void hdExecuteWatchEnd(int watcher)
{
	ssize_t done;

	if (watcher < 0)
		return;
	done = write(watcher, "", 1);
	(void)done;
	close(watcher);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
