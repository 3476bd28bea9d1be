/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to ctf: what its parts share.
 */
#ifndef HD_EXPORT_CTF_H
#define HD_EXPORT_CTF_H

#include <stdio.h>

#include "HDTraceTools/export/export.h"

struct ctf {
	struct export *export;
	const struct export *begun; /**< As it was before the first part. */
	GString *metadata;
	GString *environment; /**< Lines of env. */
	uint32_t streams;
	/** Attributes of a record, gathered to be counted. */
	GByteArray *attributes;
	uint32_t attributeCount;
	int error; /**< -1 of a file; it was said. */
};

/** Write a number, the highest byte first. */
void ctfPutNumber(FILE *file, uint64_t value, int bytes);
/** Write a text, and its end. */
void ctfPutText(FILE *file, const char *text);
/** Start an event of the kind that has a number in its stream. */
void ctfPutStamp(FILE *file, unsigned int event, int64_t time);

/** Start a stream: header and context of its only packet; 0 or -1, which was
 *  said. @p path is the file that it is named as. */
int ctfStartStream(struct ctf *self, struct newFile *file, const hdINode *node,
		   const char *path);
/** Describe a stream, up to its events. */
void ctfDescribeStream(struct ctf *self);

/** Attributes, which have their count before them: gather, and write. */
void ctfClearAttributes(struct ctf *self);
void ctfAddAttribute(void *self, const char *key, const char *value);
void ctfPutAttributes(const struct ctf *self, FILE *file);

/** Write all relations that were asked for; 0 or -1, which was said. */
int ctfWriteRelations(struct ctf *self);

#endif
