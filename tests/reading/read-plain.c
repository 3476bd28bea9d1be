/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces whose plain tags are taken without libxml2 are read as those that
 * libxml2 reads wholly: records, their offsets, and what is wrong in which
 * line. Files are made by chance, and broken by chance.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/trace/trace.h"
#include "tests/reading/reading.h"

#define PLAIN_FILES 1500

/* ---- Reading as text --------------------------------------------------- */

static void putMessage(const hdIMessage *message, void *data)
{
	g_string_append_printf(data, "%s@%" PRId64 ":%" PRId64 " %s\n",
			       message->rule, message->offset, message->line,
			       message->text);
}

static void putAttributes(GString *out, const hdIAttribute *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		g_string_append_printf(out, " %s='%s'", list[i].name,
				       list[i].value);
}

static void putElements(GString *out, const hdIElement *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		g_string_append_printf(out, "<%s", list[i].name);
		putAttributes(out, list[i].attributes, list[i].attributeCount);
		g_string_append_printf(out, ">%s", list[i].text);
		putElements(out, list[i].children, list[i].childCount);
		g_string_append(out, "</>");
	}
}

static void putRecord(GString *out, const hdIRecord *record)
{
	g_string_append_printf(
		out, "%d %u %s %" PRId64 "-%" PRId64 " %" PRId64 "-%" PRId64,
		record->kind, record->depth, record->name, record->start,
		record->end, record->offset, record->endOffset);
	putAttributes(out, record->attributes, record->attributeCount);
	g_string_append_printf(out, " %s", record->text);
	putElements(out, record->elements, record->elementCount);
	g_string_append_c(out, '\n');
}

/* All that is in a file, which is in memory. */
static char *readAll(const char *name, bool usesParser)
{
	GString *out = g_string_new(NULL);
	const struct hdITraceDialect dialect = {
		.root = "Program",
		.hasNested = 1,
		.xml = HDI_RULE_TRC_XML,
		.wrongRoot = HDI_RULE_TRC_ROOT,
		.adjustment = HDI_RULE_TRC_ADJUSTMENT,
		.cut = HDI_RULE_TRC_CUT,
		.noEnd = HDI_RULE_TRC_NO_END,
		.fill = hdITraceFill,
	};
	hdITraceReader *reader = hdITraceOpen(&dialect, name, putMessage, out);
	const hdIRecord *record;
	int ret;

	g_assert_nonnull(reader);
	if (usesParser)
		hdITraceXmlUseParser(reader->xml);
	while ((ret = hdI_readTrace(reader, &record)) == 1)
		putRecord(out, record);
	g_string_append_printf(out, "%d %d\n", ret, ret < 0 ? errno : 0);
	hdI_closeTrace(reader);
	return g_string_free(out, FALSE);
}

static void expectSame(const char *bytes, gsize size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char *name = g_strdup_printf("/proc/self/fd/%d", fd);
	char *ours;
	char *parsers;

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, bytes, size), ==, (gssize)size);
	ours = readAll(name, false);
	parsers = readAll(name, true);
	g_assert_cmpstr(ours, ==, parsers);
	g_free(ours);
	g_free(parsers);
	g_free(name);
	close(fd);
}

/* ---- Files by chance --------------------------------------------------- */

static const char *oneOf(GRand *chance, const char *const *list)
{
	guint count = g_strv_length((char **)(uintptr_t)list);

	return list[g_rand_int_range(chance, 0, (gint32)count)];
}

static const char *const names[] = {
	"Isend", "Recv", "a", "_x", "F.1-2", "Event", "n:e", "\xc3\xa4", NULL,
};

static const char *const keys[] = {
	"size", "count", "tag",   "x",     "y-z",   "_",
	"name", "n:k",   "xmlns", "xml:a", "site9", NULL,
};

static const char *const values[] = {
	"1",
	"-17",
	"",
	"a b",
	"it&apos;s",
	"\xc3\xa4",
	"<",
	">",
	"&lt;&#65;",
	"two\nlines",
	"\t",
	"0123456789",
	"/>",
	"http://x.y?z=1",
	"{[(!#$%^*;:,.|~`@+)]}",
	NULL,
};

static const char *const between[] = {
	"",
	"\n",
	" ",
	"\n\n\t ",
	"text",
	"<!-- a > b -->",
	"\r\n",
	"&gt;",
	"<?p q?>",
	"\xe2\x82\xac",
	"<![CDATA[ <a/> ]]>",
	"]]>",
	NULL,
};

static void makeTag(GString *out, GRand *chance, const char *name, bool isRare)
{
	const char *space = isRare ? "\n" : " ";
	int count = g_rand_int_range(chance, 0, isRare ? 40 : 8);
	int64_t start = g_rand_int_range(chance, 0, 1000);

	g_string_append_printf(
		out, "<%s%stime='%" PRId64 ".%09d'%send='%" PRId64 "'", name,
		space, start, g_rand_int_range(chance, 0, 1000000000), space,
		start + 1);
	for (int i = 0; i < count; i++) {
		char quote = g_rand_boolean(chance) ? '"' : '\'';
		const char *key = isRare ? oneOf(chance, keys) : keys[i % 6];
		const char *value =
			isRare ? oneOf(chance, values) : values[i % 4];

		g_string_append_printf(out, " %s=%c%s%c", key, quote, value,
				       quote);
	}
	if (g_rand_int_range(chance, 0, 20) == 0)
		g_string_append(out, space);
}

/* Elements in each other, most of them as our writers make them. */
static void makeContent(GString *out, GRand *chance, int depth)
{
	int count = g_rand_int_range(chance, 0, depth == 0 ? 60 : 6);

	for (int i = 0; i < count; i++) {
		int what = g_rand_int_range(chance, 0, 100);
		bool isRare = what == 0;
		const char *name = isRare || what < 5 ? oneOf(chance, names)
						      : names[what % 6];

		g_string_append(out, what % 30 ? "\n" : oneOf(chance, between));
		if (what < 70 || depth > 6) {
			makeTag(out, chance, name, isRare);
			g_string_append(out, "/>");
		} else if (what < 85) {
			g_string_append(out, "<Nested>");
			makeContent(out, chance, depth + 1);
			g_string_append(out, "\n</Nested>\n");
			makeTag(out, chance, name, false);
			g_string_append(out, "/>");
		} else {
			makeTag(out, chance, name, isRare);
			g_string_append(out, ">");
			makeContent(out, chance, depth + 1);
			g_string_append_printf(out, "</%s>", name);
		}
	}
}

/* Change, insert, or take away some bytes. */
static void damage(GString *out, GRand *chance)
{
	static const char bytes[] = "<>/='\"&; \n\t\rax:_\x80\xc3!-?]1";
	int count = g_rand_int_range(chance, 0, 4);

	for (int i = 0; i < count && out->len > 1; i++) {
		gint32 at = g_rand_int_range(chance, 0, (gint32)out->len);
		/* The zero byte at its end, too. */
		char byte = bytes[g_rand_int_range(chance, 0, sizeof(bytes))];

		switch (g_rand_int_range(chance, 0, 4)) {
		case 0:
			g_string_insert_c(out, at, byte);
			break;
		case 1:
			g_string_erase(out, at, 1);
			break;
		case 2:
			g_string_truncate(out, (gsize)at);
			break;
		default:
			out->str[at] = byte;
		}
	}
}

static void testChance(void)
{
	for (guint32 seed = 0; seed < PLAIN_FILES; seed++) {
		GRand *chance = g_rand_new_with_seed(seed);
		GString *out = g_string_new(
			seed % 50 ? "" : "<?xml version='1.0'?>\n");

		g_test_message("seed %u", seed);
		g_string_append(out, "<Program>");
		makeContent(out, chance, 0);
		g_string_append(out, "\n</Program>\n");
		if (seed % 3)
			damage(out, chance);
		expectSame(out->str, out->len);
		g_string_free(out, TRUE);
		g_rand_free(chance);
	}
}

/* ---- What is at the borders -------------------------------------------- */

/* A tag lies on the border of two pieces at each of its bytes. */
static void testPieces(void)
{
	static const char tag[] = "<Nested>\n<a time='1' end='2' k=\"v\"/>"
				  "\n</Nested>\n<b time='0' end='3'>"
				  "<c d='e'/> t </b>";

	for (size_t before = 4000; before < 4110; before++) {
		GString *out = g_string_new("<Program>");

		while (out->len < before)
			g_string_append_c(out, '\n');
		g_string_append(out, tag);
		g_string_append(out, "</Program>");
		expectSame(out->str, out->len);
		g_string_free(out, TRUE);
	}
}

/* As deep as elements may be, and deeper. */
static void testDepth(void)
{
	for (int depth = HDI_NESTING_MAX - 3; depth < HDI_NESTING_MAX + 3;
	     depth++) {
		GString *out = g_string_new("<Program>");

		for (int i = 0; i < depth; i++)
			g_string_append(out, "<a>");
		g_string_append(out, "<b time='1' end='2'/>\n<c/>");
		for (int i = 0; i < depth; i++)
			g_string_append(out, "</a>");
		g_string_append(out, "</Program>");
		expectSame(out->str, out->len);
		g_string_free(out, TRUE);
	}
}

/* So many attributes, around what is plain and what is accepted. */
static void testAttributes(void)
{
	static const int counts[] = { 29,
				      30,
				      31,
				      32,
				      33,
				      HDI_ATTRIBUTES_MAX - 1,
				      HDI_ATTRIBUTES_MAX,
				      HDI_ATTRIBUTES_MAX + 1 };

	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		GString *out = g_string_new("<Program>\n<a time='1' end='2'/>\n"
					    "<b time='1' end='2'");

		for (int k = 2; k < counts[i]; k++)
			g_string_append_printf(out, " k%d=''", k);
		g_string_append(out, "/><c time='1' end='2'/></Program>");
		expectSame(out->str, out->len);
		g_string_free(out, TRUE);
	}
}

/* Each name is another one, until the parser takes no more. */
static void testNames(void)
{
	GString *out = g_string_new("<Program>");

	for (int i = 0; i < 60000; i++)
		g_string_append_printf(
			out,
			"<a%d-with-a-name-as-long-as-this time='1' "
			"end='2'/>\n",
			i);
	g_string_append(out, "</Program>");
	expectSame(out->str, out->len);
	g_string_free(out, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plain/chance", testChance);
	g_test_add_func("/plain/pieces", testPieces);
	g_test_add_func("/plain/depth", testDepth);
	g_test_add_func("/plain/attributes", testAttributes);
	g_test_add_func("/plain/names", testNames);
	return g_test_run();
}
