/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Driving a driver without the core; see softdriver.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"
#include "tests/pt/softdriver.h"

#define START_NS (INT64_C(1700000000) * SECOND)

static int64_t passedNs;
static GString *messages;

static int64_t fakeMonotonic(void)
{
	return 1000 * SECOND + passedNs;
}

static int fakeWall(clockid_t clock, struct timespec *now)
{
	int64_t ns = START_NS + passedNs;

	(void)clock;
	now->tv_sec = (time_t)(ns / SECOND);
	now->tv_nsec = (long)(ns % SECOND);
	return 0;
}

static void fakeSleep(int wakeFd, int64_t ns)
{
	(void)wakeFd;
	passedNs += ns;
}

static void keepMessage(enum hdLogLevel level, const char *text)
{
	g_string_append_printf(messages, "%d %s\n", (int)level, text);
}

void softInit(void)
{
	ptNow = fakeMonotonic;
	ptSleep = fakeSleep;
	hdClockUse(fakeWall);
	softListen();
}

void softListen(void)
{
	ptLogger.print = keepMessage;
	hdLogSetLevel(&ptLogger, HD_LOG_DEBUG);
	messages = g_string_new(NULL);
}

const char *softAddress;
struct ptScale softScale;

int64_t softNow(void)
{
	return fakeMonotonic();
}

void softPass(int64_t ns)
{
	passedNs += ns;
}

bool softSaid(const char *text)
{
	bool isThere = strstr(messages->str, text) != NULL;

	if (!isThere)
		g_test_message("said: %s", messages->str);
	g_string_truncate(messages, 0);
	return isThere;
}

bool softIsSilent(void)
{
	if (messages->len > 0)
		g_test_message("said: %s", messages->str);
	return messages->len == 0;
}

int softResolve(const struct ptDriver *driver, const char *root,
		const char *const *options, const char *channel, size_t index,
		char **text)
{
	struct ptSetup setup = { .root = root,
				 .wakeFd = -1,
				 .options = options };
	char label[PT_CHANNEL_MAX] = "", why[512] = "";
	unsigned int number;
	int ret = driver->resolve(&setup, channel, index, &number, label, why,
				  sizeof(why));

	if (text)
		*text = g_strdup(ret == 0 ? label : why);
	return ret;
}

static const struct ptQuantity *findQuantity(const struct ptDriver *driver,
					     const char *name)
{
	const struct ptQuantity *quantity = driver->quantities;

	while (quantity->name && strcmp(quantity->name, name) != 0)
		quantity++;
	g_assert_nonnull(quantity->name);
	return quantity;
}

/* Open a device whose setup is there. */
static int openSoft(struct softDevice *soft, const char *wanted)
{
	const struct ptDriver *driver = soft->dev.driver;
	char **words = g_strsplit_set(wanted, ", ", -1);
	int ret;

	soft->columns = g_new0(struct ptColumn, strlen(wanted));
	for (char **word = words; *word; word++) {
		struct ptColumn *column = &soft->columns[soft->count];
		char why[512];

		if (**word == '\0')
			continue;
		g_assert_cmpint(driver->resolve(&soft->dev.setup, word[0], 0,
						&column->channel, column->label,
						why, sizeof(why)),
				==, 0);
		column->quantity = findQuantity(driver, word[1]);
		column->scale = softScale;
		soft->count++;
		word++;
	}
	g_strfreev(words);
	soft->cells = g_new0(union hdCell, soft->count);
	ret = driver->open(&soft->dev, soft->columns, soft->count);
	if (ret < 0) {
		g_free(soft->columns);
		g_free(soft->cells);
	}
	return ret;
}

int softOpen(struct softDevice *soft, const struct ptDriver *driver,
	     const char *root, int64_t cycleNs, const char *const *options,
	     const char *wanted)
{
	*soft = (struct softDevice){
		.dev = { .driver = driver,
			 .setup = { .cycleNs = cycleNs,
				    .root = root,
				    .wakeFd = -1,
				    .address = softAddress,
				    .options = options } },
	};
	return openSoft(soft, wanted);
}

int softOpenPort(struct softDevice *soft, const struct ptDriver *driver,
		 struct ptTransport *transport, int64_t cycleNs,
		 const char *const *options, const char *wanted)
{
	*soft = (struct softDevice){
		.dev = { .driver = driver,
			 .transport = transport,
			 .setup = { .cycleNs = cycleNs,
				    .root = "",
				    .wakeFd = -1,
				    .baud = driver->line.baud,
				    .options = options } },
	};
	return openSoft(soft, wanted);
}

void softStart(struct softDevice *soft)
{
	g_assert_cmpint(soft->dev.driver->start(&soft->dev), ==, 0);
}

int softRead(struct softDevice *soft, int64_t ns)
{
	softPass(ns);
	return soft->dev.driver->read(&soft->dev, soft->cells, &soft->reading);
}

char *softValues(const struct softDevice *soft)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < soft->count; i++) {
		bool isDouble = soft->columns[i].quantity->type == DOUBLE;
		double value =
			isDouble ? soft->cells[i].d : (double)soft->cells[i].f;

		if (i > 0)
			g_string_append_c(text, ' ');
		if (isnan(value))
			g_string_append(text, "NaN");
		else
			g_string_append_printf(text, "%.*g", isDouble ? 9 : 7,
					       value);
	}
	return g_string_free(text, FALSE);
}

char *softGet(struct softDevice *soft, int64_t ns)
{
	g_assert_cmpint(softRead(soft, ns), ==, 0);
	g_assert_cmpint(soft->reading.endNs, ==, START_NS + passedNs);
	g_assert_cmpint(soft->reading.lengthNs, ==, ns);
	g_assert_cmpuint(soft->reading.lost, ==, 0);
	return softValues(soft);
}

bool softIs(const struct softDevice *soft, const char *values)
{
	char *is = softValues(soft);
	bool isSame = strcmp(is, values) == 0;

	if (!isSame)
		g_test_message("%s, and not %s", is, values);
	g_free(is);
	return isSame;
}

void softClose(struct softDevice *soft)
{
	g_assert_cmpint(ptDriverStop(&soft->dev), ==, 0);
	soft->dev.driver->close(&soft->dev);
	g_free(soft->columns);
	g_free(soft->cells);
}

static void listOne(void *context, const char *label, const char *description,
		    bool works)
{
	g_string_append_printf(context, "%c%s: %s\n", works ? '+' : '-', label,
			       description);
}

char *softList(const struct ptDriver *driver, const char *root,
	       const char *const *options)
{
	struct ptSetup setup = { .root = root,
				 .wakeFd = -1,
				 .options = options };
	GString *text = g_string_new(NULL);

	driver->list(&setup, listOne, text);
	return g_string_free(text, FALSE);
}
