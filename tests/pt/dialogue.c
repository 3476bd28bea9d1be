/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dialogues with meters; see dialogue.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/pt/dialogue.h"

/* ---- Reading files ----------------------------------------------------- */

static void wrong(const char *path, int line, const char *why)
{
	g_error("%s:%d: %s", path, line, why);
}

/* Bytes as written: \r, \n, \\, \xHH, the rest as it is. */
static GString *takeBytes(const char *text)
{
	GString *bytes = g_string_new(NULL);

	for (; *text; text++) {
		if (*text != '\\') {
			g_string_append_c(bytes, *text);
			continue;
		}
		text++;
		if (*text == 'x') {
			g_assert_true(g_ascii_isxdigit(text[1]) &&
				      g_ascii_isxdigit(text[2]));
			g_string_append_c(
				bytes,
				(char)(g_ascii_xdigit_value(text[1]) << 4 |
				       g_ascii_xdigit_value(text[2])));
			text += 2;
		} else if (*text == 'r' || *text == 'n') {
			g_string_append_c(bytes, *text == 'r' ? '\r' : '\n');
		} else {
			g_string_append_c(bytes, *text);
		}
	}
	return bytes;
}

static int takeError(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {
		{ "EPROTO", -EPROTO },
		{ "ETIMEDOUT", -ETIMEDOUT },
		{ "ENODEV", -ENODEV },
		{ "ENXIO", -ENXIO },
		{ "ENODATA", -ENODATA },
		{ "EINVAL", -EINVAL },
		{ "ECONNRESET", -ECONNRESET },
		{ "ENOTSUP", -ENOTSUP },
		{ "EIO", -EIO },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].error;
	g_error("no error is called %s", name);
}

void dialogueChunkFree(void *data)
{
	struct dialogueChunk *chunk = data;

	g_string_free(chunk->bytes, TRUE);
	g_free(chunk);
}

static void freeTurn(void *data)
{
	struct dialogueTurn *turn = data;

	if (turn->written)
		g_string_free(turn->written, TRUE);
	g_ptr_array_unref(turn->chunks);
	g_free(turn);
}

static void freeStep(void *data)
{
	struct dialogueStep *step = data;

	g_free(step->words);
	g_ptr_array_unref(step->turns);
	g_free(step);
}

static struct dialogueTurn *addTurn(struct dialogueStep *step, GString *written)
{
	struct dialogueTurn *turn = g_new0(struct dialogueTurn, 1);

	turn->written = written;
	turn->chunks = g_ptr_array_new_with_free_func(dialogueChunkFree);
	g_ptr_array_add(step->turns, turn);
	return turn;
}

static struct dialogueStep *addStep(struct dialogue *dialogue, int line,
				    enum dialogueAction action)
{
	struct dialogueStep *step = g_new0(struct dialogueStep, 1);

	step->line = line;
	step->action = action;
	step->words = g_strdup("");
	step->turns = g_ptr_array_new_with_free_func(freeTurn);
	addTurn(step, NULL);
	g_ptr_array_add(dialogue->steps, step);
	return step;
}

/* What the last step had to return, "! ERROR WORDS". */
static void takeFailure(struct dialogueStep *step, const char *text)
{
	char **words = g_strsplit(text, " ", 2);

	step->result = takeError(words[0]);
	g_free(step->words);
	step->words = g_strdup(words[1] ? words[1] : "");
	g_strfreev(words);
}

static void takeScale(struct ptScale *scale, const char *text)
{
	char **words = g_strsplit(text, " ", 0);

	for (char **word = words; *word; word++) {
		char *value = strchr(*word, '=');
		double number = g_ascii_strtod(value + 1, NULL);

		*value = '\0';
		if (strcmp(*word, "voltage") == 0) {
			scale->set |= PT_SCALE_VOLTAGE;
			scale->voltage = number;
		} else if (strcmp(*word, "slope") == 0) {
			scale->set |= PT_SCALE_SLOPE;
			scale->slope = number;
		} else {
			g_assert_cmpstr(*word, ==, "offset");
			scale->set |= PT_SCALE_OFFSET;
			scale->offset = number;
		}
	}
	g_strfreev(words);
}

/* Lines before the first step. */
static bool takeHead(struct dialogue *dialogue, const char *word,
		     const char *rest)
{
	if (strcmp(word, "device") == 0) {
		dialogue->driver = ptDriverFind(ptDrivers, rest);
		g_assert_nonnull(dialogue->driver);
	} else if (strcmp(word, "columns") == 0) {
		dialogue->columns = g_strdup(rest);
	} else if (strcmp(word, "scale") == 0) {
		takeScale(&dialogue->scale, rest);
	} else if (strcmp(word, "cycle") == 0) {
		dialogue->cycleNs = (int64_t)(g_ascii_strtod(rest, NULL) * 1e6);
	} else if (strcmp(word, "option") == 0) {
		char **pair = g_strsplit(rest, "=", 2);

		g_ptr_array_add(dialogue->options, pair[0]);
		g_ptr_array_add(dialogue->options, pair[1]);
		g_free(pair);
	} else if (strcmp(word, "blind") == 0) {
		dialogue->isBlind = true;
	} else if (strcmp(word, "lossless") == 0) {
		dialogue->isLossless = true;
	} else {
		return false;
	}
	return true;
}

static void takeLine(struct dialogue *dialogue, const char *path, int number,
		     const char *line, int64_t *afterNs)
{
	static const char *const actions[] = {
		[DIALOGUE_OPEN] = "open",   [DIALOGUE_START] = "start",
		[DIALOGUE_READ] = "read",   [DIALOGUE_STOP] = "stop",
		[DIALOGUE_CLOSE] = "close",
	};
	struct dialogueStep *step = NULL;
	char **words = g_strsplit(line, " ", 2);
	const char *word = words[0], *rest = words[1] ? words[1] : "";

	if (dialogue->steps->len > 0)
		step = dialogue->steps->pdata[dialogue->steps->len - 1];
	if (strcmp(word, "=") == 0) {
		step = addStep(dialogue, number, DIALOGUE_READ);
		g_free(step->words);
		step->words = g_strdup(rest);
	} else if (strcmp(word, "after") == 0) {
		*afterNs = (int64_t)(g_ascii_strtod(rest, NULL) * 1e6);
	} else if (strcmp(word, "<") == 0 && step) {
		struct dialogueTurn *turn =
			step->turns->pdata[step->turns->len - 1];
		struct dialogueChunk *chunk = g_new(struct dialogueChunk, 1);

		chunk->afterNs = *afterNs;
		chunk->bytes = takeBytes(rest);
		g_ptr_array_add(turn->chunks, chunk);
	} else if (strcmp(word, ">") == 0 && step) {
		addTurn(step, takeBytes(rest));
	} else if (strcmp(word, "stream") == 0 && step) {
		addTurn(step, NULL);
	} else if (strcmp(word, "!") == 0 && step) {
		takeFailure(step, rest);
	} else if (strcmp(word, "lost") == 0 && step) {
		step->lost = g_ascii_strtoull(rest, NULL, 10);
	} else if (!takeHead(dialogue, word, rest)) {
		size_t i = 0;

		while (i < G_N_ELEMENTS(actions) &&
		       strcmp(actions[i], word) != 0)
			i++;
		if (i == G_N_ELEMENTS(actions))
			wrong(path, number, "no such line");
		addStep(dialogue, number, (enum dialogueAction)i);
	}
	g_strfreev(words);
}

struct dialogue *dialogueRead(const char *path)
{
	struct dialogue *dialogue = g_new0(struct dialogue, 1);
	GError *error = NULL;
	int64_t afterNs = 0;
	char *content;
	char **lines;

	g_file_get_contents(path, &content, NULL, &error);
	g_assert_no_error(error);
	dialogue->name = g_path_get_basename(path);
	dialogue->options = g_ptr_array_new_with_free_func(g_free);
	dialogue->steps = g_ptr_array_new_with_free_func(freeStep);
	lines = g_strsplit(content, "\n", 0);
	for (int i = 0; lines[i]; i++)
		if (*lines[i] && *lines[i] != '#')
			takeLine(dialogue, path, i + 1, lines[i], &afterNs);
	g_ptr_array_add(dialogue->options, NULL);
	g_strfreev(lines);
	g_free(content);
	if (!dialogue->driver || !dialogue->columns)
		wrong(path, 1, "device and columns must be there");
	if (dialogue->cycleNs == 0)
		dialogue->cycleNs =
			(int64_t)(dialogue->driver->usualCycleMs * 1e6);
	return dialogue;
}

void dialogueFree(struct dialogue *dialogue)
{
	g_ptr_array_unref(dialogue->options);
	g_ptr_array_unref(dialogue->steps);
	g_free(dialogue->columns);
	g_free(dialogue->name);
	g_free(dialogue);
}

struct dialogueStep *dialogueStart(const struct dialogue *dialogue)
{
	for (guint i = 0; i < dialogue->steps->len; i++) {
		struct dialogueStep *step = dialogue->steps->pdata[i];

		if (step->action == DIALOGUE_START)
			return step;
	}
	return NULL;
}

GPtrArray *dialogueReadings(const struct dialogue *dialogue)
{
	GPtrArray *readings = g_ptr_array_new();

	for (guint i = 0; i < dialogue->steps->len; i++) {
		struct dialogueStep *step = dialogue->steps->pdata[i];

		if (step->action == DIALOGUE_READ && step->result == 0)
			g_ptr_array_add(readings, step->words);
	}
	return readings;
}

GPtrArray *dialogueStream(const struct dialogue *dialogue)
{
	GPtrArray *copy = g_ptr_array_new_with_free_func(dialogueChunkFree);
	const struct dialogueStep *step = dialogueStart(dialogue);
	const struct dialogueTurn *turn =
		step->turns->pdata[step->turns->len - 1];

	for (guint i = 0; i < turn->chunks->len; i++) {
		const struct dialogueChunk *from = turn->chunks->pdata[i];
		struct dialogueChunk *chunk = g_new(struct dialogueChunk, 1);

		chunk->afterNs = from->afterNs;
		chunk->bytes = g_string_new_len(from->bytes->str,
						(gssize)from->bytes->len);
		g_ptr_array_add(copy, chunk);
	}
	return copy;
}

/* ---- Holding a dialogue ------------------------------------------------ */

/* Let the meter say what it does in the turn that has come, and in what follows
 * unasked. */
static void giveTurn(struct dialogueRun *run)
{
	const struct dialogueTurn *turn = run->step->turns->pdata[run->turn];
	const GPtrArray *chunks = turn->chunks;
	const struct dialogueTurn *next;

	if (run->step->action == DIALOGUE_START && run->stream &&
	    run->turn == run->step->turns->len - 1)
		chunks = run->stream;
	for (guint i = 0; i < chunks->len; i++) {
		const struct dialogueChunk *chunk = chunks->pdata[i];

		fakePortGive(&run->port, chunk->afterNs, chunk->bytes->str,
			     chunk->bytes->len);
	}
	if (run->turn + 1 == run->step->turns->len)
		return;
	next = run->step->turns->pdata[run->turn + 1];
	if (!next->written) {
		run->turn++;
		giveTurn(run);
	}
}

static void answer(struct fakePort *port, const char *bytes, size_t size)
{
	/* The context is ours. */
	struct dialogueRun *run =
		(struct dialogueRun *)(uintptr_t)port->context;
	const struct dialogueTurn *turn = NULL;

	if (run->step && run->turn + 1 < run->step->turns->len)
		turn = run->step->turns->pdata[run->turn + 1];
	if (run->isFree && (!turn || turn->written->len != size ||
			    memcmp(turn->written->str, bytes, size) != 0))
		return;
	if (!turn)
		g_error("%s:%d: the driver wrote something more: %.*s",
			run->dialogue->name, run->step ? run->step->line : 0,
			(int)size, bytes);
	g_assert_cmpmem(bytes, size, turn->written->str, turn->written->len);
	run->turn++;
	giveTurn(run);
}

void dialogueRunInit(struct dialogueRun *run, const struct dialogue *dialogue)
{
	memset(run, 0, sizeof(*run));
	run->dialogue = dialogue;
	fakePortInit(&run->port);
	run->port.answer = answer;
	run->port.context = run;
}

void dialogueRunClear(struct dialogueRun *run)
{
	fakePortClear(&run->port);
}

int dialogueDo(struct dialogueRun *run, const struct dialogueStep *step)
{
	const struct dialogue *dialogue = run->dialogue;
	struct softDevice *soft = &run->soft;

	/* Nobody hears what was said before. */
	if (step->action == DIALOGUE_OPEN)
		fakePortForget(&run->port);
	run->step = step;
	run->turn = 0;
	giveTurn(run);
	switch (step->action) {
	case DIALOGUE_OPEN:
		softScale = dialogue->scale;
		return softOpenPort(
			soft, dialogue->driver, &run->port.transport,
			dialogue->cycleNs,
			(const char *const *)dialogue->options->pdata,
			dialogue->columns);
	case DIALOGUE_START:
		return dialogue->driver->start(&soft->dev);
	case DIALOGUE_READ:
		return softRead(soft, 0);
	case DIALOGUE_STOP:
		return ptDriverStop(&soft->dev);
	case DIALOGUE_CLOSE:
		dialogue->driver->close(&soft->dev);
		g_assert_null(soft->dev.state);
		g_free(soft->columns);
		g_free(soft->cells);
		return 0;
	}
	return -EINVAL;
}

void dialoguePlay(struct dialogueRun *run)
{
	for (guint i = 0; i < run->dialogue->steps->len; i++) {
		const struct dialogueStep *step =
			run->dialogue->steps->pdata[i];
		char *values;
		int ret;

		g_test_message("%s:%d", run->dialogue->name, step->line);
		softSaid("");
		ret = dialogueDo(run, step);
		if (ret != step->result) {
			softSaid("what went wrong");
			g_error("%s:%d: %d, and not %d", run->dialogue->name,
				step->line, ret, step->result);
		}
		g_assert_cmpuint(run->turn + 1, ==, step->turns->len);
		if (ret < 0) {
			g_assert_true(softSaid(step->words));
		} else if (step->action == DIALOGUE_READ) {
			values = softValues(&run->soft);
			g_assert_cmpstr(values, ==, step->words);
			g_assert_cmpuint(run->soft.reading.lost, ==,
					 step->lost);
			g_free(values);
		}
	}
}
