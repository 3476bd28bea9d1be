/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace pack: writes a project as one file.
 *
 * The file is a zip file of stored entries, as doc/format describes. Traces,
 * statistics and relations are compressed, each by itself, so that readers can
 * start anywhere.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/edit/framewriter.h"
#include "HDTraceTools/edit/packfiles.h"
#include "HDTraceTools/pack/zipwriter.h"
#include "cli/newfile.h"
#include "common/format/compress.h"
#include "common/format/frame.h"
#include "common/format/zip.h"

/** Bytes that are copied at once. */
#define PACK_PIECE 65536

/** What was asked for. */
struct packOptions {
	char *output;
	int level;
	gboolean isForced;
};

/** Copy a file as it is. */
static int packCopy(hdIFile *from, struct zipWriter *zip)
{
	char *piece = g_malloc(PACK_PIECE);
	int64_t offset = 0;
	ssize_t got;
	int ret = 0;

	while (ret == 0 &&
	       (got = hdI_readFile(from, offset, piece, PACK_PIECE)) != 0) {
		if (got < 0)
			ret = -errno;
		else if (!zipWriterAdd(zip, piece, (size_t)got))
			ret = -EIO;
		offset += got;
	}
	g_free(piece);
	return ret;
}

/** Add a file: 0 or a negative errno. */
static int packAdd(struct tool *tool, const struct packOptions *options,
		   const struct packFile *file, struct zipWriter *zip)
{
	hdIFile *from = hdI_openFile(file->path, toolTakeDiagnostic, tool);
	char *name = g_strconcat(
		file->name, file->isCompressed ? HD_FRAME_SUFFIX : "", NULL);
	int ret = from ? 0 : -errno;

	if (ret == 0) {
		zipWriterBegin(zip, name, file->size);
		ret = file->isCompressed ? frameWriterRun(from, file->group,
							  options->level,
							  zipWriterAdd, zip)
					 : packCopy(from, zip);
	}
	if (ret == 0)
		ret = zipWriterEnd(zip);
	hdI_closeFile(from);
	g_free(name);
	return ret;
}

/** Add all files: 0 or -1; the reason was said. */
static int packAddAll(struct tool *tool, const struct packOptions *options,
		      const GPtrArray *files, FILE *out)
{
	struct zipWriter zip;
	int ret = 0;

	zipWriterStart(&zip, out);
	for (guint i = 0; i < files->len && ret == 0; i++) {
		const struct packFile *file = files->pdata[i];

		ret = packAdd(tool, options, file, &zip);
		if (ret < 0 && !ferror(out))
			toolError(tool, "%s: cannot pack: %s", file->path,
				  ret == -EBADMSG
					  ? "damaged; repair the project with "
					    "'hdtrace recover'"
					  : plainFileError(ret));
		toolProgressFile(tool, file->size);
	}
	if (ret == 0)
		ret = zipWriterFinish(&zip);
	zipWriterClear(&zip);
	return ret < 0 ? -1 : 0;
}

/** Write the archive. */
static int packWrite(struct tool *tool, const struct packOptions *options,
		     const GPtrArray *files, const char *path)
{
	struct newFile new;
	int64_t total = 0;
	int ret = newFileStart(&new, path);

	if (ret < 0) {
		toolErrorCreate(tool, path, -ret);
		return TOOL_FAILED;
	}
	for (guint i = 0; i < files->len; i++)
		total += ((const struct packFile *)files->pdata[i])->size;
	toolProgressStart(tool, total);
	ret = packAddAll(tool, options, files, new.file);
	toolProgressEnd(tool);
	if (ret < 0 && !ferror(new.file)) {
		newFileAbort(&new);
		return TOOL_FAILED;
	}
	ret = newFileCommit(&new, options->isForced);
	if (ret == -EEXIST)
		toolError(tool, "%s: exists; --force replaces it", path);
	else if (ret < 0)
		toolErrorWrite(tool, path, ret);
	if (ret == 0 && !tool->isQuiet)
		printf("%s: %u files, %" PRId64 " of %" PRId64 " bytes\n", path,
		       files->len, (int64_t)plainFileSize(path), total);
	return ret < 0 ? TOOL_FAILED : TOOL_OK;
}

static int packRunOn(struct tool *tool, const struct packOptions *options,
		     const char *path)
{
	hdIProject *project = toolOpenProject(tool, path);
	char *output;
	GPtrArray *files;
	int status;

	if (!project)
		return TOOL_FAILED;
	output = options->output
			 ? g_strdup(options->output)
			 : g_strconcat(project->prefix, HD_ZIP_SUFFIX, NULL);
	files = packFilesOf(project);
	status = packWrite(tool, options, files, output);
	g_ptr_array_unref(files);
	g_free(output);
	hdI_closeProject(project);
	return status == TOOL_OK ? toolFinish(tool) : status;
}

static const struct cliNumber packNumbers[] = {
	{ "compress", HD_COMPRESS_MIN, HD_COMPRESS_MAX, NULL },
	{ NULL, 0, 0, NULL },
};

static const struct toolHelp packHelp = {
	.arguments = "PROJECT",
	.description =
		"Write a project as one compressed file, which all commands "
		"read directly.\n'hdtrace unpack' restores the plain files.",
	.examples = "  hdtrace pack run1.proj\n"
		    "  hdtrace report run1.hdz\n",
	.minArguments = 1,
	.maxArguments = 1,
	.formats = TOOL_TEXT_ONLY,
	.numbers = packNumbers,
};

int packRun(struct tool *tool, int argc, char **argv)
{
	struct packOptions options = { .level = HD_COMPRESS_DEFAULT };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
		  "Write to this file (default: name of the project and .hdz)",
		  "FILE" },
		{ "compress", 0, 0, G_OPTION_ARG_INT, &options.level,
		  "Compression of zstd, from 1 (fastest) to 19 (default: 1)",
		  "N" },
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
		  "Replace an existing file", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &packHelp);
	const char *missing = status < 0 ? hdZstdMissing() : NULL;

	if (missing) {
		toolError(tool, "%s", missing);
		status = TOOL_FAILED;
	}
	if (status < 0)
		status = packRunOn(tool, &options, argv[1]);
	g_free(options.output);
	return status;
}
