/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations inside the library.
 */
#ifndef HD_SRC_RELATION_H
#define HD_SRC_RELATION_H

#include <stdbool.h>
#include <stdint.h>

#include <hdRelation.h>
#include "HDTraceWritingCLibrary/src/relation/relring.h"

/** Id and flags of a W3C trace. */
struct hdRelTrace {
	unsigned char id[16];
	unsigned char flags;
};

/** Attributes that states got while they were open: a stack of texts. */
struct hdRelPending {
	struct hdText text;
	uint32_t depth; /**< States that the stack has places for. */
	struct hdRelPlace {
		size_t start;
		uint32_t count;
	} places[];
};

/** A relation. */
struct _hdR_token {
	hdR_topoToken node;
	uint64_t epoch; /**< Of the node. */
	uint64_t id;
	int64_t start;       /**< timeAdjustment of the node. */
	int64_t last;        /**< Its last time. */
	uint64_t ringSerial; /**< Where its last record is. */
	size_t ringEnd;
	uint32_t depth;   /**< Open states. */
	uint32_t skipped; /**< The innermost of them that are not recorded. */
	bool isLost;      /**< It was not recorded itself. */
	bool hasTrace;    /**< It belongs to a trace that was received. */
	bool isEnded;     /**< But its token is kept. */
	uint32_t number;  /**< Of the node. */
	/** Its topmost ancestor in this process. */
	uint32_t rootNumber;
	uint64_t rootId;
	const struct hdRelIdentity *identity;
	const struct hdRelIdentity *rootIdentity;
	struct hdRelPending *pending;
	struct hdRelTrace trace;
};

/** A token as text, taken apart. */
struct hdRelTokenText {
	const char *host; /**< NULL: none. */
	size_t hostLength;
	const char *rest; /**< PID:TOPOLOGY:ID. */
	size_t restLength;
	bool hasTrace;
	struct hdRelTrace trace;
};

/** Room for a trace id and flags as text, with a '\0'. */
#define REL_TRACE_SIZE 36
/** Room for the id of a span as text, with a '\0'. */
#define REL_SPAN_SIZE 17

/** Take the text of a token apart; false if it is not one. */
bool hdRelTokenParse(const char *text, bool isRemote,
		     struct hdRelTokenText *parts);

/** Take a traceparent apart: trace, and the parent's span as text. */
bool hdRelTraceparentParse(const char *text, struct hdRelTrace *trace,
			   char span[REL_SPAN_SIZE]);

/** Put a trace as text: id, '-', flags. */
void hdRelTracePut(const struct hdRelTrace *trace, char text[REL_TRACE_SIZE]);

#endif
