/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: smoke */
/*
 * The historic projects, read by the library, against what the original
 * reader delivered of them (expected/NAME.dump.gz): value by value, floats by
 * their bits, times to the nanosecond, order and nesting.
 *
 * Where the two differ on purpose a line in the table of exceptions says so,
 * with the reason; the test fails if an exception does not occur any more.
 * The projects are no part of HDTrace: $HDTRACE_CORPUS says where they are.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <gio/gio.h>

#include <hdReading.h>

/* ---- What is compared -------------------------------------------------- */

static const struct project {
	const char *name; /* Of the dump. */
	const char *file;
} projects[] = {
	{ "handwritten", "handwritten/test.proj" },
	{ "load-generator", "load-generator/io-load-generator.proj" },
	{ "non-collective-4-500",
	  "non-collective-4-500/partdiff-mpi-non-collective.proj" },
	{ "non-collective-8-100",
	  "non-collective-8-100/partdiff-mpi-non-collective.proj" },
	{ "partdiff-mpi", "partdiff-mpi/partdiff-mpi.proj" },
	{ "partdiff-mpi-io-synced",
	  "partdiff-mpi-io-synced/partdiff-par.proj" },
	{ "pvfs2-server-nan", "pvfs2-server-nan/pvfs2-server.proj" },
	{ "stresstest", "stresstest/stresstest.proj" },
	{ "old-format-backgroundTrace", "old-format/backgroundTrace.proj" },
	{ "old-format-multipleHosts", "old-format/multipleHosts.proj" },
	{ "old-format-test", "old-format/test.proj" },
};

/* The lines are glob patterns; "{3}" in front means three such lines. */
static const struct exception {
	const char *project;
	const char *expected;
	const char *actual;
	int times;
	const char *reason;
} exceptions[] = {
	{ "handwritten",
	  "      DATA\tNested\n"
	  "        DATA\tEvent\tname=test\ttime=5.2\n"
	  "        DATA\tSend\tend=6.9\ttime=6\n"
	  "          DATA\tNested\n"
	  "            DATA\tBcast\tcid=1\tend=6.8\troot=0\tsize=4\ttime=6.1",
	  "    EVENT\ttest\t5.200000000\n"
	  "    STATE\tSend\t6.000000000\t6.900000000\n"
	  "      STATE\tBcast\t6.100000000\t6.800000000\tcid=1\troot=0\tsize=4",
	  2,
	  "the original attached Nested to the next end tag, here that of a "
	  "child element, and so lost the states" },
	{ "handwritten", "SUMMARY\tstatEntries=19\tstates=17\tevents=6\t*",
	  "SUMMARY\tstatEntries=19\tstates=21\tevents=8\t*", 1,
	  "the states and events that the original lost" },
	{ "partdiff-mpi-io-synced", "",
	  "STATGROUP\tpartdiff-par-node0?\tPerformance\t*\tn=20\n"
	  "{20}  VALUE\t*\n{3}  STAT\t*",
	  5, "the original skipped groups that are not declared" },
	{ "partdiff-mpi-io-synced", "SUMMARY\tstatEntries=0\tstates=9539\t*",
	  "SUMMARY\tstatEntries=15\tstates=9539\t*", 1,
	  "the entries of the groups that are not declared" },
	{ "old-format-backgroundTrace", "LEVELS\tnull", "LEVELS\thost", 1,
	  "old format: Level name=, not type=" },
	{ "old-format-backgroundTrace", "NODE\t*-timobile\ttype=null\t*",
	  "NODE\t*-timobile\ttype=host\t*", 1,
	  "old format: Level name=, not type=" },
	{ "old-format-backgroundTrace", "STATGROUP\t*\tadj=1242562359.*\tn=22",
	  "STATGROUP\t*\tadj=0.000000000\tn=22", 1,
	  "old format: a timeAdjustment that is a date is not added" },
	{ "old-format-backgroundTrace", "ERROR\t*is earlier than last entry*",
	  "{99}  STAT\t1242562???.*", 1,
	  "old format: without initial time stamp the original failed" },
	{ "old-format-backgroundTrace", "SUMMARY\tstatEntries=0\t*\terrors=1",
	  "SUMMARY\tstatEntries=99\t*\terrors=0", 1,
	  "old format: without initial time stamp the original failed" },
	{ "old-format-multipleHosts", "STATGROUP\t*\tadj=1241628376.*\tn=26",
	  "STATGROUP\t*\tadj=0.000000000\tn=26", 2,
	  "old format: a timeAdjustment that is a date is not added" },
	{ "old-format-multipleHosts", "ERROR\t*is earlier than last entry*",
	  "{16}  STAT\t12416283??.*", 2,
	  "old format: without initial time stamp the original failed" },
	{ "old-format-multipleHosts", "SUMMARY\tstatEntries=0\t*\terrors=2",
	  "SUMMARY\tstatEntries=32\t*\terrors=0", 1,
	  "old format: without initial time stamp the original failed" },
	{ "old-format-test", "STATGROUP\t*\tadj=1241628376.*\tn=26",
	  "STATGROUP\t*\tadj=0.000000000\tn=26", 1,
	  "old format: a timeAdjustment that is a date is not added" },
	{ "old-format-test", "ERROR\t*is earlier than last entry*",
	  "{16}  STAT\t12416283??.*", 1,
	  "old format: without initial time stamp the original failed" },
	{ "old-format-test", "SUMMARY\tstatEntries=0\t*\terrors=1",
	  "SUMMARY\tstatEntries=16\t*\terrors=0", 1,
	  "old format: without initial time stamp the original failed" },
};

/* Values that stand for others in the dumps. */
static const struct substitute {
	const char *project;
	const char *expected;
	const char *actual;
	int times;
	const char *reason;
} substitutes[] = {
	{ "pvfs2-server-nan", "\td:0000000000000000", "\tf:ffc00000", 6,
	  "the original turned NaN into 0" },
};

/* All messages of each project. */
static const struct {
	const char *project;
	const char *rule;
	int times;
} messages[] = {
	{ "handwritten", "proj.group-missing", 1 },
	{ "partdiff-mpi-io-synced", "proj.undeclared", 5 },
	{ "pvfs2-server-nan", "proj.group-missing", 5 },
	{ "old-format-backgroundTrace", "proj.old-format", 1 },
	{ "old-format-backgroundTrace", "proj.group-missing", 1 },
	{ "old-format-backgroundTrace", "stat.old-format", 1 },
	{ "old-format-multipleHosts", "proj.old-format", 1 },
	{ "old-format-multipleHosts", "proj.group-missing", 1 },
	{ "old-format-multipleHosts", "stat.old-format", 2 },
	{ "old-format-multipleHosts", "stat.name", 1 },
	{ "old-format-test", "proj.group-missing", 1 },
	{ "old-format-test", "stat.old-format", 1 },
};

/* ---- The dump ---------------------------------------------------------- */

struct dump {
	GString *text;
	const char *base;
	GPtrArray *messages; /* Rules. */
	int entries;
	int states;
	int events;
	int errors;
};

static void takeMessage(const hdIMessage *message, void *data)
{
	struct dump *dump = data;

	g_ptr_array_add(dump->messages, g_strdup(message->rule));
	g_test_message("%s %s:%" PRId64 ": %s", message->rule, message->file,
		       message->offset, message->text);
}

static int compareTexts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Append lines in order. */
static void appendSorted(GString *text, GPtrArray *lines, const char *separator)
{
	g_ptr_array_sort(lines, compareTexts);
	for (guint i = 0; i < lines->len; i++)
		g_string_append_printf(text, "%s%s", separator,
				       (const char *)lines->pdata[i]);
	g_ptr_array_unref(lines);
}

static void appendTime(GString *text, int64_t time)
{
	uint64_t amount = time < 0 ? -(uint64_t)time : (uint64_t)time;

	g_string_append_printf(text, "%s%" PRIu64 ".%09" PRIu64,
			       time < 0 ? "-" : "", amount / 1000000000,
			       amount % 1000000000);
}

static void dumpHead(struct dump *dump, const hdIProject *project)
{
	GPtrArray *names = g_ptr_array_new();

	g_string_append_printf(
		dump->text, "PROJECT\t%s\tprefix=%s\tdescription=%s\n",
		project->name, dump->base,
		*project->description ? project->description : "<null>");
	g_string_append(dump->text, "LEVELS");
	for (size_t i = 0; i < project->levelCount; i++)
		g_string_append_printf(dump->text, "\t%s", project->levels[i]);
	g_string_append(dump->text, "\nGROUPS");
	if (project->declaredGroupCount == 0)
		g_string_append_c(dump->text, '\t');
	for (size_t i = 0; i < project->declaredGroupCount; i++)
		g_ptr_array_add(names, (char *)project->declaredGroups[i]);
	appendSorted(dump->text, names, "\t");
	g_string_append_c(dump->text, '\n');
}

static int compareRanks(gconstpointer a, gconstpointer b)
{
	const hdIRank *left = *(const hdIRank *const *)a;
	const hdIRank *right = *(const hdIRank *const *)b;

	return left->global < right->global ? -1 : left->global > right->global;
}

static void dumpCommunicator(struct dump *dump, const hdICommunicator *comm)
{
	GPtrArray *ranks = g_ptr_array_new();

	g_string_append_printf(dump->text, "COMM\t%s\tranks=[", comm->name);
	for (size_t i = 0; i < comm->rankCount; i++)
		g_ptr_array_add(ranks, (hdIRank *)&comm->ranks[i]);
	g_ptr_array_sort(ranks, compareRanks);
	for (guint i = 0; i < ranks->len; i++)
		g_string_append_printf(
			dump->text, "%s%" PRId64, i ? ", " : "",
			((const hdIRank *)ranks->pdata[i])->global);
	g_string_append(dump->text, "]\n");
	g_ptr_array_unref(ranks);
}

static int compareTypes(gconstpointer a, gconstpointer b)
{
	const hdIDatatype *left = *(const hdIDatatype *const *)a;
	const hdIDatatype *right = *(const hdIDatatype *const *)b;
	int order = strcmp(left->rank, right->rank);

	if (order != 0)
		return order;
	return left->id < right->id ? -1 : left->id > right->id;
}

static void dumpTypes(struct dump *dump, const hdIProject *project)
{
	GPtrArray *types = g_ptr_array_new();

	for (size_t i = 0; i < project->datatypeCount; i++)
		g_ptr_array_add(types, (hdIDatatype *)&project->datatypes[i]);
	g_ptr_array_sort(types, compareTypes);
	for (guint i = 0; i < types->len; i++) {
		const hdIDatatype *type = types->pdata[i];

		g_string_append_printf(
			dump->text, "DATATYPE\trank=%s\tid=%" PRId64 "\t%s\n",
			type->rank, type->id, type->combiner);
	}
	g_ptr_array_unref(types);
}

/* ---- Statistics -------------------------------------------------------- */

static void dumpValue(GString *text, hdIType type, hdIColumn column, size_t i)
{
	guint32 bits32;
	guint64 bits64;

	switch (type) {
	case HDI_INT32:
		g_string_append_printf(text, "\ti:%" PRId32, column.int32[i]);
		break;
	case HDI_INT64:
		g_string_append_printf(text, "\tl:%" PRId64, column.int64[i]);
		break;
	case HDI_UINT64:
		g_string_append_printf(text, "\tu:%" PRIu64, column.uint64[i]);
		break;
	case HDI_FLOAT:
		memcpy(&bits32, &column.float32[i], sizeof(bits32));
		g_string_append_printf(text, "\tf:%08" PRIx32, bits32);
		break;
	case HDI_DOUBLE:
		memcpy(&bits64, &column.float64[i], sizeof(bits64));
		g_string_append_printf(text, "\td:%016" PRIx64, bits64);
		break;
	case HDI_STRING:
		g_string_append_printf(text, "\ts:%.*s",
				       (int)column.string[i].length,
				       column.string[i].bytes);
		break;
	}
}

static void dumpGroup(struct dump *dump, const hdIProject *project,
		      const hdIGroup *group, const char *node)
{
	static const char *const types[] = { "INT32", "INT64",  "UINT64",
					     "FLOAT", "DOUBLE", "STRING" };
	const hdIBlock *block;
	hdIStatReader *reader;
	int ret;

	g_string_append_printf(
		dump->text, "STATGROUP\t%s\t%s\tts=EPOCH\tmult=1\tadj=", node,
		group->name);
	appendTime(dump->text, group->timeAdjustment);
	g_string_append_printf(dump->text, "\tn=%zu\n", group->valueCount);
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];

		g_string_append_printf(
			dump->text,
			"  VALUE\t%zu\t%s\t%s\tunit=%s\tgrouping=%s\n", i,
			value->name, types[value->type], value->unit,
			value->grouping);
	}
	reader = hdI_openStat(project, group);
	g_assert_nonnull(reader);
	while ((ret = hdI_readStat(reader, &block)) == 1) {
		for (size_t i = 0; i < block->count; i++) {
			g_string_append(dump->text, "  STAT\t");
			appendTime(dump->text, block->start[i]);
			g_string_append_c(dump->text, '\t');
			appendTime(dump->text, block->end[i]);
			for (size_t k = 0; k < group->valueCount; k++)
				dumpValue(dump->text, group->values[k].type,
					  block->columns[k], i);
			g_string_append_c(dump->text, '\n');
		}
		dump->entries += (int)block->count;
	}
	dump->errors += ret < 0;
	hdI_closeStat(reader);
}

/* ---- Traces ------------------------------------------------------------ */

static void appendAttributes(GString *text, const hdIAttribute *attributes,
			     size_t count, const char *content)
{
	GPtrArray *pairs = g_ptr_array_new_with_free_func(g_free);

	if (*content)
		g_ptr_array_add(pairs, g_strdup_printf("#text=%s", content));
	for (size_t i = 0; i < count; i++)
		g_ptr_array_add(pairs,
				g_strdup_printf("%s=%s", attributes[i].name,
						attributes[i].value));
	appendSorted(text, pairs, "\t");
	g_string_append_c(text, '\n');
}

static void appendElements(GString *text, const hdIElement *elements,
			   size_t count, int indent)
{
	for (size_t i = 0; i < count; i++) {
		const hdIElement *element = &elements[i];

		g_string_append_printf(text, "%*sDATA\t%s", indent, "",
				       element->name);
		appendAttributes(text, element->attributes,
				 element->attributeCount, element->text);
		appendElements(text, element->children, element->childCount,
			       indent + 2);
	}
}

/* The dump has states before what lies in them. */
static void dumpRecord(struct dump *dump, GPtrArray *levels,
		       const hdIRecord *record)
{
	int indent = 2 + 2 * (int)record->depth;
	int isEvent = record->kind == HDI_EVENT;
	GString *text;

	while (levels->len < record->depth + 2)
		g_ptr_array_add(levels, g_string_new(NULL));
	text = levels->pdata[record->depth];
	g_string_append_printf(text, "%*s%s\t%s\t", indent, "",
			       isEvent ? "EVENT" : "STATE", record->name);
	appendTime(text, record->start);
	if (!isEvent) {
		GString *nested = levels->pdata[record->depth + 1];

		g_string_append_c(text, '\t');
		appendTime(text, record->end);
		appendAttributes(text, record->attributes,
				 record->attributeCount, record->text);
		appendElements(text, record->elements, record->elementCount,
			       indent + 2);
		g_string_append(text, nested->str);
		g_string_truncate(nested, 0);
		dump->states++;
	} else {
		appendAttributes(text, record->attributes,
				 record->attributeCount, record->text);
		dump->events++;
	}
}

static void freeText(gpointer text)
{
	g_string_free(text, TRUE);
}

static void dumpTrace(struct dump *dump, const hdIProject *project,
		      const hdITraceFile *trace, const char *node)
{
	GPtrArray *levels = g_ptr_array_new_with_free_func(freeText);
	hdITraceReader *reader = hdI_openTrace(project, trace);
	const hdIRecord *record;
	int ret;

	g_assert_nonnull(reader);
	g_ptr_array_add(levels, g_string_new(NULL));
	while ((ret = hdI_readTrace(reader, &record)) == 1)
		dumpRecord(dump, levels, record);
	dump->errors += ret < 0;
	hdI_closeTrace(reader);
	g_string_append_printf(dump->text, "TRACE\t%s\n%s", node,
			       ((GString *)levels->pdata[0])->str);
	g_string_append(dump->text, "  TRACEEND\tspeedMHz=2660\n");
	g_ptr_array_unref(levels);
}

static int compareNodes(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const hdINode *const *)a)->label,
		      (*(const hdINode *const *)b)->label);
}

static int compareGroups(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const hdIGroup *const *)a)->name,
		      (*(const hdIGroup *const *)b)->name);
}

static void dumpNode(struct dump *dump, const hdIProject *project,
		     const hdINode *node, const char *name, const char *prefix)
{
	GPtrArray *list = g_ptr_array_new();

	g_string_append_printf(
		dump->text, "NODE\t%s\ttype=%s\tprefix=%s\n", name,
		node->level ? project->levels[node->level - 1] : "File",
		prefix);
	for (size_t i = 0; i < node->groupCount; i++)
		g_ptr_array_add(list, (hdIGroup *)node->groups[i]);
	g_ptr_array_sort(list, compareGroups);
	for (guint i = 0; i < list->len; i++)
		dumpGroup(dump, project, list->pdata[i], name);
	if (node->trace)
		dumpTrace(dump, project, node->trace, name);

	g_ptr_array_set_size(list, 0);
	for (size_t i = 0; i < node->childCount; i++)
		g_ptr_array_add(list, (hdINode *)node->children[i]);
	g_ptr_array_sort(list, compareNodes);
	for (guint i = 0; i < list->len; i++) {
		const hdINode *child = list->pdata[i];
		char *childName = g_strdup_printf("%s-%s", name, child->label);
		char *childPrefix =
			g_strdup_printf("%s_%s", prefix, child->label);

		dumpNode(dump, project, child, childName, childPrefix);
		g_free(childName);
		g_free(childPrefix);
	}
	g_ptr_array_unref(list);
}

static void dumpProject(struct dump *dump, const char *file)
{
	hdIProject *project = hdI_openProject(file, takeMessage, dump);
	char *base;

	g_assert_nonnull(project);
	base = g_path_get_basename(project->prefix);
	dump->base = base;
	dumpHead(dump, project);
	for (size_t i = 0; i < project->communicatorCount; i++)
		dumpCommunicator(dump, &project->communicators[i]);
	dumpTypes(dump, project);
	dumpNode(dump, project, project->root, base, base);
	g_string_append_printf(dump->text,
			       "SUMMARY\tstatEntries=%d\tstates=%d\tevents=%d\t"
			       "relations=0\trelStates=0\terrors=%d\n",
			       dump->entries, dump->states, dump->events,
			       dump->errors);
	hdI_closeProject(project);
	g_free(base);
}

/* ---- Comparing --------------------------------------------------------- */

static char *loadExpected(const char *file)
{
	GZlibDecompressor *decompressor =
		g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
	GOutputStream *memory = g_memory_output_stream_new_resizable();
	GFile *source = g_file_new_for_path(file);
	GError *error = NULL;
	GInputStream *input, *text;
	char *result;

	input = G_INPUT_STREAM(g_file_read(source, NULL, &error));
	g_assert_no_error(error);
	text = g_converter_input_stream_new(input, G_CONVERTER(decompressor));
	g_output_stream_splice(memory, text,
			       G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE, NULL,
			       &error);
	g_assert_no_error(error);
	g_output_stream_write(memory, "", 1, NULL, &error);
	g_assert_no_error(error);
	g_output_stream_close(memory, NULL, &error);
	g_assert_no_error(error);
	result = g_memory_output_stream_steal_data(
		G_MEMORY_OUTPUT_STREAM(memory));
	g_object_unref(text);
	g_object_unref(input);
	g_object_unref(source);
	g_object_unref(memory);
	g_object_unref(decompressor);
	return result;
}

/* Floats of the dump are "f:BITS=DECIMAL"; the bits are enough. */
static void stripDecimals(char *line)
{
	char *to = line;
	int isFloat = 0;

	if (!g_str_has_prefix(line, "  STAT\t"))
		return;
	for (const char *p = line; *p; p++) {
		if (*p == '\t')
			isFloat = p[1] == 'f' || p[1] == 'd';
		if (*p == '=' && isFloat) {
			while (p[1] && p[1] != '\t')
				p++;
			continue;
		}
		*to++ = *p;
	}
	*to = '\0';
}

static void applySubstitutes(const char *project, char **lines)
{
	for (size_t i = 0; i < G_N_ELEMENTS(substitutes); i++) {
		const struct substitute *s = &substitutes[i];
		int times = 0;

		if (strcmp(s->project, project) != 0)
			continue;
		for (char **line = lines; *line; line++) {
			char **parts = g_strsplit(*line, s->expected, -1);

			if (g_strv_length(parts) > 1) {
				times += (int)g_strv_length(parts) - 1;
				g_free(*line);
				*line = g_strjoinv(s->actual, parts);
			}
			g_strfreev(parts);
		}
		g_assert_cmpint(times, ==, s->times);
	}
}

/* Number of lines that match the patterns, or -1. */
static int match(const char *patterns, char **lines)
{
	char **list = g_strsplit(patterns, "\n", -1);
	int count = 0;

	for (char **pattern = list; *pattern && count >= 0; pattern++) {
		const char *glob = *pattern;
		int repeat = 1;

		if (*glob == '{') {
			repeat = (int)g_ascii_strtoll(glob + 1, NULL, 10);
			glob = strchr(glob, '}') + 1;
		}
		for (; repeat > 0 && count >= 0; repeat--) {
			if (lines[count] &&
			    g_pattern_match_simple(glob, lines[count]))
				count++;
			else
				count = -1;
		}
	}
	g_strfreev(list);
	return count;
}

/* Step over an exception; returns whether there is one here. */
static int skipException(const char *project, char ***expected, char ***actual,
			 int *uses)
{
	for (size_t i = 0; i < G_N_ELEMENTS(exceptions); i++) {
		const struct exception *e = &exceptions[i];
		int left, right;

		if (strcmp(e->project, project) != 0)
			continue;
		left = *e->expected ? match(e->expected, *expected) : 0;
		right = match(e->actual, *actual);
		if (left < 0 || right < 0)
			continue;
		*expected += left;
		*actual += right;
		uses[i]++;
		return 1;
	}
	return 0;
}

static void compare(const char *project, char **expected, char **actual)
{
	int uses[G_N_ELEMENTS(exceptions)] = { 0 };
	char **start = actual;

	while (*expected || *actual) {
		if (*expected && *actual && strcmp(*expected, *actual) == 0) {
			expected++;
			actual++;
			continue;
		}
		if (skipException(project, &expected, &actual, uses))
			continue;
		g_test_message("line %d", (int)(actual - start) + 1);
		g_assert_cmpstr(*actual, ==, *expected);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(exceptions); i++)
		if (strcmp(exceptions[i].project, project) == 0 &&
		    uses[i] != exceptions[i].times)
			g_error("exception \"%s\" (%s): %d times, not %d",
				exceptions[i].reason, exceptions[i].expected,
				uses[i], exceptions[i].times);
}

static void checkMessages(const char *project, GPtrArray *rules)
{
	guint expected = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
		int times = 0;

		if (strcmp(messages[i].project, project) != 0)
			continue;
		for (guint k = 0; k < rules->len; k++)
			times += strcmp(rules->pdata[k], messages[i].rule) == 0;
		g_test_message("%s", messages[i].rule);
		g_assert_cmpint(times, ==, messages[i].times);
		expected += (guint)times;
	}
	g_assert_cmpuint(rules->len, ==, expected);
}

/* ---- Tests ------------------------------------------------------------- */

static char *corpusDirectory(void)
{
	const char *named = g_getenv("HDTRACE_CORPUS");
	const char *source = g_getenv("abs_top_srcdir");
	char *directory;

	if (named)
		directory = g_strdup(named);
	else
		directory = g_build_filename(source ? source : ".", "..",
					     "shared", "corpus", NULL);
	if (g_file_test(directory, G_FILE_TEST_IS_DIR))
		return directory;
	g_free(directory);
	g_test_skip("there is no corpus");
	return NULL;
}

static void testProject(gconstpointer data)
{
	const struct project *project = data;
	struct dump dump = { 0 };
	char *directory = corpusDirectory();
	char *file, *name, *text;
	char **expected, **actual;

	if (!directory)
		return;
	dump.text = g_string_new(NULL);
	dump.messages = g_ptr_array_new_with_free_func(g_free);
	file = g_build_filename(directory, project->file, NULL);
	dumpProject(&dump, file);

	name = g_strdup_printf("%s/expected/%s.dump.gz", directory,
			       project->name);
	text = loadExpected(name);
	expected = g_strsplit(text, "\n", -1);
	actual = g_strsplit(dump.text->str, "\n", -1);
	for (char **line = expected; *line; line++)
		stripDecimals(*line);
	applySubstitutes(project->name, expected);
	compare(project->name, expected, actual);
	checkMessages(project->name, dump.messages);

	g_strfreev(expected);
	g_strfreev(actual);
	g_free(text);
	g_free(name);
	g_free(file);
	g_free(directory);
	g_ptr_array_unref(dump.messages);
	g_string_free(dump.text, TRUE);
}

/* The original reader failed on this one, so there is no dump: labels instead
 * of nodes, and a .trc file whose name is not that of a label. */
static void testLabels(void)
{
	struct dump dump = { 0 };
	char *directory = corpusDirectory();
	hdIProject *project;
	char *file;

	if (!directory)
		return;
	dump.text = g_string_new(NULL);
	dump.messages = g_ptr_array_new_with_free_func(g_free);
	file = g_build_filename(directory, "old-format", "file2", NULL);
	project = hdI_openProject(file, takeMessage, &dump);
	g_assert_nonnull(project);
	g_assert_nonnull(hdI_findNode(project, "node01_client XY"));
	g_assert_cmpuint(project->traceCount, ==, 1);
	g_assert_false(project->traces[0]->node->isDeclared);
	dump.base = "pvfs2";
	dumpTrace(&dump, project, project->traces[0], "pvfs2-node01-clientxy");
	g_assert_cmpstr(dump.text->str, ==,
			"TRACE\tpvfs2-node01-clientxy\n"
			"  STATE\tRequest\t1.000000000\t3.000000000\n"
			"    STATE\tBMI\t1.100000000\t2.200000000\n"
			"    STATE\tTrove\t2.300000000\t2.400000000\n"
			"  TRACEEND\tspeedMHz=2660\n");
	g_assert_cmpuint(dump.messages->len, ==, 4);
	g_assert_cmpstr(dump.messages->pdata[0], ==, "proj.old-format");
	g_assert_cmpstr(dump.messages->pdata[1], ==, "proj.undeclared");
	g_assert_cmpstr(dump.messages->pdata[2], ==, "proj.group-missing");
	g_assert_cmpstr(dump.messages->pdata[3], ==, "proj.group-missing");
	hdI_closeProject(project);
	g_free(file);
	g_free(directory);
	g_ptr_array_unref(dump.messages);
	g_string_free(dump.text, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(projects); i++) {
		char *path = g_strdup_printf("/corpus/%s", projects[i].name);

		g_test_add_data_func(path, &projects[i], testProject);
		g_free(path);
	}
	g_test_add_func("/corpus/old-format-file2", testLabels);
	return g_test_run();
}
