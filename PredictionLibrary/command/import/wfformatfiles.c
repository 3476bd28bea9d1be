/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of workflows in WfFormat: data sets of the tasks that write them; see
 * wfformat.h. */
#include "config.h"

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
	bool isOfProducer; /* The size is that of who writes it. */
	GArray *data;      /* uint32_t: data sets of tasks that write it. */
	GArray *writers;   /* uint32_t: these tasks. */
};

void wfformatFreeFile(void *data)
{
	struct file *file = data;

	g_array_unref(file->data);
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
	file->data = g_array_new(FALSE, FALSE, sizeof(uint32_t));
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
	guint count = file->writers->len;
	uint32_t data;

	/* Said twice. */
	if (count && g_array_index(file->writers, uint32_t, count - 1) == task)
		return;
	data = importData(self->import, task, file->bytes);
	g_array_append_val(file->data, data);
	g_array_append_val(file->writers, task);
}

/* Link a reader to a writer of a file. */
static void wfformatLinkFile(struct wfformat *self, const struct file *file,
			     guint writer, uint32_t reader)
{
	uint32_t task = g_array_index(file->writers, uint32_t, writer);
	struct order *order = wfformatFindOrder(self, task, reader);

	importLink(self->import, g_array_index(file->data, uint32_t, writer),
		   reader);
	if (order)
		order->hasFile = true;
}

/* A task reads a file: from whom? Not from itself, and not from who replaces
 * it after this task. Of several writers, from the parents of the task. */
static void wfformatRead(struct wfformat *self, uint32_t reader,
			 const struct file *file, const char *key, size_t item)
{
	guint others = 0, parents = 0;

	for (guint i = 0; i < file->writers->len; i++) {
		uint32_t writer = g_array_index(file->writers, uint32_t, i);

		others += writer != reader &&
			  !wfformatFindOrder(self, reader, writer);
		parents += wfformatFindOrder(self, writer, reader) != NULL;
	}
	if (!others) {
		self->unwritten += !file->writers->len;
		self->unwrittenBytes += file->writers->len ? 0 : file->bytes;
	}
	if (others > 1 && !parents) {
		wfformatFail(self, reader, key, (int64_t)item,
			     "%u tasks write file \"%.200s\", and none of them "
			     "is a parent",
			     others, file->name);
		return;
	}
	for (guint i = 0; i < file->writers->len; i++) {
		uint32_t writer = g_array_index(file->writers, uint32_t, i);

		if (writer == reader ||
		    wfformatFindOrder(self, reader, writer) ||
		    (others > 1 && !wfformatFindOrder(self, writer, reader)))
			continue;
		wfformatLinkFile(self, file, i, reader);
	}
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
			double bytes = wfformatSize(self, i, value);

			if (file)
				wfformatMeet(self, file, bytes, !isInput);
		}
	}
	return self->report->errors ? -EINVAL : 0;
}

int wfformatData(struct wfformat *self)
{
	json_t *object;
	size_t i;

	json_array_foreach(self->tasks, i, object)
		wfformatFilesOf(self, (uint32_t)i, object, true);
	json_array_foreach(self->tasks, i, object)
	{
		if (self->report->errors < ERRORS_MAX)
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
