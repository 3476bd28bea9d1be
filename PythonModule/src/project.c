/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Projects as objects of Python. They hold no objects themselves, and so need
 * no collection of cycles.
 */
#include "config.h"

#include "PythonModule/src/python.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "HDTraceTools/model/projectstart.h"
#include "HDTraceTools/tables/read.h"
#include "PythonModule/src/messages.h"

/** An object. The interpreter's lock protects the counts. */
struct projectObject {
	PyObject head;
	hdIProject *project; /**< NULL: it is closed. */
	size_t readers;      /**< Calls that read it without the lock. */
	bool isClosed;       /**< As soon as no call reads it. */
	PyObject *buffer;    /**< The type of buffers. */
	struct hdPyMessages messages; /**< Of opening. */
};

static PyObject *projectMessages(const struct hdPyMessages *messages)
{
	static const char *const severities[] = {
		[HDI_NOTE] = "note",
		[HDI_WARNING] = "warning",
		[HDI_ERROR] = "error",
	};
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < messages->count; i++) {
		const hdIMessage *message = &messages->list[i];
		PyObject *item = Py_BuildValue(
			"(sNLLNs)", severities[message->severity],
			PyUnicode_DecodeFSDefault(message->file),
			(long long)message->offset, (long long)message->line,
			hdPyText(message->text), message->rule);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

/* ---- Opening and closing ----------------------------------------------- */

static void projectFreeUnused(struct projectObject *self)
{
	if (self->readers > 0 || !self->isClosed)
		return;
	hdI_closeProject(self->project);
	self->project = NULL;
}

static void projectDealloc(PyObject *object)
{
	struct projectObject *self = (struct projectObject *)object;
	PyTypeObject *type = Py_TYPE(object);

	hdI_closeProject(self->project);
	hdPyMessagesFree(&self->messages);
	Py_XDECREF(self->buffer);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

/** Whether a project is open; else with an exception. */
static bool projectIsOpen(const struct projectObject *self)
{
	if (!self->isClosed && self->project)
		return true;
	PyErr_SetString(PyExc_ValueError, "the project is closed");
	return false;
}

static PyObject *projectClose(PyObject *object, PyObject *unused)
{
	struct projectObject *self = (struct projectObject *)object;

	(void)unused;
	self->isClosed = true;
	projectFreeUnused(self);
	return Py_NewRef(Py_None);
}

PyObject *hdPyProjectOpen(PyObject *module, PyObject *arguments)
{
	const struct hdPyState *state = hdPyStateOf(module);
	PyTypeObject *type = (PyTypeObject *)state->project;
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct projectObject *self;
	PyObject *path, *result;
	int error;

	if (!PyArg_ParseTuple(arguments, "O&:open", PyUnicode_FSConverter,
			      &path))
		return NULL;
	self = (struct projectObject *)allocate(type, 0);
	if (!self) {
		Py_DECREF(path);
		return NULL;
	}
	self->buffer = Py_NewRef(state->buffer);
	Py_BEGIN_ALLOW_THREADS self->project = hdI_openProject(
		PyBytes_AsString(path), hdPyMessagesTake, &self->messages);
	error = errno;
	Py_END_ALLOW_THREADS Py_DECREF(path);
	if (!self->project && error == ENOMEM)
		result = PyErr_NoMemory();
	else
		result = Py_BuildValue(
			"(OiN)", self->project ? (PyObject *)self : Py_None,
			self->project ? 0 : error,
			projectMessages(&self->messages));
	hdPyMessagesFree(&self->messages);
	Py_DECREF(self);
	return result;
}

/* ---- Columns ----------------------------------------------------------- */

/** How Python's module struct names types. */
static const char *projectFormat(enum tableType type)
{
	switch (type) {
	case TABLE_INT32:
		return "i";
	case TABLE_UINT32:
		return "I";
	case TABLE_UINT64:
		return sizeof(long) == 8 ? "L" : "Q";
	case TABLE_FLOAT:
		return "f";
	case TABLE_DOUBLE:
		return "d";
	case TABLE_TEXT:
		return "B";
	default:
		return sizeof(long) == 8 ? "l" : "q";
	}
}

static PyObject *projectBuffer(const struct projectObject *self,
			       struct tableVector *vector, bool isThere,
			       const char *format, size_t width)
{
	if (!isThere)
		return Py_NewRef(Py_None);
	return hdPyBufferNew(self->buffer, tableVectorFinish(vector), format,
			     width);
}

/** A column: its name, Arrow's name of its type, and its three buffers. */
static PyObject *projectColumn(const struct projectObject *self,
			       struct tableColumn *column)
{
	bool isText = column->type == TABLE_TEXT;

	return Py_BuildValue("(NsNNN)", hdPyText(column->name),
			     tableTypeFormat(column->type),
			     projectBuffer(self, &column->values, true,
					   projectFormat(column->type),
					   tableTypeBytes(column->type)),
			     projectBuffer(self, &column->offsets, isText, "i",
					   sizeof(int32_t)),
			     projectBuffer(self, &column->nulls,
					   column->nulls.used > 0, "B", 1));
}

static PyObject *projectTable(const struct projectObject *self,
			      struct table *table)
{
	PyObject *list = PyList_New(0);

	for (size_t i = 0; list && i < table->columnCount; i++) {
		PyObject *item = projectColumn(self, &table->columns[i]);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	if (!list)
		return NULL;
	return Py_BuildValue("(nN)", (Py_ssize_t)table->rows, list);
}

/** A file that is read, and its diagnostics. */
struct projectReading {
	struct tableReading file;
	struct hdPyMessages messages;
};

/** What was read: two tables and messages; or an exception. Frees the rest. */
static PyObject *projectResult(struct projectObject *self,
			       struct projectReading *reading, int ret)
{
	PyObject *result = NULL;

	self->readers--;
	projectFreeUnused(self);
	if (ret == -EFBIG)
		PyErr_SetString(PyExc_OverflowError,
				"a column has more than 2 GiB of text; select "
				"a part with from_ and to");
	else if (ret < 0)
		PyErr_NoMemory();
	else
		result = Py_BuildValue("(NNN)",
				       projectTable(self, &reading->file.table),
				       projectTable(self, &reading->file.more),
				       projectMessages(&reading->messages));
	tableReadingFree(&reading->file);
	hdPyMessagesFree(&reading->messages);
	return result;
}

/** Begin to read: the arguments are a number below a count, and times. */
static bool projectBegin(struct projectObject *self, PyObject *arguments,
			 size_t count, struct projectReading *reading,
			 Py_ssize_t *number, PyObject **columns)
{
	long long start, end;

	if (!PyArg_ParseTuple(arguments, columns ? "nLLO!" : "nLL", number,
			      &start, &end, &PyTuple_Type, columns))
		return false;
	if (*number < 0 || (size_t)*number >= count) {
		PyErr_SetString(PyExc_IndexError, "no file has this number");
		return false;
	}
	*reading = (struct projectReading){
		.file = { .project = self->project,
			  .times = { .start = start, .end = end },
			  .sink = { hdPyMessagesTake, &reading->messages } },
	};
	return true;
}

/** Numbers of values from a tuple, to be freed; NULL with an exception. */
static size_t *projectColumns(PyObject *tuple, size_t valueCount)
{
	size_t count = (size_t)PyTuple_Size(tuple);
	size_t *columns = malloc((count + 1) * sizeof(*columns));

	if (!columns)
		return (size_t *)PyErr_NoMemory();
	for (size_t i = 0; i < count; i++) {
		size_t number =
			PyLong_AsSize_t(PyTuple_GetItem(tuple, (Py_ssize_t)i));

		columns[i] = number;
		if (!PyErr_Occurred() && number >= valueCount)
			PyErr_SetString(PyExc_IndexError,
					"no value has this number");
		if (PyErr_Occurred()) {
			free(columns);
			return NULL;
		}
	}
	return columns;
}

static PyObject *projectReadGroup(PyObject *object, PyObject *arguments)
{
	struct projectObject *self = (struct projectObject *)object;
	struct projectReading reading;
	const hdIGroup *group;
	PyObject *tuple;
	size_t *columns;
	Py_ssize_t number;
	int ret;

	if (!projectIsOpen(self) ||
	    !projectBegin(self, arguments, self->project->groupCount, &reading,
			  &number, &tuple))
		return NULL;
	group = self->project->groups[number];
	columns = projectColumns(tuple, group->valueCount);
	if (!columns)
		return NULL;
	self->readers++;
	Py_BEGIN_ALLOW_THREADS ret = tableReadGroup(
		&reading.file, group, columns, (size_t)PyTuple_Size(tuple));
	Py_END_ALLOW_THREADS free(columns);
	return projectResult(self, &reading, ret);
}

static PyObject *projectReadTrace(PyObject *object, PyObject *arguments)
{
	struct projectObject *self = (struct projectObject *)object;
	struct projectReading reading;
	Py_ssize_t number;
	int ret;

	if (!projectIsOpen(self) ||
	    !projectBegin(self, arguments, self->project->traceCount, &reading,
			  &number, NULL))
		return NULL;
	self->readers++;
	Py_BEGIN_ALLOW_THREADS ret =
		tableReadTrace(&reading.file, self->project->traces[number]);
	Py_END_ALLOW_THREADS return projectResult(self, &reading, ret);
}

static PyObject *projectReadRelations(PyObject *object, PyObject *arguments)
{
	struct projectObject *self = (struct projectObject *)object;
	struct projectReading reading;
	Py_ssize_t number;
	int ret;

	if (!projectIsOpen(self) ||
	    !projectBegin(self, arguments, self->project->relationCount,
			  &reading, &number, NULL))
		return NULL;
	self->readers++;
	Py_BEGIN_ALLOW_THREADS ret = tableReadRelations(
		&reading.file, self->project->relations[number]);
	Py_END_ALLOW_THREADS return projectResult(self, &reading, ret);
}

/* ---- Selections -------------------------------------------------------- */

static PyObject *projectDescribe(PyObject *object, PyObject *unused)
{
	struct projectObject *self = (struct projectObject *)object;

	(void)unused;
	return projectIsOpen(self) ? hdPyDescribe(self->project) : NULL;
}

/** The start of the project, in nanoseconds since 1970; None: it is empty. */
static PyObject *projectStart(PyObject *object, PyObject *unused)
{
	struct projectObject *self = (struct projectObject *)object;
	int64_t start;
	int found;

	(void)unused;
	if (!projectIsOpen(self))
		return NULL;
	self->readers++;
	Py_BEGIN_ALLOW_THREADS found =
		projectStartFind(self->project, &diagnosticsDropped, &start);
	Py_END_ALLOW_THREADS self->readers--;
	projectFreeUnused(self);
	return found ? PyLong_FromLongLong(start) : Py_NewRef(Py_None);
}

/** Parse a time as options of the commands are: TEXT, START. */
static PyObject *projectParseTime(PyObject *object, PyObject *arguments)
{
	const char *text;
	long long start;
	int64_t ns;

	(void)object;
	if (!PyArg_ParseTuple(arguments, "sL:parse_time", &text, &start))
		return NULL;
	if (selectionParseTime(text, start, &ns) == 0)
		return PyLong_FromLongLong(ns);
	return PyErr_Format(PyExc_ValueError,
			    "invalid time \"%s\"; expected the time since the "
			    "start, such as 10 or 500ms, or @SECONDS since "
			    "1970",
			    text);
}

/** Whether each node, in their order, or a node above it matches a pattern. */
static PyObject *projectChoose(PyObject *object, PyObject *arguments)
{
	struct projectObject *self = (struct projectObject *)object;
	char *patterns[] = { NULL, NULL };
	struct selection selection = { .nodes = patterns };
	const char *pattern;
	PyObject *list;

	if (!projectIsOpen(self) ||
	    !PyArg_ParseTuple(arguments, "s:choose", &pattern))
		return NULL;
	patterns[0] = (char *)pattern;
	list = PyList_New(0);
	for (size_t i = 0; list && i < self->project->nodeCount; i++) {
		PyObject *item = PyBool_FromLong(
			selectionHasNode(&selection, self->project->nodes[i]));

		if (PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_DECREF(item);
	}
	return list;
}

PyObject *hdPyProjectType(PyObject *module)
{
	static PyMethodDef methods[] = {
		{ "close", projectClose, METH_NOARGS,
		  "Close the project; reading goes on to its end." },
		{ "describe", projectDescribe, METH_NOARGS,
		  "Return what the project has." },
		{ "start", projectStart, METH_NOARGS,
		  "Return the start in nanoseconds since 1970, or None." },
		{ "parse_time", projectParseTime, METH_VARARGS,
		  "Parse TEXT, a time relative to START, to nanoseconds." },
		{ "choose", projectChoose, METH_VARARGS,
		  "Return which nodes match a pattern." },
		{ "read_group", projectReadGroup, METH_VARARGS,
		  "Read values of a group: NUMBER, FROM, TO, VALUES." },
		{ "read_trace", projectReadTrace, METH_VARARGS,
		  "Read a trace: NUMBER, FROM, TO." },
		{ "read_relations", projectReadRelations, METH_VARARGS,
		  "Read relations: NUMBER, FROM, TO." },
		{ NULL, NULL, 0, NULL },
	};
	static PyType_Slot slots[] = {
		{ Py_tp_dealloc, (void *)projectDealloc },
		{ Py_tp_methods, methods },
		{ Py_tp_doc, (void *)"An open project." },
		{ 0, NULL },
	};
	static PyType_Spec spec = {
		.name = "hdtrace._native.Project",
		.basicsize = sizeof(struct projectObject),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
		.slots = slots,
	};

	return PyType_FromModuleAndSpec(module, &spec, NULL);
}
