/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info --sizes: what takes most bytes, and which options would save
 * some.
 */
#ifndef HD_INFO_SIZES_H
#define HD_INFO_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "HDTraceTools/info/content.h"

struct sizes;

struct sizes *sizesNew(void);
void sizesFree(struct sizes *self);

/** Count a state or an event. */
void sizesAddRecord(struct sizes *self, const hdIRecord *record);

/** Count an element of relations. */
void sizesAddElement(struct sizes *self, const hdIRelationRecord *record);

/** A file was read: of statistics, which have a group; else NULL. */
void sizesAddFile(struct sizes *self, const struct content *content,
		  const hdIGroup *group);

void sizesPrintText(const struct sizes *self, const struct tool *tool);
void sizesPrintJson(const struct sizes *self, struct outJson *json);

#endif
