/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Functions of the module that record; see module.c.
 */
#ifndef HD_PYTHON_WRITING_H
#define HD_PYTHON_WRITING_H

#include "PythonModule/src/python.h"

PyObject *hdPyWritingStart(PyObject *module, PyObject *arguments);
PyObject *hdPyWritingStop(PyObject *module, PyObject *unused);
PyObject *hdPyWritingProject(PyObject *module, PyObject *unused);
PyObject *hdPyWritingBegin(PyObject *module, PyObject *name);
PyObject *hdPyWritingEnd(PyObject *module, PyObject *number);
PyObject *hdPyWritingPut(PyObject *module, PyObject *arguments);
PyObject *hdPyWritingEvent(PyObject *module, PyObject *arguments);
PyObject *hdPyWritingGroup(PyObject *module, PyObject *arguments);
PyObject *hdPyWritingWrite(PyObject *module, PyObject *arguments);

/** Set the function that decides about code: CODE, MODULE to a name, or None.
 */
PyObject *hdPyProfileStart(PyObject *module, PyObject *decide);

/** A function for sys.setprofile(). */
PyObject *hdPyProfile(PyObject *module, PyObject *const *arguments,
		      Py_ssize_t count);

/** End the states of the profile in the calling thread, and forget the code;
 * returns the number of calls that were recorded. */
PyObject *hdPyProfileStop(PyObject *module, PyObject *unused);

#endif
