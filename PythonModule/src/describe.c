/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a project has, as dictionaries, tuples and texts of Python.
 */
#include "config.h"

#include "PythonModule/src/python.h"

#include <stdlib.h>

#include <hdReading.h>
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/tables/metadata.h"
#include "HDTraceTools/tables/read.h"

PyObject *hdPyText(const char *text)
{
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text),
				    "surrogateescape");
}

/** For Py_BuildValue(). */
static PyObject *describeText(void *text)
{
	return hdPyText(text);
}

static PyObject *describePath(void *path)
{
	if (!path)
		return Py_NewRef(Py_None);
	return PyUnicode_DecodeFSDefault(path);
}

/** Make a tuple of what a function makes of the elements of a list. */
static PyObject *describeAll(PyObject *(*describe)(const void *list, size_t i),
			     const void *list, size_t count)
{
	PyObject *tuple = PyTuple_New((Py_ssize_t)count);

	for (size_t i = 0; tuple && i < count; i++) {
		PyObject *item = describe(list, i);

		/* It is taken over. */
		if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) < 0)
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *describeString(const void *list, size_t i)
{
	return hdPyText(((const char *const *)list)[i]);
}

static PyObject *describeAttributes(const hdIAttribute *list, size_t count)
{
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && i < count; i++) {
		PyObject *name = hdPyText(list[i].name);
		PyObject *value = name ? hdPyText(list[i].value) : NULL;

		if (!value || PyDict_SetItem(dict, name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(name);
		Py_XDECREF(value);
	}
	return dict;
}

/** Metadata of a table or a column; NULL: an exception is set. */
struct describedMetadata {
	PyObject *dict;
};

static void describePair(void *data, const char *name, const char *text)
{
	struct describedMetadata *self = data;
	PyObject *key = self->dict ? hdPyText(name) : NULL;
	PyObject *value = key ? hdPyText(text) : NULL;

	if (!value || PyDict_SetItem(self->dict, key, value) < 0)
		Py_CLEAR(self->dict);
	Py_XDECREF(key);
	Py_XDECREF(value);
}

static PyObject *describeMetadataOfNode(const hdIProject *project,
					const hdINode *node)
{
	struct describedMetadata metadata = { PyDict_New() };

	tableMetadataOfNode(project, node, describePair, &metadata);
	return metadata.dict;
}

static PyObject *describeMetadataOfGroup(const hdIProject *project,
					 const hdIGroup *group)
{
	struct describedMetadata metadata = { PyDict_New() };

	tableMetadataOfGroup(project, group, describePair, &metadata);
	return metadata.dict;
}

/** Of a value; the list is the group. */
static PyObject *describeMetadataOfValue(const void *list, size_t i)
{
	struct describedMetadata metadata = { PyDict_New() };
	const hdIGroup *group = list;

	tableMetadataOfValue(group, &group->values[i], describePair, &metadata);
	return metadata.dict;
}

/** The group whose values are described. */
static PyObject *describeValue(const void *list, size_t i)
{
	const hdIGroup *group = list;
	const hdIValue *value = &group->values[i];
	bool isGuessed;
	enum hdKind kind = valueKind(group, value, &isGuessed);
	char *column = tableNameOfValue(group, i);
	PyObject *described;

	if (!column)
		return PyErr_NoMemory();
	described = Py_BuildValue(
		"{s:O&,s:s,s:O&,s:O&,s:s,s:O,s:N,s:O&}", "name", describeText,
		value->name, "type", columnTypeName(value->type), "unit",
		describeText, value->unit, "grouping", describeText,
		value->grouping, "kind",
		value->type == HDI_STRING ? "" : hdKindName(kind),
		"kind_is_guessed", isGuessed ? Py_True : Py_False, "attributes",
		describeAttributes(value->attributes, value->attributeCount),
		"column", describeText, column);
	free(column);
	return described;
}

static PyObject *describeGroup(const void *list, size_t i)
{
	const hdIProject *project = list;
	const hdIGroup *group = project->groups[i];

	return Py_BuildValue(
		"{s:O&,s:O&,s:O&,s:N,s:N,s:N,s:N,s:N,s:L,s:L,s:O,s:O}", "name",
		describeText, group->name, "file", describePath, group->file,
		"node", describeText, group->node->path, "labels",
		describeAll(describeString, group->labels, group->labelCount),
		"values", describeAll(describeValue, group, group->valueCount),
		"attributes",
		describeAttributes(group->attributes, group->attributeCount),
		"metadata", describeMetadataOfGroup(project, group),
		"value_metadata",
		describeAll(describeMetadataOfValue, group, group->valueCount),
		"time_adjustment_ns", (long long)group->timeAdjustment,
		"file_bytes", (long long)group->fileSize, "is_declared",
		group->isDeclared ? Py_True : Py_False, "is_readable",
		group->isReadable ? Py_True : Py_False);
}

static PyObject *describeTrace(const void *list, size_t i)
{
	const hdIProject *project = list;
	const hdITraceFile *trace = project->traces[i];

	return Py_BuildValue("{s:O&,s:O&,s:N,s:L,s:O&}", "file", describePath,
			     trace->file, "node", describeText,
			     trace->node->path, "metadata",
			     describeMetadataOfNode(project, trace->node),
			     "file_bytes", (long long)trace->fileSize,
			     "info_file", describePath, trace->infoFile);
}

static PyObject *describeRelation(const void *list, size_t i)
{
	const hdIProject *project = list;
	const hdIRelationFile *file = project->relations[i];

	return Py_BuildValue("{s:O&,s:O&,s:N,s:L}", "file", describePath,
			     file->file, "node", describeText, file->node->path,
			     "metadata",
			     describeMetadataOfNode(project, file->node),
			     "file_bytes", (long long)file->fileSize);
}

static PyObject *describeNode(const void *list, size_t i)
{
	const hdINode *node = ((const hdINode *const *)list)[i];

	return Py_BuildValue(
		"{s:O&,s:O&,s:i,s:O&,s:O}", "path", describeText, node->path,
		"label", describeText, node->label, "level", node->level,
		"parent", describeText, node->parent ? node->parent->path : "",
		"is_declared", node->isDeclared ? Py_True : Py_False);
}

static PyObject *describeRank(const void *list, size_t i)
{
	const hdIRank *rank = (const hdIRank *)list + i;

	return Py_BuildValue("(LLL)", (long long)rank->global,
			     (long long)rank->local, (long long)rank->cid);
}

static PyObject *describeCommunicator(const void *list, size_t i)
{
	const hdICommunicator *self = (const hdICommunicator *)list + i;

	return Py_BuildValue(
		"{s:O&,s:O&,s:O,s:N,s:N,s:L,s:L}", "name", describeText,
		self->name, "uid", describeText, self->uid, "is_inter",
		self->isInter ? Py_True : Py_False, "ranks",
		describeAll(describeRank, self->ranks, self->rankCount),
		"remote_ranks",
		describeAll(describeRank, self->remoteRanks,
			    self->remoteRankCount),
		"size", (long long)self->size, "remote_size",
		(long long)self->remoteSize);
}

static PyObject *describeDatatype(const void *list, size_t i)
{
	const hdIDatatype *self = (const hdIDatatype *)list + i;

	return Py_BuildValue(
		"{s:O&,s:O&,s:L,s:O&,s:O&,s:O&,s:N}", "rank", describeText,
		self->rank, "thread", describeText, self->thread, "id",
		(long long)self->id, "combiner", describeText, self->combiner,
		"name", describeText, self->name, "content", describeText,
		self->content, "attributes",
		describeAttributes(self->attributes, self->attributeCount));
}

static PyObject *describeUsedFile(const void *list, size_t i)
{
	const hdIUsedFile *self = (const hdIUsedFile *)list + i;

	return Py_BuildValue("{s:O&,s:L}", "name", describeText, self->name,
			     "initial_bytes", (long long)self->initialSize);
}

static PyObject *describePoint(const void *list, size_t i)
{
	const hdIClockPoint *point = (const hdIClockPoint *)list + i;

	return Py_BuildValue("(LLL)", (long long)point->time,
			     (long long)point->offset, (long long)point->error);
}

static PyObject *describeClock(const void *list, size_t i)
{
	const hdIClock *self = (const hdIClock *)list + i;

	return Py_BuildValue(
		"{s:O&,s:O&,s:L,s:N}", "node", describeText, self->node,
		"method", describeText, self->method, "error_ns",
		(long long)self->error, "points",
		describeAll(describePoint, self->points, self->pointCount));
}

PyObject *hdPyDescribe(const struct hdIProject *project)
{
	return Py_BuildValue(
		"{s:O&,s:O&,s:O&,s:O&,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}",
		"name", describeText, project->name, "file", describePath,
		project->file, "prefix", describePath, project->prefix,
		"description", describeText, project->description, "levels",
		describeAll(describeString, project->levels,
			    project->levelCount),
		"nodes",
		describeAll(describeNode, project->nodes, project->nodeCount),
		"groups",
		describeAll(describeGroup, project, project->groupCount),
		"traces",
		describeAll(describeTrace, project, project->traceCount),
		"relations",
		describeAll(describeRelation, project, project->relationCount),
		"declared_groups",
		describeAll(describeString, project->declaredGroups,
			    project->declaredGroupCount),
		"communicators",
		describeAll(describeCommunicator, project->communicators,
			    project->communicatorCount),
		"datatypes",
		describeAll(describeDatatype, project->datatypes,
			    project->datatypeCount),
		"used_files",
		describeAll(describeUsedFile, project->usedFiles,
			    project->usedFileCount),
		"clocks",
		describeAll(describeClock, project->clocks,
			    project->clockCount));
}
