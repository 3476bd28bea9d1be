/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and reading regular files; see file.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/archive.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/frames.h"
#include "common/format/frame.h"
#include "common/format/traceindex.h"
#include "common/format/zstd.h"

struct hdIFile {
	const char *path;
	struct hdISink sink;
	int fd;
	int64_t start;  /* Of an entry of an archive. */
	int64_t stored; /* Bytes of the file, or of the entry. */
	int64_t size;   /* The same of the plain file. */
	int64_t position;
	struct hdIFrames *frames; /* NULL: the file is plain. */
	int wasRestReported;
	int isSilent;
	int isEntry;    /* Of an archive. */
	uint32_t crc;   /* Of an entry: what it should be, ... */
	uint32_t found; /* ... and that of the bytes that were read, ... */
	int64_t summed; /* ... from its beginning on. */
	char *own;      /* The path, if a program opened the file. */
};

static int openReadOnly(const char *path)
{
	/* O_NONBLOCK: a pipe in the directory must not hold us up. */
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int (*hdIFileOpener)(const char *path) = openReadOnly;
ssize_t (*hdIFileReader)(int fd, void *buffer, size_t size) = read;

/* ---- Bytes of the file ------------------------------------------------- */

static ssize_t fileReadBytes(int fd, void *buffer, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n =
			hdIFileReader(fd, (char *)buffer + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && done == 0)
			return -errno;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static ssize_t fileReadAt(void *data, int64_t offset, void *buffer, size_t size)
{
	const struct hdIFile *file = data;

	if (offset >= file->stored)
		return 0;
	if ((int64_t)size > file->stored - offset)
		size = (size_t)(file->stored - offset);
	if (lseek(file->fd, (off_t)(file->start + offset), SEEK_SET) < 0)
		return -errno;
	return fileReadBytes(file->fd, buffer, size);
}

/* ---- Compressed files -------------------------------------------------- */

static int fileOpenFrames(struct hdIFile *file)
{
	const char *missing = hdZstdMissing();
	int ret;

	if (missing) {
		hdIReport(&file->sink, HDI_RULE_FILE_OPEN, file->path, -1, 0,
			  "compressed, and %s", missing);
		return -ENOTSUP;
	}
	ret = hdIFramesOpen(fileReadAt, file, file->size, &file->frames);
	if (ret == 0)
		file->size = hdIFramesSize(file->frames);
	else if (ret != -ENOMEM)
		hdIReport(&file->sink, HDI_RULE_FILE_READ, file->path, 0, 0,
			  "%s", strerror(-ret));
	return ret;
}

/* Say what follows the last frame that is complete. */
static int fileReportRest(struct hdIFile *file)
{
	struct hdIFramesRest rest = hdIFramesRest(file->frames);

	if (rest.size == 0 || file->wasRestReported || file->isSilent)
		return 0;
	file->wasRestReported = 1;
	if (!rest.why) {
		hdIReport(&file->sink, HDI_RULE_ZST_CUT, file->path, file->size,
			  0,
			  "the last frame, at byte %" PRId64
			  " of the compressed file, is cut: %" PRId64
			  " bytes are left over",
			  rest.at, rest.size);
		return 0;
	}
	hdIReport(&file->sink, HDI_RULE_ZST_FRAME, file->path, file->size, 0,
		  "the frame at byte %" PRId64
		  " of the compressed file: %s; %" PRId64
		  " bytes from there on cannot be read",
		  rest.at, rest.why, rest.size);
	return -EBADMSG;
}

static ssize_t fileReadFrames(struct hdIFile *file, void *buffer, size_t size)
{
	char why[HDI_FRAMES_WHY] = "";
	size_t done = 0;

	while (done < size) {
		const char *bytes;
		ssize_t n =
			hdIFramesGet(file->frames, file->position, &bytes, why);

		if (n < 0 && done == 0 && n != -ENOMEM && !file->isSilent)
			hdIReport(&file->sink,
				  n == -EBADMSG ? HDI_RULE_ZST_FRAME
						: HDI_RULE_FILE_READ,
				  file->path, file->position, 0,
				  "the frame at byte %" PRId64
				  " of the compressed file: %s",
				  hdIFramesPlace(file->frames, file->position),
				  *why ? why : strerror((int)-n));
		if (n == 0 && done == 0)
			n = fileReportRest(file);
		if (n < 0 && done == 0)
			return n;
		if (n <= 0)
			break;
		if ((size_t)n > size - done)
			n = (ssize_t)(size - done);
		memcpy((char *)buffer + done, bytes, (size_t)n);
		file->position += n;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int64_t hdIFileSkip(struct hdIFile *file)
{
	int64_t end;

	if (!file->frames)
		return -1;
	end = hdIFramesEnd(file->frames, file->position);
	if (end <= file->position)
		return -1;
	file->position = end;
	return end;
}

size_t hdIFileFrameCount(const struct hdIFile *file)
{
	return file->frames ? hdIFramesCount(file->frames) : 0;
}

int64_t hdIFileFrameStart(const struct hdIFile *file, size_t index)
{
	return hdIFramesStart(file->frames, index);
}

/* Whether the seek table and the index have the same sizes. The header, which
 * is in the first frame, may have been rewritten. */
static int fileIndexHasSizes(const struct hdIFile *file,
			     const struct hdTracePart *parts, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (hdIFramesStart(file->frames, i + 1) -
			    hdIFramesStart(file->frames, i) !=
		    parts[i].plain)
			return 0;
	return 1;
}

/* Report that an index is not used. */
static void fileReportIndex(struct hdIFile *file, const char *why)
{
	if (file->isSilent)
		return;
	hdIReport(&file->sink, HDI_RULE_ZST_INDEX, file->path, file->size, 0,
		  "the index at byte %" PRId64
		  " of the compressed file: %s; it is not used",
		  hdIFramesPlace(file->frames, file->size), why);
}

/* Read the parts of an index: 0, or a negative errno value. */
static int fileReadParts(struct hdIFile *file, const unsigned char *bytes,
			 size_t size, struct hdTracePart **result,
			 const char **wrong)
{
	size_t count = hdIFileFrameCount(file);
	struct hdTracePart *parts;
	int ret;

	parts = malloc(count * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	ret = hdTraceIndexRead(bytes, size, parts, count, wrong);
	if (ret == 0 && !fileIndexHasSizes(file, parts, count)) {
		*wrong = "it describes other frames";
		ret = -EBADMSG;
	}
	if (ret == 0)
		*result = parts;
	else
		free(parts);
	return ret;
}

int hdIFileReadIndex(struct hdIFile *file, struct hdTracePart **result)
{
	char why[HDI_FRAMES_WHY] = "";
	unsigned char *bytes = NULL;
	const char *wrong = why;
	size_t size;
	int ret;

	if (hdIFileFrameCount(file) == 0)
		return 0;
	ret = hdIFramesIndex(file->frames, &bytes, &size, why);
	if (ret == 0)
		return 0;
	if (ret < 0 && ret != -ENOMEM && !*why)
		wrong = strerror(-ret);
	if (ret == 1)
		ret = fileReadParts(file, bytes, size, result, &wrong);
	free(bytes);
	if (ret < 0 && ret != -ENOMEM && ret != -ENOTSUP)
		fileReportIndex(file, wrong);
	return ret == 0 ? 1 : ret == -ENOMEM ? ret : 0;
}

void hdIFileReportIndex(struct hdIFile *file, size_t frame, const char *why)
{
	int64_t start = hdIFramesStart(file->frames, frame);

	hdIReport(&file->sink, HDI_RULE_ZST_INDEX, file->path, start, 0,
		  "the index describes the frame at byte %" PRId64
		  " of the compressed file wrongly: %s; data may be missing",
		  hdIFramesPlace(file->frames, start), why);
}

void hdIFileSilence(struct hdIFile *file, int isSilent)
{
	file->isSilent = isSilent;
}

/* ---- Files ------------------------------------------------------------- */

/* Open the descriptor. */
static int fileOpenPlain(struct hdIFile *file, const char *path)
{
	struct stat status;

	do {
		file->fd = hdIFileOpener(path);
	} while (file->fd < 0 && errno == EINTR);
	/* ENXIO: a socket, or a device that is not there. */
	if (file->fd < 0)
		return errno == ENXIO ? -EINVAL : -errno;
	if (fstat(file->fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	file->stored = status.st_size;
	file->size = file->stored;
	return 0;
}

/* Open an entry of an archive; other problems than those of plain files are
 * reported. */
static int fileOpenEntry(struct hdIFile *file, size_t length)
{
	char why[HDI_ARCHIVE_WHY] = "";
	struct hdIArchiveEntry entry;
	char *path = strndup(file->path, length);
	int ret;

	if (!path)
		return -ENOMEM;
	file->isEntry = 1;
	ret = fileOpenPlain(file, path);
	free(path);
	if (ret == 0)
		ret = hdIArchiveLookUp(file->fd, file->path + length + 1,
				       &entry, why);
	if (ret == -EBADMSG)
		hdIReport(&file->sink, HDI_RULE_HDZ_ARCHIVE, file->path, -1, 0,
			  "%s", why);
	if (ret == 0 && lseek(file->fd, (off_t)entry.offset, SEEK_SET) < 0)
		ret = -errno;
	if (ret < 0)
		return ret;
	file->crc = entry.crc;
	file->start = entry.offset;
	file->stored = entry.size;
	file->size = entry.size;
	return 0;
}

/* Open what a path means. */
static int fileOpen(struct hdIFile *file)
{
	size_t length = hdIArchivePath(file->path);

	return length > 0 && file->path[length]
		       ? fileOpenEntry(file, length)
		       : fileOpenPlain(file, file->path);
}

int hdIFileOpen(const char *path, const struct hdISink *sink,
		struct hdIFile **result)
{
	struct hdIFile *file = calloc(1, sizeof(*file));
	int ret;

	if (!file)
		return -ENOMEM;
	file->path = path;
	file->sink = *sink;
	file->fd = -1;
	ret = fileOpen(file);
	if (ret < 0 && ret != -ENOMEM && ret != -EBADMSG)
		hdIReport(sink, HDI_RULE_FILE_OPEN, path, -1, 0, "%s",
			  ret == -EINVAL ? "not a plain file" : strerror(-ret));
	if (ret == 0 && hdFrameIsCompressed(path))
		ret = fileOpenFrames(file);
	if (ret < 0) {
		hdIFileClose(file);
		return ret;
	}
	*result = file;
	return 0;
}

int64_t hdIFileSize(const struct hdIFile *file)
{
	return file->size;
}

/* Check the sum of an entry that is read from its beginning to its end. Frames
 * have checksums of their own. */
static void fileAddToSum(struct hdIFile *file, const void *bytes, size_t size)
{
	if (!file->isEntry || file->summed != file->position)
		return;
	file->found = hdIArchiveChecksum(file->found, bytes, size);
	file->summed += (int64_t)size;
	if (file->summed == file->size && file->found != file->crc)
		hdIReport(&file->sink, HDI_RULE_HDZ_ARCHIVE, file->path, -1, 0,
			  "the checksum of the entry is wrong");
}

ssize_t hdIFileRead(struct hdIFile *file, void *buffer, size_t size)
{
	ssize_t n;

	if (file->frames)
		return fileReadFrames(file, buffer, size);
	/* A plain file may grow meanwhile, an entry ends. */
	if (file->isEntry && (int64_t)size > file->size - file->position)
		size = file->position < file->size
			       ? (size_t)(file->size - file->position)
			       : 0;
	n = fileReadBytes(file->fd, buffer, size);
	if (n < 0) {
		hdIReport(&file->sink, HDI_RULE_FILE_READ, file->path,
			  file->position, 0, "%s", strerror((int)-n));
	} else if (n > 0) {
		fileAddToSum(file, buffer, (size_t)n);
		file->position += n;
	}
	return n;
}

int hdIFileSeek(struct hdIFile *file, int64_t offset)
{
	if (!file->frames &&
	    lseek(file->fd, (off_t)(file->start + offset), SEEK_SET) < 0)
		return -errno;
	file->position = offset;
	return 0;
}

void hdIFileClose(struct hdIFile *file)
{
	if (!file)
		return;
	hdIFramesFree(file->frames);
	if (file->fd >= 0)
		close(file->fd);
	free(file->own);
	free(file);
}

/* ---- For programs ------------------------------------------------------ */

hdIFile *hdI_openFile(const char *path, hdIMessageHandler handler, void *data)
{
	const struct hdISink sink = { handler, data };
	struct hdIFile *file;
	char *own = path ? strdup(path) : NULL;
	int ret = path ? -ENOMEM : -EINVAL;

	if (own)
		ret = hdIFileOpen(own, &sink, &file);
	if (ret < 0) {
		free(own);
		errno = -ret;
		return NULL;
	}
	file->own = own;
	return file;
}

int64_t hdI_getFileSize(const hdIFile *file)
{
	return file->size;
}

ssize_t hdI_readFile(hdIFile *file, int64_t offset, void *buffer, size_t size)
{
	ssize_t n = 0;
	int ret = offset < 0 ? -EINVAL : 0;

	if (ret == 0 && offset != file->position)
		ret = hdIFileSeek(file, offset);
	if (ret == 0)
		n = hdIFileRead(file, buffer, size);
	if (ret == 0 && n >= 0)
		return n;
	errno = ret < 0 ? -ret : (int)-n;
	return -1;
}

void hdI_closeFile(hdIFile *file)
{
	hdIFileClose(file);
}
