/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A .trc file while it is read: the elements that are open.
 */
#ifndef HDI_TRACE_H
#define HDI_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/arena.h"
#include "HDTraceReadingCLibrary/src/diagnostic.h"
#include "HDTraceReadingCLibrary/src/trace/tracexml.h"

/** What an open element is. */
enum hdIFrameKind {
	HDI_FRAME_PROGRAM,
	HDI_FRAME_NESTED,
	HDI_FRAME_RECORD,
	HDI_FRAME_ELEMENT, /* In a record. */
};

/** An element whose end has not come. */
struct hdIFrame {
	enum hdIFrameKind kind;
	const char *name;
	int64_t offset;
	int64_t line;
	hdIAttribute *attributes;
	size_t attributeCount;
	struct hdIArenaMark mark; /* Memory to give back at its end. */
	size_t textStart;         /* Its part of the texts. */
	size_t elementStart;      /* Its part of the elements. */
	/* Of Program and Nested: */
	int hasRecords;
	int64_t pending; /* Nested block that waits for its owner, or -1. */
	int64_t pendingLine;
};

struct hdITraceReader;

/** What tells traces from relations: names, rules, and what a record is. */
struct hdITraceDialect {
	const char *root;
	int hasNested;
	enum hdIRuleId xml, wrongRoot, adjustment, cut, noEnd;
	/** As hdITraceFill(). */
	int (*fill)(struct hdITraceReader *reader, hdIRecord *record,
		    hdIAttribute *attributes, size_t count, int64_t line);
	void *data; /**< Of that. */
};

struct hdITraceWindow;
struct hdITraceNeeds;

/** Sees each tag before it is taken. */
struct hdITraceObserver {
	void (*see)(void *data, const struct hdITag *tag);
	void *data;
};

struct hdITraceReader {
	struct hdITraceDialect dialect;
	struct hdITraceObserver observer;
	/** Frames that are left out; NULL: all are read. */
	struct hdITraceWindow *window;
	struct hdISink sink;
	const char *file;
	struct hdIFile *input;
	struct hdITraceXml *xml;
	/* Names as the parser has them, so that addresses can be compared. */
	const char *nameTime;
	const char *nameEnd;
	const char *nameName;
	const char *nameNested;
	const char *nameEvent;
	int isOver;
	int error;
	int hasRoot;
	int isRootClosed;
	int hasRecords; /* One was delivered. */
	int64_t adjustment;
	const hdIAttribute *rootAttributes;
	size_t rootAttributeCount;
	/* Open elements, and beside them what they are made of. All of it
	 * grows and shrinks at the end. */
	struct hdIFrame *frames;
	size_t frameCount;
	size_t frameRoom;
	struct hdIArena arena;
	char *texts;
	size_t textSize;
	size_t textRoom;
	hdIElement *elements;
	size_t elementCount;
	size_t elementRoom;
	unsigned int depth;
	/* Memory of the last record, to give back at the next call. */
	int hasMark;
	struct hdIArenaMark mark;
	hdIRecord record;
};

/** The dialect of traces. */
extern const struct hdITraceDialect hdITraceDialectTrace;

/** The innermost open element. */
static inline struct hdIFrame *hdITraceTop(struct hdITraceReader *reader)
{
	return &reader->frames[reader->frameCount - 1];
}

/* ---- recordbuild.c: what records are made of --------------------------- */

/** Make room for one more item; returns the array, or NULL: no memory. */
void *hdITraceGrow(void *array, size_t count, size_t *room, size_t size);

/** Add a text to the innermost element. Returns 0 or -ENOMEM. */
int hdITraceAddText(struct hdITraceReader *reader, const char *text);

/** Copy attributes from the tape. Returns 0 or -ENOMEM. */
int hdITraceCopyAttributes(struct hdITraceReader *reader,
			   struct hdIFrame *frame, const struct hdITag *tag);

/** An element in a record ends. Returns 0 or -ENOMEM. */
int hdITraceEndElement(struct hdITraceReader *reader,
		       const struct hdIFrame *frame);

/**
 * Turn attributes into times and the name, and keep the others.
 *
 * @retval 1 It is a record.
 * @retval 0 It has to be left out, which was reported.
 */
int hdITraceFill(struct hdITraceReader *reader, hdIRecord *record,
		 hdIAttribute *attributes, size_t count, int64_t line);

/**
 * Open a file.
 *
 * @return The reader, or NULL: errno is set.
 */
struct hdITraceReader *hdITraceOpen(const struct hdITraceDialect *dialect,
				    const char *file, hdIMessageHandler handler,
				    void *data);

/** Read up to the next record: 1, the end: 0, or a negative errno value. */
int hdITraceNext(struct hdITraceReader *reader);

/** Read the root element, if that was not done: whether there is one. */
int hdITraceReadRoot(struct hdITraceReader *reader);

/* ---- window.c: leaving out what is not wanted ------------------------- */

/** Free it; NULL does nothing. */
void hdITraceWindowFree(struct hdITraceWindow *window);

/** Before a tag is read: whether to go on elsewhere. 0 or a negative errno
 *  value. */
int hdITraceWindowStep(struct hdITraceReader *reader);

/** A record was read. */
void hdITraceWindowAdd(struct hdITraceReader *reader);

/** A part of the file was lost: nothing is left out from here on. */
void hdITraceWindowLose(struct hdITraceReader *reader);

/* ---- needs.c: what readers of later records need ----------------------- */

/** Create; NULL: no memory. */
struct hdITraceNeeds *hdITraceNeedsCreate(struct hdITraceXml *xml);

/** NULL does nothing. */
void hdITraceNeedsFree(struct hdITraceNeeds *needs);

/** Add the next record: whether readers of later ones need it. */
int hdITraceNeedsAdd(struct hdITraceNeeds *needs, const hdIRecord *record);

/** Whether there were more names than can be told apart. */
int hdITraceNeedsIsFull(const struct hdITraceNeeds *needs);

/** A record ends: like hdITraceFill(), or -ENOMEM. */
int hdITraceEndRecord(struct hdITraceReader *reader,
		      const struct hdIFrame *frame, int64_t endOffset);

#endif
