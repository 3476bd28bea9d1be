/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that runs out at every single allocation of reading a project into
 * columns, and of Arrow's streams of them: nothing crashes or leaks, and the
 * failure is ENOMEM. The linker replaces malloc and the like (--wrap).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "PythonModule/src/arrow.h"
#include "HDTraceTools/tables/read.h"

static long allocations; /* Calls so far. */
static long failAt;      /* Call that fails; 0: none. */
static long living;      /* Blocks that were not freed. */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

static int mayAllocate(void)
{
	if (++allocations != failAt)
		return 1;
	errno = ENOMEM;
	return 0;
}

void *__wrap_malloc(size_t size)
{
	void *block = mayAllocate() ? __real_malloc(size) : NULL;

	living += block != NULL;
	return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
	void *block = mayAllocate() ? __real_calloc(count, size) : NULL;

	living += block != NULL;
	return block;
}

void *__wrap_realloc(void *old, size_t size)
{
	void *block = mayAllocate() ? __real_realloc(old, size) : NULL;

	living += block != NULL && old == NULL;
	return block;
}

char *__wrap_strdup(const char *text)
{
	char *block = mayAllocate() ? __real_strdup(text) : NULL;

	living += block != NULL;
	return block;
}

void __wrap_free(void *block)
{
	living -= block != NULL;
	__real_free(block);
}

/* ---- A project --------------------------------------------------------- */

static const char header[] =
	"<Statistics><TopologyNode><Label value='a'/></TopologyNode>"
	"<Group name='G'><v type='INT32' missing='7'/><w type='STRING'/>"
	"<x type='DOUBLE'/></Group></Statistics>";
static const char entries[] = "\0\0\0\1\0\0\0\0"
			      "\0\0\0\2\0\0\0\0"
			      "\0\0\0\5\0\2\xff"
			      "b"
			      "\0\0\0\0\0\0\0\0"
			      "\0\0\0\3\0\0\0\0"
			      "\0\0\0\7\0\1c\0\0\0\0\0\0\0\0"
			      "\0\0\0\4";
static const char trace[] =
	"<Program>\n<Nested><b time='1' end='2' k='1'/></Nested>\n"
	"<a time='1' end='2' k='x'>text<c d='1.5'/><c d='2'/></a>\n"
	"<Event name='e' time='5'/>\n</Program>\n";
static const char relations[] =
	"<relation version='2' hostID='h' localToken='1' topologyNumber='2'>\n"
	"<rel t='0' time='1'/><s name='s' t='0' time='2' x='y'/>"
	"<e t='0' time='3'/><rel t='1' time='2' i='0'/>"
	"<un t='0' time='4'/>\n</relation>\n";

static void makeFile(const char *name, const void *bytes, size_t size)
{
	g_assert_true(g_file_set_contents(name, bytes, (gssize)size, NULL));
}

static void makeProject(void)
{
	GString *stat = g_string_new(NULL);

	g_string_printf(stat, "%05zu\n%s", strlen(header), header);
	g_string_append_len(stat, entries, sizeof(entries) - 1);
	makeFile("p_a_G.stat", stat->str, stat->len);
	makeFile("p_a.trc", trace, strlen(trace));
	makeFile("p_a.rel", relations, strlen(relations));
	g_string_free(stat, TRUE);
}

/* ---- Reading ----------------------------------------------------------- */

/* Read a table as a stream, as consumers do; 0 or a negative errno. */
static int stream(struct table *table)
{
	struct hdPyField fields[32] = { { .name = "",
					  .format = "+s",
					  .metadata = "\0\0\0\0",
					  .metadataSize = 4 } };
	struct ArrowArrayStream out;
	struct ArrowSchema schema;
	struct ArrowArray array;
	size_t count = 1;
	int ret = 0;

	g_assert_cmpuint(table->columnCount, <, G_N_ELEMENTS(fields));
	for (; ret == 0 && count <= table->columnCount; count++) {
		struct tableColumn *column = &table->columns[count - 1];
		struct hdPyField *field = &fields[count];

		*field = (struct hdPyField){
			.name = column->name,
			.format = tableTypeFormat(column->type),
			.values = tableVectorFinish(&column->values),
		};
		if (column->type == TABLE_TEXT)
			field->offsets = tableVectorFinish(&column->offsets);
		if (column->nulls.used)
			field->nulls = tableVectorFinish(&column->nulls);
		if (!field->values ||
		    (column->type == TABLE_TEXT && !field->offsets))
			ret = -ENOMEM;
	}
	if (ret == 0)
		ret = hdPyArrowStream(&out, fields, count, table->rows);
	if (ret == 0) {
		ret = -out.get_schema(&out, &schema);
		if (ret == 0)
			schema.release(&schema);
		if (ret == 0)
			ret = -out.get_next(&out, &array);
		if (ret == 0)
			array.release(&array);
		out.release(&out);
	}
	for (size_t i = 1; i < count; i++) {
		tableMemoryDrop(fields[i].values);
		tableMemoryDrop(fields[i].offsets);
		tableMemoryDrop(fields[i].nulls);
	}
	return ret;
}

static int finish(struct tableReading *reading, int ret, size_t *rows)
{
	*rows += reading->table.rows + reading->more.rows;
	if (ret == 0)
		ret = stream(&reading->table);
	if (ret == 0 && reading->more.columnCount)
		ret = stream(&reading->more);
	tableReadingFree(reading);
	return ret;
}

/* Read all; counts the rows. */
static int run(const hdIProject *project, size_t *rows)
{
	const struct tableReading empty = {
		.project = project,
		.times = { .start = INT64_MIN, .end = INT64_MAX },
	};
	struct tableReading reading = empty;
	const size_t columns[] = { 0, 1, 2 };
	int ret = tableReadGroup(&reading, project->groups[0], columns, 3);

	ret = finish(&reading, ret, rows);
	if (ret < 0)
		return ret;
	reading = empty;
	ret = tableReadTrace(&reading, project->traces[0]);
	ret = finish(&reading, ret, rows);
	if (ret < 0)
		return ret;
	reading = empty;
	ret = tableReadRelations(&reading, project->relations[0]);
	return finish(&reading, ret, rows);
}

static void testAll(void)
{
	char *directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	static const char *const names[] = { "p_a_G.stat", "p_a.trc",
					     "p_a.rel" };
	hdIProject *project;
	size_t rows = 0, all;
	long before, total;
	int failures = 0;

	g_assert_cmpint(g_chdir(directory), ==, 0);
	makeProject();
	makeFile("p.proj",
		 "<Application name='p'><Topology><Level type='Host'/>"
		 "<Node name='a'/></Topology></Application>",
		 strlen("<Application name='p'><Topology><Level type='Host'/>"
			"<Node name='a'/></Topology></Application>"));
	project = hdI_openProject("p.proj", NULL, NULL);
	g_assert_nonnull(project);
	g_assert_cmpint(run(project, &rows), ==, 0);
	/* Two entries, two states and an event, a state and two relations. */
	g_assert_cmpuint(rows, ==, 8);
	all = rows;
	before = living;
	allocations = 0;
	rows = 0;
	g_assert_cmpint(run(project, &rows), ==, 0);
	total = allocations;
	g_assert_cmpint(living, ==, before);
	g_assert_cmpint(total, >, 100);
	for (long n = 1; n <= total; n++) {
		int ret;

		allocations = 0;
		failAt = n;
		rows = 0;
		ret = run(project, &rows);
		failAt = 0;
		g_test_message("allocation %ld of %ld: %d", n, total, ret);
		g_assert_cmpint(living, ==, before);
		g_assert_true(ret == 0 || ret == -ENOMEM);
		if (ret == 0)
			g_assert_cmpuint(rows, ==, all);
		failures += ret < 0;
	}
	/* Some only keep a diagnostic, or make room ahead. */
	g_assert_cmpint(failures, >, total * 3 / 4);
	hdI_closeProject(project);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		g_unlink(names[i]);
	g_unlink("p.proj");
	g_assert_cmpint(g_chdir("/"), ==, 0);
	g_rmdir(directory);
	g_free(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/python/nomem", testAll);
	return g_test_run();
}
