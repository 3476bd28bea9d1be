/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes of programs on this node; see probes.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "InstrumentationLibrary/attach/attach.h"
#include "NodeStatus/local/json.h"
#include "NodeStatus/local/probes.h"
#include "common/clock.h"

static const char *kindWord(unsigned int kind)
{
	static const char *const words[] = { "unknown", "timer", "kernel",
					     "transfer", "counter" };

	return words[kind < G_N_ELEMENTS(words) ? kind : 0];
}

/* Times are in seconds; of transfers and counters it is bytes, or amounts, that
 * have a mean and a sum. */
static json_t *describe(const struct hdProbeFigures *is)
{
	return json_pack(
		"{so so ss sI sI sI so so so so so so so so so}", "name",
		nodeJsonText(is->name), "to", nodeJsonText(is->to), "kind",
		kindWord(is->kind), "count", (json_int_t)is->instances, "timed",
		(json_int_t)is->timed, "missed", (json_int_t)is->missed, "sum",
		nodeJsonReal(is->body_s), "mean", nodeJsonReal(is->mean_s),
		"variance", nodeJsonReal(is->variance), "min",
		nodeJsonReal(is->min_s), "max", nodeJsonReal(is->max_s), "p50",
		nodeJsonReal(is->p50_s), "p99", nodeJsonReal(is->p99_s),
		"dispatch_s", nodeJsonReal(is->dispatch_s), "dispatch_mean_s",
		nodeJsonReal(is->dispatch_mean_s));
}

static void takeTable(json_t *process, const struct probeTable *table,
		      uint64_t *missed)
{
	json_t *probes = json_array();

	for (guint i = 0; i < table->rows->len; i++) {
		const struct hdProbeFigures *figures =
			&g_array_index(table->rows, struct probeRow, i).figures;

		if (missed)
			*missed += figures->missed;
		json_array_append_new(probes, describe(figures));
	}
	json_object_set_new(process, "clock", nodeJsonText(table->clock));
	json_object_set_new(process, "seconds", nodeJsonReal(table->seconds));
	json_object_set_new(process, "lost",
			    json_integer((json_int_t)table->lost));
	json_object_set_new(process, "probes", probes);
}

/* The name of a process, while it is there. */
static json_t *nameOf(pid_t pid)
{
	char *path = g_strdup_printf("/proc/%d/comm", (int)pid), *name = NULL;
	json_t *json;

	if (g_file_get_contents(path, &name, NULL, NULL))
		g_strchomp(name);
	json = nodeJsonText(name);
	g_free(name);
	g_free(path);
	return json;
}

static json_t *readOne(pid_t pid, bool isReset, uint64_t *missed)
{
	json_t *process = json_pack("{si so sn sn sn sn s[]}", "pid", (int)pid,
				    "name", nameOf(pid), "error", "clock",
				    "seconds", "lost", "probes");
	struct probeTable table = { 0 };
	struct attached *page;
	char *error = NULL;
	int ret;

	page = attach(pid, isReset, &error);
	if (!page) {
		json_object_set_new(process, "error", nodeJsonText(error));
		g_free(error);
		return process;
	}
	ret = attachedRead(page, isReset, &table);
	if (ret < 0)
		json_object_set_new(process, "error",
				    nodeJsonText(g_strerror(-ret)));
	else
		takeTable(process, &table, missed);
	probeTableClear(&table);
	detach(page);
	return process;
}

json_t *nodeProbesRead(const pid_t *list, size_t count, bool isReset,
		       int64_t budgetNs, uint64_t *missed)
{
	int64_t deadline = hdMonotonicNow() + budgetNs;
	json_t *all = json_array();

	if (missed)
		*missed = 0;
	for (size_t i = 0; i < count; i++) {
		if (hdMonotonicNow() < deadline)
			json_array_append_new(
				all, readOne(list[i], isReset, missed));
		else
			json_array_append_new(
				all,
				json_pack("{si sn ss sn sn sn s[]}", "pid",
					  (int)list[i], "name", "error",
					  "skipped, the time limit was reached",
					  "clock", "seconds", "lost",
					  "probes"));
	}
	return json_pack("{so}", "processes", all);
}
