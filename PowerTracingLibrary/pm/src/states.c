/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C- and P-states for Paraver: lines are states of CPUs. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* Types of events: those of pmlib. */
enum {
	TYPE_STATE = 90000000,   /* All states of a CPU, one after the other. */
	TYPE_CSTATE = 900000010, /* Of state 0; others follow. */
	TYPE_PSTATE = 800000010,
};

/* States of a CPU where nobody tells how many there are. */
#define USUAL_STATES 4

/* The rest of an interval that is less than this, in percent, is rounding. */
#define REST_MIN 0.1

/* What a column is. */
struct stateColumn {
	int cpu;
	int state;
	const char *label; /* Or NULL. */
	int first;         /* First column of the same CPU. */
};

struct states {
	struct stateColumn columns[PM_LINES_MAX];
	char *names[PM_LINES_MAX]; /* Of all lines, as the server has them. */
	const char *labels[PM_LINES_MAX]; /* Of the states. */
	int cpus, count;
	int type;  /* Of state 0, or TYPE_STATE. */
	char kind; /* 'C' or 'P' */
};

/* ---- Which line is what ------------------------------------------------ */

/* Take "cpu3/C1E" apart: letters "cpu", a number, and then the state. */
static const char *nameCpu(const char *name, int *cpu)
{
	char *end;
	long number;

	if (!name || strncasecmp(name, "cpu", 3) != 0)
		return NULL;
	name += 3;
	while (*name == ' ' || *name == '_' || *name == '-')
		name++;
	if (!isdigit((unsigned char)*name))
		return NULL;
	number = strtol(name, &end, 10);
	if (number > PM_LINES_MAX * PM_LINES_MAX)
		return NULL;
	*cpu = (int)number;
	while (*end && !isalnum((unsigned char)*end))
		end++;
	return *end ? end : NULL;
}

/* Find out by the names: the states of a CPU count in the order of its lines.
 * False if a line to be printed has another name. */
static bool findByName(struct states *states, const struct pmView *view)
{
	int next[PM_LINES_MAX] = { 0 }, cpus[PM_LINES_MAX], known = 0;

	for (int line = 0, column = 0; column < view->columns; line++) {
		const char *label;
		int cpu, i = 0;

		label = line < PM_LINES_MAX ? nameCpu(states->names[line], &cpu)
					    : NULL;
		if (label) {
			while (i < known && cpus[i] != cpu)
				i++;
			if (i == known)
				cpus[known++] = cpu;
		}
		if (line == view->line[column]) {
			if (!label)
				return false;
			states->columns[column++] =
				(struct stateColumn){ cpu, next[i], label, 0 };
		}
		if (label)
			next[i]++;
	}
	return true;
}

static void findByNumber(struct states *states, const struct pmView *view)
{
	for (int i = 0; i < view->columns; i++)
		states->columns[i] =
			(struct stateColumn){ view->line[i] / USUAL_STATES,
					      view->line[i] % USUAL_STATES,
					      NULL, 0 };
}

static void statesFind(struct states *states, const struct pmView *view)
{
	const struct pmCounter *counter = view->counter;

	if (pmLineNames(&counter->server, counter->device, states->names) < 0 ||
	    !findByName(states, view)) {
		pmLog(HD_LOG_WARNING,
		      "%s: the names of the lines do not contain states; "
		      "assuming %d of each CPU",
		      counter->device, USUAL_STATES);
		findByNumber(states, view);
	}
	for (int i = 0; i < view->columns; i++) {
		struct stateColumn *column = &states->columns[i];

		while (states->columns[column->first].cpu != column->cpu)
			column->first++;
		if (column->cpu >= states->cpus)
			states->cpus = column->cpu + 1;
		if (column->state >= states->count)
			states->count = column->state + 1;
		if (!states->labels[column->state])
			states->labels[column->state] = column->label;
	}
}

static void statesClear(struct states *states)
{
	for (int i = 0; i < PM_LINES_MAX; i++)
		free(states->names[i]);
}

/* ---- Records ----------------------------------------------------------- */

static void putEvent(struct pmParaver *paraver, int cpu, int64_t ns, int type,
		     int64_t value)
{
	fprintf(paraver->file, "2:0:1:1:%d:%" PRId64 ":%d:%" PRId64 "\n",
		cpu + 1, pmParaverTime(paraver, ns), type, value);
}

/* Each state has events of its own. */
static void putApart(struct pmParaver *paraver, int set, int sample)
{
	const struct states *states = paraver->data;
	const struct pmView *view = paraver->view;
	bool isEnd = sample == pmViewCount(view, set);

	for (int i = 0; i < view->columns; i++)
		putEvent(paraver, states->columns[i].cpu,
			 pmViewTime(view, set, sample),
			 states->type + states->columns[i].state,
			 isEnd ? 0
			       : pmThousandths(
					 pmViewValue(view, i, set, sample)));
}

/* A change of state. */
struct change {
	int64_t ns;
	int cpu;
	int state;
};

static int pmStatesCompareChanges(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* A percentage of an interval, or 0 for what is none. */
static double percentOf(const struct pmView *view, int column, int set,
			int sample)
{
	double value = pmViewValue(view, column, set, sample);

	return value > 0 && value < 1e9 ? value : 0;
}

/* The states of each CPU, one after the other, as long as each was; then what
 * is left, in states that are not among the lines. */
static void putLaidOut(struct pmParaver *paraver, int set, int sample)
{
	const struct states *states = paraver->data;
	const struct pmView *view = paraver->view;
	int64_t begin = pmViewTime(view, set, sample);
	double length = (double)(pmViewTime(view, set, sample + 1) - begin);
	double sums[PM_LINES_MAX] = { 0 }, done[PM_LINES_MAX] = { 0 };
	struct change changes[2 * PM_LINES_MAX];
	size_t count = 0;

	for (int i = 0; i < view->columns; i++)
		sums[states->columns[i].first] +=
			percentOf(view, i, set, sample);
	for (int i = 0; i < view->columns; i++) {
		const struct stateColumn *column = &states->columns[i];
		double percent = percentOf(view, i, set, sample);
		double whole = fmax(sums[column->first], 100);
		int64_t ns =
			begin + (int64_t)(length * done[column->first] / whole);

		if (percent > 0)
			changes[count++] = (struct change){ ns, column->cpu,
							    column->state };
		done[column->first] += percent;
	}
	for (int i = 0; i < view->columns; i++) {
		if (states->columns[i].first == i && sums[i] > 0 &&
		    sums[i] < 100 - REST_MIN)
			changes[count++] = (struct change){
				begin + (int64_t)(length * sums[i] / 100),
				states->columns[i].cpu, states->count
			};
	}
	qsort(changes, count, sizeof(*changes), pmStatesCompareChanges);
	for (size_t i = 0; i < count; i++)
		putEvent(paraver, changes[i].cpu, changes[i].ns, TYPE_STATE,
			 changes[i].state);
}

static void pmStatesPutRecords(struct pmParaver *paraver)
{
	const struct states *states = paraver->data;
	const struct pmView *view = paraver->view;

	for (int set = view->first; set < view->end; set++) {
		int count = pmViewCount(view, set);

		for (int i = 0; i < count; i++) {
			if (states->type == TYPE_STATE)
				putLaidOut(paraver, set, i);
			else
				putApart(paraver, set, i);
		}
		if (states->type != TYPE_STATE)
			putApart(paraver, set, count);
	}
}

/* ---- The other files --------------------------------------------------- */

static void pmStatesPutState(FILE *file, const struct states *states, int state)
{
	if (states->labels[state])
		pmPutText(file, states->labels[state]);
	else
		fprintf(file, "%c%d", states->kind, state);
}

static void pmStatesPutTypes(struct pmParaver *paraver)
{
	const struct states *states = paraver->data;
	FILE *file = paraver->file;

	if (states->type == TYPE_STATE) {
		fprintf(file, "\nEVENT_TYPE\n0    %d    C-state\nVALUES\n",
			TYPE_STATE);
		for (int i = 0; i < states->count; i++) {
			fprintf(file, "%d    ", i);
			pmStatesPutState(file, states, i);
			putc('\n', file);
		}
		fprintf(file, "%d    other\n", states->count);
		return;
	}
	for (int i = 0; i < states->count; i++) {
		fprintf(file, "\nEVENT_TYPE\n7    %d    %c-state ",
			states->type + i, states->kind);
		pmStatesPutState(file, states, i);
		fputs(states->kind == 'C' ? " in 0.001 %\n" : " in 0.001\n",
		      file);
	}
}

static void pmStatesPutThread(struct pmParaver *paraver, int thread)
{
	fprintf(paraver->file, "CPU %d", thread);
}

static int writeStates(const char *file, const counter_t *counter,
		       const line_t *lines, int set, const char *unit, int type)
{
	struct states states = { .type = type,
				 .kind = type == TYPE_PSTATE ? 'P' : 'C' };
	struct pmView view;
	struct pmParaver paraver = {
		.view = &view,
		.data = &states,
		.putRecords = pmStatesPutRecords,
		.putTypes = pmStatesPutTypes,
		.putThread = pmStatesPutThread,
	};
	int saved = errno, ret;

	pmBegin();
	paraver.unit = pmFindUnit(unit);
	if (!file || !paraver.unit || (counter->measures && counter->aggregate))
		return pmResult(-EINVAL, saved);
	ret = pmViewMakeFrom1(&view, counter, lines, set);
	if (ret < 0)
		return ret;
	statesFind(&states, &view);
	paraver.threads = states.cpus;
	ret = pmParaverWrite(&paraver, file);
	statesClear(&states);
	return ret < 0 ? ret : pmResult(ret, saved);
}

int(pm_print_data_paraver_cstates)(const char *file, counter_t counter,
				   line_t lines, int set, const char *unit,
				   int separate)
{
	return writeStates(file, &counter, &lines, set, unit,
			   separate ? TYPE_CSTATE : TYPE_STATE);
}

int pm_print_data_paraver_pstates(const char *file, counter_t counter,
				  line_t lines, int set, const char *unit)
{
	return writeStates(file, &counter, &lines, set, unit, TYPE_PSTATE);
}
