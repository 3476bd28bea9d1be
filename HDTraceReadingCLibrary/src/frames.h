/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The frames of a compressed file: where they are, and what is in them.
 */
#ifndef HDI_FRAMES_H
#define HDI_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hdIFrames;

/** Room for the reason of a problem. */
#define HDI_FRAMES_WHY 256

/**
 * Reads bytes at an offset of the file, or fewer where it ends.
 *
 * @return Number of bytes, or a negative errno value.
 */
typedef ssize_t (*hdIFramesReader)(void *data, int64_t offset, void *buffer,
				   size_t size);

/**
 * Find the frames of a file: by its seek table, or else by their headers.
 *
 * @param reader Reads the file.
 * @param data Passed to @p reader.
 * @param size Bytes of the file.
 * @param[out] frames To be freed with hdIFramesFree().
 *
 * @retval 0 The frames that are complete were found.
 * @retval -errno Error of @p reader, or -ENOMEM.
 */
int hdIFramesOpen(hdIFramesReader reader, void *data, int64_t size,
		  struct hdIFrames **frames);

void hdIFramesFree(struct hdIFrames *frames);

/** Plain bytes of all frames that were found. */
int64_t hdIFramesSize(const struct hdIFrames *frames);

/**
 * Get the plain bytes of the frame at an offset in the plain file.
 *
 * @param[out] bytes The bytes from the offset on, valid until the next call.
 * @param[out] why Why not; HDI_FRAMES_WHY bytes.
 *
 * @retval >0 Number of bytes.
 * @retval 0 The file ends there.
 * @retval -EBADMSG The frame is damaged, or exceeds a limit.
 * @retval -errno Error of the reader, or -ENOMEM.
 */
ssize_t hdIFramesGet(struct hdIFrames *frames, int64_t offset,
		     const char **bytes, char *why);

/** Number of frames that were found. */
size_t hdIFramesCount(const struct hdIFrames *frames);

/** Where a frame begins in the plain file; behind the last one, where that
 *  ends. */
int64_t hdIFramesStart(const struct hdIFrames *frames, size_t index);

/** Where the frame that contains an offset of the plain file begins, in the
 *  compressed file. */
int64_t hdIFramesPlace(const struct hdIFrames *frames, int64_t offset);

/** Where the frame that contains an offset ends, in the plain file. */
int64_t hdIFramesEnd(const struct hdIFrames *frames, int64_t offset);

/**
 * Get the index of a trace, which is behind its last frame.
 *
 * @param[out] bytes Its content, to be freed with free().
 * @param[out] size Bytes of it.
 * @param[out] why As of hdIFramesGet().
 *
 * @retval 1 It was read; its checksum is right.
 * @retval 0 There is none.
 * @retval -EBADMSG It is damaged, or exceeds a limit.
 * @retval -errno Error of the reader, or -ENOMEM.
 */
int hdIFramesIndex(struct hdIFrames *frames, unsigned char **bytes,
		   size_t *size, char *why);

/** What follows the last complete frame. */
struct hdIFramesRest {
	int64_t at;      /**< Its offset in the compressed file. */
	int64_t size;    /**< Bytes; 0 if there is nothing. */
	const char *why; /**< What is wrong with it; NULL: it is cut. */
};

struct hdIFramesRest hdIFramesRest(const struct hdIFrames *frames);

#endif
