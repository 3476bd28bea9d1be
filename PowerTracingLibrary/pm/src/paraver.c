/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power for Paraver. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* Types of events: those of pmlib. */
enum {
	TYPE_SUM = 500000009,
	TYPE_LINE = 500000010, /* Of line 0; others follow. */
};

/* All values of a sample; those behind the last one are 0. */
static void pmParaverPutSample(struct pmParaver *paraver, int set, int sample)
{
	const struct pmView *view = paraver->view;
	bool isEnd = sample == pmViewCount(view, set);
	double sum = isEnd ? 0 : pmViewSum(view, set, sample);

	fprintf(paraver->file, "2:0:1:1:1:%" PRId64,
		pmParaverTime(paraver, pmViewTime(view, set, sample)));
	for (int i = 0; !view->isAggregate && i < view->columns; i++)
		fprintf(paraver->file, ":%d:%" PRId64,
			TYPE_LINE + view->line[i],
			isEnd ? 0
			      : pmThousandths(
					pmViewValue(view, i, set, sample)));
	fprintf(paraver->file, ":%d:%" PRId64 "\n", TYPE_SUM,
		pmThousandths(sum));
}

static void pmParaverPutRecords(struct pmParaver *paraver)
{
	const struct pmView *view = paraver->view;

	for (int set = view->first; set < view->end; set++)
		for (int i = 0; i <= pmViewCount(view, set); i++)
			pmParaverPutSample(paraver, set, i);
}

static void pmParaverPutTypes(struct pmParaver *paraver)
{
	const struct pmView *view = paraver->view;

	for (int i = 0; !view->isAggregate && i < view->columns; i++)
		fprintf(paraver->file,
			"\nEVENT_TYPE\n7    %d    Power of line %d in mW\n",
			TYPE_LINE + view->line[i], view->line[i]);
	fprintf(paraver->file, "\nEVENT_TYPE\n7    %d    Power of %s in mW\n",
		TYPE_SUM,
		view->isAggregate ? "the lines together" : "these lines");
}

static void pmParaverPutThread(struct pmParaver *paraver, int thread)
{
	(void)thread;
	pmPutText(paraver->file, paraver->view->counter->device);
}

int pm_print_data_paraver(const char *file, counter_t counter, line_t lines,
			  int set, const char *unit)
{
	struct pmView view;
	struct pmParaver paraver = {
		.view = &view,
		.threads = 1,
		.putRecords = pmParaverPutRecords,
		.putTypes = pmParaverPutTypes,
		.putThread = pmParaverPutThread,
	};
	int ret;

	pmBegin();
	paraver.unit = pmFindUnit(unit);
	if (!file || !paraver.unit)
		return pmResult(-EINVAL, 0);
	ret = pmViewMake(&view, &counter, &lines, set);
	return ret < 0 ? ret : pmParaverWrite(&paraver, file);
}

int pm_get_and_print_data_paraver(const char *file, counter_t *counter,
				  line_t lines, int set, const char *unit)
{
	int ret = pm_get_counter_data(counter);

	if (ret < 0)
		return ret;
	return pm_print_data_paraver(file, *counter, lines, set, unit);
}
