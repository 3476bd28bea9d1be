/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Compressed files: what is drained of a file becomes zstd frames (doc/format).
 *
 * Records are collected until there are 256 KiB of them, which become a frame.
 * Those that are not enough for one are stored as they are, in frames of their
 * own, so that a process that is killed loses no more than with plain files;
 * the compressed frame then takes their place. The first record is the header:
 * it stays as it is, for it may be written over.
 *
 * Unless stated otherwise, functions are called with the file's I/O lock held.
 */
#ifndef HD_PACKER_H
#define HD_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hdOutfile;
struct hdPacker;

/** Compress a file, if HDTRACE_COMPRESS says so, before it is opened: its path
 *  gets another ending. 0 or -HD_ERR_MALLOC. No lock. */
int hdPackerStart(struct hdOutfile *file);

/** Free a packer; NULL does nothing. No lock. */
void hdPackerFree(struct hdPacker *packer);

/** Take what is between two places of the ring. */
void hdPackerDrain(struct hdOutfile *file, size_t at, size_t head);

/** Take records as of hdOutfileAppend(). */
void hdPackerAppend(struct hdOutfile *file, const char *bytes,
		    const size_t *ends, size_t count);

/** Take a part of a record that has no room in the ring: 0 or an errno value.
 */
int hdPackerAddPart(struct hdOutfile *file, const char *bytes, size_t size);

/** Such a record is complete. No lock. */
void hdPackerEndRecord(struct hdOutfile *file);

/** Write what was collected: 0 or an errno value. */
int hdPackerSave(struct hdOutfile *file);

/** Bytes of the file for a number of plain bytes, of which some are not
 *  compressed yet: as many as of those before, or an eighth. No lock. */
int64_t hdPackerExpect(const struct hdPacker *packer, int64_t size);

/** Whether something was collected so long ago that it must be written. */
bool hdPackerIsDue(const struct hdPacker *packer);

/** Write over bytes of the header, or of those that were collected: 0 or an
 *  errno value. */
int hdPackerOverwrite(struct hdOutfile *file, int64_t offset, const char *bytes,
		      size_t size);

/** The file cannot be written any more: end it behind its last complete frame.
 */
void hdPackerGiveUp(struct hdOutfile *file, int error);

/** Write the last frame and the seek table: 0 or -HD_ERR_WRITE_FILE. No lock.
 */
int hdPackerClose(struct hdOutfile *file);

/** In a child of fork(): the compressor may be in use. */
void hdPackerForget(void);

#endif
