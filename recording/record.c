/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A statistics group of a node, from columns; see record.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdError.h>
#include "common/clock.h"
#include "common/tscclock.h"
#include "recording/record.h"

/* Less is no sleep. */
#define RECORD_SLEEP_NS (HD_NS_PER_S / 1000)

/* ---- Before there is a file -------------------------------------------- */

int hdRecordOpen(struct hdRecord *record, hdTopoNode *node, int level,
		 const char *name)
{
	/* Who writes the file has a clock of its own where libraries are
	 * shared; times are to be from the same. */
	hdTscClockFollow();
	record->group = hdS_createGroup(name, node, level);
	if (!record->group)
		return -1;
	hdS_setTimeBase(record->group, hdClockBase());
	record->sleptNs = hdClockSlept();
	return 0;
}

int hdRecordCanMiss(struct hdRecord *record)
{
	/* HD_CELL_MISSING. */
	return hdS_addAttribute(record->group, "missing",
				"-9223372036854775808");
}

static int recordAddType(struct hdRecord *record, hdStatsValueType type)
{
	hdStatsValueType *types = realloc(
		record->types, (record->count + 1) * sizeof(*record->types));

	if (!types) {
		errno = HD_ERR_MALLOC;
		return -1;
	}
	record->types = types;
	types[record->count++] = type;
	record->length += type == FLOAT ? sizeof(float) : sizeof(double);
	return 0;
}

static int recordSay(struct hdRecord *record, const char *key,
		     const char *value)
{
	return value ? hdS_addAttribute(record->group, key, value) : 0;
}

int hdRecordAddColumn(struct hdRecord *record,
		      const struct hdRecordColumn *column)
{
	int ret = recordAddType(record, column->type);

	if (ret == 0)
		ret = hdS_addValue(record->group, column->name, column->type,
				   column->unit, column->grouping);
	if (ret == 0)
		ret = recordSay(record, "kind",
				column->leavesKindOut
					? NULL
					: hdKindName(column->kind));
	if (ret == 0)
		ret = recordSay(record, "source", column->source);
	if (ret == 0)
		ret = recordSay(record, "resolution", column->resolution);
	if (ret == 0)
		ret = recordSay(record, "role", column->role);
	if (ret == 0)
		ret = recordSay(record, "part_of", column->partOf);
	if (ret == 0)
		ret = recordSay(record, "hardware", column->hardware);
	if (ret == 0)
		ret = recordSay(record, "simulated",
				column->isSimulated ? "yes" : NULL);
	return ret;
}

int hdRecordAddClock(struct hdRecord *record, char *const *labels, size_t depth,
		     const char *host)
{
	char path[1024], *at = path, *end = path + sizeof(path);

	for (size_t i = 0; i < depth && at < end; i++)
		at += snprintf(at, (size_t)(end - at), "%s_", labels[i]);
	if (at < end)
		at += snprintf(at, (size_t)(end - at), "%s", host);
	return at < end ? recordSay(record, "clockNode", path) : 0;
}

int hdRecordCommit(struct hdRecord *record)
{
	record->entry = malloc(record->length);
	if (!record->entry && record->length > 0) {
		errno = HD_ERR_MALLOC;
		return -1;
	}
	return hdS_commitGroup(record->group);
}

/* ---- Entries ----------------------------------------------------------- */

void hdRecordEnable(struct hdRecord *record, int64_t ns)
{
	struct timespec when = hdClockToTimespec(ns);

	hdS_disableGroup(record->group);
	hdS_enableGroupAt(record->group, &when);
	record->isEnabled = true;
	record->untilNs = ns;
}

/* While the machine slept nothing was measured: a gap. What comes next is of
 * the time before and after it, so it covers as much behind the gap. */
static void recordSleep(struct hdRecord *record, int64_t endNs)
{
	int64_t slept = hdClockSlept(), since = slept - record->sleptNs;
	int64_t from = record->untilNs + since;

	record->sleptNs = slept;
	if (since < RECORD_SLEEP_NS || !record->isEnabled)
		return;
	hdRecordEnable(record, from < endNs ? from : endNs);
	record->lastNs = record->lastNs > record->untilNs ? record->lastNs
							  : record->untilNs;
}

void hdRecordDisable(struct hdRecord *record)
{
	hdS_disableGroup(record->group);
	record->isEnabled = false;
}

void hdRecordGap(struct hdRecord *record)
{
	record->hasGap = true;
}

int hdRecordWrite(struct hdRecord *record, const union hdCell *cells,
		  int64_t endNs)
{
	struct timespec when = hdClockToTimespec(endNs);
	unsigned char *at = record->entry;

	recordSleep(record, endNs);
	record->untilNs = endNs;
	for (size_t i = 0; i < record->count; i++) {
		/* All members of a cell begin where it does. */
		if (record->types[i] == FLOAT) {
			memcpy(at, &cells[i], sizeof(float));
			order_bytes32fp(at);
			at += sizeof(float);
		} else {
			memcpy(at, &cells[i], sizeof(double));
			order_bytes64fp(at);
			at += sizeof(double);
		}
	}
	return hdS_writeEntryAt(record->group, record->entry, record->length,
				&when);
}

int hdRecordAdd(struct hdRecord *record, const union hdCell *cells,
		int64_t beginNs, int64_t endNs, bool isLost)
{
	bool isLater, isMissing;
	int ret;

	recordSleep(record, endNs);
	isLater = beginNs > record->lastNs;
	isMissing = record->hasGap || isLost || !record->isEnabled;
	record->beginNs = isMissing && isLater ? beginNs : record->lastNs;
	if (!record->isEnabled || record->beginNs > record->lastNs)
		hdRecordEnable(record, record->beginNs);
	record->hasGap = false;
	ret = hdRecordWrite(record, cells, endNs);
	if (endNs > record->lastNs)
		record->lastNs = endNs;
	return ret;
}

/* ---- The end ----------------------------------------------------------- */

int hdRecordClose(struct hdRecord *record)
{
	int ret = record->group ? hdS_finalize(record->group) : 0;

	free(record->types);
	free(record->entry);
	*record = (struct hdRecord){ 0 };
	return ret == 0 ? 0 : -1;
}

bool hdRecordIsSaid(int error)
{
	return error == HD_ERR_CREATE_FILE || error == HD_ERR_WRITE_FILE ||
	       error == HD_ERR_CLOSE_FILE;
}
