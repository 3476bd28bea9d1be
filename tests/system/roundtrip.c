/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: smoke */
/*
 * What is written with hdT_ and hdS_ comes back with hdI_: random topologies,
 * names, types, values, gaps, states, attributes, elements and events.
 *
 * HDTRACE_TEST_SEED repeats a run; HDTRACE_TEST_PROJECTS says how many projects
 * are written in each of the three runs (default 150). HDTRACE_TEST_KEEP is a
 * directory in which they stay, for other tests.
 */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdReading.h>
#include "tests/lib/testlib.h"

#define SECOND INT64_C(1000000000)
#define LEVELS 4

static struct testRandom chance;

static uint64_t below(uint64_t limit)
{
	return testRandomBelow(&chance, limit);
}

/* ---- Random text ------------------------------------------------------- */

/* Characters from a set. */
static char *randomFrom(const char *set, size_t min, size_t max)
{
	size_t length = min + below(max - min + 1);
	char *text = g_malloc(length + 1);

	for (size_t i = 0; i < length; i++)
		text[i] = set[below(strlen(set))];
	text[length] = '\0';
	return text;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static char *randomLabel(void)
{
	return randomFrom(LETTERS DIGITS ".-", 1, 12);
}

/* A name that starts as names must; no name is used by the format. */
static char *randomName(const char *more)
{
	char *start = randomFrom(LETTERS, 1, 1);
	char *rest = randomFrom(more, 0, 10);
	char *name = g_strconcat(start, "x", rest, NULL);

	g_free(start);
	g_free(rest);
	return name;
}

/* Any bytes but '\0'. */
static char *randomText(size_t max)
{
	static const char *const pieces[] = {
		"<",        "&",
		"'",        "\"",
		">",        "\n",
		"\t",       "\r",
		" ",        "&amp;",
		"]]>",      "\x01",
		"\xc3",     "\xff",
		"\xe2\x82", "\xc3\xa4",
		"a",        "b='c'",
		"%s",       "=",
		"\x7f",     "\xf0\x9f\x98\x80",
		"-->",      "x",
	};
	GString *text = g_string_new(NULL);
	size_t length = below(max + 1);

	while (text->len < length)
		if (below(4))
			g_string_append_c(text, (char)(' ' + below(95)));
		else
			g_string_append(text,
					pieces[below(G_N_ELEMENTS(pieces))]);
	return g_string_free(text, FALSE);
}

/* What a text has become when it is read: the characters that XML cannot
 * express are U+FFFD. */
static char *readable(const char *text)
{
	GString *result = g_string_new(NULL);
	size_t length = strlen(text);

	for (size_t i = 0; i < length;) {
		gunichar c = g_utf8_get_char_validated(text + i,
						       (gssize)(length - i));
		bool isGood = (c >= 0x20 && c <= 0xd7ff) || c == '\t' ||
			      c == '\n' || c == '\r' ||
			      (c >= 0xe000 && c <= 0xfffd) ||
			      (c >= 0x10000 && c <= 0x10ffff);

		g_string_append_unichar(result, isGood ? c : 0xfffd);
		i += isGood ? (size_t)g_unichar_to_utf8(c, NULL) : 1;
	}
	return g_string_free(result, FALSE);
}

/* Any bits, or what is often used. */
static double randomDouble(void)
{
	static const double special[] = { 0, -0.0, INFINITY, -INFINITY, NAN,
					  1, 0.1,  1e300,    5e-324 };
	uint64_t bits = testRandomBits(&chance);
	double value;

	if (below(3) == 0)
		return special[below(G_N_ELEMENTS(special))];
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int64_t randomInt(void)
{
	return (int64_t)testRandomBits(&chance) >> below(64);
}

/* ---- What was written -------------------------------------------------- */

/* An attribute, and what is expected of its value. */
struct attribute {
	char *key;
	char *text; /* NULL: a number. */
	double number;
};

struct element {
	char *name;
	GArray *attributes;
};

struct record {
	hdIRecordKind kind;
	char *name;
	unsigned int depth;
	int64_t start;
	int64_t end;
	GArray *attributes;
	GArray *elements;
};

struct cell {
	uint64_t bits;
	char *text;
};

struct entry {
	int64_t start;
	int64_t end;
	bool isAfterGap;
	struct cell *cells;
};

struct value {
	char *name;
	hdStatsValueType type;
	char *unit;
	char *grouping;
	GArray *attributes;
};

struct group {
	char *name;
	GArray *values;
	GArray *attributes;
	GArray *entries;
	int64_t init;
};

struct node {
	char *path; /* Labels joined with '_'. */
	char *label;
	int level;
	bool hasTrace;
	GArray *records;
	GPtrArray *groups;
	GPtrArray *children;
};

static void attributesFree(GArray *attributes)
{
	for (guint i = 0; i < attributes->len; i++) {
		struct attribute *attribute =
			&g_array_index(attributes, struct attribute, i);

		g_free(attribute->key);
		g_free(attribute->text);
	}
	g_array_free(attributes, TRUE);
}

static void recordFree(struct record *record)
{
	for (guint i = 0; i < record->elements->len; i++) {
		struct element *element =
			&g_array_index(record->elements, struct element, i);

		g_free(element->name);
		attributesFree(element->attributes);
	}
	g_array_free(record->elements, TRUE);
	attributesFree(record->attributes);
	g_free(record->name);
}

static void groupFree(void *data)
{
	struct group *group = data;

	for (guint i = 0; i < group->entries->len; i++) {
		struct entry *entry =
			&g_array_index(group->entries, struct entry, i);

		for (guint v = 0; v < group->values->len; v++)
			g_free(entry->cells[v].text);
		g_free(entry->cells);
	}
	g_array_free(group->entries, TRUE);
	for (guint i = 0; i < group->values->len; i++) {
		struct value *value =
			&g_array_index(group->values, struct value, i);

		g_free(value->name);
		g_free(value->unit);
		g_free(value->grouping);
		attributesFree(value->attributes);
	}
	g_array_free(group->values, TRUE);
	attributesFree(group->attributes);
	g_free(group->name);
	g_free(group);
}

static void nodeFree(void *data)
{
	struct node *node = data;

	for (guint i = 0; i < node->records->len; i++)
		recordFree(&g_array_index(node->records, struct record, i));
	g_array_free(node->records, TRUE);
	g_ptr_array_free(node->groups, TRUE);
	g_ptr_array_free(node->children, TRUE);
	g_free(node->path);
	g_free(node->label);
	g_free(node);
}

/* ---- Time -------------------------------------------------------------- */

/* The time of the next call, sometimes before the last one. */
static int64_t nextTime(int64_t last)
{
	int64_t step = (int64_t)below(below(2) ? 100 : 5 * SECOND);

	return last + (below(10) ? step : -step);
}

/* ---- Writing a trace --------------------------------------------------- */

static bool hasKey(const GArray *attributes, const char *key)
{
	for (guint i = 0; i < attributes->len; i++)
		if (strcmp(g_array_index(attributes, struct attribute, i).key,
			   key) == 0)
			return true;
	return false;
}

/* Make up the key of one more attribute, or NULL. */
static char *newKey(const GArray *attributes)
{
	char *key = randomName(LETTERS DIGITS "_.-");

	if (!hasKey(attributes, key))
		return key;
	g_free(key);
	return NULL;
}

static void addAttribute(hdTrace *trace, GArray *attributes)
{
	struct attribute attribute = { .key = newKey(attributes) };
	int64_t number = randomInt();
	char *text;

	if (!attribute.key)
		return;
	switch (below(4)) {
	case 0:
		attribute.text = g_strdup_printf("%" G_GINT64_FORMAT, number);
		testWorks(hdT_logAttributeInt64(trace, attribute.key, number));
		break;
	case 1:
		attribute.number = randomDouble();
		testWorks(hdT_logAttributeDouble(trace, attribute.key,
						 attribute.number));
		break;
	case 2:
		text = randomText(below(20) ? 30 : 9000);
		attribute.text = readable(text);
		testWorks(hdT_logAttributeString(trace, attribute.key, text));
		g_free(text);
		break;
	default:
		attribute.text = randomFrom(LETTERS " \"<&>'x", 0, 20);
		testWorks(hdT_logAttributes(trace, "%s='%s'", attribute.key,
					    attribute.text));
		break;
	}
	g_array_append_val(attributes, attribute);
}

static void addElement(hdTrace *trace, GArray *elements)
{
	struct element element = {
		.name = randomName(LETTERS DIGITS "_.-"),
		.attributes =
			g_array_new(FALSE, FALSE, sizeof(struct attribute)),
	};
	GString *list = g_string_new(NULL);

	for (uint64_t count = below(4); count > 0; count--) {
		struct attribute attribute = { .key = newKey(
						       element.attributes) };

		if (!attribute.key)
			continue;
		attribute.text = randomFrom(LETTERS DIGITS "<>&' ", 0, 10);
		g_string_append_printf(list, " %s=\"%s\"", attribute.key,
				       attribute.text);
		g_array_append_val(element.attributes, attribute);
	}
	testWorks(hdT_logElement(trace, element.name, "%s", list->str));
	g_string_free(list, TRUE);
	g_array_append_val(elements, element);
}

/* The state of a trace that is being written. */
struct writer {
	hdTrace *trace;
	struct node *node;
	struct record open[12];
	unsigned int depth;
	int64_t last;
};

/* Time of the next record; what a file has it as. */
static int64_t writerTime(struct writer *writer, struct timespec *when)
{
	int64_t now = nextTime(writer->last);

	*when = testTime(now);
	testClockSet(now, 0);
	if (now > writer->last)
		writer->last = now;
	return writer->last;
}

static struct record newRecord(hdIRecordKind kind, unsigned int depth)
{
	struct record record = {
		.kind = kind,
		.depth = depth,
		.attributes =
			g_array_new(FALSE, FALSE, sizeof(struct attribute)),
		.elements = g_array_new(FALSE, FALSE, sizeof(struct element)),
	};

	return record;
}

static void startState(struct writer *writer)
{
	struct record *record = &writer->open[writer->depth];
	struct timespec when;

	*record = newRecord(HDI_STATE, writer->depth++);
	record->name = randomName(LETTERS DIGITS "_.-");
	record->start = writerTime(writer, &when);
	if (below(2))
		testWorks(hdT_logStateStart(writer->trace, record->name));
	else
		testWorks(hdT_logStateStartAt(writer->trace, record->name,
					      &when));
}

static void endState(struct writer *writer)
{
	struct record *record = &writer->open[--writer->depth];
	struct timespec when;

	record->end = writerTime(writer, &when);
	if (below(2))
		testWorks(hdT_logStateEnd(writer->trace));
	else
		testWorks(hdT_logStateEndAt(writer->trace, &when));
	g_array_append_val(writer->node->records, *record);
}

static void writeEvent(struct writer *writer)
{
	struct record record = newRecord(HDI_EVENT, writer->depth);
	char *name = randomText(below(20) ? 20 : 6000);
	struct timespec when;

	record.name = readable(name);
	record.start = record.end = writerTime(writer, &when);
	if (below(2))
		testWorks(hdT_logEvent(writer->trace, name));
	else
		testWorks(hdT_logEventAt(writer->trace, name, &when));
	g_free(name);
	g_array_append_val(writer->node->records, record);
}

/* What is called while the trace is disabled is not there. */
static void writeNothing(struct writer *writer)
{
	testGives(0, hdT_disableTrace(writer->trace));
	testWorks(hdT_logStateStart(writer->trace, "Not"));
	testWorks(hdT_logEvent(writer->trace, "not"));
	testWorks(hdT_logStateEnd(writer->trace));
	testGives(0, hdT_enableTrace(writer->trace));
}

static void writeTrace(struct node *node, hdTopoNode *topoNode, int64_t start)
{
	struct writer writer = { .node = node, .last = start };

	testClockSet(start, 0);
	testMakes(writer.trace, hdT_createTrace(topoNode));
	for (uint64_t steps = below(100); steps > 0; steps--)
		switch (below(10)) {
		case 0 ... 2:
			if (writer.depth < G_N_ELEMENTS(writer.open))
				startState(&writer);
			break;
		case 3 ... 4:
			if (writer.depth > 0)
				endState(&writer);
			break;
		case 5:
			writeEvent(&writer);
			break;
		case 6:
			writeNothing(&writer);
			break;
		case 7:
			if (writer.depth > 0)
				addElement(
					writer.trace,
					writer.open[writer.depth - 1].elements);
			break;
		default:
			if (writer.depth > 0)
				addAttribute(writer.trace,
					     writer.open[writer.depth - 1]
						     .attributes);
			break;
		}
	/* Some states are ended by the end. */
	testClockSet(writer.last, 0);
	while (writer.depth > 0) {
		struct record *record = &writer.open[--writer.depth];

		record->end = writer.last;
		g_array_append_val(node->records, *record);
	}
	testWorks(hdT_finalize(writer.trace));
}

/* ---- Writing a group --------------------------------------------------- */

static void describe(hdStatsGroup *group, GArray *attributes)
{
	for (uint64_t count = below(3); count > 0; count--) {
		struct attribute attribute = { .key = newKey(attributes) };
		char *text = randomText(20);

		if (attribute.key) {
			testWorks(hdS_addAttribute(group, attribute.key, text));
			attribute.text = readable(text);
			g_array_append_val(attributes, attribute);
		}
		g_free(text);
	}
}

static void writeValue(hdStatsGroup *group, hdStatsValueType type,
		       struct cell *cell)
{
	double wide = randomDouble();
	float narrow = (float)wide;
	int64_t number = randomInt();
	int32_t small = (int32_t)number;

	switch (type) {
	case INT32:
		memcpy(&cell->bits, &small, sizeof(small));
		testWorks(hdS_writeInt32Value(group, small));
		break;
	case INT64:
		memcpy(&cell->bits, &number, sizeof(number));
		testWorks(hdS_writeInt64Value(group, number));
		break;
	case FLOAT:
		memcpy(&cell->bits, &narrow, sizeof(narrow));
		testWorks(hdS_writeFloatValue(group, narrow));
		break;
	case DOUBLE:
		memcpy(&cell->bits, &wide, sizeof(wide));
		testWorks(hdS_writeDoubleValue(group, wide));
		break;
	case STRING:
		cell->text = randomText(below(20) ? 20 : 20000);
		testWorks(hdS_writeString(group, cell->text));
		break;
	}
}

/* The values of a filler entry. */
static void fillerValue(hdStatsValueType type, struct cell *cell)
{
	uint32_t narrow = UINT32_C(0x7fc00000);
	uint64_t wide = UINT64_C(0x7ff8000000000000);

	if (type == FLOAT)
		memcpy(&cell->bits, &narrow, sizeof(narrow));
	if (type == DOUBLE)
		memcpy(&cell->bits, &wide, sizeof(wide));
	if (type == STRING)
		cell->text = g_strdup("");
}

static struct group *newGroup(const char *name)
{
	struct group *group = g_new0(struct group, 1);

	group->name = g_strdup(name);
	group->values = g_array_new(FALSE, FALSE, sizeof(struct value));
	group->attributes = g_array_new(FALSE, FALSE, sizeof(struct attribute));
	group->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	return group;
}

static void addValue(hdStatsGroup *to, struct group *group)
{
	struct value value = {
		.type = (hdStatsValueType)below(5),
		.attributes =
			g_array_new(FALSE, FALSE, sizeof(struct attribute)),
	};
	char *random = randomText(20);
	char *name = g_strconcat("n", random, NULL);
	char *unit = below(2) ? randomText(10) : NULL;
	char *grouping = below(2) ? randomText(10) : NULL;

	testWorks(hdS_addValue(to, name, value.type, unit, grouping));
	value.name = readable(name);
	value.unit = readable(unit ? unit : "");
	value.grouping = readable(grouping ? grouping : "");
	describe(to, value.attributes);
	g_array_append_val(group->values, value);
	g_free(random);
	g_free(name);
	g_free(unit);
	g_free(grouping);
}

/* Stop and start again, or not. */
static void stopAndStart(hdStatsGroup *to, struct group *group,
			 struct entry *next, int64_t *last, const char *gaps)
{
	int64_t now = nextTime(*last);

	testGives(0, hdS_disableGroup(to));
	testClockSet(now, 0);
	testGives(0, hdS_enableGroup(to));
	*last = MAX(*last, now);
	/* The file does not know. */
	if (strcmp(gaps, "none") == 0)
		return;
	if (strcmp(gaps, "entry") == 0) {
		struct entry filler = { .start = next->start, .end = *last };

		filler.cells = g_new0(struct cell, group->values->len);
		for (guint v = 0; v < group->values->len; v++)
			fillerValue(
				g_array_index(group->values, struct value, v)
					.type,
				&filler.cells[v]);
		g_array_append_val(group->entries, filler);
		next->start = *last;
		return;
	}
	next->start = *last;
	next->isAfterGap = true;
}

static void writeGroup(struct node *node, hdTopoNode *topoNode,
		       const char *name, int64_t start, const char *gaps)
{
	struct group *group = newGroup(name);
	struct entry next = { 0 };
	int64_t last = start;
	hdStatsGroup *to;

	g_ptr_array_add(node->groups, group);
	testMakes(to, hdS_createGroup(name, topoNode, node->level));
	describe(to, group->attributes);
	for (uint64_t count = 1 + below(8); count > 0; count--)
		addValue(to, group);
	testClockSet(start, 0);
	testWorks(hdS_commitGroup(to));
	group->init = start;
	if (below(10)) {
		/* Also before the commit. */
		struct timespec when = testTime(start - 10 * SECOND);

		testGives(0, hdS_enableGroupAt(to, &when));
		last = group->init = start - 10 * SECOND;
		next.start = group->init;
		for (uint64_t count = below(50); count > 0; count--) {
			int64_t now = nextTime(last);

			if (below(10) == 0) {
				stopAndStart(to, group, &next, &last, gaps);
				continue;
			}
			testClockSet(now, 0);
			when = testTime(now);
			if (below(2))
				testWorks(hdS_setEntryTime(to, &when));
			last = MAX(last, now);
			next.end = last;
			next.cells = g_new0(struct cell, group->values->len);
			for (guint v = 0; v < group->values->len; v++)
				writeValue(to,
					   g_array_index(group->values,
							 struct value, v)
						   .type,
					   &next.cells[v]);
			g_array_append_val(group->entries, next);
			next = (struct entry){ .start = last };
		}
	}
	testWorks(hdS_finalize(to));
}

/* ---- Writing a project ------------------------------------------------- */

struct project {
	char *levels[LEVELS];
	int depth;
	struct node *root;
	GHashTable *declared;
	int64_t start;
	const char *gaps;
};

static struct node *newNode(const struct node *parent, const char *label)
{
	struct node *node = g_new0(struct node, 1);

	node->label = g_strdup(label);
	node->path = !parent         ? g_strdup("")
		     : *parent->path ? g_strjoin("_", parent->path, label, NULL)
				     : g_strdup(label);
	node->level = parent ? parent->level + 1 : 0;
	node->records = g_array_new(FALSE, FALSE, sizeof(struct record));
	node->groups = g_ptr_array_new_with_free_func(groupFree);
	node->children = g_ptr_array_new_with_free_func(nodeFree);
	return node;
}

static bool hasChild(const struct node *node, const char *label)
{
	for (guint i = 0; i < node->children->len; i++)
		if (strcmp(((struct node *)node->children->pdata[i])->label,
			   label) == 0)
			return true;
	return false;
}

static bool hasGroup(const struct node *node, const char *name)
{
	for (guint i = 0; i < node->groups->len; i++)
		if (strcmp(((struct group *)node->groups->pdata[i])->name,
			   name) == 0)
			return true;
	return false;
}

static void writeNode(struct project *project, struct node *node,
		      hdTopology *topology, const char **labels)
{
	hdTopoNode *topoNode;

	testMakes(topoNode, hdT_createTopoNode(topology, labels, node->level));
	g_assert_cmpstr(hdT_getTopoPathString(topoNode), ==, node->path);
	/* A project has one file at least. */
	node->hasTrace = node->level == 0 || below(3) > 0;
	if (node->hasTrace)
		writeTrace(node, topoNode, project->start);
	for (uint64_t count = below(3); count > 0; count--) {
		char *name = randomName(LETTERS DIGITS ".-");

		if (!hasGroup(node, name)) {
			writeGroup(node, topoNode, name, project->start,
				   project->gaps);
			g_hash_table_add(project->declared, g_strdup(name));
		}
		g_free(name);
	}
	testWorks(hdT_destroyTopoNode(topoNode));
	if (node->level == project->depth)
		return;
	for (uint64_t count = below(4); count > 0; count--) {
		char *label = randomLabel();

		if (!hasChild(node, label)) {
			struct node *child = newNode(node, label);

			g_ptr_array_add(node->children, child);
			labels[node->level] = label;
			writeNode(project, child, topology, labels);
		}
		g_free(label);
	}
}

static void declareNode(GString *xml, const struct node *node)
{
	for (guint i = 0; i < node->children->len; i++) {
		const struct node *child = node->children->pdata[i];

		g_string_append_printf(xml, "<Node name='%s'>\n", child->label);
		declareNode(xml, child);
		g_string_append(xml, "</Node>\n");
	}
}

/* The .proj, which the writing library leaves to others. */
static void writeProject(const struct project *project)
{
	GString *xml = g_string_new("<Application name='trip'>\n<Topology>\n");
	GHashTableIter iterator;
	void *name;

	for (int i = 0; i < project->depth; i++)
		g_string_append_printf(xml, "<Level type='%s'>",
				       project->levels[i]);
	for (int i = 0; i < project->depth; i++)
		g_string_append(xml, "</Level>");
	declareNode(xml, project->root);
	g_string_append(xml, "</Topology>\n<ExternalStatistics>\n");
	g_hash_table_iter_init(&iterator, project->declared);
	while (g_hash_table_iter_next(&iterator, &name, NULL))
		g_string_append_printf(xml, "<%s/>\n", (char *)name);
	g_string_append(xml, "</ExternalStatistics>\n</Application>\n");
	g_assert_true(g_file_set_contents("trip/trip.proj", xml->str,
					  (gssize)xml->len, NULL));
	g_string_free(xml, TRUE);
}

/* ---- Reading and comparing --------------------------------------------- */

/* There is nothing to complain about. */
static void handleMessage(const hdIMessage *message, void *data)
{
	(void)data;
	g_error("%s:%lld: %s: %s", message->file, (long long)message->offset,
		message->rule, message->text);
}

static void compareAttributes(const GArray *written, const hdIAttribute *read,
			      size_t count)
{
	g_assert_cmpuint(count, ==, written->len);
	for (guint i = 0; i < written->len; i++) {
		const struct attribute *attribute =
			&g_array_index(written, struct attribute, i);
		const char *text = read[i].value;
		double number;
		char *end;

		g_assert_cmpstr(read[i].name, ==, attribute->key);
		if (attribute->text) {
			g_assert_cmpstr(text, ==, attribute->text);
			continue;
		}
		if (isnan(attribute->number)) {
			g_assert_cmpstr(text, ==, "NaN");
			continue;
		}
		number = g_ascii_strtod(text, &end);
		g_assert_cmpstr(end, ==, "");
		g_assert_cmpmem(&number, sizeof(number), &attribute->number,
				sizeof(number));
	}
}

static void compareRecord(const struct record *written, const hdIRecord *read)
{
	g_assert_cmpint(read->kind, ==, written->kind);
	g_assert_cmpstr(read->name, ==, written->name);
	g_assert_cmpuint(read->depth, ==, written->depth);
	g_assert_cmpint(read->start, ==, written->start);
	g_assert_cmpint(read->end, ==, written->end);
	g_assert_cmpstr(read->text, ==, "");
	compareAttributes(written->attributes, read->attributes,
			  read->attributeCount);
	g_assert_cmpuint(read->elementCount, ==, written->elements->len);
	for (guint i = 0; i < written->elements->len; i++) {
		const struct element *element =
			&g_array_index(written->elements, struct element, i);

		g_assert_cmpstr(read->elements[i].name, ==, element->name);
		g_assert_cmpuint(read->elements[i].childCount, ==, 0);
		compareAttributes(element->attributes,
				  read->elements[i].attributes,
				  read->elements[i].attributeCount);
	}
}

static void compareTrace(const hdIProject *project, const struct node *written,
			 const hdITraceFile *file)
{
	hdITraceReader *reader = hdI_openTrace(project, file);
	const hdIRecord *record;

	g_assert_nonnull(reader);
	for (guint i = 0; i < written->records->len; i++) {
		g_assert_cmpint(hdI_readTrace(reader, &record), ==, 1);
		compareRecord(
			&g_array_index(written->records, struct record, i),
			record);
	}
	g_assert_cmpint(hdI_readTrace(reader, &record), ==, 0);
	hdI_closeTrace(reader);
}

static void compareCell(hdStatsValueType type, const struct cell *written,
			const hdIColumn *column, size_t row)
{
	switch (type) {
	case INT32:
		g_assert_cmpmem(&column->int32[row], 4, &written->bits, 4);
		break;
	case INT64:
		g_assert_cmpmem(&column->int64[row], 8, &written->bits, 8);
		break;
	case FLOAT:
		g_assert_cmpmem(&column->float32[row], 4, &written->bits, 4);
		break;
	case DOUBLE:
		g_assert_cmpmem(&column->float64[row], 8, &written->bits, 8);
		break;
	case STRING:
		g_assert_cmpmem(column->string[row].bytes,
				column->string[row].length, written->text,
				strlen(written->text));
		break;
	}
}

static void compareBlock(const struct group *written, const hdIBlock *block)
{
	g_assert_cmpuint(block->first + block->count, <=,
			 written->entries->len);
	for (size_t row = 0; row < block->count; row++) {
		const struct entry *entry = &g_array_index(
			written->entries, struct entry, block->first + row);

		g_assert_cmpint(block->start[row], ==, entry->start);
		g_assert_cmpint(block->end[row], ==, entry->end);
		g_assert_cmpint(block->isAfterGap[row], ==, entry->isAfterGap);
		for (guint v = 0; v < written->values->len; v++)
			compareCell(
				g_array_index(written->values, struct value, v)
					.type,
				&entry->cells[v], &block->columns[v], row);
	}
}

static void compareGroup(const hdIProject *project, const struct group *written,
			 const hdIGroup *read)
{
	static const hdIType types[] = {
		[INT32] = HDI_INT32,   [INT64] = HDI_INT64,
		[FLOAT] = HDI_FLOAT,   [DOUBLE] = HDI_DOUBLE,
		[STRING] = HDI_STRING,
	};
	hdIStatReader *reader;
	const hdIBlock *block;
	uint64_t count = 0;
	int64_t init;

	g_assert_true(read->isReadable && read->isDeclared);
	g_assert_cmpint(read->timeAdjustment, ==, 0);
	compareAttributes(written->attributes, read->attributes,
			  read->attributeCount);
	g_assert_cmpuint(read->valueCount, ==, written->values->len);
	for (guint i = 0; i < written->values->len; i++) {
		const struct value *value =
			&g_array_index(written->values, struct value, i);

		g_assert_cmpstr(read->values[i].name, ==, value->name);
		g_assert_cmpint(read->values[i].type, ==, types[value->type]);
		g_assert_cmpstr(read->values[i].unit, ==, value->unit);
		g_assert_cmpstr(read->values[i].grouping, ==, value->grouping);
		compareAttributes(value->attributes, read->values[i].attributes,
				  read->values[i].attributeCount);
	}
	reader = hdI_openStat(project, read);
	g_assert_nonnull(reader);
	g_assert_cmpint(hdI_getStatStart(reader, &init), ==, 1);
	g_assert_cmpint(init, ==, written->init);
	while (hdI_readStat(reader, &block) == 1) {
		g_assert_cmpuint(block->first, ==, count);
		compareBlock(written, block);
		count += block->count;
	}
	g_assert_cmpuint(count, ==, written->entries->len);
	hdI_closeStat(reader);
}

static void compareNode(const hdIProject *project, const struct node *written,
			const hdINode *read)
{
	g_assert_cmpstr(read->path, ==, written->path);
	g_assert_cmpint(read->level, ==, written->level);
	g_assert_true((read->trace != NULL) == written->hasTrace);
	if (written->hasTrace)
		compareTrace(project, written, read->trace);
	g_assert_cmpuint(read->groupCount, ==, written->groups->len);
	for (guint i = 0; i < written->groups->len; i++) {
		const struct group *group = written->groups->pdata[i];
		size_t g = 0;

		while (g < read->groupCount &&
		       strcmp(read->groups[g]->name, group->name) != 0)
			g++;
		g_assert_cmpuint(g, <, read->groupCount);
		compareGroup(project, group, read->groups[g]);
	}
	g_assert_cmpuint(read->childCount, ==, written->children->len);
	for (guint i = 0; i < written->children->len; i++) {
		const struct node *child = written->children->pdata[i];

		g_assert_cmpstr(read->children[i]->label, ==, child->label);
		compareNode(project, child, read->children[i]);
	}
}

static void compareProject(const struct project *written)
{
	hdIProject *project =
		hdI_openProject("trip/trip.proj", handleMessage, NULL);

	g_assert_nonnull(project);
	g_assert_cmpstr(project->name, ==, "trip");
	g_assert_cmpuint(project->levelCount, ==, written->depth);
	for (int i = 0; i < written->depth; i++)
		g_assert_cmpstr(project->levels[i], ==, written->levels[i]);
	compareNode(project, written->root, project->root);
	hdI_closeProject(project);
}

/* ---- The test ---------------------------------------------------------- */

/* Or keep it, for other tests. */
static void removeProject(const char *gaps)
{
	static int number;
	const char *keep = g_getenv("HDTRACE_TEST_KEEP");
	GDir *dir;
	const char *name;

	if (keep) {
		char *path = g_strdup_printf("%s/%s-%d", keep, gaps, number++);

		g_assert_cmpint(g_rename("trip", path), ==, 0);
		g_free(path);
		return;
	}
	dir = g_dir_open("trip", 0, NULL);
	while ((name = g_dir_read_name(dir))) {
		char *path = g_build_filename("trip", name, NULL);

		g_unlink(path);
		g_free(path);
	}
	g_dir_close(dir);
	g_rmdir("trip");
}

static void roundTrip(const char *gaps)
{
	struct project project = {
		.depth = (int)below(LEVELS + 1),
		.start = (int64_t)below(UINT32_MAX - 1000) * SECOND +
			 20 * SECOND + (int64_t)below(SECOND),
		.gaps = gaps,
	};
	const char *labels[LEVELS];
	hdTopology *topology;

	g_assert_cmpint(g_mkdir("trip", 0777), ==, 0);
	project.declared =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (int i = 0; i < project.depth; i++)
		project.levels[i] = randomLabel();
	testMakes(topology,
		  hdT_createTopology("trip/trip", (const char **)project.levels,
				     project.depth));
	project.root = newNode(NULL, "");
	writeNode(&project, project.root, topology, labels);
	testWorks(hdT_destroyTopology(topology));
	testClockReset();
	writeProject(&project);
	compareProject(&project);
	removeProject(gaps);
	nodeFree(project.root);
	g_hash_table_destroy(project.declared);
	for (int i = 0; i < project.depth; i++)
		g_free(project.levels[i]);
}

static void testRoundTrip(gconstpointer environment)
{
	const char *wanted = g_getenv("HDTRACE_TEST_PROJECTS");
	int projects = wanted ? atoi(wanted) : 150;
	const char *gaps = strchr(environment, '=') + 1;
	char *kind = g_strndup(gaps, strcspn(gaps, " "));

	if (testInProcess(environment)) {
		chance.state = testSeed();
		for (int i = 0; i < projects; i++)
			roundTrip(kind);
	}
	g_free(kind);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_data_func("/roundtrip/marker", "HDTRACE_GAPS=marker",
			     testRoundTrip);
	g_test_add_data_func("/roundtrip/entry",
			     "HDTRACE_GAPS=entry HDTRACE_BUFFER_SIZE_KB=4",
			     testRoundTrip);
	g_test_add_data_func("/roundtrip/none",
			     "HDTRACE_GAPS=none HDTRACE_FORCE_FLUSH=1",
			     testRoundTrip);
	return testRun();
}
