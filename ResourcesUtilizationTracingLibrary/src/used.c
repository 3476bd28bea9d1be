/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources in use; see used.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"

static int sourceOpen(struct rutUsedSource *source,
		      const struct rutSetup *setup, struct rutColumns *columns)
{
	source->worker = NULL;
	source->wasLate = false;
	if (source->kind->hanging && setup->patienceNs > 0)
		return rutWorkerOpen(source->kind, setup, columns,
				     &source->worker);
	return source->kind->open(setup, columns, &source->state);
}

static void sourceClose(struct rutUsedSource *source)
{
	if (source->worker)
		rutWorkerClose(source->worker);
	else
		source->kind->close(source->state);
}

int rutUsedAdd(struct rutUsed *used, const struct rutSource *kind,
	       const struct rutSetup *setup)
{
	struct rutUsedSource *list, *source;
	int ret;

	list = realloc(used->list, (used->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	used->list = list;
	source = &list[used->count];
	source->kind = kind;
	source->first = used->columns.count;
	ret = sourceOpen(source, setup, &used->columns);
	if (ret < 0) {
		used->isIncomplete |= ret == -ETIMEDOUT;
		rutColumnsTruncate(&used->columns, source->first);
		return ret;
	}
	used->count++;
	return 0;
}

void rutUsedDrop(struct rutUsed *used)
{
	struct rutUsedSource *source = &used->list[--used->count];

	sourceClose(source);
	rutColumnsTruncate(&used->columns, source->first);
}

int rutUsedOpen(struct rutUsed *used, const struct rutSource *const *list,
		const struct rutSetup *setup)
{
	int ret = 0;

	for (size_t i = 0; ret != -ENOMEM && list[i]; i++) {
		if (list[i]->isWanted(&setup->sources))
			ret = rutUsedAdd(used, list[i], setup);
	}
	ret = ret == -ENOMEM ? ret : rutUsedReady(used);
	if (ret < 0)
		rutUsedClose(used);
	return ret;
}

int rutUsedReady(struct rutUsed *used)
{
	used->cells = calloc(used->columns.count + 1, sizeof(*used->cells));
	return used->cells ? 0 : -ENOMEM;
}

/* The first column behind those of a source. */
static size_t usedEnd(const struct rutUsed *used, size_t source)
{
	return source + 1 < used->count ? used->list[source + 1].first
					: used->columns.count;
}

/* What a source gives was not there in time. */
static void usedForget(struct rutUsed *used, size_t number)
{
	struct rutUsedSource *source = &used->list[number];

	for (size_t i = source->first; i < usedEnd(used, number); i++)
		used->cells[i] = hdCellMissing(used->columns.list[i].type);
	if (!source->wasLate)
		rutMessage(HD_LOG_WARNING,
			   "%s: timed out; late values are missing",
			   source->kind->name);
	source->wasLate = true;
}

void rutUsedRead(struct rutUsed *used, enum rutWhy why)
{
	for (size_t i = 0; i < used->count; i++) {
		struct rutUsedSource *source = &used->list[i];

		atomic_store(&used->reading, source->kind->name);
		if (!source->worker)
			source->kind->read(source->state, why,
					   used->cells + source->first);
		else if (why != RUT_WHY_FOLLOW &&
			 !rutWorkerRead(source->worker, why,
					used->cells + source->first))
			usedForget(used, i);
	}
	atomic_store(&used->reading, NULL);
}

bool rutUsedWaits(const struct rutUsed *used)
{
	for (size_t i = 0; i < used->count; i++)
		if (used->list[i].worker)
			return true;
	return false;
}

bool rutUsedIsKnown(const struct rutUsed *used, size_t column)
{
	return !isnan(hdCellNumber(used->columns.list[column].type,
				   used->cells[column]));
}

int64_t rutUsedCpuNs(const struct rutUsed *used)
{
	int64_t sum = 0;

	for (size_t i = 0; i < used->count; i++)
		if (used->list[i].worker)
			sum += rutWorkerCpuNs(used->list[i].worker);
	return sum;
}

void rutUsedClose(struct rutUsed *used)
{
	for (size_t i = 0; i < used->count; i++)
		sourceClose(&used->list[i]);
	rutColumnsTruncate(&used->columns, 0);
	free(used->list);
	free(used->cells);
	*used = (struct rutUsed){ 0 };
}
