/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The viewer as a page: its program, and the data of a project.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/pages/page.h"

/** In the page: where data goes, and what it may connect to. */
static const char dataMark[] = "<!--@DATA@-->";
static const char connectMark[] = "@CONNECT@";

const char pageMissing[] = "hdtrace was built without the viewer, which "
			   "requires Node.js and npm (Debian: nodejs npm)";

bool pageExists(void)
{
	return pageBytes != NULL;
}

size_t pageSize(void)
{
	return pageLength;
}

/** Write from one place to the next mark; returns what is behind it. */
static const char *writeTo(FILE *file, const char *from, const char *mark)
{
	const char *end = (const char *)pageBytes + pageLength;
	const char *at = g_strstr_len(from, end - from, mark);

	/* Those of the page that was built are there. */
	g_assert(at);
	fwrite(from, 1, (size_t)(at - from), file);
	return at + strlen(mark);
}

static const char *behind(const char *mark)
{
	const char *at =
		g_strstr_len((const char *)pageBytes, (gssize)pageLength, mark);

	g_assert(at);
	return at + strlen(mark);
}

void pageStart(FILE *file, bool isServed)
{
	const char *rest = writeTo(file, (const char *)pageBytes, connectMark);

	fputs(isServed ? "'self'" : "'none'", file);
	writeTo(file, rest, dataMark);
}

void pageStartMeta(FILE *file)
{
	fputs("<script type=\"application/json\" id=\"meta\">\n", file);
}

void pageEndMeta(FILE *file)
{
	fputs("</script>\n", file);
}

void pageEnd(FILE *file)
{
	const char *rest = behind(dataMark);

	fwrite(rest, 1, pageLength - (size_t)(rest - (const char *)pageBytes),
	       file);
}

/* ---- Tracks ------------------------------------------------------------ */

/** Base64 that is being written. */
struct base64 {
	FILE *file;
	gint state;
	gint save;
};

static int pageAddBytes(const void *bytes, size_t size, void *data)
{
	enum { STEP = 12288 };
	struct base64 *self = data;
	const guchar *from = bytes;
	char text[STEP / 3 * 4 + 8];

	while (size) {
		gsize part = MIN(size, STEP);
		gsize length = g_base64_encode_step(from, part, FALSE, text,
						    &self->state, &self->save);

		fwrite(text, 1, length, self->file);
		from += part;
		size -= part;
	}
	return 0;
}

static void endBase64(struct base64 *self)
{
	char text[8];

	fwrite(text, 1,
	       g_base64_encode_close(FALSE, text, &self->state, &self->save),
	       self->file);
}

int pagePutTrack(FILE *file, struct track *track, size_t number, guint from)
{
	struct base64 base64 = { .file = file };
	GByteArray *index = g_byte_array_new();
	int ret;

	fprintf(file, "<div hidden id=\"%c%zu\" data-index=\"",
		(char)track->kind, number);
	trackDescribe(track, from, true, index);
	pageAddBytes(index->data, index->len, &base64);
	endBase64(&base64);
	g_byte_array_unref(index);
	fputs("\">", file);
	base64 = (struct base64){ .file = file };
	ret = trackWrite(track, from, pageAddBytes, &base64);
	endBase64(&base64);
	fputs("</div>\n", file);
	return ret;
}
