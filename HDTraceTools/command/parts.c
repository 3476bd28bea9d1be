/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Works on the parts of a command in several threads.
 *
 * All that belongs to everybody (the tool of the command, its output) is
 * touched by that part only whose turn it is; when it is done that is the
 * thread that takes results.
 */
#include "config.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

#include "HDTraceTools/command/parts.h"

/** So many messages of a part are kept. */
#define KEPT_MAX 4096
/** So many bytes of a part wait for its turn at most. */
#define SPOOL_MAX (UINT64_C(256) << 20)
/** Bytes that go to the spool, or to the output, at once. */
#define BUFFER_SIZE (1 << 16)

struct parts {
	const struct partsWork *work;
	struct tool tool; /**< As it was when the work began. */
	FILE *output;
	struct part **list;
	bool hasOutput;
	gint isBroken;  /**< The output takes no more; atomic. */
	gint isStopped; /**< Nobody wants any more; atomic. */
};

/* ---- Messages ---------------------------------------------------------- */

static void freeMessage(void *data)
{
	hdIMessage *message = data;

	g_free((char *)(uintptr_t)message->file);
	g_free((char *)(uintptr_t)message->text);
}

/** Say what was kept. */
static void sayKept(struct part *part)
{
	for (guint i = 0; i < part->kept->len; i++)
		toolTakeDiagnostic(&g_array_index(part->kept, hdIMessage, i),
				   part->parts->work->tool);
	g_array_set_size(part->kept, 0);
}

static bool waitTurn(struct toolTurn *turn)
{
	struct part *part = (struct part *)turn;
	struct parts *self = part->parts;

	if (!part->isTurn)
		tasksWaitTurn(part->tasks, part->number);
	part->isTurn = true;
	if (g_atomic_int_get(&self->isStopped))
		return false;
	sayKept(part);
	toolProgressHide(self->work->tool);
	return true;
}

/** Look whether it is our turn. */
static bool isTurn(struct part *part)
{
	part->isTurn = part->isTurn || tasksIsTurn(part->tasks, part->number);
	return part->isTurn;
}

static void showAt(struct toolTurn *turn, int64_t bytes)
{
	struct part *part = (struct part *)turn;
	struct tool *tool = part->parts->work->tool;

	if (tool->progress.isOn && isTurn(part))
		toolProgressAt(tool, bytes);
}

static bool partsIsStopped(struct toolTurn *turn)
{
	const struct parts *self = ((struct part *)turn)->parts;

	return g_atomic_int_get(&self->isBroken) ||
	       g_atomic_int_get(&self->isStopped);
}

/** Takes the messages of a part's tool. Rules are static texts. */
static void partsAddMessage(const hdIMessage *message, void *data)
{
	struct part *part = data;
	hdIMessage copy = *message;

	if (part->kept->len < KEPT_MAX && !isTurn(part)) {
		copy.file = g_strdup(message->file);
		copy.text = g_strdup(message->text);
		g_array_append_val(part->kept, copy);
		return;
	}
	if (waitTurn(&part->turn))
		toolTakeDiagnostic(message, part->parts->work->tool);
}

/* ---- Output ------------------------------------------------------------ */

/** Whether there is no use in any more output; then errno says so. */
static bool isBroken(const struct parts *self)
{
	if (!g_atomic_int_get(&self->isBroken) &&
	    !g_atomic_int_get(&self->isStopped))
		return false;
	errno = EPIPE;
	return true;
}

static bool partsWriteBytes(struct parts *self, const void *bytes, size_t size)
{
	if (isBroken(self))
		return false;
	if (fwrite(bytes, 1, size, self->output) == size)
		return true;
	self->work->tool->outputError = errno;
	g_atomic_int_set(&self->isBroken, 1);
	return false;
}

/** In our turn: put bytes, and before the first ones what stands between. */
static bool putOut(struct part *part, const void *bytes, size_t size)
{
	struct parts *self = part->parts;
	const char *between = self->work->between;
	bool isLater = self->hasOutput || self->work->isLater;

	if (!part->hasOutput && isLater && between &&
	    !partsWriteBytes(self, between, strlen(between)))
		return false;
	part->hasOutput = true;
	self->hasOutput = true;
	return partsWriteBytes(self, bytes, size);
}

/** In our turn: put what was spooled. */
static bool putSpooled(struct part *part)
{
	struct parts *self = part->parts;
	uint64_t length = spoolLength(part->spool);
	char *buffer;
	bool isGood = true;

	if (length == 0)
		return true;
	buffer = g_malloc(BUFFER_SIZE);
	for (uint64_t at = 0; at < length && isGood; at += BUFFER_SIZE) {
		size_t size = (size_t)MIN(length - at, BUFFER_SIZE);
		int ret = spoolRead(part->spool, at, buffer, size);

		if (ret < 0) {
			toolErrorTemporary(self->work->tool, ret);
			g_atomic_int_set(&self->isBroken, 1);
		}
		isGood = ret == 0 && putOut(part, buffer, size);
	}
	spoolClear(part->spool);
	g_free(buffer);
	return isGood;
}

/** Writes what a part's file was given; 0: that failed. */
static ssize_t partsWriteFile(void *data, const char *bytes, size_t size)
{
	struct part *part = data;

	if (isBroken(part->parts))
		return 0;
	if (!isTurn(part)) {
		if (spoolLength(part->spool) + size <= SPOOL_MAX &&
		    spoolAppend(part->spool, bytes, size) == 0)
			return (ssize_t)size;
		/* There is no room for more of it. */
		if (!waitTurn(&part->turn))
			return 0;
	}
	if (!putSpooled(part) || !putOut(part, bytes, size))
		return 0;
	return (ssize_t)size;
}

static void partsOpenFile(struct part *part)
{
	const cookie_io_functions_t functions = { .write = partsWriteFile };

	part->file = fopencookie(part, "w", functions);
	if (!part->file)
		g_error("out of memory for a file");
	part->buffer = g_malloc(BUFFER_SIZE);
	setvbuf(part->file, part->buffer, _IOFBF, BUFFER_SIZE);
	/* It belongs to one thread. */
	__fsetlocking(part->file, FSETLOCKING_BYCALLER);
}

/* ---- Parts ------------------------------------------------------------- */

static void partsRunPart(struct tasks *tasks, void *data, size_t number)
{
	struct parts *self = data;
	struct part *part = g_new0(struct part, 1);

	part->turn = (struct toolTurn){ waitTurn, showAt, partsIsStopped };
	part->tool = self->tool;
	part->tool.turn = &part->turn;
	part->tool.take = partsAddMessage;
	part->tool.takeData = part;
	part->tool.progress = (struct cliProgress){ .isOn = false };
	part->sink = (struct diagnosticSink){ toolTakeDiagnostic, &part->tool };
	part->parts = self;
	part->tasks = tasks;
	part->number = number;
	part->kept = g_array_new(FALSE, FALSE, sizeof(hdIMessage));
	g_array_set_clear_func(part->kept, freeMessage);
	part->spool = spoolNew();
	self->list[number] = part;
	partsOpenFile(part);
	if (!g_atomic_int_get(&self->isStopped))
		self->work->run(part, number, self->work->data);
	/* Its errors are those of the output, which keeps them. */
	fclose(part->file);
	g_free(part->buffer);
}

static void partsAddPart(void *data, size_t number)
{
	struct parts *self = data;
	struct part *part = self->list[number];
	const struct partsWork *work = self->work;

	part->isTurn = true;
	part->isDropped = g_atomic_int_get(&self->isStopped);
	if (!part->isDropped) {
		sayKept(part);
		putSpooled(part);
	}
	if (work->take && !work->take(part, number, work->data))
		g_atomic_int_set(&self->isStopped, 1);
	if (!part->isDropped && part->tool.hasFailed)
		work->tool->hasFailed = true;
	g_array_unref(part->kept);
	spoolFree(part->spool);
	g_free(part);
}

bool partsDo(const struct partsWork *work)
{
	struct parts self = {
		.work = work,
		.tool = *work->tool,
		.output = work->output ? work->output : stdout,
		.list = g_new0(struct part *, work->count + 1),
	};

	tasksDo(work->count, partsRunPart, partsAddPart, &self);
	g_free(self.list);
	return self.hasOutput;
}
