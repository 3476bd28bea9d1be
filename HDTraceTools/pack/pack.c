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
#include <unistd.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/framewriter.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/cut/cut.h"
#include "HDTraceTools/edit/packfiles.h"
#include "HDTraceTools/pack/zipwriter.h"
#include "cli/errors.h"
#include "cli/newfile.h"
#include "cli/temporary.h"
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
	struct cutOptions part;
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
	const char *trace =
		g_str_has_suffix(file->name, ".trc") ? file->path : NULL;
	int ret = from ? 0 : -errno;

	if (ret == 0) {
		zipWriterBegin(zip, name, file->size);
		ret = file->isCompressed ? frameWriterRun(from, file->group,
							  trace, options->level,
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

/** Pack all files of a project. */
static int packProject(struct tool *tool, const struct packOptions *options,
		       const hdIProject *project, const char *output)
{
	GPtrArray *files = packFilesOf(project);
	int status = packWrite(tool, options, files, output);

	g_ptr_array_unref(files);
	return status;
}

/** The name of the project in an archive. */
static char *packNameOf(const char *output)
{
	char *name = g_path_get_basename(output);

	if (g_str_has_suffix(name, HD_ZIP_SUFFIX))
		name[strlen(name) - strlen(HD_ZIP_SUFFIX)] = '\0';
	return name;
}

/** Remove a directory with the files of a part. */
static void packRemove(const char *directory)
{
	GDir *files = g_dir_open(directory, 0, NULL);
	const char *name;

	while (files && (name = g_dir_read_name(files))) {
		char *path = g_build_filename(directory, name, NULL);

		unlink(path);
		g_free(path);
	}
	if (files)
		g_dir_close(files);
	rmdir(directory);
}

/** Write a part into a directory, and pack it. */
static int packCut(struct tool *tool, const struct packOptions *options,
		   const hdIProject *project, const char *directory,
		   const char *output)
{
	struct cutOptions part = options->part;
	char *name = packNameOf(output);
	hdIProject *cut;
	char *path;
	guint count;
	int status;

	part.output = g_build_filename(directory, name, NULL);
	/* What is cut has the suffix once. */
	path = g_strconcat(part.output,
			   g_str_has_suffix(name, ".proj") ? "" : ".proj",
			   NULL);
	status = cutMake(tool, project, &part, &count);
	cut = status < 0 ? toolOpenProject(tool, path) : NULL;
	if (cut)
		status = packProject(tool, options, cut, output);
	else if (status < 0)
		status = TOOL_FAILED;
	hdI_closeProject(cut);
	g_free(part.output);
	g_free(path);
	g_free(name);
	return status;
}

/** Pack a part, which is in a directory beside the archive meanwhile. */
static int packPart(struct tool *tool, const struct packOptions *options,
		    hdIProject *project, const char *output)
{
	char *directory = g_strconcat(output, ".XXXXXX", NULL);
	struct temporary *removal = NULL;
	int status = TOOL_FAILED, ret;

	if (!options->isForced && g_file_test(output, G_FILE_TEST_EXISTS)) {
		toolErrorExists(tool, output);
		g_free(directory);
		return status;
	}
	ret = temporaryMakeDirectory(directory, &removal);
	if (ret < 0) {
		toolErrorCreate(tool, output, ret);
	} else {
		delayApply(tool, project, options->part.isAsRecorded);
		status = packCut(tool, options, project, directory, output);
		packRemove(directory);
		temporaryDone(removal);
	}
	g_free(directory);
	return status;
}

/** Where a project is, without what its name ends with; of an archive, beside
 *  it. */
static char *packPrefixOf(const hdIProject *project)
{
	char *archive = g_path_get_dirname(project->file);
	char *directory = g_path_get_dirname(archive);
	char *name = g_path_get_basename(project->prefix);
	char *prefix = contentIsArchived(project->file)
			       ? g_build_filename(directory, name, NULL)
			       : g_strdup(project->prefix);

	g_free(archive);
	g_free(directory);
	g_free(name);
	return prefix;
}

static int packRunOn(struct tool *tool, const struct packOptions *options,
		     const char *path)
{
	hdIProject *project = toolOpenProject(tool, path);
	bool isPart = cutIsPart(&options->part);
	char *prefix, *output;
	int status;

	if (!project)
		return TOOL_FAILED;
	prefix = packPrefixOf(project);
	output = options->output ? g_strdup(options->output)
				 : g_strconcat(prefix, isPart ? "-part" : "",
					       HD_ZIP_SUFFIX, NULL);
	g_free(prefix);
	status = isPart ? packPart(tool, options, project, output)
			: packProject(tool, options, project, output);
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
		"read directly.\n'hdtrace unpack' restores the plain files. "
		"With --from, --to, --ranks or --thin, it\nhas the part that "
		"'hdtrace cut' would write.",
	.examples = "  hdtrace pack run1.proj\n"
		    "  hdtrace report run1.hdz\n"
		    "  hdtrace pack -o few.hdz --ranks=0-3 run1\n",
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
		  "Write to this file (default: name of the project, -part if "
		  "it is one, and .hdz)",
		  "FILE" },
		{ "compress", 0, 0, G_OPTION_ARG_INT, &options.level,
		  "Compression of zstd, from -7 (fastest) to 19 (default: 1)",
		  "N" },
		CUT_ENTRIES(&options.part),
		{ "force", 'f', 0, G_OPTION_ARG_NONE, &options.isForced,
		  "Replace an existing file", NULL },
		{ NULL },
	};
	int status = toolParse(tool, &argc, &argv, entries, &packHelp);
	const char *missing;

	if (status < 0 && options.level == 0)
		status = toolUsage(tool, CLI_TEXT_VALUE, "compress", "0",
				   "-7 to -1 or 1 to 19");
	missing = status < 0 ? hdZstdMissing() : NULL;
	if (missing) {
		toolError(tool, "%s", missing);
		status = TOOL_FAILED;
	}
	if (status < 0)
		status = packRunOn(tool, &options, argv[1]);
	g_free(options.output);
	cutOptionsFree(&options.part);
	return status;
}
