/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace._native: the part of the package hdtrace that is in C. Its functions
 * are for the package only.
 */
#include "config.h"

#include "PythonModule/src/python.h"

#include <stdbool.h>
#include <stdlib.h>

#include "PythonModule/src/arrow.h"
#include "PythonModule/src/writing.h"

struct hdPyState *hdPyStateOf(PyObject *module)
{
	return PyModule_GetState(module);
}

/* ---- Streams of Arrow -------------------------------------------------- */

/** Name of a capsule, which Arrow's interface for Python fixes. */
#define MODULE_STREAM "arrow_array_stream"

static void moduleFreeStream(PyObject *capsule)
{
	struct ArrowArrayStream *stream =
		PyCapsule_GetPointer(capsule, MODULE_STREAM);

	/* Consumers that have used it have released it. */
	if (stream && stream->release)
		stream->release(stream);
	free(stream);
}

/** Get a buffer that may be None; false with an exception. */
static bool moduleGetBuffer(const struct hdPyState *state, PyObject *object,
			    size_t bytes, struct tableMemory **memory)
{
	*memory = NULL;
	if (object == Py_None)
		return true;
	*memory = hdPyBufferMemory(state->buffer, object, bytes);
	return *memory != NULL;
}

/** Bytes of a value in a format of Arrow. */
static size_t moduleWidth(const char *format)
{
	if (strcmp(format, "u") == 0)
		return 0;
	return strchr("ifI", *format) ? 4 : 8;
}

/** Whether the offsets of a text are in order, and within it. */
static bool moduleOffsetsFit(const struct hdPyField *field, size_t rows)
{
	const int32_t *offsets = field->offsets->bytes;
	int32_t last = 0;

	for (size_t i = 0; i <= rows; i++) {
		if (offsets[i] < last)
			return false;
		last = offsets[i];
	}
	return (size_t)last <= field->values->size;
}

/** A field: NAME, FORMAT, METADATA, VALUES, OFFSETS, NULLS. */
static bool moduleGetField(const struct hdPyState *state, PyObject *tuple,
			   size_t rows, struct hdPyField *field)
{
	PyObject *values, *offsets, *nulls;
	Py_ssize_t size;

	*field = (struct hdPyField){ .name = NULL };
	if (!PyArg_ParseTuple(tuple, "ssz#OOO", &field->name, &field->format,
			      &field->metadata, &size, &values, &offsets,
			      &nulls))
		return false;
	field->metadataSize = (size_t)size;
	if (!moduleGetBuffer(state, values, rows * moduleWidth(field->format),
			     &field->values) ||
	    !moduleGetBuffer(state, offsets, (rows + 1) * sizeof(int32_t),
			     &field->offsets) ||
	    !moduleGetBuffer(state, nulls, rows, &field->nulls))
		return false;
	/* A table has fields instead of values. */
	if (!field->values == (*field->format == '+') &&
	    !field->offsets == (*field->format != 'u') &&
	    (!field->offsets || moduleOffsetsFit(field, rows)))
		return true;
	PyErr_SetString(PyExc_ValueError, "a column is damaged");
	return false;
}

/** Make a capsule of fields; the first one is the table. */
static PyObject *moduleMakeStream(const struct hdPyField *fields, size_t count,
				  size_t rows)
{
	struct ArrowArrayStream *stream = calloc(1, sizeof(*stream));
	PyObject *capsule;

	if (!stream || hdPyArrowStream(stream, fields, count, rows) < 0) {
		free(stream);
		return PyErr_NoMemory();
	}
	capsule = PyCapsule_New(stream, MODULE_STREAM, moduleFreeStream);
	if (!capsule) {
		stream->release(stream);
		free(stream);
	}
	return capsule;
}

/** ROWS, FIELDS */
static PyObject *moduleArrowStream(PyObject *module, PyObject *arguments)
{
	const struct hdPyState *state = hdPyStateOf(module);
	PyObject *list, *capsule = NULL;
	struct hdPyField *fields;
	Py_ssize_t rows;
	size_t count, i;

	if (!PyArg_ParseTuple(arguments, "nO!", &rows, &PyTuple_Type, &list))
		return NULL;
	count = (size_t)PyTuple_Size(list);
	if (count == 0 || rows < 0 || rows > PY_SSIZE_T_MAX / 16) {
		PyErr_SetString(PyExc_ValueError,
				count == 0 ? "a table has no fields"
					   : "invalid number of rows");
		return NULL;
	}
	fields = calloc(count + 1, sizeof(*fields));
	if (!fields)
		return PyErr_NoMemory();
	for (i = 0; i < count; i++) {
		if (!moduleGetField(state, PyTuple_GetItem(list, (Py_ssize_t)i),
				    (size_t)rows, &fields[i]))
			break;
	}
	if (i == count)
		capsule = moduleMakeStream(fields, count, (size_t)rows);
	free(fields);
	return capsule;
}

/* ---- The module -------------------------------------------------------- */

static int moduleInit(PyObject *module)
{
	struct hdPyState *state = hdPyStateOf(module);

	state->buffer = hdPyBufferType(module);
	if (!state->buffer)
		return -1;
	state->project = hdPyProjectType(module);
	return state->project ? 0 : -1;
}

static int moduleTraverse(PyObject *module, visitproc visit, void *arg)
{
	struct hdPyState *state = hdPyStateOf(module);

	Py_VISIT(state->buffer);
	Py_VISIT(state->project);
	return 0;
}

static int moduleClear(PyObject *module)
{
	struct hdPyState *state = hdPyStateOf(module);

	Py_CLEAR(state->buffer);
	Py_CLEAR(state->project);
	return 0;
}

static PyMethodDef moduleMethods[] = {
	{ "open", hdPyProjectOpen, METH_VARARGS,
	  "Open a project: return it or None, an errno, and diagnostics." },
	{ "arrow_stream", moduleArrowStream, METH_VARARGS,
	  "Return a capsule with columns for Arrow: ROWS, FIELDS." },
	{ "start", hdPyWritingStart, METH_VARARGS,
	  "Begin to record: PROJECT, PROGRAM, HOST, RANK." },
	{ "stop", hdPyWritingStop, METH_NOARGS,
	  "End all traces and groups; return an error, or None." },
	{ "project", hdPyWritingProject, METH_NOARGS,
	  "Return the project that is written, or None." },
	{ "begin", hdPyWritingBegin, METH_O,
	  "Begin a state: NAME. Return a number to end it with, or 0." },
	{ "put", hdPyWritingPut, METH_VARARGS,
	  "Add attributes to a state: NUMBER, ATTRIBUTES." },
	{ "end", hdPyWritingEnd, METH_O, "End a state: NUMBER." },
	{ "event", hdPyWritingEvent, METH_VARARGS, "Record an event: NAME." },
	{ "group", hdPyWritingGroup, METH_VARARGS,
	  "Create a group: NAME, VALUES." },
	{ "write", hdPyWritingWrite, METH_VARARGS,
	  "Write an entry: GROUP, NUMBERS." },
	{ "profile_start", hdPyProfileStart, METH_O,
	  "Set the function that decides about code." },
	{ "profile", (PyCFunction)(void *)hdPyProfile, METH_FASTCALL,
	  "A function for sys.setprofile()." },
	{ "profile_stop", hdPyProfileStop, METH_NOARGS,
	  "Forget all code; return the number of recorded calls." },
	{ NULL, NULL, 0, NULL },
};

static PyModuleDef_Slot moduleSlots[] = {
	{ Py_mod_exec, (void *)moduleInit },
	{ 0, NULL },
};

static struct PyModuleDef moduleDefinition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "hdtrace._native",
	.m_doc = "The part of hdtrace that is in C.",
	.m_size = sizeof(struct hdPyState),
	.m_methods = moduleMethods,
	.m_slots = moduleSlots,
	.m_traverse = moduleTraverse,
	.m_clear = moduleClear,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
	return PyModuleDef_Init(&moduleDefinition);
}
