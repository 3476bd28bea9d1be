/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file record.c
 * What the simulator writes down.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <gio/gio.h>

#include "message.h"
#include "record.h"

static int64_t clockNs(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t simNow(void)
{
	return clockNs(CLOCK_MONOTONIC);
}

static bool openFile(const char *path, FILE **file, GError **error)
{
	int saved;

	if (!path)
		return true;
	*file = fopen(path, "we");
	if (*file)
		return true;
	saved = errno;
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(saved),
		    "cannot write %s: %s", path, g_strerror(saved));
	return false;
}

bool simRecordOpen(struct simRecord *record, const char *log, const char *truth,
		   GError **error)
{
	*record = (struct simRecord){ .start = simNow() };
	if (!openFile(log, &record->log, error) ||
	    !openFile(truth, &record->truth, error))
		return false;
	if (record->log)
		setvbuf(record->log, NULL, _IOLBF, BUFSIZ);
	if (record->truth)
		fputs("# number count start_ns end_ns fate values\n",
		      record->truth);
	return true;
}

static bool closeFile(FILE *file)
{
	bool good = !file || !ferror(file);

	return (!file || !fclose(file)) && good;
}

bool simRecordClose(struct simRecord *record)
{
	bool log = closeFile(record->log);
	bool truth = closeFile(record->truth);

	*record = (struct simRecord){ 0 };
	return log && truth;
}

static void stamp(struct simRecord *record, char mark)
{
	int64_t time = simNow() - record->start;

	fprintf(record->log, "%" PRId64 ".%06d %c ", time / 1000000000,
		(int)(time % 1000000000 / 1000), mark);
}

void simRecordBytes(struct simRecord *record, char direction, const void *bytes,
		    size_t length)
{
	const unsigned char *byte = bytes;
	bool open = false;

	if (!record->log)
		return;
	for (size_t i = 0; i < length; i++) {
		if (!open)
			stamp(record, direction);
		open = byte[i] != '\n';
		if (byte[i] == '\n')
			fputs("\\n", record->log);
		else if (byte[i] == '\r')
			fputs("\\r", record->log);
		else if (byte[i] == '\\')
			fputs("\\\\", record->log);
		else if (byte[i] >= ' ' && byte[i] < 0x7f)
			putc(byte[i], record->log);
		else
			fprintf(record->log, "\\x%02x", byte[i]);
		if (!open)
			putc('\n', record->log);
	}
	if (open)
		putc('\n', record->log);
}

void simRecordEvent(struct simRecord *record, const char *format, ...)
{
	va_list arguments;

	if (!record->log)
		return;
	stamp(record, '#');
	va_start(arguments, format);
	vfprintf(record->log, format, arguments);
	va_end(arguments);
	putc('\n', record->log);
}

void simRecordTruth(struct simRecord *record, const char *format, ...)
{
	va_list arguments;

	if (!record->truth)
		return;
	fputs("# ", record->truth);
	va_start(arguments, format);
	vfprintf(record->truth, format, arguments);
	va_end(arguments);
	putc('\n', record->truth);
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

	if (!record->truth)
		return;
	offset = wallOffset();
	fprintf(record->truth, "%" PRIu64 " %u %" PRId64 " %" PRId64 " %s",
		number, count, start + offset, end + offset, fate);
	for (guint i = 0; i < values->len; i++) {
		const struct simItem *item =
			&g_array_index(values, struct simItem, i);

		if (!item->text)
			fprintf(record->truth, " %.9g", simFloat(item->bits));
	}
	putc('\n', record->truth);
}
