/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulator writes down.
 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "tests/sim/message.h"
#include "tests/sim/record.h"

static int64_t clockNs(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * SIM_SECOND_NS + time.tv_nsec;
}

int64_t simNow(void)
{
	return clockNs(CLOCK_MONOTONIC);
}

bool simRecordOpen(struct simRecord *record, const char *log, const char *truth,
		   GError **error)
{
	*record = (struct simRecord){ .start = simNow() };
	if (log && !(record->log = simSinkOpen(log, error)))
		return false;
	if (truth && !(record->truth = simSinkOpen(truth, error)))
		return false;
	simRecordTruth(record, "number count start_ns end_ns fate values");
	return true;
}

bool simRecordClose(struct simRecord *record)
{
	bool log = simSinkClose(record->log);
	bool truth = simSinkClose(record->truth);

	*record = (struct simRecord){ 0 };
	return log && truth;
}

static void stamp(const struct simRecord *record, GString *text, char mark)
{
	int64_t time = simNow() - record->start;

	g_string_append_printf(text, "%" PRId64 ".%06d %c ",
			       time / SIM_SECOND_NS,
			       (int)(time % SIM_SECOND_NS / 1000), mark);
}

static void addByte(GString *text, unsigned char byte)
{
	if (byte == '\n')
		g_string_append(text, "\\n");
	else if (byte == '\r')
		g_string_append(text, "\\r");
	else if (byte == '\\')
		g_string_append(text, "\\\\");
	else if (byte >= ' ' && byte < 0x7f)
		g_string_append_c(text, (char)byte);
	else
		g_string_append_printf(text, "\\x%02x", byte);
}

void simRecordBytes(struct simRecord *record, char direction, const void *bytes,
		    size_t length)
{
	const unsigned char *byte = bytes;
	bool open = false;
	GString *text;

	if (!record->log)
		return;
	text = g_string_new(NULL);
	for (size_t i = 0; i < length; i++) {
		if (!open)
			stamp(record, text, direction);
		addByte(text, byte[i]);
		open = byte[i] != '\n';
		if (!open)
			g_string_append_c(text, '\n');
	}
	if (open)
		g_string_append_c(text, '\n');
	simSinkAppend(record->log, text);
	g_string_free(text, true);
}

void simRecordEvent(struct simRecord *record, const char *format, ...)
{
	va_list arguments;
	GString *text;

	if (!record->log)
		return;
	text = g_string_new(NULL);
	stamp(record, text, '#');
	va_start(arguments, format);
	g_string_append_vprintf(text, format, arguments);
	va_end(arguments);
	g_string_append_c(text, '\n');
	simSinkAppend(record->log, text);
	g_string_free(text, true);
}

void simRecordTruth(struct simRecord *record, const char *format, ...)
{
	va_list arguments;
	GString *text;

	if (!record->truth)
		return;
	text = g_string_new("# ");
	va_start(arguments, format);
	g_string_append_vprintf(text, format, arguments);
	va_end(arguments);
	g_string_append_c(text, '\n');
	simSinkAppend(record->truth, text);
	g_string_free(text, true);
}

/* From the monotonic clock to wall clock time, as it is now: the nearest of
   some tries, for the process may have to wait between the two clocks. */
static int64_t wallOffset(void)
{
	int64_t nearest = INT64_MAX;
	int64_t offset = 0;

	for (int i = 0; i < 10 && nearest > 5000; i++) {
		int64_t before = simNow();
		int64_t wall = clockNs(CLOCK_REALTIME);
		int64_t width = simNow() - before;

		if (width >= nearest)
			continue;
		nearest = width;
		offset = wall - before - width / 2;
	}
	return offset;
}

void simRecordOrigin(struct simRecord *record, int64_t origin)
{
	simRecordTruth(record, "origin %" PRId64, origin + wallOffset());
}

void simRecordCycle(struct simRecord *record, uint64_t number,
		    unsigned int count, int64_t start, int64_t end,
		    const char *fate, const GArray *values)
{
	int64_t offset;
	GString *text;

	if (!record->truth)
		return;
	offset = wallOffset();
	text = g_string_new(NULL);
	g_string_append_printf(
		text, "%" PRIu64 " %u %" PRId64 " %" PRId64 " %s", number,
		count, start + offset, end + offset, fate);
	for (guint i = 0; i < values->len; i++) {
		const struct simItem *item =
			&g_array_index(values, struct simItem, i);

		if (!item->text)
			g_string_append_printf(text, " %.9g",
					       simFloat(item->bits));
	}
	g_string_append_c(text, '\n');
	simSinkAppend(record->truth, text);
	g_string_free(text, true);
}
