/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The problems that were found.
 */
#include "config.h"

#include "HDTraceTools/findings/findings.h"

void findingsDiagnosticsInit(struct findingsDiagnostics *messages)
{
	*messages = (struct findingsDiagnostics){
		.list = g_array_new(FALSE, FALSE,
				    sizeof(struct findingsDiagnostic)),
		.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      NULL),
	};
}

void findingsDiagnosticsFree(struct findingsDiagnostics *messages)
{
	for (guint i = 0; i < messages->list->len; i++) {
		struct findingsDiagnostic *message = &g_array_index(
			messages->list, struct findingsDiagnostic, i);

		g_free(message->rule);
		g_free(message->file);
		g_free(message->text);
	}
	g_array_unref(messages->list);
	g_hash_table_destroy(messages->seen);
}

bool findingsDiagnosticsAdd(struct findingsDiagnostics *messages,
			    const hdIMessage *message)
{
	struct findingsDiagnostic copy = {
		.severity = message->severity,
		.offset = message->offset,
	};

	if (messages->list->len < FINDINGS_KEPT &&
	    !g_hash_table_add(messages->seen,
			      g_strdup_printf("%" PRId64 " %s %s %s",
					      message->offset, message->rule,
					      message->file, message->text)))
		return false;
	messages->count++;
	if (messages->list->len >= FINDINGS_KEPT)
		return true;
	copy.rule = g_strdup(message->rule);
	copy.file = g_strdup(message->file);
	copy.text = g_strdup(message->text);
	g_array_append_val(messages->list, copy);
	return true;
}
