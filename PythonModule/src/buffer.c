/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Blocks of columns, as objects with Python's buffer interface.
 */
#include "config.h"

#include "PythonModule/src/python.h"

/** An object. */
struct bufferObject {
	PyObject head;
	struct tableMemory *memory;
	const char *format;
	Py_ssize_t width;
	Py_ssize_t count;
};

static void bufferDealloc(PyObject *object)
{
	PyTypeObject *type = Py_TYPE(object);

	tableMemoryDrop(((struct bufferObject *)object)->memory);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

static int bufferGet(PyObject *object, Py_buffer *view, int flags)
{
	struct bufferObject *self = (struct bufferObject *)object;

	if (flags & PyBUF_WRITABLE) {
		view->obj = NULL;
		PyErr_SetString(PyExc_BufferError,
				"columns of files cannot be changed");
		return -1;
	}
	*view = (Py_buffer){
		.buf = self->memory->bytes,
		.obj = Py_NewRef(object),
		.len = self->count * self->width,
		.itemsize = self->width,
		.readonly = 1,
		.ndim = 1,
		.format = flags & PyBUF_FORMAT ? (char *)self->format : NULL,
		.shape = flags & PyBUF_ND ? &self->count : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
				   ? &self->width
				   : NULL,
	};
	return 0;
}

static Py_ssize_t bufferLength(PyObject *object)
{
	return ((struct bufferObject *)object)->count;
}

PyObject *hdPyBufferType(PyObject *module)
{
	static PyType_Slot slots[] = {
		{ Py_tp_dealloc, (void *)bufferDealloc },
		{ Py_bf_getbuffer, (void *)bufferGet },
		{ Py_sq_length, (void *)bufferLength },
		{ Py_tp_doc,
		  (void *)"Values of a column, which memoryview() and "
			  "numpy.asarray() show without a copy." },
		{ 0, NULL },
	};
	static PyType_Spec spec = {
		.name = "hdtrace._native.Buffer",
		.basicsize = sizeof(struct bufferObject),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
		.slots = slots,
	};

	return PyType_FromModuleAndSpec(module, &spec, NULL);
}

PyObject *hdPyBufferNew(PyObject *type, struct tableMemory *memory,
			const char *format, size_t width)
{
	allocfunc allocate =
		(allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
	PyObject *object = memory ? allocate((PyTypeObject *)type, 0) : NULL;
	struct bufferObject *self = (struct bufferObject *)object;

	if (!self) {
		tableMemoryDrop(memory);
		return memory ? NULL : PyErr_NoMemory();
	}
	self->memory = memory;
	self->format = format;
	self->width = (Py_ssize_t)width;
	self->count = (Py_ssize_t)(memory->size / width);
	return object;
}

struct tableMemory *hdPyBufferMemory(PyObject *type, PyObject *buffer,
				     size_t bytes)
{
	struct tableMemory *memory;

	if (Py_TYPE(buffer) != (PyTypeObject *)type) {
		PyErr_SetString(PyExc_TypeError, "not a buffer of a column");
		return NULL;
	}
	memory = ((struct bufferObject *)buffer)->memory;
	if (memory->size >= bytes)
		return memory;
	PyErr_SetString(PyExc_ValueError, "a buffer is shorter than its rows");
	return NULL;
}
