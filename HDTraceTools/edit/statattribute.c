/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Giving the group of a statistics file an attribute.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "cli/newfile.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/statattribute.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "common/format/frame.h"
#include "common/format/statheader.h"

/** LEN and its line end. */
#define STAT_LENGTH_MAX 20

/** A header: LEN, a line end, and so many bytes. */
struct header {
	const char *bytes;
	size_t digits; /**< Of LEN. */
	size_t size;   /**< Of all. */
};

static bool findHeader(const char *bytes, size_t size, struct header *header)
{
	size_t digits = 0;
	size_t length = 0;

	while (digits < size && digits < 18 && bytes[digits] >= '0' &&
	       bytes[digits] <= '9')
		length = 10 * length + (size_t)(bytes[digits++] - '0');
	if (digits == 0 || digits == size || bytes[digits] != '\n' ||
	    length > size - digits - 1)
		return false;
	*header = (struct header){ bytes, digits, digits + 1 + length };
	return true;
}

/** Make the new header; NULL, or why that cannot be done. */
static const char *statAttributeChangeHeader(const struct header *header,
					     const char *name,
					     const char *value, GString *out)
{
	struct xmlPiece tag;
	size_t start, end;
	char *number;

	if (!xmlFindTag(header->bytes, header->size, header->digits + 1,
			"Group", &tag))
		return "its header has no Group";
	g_string_append_len(out, header->bytes + header->digits + 1,
			    (gssize)(header->size - header->digits - 1));
	if (xmlFindAttribute(header->bytes, &tag, name, &start, &end)) {
		start -= header->digits + 1;
		end -= header->digits + 1;
		g_string_erase(out, (gssize)start, (gssize)(end - start));
		g_string_insert(out, (gssize)start, value);
	} else {
		char *text = g_strdup_printf(" %s=\"%s\"", name, value);

		start = tag.name + tag.nameLength - header->digits - 1;
		g_string_insert(out, (gssize)start, text);
		g_free(text);
	}
	if (out->len >= HD_STAT_HEADER_MAX)
		return "its header would become too long";
	number = g_strdup_printf("%0*zu\n", (int)header->digits, out->len);
	g_string_prepend(out, number);
	g_free(number);
	return NULL;
}

/** Write the file with another header. */
static int statAttributeWriteFile(const char *path, const GString *head,
				  size_t rest)
{
	struct newFile new;
	off_t total = plainFileSize(path);
	int ret = newFileStart(&new, path);

	if (ret < 0)
		return ret;
	if (hdFrameIsCompressed(path)) {
		ret = contentReplaceHead(path, head, (int64_t)rest, &new);
	} else {
		fwrite(head->str, 1, head->len, new.file);
		ret = contentCopy(path, (int64_t)rest, total - (off_t)rest,
				  new.file);
	}
	if (ret < 0) {
		newFileAbort(&new);
		return ret;
	}
	ret = newFileClose(&new);
	if (ret < 0)
		return ret;
	/* Who records would go on in a file that has no name any more. */
	if (plainFileSize(path) != total) {
		newFileAbort(&new);
		return -EBUSY;
	}
	return newFileCommit(&new, true);
}

int statAttributeSet(const char *path, const char *name, const char *value,
		     const char **why)
{
	GString *out = g_string_new(NULL);
	struct header header;
	GBytes *held;
	const char *bytes;
	size_t size;
	int ret = contentGet(path, HD_STAT_HEADER_MAX + STAT_LENGTH_MAX, &held);

	*why = NULL;
	if (ret < 0) {
		g_string_free(out, TRUE);
		return ret;
	}
	bytes = g_bytes_get_data(held, &size);
	*why = findHeader(bytes, size, &header)
		       ? statAttributeChangeHeader(&header, name, value, out)
		       : "it has no header";
	ret = *why ? -EBADMSG : statAttributeWriteFile(path, out, header.size);
	g_bytes_unref(held);
	g_string_free(out, TRUE);
	return ret;
}
