/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what the package hdtrace of Python makes of a file. The first
 * byte says which one it is. All columns are looked at in Python, and then as a
 * consumer of Arrow's streams does that knows the specification only.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "PythonModule/src/arrow.h"
#include "tests/fuzz/fuzz.h"

PyMODINIT_FUNC PyInit__native(void);

/* Python keeps what it has allocated until the end, and later. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* The package lies in the source tree; only where commands are is not there. */
static const char code[] =
	"import os, sys, types\n"
	"import _native\n"
	"sys.dont_write_bytecode = True\n"
	"sys.path.insert(0, os.path.join(os.environ.get('abs_top_srcdir', "
	"'.'),\n"
	"                                'PythonModule'))\n"
	"sys.modules['hdtrace._native'] = _native\n"
	"paths = types.ModuleType('hdtrace._paths')\n"
	"paths.BINDIR, paths.VERSION = '/nonexistent', '0'\n"
	"sys.modules['hdtrace._paths'] = paths\n"
	"import hdtrace\n"
	"def look(values, nulls, rows):\n"
	"    assert len(values) == rows\n"
	"    list(values)\n"
	"    assert nulls is None or len(nulls) == rows and set(nulls) <= {0, "
	"1}\n"
	"def use(path):\n"
	"    try:\n"
	"        project = hdtrace.open(path)\n"
	"    except hdtrace.Error as error:\n"
	"        str(error)\n"
	"        return []\n"
	"    tables = [*project.groups, *project.traces, *project.relations]\n"
	"    tables += [trace.events for trace in project.traces]\n"
	"    tables += [relations.list for relations in project.relations]\n"
	"    for group in project.groups:\n"
	"        for value in group.value_list:\n"
	"            column = group.column(value.name)\n"
	"            look(column.values, column.nulls, len(column.times))\n"
	"            assert len(column.starts) == len(column.times)\n"
	"    for table in tables:\n"
	"        for name in table.column_names:\n"
	"            if name in table.column_names[:99]:\n"
	"                look(table.values(name), table.nulls(name), "
	"len(table))\n"
	"    for diagnostic in project.diagnostics:\n"
	"        str(diagnostic)\n"
	"    return [table.__arrow_c_stream__() for table in tables]\n";

static PyObject *use;

static void start(void)
{
	PyObject *names;

	PyImport_AppendInittab("_native", PyInit__native);
	Py_InitializeEx(0);
	must(PyRun_SimpleString(code) == 0);
	names = PyModule_GetDict(PyImport_AddModule("__main__"));
	use = PyDict_GetItemString(names, "use");
	must(use != NULL);
}

/* ---- Streams ---------------------------------------------------------------
 */

/* Everything that is read flows in here, so that nothing is optimized out. */
static volatile uint64_t sum;

static void useBytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	must(at || size == 0);
	for (size_t i = 0; i < size; i++)
		sum += at[i];
}

/* Pairs of texts, with their lengths. */
static void useMetadata(const char *metadata)
{
	int32_t pairs, length;

	if (!metadata)
		return;
	memcpy(&pairs, metadata, sizeof(pairs));
	metadata += sizeof(pairs);
	must(pairs >= 0);
	for (int32_t i = 0; i < 2 * pairs; i++) {
		memcpy(&length, metadata, sizeof(length));
		must(length >= 0);
		useBytes(metadata + sizeof(length), (size_t)length);
		metadata += sizeof(length) + (size_t)length;
	}
}

static void useText(const struct ArrowArray *array)
{
	const int32_t *offsets = array->buffers[1];
	const size_t rows = (size_t)(array->offset + array->length);

	must(array->n_buffers == 3 && offsets[0] >= 0);
	for (size_t i = 0; i < rows; i++)
		must(offsets[i] <= offsets[i + 1]);
	useBytes(array->buffers[2], (size_t)offsets[rows]);
}

static size_t widthOf(const char *format)
{
	if (strchr("ifI", *format))
		return 4;
	must(strchr("lLg", *format) || strncmp(format, "ts", 2) == 0);
	return 8;
}

static void useColumn(const struct ArrowSchema *schema,
		      const struct ArrowArray *array, int64_t rows)
{
	const size_t count = (size_t)(array->offset + array->length);
	int64_t nulls = 0;

	must(schema->name && schema->format && array->length == rows);
	must(array->n_children == 0 && array->offset >= 0);
	useBytes(schema->name, strlen(schema->name));
	useMetadata(schema->metadata);
	if (strcmp(schema->format, "u") == 0) {
		useText(array);
	} else {
		must(array->n_buffers == 2);
		useBytes(array->buffers[1], count * widthOf(schema->format));
	}
	if (!array->buffers[0]) {
		must(array->null_count <= 0);
		return;
	}
	useBytes(array->buffers[0], (count + 7) / 8);
	for (size_t i = (size_t)array->offset; i < count; i++)
		nulls += !(((const unsigned char *)array->buffers[0])[i / 8] >>
				   i % 8 &
			   1);
	must(array->null_count == nulls || array->null_count == -1);
	must(nulls == 0 || schema->flags & ARROW_FLAG_NULLABLE);
}

static void useStream(struct ArrowArrayStream *stream)
{
	struct ArrowSchema schema;
	struct ArrowArray array;

	must(stream->get_schema(stream, &schema) == 0);
	must(strcmp(schema.format, "+s") == 0);
	useMetadata(schema.metadata);
	while (true) {
		must(stream->get_next(stream, &array) == 0);
		if (!array.release)
			break;
		must(array.n_children == schema.n_children);
		for (int64_t i = 0; i < array.n_children; i++)
			useColumn(schema.children[i], array.children[i],
				  array.length);
		array.release(&array);
	}
	schema.release(&schema);
	stream->release(stream);
	must(stream->release == NULL);
}

/* ---- Inputs ----------------------------------------------------------------
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {
		"fuzz_node_0_Group.stat",
		"fuzz_node_0.trc",
		"fuzz_node_0.rel",
		"fuzz.proj",
	};
	PyObject *list;

	if (!use)
		start();
	if (size == 0)
		return 0;
	fuzzServe(data + 1, size - 1);
	list = PyObject_CallFunction(use, "s", paths[data[0] % 4]);
	if (!list)
		PyErr_Print();
	must(list != NULL);
	for (Py_ssize_t i = 0; i < PyList_Size(list); i++)
		useStream(PyCapsule_GetPointer(PyList_GetItem(list, i),
					       "arrow_array_stream"));
	Py_DECREF(list);
	return 0;
}
