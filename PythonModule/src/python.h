/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Python's limited API: one module works with Python 3.11 and later.
 */
#ifndef HD_PYTHON_PYTHON_H
#define HD_PYTHON_PYTHON_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "HDTraceTools/tables/memory.h"

/** The types of the module. */
struct hdPyState {
	PyObject *buffer;
	PyObject *project;
};

/** Get the types from the module. */
struct hdPyState *hdPyStateOf(PyObject *module);

/** Make the type of blocks of columns. */
PyObject *hdPyBufferType(PyObject *module);

/**
 * Make a block of a column visible to Python, without a copy.
 *
 * @param type As of hdPyBufferType().
 * @param memory The block, which is taken over, even if this fails.
 * @param format How Python's module struct names the type of a value.
 * @param width Bytes of a value.
 */
PyObject *hdPyBufferNew(PyObject *type, struct tableMemory *memory,
			const char *format, size_t width);

/** Get the block of a buffer, with at least so many bytes; NULL with an
 * exception if it is another object or too short. */
struct tableMemory *hdPyBufferMemory(PyObject *type, PyObject *buffer,
				     size_t bytes);

/** Make the type of projects. */
PyObject *hdPyProjectType(PyObject *module);

/** hdtrace._native.open() */
PyObject *hdPyProjectOpen(PyObject *module, PyObject *arguments);

/** Make a text of UTF-8, in which other bytes are kept as surrogates. */
PyObject *hdPyText(const char *text);

struct hdIProject;

/** Describe a project: a dictionary. */
PyObject *hdPyDescribe(const struct hdIProject *project);

#endif
