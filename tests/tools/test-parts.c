/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Parts of a command's work: those that run when nobody wants them any more. */
#include "config.h"

#include <unistd.h>

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/export/export.h"
#include "tests/lib/testlib.h"

/** What two parts do: the first one is taken and ends all, while the second one
 *  reads. */
struct stopping {
	const hdIProject *project;
	uint64_t records;
	bool isOrdered; /**< As exports read. */
	gint isReading; /**< Atomic. */
};

/** A part that waits for longer than so, in us, would do so for ever. */
#define WAIT_MAX (100 * G_USEC_PER_SEC)

/** Wait until nobody wants any more of it. */
static void awaitStop(struct stopping *self, const struct part *part)
{
	int64_t end = g_get_monotonic_time() + WAIT_MAX;

	if (self->records++)
		return;
	g_atomic_int_set(&self->isReading, 1);
	while (!toolIsStopped(&part->tool)) {
		if (g_get_monotonic_time() > end)
			g_error("nobody has stopped the second part");
		g_thread_yield();
	}
}

/** A part, and all of it. */
struct reading {
	struct stopping *stopping;
	struct part *part;
};

static bool takeRecord(const hdIRecord *record, void *data)
{
	const struct reading *reading = data;

	(void)record;
	awaitStop(reading->stopping, reading->part);
	return true;
}

/** As an export reads it. */
static void readSteps(struct stopping *self, struct part *part,
		      const hdITraceFile *trace)
{
	struct export export = {
		.tool = &part->tool,
		.project = self->project,
		.losses = g_array_new(FALSE, FALSE, sizeof(struct exportLoss)),
		.selection = { .start = INT64_MIN, .end = INT64_MAX },
	};
	struct ordered *ordered = exportOpenTrace(&export, trace);
	struct orderedStep step;

	g_assert_nonnull(ordered);
	while (exportReadTrace(&export, ordered, trace, &step) == 1)
		awaitStop(self, part);
	orderedClose(ordered);
	g_array_unref(export.losses);
}

static void runStopped(struct part *part, size_t number, void *data)
{
	struct stopping *self = data;
	const hdITraceFile *trace = self->project->traces[0];
	struct reading reading = { self, part };
	const struct scan scan = {
		.tool = &part->tool,
		.project = self->project,
		.output = part->file,
	};

	if (number == 0)
		return;
	if (self->isOrdered)
		readSteps(self, part, trace);
	else
		scanTrace(&scan, trace, takeRecord, &reading);
}

static bool takeStopped(struct part *part, size_t number, void *data)
{
	struct stopping *self = data;
	int64_t end = g_get_monotonic_time() + WAIT_MAX;

	(void)part;
	/* Alone, it is not begun at all. */
	while (number == 0 && g_get_num_processors() > 1 &&
	       !g_atomic_int_get(&self->isReading)) {
		if (g_get_monotonic_time() > end)
			g_error("the second part has not begun: no thread?");
		g_thread_yield();
	}
	return number != 0;
}

static void testStop(gconstpointer data)
{
	static const char text[] =
		"<Program timeAdjustment='0' levels='Node'>\n"
		"<A time='1.0' end='2.0'/>\n<B time='2.0' end='3.0'/>\n"
		"<C time='3.0' end='4.0'/>\n</Program>\n";
	struct tool tool = { .command = "test" };
	struct stopping stopping = { .isOrdered = data != NULL };
	const struct partsWork work = {
		.tool = &tool,
		.count = 2,
		.run = runStopped,
		.take = takeStopped,
		.data = &stopping,
	};
	hdIProject *project;

	g_assert_true(g_file_set_contents("p_node.trc", text, -1, NULL));
	project = hdI_openProject("p_node.trc", toolTakeDiagnostic, &tool);
	g_assert_nonnull(project);
	g_assert_cmpuint(project->traceCount, ==, 1);
	stopping.project = project;
	partsDo(&work);
	g_assert_cmpuint(stopping.records, <=, 1);
	hdI_closeProject(project);
	g_assert_cmpint(unlink("p_node.trc"), ==, 0);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_data_func("/parts/stop/records", NULL, testStop);
	g_test_add_data_func("/parts/stop/steps", "", testStop);
	return testRun();
}
