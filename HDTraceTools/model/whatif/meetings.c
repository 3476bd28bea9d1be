/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What was given in a replay and is not taken by all yet.
 */
#include "config.h"

#include "HDTraceTools/model/whatif/meetings.h"

/** One. */
struct meeting {
	int64_t time;     /**< When the last one gave, so far. */
	uint32_t missing; /**< Givers that did not give. */
	uint32_t takers;  /**< That did not take. */
	GArray *waiting;  /**< uint32_t traces; or NULL. */
	int64_t *times;   /**< Of a prefix operation, by place; or NULL. */
};

struct meetings {
	GHashTable *table; /**< Numbers to struct meeting. */
};

static void meetingFree(void *data)
{
	struct meeting *meeting = data;

	if (meeting->waiting)
		g_array_unref(meeting->waiting);
	g_free(meeting->times);
	g_free(meeting);
}

struct meetings *meetingsNew(void)
{
	struct meetings *self = g_new0(struct meetings, 1);

	self->table = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    meetingFree);
	return self;
}

void meetingsFree(struct meetings *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->table);
	g_free(self);
}

static struct meeting *meetingAt(struct meetings *self,
				 const struct replayEvent *event)
{
	struct meeting *meeting =
		g_hash_table_lookup(self->table, &event->meeting);

	if (meeting)
		return meeting;
	meeting = g_new0(struct meeting, 1);
	meeting->time = INT64_MIN;
	meeting->missing = event->givers;
	meeting->takers = event->takers;
	if (event->isPrefix) {
		meeting->times = g_new(int64_t, event->givers);
		for (uint32_t i = 0; i < event->givers; i++)
			meeting->times[i] = INT64_MIN;
	}
	g_hash_table_insert(self->table,
			    g_memdup2(&event->meeting, sizeof(event->meeting)),
			    meeting);
	return meeting;
}

void meetingsGive(struct meetings *self, const struct replayEvent *event,
		  int64_t time, GArray *woken)
{
	struct meeting *meeting = meetingAt(self, event);

	meeting->time = MAX(meeting->time, time);
	meeting->missing--;
	if (meeting->times)
		meeting->times[event->place] = time;
	if (!meeting->waiting || (meeting->missing && !meeting->times))
		return;
	g_array_append_vals(woken, meeting->waiting->data,
			    meeting->waiting->len);
	g_array_set_size(meeting->waiting, 0);
}

/** Whether all is there for one, and when it was; of nothing INT64_MIN. */
static bool meetingIsReady(const struct meeting *meeting,
			   const struct replayEvent *event, int64_t *time)
{
	*time = meeting->time;
	if (!meeting->times)
		return meeting->missing == 0;
	*time = INT64_MIN;
	for (uint32_t i = 0; i < event->place; i++) {
		if (meeting->times[i] == INT64_MIN)
			return false;
		*time = MAX(*time, meeting->times[i]);
	}
	return true;
}

bool meetingsTake(struct meetings *self, const struct replayEvent *event,
		  int64_t *time)
{
	struct meeting *meeting = meetingAt(self, event);

	if (!meetingIsReady(meeting, event, time)) {
		if (!meeting->waiting)
			meeting->waiting =
				g_array_new(FALSE, FALSE, sizeof(uint32_t));
		g_array_append_val(meeting->waiting, event->trace);
		return false;
	}
	if (--meeting->takers == 0 && meeting->missing == 0)
		g_hash_table_remove(self->table, &event->meeting);
	return true;
}
