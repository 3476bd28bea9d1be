/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a reader of tags, for its own files; see tracexml.h. */
#ifndef HDI_TRACEXMLSTATE_H
#define HDI_TRACEXMLSTATE_H

#include <libxml/parserInternals.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/trace/tracexml.h"

#define HDI_NO_TAG SIZE_MAX
#define HDI_KNOWN_NAMES 64 /* A power of two. */

/* A name of which it is known how the parser has it. */
struct hdIKnownName {
	const char *name;
	size_t length;
};

/* An element that began with a plain tag, of which the parser knows nothing. */
struct hdIPlainOpen {
	const char *name;
	int line;
};

struct hdITraceXml {
	xmlParserCtxtPtr parser; /* First: see refuseDoctype() in xml.c. */
	xmlSAXHandler handler;
	struct hdIXmlError error;
	struct hdIFile *file;
	int readError;
	int isEnd;
	int64_t size;  /* Bytes read. */
	int64_t limit; /* No more than so many are to be. */
	int64_t lines; /* Line feeds since the limit was set, or -1. */
	char *tape;
	size_t room;
	size_t filled;
	size_t taken;
	size_t lastStart; /* Tag that is a leaf if its end follows. */
	char *piece;      /* What is read at once, and a zero byte. */
	size_t pieceSize;
	int isPlain;     /* Whether plain tags are taken without the parser. */
	size_t stride;   /* So much of what follows is not. */
	int isReplaying; /* Whether the parser is told what was taken. */
	struct hdIPlainOpen open[HDI_NESTING_MAX];
	int openCount;
	struct hdIKnownName names[HDI_KNOWN_NAMES];
};

/* Add a tag of a size to the tape; NULL: no memory, which was noted. */
struct hdITag *hdITraceXmlExtend(struct hdITraceXml *xml, size_t size);

/* Go on behind a damaged frame, which was reported: 0, or the error. */
int hdITraceXmlSkipFrame(struct hdITraceXml *xml, int error);

#endif
