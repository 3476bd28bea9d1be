/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Opening and reading regular files. Files whose names end with .zst are
 * decompressed: offsets and sizes are those of the plain file.
 */
#ifndef HDI_FILE_H
#define HDI_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "HDTraceReadingCLibrary/src/diagnostic.h"

/** Opens a file for reading; tests and fuzzers replace it. */
extern int (*hdIFileOpener)(const char *path);

/** Reads like read(); tests replace it. */
extern ssize_t (*hdIFileReader)(int fd, void *buffer, size_t size);

struct hdIFile;
struct hdTracePart;

/**
 * Open a regular file. Problems are reported, but for -ENOMEM.
 *
 * @param path Path of the file; it must remain valid.
 * @param sink Receives diagnostics of this call and of hdIFileRead().
 * @param[out] file To be closed with hdIFileClose().
 *
 * @retval 0 It is open.
 * @retval -errno Error; -EINVAL means that it is not a regular file.
 */
int hdIFileOpen(const char *path, const struct hdISink *sink,
		struct hdIFile **file);

/** Bytes of the plain file. */
int64_t hdIFileSize(const struct hdIFile *file);

/**
 * Read until the buffer is full, the file ends, or an error occurs, which is
 * reported.
 *
 * @retval >0 Number of bytes; if there are fewer than asked for, the next call
 *         tells why.
 * @retval 0 End of the file.
 * @retval -errno Error; -EBADMSG: a compressed frame is damaged.
 */
ssize_t hdIFileRead(struct hdIFile *file, void *buffer, size_t size);

/** Continue reading at an offset. Returns 0 or a negative errno value. */
int hdIFileSeek(struct hdIFile *file, int64_t offset);

/**
 * Continue behind the damaged frame at which reading failed.
 *
 * @return The offset, or -1: nothing follows.
 */
int64_t hdIFileSkip(struct hdIFile *file);

/** Number of frames of a compressed file; 0 if the file is plain. */
size_t hdIFileFrameCount(const struct hdIFile *file);

/** Where a frame begins in the plain file; behind the last one, where that
 *  ends. */
int64_t hdIFileFrameStart(const struct hdIFile *file, size_t index);

/**
 * Read the index of a compressed trace: what each frame holds. Problems are
 * reported.
 *
 * @param[out] parts One for each frame, to be freed with free().
 *
 * @retval 1 It was read, and is valid.
 * @retval 0 There is none that can be used.
 * @retval -ENOMEM No memory.
 */
int hdIFileReadIndex(struct hdIFile *file, struct hdTracePart **parts);

/** Report that the index describes a frame wrongly. */
void hdIFileReportIndex(struct hdIFile *file, size_t frame, const char *why);

/** Whether problems are not reported: to look ahead, before going back. */
void hdIFileSilence(struct hdIFile *file, int isSilent);

/** Close a file; NULL does nothing. */
void hdIFileClose(struct hdIFile *file);

#endif
