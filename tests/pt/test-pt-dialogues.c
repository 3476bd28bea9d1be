/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drivers of meters that send by themselves, in dialogues: as written, and with
 * each byte of what the meter sends damaged in each way. Whatever happens, no
 * reading is made up, none comes twice, and what is missing is counted.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/pt/dialogue.h"

/* Readings that may be wrong if one byte is, where nothing tells. */
#define BLIND 1

/* Damage to one byte. */
enum damage { LOSE, TWICE, FLIP, INSERT, ZERO, DAMAGES };

static struct dialogue *dialogueOf(gconstpointer data)
{
	return (struct dialogue *)(uintptr_t)data;
}

static void testPlay(gconstpointer data)
{
	struct dialogueRun run;

	dialogueRunInit(&run, dialogueOf(data));
	dialoguePlay(&run);
	dialogueRunClear(&run);
}

/* Read in pieces of any size: the same comes of it. */
static void testPieces(gconstpointer data)
{
	static const size_t steps[] = { 1, 2, 3, 7, 64 };

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		struct dialogueRun run;

		dialogueRunInit(&run, dialogueOf(data));
		run.port.step = steps[i];
		dialoguePlay(&run);
		dialogueRunClear(&run);
	}
}

/* ---- A stream that is damaged ------------------------------------------ */

/* What came of it. */
struct outcome {
	GPtrArray *readings; /* As texts. */
	GArray *lost;        /* uint64_t, before each. */
	int errors;
	int end; /* What the last read() returned. */
};

static void outcomeInit(struct outcome *outcome)
{
	outcome->readings = g_ptr_array_new_with_free_func(g_free);
	outcome->lost = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	outcome->errors = 0;
}

static void outcomeClear(struct outcome *outcome)
{
	g_ptr_array_unref(outcome->readings);
	g_array_unref(outcome->lost);
}

/* Open and start, as written, and read until there is nothing more. */
static void follow(struct dialogueRun *run, struct outcome *outcome)
{
	const struct dialogue *dialogue = run->dialogue;
	int64_t lastNs = 0;
	int ret, silent = 0;

	for (guint i = 0; i < dialogue->steps->len; i++) {
		const struct dialogueStep *step = dialogue->steps->pdata[i];

		if (step->action == DIALOGUE_OPEN ||
		    step->action == DIALOGUE_START)
			g_assert_cmpint(dialogueDo(run, step), ==, 0);
	}
	run->isFree = true;
	do {
		ret = softRead(&run->soft, 0);
		if (ret == 0) {
			g_ptr_array_add(outcome->readings,
					softValues(&run->soft));
			g_array_append_val(outcome->lost,
					   run->soft.reading.lost);
			g_assert_cmpint(run->soft.reading.endNs, >=, lastNs);
			g_assert_cmpint(run->soft.reading.lengthNs, >, 0);
			lastNs = run->soft.reading.endNs;
		}
		outcome->errors += ret < 0;
		silent = ret == -ETIMEDOUT ? silent + 1 : 0;
		g_assert_true(ret == 0 || ret == -EPROTO || ret == -ETIMEDOUT ||
			      ret == -ENODEV);
	} while (ret != -ENODEV && silent < 5);
	/* It is said to be gone when it is silent, and not earlier. */
	g_assert_cmpint(ret, ==, -ENODEV);
	run->soft.dev.driver->close(&run->soft.dev);
	g_free(run->soft.columns);
	g_free(run->soft.cells);
}

/* The place of a reading among those that are expected, from one on. */
static guint placeOf(const GPtrArray *expected, const char *reading, guint from)
{
	while (from < expected->len &&
	       strcmp(expected->pdata[from], reading) != 0)
		from++;
	return from;
}

/*
 * Compare with what there would be without the damage: the same readings in the
 * same order, but for some that are missing; and these are counted.
 */
static void compare(const struct dialogue *dialogue, bool isBlind,
		    const struct outcome *outcome, const char *what)
{
	GPtrArray *expected = dialogueReadings(dialogue);
	guint next = 0, wrong = 0;

	for (guint i = 0; i < outcome->readings->len; i++) {
		const char *reading = outcome->readings->pdata[i];
		uint64_t lost = g_array_index(outcome->lost, uint64_t, i);
		guint place = placeOf(expected, reading, next);

		/* The first is not known to be late. */
		if (place == expected->len && isBlind) {
			wrong++;
			place = next + (guint)(i > 0 ? lost : 0);
		}
		/* One that is wrong may be two that became one. */
		if (place >= expected->len ||
		    (i > 0 &&
		     (lost > place - next || lost + wrong < place - next))) {
			for (guint k = 0; k < outcome->readings->len; k++)
				g_test_message(
					"%" G_GUINT64_FORMAT " %s",
					g_array_index(outcome->lost, uint64_t,
						      k),
					(char *)outcome->readings->pdata[k]);
			softSaid("what went wrong");
			g_error("%s, %s: reading %u is \"%s\", after %u lost",
				dialogue->name, what, i, reading,
				(unsigned int)lost);
		}
		next = place + 1;
	}
	g_assert_cmpuint(wrong, <=, BLIND);
	g_ptr_array_unref(expected);
}

static void runStream(const struct dialogue *dialogue, const GPtrArray *stream,
		      bool isBlind, const char *what, guint most)
{
	GPtrArray *expected = dialogueReadings(dialogue);
	struct outcome outcome;
	struct dialogueRun run;

	softSaid("");
	outcomeInit(&outcome);
	dialogueRunInit(&run, dialogue);
	run.stream = stream;
	follow(&run, &outcome);
	/* Of nonsense there is nothing to be right. */
	if (most < expected->len || !isBlind)
		compare(dialogue, isBlind, &outcome, what);
	if (outcome.readings->len + most < expected->len)
		g_error("%s, %s: %u of %u readings came", dialogue->name, what,
			outcome.readings->len, expected->len);
	g_ptr_array_unref(expected);
	outcomeClear(&outcome);
	dialogueRunClear(&run);
}

static void damageByte(GString *bytes, gsize at, enum damage damage)
{
	switch (damage) {
	case LOSE:
		g_string_erase(bytes, (gssize)at, 1);
		break;
	case TWICE:
		g_string_insert_c(bytes, (gssize)at, bytes->str[at]);
		break;
	case FLIP:
		bytes->str[at] = (char)(bytes->str[at] ^ 0x80);
		break;
	case INSERT:
		g_string_insert_c(bytes, (gssize)at, 0x7f);
		break;
	case ZERO:
		bytes->str[at] = '\0';
		break;
	case DAMAGES:
		break;
	}
}

/* Whether all is well in a dialogue, so that something can be damaged. */
static bool isWell(const struct dialogue *dialogue)
{
	for (guint i = 0; i < dialogue->steps->len; i++) {
		const struct dialogueStep *step = dialogue->steps->pdata[i];

		if (step->result != 0)
			return false;
	}
	return true;
}

/* Each byte in each way; a byte that is another one makes another number where
 * nothing tells. At most two readings are gone, or at the end, where
 * nothing follows that tells where the next begins, three. */
static void testDamage(gconstpointer data)
{
	const struct dialogue *dialogue = dialogueOf(data);
	GPtrArray *whole = dialogueStream(dialogue);

	for (guint c = 0; c < whole->len; c++) {
		const struct dialogueChunk *chunk = whole->pdata[c];

		for (gsize i = 0; i < chunk->bytes->len; i++) {
			for (int damage = 0; damage < DAMAGES; damage++) {
				GPtrArray *stream = dialogueStream(dialogue);
				struct dialogueChunk *mine = stream->pdata[c];
				char what[64];

				g_snprintf(what, sizeof(what),
					   "chunk %u byte %u damage %d", c,
					   (guint)i, damage);
				damageByte(mine->bytes, i, (enum damage)damage);
				runStream(dialogue, stream,
					  dialogue->isBlind || damage == FLIP ||
						  damage == ZERO,
					  what, 3);
				g_ptr_array_unref(stream);
			}
		}
	}
	g_ptr_array_unref(whole);
}

/* The rest of a message is missing, from each of its bytes on. */
static void testCut(gconstpointer data)
{
	const struct dialogue *dialogue = dialogueOf(data);
	GPtrArray *whole = dialogueStream(dialogue);

	for (guint c = 1; c + 1 < whole->len; c++) {
		const struct dialogueChunk *chunk = whole->pdata[c];

		for (gsize i = 1; i < chunk->bytes->len; i++) {
			GPtrArray *stream = dialogueStream(dialogue);
			struct dialogueChunk *mine = stream->pdata[c];
			char what[64];

			g_snprintf(what, sizeof(what), "chunk %u from %u", c,
				   (guint)i);
			g_string_truncate(mine->bytes, i);
			runStream(dialogue, stream, dialogue->isBlind, what, 3);
			g_ptr_array_unref(stream);
		}
	}
	g_ptr_array_unref(whole);
}

/* How many of the messages of a stream are whole: the last may be only begun.
 */
static guint wholeOnes(const GPtrArray *stream)
{
	const struct dialogueChunk *first = stream->pdata[0];
	const struct dialogueChunk *last = stream->pdata[stream->len - 1];

	return stream->len - (last->bytes->len <= first->bytes->len / 2);
}

/* The stream again and again, until it has so many messages. */
static GPtrArray *longStream(const struct dialogue *dialogue, guint count)
{
	GPtrArray *stream = dialogueStream(dialogue);
	guint each = wholeOnes(stream);
	struct dialogueChunk *rest = NULL;

	if (each < stream->len)
		rest = g_ptr_array_steal_index(stream, each);
	while (stream->len < count) {
		GPtrArray *copy = dialogueStream(dialogue);

		g_ptr_array_set_size(copy, (int)each);
		g_ptr_array_extend_and_steal(stream, copy);
	}
	if (rest)
		g_ptr_array_add(stream, rest);
	return stream;
}

/*
 * Messages are missing and nothing else tells: each is counted, if not at once
 * then with one of the next readings.
 */
static void testMissing(gconstpointer data)
{
	const struct dialogue *dialogue = dialogueOf(data);
	guint at[] = { 400, 500, 501, 600 }, sent = 800;
	GPtrArray *stream = longStream(dialogue, sent);
	struct outcome outcome;
	struct dialogueRun run;
	GPtrArray *once = dialogueStream(dialogue),
		  *readings = dialogueReadings(dialogue);
	uint64_t lost = 0;
	guint count = wholeOnes(stream) - G_N_ELEMENTS(at);

	/* Of some meters the first message is none yet. */
	count -= wholeOnes(once) - readings->len;
	g_ptr_array_unref(once);
	g_ptr_array_unref(readings);
	for (guint i = 0; i < G_N_ELEMENTS(at); i++) {
		struct dialogueChunk *chunk = stream->pdata[at[i]];
		struct dialogueChunk *next = stream->pdata[at[i] + 1];

		g_string_truncate(chunk->bytes, 0);
		next->afterNs += chunk->afterNs;
		chunk->afterNs = 0;
	}
	softSaid("");
	outcomeInit(&outcome);
	dialogueRunInit(&run, dialogue);
	run.stream = stream;
	follow(&run, &outcome);
	g_assert_cmpuint(outcome.readings->len, ==, count);
	for (guint i = 0; i < outcome.lost->len; i++) {
		uint64_t now = g_array_index(outcome.lost, uint64_t, i);

		if (now > 0)
			g_assert_cmpuint(i, >=, at[0]);
		lost += now;
	}
	g_assert_cmpuint(lost, ==, G_N_ELEMENTS(at));
	/* That is no failure of a read, but two seconds without a word. */
	g_assert_cmpint(outcome.errors, <=, 4);
	outcomeClear(&outcome);
	dialogueRunClear(&run);
	g_ptr_array_unref(stream);
}

/* The host was busy: some messages wait together, and none of them is lost. */
static void testMerged(gconstpointer data)
{
	const struct dialogue *dialogue = dialogueOf(data);
	GPtrArray *stream = dialogueStream(dialogue);
	struct dialogueChunk *first = stream->pdata[1];

	for (guint c = 2; c < 4; c++) {
		struct dialogueChunk *chunk = stream->pdata[c];

		first->afterNs += chunk->afterNs;
		chunk->afterNs = 0;
	}
	runStream(dialogue, stream, dialogue->isBlind, "merged", 0);
	g_ptr_array_unref(stream);
}

/* Nonsense without end: it is said to be silent, and all comes to an end. */
static void testNonsense(gconstpointer data)
{
	const struct dialogue *dialogue = dialogueOf(data);
	GPtrArray *stream = dialogueStream(dialogue);
	uint32_t chance = 1;

	for (guint c = 0; c < stream->len; c++) {
		struct dialogueChunk *chunk = stream->pdata[c];

		for (gsize i = 0; i < chunk->bytes->len; i++) {
			chance = chance * 1664525 + 1013904223;
			chunk->bytes->str[i] = (char)(chance >> 24);
		}
	}
	for (int i = 0; i < 2000; i++) {
		struct dialogueChunk *chunk = g_new(struct dialogueChunk, 1);

		chunk->afterNs = 20 * MS;
		chunk->bytes = g_string_new(NULL);
		for (int k = 0; k < 40; k++) {
			chance = chance * 1664525 + 1013904223;
			g_string_append_c(chunk->bytes, (char)(chance >> 24));
		}
		g_ptr_array_add(stream, chunk);
	}
	runStream(dialogue, stream, true, "nonsense", G_MAXUINT / 2);
	g_ptr_array_unref(stream);
}

/* ---- A line that breaks ------------------------------------------------ */

/* The whole life of a device, as far as it goes; the first error. */
static int live(struct dialogueRun *run)
{
	const struct dialogue *dialogue = run->dialogue;
	int first = 0;

	for (guint i = 0; i < dialogue->steps->len; i++) {
		const struct dialogueStep *step = dialogue->steps->pdata[i];
		int ret = dialogueDo(run, step);

		if (step->action == DIALOGUE_OPEN && ret < 0)
			return ret;
		first = first ? first : ret;
	}
	return first;
}

/* The line breaks at each call; the error comes back, and no call waits. */
static void testLineBreaks(gconstpointer data)
{
	static const int errors[] = { -ENODEV, -EIO, -EINTR };
	struct dialogueRun run;
	int count, least;

	dialogueRunInit(&run, dialogueOf(data));
	g_assert_cmpint(live(&run), ==, 0);
	count = run.port.calls;
	dialogueRunClear(&run);
	/* What fails last is not noticed by anybody. */
	least = count * 3 / 4;
	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		for (int at = 0; at < count; at++) {
			int ret;

			dialogueRunInit(&run, dialogueOf(data));
			run.isFree = true;
			run.port.failAt = at;
			run.port.error = errors[i];
			ret = live(&run);
			if (ret != errors[i] && (ret != 0 || at < least))
				g_error("call %d of %d fails with %d: %d", at,
					count, errors[i], ret);
			dialogueRunClear(&run);
		}
	}
}

/* The meter falls silent at each call. */
static void testFallsSilent(gconstpointer data)
{
	struct dialogueRun run;
	int count;

	dialogueRunInit(&run, dialogueOf(data));
	g_assert_cmpint(live(&run), ==, 0);
	count = run.port.calls;
	dialogueRunClear(&run);
	for (int at = 0; at < count; at++) {
		int64_t began = softNow();
		int ret;

		dialogueRunInit(&run, dialogueOf(data));
		run.isFree = true;
		run.port.silentFrom = at;
		ret = live(&run);
		g_assert_true(ret == -ETIMEDOUT || ret == -ENODEV ||
			      (ret == 0 && at >= count * 3 / 4));
		g_assert_cmpint(run.port.longestNs, <=, 2000 * MS);
		/* Each read waits, and nothing else for long. */
		g_assert_cmpint(softNow() - began, <, 60 * SECOND);
		dialogueRunClear(&run);
	}
}

/* Who waits is woken up, and who stops is not. */
static void testWake(gconstpointer data)
{
	const struct dialogue *dialogue = dialogueOf(data);
	struct dialogueRun run;

	dialogueRunInit(&run, dialogue);
	for (guint i = 0; i < dialogue->steps->len; i++) {
		const struct dialogueStep *step = dialogue->steps->pdata[i];

		if (step->action == DIALOGUE_READ) {
			run.port.transport.wakeFd = 7;
			run.soft.dev.setup.wakeFd = 7;
			fakePortForget(&run.port);
			g_assert_cmpint(softRead(&run.soft, 0), ==, -EINTR);
			break;
		}
		g_assert_cmpint(dialogueDo(&run, step), ==, 0);
	}
	run.isFree = true;
	g_assert_cmpint(ptDriverStop(&run.soft.dev), ==, 0);
	g_assert_cmpint(run.port.transport.wakeFd, ==, 7);
	run.soft.dev.driver->close(&run.soft.dev);
	g_free(run.soft.columns);
	g_free(run.soft.cells);
	dialogueRunClear(&run);
}

/* ---- All ---------------------------------------------------------------- */

static void add(const struct dialogue *dialogue, const char *meter,
		const char *name, GTestDataFunc test)
{
	char *path = g_strdup_printf("/dialogue/%s/%s/%s", meter,
				     dialogue->name, name);

	g_test_add_data_func(path, dialogue, test);
	g_free(path);
}

/* They live as long as the tests. */
static GSList *dialogues;

static void addFile(const char *meter, const char *path)
{
	struct dialogue *dialogue = dialogueRead(path);

	dialogues = g_slist_prepend(dialogues, dialogue);
	add(dialogue, meter, "play", testPlay);
	if (!isWell(dialogue))
		return;
	add(dialogue, meter, "pieces", testPieces);
	if (!dialogue->isLossless) {
		add(dialogue, meter, "damage", testDamage);
		add(dialogue, meter, "cut", testCut);
		add(dialogue, meter, "missing", testMissing);
		add(dialogue, meter, "nonsense", testNonsense);
	}
	add(dialogue, meter, "merged", testMerged);
	add(dialogue, meter, "line-breaks", testLineBreaks);
	add(dialogue, meter, "falls-silent", testFallsSilent);
	add(dialogue, meter, "wake", testWake);
}

static void addMeter(const char *directory, const char *meter)
{
	char *path = g_build_filename(directory, meter, NULL);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *file = g_build_filename(path, name, NULL);

		addFile(meter, file);
		g_free(file);
	}
	if (dir)
		g_dir_close(dir);
	g_free(path);
}

int main(int argc, char **argv)
{
	const char *source = g_getenv("abs_top_srcdir");
	const char *meter;
	char *directory;
	GDir *dir;

	g_test_init(&argc, &argv, NULL);
	softInit();
	directory = g_build_filename(source ? source : ".", "tests", "fixtures",
				     "meters", NULL);
	dir = g_dir_open(directory, 0, NULL);
	if (!dir) {
		g_print("Bail out! no dialogues; is abs_top_srcdir set?\n");
		return 1;
	}
	while ((meter = g_dir_read_name(dir)))
		addMeter(directory, meter);
	g_dir_close(dir);
	g_free(directory);
	return g_test_run();
}
