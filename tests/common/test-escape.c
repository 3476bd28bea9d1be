/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text and names in XML. */
#include "config.h"

#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "common/format/escape.h"
#include "tests/lib/testlib.h"

#define FFFD "\xef\xbf\xbd"

static char *escaped(const char *bytes, size_t length)
{
	struct hdText text = { 0 };
	char *result;

	errno = TEST_ERRNO;
	g_assert_cmpint(hdEscape(&text, bytes, length), ==, 0);
	g_assert_cmpint(errno, ==, TEST_ERRNO);
	result = g_strndup(text.bytes ? text.bytes : "", text.used);
	hdTextClear(&text);
	return result;
}

static void testCharacters(void)
{
	static const struct {
		const char *text;
		const char *escaped;
	} cases[] = {
		{ "", "" },
		{ "plain text 09AZaz", "plain text 09AZaz" },
		{ "<a href=\"x\">'&amp;'</a>",
		  "&lt;a "
		  "href=&quot;x&quot;&gt;&apos;&amp;amp;&apos;&lt;/a&gt;" },
		{ "]]>", "]]&gt;" },
		{ "\t\n\r", "&#9;&#10;&#13;" },
		{ "\x01\x08\x0b\x0c\x1f", FFFD FFFD FFFD FFFD FFFD },
		{ "\x7f", "\x7f" },
		/* Well-formed UTF-8: first and last of each length. */
		{ "\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf" },
		{ "\xe0\xa0\x80\xed\x9f\xbf", "\xe0\xa0\x80\xed\x9f\xbf" },
		{ "\xee\x80\x80\xef\xbf\xbd", "\xee\x80\x80\xef\xbf\xbd" },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
		  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
		/* Bytes that never stand in UTF-8. */
		{ "\x80", FFFD },
		{ "\xbf", FFFD },
		{ "\xc0\x80", FFFD FFFD },
		{ "\xc1\xbf", FFFD FFFD },
		{ "\xf5\x80\x80\x80", FFFD FFFD FFFD FFFD },
		{ "\xff\xfe", FFFD FFFD },
		/* Too long for their character. */
		{ "\xe0\x9f\xbf", FFFD FFFD FFFD },
		{ "\xf0\x8f\xbf\xbf", FFFD FFFD FFFD FFFD },
		/* Surrogates, above U+10FFFF, no characters of XML. */
		{ "\xed\xa0\x80", FFFD FFFD FFFD },
		{ "\xed\xbf\xbf", FFFD FFFD FFFD },
		{ "\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD },
		{ "\xef\xbf\xbe", FFFD FFFD FFFD },
		{ "\xef\xbf\xbf", FFFD FFFD FFFD },
		/* Cut sequences, at the end and before others. */
		{ "a\xc3", "a" FFFD },
		{ "\xe2\x82", FFFD FFFD },
		{ "\xf0\x9f\x98", FFFD FFFD FFFD },
		{ "\xe2\x82<", FFFD FFFD "&lt;" },
		{ "\xc3\xc3\xa4", FFFD "\xc3\xa4" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *result = escaped(cases[i].text, strlen(cases[i].text));

		g_assert_cmpstr(result, ==, cases[i].escaped);
		g_free(result);
	}
}

/* Only the given bytes are looked at: a sequence may be cut by the length. */
static void testLength(void)
{
	char *result = escaped("\xe2\x82\xac", 2);

	g_assert_cmpstr(result, ==, FFFD FFFD);
	g_free(result);
	result = escaped("a\0b", 3);
	g_assert_cmpstr(result, ==, "a" FFFD "b");
	g_free(result);
}

/* An XML parser reads back what was meant, for any bytes. */
static void testParser(void)
{
	struct testRandom random = { testSeed() };

	for (int i = 0; i < 3000; i++) {
		char bytes[40];
		size_t length = testRandomBelow(&random, sizeof(bytes) + 1);
		GString *meant = g_string_new(NULL);
		char *text, *xml;
		xmlDocPtr document;
		xmlChar *value;

		for (size_t b = 0; b < length; b++)
			bytes[b] = testRandomBelow(&random, 3)
					   ? (char)testRandomBits(&random)
					   : "<>&'\"\t\n\r\xe2\x82\xac"
						     [testRandomBelow(&random,
								      11)];
		/* GLib says what is UTF-8, and XML 1.0 what a character is. */
		for (size_t b = 0; b < length;) {
			gunichar c = g_utf8_get_char_validated(
				bytes + b, (gssize)(length - b));
			bool isGood = (c >= 0x20 && c <= 0xd7ff) || c == '\t' ||
				      c == '\n' || c == '\r' ||
				      (c >= 0xe000 && c <= 0xfffd) ||
				      (c >= 0x10000 && c <= 0x10ffff);

			g_string_append_unichar(meant, isGood ? c : 0xfffd);
			b += isGood ? (size_t)g_unichar_to_utf8(c, NULL) : 1;
		}
		text = escaped(bytes, length);
		xml = g_strdup_printf("<?xml version='1.0' encoding='UTF-8'?>"
				      "<a b='%s'/>",
				      text);
		document = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL,
					 XML_PARSE_NONET);
		g_assert_nonnull(document);
		value = xmlGetProp(xmlDocGetRootElement(document),
				   (const xmlChar *)"b");
		g_assert_cmpstr((char *)value, ==, meant->str);
		xmlFree(value);
		xmlFreeDoc(document);
		g_free(xml);
		g_free(text);
		g_string_free(meant, TRUE);
	}
	xmlCleanupParser();
}

/* What is there stays there; each byte that grows finds room. */
static void testGrowth(void)
{
	struct hdText text = { 0 };
	char *quotes = g_strnfill(100000, '"');

	g_assert_cmpint(hdTextAdd(&text, "before"), ==, 0);
	g_assert_cmpint(hdEscape(&text, quotes, 100000), ==, 0);
	g_assert_cmpuint(text.used, ==, 6 + 600000);
	g_assert_cmpint(memcmp(text.bytes, "before&quot;", 12), ==, 0);
	for (size_t i = 6; i < text.used; i += 6)
		g_assert_cmpint(memcmp(text.bytes + i, "&quot;", 6), ==, 0);
	hdTextClear(&text);
	g_free(quotes);
}

/* Each byte at each place of texts of each length, in memory of that size. */
static void testPlain(void)
{
	for (size_t length = 0; length <= 70; length++) {
		char *from = g_malloc(length ? length : 1);
		char *to = g_malloc(length ? length : 1);

		memset(from, 'x', length);
		g_assert_true(hdPlainCopy(to, from, length));
		g_assert_cmpmem(to, length, from, length);
		for (size_t at = 0; at < length; at++) {
			for (int byte = 0; byte < 256; byte++) {
				bool isPlain = byte >= ' ' && byte < 0x80 &&
					       !strchr("<>&'\"", byte);

				from[at] = (char)byte;
				memset(to, 0, length);
				g_assert_true(hdPlainCopy(to, from, length) ==
					      isPlain);
				if (isPlain)
					g_assert_cmpmem(to, length, from,
							length);
			}
			from[at] = 'x';
		}
		g_free(from);
		g_free(to);
	}
}

static void testNames(void)
{
	static const struct {
		const char *name;
		size_t length; /* hdNameLength() */
		bool isValid;
	} cases[] = {
		{ "a", 1, true },         { "_", 1, true },
		{ "Z", 1, true },         { "File.Open-2_x", 13, true },
		{ "", 0, false },         { "0a", 0, false },
		{ "-a", 0, false },       { ".a", 0, false },
		{ " a", 0, false },       { "a b", 1, false },
		{ "a:b", 1, false },      { "a=", 1, false },
		{ "a'", 1, false },       { "a/", 1, false },
		{ "a>", 1, false },       { "a\xc3\xa4", 1, false },
		{ "\xc3\xa4", 0, false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_cmpuint(hdNameLength(cases[i].name), ==,
				 cases[i].length);
		g_assert_true(hdNameIsValid(cases[i].name) == cases[i].isValid);
	}
	for (size_t length = HD_NAME_MAX - 1; length <= HD_NAME_MAX + 1;
	     length++) {
		char *name = g_strnfill(length, 'n');

		g_assert_true(hdNameIsValid(name) == (length <= HD_NAME_MAX));
		g_free(name);
	}
	/* All 256 bytes, as first and as second. */
	for (int byte = 1; byte < 256; byte++) {
		char first[] = { (char)byte, '\0' };
		char second[] = { 'a', (char)byte, '\0' };
		bool starts =
			byte < 128 && (g_ascii_isalpha(byte) || byte == '_');
		bool goesOn =
			starts || (byte < 128 && (g_ascii_isdigit(byte) ||
						  byte == '.' || byte == '-'));

		g_assert_true(hdNameIsValid(first) == starts);
		g_assert_true(hdNameIsValid(second) == goesOn);
	}
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/escape/characters", testCharacters);
	g_test_add_func("/escape/length", testLength);
	g_test_add_func("/escape/parser", testParser);
	g_test_add_func("/escape/growth", testGrowth);
	g_test_add_func("/escape/plain", testPlain);
	g_test_add_func("/escape/names", testNames);
	return testRun();
}
