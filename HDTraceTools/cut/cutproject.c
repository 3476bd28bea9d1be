/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace cut: the .proj file, and files that are copied.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/edit/packfiles.h"

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
		fwrite(text + end, 1, size - end, new->file);
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
		new = cutStartFile(cut, file->path);
		isGood = new &&cutEndFile(
			cut, file->path, new,
			contentCopy(file->path, 0, INT64_MAX, new->file));
	}
	g_ptr_array_unref(files);
	return isGood;
}
