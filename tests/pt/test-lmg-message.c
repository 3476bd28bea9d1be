/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both */
/* What an LMG450 may send, and what it must not, through the parser; each in
 * every division into two parts, and byte by byte. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

#include <glib.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmgparser.h"

#define BYTES(text) text, sizeof(text) - 1

/* 1, 2 and -0.5 as singles, little endian. */
#define ONE "\x00\x00\x80\x3f"
#define TWO "\x00\x00\x00\x40"
#define MINUS "\x00\x00\x00\xbf"

#define NO_BLOCK "! missing block;"
#define NOT_WELL "! invalid start of a block;"
#define NOT_FOLLOWED "! a block is not followed by another block or the end;"
#define MORE_DATA "! more data than requested;"
#define LESS_DATA "! less data than requested;"
#define BLOCK "! there is a block instead of text;"
#define NOT_ASCII "! the ASCII values do not match the request;"

#define GOOD "3f800000 40000000 bf000000;"

static const struct row {
	const char *name;
	enum ptLmgKind kind;
	size_t count;
	const char *bytes;
	size_t size;
	const char *result;
} rows[] = {
	/* Packed */
	{ "one block", PT_LMG_PACKED, 3, BYTES("#500012" ONE TWO MINUS "\n"),
	  GOOD },
	{ "one each", PT_LMG_PACKED, 3,
	  BYTES("#14" ONE "#14" TWO "#14" MINUS "\n"), GOOD },
	{ "mixed", PT_LMG_PACKED, 3, BYTES("#18" ONE TWO "#3004" MINUS "\n"),
	  GOOD },
	{ "torn value", PT_LMG_PACKED, 3,
	  BYTES("#15" ONE "\x00#17\x00\x00\x40" MINUS "\n"), GOOD },
	{ "nine digits", PT_LMG_PACKED, 1, BYTES("#9000000004" ONE "\n"),
	  "3f800000;" },
	{ "two messages", PT_LMG_PACKED, 1,
	  BYTES("#14" ONE "\n#500004" TWO "\n"), "3f800000;40000000;" },
	{ "LF and # in data", PT_LMG_PACKED, 2, BYTES("#18\n#14\r\n\"#\n"),
	  "3431230a 23220a0d;" },
	{ "NaN with a payload, signalling", PT_LMG_PACKED, 2,
	  BYTES("#18\x01\x02\xa0\xff\x34\x12\xc0\x7f\n"),
	  "ffa00201 7fc01234;" },
	{ "CR", PT_LMG_PACKED, 2,
	  BYTES("#18\x43\x0d\x20\x0d\x0d\x20\x0d\x43\n"),
	  "0d200d43 430d200d;" },
	{ "short", PT_LMG_PACKED, 2,
	  BYTES("#18" ONE "\x00\x00\x00\n#18" ONE TWO "\n"),
	  MORE_DATA "3f800000 40000000;" },
	{ "short block well framed", PT_LMG_PACKED, 2,
	  BYTES("#14" ONE "\n#18" ONE TWO "\n"),
	  LESS_DATA "3f800000 40000000;" },
	{ "long", PT_LMG_PACKED, 2,
	  BYTES("#18" ONE TWO "\x07\n#18" ONE TWO "\n"),
	  NOT_FOLLOWED "3f800000 40000000;" },
	{ "long block well framed", PT_LMG_PACKED, 2,
	  BYTES("#212" ONE TWO MINUS "\n#18" ONE TWO "\n"),
	  MORE_DATA "3f800000 40000000;" },
	{ "one block too many", PT_LMG_PACKED, 1,
	  BYTES("#14" ONE "#14" TWO "\n#14" MINUS "\n"),
	  MORE_DATA /* its second half is a good message */
	  "40000000;bf000000;" },
	{ "length too large", PT_LMG_PACKED, 2,
	  BYTES("#599999" ONE TWO "\n#18" ONE TWO "\n"),
	  MORE_DATA "3f800000 40000000;" },
	{ "length too small", PT_LMG_PACKED, 2,
	  BYTES("#17" ONE TWO "\n#18" ONE TWO "\n"),
	  NOT_FOLLOWED "3f800000 40000000;" },
	{ "lost LF", PT_LMG_PACKED, 1, BYTES("#14" ONE "#14" TWO "\n"),
	  MORE_DATA "40000000;" },
	{ "doubled LF", PT_LMG_PACKED, 1, BYTES("#14" ONE "\n\n#14" TWO "\n"),
	  "3f800000;" NO_BLOCK "40000000;" },
	{ "lost #", PT_LMG_PACKED, 1, BYTES("14" ONE "\n#14" TWO "\n"),
	  NO_BLOCK "40000000;" },
	{ "doubled #", PT_LMG_PACKED, 1, BYTES("##14" ONE "\n"),
	  NOT_WELL "3f800000;" },
	{ "no digit", PT_LMG_PACKED, 1, BYTES("#x4" ONE "\n#14" TWO "\n"),
	  NOT_WELL "40000000;" },
	{ "no number", PT_LMG_PACKED, 1, BYTES("#2:4" ONE "\n#14" TWO "\n"),
	  NOT_WELL "40000000;" },
	{ "indefinite length", PT_LMG_PACKED, 1,
	  BYTES("#0" ONE "\n#14" TWO "\n"), NOT_WELL "40000000;" },
	{ "empty block", PT_LMG_PACKED, 1, BYTES("#10#14" ONE "\n#14" TWO "\n"),
	  NOT_WELL "3f800000;40000000;" },
	{ "begins in the middle", PT_LMG_PACKED, 2,
	  BYTES("\x80\x3f" TWO "\n#18" ONE TWO "\n"),
	  NO_BLOCK "3f800000 40000000;" },
	{ "ASCII", PT_LMG_PACKED, 1,
	  BYTES("2.3195E+02\n5.0000E-01\n#14" ONE "\n"), NO_BLOCK "3f800000;" },
	{ "garbage told once", PT_LMG_PACKED, 1,
	  BYTES("abc\n#def#1#\n##x\n#14" ONE "\nabc#14" TWO "\n"),
	  NO_BLOCK "3f800000;" NO_BLOCK "40000000;" },
	{ "incomplete", PT_LMG_PACKED, 2, BYTES("#18" ONE TWO), "" },
	{ "incomplete length", PT_LMG_PACKED, 2, BYTES("#50000"), "" },
	{ "no value", PT_LMG_PACKED, 1, BYTES("\n#14" ONE "\n"),
	  NO_BLOCK "3f800000;" },

	/* ASCII */
	{ "ASCII values", PT_LMG_ASCII, 3,
	  BYTES("1.0000E+00;2.0000E+00;-5.0000E-01\n"), GOOD },
	{ "ASCII counter", PT_LMG_ASCII, 2, BYTES("65535;+1e0\n"),
	  "477fff00 3f800000;" },
	{ "ASCII, two messages", PT_LMG_ASCII, 1, BYTES("1\n2.0\n"),
	  "3f800000;40000000;" },
	{ "ASCII, too few", PT_LMG_ASCII, 2, BYTES("1\n1;2\n"),
	  NOT_ASCII "3f800000 40000000;" },
	{ "ASCII, too many", PT_LMG_ASCII, 1, BYTES("1;2\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, empty", PT_LMG_ASCII, 1, BYTES("\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, empty value", PT_LMG_ASCII, 2, BYTES("1;\n;1\n1;2\n"),
	  NOT_ASCII "3f800000 40000000;" },
	{ "ASCII, decimal comma", PT_LMG_ASCII, 1, BYTES("1,0\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, space", PT_LMG_ASCII, 1, BYTES(" 1\n1 \n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, CR", PT_LMG_ASCII, 1, BYTES("1\r\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, words", PT_LMG_ASCII, 1,
	  BYTES("nan\ninf\n0x10\n1e\n1.\n.5\n--1\n1E+-2\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, beyond a single", PT_LMG_ASCII, 1, BYTES("1E+39\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, below a single", PT_LMG_ASCII, 1, BYTES("1E-99\n"),
	  "00000000;" },
	{ "ASCII, zero byte", PT_LMG_ASCII, 1, BYTES("1\0\n1\n"),
	  NOT_ASCII "3f800000;" },
	{ "ASCII, doubled byte", PT_LMG_ASCII, 2, BYTES("1.0E+0;;2\n1;2\n"),
	  NOT_ASCII "3f800000 40000000;" },
	{ "ASCII, a block", PT_LMG_ASCII, 1, BYTES("#14" ONE "\n1\n"),
	  BLOCK "3f800000;" },
	{ "ASCII, no number of SCPI", PT_LMG_ASCII, 1, BYTES("9.91E+37\n"),
	  "7e951bee;" },

	/* Text */
	{ "text", PT_LMG_TEXT, 0, BYTES("ZES,LMG450\n1\n"),
	  "\"ZES,LMG450\";\"1\";" },
	{ "empty text", PT_LMG_TEXT, 0, BYTES("\n"), "\"\";" },
	{ "LF in quotes", PT_LMG_TEXT, 0, BYTES("-1,\"a\nb\",2\nnext\n"),
	  "\"-1,\"a\nb\",2\";\"next\";" },
	{ "block instead of text", PT_LMG_TEXT, 0,
	  BYTES("#18" ONE "\n\n\n\n"
		"\nZES\n"),
	  BLOCK "\"ZES\";" },
	{ "bad block instead of text", PT_LMG_TEXT, 0, BYTES("#x8abc\nZES\n"),
	  BLOCK "\"ZES\";" },
	{ "# within text", PT_LMG_TEXT, 0, BYTES("a#14\n"), "\"a#14\";" },
	{ "open quote", PT_LMG_TEXT, 0, BYTES("a\"b\nc\n"), "" },
};

static void drain(struct ptLmgParser *parser, GString *log)
{
	struct ptLmgMessage message;
	int ret;

	while ((ret = ptLmgNext(parser, &message)) != 0) {
		if (ret == -EPROTO) {
			g_string_append_printf(log, "! %s;", message.why);
			continue;
		}
		g_assert_cmpint(ret, ==, 1);
		if (parser->kind == PT_LMG_TEXT) {
			g_string_append_printf(log, "\"%s\";", message.text);
			continue;
		}
		for (size_t i = 0; i < parser->count; i++)
			g_string_append_printf(log, "%08x%c", message.values[i],
					       i + 1 < parser->count ? ' '
								     : ';');
	}
}

/* Parse parts of @p step bytes after a first one of @p first. */
static char *parse(const struct row *row, size_t first, size_t step)
{
	struct ptLmgParser *parser = g_new(struct ptLmgParser, 1);
	GString *log = g_string_new(NULL);
	size_t at = 0, part = first;

	ptLmgInit(parser);
	ptLmgExpect(parser, row->kind, row->count);
	while (at < row->size) {
		part = MIN(part, row->size - at);
		g_assert_cmpuint(ptLmgPush(parser, row->bytes + at, part), ==,
				 part);
		drain(parser, log);
		at += part;
		part = step;
	}
	g_assert_cmpuint(parser->position + ptLmgPending(parser), ==,
			 row->size);
	g_free(parser);
	return g_string_free(log, FALSE);
}

static void testRow(gconstpointer data)
{
	const struct row *row = data;
	char *result;

	for (size_t first = 1; first <= row->size; first++) {
		result = parse(row, first, row->size);
		g_assert_cmpstr(result, ==, row->result);
		g_free(result);
	}
	result = parse(row, 1, 1);
	g_assert_cmpstr(result, ==, row->result);
	g_free(result);
}

/* Every value has every byte at every place. */
static void testEveryByte(void)
{
	struct ptLmgParser *parser = g_new(struct ptLmgParser, 1);
	struct ptLmgMessage message;

	ptLmgInit(parser);
	ptLmgExpect(parser, PT_LMG_PACKED, 4);
	for (unsigned int byte = 0; byte < 256; byte++) {
		for (unsigned int at = 0; at < 16; at++) {
			unsigned char bytes[] = "#500016.ZES.ZES.ZES.ZES\n";

			bytes[7 + at] = (unsigned char)byte;
			ptLmgPush(parser, bytes, sizeof(bytes) - 1);
			g_assert_cmpint(ptLmgNext(parser, &message), ==, 1);
			for (unsigned int i = 0; i < 16; i++)
				g_assert_cmpuint(message.values[i / 4] >>
								 8 * (i % 4) &
							 0xff,
						 ==, bytes[7 + i]);
			g_assert_cmpint(ptLmgNext(parser, &message), ==, 0);
		}
	}
	g_free(parser);
}

/* A byte lost, doubled or turned anywhere spoils one message at the most, but
 * for the LF, without which two are one. */
static void testOneByteWrong(void)
{
	static const char good[] = "#500012" ONE TWO MINUS "\n";
	const size_t length = sizeof(good) - 1;

	for (size_t at = 0; at < length; at++) {
		for (int how = 0; how < 3; how++) {
			struct ptLmgParser *parser =
				g_new(struct ptLmgParser, 1);
			struct ptLmgMessage message;
			GString *bytes = g_string_new(NULL);
			unsigned int count = 0, expected = 3;
			int ret;

			for (int i = 0; i < 4; i++)
				g_string_append_len(bytes, good,
						    (gssize)length);
			if (how == 0)
				g_string_erase(bytes, (gssize)(length + at), 1);
			else if (how == 1)
				g_string_insert_c(bytes, (gssize)(length + at),
						  good[at]);
			else
				bytes->str[length + at] ^= 0x40;
			/* What is data cannot be told from other data. */
			if (how == 2 && at >= 7 && at < length - 1)
				expected = 4;
			/* Doubled, the second LF belongs to nothing. */
			if (how == 1 && at == length - 1)
				expected = 4;
			/* The second # begins a good message. */
			if (how == 1 && at == 0)
				expected = 4;
			ptLmgInit(parser);
			ptLmgExpect(parser, PT_LMG_PACKED, 3);
			ptLmgPush(parser, bytes->str, bytes->len);
			while ((ret = ptLmgNext(parser, &message)) != 0)
				count += ret == 1;
			g_assert_cmpuint(count, ==, expected);
			g_assert_cmpuint(ptLmgPending(parser), ==, 0);
			g_string_free(bytes, TRUE);
			g_free(parser);
		}
	}
}

/* What never ends is given up. */
static void testEndless(void)
{
	static const struct {
		enum ptLmgKind kind;
		char byte;
		const char *end;
	} cases[] = {
		{ PT_LMG_TEXT, 'x', "\nok\n" },
		{ PT_LMG_ASCII, '1', "\n1\n" },
		{ PT_LMG_PACKED, '#', "\n#14" ONE "\n" },
		{ PT_LMG_TEXT, '#', "\nok\n" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ptLmgParser *parser = g_new(struct ptLmgParser, 1);
		struct ptLmgMessage message;
		unsigned int broken = 0, good = 0;
		char bytes[1000];
		int ret;

		memset(bytes, cases[i].byte, sizeof(bytes));
		ptLmgInit(parser);
		ptLmgExpect(parser, cases[i].kind, 1);
		for (int k = 0; k < 100; k++) {
			g_assert_cmpuint(
				ptLmgPush(parser, bytes, sizeof(bytes)), ==,
				sizeof(bytes));
			while ((ret = ptLmgNext(parser, &message)) != 0)
				broken += ret == -EPROTO;
		}
		g_assert_cmpuint(broken, ==, 1);
		ptLmgPush(parser, cases[i].end,
			  i == 2 ? 9 : strlen(cases[i].end));
		while ((ret = ptLmgNext(parser, &message)) != 0)
			good += ret == 1;
		g_assert_cmpuint(good, ==, 1);
		g_free(parser);
	}
}

/* What was begun is forgotten when something else is expected. */
static void testExpect(void)
{
	struct ptLmgParser *parser = g_new(struct ptLmgParser, 1);
	struct ptLmgMessage message;

	ptLmgInit(parser);
	ptLmgPush(parser, "half a li", 9);
	g_assert_cmpint(ptLmgNext(parser, &message), ==, 0);
	ptLmgExpect(parser, PT_LMG_PACKED, 1);
	ptLmgPush(parser, "#14" ONE "\n", 8);
	g_assert_cmpint(ptLmgNext(parser, &message), ==, 1);
	g_assert_cmpuint(message.position, ==, 9);
	g_assert_cmpuint(message.length, ==, 8);
	g_free(parser);
}

/* The most values there can be, each in blocks of one byte. */
static void testMost(void)
{
	struct ptLmgParser *parser = g_new(struct ptLmgParser, 1);
	struct ptLmgMessage message;

	ptLmgInit(parser);
	ptLmgExpect(parser, PT_LMG_PACKED, PT_LMG_VALUES_MAX);
	for (unsigned int i = 0; i < 4 * PT_LMG_VALUES_MAX; i++) {
		char block[16];

		g_snprintf(block, sizeof(block), "#9000000001%c", (char)i);
		g_assert_cmpuint(ptLmgPush(parser, block, 12), ==, 12);
		g_assert_cmpint(ptLmgNext(parser, &message), ==, 0);
	}
	ptLmgPush(parser, "\n", 1);
	g_assert_cmpint(ptLmgNext(parser, &message), ==, 1);
	for (unsigned int i = 0; i < PT_LMG_VALUES_MAX; i++)
		g_assert_cmphex(message.values[i], ==,
				4 * i * 0x01010101u + 0x03020100u);
	g_free(parser);
}

/* Numbers are those of the C locale. */
static void testLocale(void)
{
	static const struct row row = { "", PT_LMG_ASCII, 2, BYTES("1.5;0.5\n"),
					"" };
	char *result;

	if (!setlocale(LC_ALL, "de_DE.UTF-8") &&
	    !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		g_test_skip("no locale with a decimal comma is installed");
		return;
	}
	result = parse(&row, row.size, 1);
	g_assert_cmpstr(result, ==, "3fc00000 3f000000;");
	g_free(result);
	setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *path = g_strdup_printf("/lmg-message/%s", rows[i].name);

		g_test_add_data_func(path, &rows[i], testRow);
		g_free(path);
	}
	g_test_add_func("/lmg-message/every-byte", testEveryByte);
	g_test_add_func("/lmg-message/one-byte-wrong", testOneByteWrong);
	g_test_add_func("/lmg-message/endless", testEndless);
	g_test_add_func("/lmg-message/expect", testExpect);
	g_test_add_func("/lmg-message/most", testMost);
	g_test_add_func("/lmg-message/locale", testLocale);
	return g_test_run();
}
