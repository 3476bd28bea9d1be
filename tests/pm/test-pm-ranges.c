/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every field that a server of pmlib sends has a range: what is beyond it is
 * refused, and the message names the field. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "tests/pm/session.h"

/* ---- What is said ------------------------------------------------------ */

#define SAID "said.txt"

/* From now on what is logged goes into a file; the descriptor before. */
static int hearBegin(void)
{
	int before = dup(STDERR_FILENO);

	g_assert_cmpint(before, >=, 0);
	g_assert_nonnull(freopen(SAID, "w", stderr));
	return before;
}

static char *hearEnd(int before)
{
	char *said = NULL;

	fflush(stderr);
	g_assert_cmpint(dup2(before, STDERR_FILENO), ==, STDERR_FILENO);
	close(before);
	g_assert_true(g_file_get_contents(SAID, &said, NULL, NULL));
	return said;
}

/* ---- What is asked ----------------------------------------------------- */

enum question { LIST, INFO, STATUS, COUNTER };

static int askList(const struct model *model)
{
	char **list = NULL;
	int count = 0, ret = pm_get_devices(model->server, &list, &count);

	pmListFree(list, count);
	return ret;
}

static int askInfo(const struct model *model)
{
	device_t device = { 0 };
	int ret = pm_get_device_info(model->server, MODEL_DEVICE, &device);

	free(device.name);
	return ret;
}

/* Of the second device, so that the first is read, too. */
static int askStatus(const struct model *model)
{
	char *names[PM_LINES_MAX];
	int saved = errno, ret;

	pmBegin();
	ret = pmLineNames(&model->server, MODEL_STATES, names);
	for (int i = 0; i < PM_LINES_MAX; i++)
		free(names[i]);
	return pmResult(ret, saved);
}

/* Two sets of two lines; connection 0 is INFO. */
static int askCounter(const struct model *model)
{
	counter_t counter;
	int ret = pm_create_counter(MODEL_DEVICE, sessionLines("0,2"), 0, 0,
				    model->server, &counter);
	int saved;

	if (ret == 0)
		ret = pm_start_counter(&counter);
	if (ret == 0)
		ret = pm_stop_counter(&counter);
	if (ret == 0)
		ret = pm_continue_counter(&counter);
	if (ret == 0)
		ret = pm_stop_counter(&counter);
	if (ret == 0)
		ret = pm_get_counter_data(&counter);
	saved = errno;
	if (counter.measures)
		pm_finalize_counter(&counter);
	errno = saved;
	return ret < 0 ? ret : 0;
}

static int ask(const struct model *model, enum question question)
{
	switch (question) {
	case LIST:
		return askList(model);
	case INFO:
		return askInfo(model);
	case STATUS:
		return askStatus(model);
	default:
		return askCounter(model);
	}
}

/* ---- Rows -------------------------------------------------------------- */

/* What is sent instead of the bytes from @p at on, what comes of it, and a part
 * of what is said. */
struct row {
	enum question question;
	size_t at;
	int32_t number;
	int result;
	const char *says;
};

static const struct row rows[] = {
	{ LIST, 0, -1, PM_EPROTOCOL, "invalid list" },
	{ LIST, 4, -1, PM_EPROTOCOL, "invalid list" },
	{ LIST, 4, INT32_MAX, PM_EPROTOCOL, "invalid list" },
	{ LIST, 8, 0x1b1b1b1b, PM_EPROTOCOL, "invalid list" },
	{ INFO, 0, -2, PM_EPROTOCOL, "samples per second is -2, below -1" },
	{ INFO, 0, -1, PM_EREFUSED, "no device" },
	{ INFO, 0, 0, 0, "" },
	{ INFO, 0, 1000000000, 0, "" },
	{ INFO, 0, 1000000001, PM_EPROTOCOL, "is 1000000001, above" },
	{ INFO, 4, -1, PM_EPROTOCOL, "number of lines is -1, below 0" },
	{ INFO, 4, 0, 0, "" },
	{ INFO, 4, 65535, 0, "" },
	{ INFO, 4, 65536, PM_EPROTOCOL, "number of lines is 65536, above" },
	{ INFO, 8, -1, PM_EPROTOCOL, "length of a text is -1, below 0" },
	{ INFO, 8, 0, 0, "" },
	{ INFO, 8, 65536, PM_EPROTOCOL, "length of a text is 65536, above" },
	{ INFO, 12, 0x1b1b1b1b, PM_EPROTOCOL,
	  "text contains the control character 27" },
	{ INFO, 12, 0x7f7f7f7f, PM_EPROTOCOL,
	  "text contains the control character 127" },
	{ STATUS, 0, -1, PM_EPROTOCOL, "number is -1, below 0" },
	{ STATUS, 0, INT32_MAX, PM_EPROTOCOL, "number is 2147483647, above" },
	{ STATUS, 4, -1, PM_EPROTOCOL, "length of a text is -1" },
	{ STATUS, 4, 65536, PM_EPROTOCOL, "length of a text is 65536" },
	{ STATUS, 8, 0x1b1b1b1b, PM_EPROTOCOL,
	  "text contains the control character 27" },
	{ STATUS, 16, -2, PM_EPROTOCOL, "samples per second is -2" },
	{ STATUS, 16, 0, 0, "" },
	{ STATUS, 20, -1, PM_EPROTOCOL, "number of lines is -1" },
	{ STATUS, 20, 65536, PM_EPROTOCOL, "number of lines is 65536" },
	{ STATUS, 24, 2, PM_EPROTOCOL, "is a PDU is 2, above 1" },
	{ STATUS, 28, -1, PM_EPROTOCOL, "line is -1, below 0" },
	{ STATUS, 28, 65536, PM_EPROTOCOL, "line is 65536, above" },
	{ STATUS, 28, 65535, 0, "" },
	{ STATUS, 42, 0x7f800000, PM_EPROTOCOL, "voltage is inf, beyond" },
	{ COUNTER, 0, 1, PM_EPROTOCOL, "answer is 1, above 0" },
	{ COUNTER, 0, -2, PM_EPROTOCOL, "answer is -2, below -1" },
	{ COUNTER, 0, -1, PM_EREFUSED, "refuses a counter" },
	{ COUNTER, 4, 2, PM_EPROTOCOL, "answer is 2, above 0" },
	{ COUNTER, 8, INT32_MIN, PM_EPROTOCOL, "answer is -2147483648" },
	{ COUNTER, 20, -2, PM_EPROTOCOL, "number of values is -2, below" },
	{ COUNTER, 20, INT32_MAX, PM_EPROTOCOL, "is 2147483647, above" },
	{ COUNTER, 24, 0, PM_EPROTOCOL, "number of sets is 0, below 1" },
	{ COUNTER, 24, INT32_MIN, PM_EPROTOCOL, "is -2147483648, below 1" },
	{ COUNTER, 28, -1, PM_EPROTOCOL, "number of lines is -1, below 0" },
	{ COUNTER, 28, 129, PM_EPROTOCOL, "is 129, above 128" },
	{ COUNTER, 32, -1, PM_EPROTOCOL, "start of a set is -1, below 0" },
	{ COUNTER, 36, -1, PM_EPROTOCOL, "start of a set is -1, below 0" },
	{ COUNTER, 40, INT32_MAX, PM_EPROTOCOL, "start of a set is" },
};

/* Send other bytes, ask, and see what comes of it. */
static void lie(struct model *model, const struct row *row, const void *bytes,
		size_t size)
{
	int before, ret;
	char *said;

	g_test_message("question %d, byte %zu: %d", row->question, row->at,
		       row->number);
	modelLie(model, row->question == COUNTER ? 1 : 0, row->at, bytes, size);
	before = hearBegin();
	errno = 0;
	ret = ask(model, row->question);
	said = hearEnd(before);
	g_test_message("%d: %s", ret, said);
	g_assert_cmpint(ret, ==, row->result);
	if (ret == PM_EPROTOCOL)
		g_assert_cmpint(errno, ==, EPROTO);
	if (*row->says)
		g_assert_nonnull(strstr(said, row->says));
	else
		g_assert_cmpstr(said, ==, "");
	g_free(said);
}

static void testIntegers(void)
{
	struct model model = { .dialect = 'B' };

	modelStart(&model);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		gint32 bits = GINT32_TO_LE(rows[i].number);

		lie(&model, &rows[i], &bits, sizeof(bits));
	}
	modelStop(&model);
}

/* The first value, after the borders of two sets. */
#define VALUES 44

static void liesOf(struct model *model, double value, int result,
		   const char *says)
{
	const struct row row = { COUNTER, VALUES, 0, result, says };
	float single = (float)value;
	guint64 bits;
	guint32 bits4;

	memcpy(&bits, &value, sizeof(bits));
	memcpy(&bits4, &single, sizeof(bits4));
	bits = GUINT64_TO_LE(bits);
	bits4 = GUINT32_TO_LE(bits4);
	if (model->dialect == 'A')
		lie(model, &row, &bits4, sizeof(bits4));
	else
		lie(model, &row, &bits, sizeof(bits));
}

static void testValues(void)
{
	struct model model = { .dialect = 'B' };

	g_setenv("PM_DIALECT", "b", TRUE);
	modelStart(&model);
	liesOf(&model, (double)INFINITY, PM_EPROTOCOL, "value is inf, beyond");
	liesOf(&model, -(double)INFINITY, PM_EPROTOCOL, "value is -inf,");
	liesOf(&model, 1e300, PM_EPROTOCOL, "value is 1e+300, beyond");
	liesOf(&model, -1.5, 0, "");
	liesOf(&model, (double)NAN, 0, "");
	modelStop(&model);
	model.dialect = 'A';
	g_setenv("PM_DIALECT", "a", TRUE);
	modelStart(&model);
	liesOf(&model, (double)INFINITY, PM_EPROTOCOL, "value is inf, beyond");
	liesOf(&model, 1e37, PM_EPROTOCOL, "value is 1e+37, beyond");
	liesOf(&model, -1.5, 0, "");
	modelStop(&model);
	g_unsetenv("PM_DIALECT");
}

int main(int argc, char **argv)
{
	char *directory = sessionInit(&argc, &argv, NULL);

	g_setenv("PM_VERBOSITY", "0", TRUE);
	g_test_add_func("/pm/ranges/integers", testIntegers);
	g_test_add_func("/pm/ranges/values", testValues);
	return sessionRun(directory);
}
