/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Traces: creation and settings.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <hdTrace.h>

#include "HDTraceWritingCLibrary/src/tracewrite.h"
#include "HDTraceWritingCLibrary/src/attributes.h"
#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/known.h"
#include "HDTraceWritingCLibrary/src/literal.h"
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/packer.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/format/text.h"
#include "HDTraceWritingCLibrary/src/topology.h"
#include "common/clock.h"
#include "common/number.h"

/* ---- Creation ---------------------------------------------------------- */

/* Refuse, or remove, what an earlier run left in the place of the .info. Steps
 * of the clock may be of this run: of a statistics group of the node. */
static int traceClearInfo(const char *path)
{
	int saved = errno;

	if (hdStepsAreAll(path))
		return 0;
	if (access(path, F_OK) < 0) {
		errno = saved;
		return 0;
	}
	if (!hdSettingsGet()->overwrite) {
		hdLoss("%s: " HD_EXISTS, path);
		return -HD_ERR_CREATE_FILE;
	}
	if (unlink(path) < 0) {
		hdLoss("%s: not recorded: cannot replace the file: %s", path,
		       strerror(errno));
		return -HD_ERR_CREATE_FILE;
	}
	errno = saved;
	return 0;
}

/* What a trace without records begins with is of its clock, too: it was taken
 * for a time of the wall clock, which may have been set meanwhile. */
static void traceBeginAgain(hdTrace *trace)
{
	int64_t now = hdTimeGiven(&trace->base, &trace->given) - trace->epoch;

	if (trace->given.tv_sec > 0 && trace->used == 1 &&
	    hdOutfileFlush(trace->file) == 0 &&
	    hdOutfileSize(trace->file) == (size_t)trace->headerSize)
		trace->last = now > 0 ? now : 0;
}

static int traceWriteHeader(hdTrace *trace, const hdTopoNode *node)
{
	char seconds[HD_INT64_MAX + 1], source[HD_TIME_SOURCE_SIZE];
	struct hdText *header = &trace->scratch;
	int ret;

	*hdNumberInt64(seconds, trace->epoch / HD_NS_PER_S) = '\0';
	ret = hdTextAdd(header, "<Program timeAdjustment='");
	if (ret == 0)
		ret = hdTextAdd(header, seconds);
	if (ret == 0 && *node->levels) {
		ret = hdTextAdd(header, "' levels='");
		if (ret == 0)
			ret = hdTextAdd(header, node->levels);
	}
	if (ret == 0)
		ret = hdTextAdd(header, "'");
	if (ret == 0 && hdTimeSourceBegin(source, '\'')) {
		trace->sourceAt = header->used;
		ret = hdTextAdd(header, source);
	}
	if (ret == 0)
		ret = hdTextAdd(header, ">\n");
	if (ret == 0)
		ret = hdOutfilePut(trace->file, header->bytes, header->used,
				   HD_OUTFILE_KEEP);
	if (ret == 0)
		ret = hdOutfileFlush(trace->file);
	trace->headerSize = (off_t)header->used;
	header->used = 0;
	return ret;
}

void hdTraceFree(hdTrace *trace)
{
	hdTextClear(&trace->tags);
	hdTextClear(&trace->elements);
	hdTextClear(&trace->scratch);
	free(trace->levels);
	free(trace->lists);
	free(trace->infoPath);
	free(trace);
}

/* Create a trace whose first time is now, with room for times from another one
 * on. */
static hdTrace *traceCreate(hdTopoNode *node, int64_t now, int64_t earliest)
{
	char *path;
	hdTrace *trace;
	int ret;

	hdNumberPrepare();
	hdLiteralPrepare();
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return hdFailNull(-HD_ERR_MALLOC);
	trace->isEnabled = true;
	trace->maxDepth = (unsigned int)hdSettingsGet()->maxDepth;
	trace->epoch = earliest / HD_NS_PER_S * HD_NS_PER_S;
	trace->last = now - trace->epoch;
	trace->time = HD_TIME_TEXT_NONE;
	trace->size = 16;
	trace->used = 1;
	trace->levels = calloc(trace->size, sizeof(*trace->levels));
	trace->top = trace->levels;
	hdKnownInit(trace->names);
	hdKnownInit(trace->keys);
	trace->infoPath = hdTopoNodeFile(node, node->length, NULL, ".info");
	path = hdTopoNodeFile(node, node->length, NULL, ".trc");
	if (!trace->levels || !trace->infoPath || !path) {
		free(path);
		ret = -HD_ERR_MALLOC;
		goto fail;
	}
	trace->levels[0].skipped = 1;
	ret = hdOutfileOpen(path, true, &trace->file);
	if (ret < 0)
		goto fail;
	/* Not before: the other may be that of a trace of this place. */
	ret = traceClearInfo(trace->infoPath);
	if (ret == 0)
		ret = traceWriteHeader(trace, node);
	if (ret < 0) {
		hdOutfileRemove(trace->file);
		goto fail;
	}
	return trace;

fail:
	hdTraceFree(trace);
	return hdFailNull(ret);
}

hdTrace *hdT_createTrace(hdTopoNode *node)
{
	int64_t now;

	if (!node)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	now = hdClockNow();
	if (now < 0)
		return hdFailNull(-HD_ERR_GET_TIME);
	return traceCreate(node, now, now);
}

hdTrace *hdT_createTraceAt(hdTopoNode *node, const struct timespec *when)
{
	const struct hdTimeBase wall = { 0 };
	int64_t now = hdTimeGiven(&wall, when), given;
	hdTrace *trace;

	if (!node || now < 0)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	given = hdClockToNs(when);
	trace = traceCreate(node, now, now < given ? now : given);
	if (trace)
		trace->given = *when;
	return trace;
}

int hdT_setTimeBase(hdTrace *trace, int64_t base)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	hdTimeBaseSet(&trace->base, base);
	traceBeginAgain(trace);
	return 0;
}

/* ---- Settings ---------------------------------------------------------- */

int hdT_setNestedDepth(hdTrace *trace, int depth)
{
	if (!trace || depth < 0)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	trace->maxDepth =
		(unsigned int)(depth < HD_DEPTH_MAX ? depth : HD_DEPTH_MAX);
	return 0;
}

int hdT_setForceFlush(hdTrace *trace, int flag)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	hdOutfileForceFlush(trace->file, flag != 0);
	if (trace->info)
		hdOutfileForceFlush(trace->info, flag != 0);
	return 0;
}

static int traceSetEnabled(hdTrace *trace, bool isEnabled)
{
	bool was;

	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	was = trace->isEnabled;
	trace->isEnabled = isEnabled;
	return was == isEnabled;
}

int hdT_enableTrace(hdTrace *trace)
{
	return traceSetEnabled(trace, true);
}

int hdT_disableTrace(hdTrace *trace)
{
	return traceSetEnabled(trace, false);
}

int hdT_isEnabled(const hdTrace *trace)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return trace->isEnabled && !hdOutfileIsForeign(trace->file);
}

int hdT_getLosses(const hdTrace *trace, hdLosses *losses)
{
	if (!trace || !losses)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	losses->records = hdOutfileLost(trace->file);
	if (trace->info)
		losses->records += hdOutfileLost(trace->info);
	losses->times = trace->clamped;
	return 0;
}

int64_t hdT_getSize(const hdTrace *trace)
{
	if (!trace)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return (int64_t)hdOutfileSize(trace->file);
}

int64_t hdT_getFileSize(const hdTrace *trace)
{
	int64_t size = hdT_getSize(trace);

	return size < 0 || !trace->file->packer
		       ? size
		       : hdPackerExpect(trace->file->packer, size);
}
