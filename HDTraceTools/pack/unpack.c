/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace unpack: writes the plain files of an archive, or of a project whose
 * files are compressed.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/edit/packfiles.h"
#include "cli/newfile.h"

/** Bytes that are copied at once. */
#define UNPACK_PIECE 65536

/** What was asked for. */
struct unpackOptions {
	char *directory;
	gboolean isForced;
};

/** Copy the plain bytes of a file: 0, or a negative errno of reading. */
static int unpackCopy(struct tool *tool, const char *path, FILE *out)
{
	hdIFile *from = hdI_openFile(path, toolTakeDiagnostic, tool);
	char *piece = g_malloc(UNPACK_PIECE);
	int64_t offset = 0;
	ssize_t got = 1;
	int ret = from ? 0 : -errno;

	while (ret == 0 && got > 0) {
		got = hdI_readFile(from, offset, piece, UNPACK_PIECE);
		if (got < 0)
			ret = -errno;
		/* Errors of writing are found at the end. */
		if (got > 0)
			fwrite(piece, 1, (size_t)got, out);
		offset += got;
	}
	g_free(piece);
	hdI_closeFile(from);
	return ret;
}

/** Write a file: whether that went well; else the reason was said. */
static bool unpackFile(struct tool *tool, const struct unpackOptions *options,
		       const struct packFile *file)
{
	char *path = strcmp(options->directory, ".") == 0
			     ? g_strdup(file->name)
			     : g_build_filename(options->directory, file->name,
						NULL);
	struct newFile new;
	int ret = newFileStart(&new, path);

	if (ret < 0) {
		toolErrorCreate(tool, path, -ret);
		g_free(path);
		return false;
	}
	ret = unpackCopy(tool, file->path, new.file);
	if (ret < 0) {
		toolError(tool, "%s: cannot unpack: %s", file->path,
			  ret == -EBADMSG ? "damaged" : plainFileError(ret));
		newFileAbort(&new);
		g_free(path);
		return false;
	}
	ret = newFileCommit(&new, options->isForced);
	if (ret == -EEXIST)
		toolError(tool, "%s: exists; --force replaces it", path);
	else if (ret < 0)
		toolErrorWrite(tool, path, ret);
	g_free(path);
	return ret == 0;
}

static int unpackRunOn(struct tool *tool, const struct unpackOptions *options,
		       const char *path)
{
	hdIProject *project = toolOpen(tool, path);
	GPtrArray *files;
	bool isGood = true;
	int64_t total = 0;

	if (!project)
		return TOOL_FAILED;
	if (mkdir(options->directory, 0777) < 0 && errno != EEXIST) {
		toolErrorCreate(tool, options->directory, errno);
		hdI_closeProject(project);
		return TOOL_FAILED;
	}
	files = packFilesOf(project);
	for (guint i = 0; i < files->len; i++)
		total += ((const struct packFile *)files->pdata[i])->size;
	toolProgressStart(tool, total);
	/* The .proj file last: without it, this is not a project. */
	for (guint i = 1; i <= files->len && isGood; i++) {
		const struct packFile *file = files->pdata[i % files->len];

		isGood = unpackFile(tool, options, file);
		toolProgressFile(tool, file->size);
	}
	toolProgressEnd(tool);
	if (isGood && !tool->isQuiet)
		printf("%u files, %" PRId64 " bytes\n", files->len, total);
	g_ptr_array_unref(files);
	hdI_closeProject(project);
	return isGood ? toolFinish(tool) : TOOL_FAILED;
}

static const struct toolHelp unpackHelp = {
	.arguments = "PROJECT",
	.description =
		"Write the plain files of an archive that 'hdtrace pack' "
		"wrote, or of a project whose\nfiles are compressed.",
	.examples = "  hdtrace unpack run1.hdz\n"
		    "  hdtrace unpack -o plain run1.proj\n",
	.minArguments = 1,
	.maxArguments = 1,
	.formats = TOOL_TEXT_ONLY,
};

int unpackRun(struct tool *tool, int argc, char **argv)
{
	struct unpackOptions options = { 0 };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.directory,
		  "Write to this directory; it is created if necessary "
		  "(default: .)",
		  "DIR" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
		  "Replace existing files", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &unpackHelp);

	/* Not before parsing: that would lose it. */
	if (!options.directory)
		options.directory = g_strdup(".");
	if (status < 0)
		status = unpackRunOn(tool, &options, argv[1]);
	g_free(options.directory);
	return status;
}
