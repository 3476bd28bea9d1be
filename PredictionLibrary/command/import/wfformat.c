/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workflows in WfFormat, the JSON of WfCommons; see import.h.
 *
 * Since 1.5, tasks have a specification and an execution, and files are listed
 * once; before, a task has all of it. Tasks refer to each other by their ids;
 * before 1.5, by their names.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "PredictionLibrary/command/import/wfformat.h"
#include "PredictionLibrary/model/names.h"

#define J_PER_KWH 3.6e6
/* Where runs are, since 1.5. */
#define EXECUTIONS "workflow.execution.tasks"

/* Report an error at tasks[TASK].PART.KEY[ITEM]; PART and KEY may be NULL, and
 * ITEM -1. */
int wfformatFail(struct wfformat *self, size_t task, const char *key,
		 int64_t item, const char *format, ...)
{
	GString *where = g_string_new(self->place);
	va_list list;
	char *text;

	g_string_append_printf(where, "[%zu]", task);
	if (self->part)
		g_string_append_printf(where, ".%s", self->part);
	if (key)
		g_string_append_printf(where, ".%s", key);
	if (item >= 0)
		g_string_append_printf(where, "[%" PRId64 "]", item);
	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	hdPredictError(self->report, 0, where->str, where->len, "%s", text);
	g_free(text);
	g_string_free(where, TRUE);
	return -EINVAL;
}

/* ---- Values ------------------------------------------------------------- */

/* A text of a task; NULL: there is none, or it is reported. */
const char *wfformatText(struct wfformat *self, size_t task, json_t *object,
			 const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return NULL;
	if (json_is_string(value))
		return json_string_value(value);
	wfformatFail(self, task, key, -1, "not a string");
	return NULL;
}

/* A number of a task of 0 or more; NaN: there is none, or it is reported. */
double wfformatNumber(struct wfformat *self, size_t task, json_t *object,
		      const char *key)
{
	json_t *value = json_object_get(object, key);
	double number = json_number_value(value);

	if (!value || json_is_null(value))
		return NAN;
	if (json_is_number(value) && importIsAmount(number))
		return number;
	if (json_is_number(value))
		wfformatFail(self, task, key, -1,
			     "%g is not a number of 0 or more", number);
	else
		wfformatFail(self, task, key, -1, "not a number");
	return NAN;
}

/* A list of a task; NULL: there is none, or it is reported. */
json_t *wfformatList(struct wfformat *self, size_t task, json_t *object,
		     const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return NULL;
	if (json_is_array(value))
		return value;
	wfformatFail(self, task, key, -1, "not an array");
	return NULL;
}

/* An object in an object, for errors that are not those of a task. */
static json_t *wfformatPart(struct wfformat *self, json_t *object,
			    const char *key, const char *path, bool isArray,
			    bool isNeeded)
{
	json_t *value = json_object_get(object, key);

	if (isArray ? json_is_array(value) : json_is_object(value))
		return value;
	if (value || isNeeded)
		hdPredictError(self->report, 0, path, strlen(path),
			       !value    ? "missing"
			       : isArray ? "not an array"
					 : "not an object");
	return NULL;
}

/* ---- Tasks -------------------------------------------------------------- */

/* The last part of a path. */
static const char *wfformatBase(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The program that a task ran; NULL: there is none, or it is reported. */
static const char *wfformatProgram(struct wfformat *self, size_t number,
				   json_t *execution)
{
	json_t *command = json_object_get(execution, "command");
	const char *program;

	if (!json_is_object(command)) {
		if (command && !json_is_null(command))
			wfformatFail(self, number, "command", -1,
				     "not an object");
		return NULL;
	}
	self->part = "command";
	program = wfformatText(self, number, command, "program");
	self->part = NULL;
	return program;
}

/* Name of the kernel of a task: what is alike in several tasks. */
static const char *wfformatKernel(struct wfformat *self, size_t task,
				  json_t *object, const char *program)
{
	const char *kernel = wfformatText(self, task, object, "category");

	if (!kernel)
		kernel = program;
	if (kernel)
		kernel = wfformatBase(kernel);
	if (!kernel || !*kernel)
		kernel = wfformatText(self, task, object, "name");
	return kernel && *kernel ? kernel : "task";
}

/* Energy of a task in J; NaN: unknown. */
static double wfformatEnergy(struct wfformat *self, size_t task,
			     json_t *execution, double time)
{
	double kwh = wfformatNumber(self, task, execution,
				    self->isOld ? "energy" : "energyInKWh");
	double power = wfformatNumber(self, task, execution,
				      self->isOld ? "avgPower" : "avgPowerInW");
	double energy = isnan(kwh) ? power * time : kwh * J_PER_KWH;

	if (!isnan(energy) && !isfinite(energy)) {
		wfformatFail(self, task, NULL, -1,
			     "its energy exceeds the range of a double");
		return NAN;
	}
	return energy;
}

/* What is known of the run of a task; NULL: nothing. */
static json_t *wfformatExecution(const struct wfformat *self, json_t *object,
				 const char *id, size_t *number)
{
	guint found;

	if (self->isOld)
		return object;
	found = GPOINTER_TO_UINT(g_hash_table_lookup(self->byId, id));
	if (!found)
		return NULL;
	*number = found - 1;
	return json_array_get(self->executions, *number);
}

/* What is known of a run. */
struct run {
	double time, cores, energy; /* NaN: unknown. */
	const char *program;        /* NULL: unknown. */
};

/* Find what is known of a run; errors are at the place of its values. */
static void wfformatRun(struct wfformat *self, size_t number, json_t *object,
			const char *id, struct run *run)
{
	const char *place = self->place;
	json_t *execution = wfformatExecution(self, object, id, &number);

	if (!self->isOld && execution)
		self->place = EXECUTIONS;
	run->time = wfformatNumber(self, number, execution, "runtimeInSeconds");
	run->cores = wfformatNumber(self, number, execution,
				    self->isOld ? "cores" : "coreCount");
	run->energy = wfformatEnergy(self, number, execution, run->time);
	run->program = wfformatProgram(self, number, execution);
	if (importCount(self->import) && isnan(run->time) == self->hasTimes &&
	    !self->report->errors) {
		if (execution)
			wfformatFail(
				self, number, "runtimeInSeconds", -1,
				self->hasTimes
					? "missing, but other tasks have it"
					: "other tasks have none");
		else
			wfformatFail(self, number, NULL, -1,
				     "has no run in " EXECUTIONS
				     ", but other tasks have one");
	}
	self->hasTimes = !isnan(run->time);
	self->place = place;
}

static void wfformatTask(struct wfformat *self, size_t number, json_t *object,
			 const char *id, const char *other)
{
	const char *kernel, *wrong;
	struct run run;
	uint32_t task;

	wfformatRun(self, number, object, id, &run);
	kernel = wfformatKernel(self, number, object, run.program);
	self->manyCores += run.cores > 1;
	wrong = importTask(self->import, id, kernel, run.time, run.energy,
			   &task);
	if (wrong) {
		wfformatFail(self, number, NULL, -1, "%s: \"%.200s\"", wrong,
			     id);
		return;
	}
	if (!other)
		return;
	if (g_hash_table_contains(self->byOther, other))
		task = HD_PREDICT_NONE;
	g_hash_table_insert(self->byOther, g_strdup(other),
			    GUINT_TO_POINTER(task));
}

/* Whether each task has a name of its own. */
static bool wfformatHasNames(const struct wfformat *self)
{
	GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
	bool isGood = true;
	json_t *object;
	size_t i;

	json_array_foreach(self->tasks, i, object)
	{
		const char *name =
			json_string_value(json_object_get(object, "name"));

		isGood =
			isGood && name && g_hash_table_add(names, (char *)name);
	}
	g_hash_table_destroy(names);
	return isGood;
}

static int wfformatTasks(struct wfformat *self)
{
	bool isByName = self->isOld && wfformatHasNames(self);
	json_t *object;
	size_t i;

	json_array_foreach(self->tasks, i, object)
	{
		const char *id, *name;

		if (!json_is_object(object)) {
			wfformatFail(self, i, NULL, -1, "not an object");
			continue;
		}
		id = wfformatText(self, i, object, "id");
		name = wfformatText(self, i, object, "name");
		if (isByName ? !name : !id) {
			wfformatFail(self, i, isByName ? "name" : "id", -1,
				     "missing");
			continue;
		}
		wfformatTask(self, i, object, isByName ? name : id,
			     self->isOld ? (isByName ? id : name) : NULL);
	}
	return self->report->errors ? -EINVAL : 0;
}

/* What is known of runs, by the ids of tasks. */
static int wfformatExecutions(struct wfformat *self)
{
	json_t *object;
	size_t i;

	if (!self->executions)
		return 0;
	self->place = EXECUTIONS;
	json_array_foreach(self->executions, i, object)
	{
		const char *id = json_is_object(object)
					 ? wfformatText(self, i, object, "id")
					 : NULL;

		if (!id)
			wfformatFail(self, i, NULL, -1,
				     "not an object with an id");
		else if (!g_hash_table_insert(self->byId, (char *)id,
					      GUINT_TO_POINTER(i + 1)))
			wfformatFail(self, i, "id", -1,
				     "duplicate id \"%.200s\"", id);
	}
	return self->report->errors ? -EINVAL : 0;
}

/* Each execution is of a task. */
static int wfformatMatch(struct wfformat *self)
{
	const char *place = self->place;
	json_t *object;
	uint32_t task;
	size_t i;

	self->place = EXECUTIONS;
	json_array_foreach(self->executions, i, object)
	{
		const char *id =
			json_string_value(json_object_get(object, "id"));

		if (id && !importFind(self->import, id, &task))
			wfformatFail(self, i, "id", -1,
				     "unknown task \"%.200s\"", id);
	}
	self->place = place;
	return self->report->errors ? -EINVAL : 0;
}

/* ---- Orders ------------------------------------------------------------- */

/* Both tasks of a pair count: some tasks have many parents. */
static guint wfformatHashPair(gconstpointer data)
{
	const uint64_t *pair = data;

	return (guint)(*pair * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static gboolean wfformatIsSamePair(gconstpointer a, gconstpointer b)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

struct order *wfformatFindOrder(const struct wfformat *self, uint32_t before,
				uint32_t after)
{
	uint64_t key = (uint64_t)before << 32 | after;
	guint number =
		GPOINTER_TO_UINT(g_hash_table_lookup(self->byPair, &key));

	return number ? &g_array_index(self->orders, struct order, number - 1)
		      : NULL;
}

static void wfformatAddOrder(struct wfformat *self, uint32_t before,
			     uint32_t after)
{
	struct order order = { before, after, false };
	uint64_t *key;

	if (wfformatFindOrder(self, before, after))
		return;
	g_array_append_val(self->orders, order);
	key = g_new(uint64_t, 1);
	*key = (uint64_t)before << 32 | after;
	g_hash_table_insert(self->byPair, key,
			    GUINT_TO_POINTER(self->orders->len));
}

/* Find a task by its name, or by its other name; NULL, or what is wrong. */
static const char *wfformatFindTask(const struct wfformat *self,
				    const char *name, uint32_t *task)
{
	bool isOwn = importFind(self->import, name, task);
	gpointer found;

	if (!g_hash_table_lookup_extended(self->byOther, name, NULL, &found))
		return isOwn ? NULL : "unknown task";
	if (isOwn ? GPOINTER_TO_UINT(found) != *task
		  : GPOINTER_TO_UINT(found) == HD_PREDICT_NONE)
		return "ambiguous, since several tasks have the name or id";
	*task = GPOINTER_TO_UINT(found);
	return NULL;
}

/* A task that another one refers to; false: it is reported. */
static bool wfformatRefer(struct wfformat *self, size_t from, const char *key,
			  size_t item, json_t *value, uint32_t *task)
{
	const char *name = json_string_value(value);
	const char *wrong;

	if (!name) {
		wfformatFail(self, from, key, (int64_t)item, "not a string");
		return false;
	}
	wrong = wfformatFindTask(self, name, task);
	if (wrong) {
		wfformatFail(self, from, key, (int64_t)item, "%s \"%.200s\"",
			     wrong, name);
		return false;
	}
	if (*task == from)
		wfformatFail(self, from, key, (int64_t)item,
			     "the task refers to itself");
	return *task != from;
}

/* Parents and children: each pair of tasks is said once or twice. */
static int wfformatOrders(struct wfformat *self)
{
	json_t *object, *value;
	size_t i, k;

	json_array_foreach(self->tasks, i, object)
	{
		uint32_t other;

		json_array_foreach(wfformatList(self, i, object, "parents"), k,
				   value)
		{
			if (wfformatRefer(self, i, "parents", k, value, &other))
				wfformatAddOrder(self, other, (uint32_t)i);
		}
		json_array_foreach(wfformatList(self, i, object, "children"), k,
				   value)
		{
			if (wfformatRefer(self, i, "children", k, value,
					  &other))
				wfformatAddOrder(self, (uint32_t)i, other);
		}
	}
	return self->report->errors ? -EINVAL : 0;
}

/* ---- The document ------------------------------------------------------- */

/* What is not in the graph. */
static void wfformatWarn(const struct wfformat *self)
{
	if (self->unwritten)
		hdPredictWarn(self->report, 0, NULL, 0,
			      "the graph does not contain files that no "
			      "earlier task writes: inputs of tasks: %" PRIu64
			      ", %.0f bytes",
			      self->unwritten, self->unwrittenBytes);
	if (self->differing)
		hdPredictWarn(self->report, 0, NULL, 0,
			      "tasks disagree about the size of a file; the "
			      "size of the writer counts: %" PRIu64,
			      self->differing);
	if (self->manyCores)
		hdPredictWarn(self->report, 0, NULL, 0,
			      "tasks with several cores use one PE: %" PRIu64,
			      self->manyCores);
}

static int wfformatVersion(struct wfformat *self, json_t *root)
{
	static const char *const versions[] = { "1.4", "1.5", "1.6" };
	static const char key[] = "schemaVersion";
	const char *version = json_string_value(json_object_get(root, key));

	for (size_t i = 0; version && i < G_N_ELEMENTS(versions); i++) {
		if (strcmp(version, versions[i]) == 0) {
			self->isOld = i == 0;
			return 0;
		}
	}
	hdPredictError(self->report, 0, key, strlen(key),
		       version ? "\"%.100s\" is not supported; "
				 "expected 1.4, 1.5 or 1.6"
			       : "%s; expected 1.4, 1.5 or 1.6",
		       version ? version : "missing");
	return -EINVAL;
}

/* Find the lists of the document. */
static int wfformatFind(struct wfformat *self, json_t *root, json_t **files)
{
	json_t *workflow, *part;

	*files = NULL;
	if (wfformatVersion(self, root) < 0)
		return -EINVAL;
	workflow =
		wfformatPart(self, root, "workflow", "workflow", false, true);
	if (self->isOld) {
		self->place = "workflow.tasks";
		self->tasks = wfformatPart(self, workflow, "tasks", self->place,
					   true, workflow != NULL);
		return self->tasks ? 0 : -EINVAL;
	}
	part = wfformatPart(self, workflow, "specification",
			    "workflow.specification", false, workflow != NULL);
	self->place = "workflow.specification.tasks";
	self->tasks = wfformatPart(self, part, "tasks", self->place, true,
				   part != NULL);
	*files = wfformatPart(self, part, "files",
			      "workflow.specification.files", true, false);
	part = wfformatPart(self, workflow, "execution", "workflow.execution",
			    false, false);
	self->executions = wfformatPart(self, part, "tasks", EXECUTIONS, true,
					part != NULL);
	return self->report->errors ? -EINVAL : 0;
}

static int wfformatRoot(struct wfformat *self, json_t *root)
{
	const char *place;
	json_t *files;
	int ret = wfformatFind(self, root, &files);

	place = self->place;
	if (ret == 0)
		ret = wfformatExecutions(self);
	self->place = place;
	if (ret == 0)
		ret = wfformatTasks(self);
	if (ret == 0)
		ret = wfformatMatch(self);
	if (ret == 0)
		ret = wfformatOrders(self);
	if (ret == 0)
		ret = self->isOld ? wfformatSizes(self)
				  : wfformatFiles(self, files);
	if (ret == 0)
		ret = wfformatData(self);
	if (ret == 0)
		wfformatWarn(self);
	return ret;
}

int importWfformat(const char *text, size_t length, struct import *import,
		   struct hdPredictReport *report)
{
	struct wfformat self = { .import = import, .report = report };
	json_error_t error;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	int ret;

	if (!root) {
		hdPredictError(report, error.line, NULL, 0,
			       "not JSON: column %d: %s", error.column,
			       error.text);
		return -EBADMSG;
	}
	self.byId = g_hash_table_new(g_str_hash, g_str_equal);
	self.byOther =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self.files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
					   wfformatFreeFile);
	self.orders = g_array_new(FALSE, FALSE, sizeof(struct order));
	self.byPair = g_hash_table_new_full(wfformatHashPair,
					    wfformatIsSamePair, g_free, NULL);
	self.found = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	ret = wfformatRoot(&self, root);
	wfformatFreeLineage(self.lineage);
	g_array_unref(self.found);
	g_hash_table_destroy(self.byPair);
	g_array_unref(self.orders);
	g_hash_table_destroy(self.files);
	g_hash_table_destroy(self.byOther);
	g_hash_table_destroy(self.byId);
	json_decref(root);
	return ret;
}
