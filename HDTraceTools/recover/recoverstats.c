/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace recover: repairs files of statistics.
 */
#include "config.h"

#include <stdio.h>
#include <sys/stat.h>

#include "HDTraceTools/recover/recoverstats.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/recover/recover.h"
#include "cli/output.h"
#include "common/clock.h"
#include "common/format/entry.h"
#include "common/format/statheader.h"

/** Rules whose breaking can be repaired, by kind of file. */
static const char *const statHeaderRules[] = { "stat.length", "stat.header",
					       "stat.type", NULL };

static const char *const statRules[] = { "stat.no-start",
					 "stat.time-invalid",
					 "stat.time-decreases",
					 "stat.string",
					 "stat.cut-tail",
					 "zst.frame",
					 "zst.cut",
					 NULL };

/* ---- Statistics -------------------------------------------------------- */

static int64_t entryLength(const hdIGroup *group, const hdIBlock *block,
			   size_t entry)
{
	int64_t length = HD_STAMP_SIZE;

	if (group->entrySize)
		return (int64_t)group->entrySize;
	for (size_t i = 0; i < group->valueCount; i++) {
		length += (int64_t)columnBytes(group->values[i].type);
		if (group->values[i].type == HDI_STRING)
			length +=
				(int64_t)block->columns[i].string[entry].length;
	}
	return length;
}

/** Read a group to its end; tells where its last good record ends. */
static int64_t recoverReadGroup(struct recover *recover, const hdIGroup *group,
				bool *hasStart)
{
	hdIStatReader *reader = hdI_openStat(recover->project, group);
	const hdIBlock *block;
	int64_t end = group->dataOffset;
	int64_t start;

	*hasStart = false;
	if (!reader)
		return end;
	if (hdI_getStatStart(reader, &start) == 1) {
		*hasStart = true;
		end += 8;
	}
	while (hdI_readStat(reader, &block) == 1) {
		size_t last = block->count - 1;

		end = block->offset[last] + entryLength(group, block, last);
		toolProgressAt(recover->tool, end);
	}
	hdI_closeStat(reader);
	return end;
}

static void putStamp(FILE *file, int64_t ns)
{
	char stamp[HD_STAMP_SIZE];

	hdEntryPutStamp(stamp, CLAMP(ns, 0, HD_TIME_MAX));
	fwrite(stamp, 1, sizeof(stamp), file);
}

/** When a group without any time started: with the project, or at last. */
static int64_t recoverGuessStart(const struct recover *recover,
				 const hdIGroup *group)
{
	struct stat status;

	if (recover->hasStart)
		return recover->projectStart - group->timeAdjustment;
	if (stat(group->file, &status) != 0)
		return 0;
	return (int64_t)status.st_mtim.tv_sec * HD_NS_PER_S +
	       status.st_mtim.tv_nsec - group->timeAdjustment;
}

static int repairGroup(struct recover *recover, const hdIGroup *group,
		       int64_t end, bool hasStart, struct recovered *result)
{
	struct newFile new;
	int64_t length = hasStart ? end : group->dataOffset;
	int ret = recoverStartCopy(recover, group->file, &new);

	result->action = "repaired";
	result->bytesLost = group->fileSize - length;
	if (group->entrySize)
		result->recordsLost =
			(result->bytesLost + (int64_t)group->entrySize - 1) /
			(int64_t)group->entrySize;
	else
		result->recordsLost = -1;
	if (!hasStart)
		result->recordsLost = 0;
	if (ret < 0)
		return ret;
	ret = recoverCopyBytes(group->file, length, &new);
	/* A damaged frame ends it before. */
	if (ret == 0 && ftello(new.file) < length)
		result->bytesLost = group->fileSize - ftello(new.file);
	if (!hasStart)
		putStamp(new.file, recoverGuessStart(recover, group));
	return recoverEndCopy(recover, group->file, &new, ret);
}

/** Make the header of a group without values: 0 or negative. */
static int makeHeader(struct hdStatHeader *header, const hdIGroup *group)
{
	int depth = group->node ? group->node->level : 0;
	const char **labels = g_new(const char *, (gsize)depth + 1);
	int ret;

	for (const hdINode *node = group->node; node && node->level > 0;
	     node = node->parent)
		labels[node->level - 1] = node->label;
	ret = hdStatHeaderBegin(header, labels, depth, group->name);
	g_free(labels);
	return ret < 0 ? ret : hdStatHeaderEnd(header);
}

/** Write a group whose header is lost: there is nothing in it any more. */
static int rebuildGroup(struct recover *recover, const hdIGroup *group,
			struct recovered *result)
{
	struct hdStatHeader header = { 0 };
	struct newFile new;
	int ret = recoverStartCopy(recover, group->file, &new);

	result->action = "emptied";
	result->bytesLost = group->fileSize;
	result->recordsLost = -1;
	if (ret == 0) {
		ret = makeHeader(&header, group);
		if (ret == 0) {
			fwrite(header.text.bytes, 1, header.text.used,
			       new.file);
			putStamp(new.file, recoverGuessStart(recover, group));
		}
		ret = recoverEndCopy(recover, group->file, &new, ret);
	}
	hdTextClear(&header.text);
	return ret;
}

int recoverGroup(struct recover *recover, const hdIGroup *group,
		 struct recovered *result)
{
	bool hasStart;
	int64_t end;

	if (!group->isReadable) {
		if (recoverIsBroken(recover, group->file, statHeaderRules))
			return rebuildGroup(recover, group, result);
		result->action = "left out";
		result->bytesLost = group->fileSize;
		result->recordsLost = -1;
		return 0;
	}
	end = recoverReadGroup(recover, group, &hasStart);
	if (recoverIsBroken(recover, group->file, statRules))
		return repairGroup(recover, group, end, hasStart, result);
	return recoverCopyFile(recover, group->file, result);
}
