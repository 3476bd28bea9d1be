/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict graph: the task graph of a run, out of what its states say
 * (doc/format/prediction.md).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/units.h"
#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/writegraph.h"
#include "PredictionLibrary/output/project.h"

/* A task that ran. */
struct ran {
	int64_t number;
	char *id, *pe, *values, *inputs;
	int kernel;
	int64_t row, column; /* Of its tile, or -1. */
	int64_t start, end;
};

/* An input. */
struct link {
	int64_t number; /* Of the dependency. */
	int64_t producer, output, consumer, input;
};

/* A graph while it is made. */
struct making {
	struct predict *predict;
	struct tool tool;
	const hdIProject *project;
	const char *path;
	hdPGraph *graph;
	GPtrArray *tasks; /* struct ran, by number when all are there. */
	GArray *links;    /* struct link, likewise. */
	char *kernels;
	GPtrArray *names;    /* Of kernels, by task. */
	GHashTable *byState; /* Names of states to numbers of kernels. */
	GArray *variables;   /* guint: of each kernel. */
	int output;          /* The last one that was added. */
	int64_t begin;
};

static void freeRan(void *data)
{
	struct ran *ran = data;

	g_free(ran->id);
	g_free(ran->pe);
	g_free(ran->values);
	g_free(ran->inputs);
	g_free(ran);
}

static const char *recordedGraphAttributeOf(const hdIRecord *record,
					    const char *name)
{
	return attributeFind(record->attributes, record->attributeCount, name);
}

static int64_t recordedGraphNumberOf(const hdIRecord *record, const char *name)
{
	const char *text = recordedGraphAttributeOf(record, name);
	char *end;
	int64_t number = text ? g_ascii_strtoll(text, &end, 10) : -1;

	return text && end != text && !*end ? number : -1;
}

/* ---- States ------------------------------------------------------------ */

static bool recordedGraphAddRecord(const hdIRecord *record, void *data)
{
	struct making *self = data;
	const char *id = recordedGraphAttributeOf(record, "task");
	const char *pe = recordedGraphAttributeOf(record, "pe");
	const char *kernels = recordedGraphAttributeOf(record, "kernels");
	struct ran *ran;

	if (record->kind != HDI_STATE || !id || !pe)
		return true;
	ran = g_new0(struct ran, 1);
	*ran = (struct ran){
		.number = recordedGraphNumberOf(record, "activity"),
		.id = g_strdup(id),
		.pe = g_strdup(pe),
		.values = g_strdup(recordedGraphAttributeOf(record, "values")),
		.inputs = g_strdup(recordedGraphAttributeOf(record, "inputs")),
		.row = recordedGraphNumberOf(record, "row"),
		.column = recordedGraphNumberOf(record, "column"),
		.start = record->start,
		.end = record->end,
	};
	g_ptr_array_add(self->tasks, ran);
	g_ptr_array_add(self->names, g_strdup(record->name));
	ran->kernel = (int)self->names->len - 1;
	self->begin = MIN(self->begin, record->start);
	if (kernels && !self->kernels)
		self->kernels = g_strdup(kernels);
	return true;
}

static void recordedGraphAddTrace(const hdITraceFile *trace, void *data)
{
	struct making *self = data;
	struct scan scan = { .tool = &self->tool, .project = self->project };

	scanTrace(&scan, trace, recordedGraphAddRecord, self);
}

/* ---- Kernels ----------------------------------------------------------- */

/* The next piece of a list, to be freed, or NULL at its end. */
static char *nextPiece(const char **at)
{
	GString *text;

	if (!**at)
		return NULL;
	text = g_string_new(NULL);
	for (; **at && **at != ';'; ++*at) {
		if (**at == '\\' && (*at)[1])
			++*at;
		g_string_append_c(text, **at);
	}
	*at += **at == ';';
	return g_string_free(text, FALSE);
}

/* A port with its size, which is the next piece. */
static int recordedGraphAddPort(struct making *self, int kernel, char kind,
				const char *id, const char **at)
{
	char *size = nextPiece(at);
	int ret = -EBADMSG;

	if (size && *size == 'S' && kind == 'I')
		ret = hdP_addInput(self->graph, kernel, id, size + 1);
	else if (size && *size == 'S')
		ret = self->output =
			hdP_addOutput(self->graph, kernel, id, size + 1);
	g_free(size);
	return ret;
}

/* Accesses to files, order and access, with their size. */
static int addIo(struct making *self, int kernel, const char *words,
		 const char **at)
{
	const char *blank = strchr(words, ' ');
	char *size = nextPiece(at);
	int class = blank ? hdPredictIoClass(words, (size_t)(blank - words),
					     blank + 1, strlen(blank + 1))
			  : -1;
	int ret = -EBADMSG;

	if (class >= 0 && size && *size == 'S')
		ret = hdP_addIo(self->graph, kernel, (hdPAccess) class,
				size + 1);
	g_free(size);
	return ret;
}

static int recordedGraphAddKernel(struct making *self, const char *id,
				  const char *at, int *kernel)
{
	char *class = nextPiece(&at);
	char state[HD_PREDICT_STATE_SIZE];
	guint none = 0;

	*kernel = hdP_addKernel(self->graph, id,
				class && *class == 'C' ? class + 1 : NULL);
	g_free(class);
	if (*kernel < 0)
		return *kernel;
	g_array_append_val(self->variables, none);
	hdPredictStateName(id, state, sizeof(state));
	/* Whose tasks would they be? */
	if (!g_hash_table_insert(self->byState, g_strdup(state),
				 GINT_TO_POINTER(*kernel))) {
		predictError(self->predict,
			     "%s: two kernels share the states %s, one of them "
			     "is %s",
			     self->path, state, id);
		return -EBADMSG;
	}
	return 0;
}

static int recordedGraphAddPiece(struct making *self, int *kernel,
				 const char *piece, const char **at)
{
	char *end;
	double until;

	if (*piece == 'K')
		return recordedGraphAddKernel(self, piece + 1, *at, kernel);
	if (*kernel < 0)
		return -EBADMSG;
	switch (*piece) {
	case 'C':
		return 0;
	case 'V':
		g_array_index(self->variables, guint, *kernel)++;
		return hdP_addVariable(self->graph, *kernel, piece + 1);
	case 'I':
	case 'O':
		return recordedGraphAddPort(self, *kernel, *piece, piece + 1,
					    at);
	case 'R':
		return hdP_setInout(self->graph, *kernel, self->output,
				    piece + 1);
	case 'A':
		return addIo(self, *kernel, piece + 1, at);
	case 'P':
		until = g_ascii_strtod(piece + 1, &end);
		return hdP_addPhase(self->graph, *kernel, until,
				    g_ascii_strtod(end, NULL));
	default:
		return -EBADMSG;
	}
}

static int addKernels(struct making *self)
{
	const char *at = self->kernels;
	int kernel = -1, ret = 0;
	char *piece;

	while (ret >= 0 && (piece = nextPiece(&at))) {
		ret = recordedGraphAddPiece(self, &kernel, piece, &at);
		g_free(piece);
	}
	return MIN(ret, 0);
}

/* ---- Tasks ------------------------------------------------------------- */

static int recordedGraphByNumber(const void *a, const void *b)
{
	const struct ran *x = *(struct ran *const *)a;
	const struct ran *y = *(struct ran *const *)b;

	return (x->number > y->number) - (x->number < y->number);
}

static int byDependency(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int addInputs(struct making *self, const struct ran *ran)
{
	char **list = g_strsplit(ran->inputs ? ran->inputs : "", " ", -1);
	int ret = 0;

	for (guint i = 0; list[i] && *list[i] && ret == 0; i++) {
		struct link link = { .consumer = ran->number, .input = i };

		if (sscanf(list[i], "%" SCNd64 ":%" SCNd64 ":%" SCNd64,
			   &link.producer, &link.output, &link.number) == 3)
			g_array_append_val(self->links, link);
		else
			ret = -EBADMSG;
	}
	g_strfreev(list);
	return ret;
}

static int recordedGraphAddTask(struct making *self, struct ran *ran)
{
	const char *state = self->names->pdata[ran->kernel];
	gpointer found;
	char **list;
	double *values;
	guint count;
	int64_t task;

	if (!g_hash_table_lookup_extended(self->byState, state, NULL, &found))
		return -EBADMSG;
	ran->kernel = GPOINTER_TO_INT(found);
	list = g_strsplit(ran->values ? ran->values : "", " ", -1);
	count = g_strv_length(list);
	values = g_new0(double, count + 1);
	for (guint i = 0; i < count; i++)
		values[i] = g_ascii_strtod(list[i], NULL);
	task = count == g_array_index(self->variables, guint, ran->kernel)
		       ? hdP_addTask(self->graph, ran->id, ran->kernel, values)
		       : -EBADMSG;
	g_free(values);
	g_strfreev(list);
	if (task >= 0 && ran->row >= 0 && ran->column >= 0)
		hdP_setTile(self->graph, task, (uint32_t)ran->row,
			    (uint32_t)ran->column);
	return task < 0              ? (int)task
	       : task != ran->number ? -EBADMSG
				     : addInputs(self, ran);
}

static int recordedGraphAddTasks(struct making *self)
{
	int ret = 0;

	g_ptr_array_sort(self->tasks, recordedGraphByNumber);
	for (guint i = 0; i < self->tasks->len && ret == 0; i++)
		ret = recordedGraphAddTask(self, self->tasks->pdata[i]);
	g_array_sort(self->links, byDependency);
	for (guint i = 0; i < self->links->len && ret >= 0; i++) {
		const struct link *link =
			&g_array_index(self->links, struct link, i);

		if (hdP_addDependency(self->graph, link->producer,
				      (int)link->output, link->consumer,
				      (int)link->input) < 0)
			ret = -EBADMSG;
	}
	return ret;
}

/* ---- What was measured ------------------------------------------------- */

static int recordedGraphByTime(const void *a, const void *b)
{
	const struct ran *x = *(struct ran *const *)a;
	const struct ran *y = *(struct ran *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return recordedGraphByNumber(a, b);
}

static int byPe(const void *a, const void *b)
{
	const struct ran *x = *(struct ran *const *)a;
	const struct ran *y = *(struct ran *const *)b;
	int order = strcmp(x->pe, y->pe);

	return order ? order : recordedGraphByTime(a, b);
}

/* Whether any task ran on several PEs: as far as their names tell. */
static bool recordedGraphHasSets(const struct making *self)
{
	for (guint i = 0; i < self->tasks->len; i++) {
		const struct ran *ran = self->tasks->pdata[i];

		if (strchr(ran->pe, ','))
			return true;
	}
	return false;
}

/* Tasks have a place on each PE; where they share PEs, among all tasks. */
static int annotate(struct making *self)
{
	bool hasSets = recordedGraphHasSets(self);
	const char *pe = "";
	int64_t place = 0;
	int ret = 0;

	g_ptr_array_sort(self->tasks, hasSets ? recordedGraphByTime : byPe);
	for (guint i = 0; i < self->tasks->len && ret == 0; i++) {
		const struct ran *ran = self->tasks->pdata[i];

		place = hasSets ? i : strcmp(pe, ran->pe) == 0 ? place + 1 : 0;
		pe = ran->pe;
		ret = hdP_setMapping(self->graph, ran->number, pe, place);
		if (ret == 0)
			ret = hdP_setTimes(
				self->graph, ran->number,
				(double)(ran->start - self->begin) / 1e9,
				(double)(ran->end - self->begin) / 1e9);
	}
	return ret;
}

static int recordedGraphMakeGraph(struct making *self)
{
	struct predict *predict = self->predict;
	int ret;

	if (!self->kernels)
		return predictError(predict,
				    "%s: contains no description of the graph",
				    self->path);
	self->graph = hdP_createGraph();
	ret = self->graph ? addKernels(self) : -ENOMEM;
	if (ret == 0)
		ret = recordedGraphAddTasks(self);
	if (ret == 0)
		ret = hdP_finishGraph(self->graph, predictTake, predict);
	if (ret == 0)
		ret = annotate(self);
	if (ret == -ENOMEM)
		return predictError(predict, "%s", g_strerror(ENOMEM));
	if (ret < 0 && !predict->errors)
		predictError(predict, "%s: contains only a part of the graph",
			     self->path);
	return ret < 0 ? PREDICT_INVALID : PREDICT_OK;
}

static int recordedGraphRun(struct making *self, const char *output,
			    const char *form)
{
	struct scan scan = { .tool = &self->tool };
	int status = PREDICT_FAILED;
	hdIProject *project = toolOpen(&self->tool, self->path);

	if (!project)
		return PREDICT_FAILED;
	self->project = scan.project = project;
	scanTraces(&scan, recordedGraphAddTrace, self);
	if (!self->tool.hasFailed)
		status = recordedGraphMakeGraph(self);
	if (status == PREDICT_OK)
		status = predictWrite(self->predict, self->graph,
				      output ? output : "-",
				      form ? form : "xml", NULL, NULL);
	hdP_destroyGraph(self->graph);
	hdI_closeProject(project);
	return status;
}

int graphRun(struct predict *predict, int argc, char **argv)
{
	char *format = NULL, *form = NULL, *output = NULL;
	const GOptionEntry entries[] = {
		{ "format", 0, 0, G_OPTION_ARG_STRING, &format,
		  PREDICT_FORMS "(default: xml)", "FORM" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &form,
		  "The same as --format", "FORM" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"PROJECT",
		"Convert the project of a run into its task graph, with "
		"mapping and times.",
		"PROJECT is written by hdexecute or by hdpredict simulate -o.\n"
		"\n"
		"Examples:\n"
		"  hdpredict graph run1 -o measured.xml\n"
		"  hdpredict graph run1 | hdpredict simulate - --platform "
		"p.xml --resources r.xml\n"
		"  hdpredict graph --format=metis run1 -o run1.metis\n",
		1, 1
	};
	struct making self = { .predict = predict, .begin = INT64_MAX };
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	if (format && form)
		return predictExcludes(predict, "format", "to");
	if (predictForm(predict, format ? "--format" : "--to",
			format ? format : form) < 0)
		return PREDICT_FAILED;
	self.path = argv[1];
	self.tool.program = "hdpredict";
	self.tool.command = predict->command;
	self.tasks = g_ptr_array_new_with_free_func(freeRan);
	self.names = g_ptr_array_new_with_free_func(g_free);
	self.links = g_array_new(FALSE, FALSE, sizeof(struct link));
	self.variables = g_array_new(FALSE, FALSE, sizeof(guint));
	self.byState =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	status = recordedGraphRun(&self, output, format ? format : form);
	g_hash_table_destroy(self.byState);
	g_array_unref(self.variables);
	g_array_unref(self.links);
	g_ptr_array_unref(self.names);
	g_ptr_array_unref(self.tasks);
	g_free(self.kernels);
	return status;
}
