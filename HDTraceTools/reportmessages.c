/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file reportmessages.c
 * hdtrace report: the problems that were found.
 */
#include "config.h"

#include "report.h"

void reportMessagesInit(struct reportMessages *messages)
{
	*messages = (struct reportMessages){
		.list = g_array_new(FALSE, FALSE, sizeof(struct reportMessage)),
		.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      NULL),
	};
}

void reportMessagesFree(struct reportMessages *messages)
{
	for (guint i = 0; i < messages->list->len; i++) {
		struct reportMessage *message =
			&g_array_index(messages->list, struct reportMessage, i);

		g_free(message->rule);
		g_free(message->file);
		g_free(message->text);
	}
	g_array_unref(messages->list);
	g_hash_table_destroy(messages->seen);
}

bool reportMessagesAdd(struct reportMessages *messages,
		       const hdIMessage *message)
{
	struct reportMessage copy = {
		.severity = message->severity,
		.offset = message->offset,
	};

	if (messages->list->len < REPORT_KEPT &&
	    !g_hash_table_add(messages->seen,
			      g_strdup_printf("%" PRId64 " %s %s %s",
					      message->offset, message->rule,
					      message->file, message->text)))
		return false;
	messages->count++;
	if (messages->list->len >= REPORT_KEPT)
		return true;
	copy.rule = g_strdup(message->rule);
	copy.file = g_strdup(message->file);
	copy.text = g_strdup(message->text);
	g_array_append_val(messages->list, copy);
	return true;
}
