/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what readers of other formats find to a graph; see import.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/command/import/import.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/names.h"

/* Longest name of a kernel, in bytes; projects have names of states, too. */
#define KERNEL_NAME_MAX 150
/* Sizes of more data sets than that are numbers in a kernel of the task. */
#define PORTS_MAX (HD_PREDICT_VARIABLES_MAX - 2)

struct task {
	char *id;
	uint32_t name; /* Of its kernel, among all of them. */
	double amount, energy;
	uint32_t inputs, outputs; /* Numbers of them. */
	uint32_t signal;          /* Data set without bytes; or NONE. */
};

struct data {
	uint32_t task;
	uint32_t number; /* Among the outputs of the task. */
	double bytes;
};

struct link {
	uint32_t data;
	uint32_t task;
};

/* What tasks with one name of a kernel have in common. */
struct shape {
	char *name; /* Of a kernel, with characters that are allowed. */
	uint32_t inputs, outputs;
	bool differ;    /* Numbers of inputs or outputs. */
	bool hasEnergy; /* Of a task at least. */
};

struct import {
	const char *amount;
	GArray *tasks; /* struct task */
	GHashTable *byId;
	GArray *data;         /* struct data */
	GArray *links;        /* struct link */
	GArray *shapes;       /* struct shape */
	GHashTable *byName;   /* Shapes, by the name in the file. */
	GHashTable *taken;    /* Names of kernels, with the last number behind
			       * them. */
	GHashTable *byKernel; /* Kernels, by shape, inputs and outputs. */
	uint32_t *firstInput, *inputs; /* Links by task. */
	uint32_t *firstData, *outputs; /* Data sets by task. */
	bool hasAmount;
};

static struct task *importTaskAt(const struct import *self, uint32_t number)
{
	return &g_array_index(self->tasks, struct task, number);
}

static struct data *importDataAt(const struct import *self, uint32_t number)
{
	return &g_array_index(self->data, struct data, number);
}

static struct shape *importShapeAt(const struct import *self, uint32_t number)
{
	return &g_array_index(self->shapes, struct shape, number);
}

bool importIsAmount(double value)
{
	return value >= 0 && isfinite(value);
}

static void importClearTask(void *data)
{
	g_free(((struct task *)data)->id);
}

static void importClearShape(void *data)
{
	g_free(((struct shape *)data)->name);
}

struct import *importNew(const char *amount)
{
	struct import *self = g_new0(struct import, 1);

	self->amount = amount;
	/* All costs of no task are known. */
	self->hasAmount = true;
	self->tasks = g_array_new(FALSE, FALSE, sizeof(struct task));
	g_array_set_clear_func(self->tasks, importClearTask);
	self->data = g_array_new(FALSE, FALSE, sizeof(struct data));
	self->links = g_array_new(FALSE, FALSE, sizeof(struct link));
	self->shapes = g_array_new(FALSE, FALSE, sizeof(struct shape));
	g_array_set_clear_func(self->shapes, importClearShape);
	self->byId = g_hash_table_new(g_str_hash, g_str_equal);
	self->byName =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->taken =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->byKernel =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return self;
}

void importFree(struct import *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->byId);
	g_hash_table_destroy(self->byName);
	g_hash_table_destroy(self->taken);
	g_hash_table_destroy(self->byKernel);
	g_array_unref(self->tasks);
	g_array_unref(self->data);
	g_array_unref(self->links);
	g_array_unref(self->shapes);
	free(self->firstInput);
	free(self->inputs);
	free(self->firstData);
	free(self->outputs);
	g_free(self);
}

/* ---- What is added ------------------------------------------------------ */

/* A name that is not taken: this one, or with a number behind it. */
static char *importTakeName(struct import *self, const char *name)
{
	guint last = GPOINTER_TO_UINT(g_hash_table_lookup(self->taken, name));
	char *result = g_strdup(name);

	while (g_hash_table_contains(self->taken, result)) {
		g_free(result);
		last++;
		result = g_strdup_printf("%s-%u", name, last);
	}
	g_hash_table_insert(self->taken, g_strdup(name),
			    GUINT_TO_POINTER(MAX(last, 1)));
	if (last)
		g_hash_table_insert(self->taken, g_strdup(result),
				    GUINT_TO_POINTER(1));
	return result;
}

/* A name as states of projects have it, so that different kernels have
 * different states. */
static char *importKernelName(struct import *self, const char *text)
{
	GString *name = g_string_new(NULL);
	char *result;

	for (; *text && name->len < KERNEL_NAME_MAX; text++) {
		bool isMore =
			g_ascii_isdigit(*text) || *text == '.' || *text == '-';

		g_string_append_c(name, g_ascii_isalpha(*text) ||
							(isMore && name->len)
						? *text
						: '_');
	}
	if (!name->len)
		g_string_append_c(name, '_');
	result = importTakeName(self, name->str);
	g_string_free(name, TRUE);
	return result;
}

/* The shape of a kernel by its name in the file. */
static uint32_t importShape(struct import *self, const char *name)
{
	gpointer found;
	struct shape shape = { 0 };

	if (g_hash_table_lookup_extended(self->byName, name, NULL, &found))
		return GPOINTER_TO_UINT(found);
	shape.name = importKernelName(self, name);
	g_array_append_val(self->shapes, shape);
	g_hash_table_insert(self->byName, g_strdup(name),
			    GUINT_TO_POINTER(self->shapes->len - 1));
	return self->shapes->len - 1;
}

const char *importTask(struct import *self, const char *id, const char *kernel,
		       double amount, double energy, uint32_t *number)
{
	struct task task = { .amount = amount,
			     .energy = energy,
			     .signal = HD_PREDICT_NONE };

	if (!*id)
		return "the name of the task is empty";
	if (!hdPredictIsText(id, strlen(id)))
		return "the name of the task has characters that XML does not "
		       "allow";
	if (g_hash_table_contains(self->byId, id))
		return "duplicate name of a task";
	if (self->tasks->len >= UINT32_MAX - 1)
		return "too many tasks";
	task.id = g_strdup(id);
	task.name = importShape(self, kernel);
	*number = self->tasks->len;
	g_array_append_val(self->tasks, task);
	g_hash_table_insert(self->byId, task.id, GUINT_TO_POINTER(*number));
	importShapeAt(self, task.name)->hasEnergy |= !isnan(energy);
	self->hasAmount = !isnan(amount);
	return NULL;
}

bool importFind(const struct import *self, const char *id, uint32_t *task)
{
	gpointer found;

	if (!g_hash_table_lookup_extended(self->byId, id, NULL, &found))
		return false;
	*task = GPOINTER_TO_UINT(found);
	return true;
}

const char *importName(const struct import *self, uint32_t task)
{
	return importTaskAt(self, task)->id;
}

uint32_t importCount(const struct import *self)
{
	return self->tasks->len;
}

uint32_t importData(struct import *self, uint32_t task, double bytes)
{
	struct data data = { task, importTaskAt(self, task)->outputs++, bytes };

	g_array_append_val(self->data, data);
	return self->data->len - 1;
}

uint32_t importSignal(struct import *self, uint32_t task)
{
	if (importTaskAt(self, task)->signal == HD_PREDICT_NONE) {
		uint32_t data = importData(self, task, 0);

		importTaskAt(self, task)->signal = data;
	}
	return importTaskAt(self, task)->signal;
}

void importLink(struct import *self, uint32_t data, uint32_t task)
{
	struct link link = { data, task };

	importTaskAt(self, task)->inputs++;
	g_array_append_val(self->links, link);
}

/* ---- Kernels ------------------------------------------------------------ */

static double importInputBytes(const struct import *self, uint32_t task,
			       uint32_t input)
{
	uint32_t link = self->inputs[self->firstInput[task] + input];

	return importDataAt(self,
			    g_array_index(self->links, struct link, link).data)
		->bytes;
}

static double importOutputBytes(const struct import *self, uint32_t task,
				uint32_t output)
{
	return importDataAt(self, self->outputs[self->firstData[task] + output])
		->bytes;
}

/* Whether sizes are numbers in the kernel, since it would have too many
 * variables. */
static bool importIsLarge(const struct task *task)
{
	return (uint64_t)task->inputs + task->outputs > PORTS_MAX;
}

/* An input or output, with a variable for its size; of large tasks, with its
 * size. */
static int importAddPort(hdPGraph *graph, int kernel, bool isInput,
			 uint32_t number, const double *bytes)
{
	char id[32], size[G_ASCII_DTOSTR_BUF_SIZE];
	int ret = 0;

	g_snprintf(id, sizeof(id), "%s%u", isInput ? "in" : "out", number + 1);
	if (bytes) {
		g_ascii_dtostr(size, sizeof(size), *bytes);
	} else {
		g_snprintf(size, sizeof(size), "%s_bytes", id);
		ret = hdP_addVariable(graph, kernel, size);
	}
	if (ret < 0)
		return ret;
	return isInput ? hdP_addInput(graph, kernel, id, size)
		       : hdP_addOutput(graph, kernel, id, size);
}

/* A kernel as a task has it. */
static int importAddKernel(struct import *self, hdPGraph *graph,
			   uint32_t number, const char *name)
{
	const struct task *task = importTaskAt(self, number);
	bool isLarge = importIsLarge(task);
	int kernel = hdP_addKernel(graph, name, NULL), ret = kernel;

	if (ret >= 0 && self->hasAmount)
		ret = hdP_addVariable(graph, kernel, self->amount);
	if (ret >= 0 && importShapeAt(self, task->name)->hasEnergy)
		ret = hdP_addVariable(graph, kernel, "energy_j");
	for (uint32_t i = 0; i < task->inputs && ret >= 0; i++) {
		double bytes = importInputBytes(self, number, i);

		ret = importAddPort(graph, kernel, true, i,
				    isLarge ? &bytes : NULL);
	}
	for (uint32_t i = 0; i < task->outputs && ret >= 0; i++) {
		double bytes = importOutputBytes(self, number, i);

		ret = importAddPort(graph, kernel, false, i,
				    isLarge ? &bytes : NULL);
	}
	return ret < 0 ? ret : kernel;
}

/* The kernel of a task: that of tasks with as many inputs and outputs. */
static int importKernelOf(struct import *self, hdPGraph *graph, uint32_t number)
{
	const struct task *task = importTaskAt(self, number);
	const struct shape *shape = importShapeAt(self, task->name);
	char *key = g_strdup_printf("%u.%u.%u.%u", task->name, task->inputs,
				    task->outputs,
				    importIsLarge(task) ? number : UINT32_MAX);
	char *wanted, *name;
	gpointer found;
	int kernel;

	if (g_hash_table_lookup_extended(self->byKernel, key, NULL, &found)) {
		g_free(key);
		return GPOINTER_TO_INT(found);
	}
	wanted = g_strdup_printf("%s.%u.%u", shape->name, task->inputs,
				 task->outputs);
	name = shape->differ ? importTakeName(self, wanted)
			     : g_strdup(shape->name);
	g_free(wanted);
	kernel = importAddKernel(self, graph, number, name);
	g_free(name);
	if (kernel < 0)
		g_free(key);
	else
		g_hash_table_insert(self->byKernel, key,
				    GINT_TO_POINTER(kernel));
	return kernel;
}

/* Which shapes have tasks with different numbers of inputs or outputs. */
static void importFindShapes(struct import *self)
{
	GArray *isSeen = g_array_new(FALSE, TRUE, sizeof(bool));

	g_array_set_size(isSeen, self->shapes->len);
	for (uint32_t t = 0; t < self->tasks->len; t++) {
		const struct task *task = importTaskAt(self, t);
		struct shape *shape = importShapeAt(self, task->name);
		bool *wasSeen = &g_array_index(isSeen, bool, task->name);

		if (*wasSeen)
			shape->differ |= shape->inputs != task->inputs ||
					 shape->outputs != task->outputs ||
					 importIsLarge(task);
		*wasSeen = true;
		shape->inputs = task->inputs;
		shape->outputs = task->outputs;
	}
	g_array_unref(isSeen);
}

/* ---- The graph ---------------------------------------------------------- */

static int importAddTask(struct import *self, hdPGraph *graph, uint32_t number,
			 GArray *values)
{
	const struct task *task = importTaskAt(self, number);
	int kernel = importKernelOf(self, graph, number);
	int64_t added;

	if (kernel < 0)
		return kernel;
	g_array_set_size(values, 0);
	if (self->hasAmount)
		g_array_append_val(values, task->amount);
	if (importShapeAt(self, task->name)->hasEnergy) {
		double energy = isnan(task->energy) ? 0 : task->energy;

		g_array_append_val(values, energy);
	}
	for (uint32_t i = 0; i < task->inputs && !importIsLarge(task); i++) {
		double bytes = importInputBytes(self, number, i);

		g_array_append_val(values, bytes);
	}
	for (uint32_t i = 0; i < task->outputs && !importIsLarge(task); i++) {
		double bytes = importOutputBytes(self, number, i);

		g_array_append_val(values, bytes);
	}
	added = hdP_addTask(graph, task->id, kernel, (double *)values->data);
	return added < 0 ? (int)added : 0;
}

static int importAddTasks(struct import *self, hdPGraph *graph)
{
	GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
	int ret = 0;

	for (uint32_t t = 0; t < self->tasks->len && ret == 0; t++)
		ret = importAddTask(self, graph, t, values);
	g_array_unref(values);
	return ret;
}

static int importAddLinks(struct import *self, hdPGraph *graph)
{
	uint32_t *next = g_new0(uint32_t, self->tasks->len + 1);
	int64_t ret = 0;

	for (guint i = 0; i < self->links->len && ret >= 0; i++) {
		const struct link *link =
			&g_array_index(self->links, struct link, i);
		const struct data *data = importDataAt(self, link->data);

		ret = hdP_addDependency(graph, data->task, (int)data->number,
					link->task, (int)next[link->task]++);
	}
	g_free(next);
	return ret < 0 ? (int)ret : 0;
}

static int importMakeGraph(struct import *self, struct hdPredictReport *report,
			   hdPGraph **result)
{
	hdPGraph *graph = hdP_createGraph();
	int ret = graph ? importAddTasks(self, graph) : -ENOMEM;

	if (ret == 0)
		ret = importAddLinks(self, graph);
	if (ret == 0)
		ret = hdPredictGraphSeal(graph, report);
	if (ret < 0)
		hdP_destroyGraph(graph);
	else
		*result = graph;
	return ret;
}

/* ---- Costs -------------------------------------------------------------- */

/* An entry for tasks of a kernel with these values. */
static int importAddEntry(const struct import *self, hdPResources *resources,
			  const struct importCosts *costs, const char *kernel,
			  const struct task *task)
{
	double energy = isnan(task->energy) ? 0 : task->energy;
	int64_t entry = hdP_addEntry(resources, kernel, costs->architecture,
				     task->amount / costs->speed, energy, 0, 0);
	int ret = entry < 0 ? (int)entry
			    : hdP_addCondition(resources, entry, self->amount,
					       task->amount);

	if (ret == 0 && importShapeAt(self, task->name)->hasEnergy)
		ret = hdP_addCondition(resources, entry, "energy_j", energy);
	return ret;
}

/* Tasks with equal kernels, amounts and energies share an entry. */
static int importAddCosts(struct import *self, const hdPGraph *graph,
			  const struct importCosts *costs,
			  struct hdPredictReport *report,
			  hdPResources *resources)
{
	GHashTable *isThere =
		g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
				      (GDestroyNotify)g_bytes_unref, NULL);
	int ret = 0;

	for (uint32_t t = 0; t < self->tasks->len && ret == 0; t++) {
		const struct task *task = importTaskAt(self, t);
		int kernel = hdP_getTaskKernel(graph, t);
		double key[] = { kernel, task->amount + 0.0,
				 isnan(task->energy) ? 0 : task->energy + 0.0 };

		if (!importIsAmount(task->amount / costs->speed)) {
			hdPredictError(report, 0, task->id, strlen(task->id),
				       "its time exceeds the range of a "
				       "double");
			ret = -EINVAL;
		} else if (g_hash_table_add(isThere,
					    g_bytes_new(key, sizeof(key)))) {
			ret = importAddEntry(self, resources, costs,
					     hdP_getKernelId(graph, kernel),
					     task);
		}
	}
	g_hash_table_destroy(isThere);
	return ret;
}

static int importMakeCosts(struct import *self, const hdPGraph *graph,
			   const struct importCosts *costs,
			   struct hdPredictReport *report,
			   hdPResources **result)
{
	hdPResources *resources;
	int ret;

	if (!self->hasAmount)
		return 0;
	resources = hdP_createResources();
	ret = resources ? importAddCosts(self, graph, costs, report, resources)
			: -ENOMEM;
	if (ret == 0)
		ret = hdP_finishResources(resources, NULL, NULL);
	if (ret < 0)
		hdP_destroyResources(resources);
	else
		*result = resources;
	return ret;
}

int importFinish(struct import *self, const struct importCosts *costs,
		 struct hdPredictReport *report, struct imported *result)
{
	int ret;

	*result = (struct imported){ .graph = NULL };
	for (uint32_t t = 0; t < self->tasks->len; t++)
		result->withoutEnergy += isnan(importTaskAt(self, t)->energy);
	importFindShapes(self);
	ret = hdPredictGroup(self->links->data, sizeof(struct link),
			     offsetof(struct link, task), self->links->len,
			     self->tasks->len, &self->firstInput,
			     &self->inputs);
	if (ret == 0)
		ret = hdPredictGroup(self->data->data, sizeof(struct data),
				     offsetof(struct data, task),
				     self->data->len, self->tasks->len,
				     &self->firstData, &self->outputs);
	if (ret == 0)
		ret = importMakeGraph(self, report, &result->graph);
	if (ret == 0)
		ret = importMakeCosts(self, result->graph, costs, report,
				      &result->resources);
	if (ret < 0) {
		hdP_destroyGraph(result->graph);
		result->graph = NULL;
	}
	return ret;
}
