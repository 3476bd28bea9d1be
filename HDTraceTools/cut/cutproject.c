/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: the .proj file, and files that are copied.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/cut/cutchoice.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/edit/packfiles.h"

/** The node of an element of the topology, which is inside of nodes of a path;
 *  NULL: it is not known. The path grows by its name. */
static const hdINode *cutProjectNode(const struct cut *cut, const char *text,
				     const struct xmlPiece *tag, GString *path)
{
	size_t start, end;

	if (path->len)
		g_string_append_c(path, '_');
	if (xmlFindAttribute(text, tag, "name", &start, &end))
		g_string_append_len(path, text + start, (gssize)(end - start));
	return hdI_findNode(cut->project, path->str);
}

/** Whether a tag is a rank of a communicator that is left out. */
static bool cutProjectIsRank(const struct cut *cut, const char *text,
			     const struct xmlPiece *tag)
{
	size_t start, end;

	return tag->kind == XML_EMPTY && xmlHasName(text, tag, "Rank") &&
	       xmlFindAttribute(text, tag, "global", &start, &end) &&
	       !cutHasRank(cut, g_ascii_strtoll(text + start, NULL, 10));
}

/** Whether a tag begins the datatypes of a rank that is left out. */
static bool cutProjectIsTypes(const struct cut *cut, const char *text,
			      const struct xmlPiece *tag)
{
	size_t start, end;

	return (tag->kind == XML_START || tag->kind == XML_EMPTY) &&
	       xmlHasName(text, tag, "Rank") &&
	       xmlFindAttribute(text, tag, "name", &start, &end) &&
	       g_ascii_isdigit(text[start]) &&
	       !cutHasRank(cut, g_ascii_strtoll(text + start, NULL, 10));
}

/** Go from a tag to the one that ends its element, which has no element of the
 *  same name inside. */
static void cutProjectSkip(const char *text, size_t size, struct xmlPiece *tag)
{
	bool isOpen = tag->kind == XML_START;

	while (isOpen && xmlNext(text, size, tag->end, tag))
		isOpen = tag->kind != XML_END || !xmlHasName(text, tag, "Rank");
}

/** Copy the rest of a .proj file, without nodes of ranks that are left out, and
 *  without these ranks in communicators and datatypes. */
static void cutProjectRest(const struct cut *cut, const char *text, size_t size,
			   size_t at, FILE *out)
{
	GArray *lengths = g_array_new(FALSE, FALSE, sizeof(gsize));
	GString *path = g_string_new(NULL);
	guint dropped = 0; /* Depth of the outermost node that is left out. */
	size_t written = at;
	const hdINode *node;
	struct xmlPiece tag;
	bool isDropped;

	for (; cut->ranks && xmlNext(text, size, at, &tag); at = tag.end) {
		gsize length = path->len;

		if (tag.kind == XML_END && lengths->len > 0 &&
		    xmlHasName(text, &tag, "Node")) {
			g_string_truncate(path,
					  g_array_index(lengths, gsize,
							lengths->len - 1));
			if (dropped == lengths->len) {
				dropped = 0;
				written = tag.end;
			}
			g_array_set_size(lengths, lengths->len - 1);
		}
		if (!dropped && (cutProjectIsRank(cut, text, &tag) ||
				 cutProjectIsTypes(cut, text, &tag))) {
			fwrite(text + written, 1, tag.start - written, out);
			cutProjectSkip(text, size, &tag);
			written = tag.end;
		}
		if ((tag.kind != XML_START && tag.kind != XML_EMPTY) ||
		    !xmlHasName(text, &tag, "Node"))
			continue;
		node = cutProjectNode(cut, text, &tag, path);
		isDropped = !dropped && node && !cutHasNode(cut, node);
		if (isDropped)
			fwrite(text + written, 1, tag.start - written, out);
		if (tag.kind == XML_START) {
			g_array_append_val(lengths, length);
			if (isDropped)
				dropped = lengths->len;
		} else {
			g_string_truncate(path, length);
			if (isDropped)
				written = tag.end;
		}
	}
	fwrite(text + written, 1, size - written, out);
	g_string_free(path, TRUE);
	g_array_unref(lengths);
}

bool cutProject(struct cut *cut)
{
	const char *source = cut->project->file;
	struct newFile *new = cutStartFile(cut, source);
	char *label = g_path_get_basename(cut->prefix);
	GString *name = g_string_new(NULL);
	struct xmlPiece tag;
	size_t size = 0, start = 0, end = 0;
	char *text = NULL;
	int ret = new ? contentText(source, &text, &size) : -EIO;
	bool hasName = ret == 0 &&
		       xmlFindTag(text, size, 0, "Application", &tag) &&
		       xmlFindAttribute(text, &tag, "name", &start, &end);

	xmlAppend(name, label);
	if (hasName) {
		fwrite(text, 1, start, new->file);
		fwrite(name->str, 1, name->len, new->file);
	} else {
		end = 0;
	}
	if (ret == 0)
		cutProjectRest(cut, text, size, end, new->file);
	g_free(text);
	g_free(label);
	g_string_free(name, TRUE);
	return new &&cutEndFile(cut, source, new, ret);
}

bool cutTexts(struct cut *cut)
{
	GPtrArray *files = packFilesOf(cut->project);
	bool isGood = true;

	for (guint i = 0; isGood && i < files->len; i++) {
		const struct packFile *file = files->pdata[i];
		struct newFile *new;

		if (!g_str_has_suffix(file->name, ".info") &&
		    !g_str_has_suffix(file->name, ".notes"))
			continue;
		if (file->node && !cutHasNode(cut, file->node))
			continue;
		new = cutStartFile(cut, file->path);
		isGood = new &&cutEndFile(
			cut, file->path, new,
			contentCopy(file->path, 0, INT64_MAX, new->file));
	}
	g_ptr_array_unref(files);
	return isGood;
}
