/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of workflows in WfFormat: data sets of the tasks that write them; see
 * wfformat.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "PredictionLibrary/command/import/wfformat.h"

/* Errors that are looked for; no more of them are printed. */
#define ERRORS_MAX 20

/* A file, or a data set of any other kind. */
struct file {
	char *name;
	double bytes;      /* NaN: unknown yet. */
	bool isOfProducer; /* The size is that of a writer. */
	GHashTable *data;  /* Data sets, by the tasks that write it. */
	GArray *writers;   /* uint32_t: these tasks. */
};

void wfformatFreeFile(void *data)
{
	struct file *file = data;

	g_hash_table_destroy(file->data);
	g_array_unref(file->writers);
	g_free(file->name);
	g_free(file);
}

static struct file *wfformatAddFile(struct wfformat *self, const char *name)
{
	struct file *file = g_hash_table_lookup(self->files, name);

	if (file)
		return file;
	file = g_new0(struct file, 1);
	file->name = g_strdup(name);
	file->bytes = NAN;
	file->data = g_hash_table_new(NULL, NULL);
	file->writers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_hash_table_insert(self->files, file->name, file);
	return file;
}

/* Size of a file; NaN: it is reported. */
static double wfformatSize(struct wfformat *self, size_t task, json_t *object)
{
	double bytes = wfformatNumber(self, task, object, "sizeInBytes");

	if (isnan(bytes) && !self->report->errors)
		wfformatFail(self, task, "sizeInBytes", -1, "missing");
	if (!(bytes > IMPORT_SIZE_MAX))
		return ceil(bytes);
	wfformatFail(self, task, "sizeInBytes", -1, "%g exceeds 2^53", bytes);
	return NAN;
}

/* Since 1.5: all files with their sizes. */
int wfformatFiles(struct wfformat *self, json_t *files)
{
	const char *place = self->place;
	json_t *object;
	size_t i;

	self->place = "workflow.specification.files";
	json_array_foreach(files, i, object)
	{
		const char *id = wfformatText(self, i, object, "id");
		struct file *file;

		if (!id) {
			wfformatFail(self, i, "id", -1, "missing");
			continue;
		}
		file = wfformatAddFile(self, id);
		if (!isnan(file->bytes))
			wfformatFail(self, i, "id", -1,
				     "duplicate id \"%.200s\"", id);
		file->bytes = wfformatSize(self, i, object);
	}
	self->place = place;
	return self->report->errors ? -EINVAL : 0;
}

/* A task writes a file, whose size is known. */
static void wfformatWrite(struct wfformat *self, uint32_t task,
			  struct file *file)
{
	uint32_t data = importData(self->import, task, file->bytes);

	g_hash_table_insert(file->data, GUINT_TO_POINTER(task),
			    GUINT_TO_POINTER(data));
	g_array_append_val(file->writers, task);
}

/* Link a reader to a writer of a file. */
static void wfformatLinkFile(struct wfformat *self, const struct file *file,
			     uint32_t task, uint32_t reader)
{
	struct order *order = wfformatFindOrder(self, task, reader);

	importLink(self->import,
		   GPOINTER_TO_UINT(g_hash_table_lookup(
			   file->data, GUINT_TO_POINTER(task))),
		   reader);
	if (order)
		order->hasFile = true;
}

/* Whether the only writer of a file replaces it after a task. */
static bool wfformatReplaces(struct wfformat *self, uint32_t reader,
			     uint32_t writer)
{
	if (wfformatLevel(self, writer) <= wfformatLevel(self, reader))
		return false;
	wfformatFindNext(self, reader, wfformatLevel(self, writer));
	return wfformatIsFound(self, writer);
}

/* Those that write a file neither before nor after a task, nor are the task. */
static void wfformatFindOthers(struct wfformat *self, uint32_t reader,
			       const struct file *file, GArray *found)
{
	const uint32_t *writers = (const uint32_t *)file->writers->data;
	guint count = file->writers->len;

	g_array_set_size(found, 0);
	if (count == 1) {
		if (*writers != reader &&
		    !wfformatReplaces(self, reader, *writers))
			g_array_append_val(found, *writers);
		return;
	}
	wfformatFindNext(self, reader, UINT32_MAX);
	wfformatCountSteps(self, count);
	for (guint i = 0; i < count; i++) {
		if (writers[i] != reader && !wfformatIsFound(self, writers[i]))
			g_array_append_val(found, writers[i]);
	}
}

/* A task reads a file: from whom? From the last ones that write it before this
 * task. Without any, from the only one that could. */
static void wfformatRead(struct wfformat *self, uint32_t reader,
			 const struct file *file, const char *key, size_t item)
{
	GArray *found = self->found;

	g_array_set_size(found, 0);
	if (file->writers->len > 1)
		wfformatFindLast(self, reader, file->data, found);
	if (!found->len && file->writers->len) {
		wfformatFindOthers(self, reader, file, found);
		if (found->len > 1 && wfformatHasSteps(self)) {
			wfformatFail(self, reader, key, (int64_t)item,
				     "%u tasks write file \"%.200s\"; none of "
				     "them comes before this task",
				     found->len, file->name);
			return;
		}
	}
	if (!wfformatHasSteps(self)) {
		wfformatFail(self, reader, key, (int64_t)item,
			     "too many parents and children to find which task "
			     "writes file \"%.200s\"",
			     file->name);
		return;
	}
	if (!found->len) {
		self->unwritten++;
		self->unwrittenBytes += file->bytes;
	}
	for (guint i = 0; i < found->len; i++)
		wfformatLinkFile(self, file, g_array_index(found, uint32_t, i),
				 reader);
}

/* Since 1.5: a file that a list of a task names; NULL: it is reported. */
static struct file *wfformatNamed(struct wfformat *self, size_t task,
				  const char *key, size_t item, json_t *value)
{
	const char *name = json_string_value(value);
	struct file *file =
		name ? g_hash_table_lookup(self->files, name) : NULL;

	if (!name)
		wfformatFail(self, task, key, (int64_t)item, "not a string");
	else if (!file)
		wfformatFail(self, task, key, (int64_t)item,
			     "unknown file \"%.200s\"", name);
	return file;
}

/* Before 1.5: a file in the list of a task; NULL: it is reported. */
static struct file *wfformatOwn(struct wfformat *self, size_t task, size_t item,
				json_t *object, bool *isInput)
{
	const char *link = json_string_value(json_object_get(object, "link"));
	const char *name = json_string_value(json_object_get(object, "name"));
	const char *path = json_string_value(json_object_get(object, "path"));
	struct file *file;
	char *full;

	if (!name)
		name = json_string_value(json_object_get(object, "id"));
	if (!name || !link ||
	    (strcmp(link, "input") != 0 && strcmp(link, "output") != 0)) {
		wfformatFail(self, task, "files", (int64_t)item, "%s",
			     !name ? "its name is missing"
				   : "link is not \"input\" or \"output\"");
		return NULL;
	}
	*isInput = strcmp(link, "input") == 0;
	full = g_strconcat(path ? path : "", name, NULL);
	file = wfformatAddFile(self, full);
	g_free(full);
	return file;
}

/* Before 1.5, each task that has a file says its size; that of a writer counts.
 */
static void wfformatMeet(struct wfformat *self, struct file *file, double bytes,
			 bool isWriter)
{
	if (!isnan(file->bytes) && file->bytes != bytes)
		self->differing++;
	if (isnan(file->bytes) || (isWriter && !file->isOfProducer))
		file->bytes = bytes;
	file->isOfProducer |= isWriter;
}

/* What a task does with files: writes (true) or reads them. */
static void wfformatFilesOf(struct wfformat *self, uint32_t task,
			    json_t *object, bool isWriting)
{
	const char *key = self->isOld ? "files"
			  : isWriting ? "outputFiles"
				      : "inputFiles";
	GHashTable *seen = g_hash_table_new(NULL, NULL);
	json_t *value;
	size_t k;

	json_array_foreach(wfformatList(self, task, object, key), k, value)
	{
		bool isInput = !isWriting;
		struct file *file =
			self->isOld
				? wfformatOwn(self, task, k, value, &isInput)
				: wfformatNamed(self, task, key, k, value);

		if (!file || isInput == isWriting ||
		    !g_hash_table_add(seen, file))
			continue;
		if (isWriting)
			wfformatWrite(self, task, file);
		else
			wfformatRead(self, task, file, key, k);
	}
	g_hash_table_destroy(seen);
}

/* Before 1.5: sizes of all files. */
int wfformatSizes(struct wfformat *self)
{
	json_t *object, *value;
	size_t i, k;

	json_array_foreach(self->tasks, i, object)
	{
		json_array_foreach(wfformatList(self, i, object, "files"), k,
				   value)
		{
			bool isInput = false;
			struct file *file =
				wfformatOwn(self, i, k, value, &isInput);
			char part[32];
			double bytes;

			g_snprintf(part, sizeof(part), "files[%zu]", k);
			self->part = part;
			bytes = wfformatSize(self, i, value);
			self->part = NULL;
			if (file)
				wfformatMeet(self, file, bytes, !isInput);
		}
	}
	return self->report->errors ? -EINVAL : 0;
}

int wfformatData(struct wfformat *self)
{
	int ret = wfformatMakeLineage(self);
	json_t *object;
	size_t i;

	if (ret == -ENOMEM)
		return ret;
	/* Of a cycle, only the orders are told. */
	json_array_foreach(self->tasks, i, object)
	{
		if (ret == 0)
			wfformatFilesOf(self, (uint32_t)i, object, true);
	}
	json_array_foreach(self->tasks, i, object)
	{
		if (ret == 0 && self->report->errors < ERRORS_MAX)
			wfformatFilesOf(self, (uint32_t)i, object, false);
	}
	/* Those that only wait for each other. */
	for (guint o = 0; o < self->orders->len; o++) {
		const struct order *order =
			&g_array_index(self->orders, struct order, o);

		if (!order->hasFile)
			importLink(self->import,
				   importSignal(self->import, order->before),
				   order->after);
	}
	return self->report->errors ? -EINVAL : 0;
}
