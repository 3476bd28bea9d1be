/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that runs out at every single allocation of opening and reading, in
 * the library and in libxml2: nothing crashes or leaks, and the failure is
 * ENOMEM. And once it is there, reading takes no more of it, however long the
 * file. The linker replaces malloc and the like in the library (--wrap).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>

#include <glib/gstdio.h>

#include "tests/reading/reading.h"

/* ---- The counting allocator -------------------------------------------- */

static long allocations; /* Calls so far. */
static long failAt;      /* Call that fails; 0: none. */
static int failOn;       /* Whether all after it fail, too. */
static long living;      /* Blocks that were not freed. */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
void __wrap_free(void *block);

static int mayAllocate(void)
{
	allocations++;
	if (failAt &&
	    (failOn ? allocations >= failAt : allocations == failAt)) {
		errno = ENOMEM;
		return 0;
	}
	return 1;
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

char *__wrap_strndup(const char *text, size_t size)
{
	char *block = mayAllocate() ? __real_strndup(text, size) : NULL;

	living += block != NULL;
	return block;
}

void __wrap_free(void *block)
{
	living -= block != NULL;
	__real_free(block);
}

/* ---- What is read ------------------------------------------------------ */

static const char proj[] =
	"<Application name='app'><Description>text</Description>"
	"<FileList><File name='f'><InitialSize>1</InitialSize></File>"
	"</FileList><Topology><Level type='Host'><Level type='Rank'/></Level>"
	"<Node name='a'><Node name='0'/></Node><Node name='b+c'/></Topology>"
	"<CommunicatorList><Communicator name='WORLD'>"
	"<Rank global='0' local='1' cid='2'/></Communicator>"
	"</CommunicatorList><Datatypes><Rank name='r' thread='t'>"
	"<STRUCT id='1' count='1'><Type id='1'/>text</STRUCT></Rank>"
	"</Datatypes><ExternalStatistics><G/><H/></ExternalStatistics>"
	"</Application>";
static const char header[] =
	"<Statistics><TopologyNode><Label value='a'/></TopologyNode>"
	"<Group name='G' x='y'><v type='INT32' unit='W' z='1'/>"
	"<w type='STRING'/></Group></Statistics>";
static const char trace[] =
	"<Program timeAdjustment='1' x='&lt;'>\n"
	"<Nested><b time='1' end='2' k='v'/></Nested>\n"
	"<a time='1' end='2' long='&amp;'>text<c d='e'><f/></c><Nested>"
	"<x:y time='3' end='4'/></Nested></a>\n"
	"<Event name='e' time='5'/>\n</Program>\n";

static void makeFile(const char *directory, const char *name,
		     const char *content, gssize size)
{
	char *path = g_build_filename(directory, name, NULL);

	g_assert_true(g_file_set_contents(path, content, size, NULL));
	g_free(path);
}

static char *makeProject(void)
{
	static const char *const stats[] = { "p_a_G.stat", "p_bc_H.stat",
					     "p_a_x_J.stat" };
	char *directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	GString *bytes = readingStat(NULL, header, NULL, NULL,
				     "T1 T2 I1 Stext GAP T3 T4 I2 S");

	makeFile(directory, "p.proj", proj, -1);
	for (size_t i = 0; i < G_N_ELEMENTS(stats); i++)
		makeFile(directory, stats[i], bytes->str, (gssize)bytes->len);
	makeFile(directory, "p_a_0.trc", trace, -1);
	makeFile(directory, "p_a_0.info", "", -1);
	makeFile(directory, "p_n_1.trc", trace, -1);
	g_string_free(bytes, TRUE);
	return directory;
}

static void removeProject(char *directory)
{
	GDir *dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(directory, name, NULL);

		g_remove(path);
		g_free(path);
	}
	g_dir_close(dir);
	g_assert_cmpint(g_rmdir(directory), ==, 0);
	g_free(directory);
}

/* ---- Running out of it ------------------------------------------------- */

static void ignoreMessage(const hdIMessage *message, void *data)
{
	int *errors = data;

	*errors += message->severity == HDI_ERROR;
}

/* Reads all; counts what was read. Returns -1 if it failed for want of
 * memory. */
static int readStats(const hdIProject *project, size_t *count)
{
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIBlock *block;
		hdIStatReader *reader =
			hdI_openStat(project, project->groups[i]);
		int ret = -1;

		while (reader && (ret = hdI_readStat(reader, &block)) == 1)
			*count += block->count;
		if (ret < 0)
			g_assert_cmpint(errno, ==, ENOMEM);
		hdI_closeStat(reader);
		if (ret < 0)
			return -1;
	}
	return 0;
}

static int readTraces(const hdIProject *project, size_t *count)
{
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdIRecord *record;
		hdITraceReader *reader =
			hdI_openTrace(project, project->traces[i]);
		int ret = -1;

		while (reader && (ret = hdI_readTrace(reader, &record)) == 1)
			(*count)++;
		if (ret < 0)
			g_assert_cmpint(errno, ==, ENOMEM);
		hdI_closeTrace(reader);
		if (ret < 0)
			return -1;
	}
	return 0;
}

/* What a run brought; all 0 if it failed. */
struct result {
	size_t nodes, groups, traces, types, entries, records;
	int errors;
};

static int run(const char *path, struct result *result)
{
	hdIProject *project;
	int ret = -1;

	memset(result, 0, sizeof(*result));
	project = hdI_openProject(path, ignoreMessage, &result->errors);
	if (!project) {
		g_assert_cmpint(errno, ==, ENOMEM);
		/* A failure for want of memory is no fault of a file. */
		g_assert_cmpint(result->errors, ==, 0);
		return -1;
	}
	result->nodes = project->nodeCount;
	result->groups = project->groupCount;
	result->traces = project->traceCount;
	result->types = project->datatypeCount;
	if (readStats(project, &result->entries) == 0 &&
	    readTraces(project, &result->records) == 0)
		ret = 0;
	g_assert_cmpint(result->errors, ==, 0);
	hdI_closeProject(project);
	return ret;
}

static void testAll(gconstpointer data)
{
	char *directory = makeProject();
	char *path = g_build_filename(directory, "p.proj", NULL);
	struct result all, some;
	long before, total;
	int failures = 0;

	failAt = 0;
	g_assert_cmpint(run(path, &all), ==, 0);
	g_assert_cmpuint(all.nodes, ==, 6);
	g_assert_cmpuint(all.groups, ==, 3);
	g_assert_cmpuint(all.traces, ==, 2);
	g_assert_cmpuint(all.entries, ==, 6);
	g_assert_cmpuint(all.records, ==, 8);
	xmlResetLastError();
	before = living;
	allocations = 0;
	g_assert_cmpint(run(path, &some), ==, 0);
	total = allocations;
	xmlResetLastError();
	g_assert_cmpint(living, ==, before);
	g_assert_cmpint(total, >, 200);

	for (long n = 1; n <= total; n++) {
		int ret;

		allocations = 0;
		failAt = n;
		failOn = GPOINTER_TO_INT(data);
		ret = run(path, &some);
		failAt = 0;
		xmlResetLastError();
		g_test_message("allocation %ld of %ld", n, total);
		g_assert_cmpint(living, ==, before);
		failures += ret < 0;
		if (ret == 0)
			g_assert_cmpint(memcmp(&some, &all, sizeof(all)), ==,
					0);
	}
	/* Some are not needed: libxml2 grows its buffers ahead. */
	g_assert_cmpint(failures, >, total / 2);
	g_test_message("%d failures of %ld", failures, total);
	removeProject(directory);
	g_free(path);
}

/* ---- Needing none ------------------------------------------------------ */

/* How many allocations it takes to read one file of a project to its end. */
static long countAllocations(const char *path, size_t records)
{
	int errors = 0;
	hdIProject *project = hdI_openProject(path, ignoreMessage, &errors);
	size_t count = 0;

	g_assert_nonnull(project);
	allocations = 0;
	g_assert_cmpint(readStats(project, &count), ==, 0);
	g_assert_cmpint(readTraces(project, &count), ==, 0);
	g_assert_cmpuint(count, ==, records);
	hdI_closeProject(project);
	g_assert_cmpint(errors, ==, 0);
	return allocations;
}

static char *makeLongTrace(const char *directory, int count)
{
	GString *bytes = g_string_new("<Program>\n");
	char *path = g_build_filename(directory, "long.trc", NULL);

	for (int i = 0; i < count / 4; i++)
		g_string_append(bytes,
				"<Nested>\n<a time='1' end='2' k='v'/>\n"
				"<Event name='e' time='1'/>\n</Nested>\n"
				"<b time='1' end='2' x='1' y='2'/>\n"
				"<c time='1' end='2'><d e='f'>text</d>x</c>\n");
	g_string_append(bytes, "</Program>\n");
	makeFile(directory, "long.trc", bytes->str, (gssize)bytes->len);
	g_string_free(bytes, TRUE);
	return path;
}

static char *makeLongStat(const char *directory, int count)
{
	GString *words = g_string_new("T1");
	char *path = g_build_filename(directory, "long.stat", NULL);
	GString *bytes;

	for (int i = 0; i < count; i++)
		g_string_append_printf(words, " T%d I1 Sab", i + 1);
	bytes = readingStat(NULL, NULL, "INT32 STRING", NULL, words->str);
	makeFile(directory, "long.stat", bytes->str, (gssize)bytes->len);
	g_string_free(bytes, TRUE);
	g_string_free(words, TRUE);
	return path;
}

/* Ten times the records take no more memory, nor a single allocation. */
static void testSteady(gconstpointer data)
{
	char *(*make)(const char *directory, int count) =
		*(char *(*const *)(const char *directory, int count))data;
	char *directory = g_dir_make_tmp("hdtrace-XXXXXX", NULL);
	char *path = make(directory, 20000);
	long some, many;

	/* The first time libxml2 sets itself up. */
	countAllocations(path, 20000);
	some = countAllocations(path, 20000);
	g_free(path);
	path = make(directory, 200000);
	many = countAllocations(path, 200000);
	g_assert_cmpint(many, ==, some);
	removeProject(directory);
	g_free(path);
}

/* A file of an archive that cannot be opened: no descriptor of the program is
 * closed. */
static void testArchive(void)
{
	long all;

	allocations = 0;
	g_assert_null(hdI_openFile("/nonexistent.hdz/a.trc", NULL, NULL));
	g_assert_cmpint(errno, ==, ENOENT);
	all = allocations;
	g_assert_cmpint(all, >, 2);
	for (long i = 1; i <= all; i++) {
		allocations = 0;
		failAt = i;
		g_assert_null(
			hdI_openFile("/nonexistent.hdz/a.trc", NULL, NULL));
		g_assert_cmpint(errno, ==, ENOMEM);
		failAt = 0;
		g_assert_cmpint(fcntl(STDIN_FILENO, F_GETFD), >=, 0);
	}
}

static char *(*const makers[])(const char *directory, int count) = {
	makeLongTrace,
	makeLongStat,
};

int main(int argc, char **argv)
{
	xmlMemSetup(__wrap_free, __wrap_malloc, __wrap_realloc, __wrap_strdup);
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/read-nomem/once", GINT_TO_POINTER(0), testAll);
	g_test_add_data_func("/read-nomem/from then on", GINT_TO_POINTER(1),
			     testAll);
	g_test_add_func("/read-nomem/archive", testArchive);
	g_test_add_data_func("/read-nomem/long trace", &makers[0], testSteady);
	g_test_add_data_func("/read-nomem/long stat", &makers[1], testSteady);
	return g_test_run();
}
