/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A .rel file while it is read.
 */
#ifndef HDI_RELATIONREADER_H
#define HDI_RELATIONREADER_H

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/arena.h"
#include "HDTraceReadingCLibrary/src/trace/trace.h"
#include "common/hashmap/hashmap.h"

struct hdIOpenRelation;

struct hdIRelationReader {
	struct hdITraceReader *xml;
	hdIRelationRecord record;
	hdIRelationOwner owner;
	int hasOwner;
	/* Relations that are open, by id, and in the order of their begin. */
	struct hdMap open;
	struct hdIOpenRelation *first;
	struct hdIOpenRelation *last;
	struct hdIOpenRelation *delivered; /* To be used again. */
	struct hdIOpenRelation *unused;
	int isOver;
	int error;
};

/** Read the next element: 1, 0 or a negative errno value. */
int hdIRelationNext(struct hdIRelationReader *reader);

/** Free what is open. */
void hdIRelationsForget(struct hdIRelationReader *reader);

#endif
