/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and closing projects. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/archive.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/project/project.h"
#include "common/format/frame.h"
#include "common/format/zip.h"

static int endsWith(const char *name, const char *suffix)
{
	size_t length = strlen(name);
	size_t tail = strlen(suffix);

	return length > tail && name[length - tail - 1] != '/' &&
	       strcmp(name + length - tail, suffix) == 0;
}

static int projReaderReport(struct hdIProjectData *project, enum hdIRuleId rule,
			    const char *path, int error, const char *text)
{
	hdIReport(&project->sink, rule, path, -1, 0, "%s", text);
	return error;
}

/* Set the file to the only .proj in a directory. */
static int findInDirectory(struct hdIProjectData *project, const char *path)
{
	DIR *directory = opendir(path);
	const char *separator = endsWith(path, "/") ? "" : "/";
	struct dirent *found;
	char *file = NULL;
	int count = 0;

	if (!directory)
		return errno == ENOMEM
			       ? -ENOMEM
			       : projReaderReport(project, HDI_RULE_FILE_OPEN,
						  path, -errno,
						  strerror(errno));
	while ((found = readdir(directory)) != NULL) {
		if (!endsWith(found->d_name, ".proj") || count++ > 0)
			continue;
		file = hdIArenaPrintf(&project->arena, "%s%s%s", path,
				      separator, found->d_name);
		if (!file)
			break;
	}
	closedir(directory);
	if (count == 0)
		return projReaderReport(project, HDI_RULE_FILE_OPEN, path,
					-ENOENT,
					"the directory contains no .proj file");
	if (count > 1)
		return projReaderReport(
			project, HDI_RULE_PROJ_SEVERAL, path, -EINVAL,
			"the directory contains several .proj files");
	project->pub.file = file;
	return file ? 0 : -ENOMEM;
}

/* Read the directory of an archive. */
static int projReaderReadArchive(struct hdIProjectData *project,
				 const char *path)
{
	char why[HDI_ARCHIVE_WHY] = "";
	int fd = hdIFileOpener(path);
	struct stat status;
	int ret;

	if (fd < 0)
		return projReaderReport(project, HDI_RULE_FILE_OPEN, path,
					-errno, strerror(errno));
	ret = fstat(fd, &status) < 0 ? -errno : 0;
	if (ret == 0)
		ret = S_ISREG(status.st_mode)
			      ? hdIArchiveRead(fd, status.st_size,
					       &project->archive, why)
			      : -EINVAL;
	close(fd);
	if (ret == -EBADMSG)
		projReaderReport(project, HDI_RULE_HDZ_ARCHIVE, path, ret, why);
	else if (ret < 0 && ret != -ENOMEM)
		projReaderReport(project, HDI_RULE_FILE_OPEN, path, ret,
				 ret == -EINVAL ? "not a plain file"
						: strerror(-ret));
	return ret;
}

/* Set the file to the only .proj in an archive. */
static int findInArchive(struct hdIProjectData *project, const char *path)
{
	const char *name = NULL;
	int ret = projReaderReadArchive(project, path);
	size_t count = 0;

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < project->archive->count; i++) {
		const struct hdIArchiveEntry *entry =
			&project->archive->entries[i];

		if (!endsWith(entry->name, ".proj"))
			continue;
		name = entry->name;
		count++;
	}
	if (count != 1)
		return projReaderReport(project, HDI_RULE_HDZ_ARCHIVE, path,
					-EBADMSG,
					count ? "the archive contains several "
						".proj files"
					      : "the archive contains no .proj "
						"file");
	project->pub.file =
		hdIArenaPrintf(&project->arena, "%s/%s", path, name);
	return project->pub.file ? 0 : -ENOMEM;
}

/* Set the file that a path means. */
static int projReaderFindFile(struct hdIProjectData *project, const char *path)
{
	struct hdIArena *arena = &project->arena;
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return findInDirectory(project, path);
	if (endsWith(path, HD_ZIP_SUFFIX))
		return findInArchive(project, path);
	if (endsWith(path, ".proj") || hdFrameStem(path, ".stat") ||
	    hdFrameStem(path, ".trc") || hdFrameStem(path, ".rel"))
		project->pub.file = hdIArenaCopy(arena, path, strlen(path));
	else
		project->pub.file = hdIArenaPrintf(arena, "%s.proj", path);
	return project->pub.file ? 0 : -ENOMEM;
}

/* The path without extension, and the name in it. */
static int setPrefix(struct hdIProjectData *project)
{
	const char *file = project->pub.file;
	const char *end = strrchr(file, '.');
	const char *slash;
	char *prefix;

	if (hdFrameIsCompressed(file))
		end = memrchr(file, '.', (size_t)(end - file));
	prefix = hdIArenaCopy(&project->arena, file, (size_t)(end - file));
	if (!prefix)
		return -ENOMEM;
	slash = strrchr(prefix, '/');
	project->pub.prefix = prefix;
	project->pub.name = slash ? slash + 1 : prefix;
	return hdITopologyInit(project, project->pub.name);
}

/* Whether there is a .proj, or it must be there. */
static int projReaderHasFile(const struct hdIProjectData *project)
{
	return !project->isFileOptional ||
	       access(project->pub.file, F_OK) == 0 || errno != ENOENT;
}

static int projReaderReadProject(struct hdIProjectData *project)
{
	const hdIProject *pub = &project->pub;
	size_t fileCount;
	int hasFile = projReaderHasFile(project);
	int error = hasFile ? hdIProjXmlRead(project, pub->file) : 0;
	int ret;

	if (error && error != -EBADMSG)
		return error;
	ret = hdIFilesFind(project, &fileCount);
	if (ret < 0)
		return ret;
	if (fileCount == 0 && !project->root->firstChild) {
		if (!hasFile)
			return projReaderReport(project, HDI_RULE_FILE_OPEN,
						pub->file, -ENOENT,
						strerror(ENOENT));
		if (!error)
			projReaderReport(project, HDI_RULE_PROJ_TOPOLOGY,
					 pub->file, 0,
					 "topology and files are missing");
		return -EBADMSG;
	}
	return 0;
}

/* A single file must at least be there. */
static int readOne(struct hdIProjectData *project)
{
	const char *file = project->pub.file;
	struct hdIFile *input;
	int ret = hdIFileOpen(file, &project->sink, &input);

	if (ret < 0)
		return ret;
	hdIFileClose(input);
	return hdIFilesUseOne(project, file);
}

static int projReaderOpenFile(struct hdIProjectData *project, const char *path)
{
	int ret = projReaderFindFile(project, path);

	if (ret == 0)
		ret = setPrefix(project);
	if (ret < 0)
		return ret;
	if (endsWith(project->pub.file, ".proj"))
		ret = projReaderReadProject(project);
	else
		ret = readOne(project);
	return ret < 0 ? ret : hdITopologyFinish(project);
}

static hdIProject *projReaderOpen(const char *path, int isFileOptional,
				  hdIMessageHandler handler, void *data)
{
	struct hdIProjectData *project;
	int ret;

	if (!path || !*path) {
		errno = EINVAL;
		return NULL;
	}
	project = calloc(1, sizeof(*project));
	if (!project)
		return NULL;
	project->sink.handler = handler;
	project->sink.data = data;
	project->pub.description = "";
	project->isFileOptional = isFileOptional;
	ret = projReaderOpenFile(project, path);
	if (ret < 0) {
		hdI_closeProject(&project->pub);
		errno = -ret;
		return NULL;
	}
	return &project->pub;
}

hdIProject *hdI_openProject(const char *path, hdIMessageHandler handler,
			    void *data)
{
	return projReaderOpen(path, 0, handler, data);
}

hdIProject *hdI_openFiles(const char *path, hdIMessageHandler handler,
			  void *data)
{
	return projReaderOpen(path, 1, handler, data);
}

void hdI_closeProject(hdIProject *project)
{
	struct hdIProjectData *data = (struct hdIProjectData *)project;

	if (!data)
		return;
	hdIArchiveFree(data->archive);
	hdMapClear(&data->nodes);
	hdIArenaFree(&data->arena);
	free(data);
}
