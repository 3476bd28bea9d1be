/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file reportwork.c
 * hdtrace report: reads all groups and traces, several at a time.
 *
 * A trace is charged with the power of the nearest node that tells it, so it is
 * read right after that node's group, whose power is forgotten when the last of
 * its traces has been read. What was found is added in the order of the files,
 * so that it does not depend on which thread was faster.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "messages.h"
#include "report.h"
#include "tasks.h"

/** So many bytes of a trace pass without progress. */
#define PROGRESS_STEP (1 << 20)

/** A file to read. */
struct task {
	const hdITraceFile *trace; /**< NULL for a group. */
	struct reportGroup *group; /**< Of a trace: its power, or NULL. */
	size_t number;             /**< Of the task that reads the group. */
	struct profile *profile;
	struct reportMessages messages;
	int error;      /**< Negative errno of the file ... */
	int spoolError; /**< ... and of a temporary one. */
};

struct work {
	struct report *report;
	GArray *tasks; /**< struct task */
	struct profileShares *shares;
};

/** The messages of the task that this thread does. */
static _Thread_local struct reportMessages *current;

static pthread_mutex_t progressLock = PTHREAD_MUTEX_INITIALIZER;

void reportProgress(struct report *report, int64_t bytes)
{
	pthread_mutex_lock(&progressLock);
	toolProgressFile(report->tool, bytes);
	pthread_mutex_unlock(&progressLock);
}

static struct task *taskAt(struct work *work, size_t number)
{
	return &g_array_index(work->tasks, struct task, (guint)number);
}

/* ---- What there is to do ----------------------------------------------- */

static void addTask(struct work *work, struct task task)
{
	reportMessagesInit(&task.messages);
	g_array_append_val(work->tasks, task);
}

struct reportGroup **reportFindPowers(const struct report *report)
{
	const hdIProject *project = report->project;
	struct reportGroup **powers =
		g_new0(struct reportGroup *, project->traceCount + 1);
	GHashTable *atNodes = g_hash_table_new(NULL, NULL);

	for (size_t i = 0; i < project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];

		if (group->powerCount)
			g_hash_table_insert(
				atNodes, (gpointer)group->group->node, group);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdINode *node = project->traces[i]->node;

		for (; node && !powers[i]; node = node->parent)
			powers[i] = g_hash_table_lookup(atNodes, node);
	}
	g_hash_table_destroy(atNodes);
	return powers;
}

static void addTraces(struct work *work, struct reportGroup *const *powers,
		      struct reportGroup *group)
{
	const hdIProject *project = work->report->project;
	size_t number = work->tasks->len - 1;

	for (size_t i = 0; i < project->traceCount; i++) {
		if (powers[i] == group)
			addTask(work, (struct task){
					      .trace = project->traces[i],
					      .group = group,
					      .number = number,
				      });
	}
}

static void addTasks(struct work *work)
{
	struct report *report = work->report;
	struct reportGroup **powers = reportFindPowers(report);

	for (size_t i = 0; i < report->project->traceCount; i++) {
		if (powers[i])
			powers[i]->traces++;
	}
	for (size_t i = 0; i < report->project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];

		if (!group->group->isReadable)
			continue;
		addTask(work, (struct task){ .group = group });
		if (group->traces)
			addTraces(work, powers, group);
	}
	addTraces(work, powers, NULL);
	g_free(powers);
}

/* ---- Doing it, in any thread ------------------------------------------- */

/** How far a trace was read. */
struct position {
	struct report *report;
	int64_t offset;
};

static void showProgress(void *data, int64_t offset)
{
	struct position *position = data;

	if (offset < position->offset + PROGRESS_STEP)
		return;
	reportProgress(position->report, offset - position->offset);
	position->offset = offset;
}

static void readTrace(struct work *work, struct task *task)
{
	struct position position = { .report = work->report };
	struct profileSource source = { .cursor = NULL };

	if (task->group && task->group->series) {
		source.cursor = powerCursorNew(task->group->series);
		source.share = profileShare(
			work->shares, task->group->group->node, task->trace);
	}
	task->error = profileRead(work->report->project, task->trace, &source,
				  1, INT64_MIN, INT64_MAX, showProgress,
				  &position, &task->profile);
	if (source.cursor)
		task->spoolError = powerCursorError(source.cursor);
	powerCursorFree(source.cursor);
	reportProgress(work->report, task->trace->fileSize - position.offset);
}

static void run(struct tasks *tasks, void *data, size_t number)
{
	struct work *work = data;
	struct task *task = taskAt(work, number);

	current = &task->messages;
	if (!task->trace) {
		task->error = reportReadGroup(work->report, task->group,
					      &task->spoolError);
	} else {
		if (task->group)
			tasksWaitFor(tasks, task->number);
		readTrace(work, task);
	}
	current = NULL;
}

/* ---- Taking the results, in order -------------------------------------- */

void reportTakeMessage(const hdIMessage *message, void *data)
{
	struct report *report = data;
	struct reportMessages *messages = current ? current : &report->messages;

	if (reportMessagesAdd(messages, message) && !current)
		toolCount(report->tool, message->severity);
}

static void takeMessages(struct report *report, struct reportMessages *messages)
{
	for (guint i = 0; i < messages->list->len; i++) {
		const struct reportMessage *kept =
			&g_array_index(messages->list, struct reportMessage, i);
		const hdIMessage message = {
			.severity = kept->severity,
			.rule = kept->rule,
			.file = kept->file,
			.offset = kept->offset,
			.text = kept->text,
		};

		reportTakeMessage(&message, report);
	}
	report->messages.count += messages->count - messages->list->len;
	reportMessagesFree(messages);
}

static void take(void *data, size_t number)
{
	struct work *work = data;
	struct task *task = taskAt(work, number);
	struct report *report = work->report;
	struct reportGroup *group = task->group;

	takeMessages(report, &task->messages);
	if (task->error < 0 && task->error != -EBADMSG)
		toolError(report->tool, "%s: %s",
			  task->trace ? task->trace->file : group->group->file,
			  strerror(-task->error));
	if (task->spoolError < 0)
		toolError(report->tool, "temporary file: %s",
			  strerror(-task->spoolError));
	if (!task->trace) {
		report->start = MIN(report->start, group->start);
		report->end = MAX(report->end, group->end);
		return;
	}
	if (task->profile && task->profile->parts > 0)
		toolReport(report->tool, "trc.part", task->trace->file, -1, 0,
			   MESSAGES_PARTS, task->profile->parts);
	if (task->profile)
		profileAdd(report->profile, task->profile);
	profileFree(task->profile);
	if (group && ++group->tracesRead == group->traces) {
		powerSeriesFree(group->series);
		group->series = NULL;
	}
}

void reportReadAll(struct report *report)
{
	struct work work = {
		.report = report,
		.tasks = g_array_new(FALSE, FALSE, sizeof(struct task)),
		.shares = profileSharesNew(report->project),
	};

	report->profile = profileNew(1);
	addTasks(&work);
	tasksDo(work.tasks->len, run, take, &work);
	report->start = MIN(report->start, report->profile->start);
	report->end = MAX(report->end, report->profile->end);
	profileSharesFree(work.shares);
	g_array_unref(work.tasks);
}
