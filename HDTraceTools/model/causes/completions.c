/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Edges in one activity: from what a request does to the call that completes
 * it.
 *
 * A request that is made to be started is not active until Start does so.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/ends.h"

/** What a request does. */
struct operation {
	int64_t start;
	bool isPersistent;
};

bool dependencyStarted(const struct dependencyReader *reader, int64_t request,
		       int64_t *start)
{
	const struct operation *found =
		g_hash_table_lookup(reader->started, &request);

	if (found)
		*start = found->start;
	return found;
}

void dependencyRequests(struct dependencyReader *reader,
			void (*take)(struct dependencyReader *reader,
				     int64_t request, void *data),
			void *data)
{
	const struct messageRecord *read = reader->read;
	int64_t request;

	if (messageField(&read->own, MESSAGE_RID, &request) && request >= 0)
		take(reader, request, data);
	for (size_t i = 0; i < read->record->elementCount; i++) {
		if (messageField(&read->elements[i], MESSAGE_RID, &request) &&
		    request >= 0)
			take(reader, request, data);
	}
}

static void completionsStartRequest(struct dependencyReader *reader,
				    int64_t request, void *data)
{
	struct operation *operation =
		g_hash_table_lookup(reader->started, &request);

	if (!operation) {
		operation = g_new0(struct operation, 1);
		g_hash_table_insert(reader->started,
				    g_memdup2(&request, sizeof(request)),
				    operation);
	}
	operation->start = reader->record->start;
	operation->isPersistent |= data != NULL;
}

static void completionsComplete(struct dependencyReader *reader,
				int64_t request, void *data)
{
	const struct operation *operation =
		g_hash_table_lookup(reader->started, &request);
	struct dependencyEnd end = {
		.waited = reader->record->start,
		.time = reader->record->end,
		.source = *(const uint8_t *)data,
	};
	const GPtrArray *groups = messagesGroups(reader->messages);

	if (!operation)
		return;
	end.start = operation->start;
	if (!operation->isPersistent)
		g_hash_table_remove(reader->started, &request);
	if (reader->owner->filter.kinds & DEPENDENCY_COMPLETION && groups->len)
		dependencyAddCall(reader, &end, reader->epoch,
				  groups->pdata[0]);
}

bool dependencyIsInVain(const struct messageFields *fields)
{
	int64_t flag;

	return (messageField(fields, MESSAGE_FLAG, &flag) ||
		messageField(fields, MESSAGE_COMPLETED, &flag)) &&
	       flag == 0;
}

static void completionsNote(struct dependencyReader *reader, uint8_t number)
{
	if (reader->role & ROLE_COMPLETES) {
		if (!dependencyIsInVain(&reader->read->own))
			dependencyRequests(reader, completionsComplete,
					   &number);
	} else if (reader->role & ROLE_STARTS) {
		dependencyRequests(reader, completionsStartRequest, reader);
	} else if (reader->role & ROLE_BEGINS) {
		dependencyRequests(reader, completionsStartRequest, NULL);
	}
}

static int completionsAddEnd(struct dependencyJoin *join,
			     const struct dependencyEnd *end)
{
	struct dependency edge = {
		.kind = DEPENDENCY_COMPLETION,
		.from = end->trace,
		.fromTime = end->start,
		.to = end->trace,
		.toStart = end->waited,
		.toTime = end->time,
		.size = -1,
	};

	return end->isChosen ? dependencyMake(join->dependencies, &edge) : 0;
}

static int completionsFinish(struct dependencyJoin *join)
{
	(void)join;
	return 0;
}

const struct dependencySource dependencyCompletions = {
	.name = "completions",
	.kinds = DEPENDENCY_COMPLETION,
	.note = completionsNote,
	.take = completionsAddEnd,
	.finish = completionsFinish,
};
