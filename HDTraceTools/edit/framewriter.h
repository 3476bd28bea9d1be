/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing a plain file in compressed form: frames of whole records, and a seek
 * table.
 */
#ifndef HD_FRAMEWRITER_H
#define HD_FRAMEWRITER_H

#include <stdint.h>
#include <glib.h>

#include <hdReading.h>

/** Takes bytes of the compressed file; false: it could not. */
typedef bool frameSink(void *data, const char *bytes, size_t size);

/**
 * Compress a plain file.
 *
 * @param from The file; it may be compressed itself.
 * @param group Of statistics: the layout of their records; else NULL.
 * @param trace Of a trace: its file, which is read once more for an index; else
 *        NULL.
 * @param level As of zstd.
 * @param sink Takes what is made.
 *
 * @return 0 or a negative errno; -EBADMSG: it is damaged, which was reported to
 *         the handler of @p from; -EIO: the sink failed.
 */
int frameWriterRun(hdIFile *from, const hdIGroup *group, const char *trace,
		   int level, frameSink *sink, void *data);

#endif
