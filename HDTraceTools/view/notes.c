/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: notes of users on a project.
 *
 * The file is read again for each request, since users may edit it, and other
 * servers may change it. It is replaced as a whole, so it is never half
 * written.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/view/notes.h"
#include "cli/newfile.h"
#include "common/format/seconds.h"

struct viewNotes {
	char *path;
	pthread_mutex_t mutex; /**< One changes the file at a time. */
};

/** The file of a project. Notes on an archive, RUN.hdz, are in RUN.notes. */
static char *notesPath(const char *prefix)
{
	char *directory = g_path_get_dirname(prefix);
	char *path;

	if (g_file_test(directory, G_FILE_TEST_IS_REGULAR)) {
		if (g_str_has_suffix(directory, ".hdz"))
			*strrchr(directory, '.') = '\0';
		path = g_strconcat(directory, ".notes", NULL);
	} else {
		path = g_strconcat(prefix, ".notes", NULL);
	}
	g_free(directory);
	return path;
}

struct viewNotes *viewNotesNew(const char *prefix)
{
	struct viewNotes *self = g_new0(struct viewNotes, 1);

	self->path = notesPath(prefix);
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void viewNotesFree(struct viewNotes *self)
{
	if (!self)
		return;
	pthread_mutex_destroy(&self->mutex);
	g_free(self->path);
	g_free(self);
}

/** Parse a time, "12.5", of so many bytes. */
static bool notesParseTime(const char *text, size_t length, int64_t *ns)
{
	char *copy = g_strndup(text, length);
	bool isTime = hdSecondsParse(copy, ns) == 0;

	g_free(copy);
	return isTime;
}

/** Whether a text is "@START" or "@START..END". */
static bool notesIsTime(const char *text, size_t length)
{
	const char *dots;
	int64_t start, end;
	size_t first;

	if (length < 2 || text[0] != '@')
		return false;
	text++;
	length--;
	dots = g_strstr_len(text, (gssize)length, "..");
	if (!dots)
		return notesParseTime(text, length, &start);
	first = (size_t)(dots - text);
	return notesParseTime(text, first, &start) &&
	       notesParseTime(dots + 2, length - first - 2, &end) &&
	       start <= end;
}

/** Whether there are control characters, of which a tab is one. */
static bool notesHasControls(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (g_ascii_iscntrl(text[i]))
			return true;
	}
	return false;
}

bool viewNotesIsLine(const char *text, size_t length)
{
	const char *end, *node, *note;

	/* A request without a body has no text. */
	if (!length)
		return false;
	end = text + length;
	node = memchr(text, '\t', length);
	note = node ? memchr(node + 1, '\t', (size_t)(end - node - 1)) : NULL;
	return note && note + 1 < end && length <= NOTES_LINE_MAX &&
	       g_utf8_validate(text, (gssize)length, NULL) &&
	       notesIsTime(text, (size_t)(node - text)) &&
	       !notesHasControls(node + 1, (size_t)(note - node - 1)) &&
	       !notesHasControls(note + 1, (size_t)(end - note - 1));
}

/** Read the file; an empty text if there is none. */
static int notesReadFile(const struct viewNotes *self, GString *text)
{
	char *content = NULL;
	size_t size = 0;
	int ret;

	if (plainFileSize(self->path) > NOTES_FILE_MAX)
		return -EFBIG;
	ret = plainFileRead(self->path, &content, &size);
	if (ret == 0)
		g_string_append_len(text, content, (gssize)size);
	g_free(content);
	return ret == -ENOENT ? 0 : ret;
}

int viewNotesRead(struct viewNotes *self, GByteArray *body)
{
	GString *text = g_string_new(NULL);
	int ret = notesReadFile(self, text);
	const char *line = text->str;
	const char *end = text->str + text->len;

	while (ret == 0 && line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((next ? next : end) - line);

		if (viewNotesIsLine(line, length)) {
			g_byte_array_append(body, (const guint8 *)line,
					    (guint)length);
			g_byte_array_append(body, (const guint8 *)"\n", 1);
		}
		line += length + 1;
	}
	g_string_free(text, TRUE);
	return ret;
}

/** Find a line; the length of the text if it is not there. */
static size_t notesFindLine(const GString *text, const char *line,
			    size_t length)
{
	size_t at = 0;

	while (at < text->len) {
		const char *start = text->str + at;
		const char *next = memchr(start, '\n', text->len - at);
		size_t size = next ? (size_t)(next - start) : text->len - at;

		if (size == length && memcmp(start, line, length) == 0)
			return at;
		at += size + 1;
	}
	return text->len;
}

static int notesWriteFile(const struct viewNotes *self, const GString *text)
{
	struct newFile file;
	int ret = newFileStart(&file, self->path);

	if (ret < 0)
		return ret;
	fwrite(text->str, 1, text->len, file.file);
	return newFileCommit(&file, true);
}

int viewNotesChange(struct viewNotes *self, bool isAdd, const char *line,
		    size_t length)
{
	GString *text;
	size_t at;
	int ret;

	if (!viewNotesIsLine(line, length))
		return -EINVAL;
	text = g_string_new(NULL);
	pthread_mutex_lock(&self->mutex);
	ret = notesReadFile(self, text);
	at = notesFindLine(text, line, length);
	if (ret == 0 && isAdd) {
		if (text->len && text->str[text->len - 1] != '\n')
			g_string_append_c(text, '\n');
		g_string_append_len(text, line, (gssize)length);
		g_string_append_c(text, '\n');
	} else if (ret == 0 && at < text->len) {
		g_string_erase(text, (gssize)at,
			       (gssize)MIN(length + 1, text->len - at));
	} else if (ret == 0) {
		ret = -ENOENT;
	}
	if (ret == 0 && text->len > NOTES_FILE_MAX)
		ret = -EFBIG;
	if (ret == 0)
		ret = notesWriteFile(self, text);
	pthread_mutex_unlock(&self->mutex);
	g_string_free(text, TRUE);
	return ret;
}
