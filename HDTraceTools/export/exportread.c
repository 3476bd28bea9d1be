/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export: what formats use to read, to write and to say what is lost.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/export/export.h"
#include "common/format/frame.h"

/* ---- Losses and files -------------------------------------------------- */

/** Find what was lost before; most texts are the same one each time. */
static struct exportLoss *findLoss(const struct export *export,
				   const char *what)
{
	struct exportLoss *losses =
		&g_array_index(export->losses, struct exportLoss, 0);

	for (guint i = 0; i < export->losses->len; i++) {
		if (losses[i].what == what)
			return &losses[i];
	}
	for (guint i = 0; i < export->losses->len; i++) {
		if (strcmp(losses[i].what, what) == 0)
			return &losses[i];
	}
	return NULL;
}

void exportLose(struct export *export, const char *what, uint64_t count)
{
	struct exportLoss loss = { what, count };
	struct exportLoss *before = count ? findLoss(export, what) : NULL;

	if (before)
		before->count += count;
	else if (count)
		g_array_append_val(export->losses, loss);
}

/** Files of relations, where somebody asked. */
static uint64_t countRelations(const struct export *export)
{
	const hdIProject *project = export->project;
	uint64_t count = 0;

	for (size_t i = 0; i < project->relationCount; i++)
		count += selectionHasNode(&export->selection,
					  project->relations[i]->node);
	return count;
}

void exportLoseProject(struct export *export)
{
	const hdIProject *project = export->project;

	exportLose(export, "description of the project",
		   *project->description && !export->format->keepsDescription);
	exportLose(export, "MPI datatypes", project->datatypeCount);
	exportLose(export, "files of the application", project->usedFileCount);
	exportLose(export, "error bounds of clocks",
		   export->format->keepsClocks ? 0 : project->clockCount);
	if (export->hasRelations && !export->format->keepsRelations)
		exportLose(export, "files of relations",
			   countRelations(export));
}

char *exportBaseName(const char *path)
{
	char *base = g_path_get_basename(path);

	if (hdFrameIsCompressed(base))
		base[strlen(base) - strlen(HD_FRAME_SUFFIX)] = '\0';
	return base;
}

int exportStartFile(struct export *export, struct newFile *file,
		    const char *name)
{
	char *path = name ? g_build_filename(export->output, name, NULL)
			  : g_strdup(export->output);
	int ret = 0;

	*file = (struct newFile){ .path = NULL };
	if (!name && strcmp(path, "-") == 0)
		file->file = stdout;
	else if (!export->isForced && g_file_test(path, G_FILE_TEST_IS_REGULAR))
		ret = -EEXIST;
	else
		ret = newFileStart(file, path);
	if (ret == -EEXIST)
		toolErrorExists(export->tool, path);
	else if (ret < 0)
		toolErrorCreate(export->tool, path, ret);
	else
		g_ptr_array_add(export->files, g_strdup(path));
	g_free(path);
	return ret < 0 ? -1 : 0;
}

int exportCloseFile(struct export *export, struct newFile *file, bool hasFailed)
{
	const char *path = export->files->pdata[export->files->len - 1];
	int ret;

	if (hasFailed) {
		newFileAbort(file);
		return -1;
	}
	ret = newFileClose(file);
	if (ret < 0)
		toolErrorWrite(export->tool, path, ret);
	return ret < 0 ? -1 : 0;
}

int exportEndFile(struct export *export, struct newFile *file, bool hasFailed)
{
	char *path;
	int ret;

	if (file->file == stdout)
		return hasFailed ? -1 : 0;
	if (hasFailed) {
		newFileAbort(file);
		return -1;
	}
	path = g_strdup(file->path);
	ret = newFileCommit(file, export->isForced);
	/* What parts were told is not known to the file any more. */
	if (ret == -EIO && export->tool->outputError)
		ret = -export->tool->outputError;
	if (ret < 0)
		toolErrorWrite(export->tool, path, ret);
	g_free(path);
	return ret < 0 ? -1 : 0;
}

void exportLoseValue(struct export *export, const hdIValue *value)
{
	exportLose(export, "groupings and other attributes of values",
		   *value->grouping || value->attributeCount);
}

void exportAllowFiles(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* ---- What was asked for ------------------------------------------------ */

static void exportReadFreeGroup(void *data)
{
	struct exportGroup *group = data;

	windowFree(group->window);
	g_free(group->values);
	g_free(group->columns);
	g_free(group);
}

static void addNodes(struct export *export, const hdINode *node)
{
	for (; node; node = node->parent)
		g_hash_table_add(export->nodes, (gpointer)node);
}

/** Strings cannot be merged. */
static void loseStrings(struct export *export, const hdIGroup *group)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];

		exportLose(export, "strings (windows cannot merge them)",
			   value->type == HDI_STRING &&
				   selectionHasValue(&export->selection,
						     value->name));
	}
}

static void exportReadAddGroup(struct export *export, const hdIGroup *group)
{
	struct exportGroup *chosen = g_new0(struct exportGroup, 1);
	struct windowSource source;
	size_t count;

	chosen->source = group;
	if (export->window.length) {
		source = exportWindowSource(export, group);
		chosen->window = windowNew(&source);
		loseStrings(export, group);
		group = windowGroup(chosen->window);
	}
	chosen->group = group;
	count = group->valueCount;
	chosen->values = g_new(const hdIValue *, count + 1);
	chosen->columns = g_new(size_t, count + 1);
	for (size_t i = 0; i < count; i++) {
		/* Merged values are those that were asked for already. */
		if (!chosen->window &&
		    !selectionHasValue(&export->selection,
				       group->values[i].name))
			continue;
		chosen->columns[chosen->valueCount] = i;
		chosen->values[chosen->valueCount++] = &group->values[i];
	}
	if (chosen->source->valueCount && !chosen->valueCount) {
		exportReadFreeGroup(chosen);
		return;
	}
	g_ptr_array_add(export->groups, chosen);
	addNodes(export, chosen->source->node);
}

/** Whether there are any where somebody asked, and their nodes. */
static void chooseRelations(struct export *export)
{
	const hdIProject *project = export->project;
	bool isThere = false;

	for (size_t i = 0; export->hasRelations && i < project->relationCount;
	     i++) {
		const hdINode *node = project->relations[i]->node;

		if (!selectionHasNode(&export->selection, node))
			continue;
		isThere = true;
		if (export->format->keepsRelations)
			addNodes(export, node);
	}
	export->hasRelations = isThere;
}

void exportChoose(struct export *export)
{
	const hdIProject *project = export->project;

	export->scan = (struct scan){ .tool = export->tool,
				      .project = project,
				      .selection = &export->selection };
	export->addresses = addressesNew();
	export->groups = g_ptr_array_new_with_free_func(exportReadFreeGroup);
	export->traces = g_ptr_array_new();
	export->nodes = g_hash_table_new(NULL, NULL);
	for (size_t i = 0; export->hasStats && i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		if (scanHasGroup(&export->scan, group))
			exportReadAddGroup(export, group);
	}
	for (size_t i = 0; export->hasTraces && i < project->traceCount; i++) {
		const hdITraceFile *trace = project->traces[i];

		if (!scanHasTrace(&export->scan, trace))
			continue;
		g_ptr_array_add(export->traces, (gpointer)trace);
		addNodes(export, trace->node);
	}
	chooseRelations(export);
}

void exportForget(struct export *export)
{
	g_ptr_array_unref(export->groups);
	g_ptr_array_unref(export->traces);
	g_hash_table_destroy(export->nodes);
	resultsTellSites(export->tool, export->project, export->addresses);
	addressesFree(export->addresses);
}

/* ---- Parts ------------------------------------------------------------- */

const struct exportGroup *exportGroupAt(const struct export *export,
					size_t number)
{
	return number < export->groups->len ? export->groups->pdata[number]
					    : NULL;
}

const hdITraceFile *exportTraceAt(const struct export *export, size_t number)
{
	return export->traces->pdata[number - export->groups->len];
}

void exportFileDone(const struct export *export, size_t number)
{
	const struct exportGroup *group = exportGroupAt(export, number);

	toolProgressFile(export->tool,
			 group ? group->group->fileSize
			       : exportTraceAt(export, number)->fileSize);
}

struct export *exportStartPart(const struct export *begun, struct part *part)
{
	struct export *own = g_memdup2(begun, sizeof(*own));

	own->tool = &part->tool;
	own->scan.tool = &part->tool;
	own->scan.selection = &own->selection;
	own->scan.output = part->file;
	own->scan.sink = &part->sink;
	own->files = g_ptr_array_new_with_free_func(g_free);
	own->losses = g_array_new(FALSE, FALSE, sizeof(struct exportLoss));
	own->entries = own->states = own->events = 0;
	own->messages = own->relations = 0;
	return own;
}

void exportEndPart(struct export *export, struct export *own)
{
	for (guint i = 0; i < own->files->len; i++)
		g_ptr_array_add(export->files, g_strdup(own->files->pdata[i]));
	for (guint i = 0; i < own->losses->len; i++) {
		const struct exportLoss *loss =
			&g_array_index(own->losses, struct exportLoss, i);

		exportLose(export, loss->what, loss->count);
	}
	export->entries += own->entries;
	export->states += own->states;
	export->events += own->events;
	export->messages += own->messages;
	export->relations += own->relations;
	g_ptr_array_unref(own->files);
	g_array_unref(own->losses);
	g_free(own);
}

/* ---- Reading it -------------------------------------------------------- */

struct exportReader {
	struct export *export;
	hdIStatReader *stat;
	struct window *window;
};

struct windowSource exportWindowSource(const struct export *export,
				       const hdIGroup *group)
{
	return (struct windowSource){
		.group = group,
		.selection = &export->selection,
		.phases = &export->windows,
		.run = export->run,
		.hasDetails = export->format->keepsDetails,
	};
}

struct exportReader *exportOpenStat(struct export *export,
				    const struct exportGroup *group)
{
	/* Windows know the readings before them. */
	hdIStatReader *stat =
		group->window ? scanOpenStat(&export->scan, group->source)
			      : scanOpenStatFrom(&export->scan, group->source);
	struct exportReader *reader;
	struct windowSource source;

	if (!stat)
		return NULL;
	reader = g_new0(struct exportReader, 1);
	reader->export = export;
	reader->stat = stat;
	if (group->window) {
		source = exportWindowSource(export, group->source);
		reader->window = windowNew(&source);
	}
	return reader;
}

void exportLoseMerged(struct export *export, uint64_t entries,
		      uint64_t readings)
{
	exportLose(export, "single entries (merged into windows)", entries);
	exportLose(export, "last digits of large readings", readings);
}

void exportCloseStat(struct exportReader *reader)
{
	if (!reader)
		return;
	if (reader->window)
		exportLoseMerged(reader->export, windowMerged(reader->window),
				 windowRounded(reader->window));
	windowFree(reader->window);
	hdI_closeStat(reader->stat);
	g_free(reader);
}

/** Read a block of the file; false at the end. */
static bool readBlock(struct exportReader *reader, const hdIBlock **block)
{
	struct export *export = reader->export;

	if (toolIsStopped(export->tool) ||
	    hdI_readStat(reader->stat, block) != 1)
		return false;
	toolProgressAt(export->tool, (*block)->offset[(*block)->count - 1]);
	return (*block)->start[0] <= export->selection.end;
}

/** Read a block of merged entries; false at the end. */
static bool readWindows(struct exportReader *reader, const hdIBlock **block)
{
	const hdIBlock *next;

	while (!(*block = windowRead(reader->window))) {
		if (windowIsEnded(reader->window))
			return false;
		if (readBlock(reader, &next))
			windowTake(reader->window, next);
		else
			windowEnd(reader->window);
	}
	return true;
}

bool exportReadStat(struct exportReader *reader, struct exportEntries *entries)
{
	const struct selection *selection;
	const hdIBlock *block;

	while (reader && (reader->window ? readWindows(reader, &block)
					 : readBlock(reader, &block))) {
		size_t first = 0;
		size_t last = block->count;

		selection = &reader->export->selection;
		while (first < last &&
		       !selectionHasTime(selection, block->start[first],
					 block->end[first]))
			first++;
		while (last > first &&
		       !selectionHasTime(selection, block->start[last - 1],
					 block->end[last - 1]))
			last--;
		if (first == last)
			continue;
		*entries = (struct exportEntries){ block, first, last };
		reader->export->entries += last - first;
		return true;
	}
	return false;
}

struct ordered *exportOpenTrace(struct export *export,
				const hdITraceFile *trace)
{
	struct ordered *ordered =
		orderedOpen(export->project, trace, export->scan.sink);

	if (!ordered && errno != EBADMSG)
		toolError(export->tool, "%s: %s", trace->file, strerror(errno));
	return ordered;
}

int exportReadStep(struct export *export, struct ordered *ordered,
		   const hdITraceFile *trace, struct orderedStep *step,
		   bool *isChosen)
{
	int ret = toolIsStopped(export->tool) ? 0 : orderedRead(ordered, step);

	*isChosen = ret == 1 &&
		    selectionHasTime(&export->selection, step->record->start,
				     step->record->end);
	if (ret < 0)
		toolError(export->tool, "%s: temporary file: %s", trace->file,
			  strerror(errno));
	else if (ret == 0)
		exportLose(export, "exact times of states that overlap",
			   orderedMoved(ordered));
	else if (*isChosen && step->kind == ORDERED_EVENT)
		export->events++;
	else if (*isChosen && step->kind == ORDERED_LEAVE)
		export->states++;
	if (ret == 1)
		toolProgressAt(export->tool, orderedOffset(ordered));
	return ret;
}

int exportReadTrace(struct export *export, struct ordered *ordered,
		    const hdITraceFile *trace, struct orderedStep *step)
{
	bool isChosen;
	int ret;

	do {
		ret = exportReadStep(export, ordered, trace, step, &isChosen);
	} while (ret == 1 && !isChosen);
	return ret;
}

static void exportReadAddNames(const char *prefix,
			       const hdIAttribute *attributes,
			       size_t attributeCount,
			       const hdIElement *elements, size_t elementCount,
			       exportTakeAttribute *take, void *data)
{
	for (size_t i = 0; i < attributeCount; i++) {
		char *name = g_strconcat(prefix, attributes[i].name, NULL);

		take(data, name, attributes[i].value);
		g_free(name);
	}
	for (size_t i = 0; i < elementCount; i++) {
		const hdIElement *element = &elements[i];
		char *name = g_strconcat(prefix, element->name, ".", NULL);

		exportReadAddNames(name, element->attributes,
				   element->attributeCount, element->children,
				   element->childCount, take, data);
		name[strlen(name) - 1] = '\0';
		if (element->text && *element->text)
			take(data, name, element->text);
		g_free(name);
	}
}

void exportAttributes(const struct export *export, const hdIRecord *record,
		      const struct site *site, exportTakeAttribute *take,
		      void *data)
{
	char *place = NULL;

	/* What was asked for addresses is remembered by all parts. */
	if (site)
		toolWaitTurn(export->tool);
	if (site)
		place = siteText(site, export->addresses);

	/* Most have no elements. */
	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *attribute = &record->attributes[i];
		bool isSite = place && strcmp(attribute->name, "site") == 0;

		take(data, attribute->name, isSite ? place : attribute->value);
	}
	for (size_t i = 0; i < record->elementCount; i++) {
		if (!place || !siteIsElement(&record->elements[i]))
			exportReadAddNames("", NULL, 0, &record->elements[i], 1,
					   take, data);
	}
	g_free(place);
	if (record->text && *record->text)
		take(data, "text", record->text);
}
