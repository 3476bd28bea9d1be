/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes of programs on this node; see probes.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "InstrumentationLibrary/attach/core/attach.h"
#include "NodeStatus/local/json.h"
#include "NodeStatus/local/probes.h"
#include "common/clock.h"

/* What a page may take: in all, and to wait for threads that are counting. */
#define PROBES_PAGE_NS (HD_NS_PER_S / 20)
#define PROBES_WAIT_NS (HD_NS_PER_S / 40)
/* How long all may take. */
#define PROBES_ALL_NS (HD_NS_PER_S / 2)
/* Slots of a page; pages and probes of a user, and probes of all users: what
 * one user can make this process do and keep. */
#define PROBES_SLOTS 16384
#define PROBES_PAGES 1024
#define PROBES_ROWS 2048
#define PROBES_ROWS_OF_ALL 4096

static const char *kindWord(unsigned int kind)
{
	static const char *const words[] = { "unknown", "timer", "kernel",
					     "transfer", "counter" };

	return words[kind < G_N_ELEMENTS(words) ? kind : 0];
}

static json_t *nodeProbesCountOf(const struct probeRow *row, uint64_t count)
{
	return row->isUnknown ? json_null() : json_integer((json_int_t)count);
}

/* Times are in seconds; of transfers and counters it is bytes, or amounts, that
 * have a mean and a sum. */
static json_t *nodeProbesDescribeRow(const struct probeRow *row)
{
	const struct hdProbeFigures *is = &row->figures;

	return json_pack(
		"{so so ss so so so so so so so so so so so so}", "name",
		nodeJsonText(is->name), "to", nodeJsonText(is->to), "kind",
		kindWord(is->kind), "count",
		nodeProbesCountOf(row, is->instances), "timed",
		nodeProbesCountOf(row, is->timed), "missed",
		nodeProbesCountOf(row, is->missed), "sum",
		nodeJsonReal(is->body_s), "mean", nodeJsonReal(is->mean_s),
		"variance", nodeJsonReal(is->variance), "min",
		nodeJsonReal(is->min_s), "max", nodeJsonReal(is->max_s), "p50",
		nodeJsonReal(is->p50_s), "p99", nodeJsonReal(is->p99_s),
		"dispatch_s", nodeJsonReal(is->dispatch_s), "dispatch_mean_s",
		nodeJsonReal(is->dispatch_mean_s));
}

/* ---- One process ------------------------------------------------------- */

/* A process that may have probes. */
struct candidate {
	pid_t pid;
	uid_t uid;
	unsigned int rank; /* Among those of its user. */
};

/* A sweep over all processes. */
struct sweep {
	bool isReset;
	int64_t deadlineNs;
	GHashTable *rows; /* By user: how many are in the answer. */
	guint allRows;
	json_t *processes;  /* NULL: nobody wants them. */
	GHashTable *missed; /* By pid, or NULL: nobody wants them. */
};

static void sweepRows(struct sweep *sweep, json_t *process,
		      const struct probeTable *table)
{
	json_t *probes = json_object_get(process, "probes");

	for (guint i = 0; i < table->rows->len; i++)
		json_array_append_new(
			probes, nodeProbesDescribeRow(&g_array_index(
					table->rows, struct probeRow, i)));
	sweep->allRows += table->rows->len;
}

/* Whether its user has room for so many rows. */
static bool sweepHasRoom(struct sweep *sweep, uid_t uid, guint rows)
{
	gpointer key = GUINT_TO_POINTER(uid);
	guint used = GPOINTER_TO_UINT(g_hash_table_lookup(sweep->rows, key));

	if (used + rows > PROBES_ROWS ||
	    sweep->allRows + rows > PROBES_ROWS_OF_ALL)
		return false;
	g_hash_table_insert(sweep->rows, key, GUINT_TO_POINTER(used + rows));
	return true;
}

static void sweepFail(json_t *process, const char *error)
{
	if (process)
		json_object_set_new(process, "error", nodeJsonText(error));
}

static void sweepTable(struct sweep *sweep, const struct candidate *candidate,
		       json_t *process, const struct probeTable *table)
{
	json_object_set_new(process, "clock", nodeJsonText(table->clock));
	json_object_set_new(process, "seconds", nodeJsonReal(table->seconds));
	json_object_set_new(process, "lost",
			    json_integer((json_int_t)table->lost));
	json_object_set_new(process, "skipped",
			    table->isCut ? json_null()
					 : json_integer(table->skipped));
	if (sweepHasRoom(sweep, candidate->uid, table->rows->len))
		sweepRows(sweep, process, table);
	else
		sweepFail(process, "skipped, the user has too many probes");
}

/* Deadlines that were missed; UINT64_MAX where that is not known. */
static void sweepMissed(struct sweep *sweep, pid_t pid,
			const struct probeTable *table)
{
	uint64_t *missed = g_new0(uint64_t, 1);

	for (guint i = 0; table->rows && i < table->rows->len; i++)
		*missed += g_array_index(table->rows, struct probeRow, i)
				   .figures.missed;
	if (!table->rows || table->skipped || table->isCut)
		*missed = UINT64_MAX;
	g_hash_table_insert(sweep->missed, GINT_TO_POINTER(pid), missed);
}

static void sweepRead(struct sweep *sweep, const struct candidate *candidate,
		      json_t *process)
{
	const struct attachLimits limits = {
		.deadlineNs = MIN(hdMonotonicNow() + PROBES_PAGE_NS,
				  sweep->deadlineNs),
		.waitNs = PROBES_WAIT_NS,
		.slots = PROBES_SLOTS,
	};
	struct probeTable table = { 0 };
	char *error = NULL;
	struct attached *page = attach(candidate->pid, sweep->isReset,
				       limits.deadlineNs, &error);
	int ret =
		page ? attachedRead(page, sweep->isReset, &limits, &table) : 0;

	if (!page || ret < 0)
		sweepFail(process, page ? g_strerror(-ret) : error);
	else if (process)
		sweepTable(sweep, candidate, process, &table);
	if (sweep->missed)
		sweepMissed(sweep, candidate->pid, &table);
	probeTableClear(&table);
	detach(page);
	g_free(error);
}

/* The name of a process, while it is there. */
static json_t *nodeProbesNameOf(pid_t pid)
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

/* How many deadlines were missed is not known. */
static const uint64_t missedUnknown = UINT64_MAX;

static void sweepOne(struct sweep *sweep, const struct candidate *candidate,
		     const char *skipped)
{
	json_t *process = NULL;

	if (sweep->processes)
		process = json_pack(
			"{si si so sn sn sn sn sn s[]}", "pid",
			(int)candidate->pid, "uid", (int)candidate->uid, "name",
			nodeProbesNameOf(candidate->pid), "error", "clock",
			"seconds", "lost", "skipped", "probes");
	if (skipped) {
		sweepFail(process, skipped);
		if (sweep->missed)
			g_hash_table_insert(sweep->missed,
					    GINT_TO_POINTER(candidate->pid),
					    g_memdup2(&missedUnknown,
						      sizeof(missedUnknown)));
	} else {
		sweepRead(sweep, candidate, process);
	}
	if (process)
		json_array_append_new(sweep->processes, process);
}

/* ---- All of them, the first of each user first --------------------------- */

/* The user whose turn comes first. */
static gint compareCandidates(gconstpointer a, gconstpointer b, gpointer first)
{
	const struct candidate *x = a, *y = b;
	uid_t begin = *(const uid_t *)first;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->uid - begin > y->uid - begin) -
	       (x->uid - begin < y->uid - begin);
}

static uid_t userOf(pid_t pid)
{
	char *path = g_strdup_printf("/proc/%d", (int)pid);
	struct stat is;
	uid_t uid = stat(path, &is) == 0 ? is.st_uid : (uid_t)-1;

	g_free(path);
	return uid;
}

static GArray *findCandidates(const pid_t *list, size_t count, uid_t first)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct candidate));
	GHashTable *ranks = g_hash_table_new(NULL, NULL);

	for (size_t i = 0; i < count; i++) {
		struct candidate one = { .pid = list[i],
					 .uid = userOf(list[i]) };
		gpointer key = GUINT_TO_POINTER(one.uid);

		one.rank = GPOINTER_TO_UINT(g_hash_table_lookup(ranks, key));
		g_hash_table_insert(ranks, key, GUINT_TO_POINTER(one.rank + 1));
		g_array_append_val(all, one);
	}
	g_hash_table_unref(ranks);
	g_array_sort_with_data(all, compareCandidates, &first);
	return all;
}

/* Read one after the other, and let the next sweep begin where this one ends.
 */
static void nodeProbesSweepAll(struct sweep *sweep, const GArray *all,
			       uid_t *next)
{
	bool isLate = false;

	for (guint i = 0; i < all->len; i++) {
		const struct candidate *one =
			&g_array_index(all, struct candidate, i);
		bool wasLate = isLate;

		isLate = isLate || hdMonotonicNow() > sweep->deadlineNs;
		if (isLate && !wasLate)
			*next = one->uid;
		sweepOne(sweep, one,
			 isLate ? "skipped, the time limit was reached"
			 : one->rank >= PROBES_PAGES
				 ? "skipped, the user has too many processes"
				 : NULL);
	}
}

static int64_t deadlineNow(void)
{
	return hdMonotonicNow() + PROBES_ALL_NS;
}

json_t *nodeProbesRead(struct nodeProbes *self, const pid_t *list, size_t count,
		       bool isReset)
{
	struct sweep sweep = { .isReset = isReset,
			       .deadlineNs = deadlineNow(),
			       .rows = g_hash_table_new(NULL, NULL),
			       .processes = json_array() };
	GArray *all = findCandidates(list, count, self->nextUser);

	nodeProbesSweepAll(&sweep, all, &self->nextUser);
	g_array_unref(all);
	g_hash_table_unref(sweep.rows);
	return json_pack("{so}", "processes", sweep.processes);
}

/* ---- Deadlines that were missed ------------------------------------------ */

/* What a process has missed since the look before; NaN: that is not known. */
static double missedSince(const struct nodeProbes *self, gpointer pid,
			  uint64_t now)
{
	const uint64_t *before =
		self->missed ? g_hash_table_lookup(self->missed, pid) : NULL;
	uint64_t was = before ? *before : 0;

	/* What began after the look before has missed all of it since then.
	 * Less than before: it was reset. */
	return !self->missed || was == UINT64_MAX || now == UINT64_MAX ||
			       now < was
		       ? NAN
		       : (double)(now - was);
}

double nodeProbesMissed(struct nodeProbes *self, const pid_t *list,
			size_t count)
{
	struct sweep sweep = { .deadlineNs = deadlineNow(),
			       .missed = g_hash_table_new_full(NULL, NULL, NULL,
							       g_free) };
	GArray *all = findCandidates(list, count, self->nextUser);
	double sum = count == 0 ? 0 : NAN;
	GHashTableIter iter;
	gpointer pid, now;

	nodeProbesSweepAll(&sweep, all, &self->nextUser);
	g_array_unref(all);
	g_hash_table_iter_init(&iter, sweep.missed);
	while (g_hash_table_iter_next(&iter, &pid, &now)) {
		double one = missedSince(self, pid, *(uint64_t *)now);

		if (isfinite(one))
			sum = (isfinite(sum) ? sum : 0) + one;
	}
	if (self->missed)
		g_hash_table_unref(self->missed);
	self->missed = sweep.missed;
	return sum;
}

void nodeProbesClear(struct nodeProbes *self)
{
	if (self->missed)
		g_hash_table_unref(self->missed);
	self->missed = NULL;
}
