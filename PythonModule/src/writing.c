/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Functions of the module that record.
 */
#include "config.h"

#include "PythonModule/src/python.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "PythonModule/src/lanes.h"
#include "PythonModule/src/writing.h"
#include "recording/record.h"

/** Raise an OSError with an errno, or a text for one of hdError.h. */
static PyObject *writingFail(int error)
{
	if (error == ENOMEM || error == HD_ERR_MALLOC)
		return PyErr_NoMemory();
	return PyErr_Format(PyExc_OSError, "%s", hdRecordReason(error));
}

/** PROJECT, PROGRAM, HOST, RANK: texts or None. */
PyObject *hdPyWritingStart(PyObject *module, PyObject *arguments)
{
	struct hdPyPlace place;
	int error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "zzzz", &place.project, &place.program,
			      &place.host, &place.rank))
		return NULL;
	error = hdPyLanesStart(&place);
	if (error && error != EALREADY)
		return writingFail(error);
	return PyBool_FromLong(error == 0);
}

/** Return an error as text, or None. */
PyObject *hdPyWritingStop(PyObject *module, PyObject *unused)
{
	int error;

	(void)module;
	(void)unused;
	error = hdPyLanesStop();
	return error ? PyUnicode_FromString(hdRecordReason(error))
		     : Py_NewRef(Py_None);
}

PyObject *hdPyWritingProject(PyObject *module, PyObject *unused)
{
	const char *project = hdPyLanesProject();

	(void)module;
	(void)unused;
	return project ? PyUnicode_DecodeFSDefault(project)
		       : Py_NewRef(Py_None);
}

/** A text for a trace; those that are not UTF-8 are made so. */
static PyObject *writingBytes(PyObject *text)
{
	return PyUnicode_AsEncodedString(text, "utf-8", "replace");
}

/** NAME: return a number to end it with. */
PyObject *hdPyWritingBegin(PyObject *module, PyObject *name)
{
	PyObject *bytes = PyUnicode_Check(name) ? writingBytes(name) : NULL;
	PyObject *number;

	(void)module;
	if (!bytes) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_TypeError,
					"the name of a state is a str");
		return NULL;
	}
	number = PyLong_FromUnsignedLongLong(
		hdPyLanesBegin(PyBytes_AsString(bytes)));
	Py_DECREF(bytes);
	return number;
}

PyObject *hdPyWritingEnd(PyObject *module, PyObject *number)
{
	unsigned long long state = PyLong_AsUnsignedLongLong(number);

	(void)module;
	if (PyErr_Occurred())
		return NULL;
	hdPyLanesEnd(state);
	return Py_NewRef(Py_None);
}

/** Put a value of any type; false with an exception. */
static bool writingPut(const char *key, PyObject *value)
{
	PyObject *text, *bytes;
	int overflow = 0;

	if (PyLong_Check(value)) {
		long long number =
			PyLong_AsLongLongAndOverflow(value, &overflow);

		if (!overflow) {
			hdPyLanesPutInteger(key, number);
			return !PyErr_Occurred();
		}
	} else if (PyFloat_Check(value)) {
		hdPyLanesPutDouble(key, PyFloat_AsDouble(value));
		return true;
	}
	text = PyObject_Str(value);
	bytes = text ? writingBytes(text) : NULL;
	if (bytes)
		hdPyLanesPutText(key, PyBytes_AsString(bytes));
	Py_XDECREF(text);
	Py_XDECREF(bytes);
	return bytes != NULL;
}

/** NUMBER, ATTRIBUTES: of a state, if it is the innermost one. */
PyObject *hdPyWritingPut(PyObject *module, PyObject *arguments)
{
	unsigned long long state;
	PyObject *given, *attributes, *key, *value;
	bool isGood = true;
	Py_ssize_t at = 0;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "KO!", &state, &PyDict_Type, &given))
		return NULL;
	if (!hdPyLanesIsInnermost(state))
		return Py_NewRef(Py_False);
	/* The __str__ of a value may change what was given. */
	attributes = PyDict_Copy(given);
	if (!attributes)
		return NULL;
	while (isGood && PyDict_Next(attributes, &at, &key, &value)) {
		const char *name = PyUnicode_AsUTF8AndSize(key, NULL);

		isGood = name && writingPut(name, value);
	}
	Py_DECREF(attributes);
	return isGood ? Py_NewRef(Py_True) : NULL;
}

PyObject *hdPyWritingEvent(PyObject *module, PyObject *arguments)
{
	const char *name;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "s", &name))
		return NULL;
	hdPyLanesEvent(name);
	return Py_NewRef(Py_None);
}

/* ---- Groups ------------------------------------------------------------ */

/** Whether a text names a kind. */
static bool writingFindKind(const char *text, enum hdKind *kind)
{
	for (int i = HD_KIND_GAUGE; i <= HD_KIND_DELTA; i++) {
		*kind = (enum hdKind)i;
		if (strcmp(hdKindName(*kind), text) == 0)
			return true;
	}
	PyErr_Format(PyExc_ValueError,
		     "invalid kind \"%s\"; expected gauge, counter or delta",
		     text);
	return false;
}

/** Get columns, (NAME, UNIT, KIND) each; false with an exception. */
static bool writingGetColumns(struct hdRecordColumn *columns, PyObject *values)
{
	for (Py_ssize_t i = 0; i < PyTuple_Size(values); i++) {
		struct hdRecordColumn *column = &columns[i];
		const char *kind;

		*column = (struct hdRecordColumn){ .type = DOUBLE };
		if (!PyArg_ParseTuple(PyTuple_GetItem(values, i), "szs",
				      &column->name, &column->unit, &kind) ||
		    !writingFindKind(kind, &column->kind))
			return false;
	}
	return true;
}

/** NAME, VALUES: return a number to write to it. */
PyObject *hdPyWritingGroup(PyObject *module, PyObject *arguments)
{
	struct hdRecordColumn *columns;
	PyObject *values;
	const char *name;
	uint64_t number;
	size_t count;
	int error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "sO!", &name, &PyTuple_Type, &values))
		return NULL;
	count = (size_t)PyTuple_Size(values);
	columns = calloc(count + 1, sizeof(*columns));
	if (!columns)
		return PyErr_NoMemory();
	if (!writingGetColumns(columns, values)) {
		free(columns);
		return NULL;
	}
	error = hdPyLanesGroup(name, columns, count, &number);
	free(columns);
	if (!error)
		return PyLong_FromUnsignedLongLong(number);
	if (error != ENOTSUP)
		return writingFail(error);
	PyErr_SetString(PyExc_OSError, "the project of hdmpirun is not known; "
				       "give it a name (-p)");
	return NULL;
}

/** GROUP, NUMBERS: an entry; return whether the group has not ended. */
PyObject *hdPyWritingWrite(PyObject *module, PyObject *arguments)
{
	unsigned long long number;
	union hdCell *cells;
	PyObject *values;
	bool isWritten;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "KO!", &number, &PyTuple_Type,
			      &values))
		return NULL;
	cells = calloc((size_t)PyTuple_Size(values) + 1, sizeof(*cells));
	if (!cells)
		return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < PyTuple_Size(values); i++) {
		cells[i].d = PyFloat_AsDouble(PyTuple_GetItem(values, i));
		if (PyErr_Occurred()) {
			free(cells);
			return NULL;
		}
	}
	isWritten = hdPyLanesWrite(number, cells, (size_t)PyTuple_Size(values));
	free(cells);
	return PyBool_FromLong(isWritten);
}
