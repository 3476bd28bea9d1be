/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A file that a thread of its own writes.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include <gio/gio.h>

#include "common/thread.h"
#include "tests/sim/sink.h"

/** More is not kept in memory. */
#define MOST_BYTES ((gsize)64 << 20)

struct simSink {
	FILE *file;
	pthread_t thread;
	pthread_mutex_t mutex; /**< Protects what follows. */
	pthread_cond_t changed;
	GString *text;
	bool isEnding;
	GString *spare; /**< The thread's, when it does not write. */
};

static void *run(void *data)
{
	struct simSink *sink = data;
	GString *text = sink->spare;
	bool isEnding = false;

	while (!isEnding) {
		GString *written = text;

		pthread_mutex_lock(&sink->mutex);
		while (!sink->text->len && !sink->isEnding)
			pthread_cond_wait(&sink->changed, &sink->mutex);
		isEnding = sink->isEnding;
		text = sink->text;
		sink->text = written;
		pthread_cond_broadcast(&sink->changed);
		pthread_mutex_unlock(&sink->mutex);
		fwrite(text->str, 1, text->len, sink->file);
		fflush(sink->file);
		g_string_truncate(text, 0);
	}
	sink->spare = text;
	return NULL;
}

struct simSink *simSinkOpen(const char *path, GError **error)
{
	FILE *file = fopen(path, "we");
	int saved = errno;
	struct simSink *sink;

	if (file) {
		sink = g_new0(struct simSink, 1);
		sink->file = file;
		/* Here, as ThreadSanitizer does not see how GLib gives memory
		 * of one thread to another. */
		sink->text = g_string_new(NULL);
		sink->spare = g_string_new(NULL);
		pthread_mutex_init(&sink->mutex, NULL);
		pthread_cond_init(&sink->changed, NULL);
		saved = -hdThreadStart(&sink->thread, run, sink);
		if (!saved)
			return sink;
		pthread_cond_destroy(&sink->changed);
		pthread_mutex_destroy(&sink->mutex);
		g_string_free(sink->text, true);
		g_string_free(sink->spare, true);
		g_free(sink);
		fclose(file);
	}
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(saved),
		    "cannot write %s: %s", path, g_strerror(saved));
	return NULL;
}

void simSinkAppend(struct simSink *sink, const GString *text)
{
	if (!sink)
		return;
	pthread_mutex_lock(&sink->mutex);
	while (sink->text->len > MOST_BYTES)
		pthread_cond_wait(&sink->changed, &sink->mutex);
	g_string_append_len(sink->text, text->str, (gssize)text->len);
	pthread_cond_broadcast(&sink->changed);
	pthread_mutex_unlock(&sink->mutex);
}

bool simSinkClose(struct simSink *sink)
{
	bool good;

	if (!sink)
		return true;
	pthread_mutex_lock(&sink->mutex);
	sink->isEnding = true;
	pthread_cond_broadcast(&sink->changed);
	pthread_mutex_unlock(&sink->mutex);
	pthread_join(sink->thread, NULL);
	good = !ferror(sink->file);
	good = !fclose(sink->file) && good;
	pthread_cond_destroy(&sink->changed);
	pthread_mutex_destroy(&sink->mutex);
	g_string_free(sink->text, true);
	g_string_free(sink->spare, true);
	g_free(sink);
	return good;
}
