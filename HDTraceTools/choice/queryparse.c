/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Queries: from text to terms. doc/query.md defines the language, and
 * tests/fixtures/query/cases.json has its messages.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/choice/query.h"
#include "HDTraceTools/choice/queryterms.h"
#include "common/duration.h"
#include "common/format/seconds.h"

#define QUERY_SECOND INT64_C(1000000000)

/** Numbers that a key compares with. */
enum queryNumbers {
	QUERY_NO_NUMBERS,
	QUERY_COUNTS,     /**< Without a unit. */
	QUERY_QUANTITIES, /**< With a factor. */
	QUERY_DURATIONS,
	QUERY_MOMENTS
};

static const struct {
	const char *name;
	enum queryNumbers numbers;
	bool isText; /**< It compares with texts, too. */
} keys[] = {
	[QUERY_NAME] = { "name", QUERY_NO_NUMBERS, true },
	[QUERY_NODE] = { "node", QUERY_NO_NUMBERS, true },
	[QUERY_RANK] = { "rank", QUERY_COUNTS, true },
	[QUERY_THREAD] = { "thread", QUERY_COUNTS, true },
	[QUERY_GROUP] = { "group", QUERY_NO_NUMBERS, true },
	[QUERY_DURATION] = { "duration", QUERY_DURATIONS, false },
	[QUERY_FROM] = { "from", QUERY_MOMENTS, false },
	[QUERY_TO] = { "to", QUERY_MOMENTS, false },
	[QUERY_WAIT] = { "wait", QUERY_DURATIONS, true },
	[QUERY_ATTRIBUTE] = { "@", QUERY_QUANTITIES, true },
};

/** The longest come first. */
static const struct {
	const char *text;
	enum queryOperator operator;
} operators[] = {
	{ "!=", QUERY_UNEQUAL },       { "<=", QUERY_LESS_EQUAL },
	{ ">=", QUERY_GREATER_EQUAL }, { "=", QUERY_EQUAL },
	{ "<", QUERY_LESS },           { ">", QUERY_GREATER },
	{ "~", QUERY_CONTAINS },
};

/** Characters that end a key and a value. */
static const char blanks[] = " \t\r\n";
static const char keyEnds[] = " \t\r\n=!<>~|\"";

/** A query while it is parsed. */
struct queryParser {
	const char *text;
	const char *at;
	const char *where; /**< Of the error. */
	char *message;     /**< NULL: there was none. */
};

G_GNUC_PRINTF(3, 4)
static bool queryFail(struct queryParser *parser, const char *where,
		      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	parser->where = where;
	parser->message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return false;
}

static bool queryIsBlank(char byte)
{
	return byte && strchr(blanks, byte);
}

static void queryClearValue(void *data)
{
	struct queryValue *value = data;

	g_free(value->text);
}

static void queryClearTerm(void *data)
{
	struct queryTerm *term = data;

	g_free(term->attribute);
	g_array_unref(term->values);
}

/* ---- Values ------------------------------------------------------------- */

static bool queryParseMoment(const char *text, struct queryNumber *number)
{
	bool isSince = *text == '@';
	const char *time = text + isSince;

	*number = (struct queryNumber){ .isWhole = true, .isSince = isSince };
	return hdSecondsParse(time, &number->whole) == 0 ||
	       hdDurationParse(time, QUERY_SECOND, &number->whole, NULL) == 0;
}

static bool queryParseDuration(const char *text, struct queryNumber *number)
{
	*number = (struct queryNumber){ .isWhole = true };
	return hdDurationParse(text, QUERY_SECOND, &number->whole, NULL) == 0;
}

static bool queryParseOne(enum queryNumbers numbers, const char *text,
			  struct queryNumber *number)
{
	switch (numbers) {
	case QUERY_NO_NUMBERS:
		return false;
	case QUERY_COUNTS:
		return queryParseNumber(text, false, number);
	case QUERY_QUANTITIES:
		return queryParseNumber(text, true, number);
	case QUERY_DURATIONS:
		return queryParseDuration(text, number);
	case QUERY_MOMENTS:
		break;
	}
	return queryParseMoment(text, number);
}

static bool queryIsReversed(const struct queryNumber *low,
			    const struct queryNumber *high)
{
	/* Before the start is known nobody can tell. */
	if (low->isSince != high->isSince)
		return false;
	return low->isWhole && high->isWhole ? low->whole > high->whole
					     : low->real > high->real;
}

/** Parse N..M; false: it is not a range. */
static bool queryParseRange(enum queryNumbers numbers, struct queryValue *value)
{
	const char *dots = strstr(value->text, "..");
	char *low;
	bool isRange;

	if (!dots)
		return false;
	low = g_strndup(value->text, (gsize)(dots - value->text));
	isRange = queryParseOne(numbers, low, &value->low) &&
		  queryParseOne(numbers, dots + 2, &value->high);
	g_free(low);
	return isRange;
}

static bool queryIsOrder(enum queryOperator operator)
{
	return operator== QUERY_LESS || operator== QUERY_LESS_EQUAL ||
	operator== QUERY_GREATER ||
	operator== QUERY_GREATER_EQUAL;
}

/** Say which numbers a key takes. */
static bool queryFailNumber(struct queryParser *parser, const char *where,
			    enum queryNumbers numbers, const char *text)
{
	switch (numbers) {
	case QUERY_DURATIONS:
		return queryFail(parser, where,
				 "invalid duration \"%s\"; use a number and a "
				 "unit, such as 10ms or 5s",
				 text);
	case QUERY_MOMENTS:
		return queryFail(parser, where,
				 "invalid time \"%s\"; use the time since the "
				 "start, such as 10 or 500ms, or @SECONDS "
				 "since 1970",
				 text);
	case QUERY_QUANTITIES:
		return queryFail(parser, where,
				 "invalid number \"%s\"; use a number such as "
				 "5, 1M or 64KiB",
				 text);
	case QUERY_NO_NUMBERS:
	case QUERY_COUNTS:
		break;
	}
	return queryFail(parser, where, "invalid number \"%s\"", text);
}

/** Make a pattern that is found anywhere in a text. */
static void queryWiden(struct queryValue *value)
{
	GString *pattern = g_string_new("*");

	for (const char *at = value->text; *at; at++) {
		if (value->form == QUERY_LITERAL && strchr("*?[\\", *at))
			g_string_append_c(pattern, '\\');
		g_string_append_c(pattern, *at);
	}
	g_string_append_c(pattern, '*');
	g_free(value->text);
	value->text = g_string_free(pattern, FALSE);
	value->form = QUERY_PATTERN;
}

/** Whether a term compares with numbers only. */
static bool queryIsNumeric(const struct queryTerm *term)
{
	return !keys[term->key].isText || queryIsOrder(term->operator);
}

/** Take a value in quotes as it is. */
static bool queryParseQuoted(struct queryParser *parser,
			     const struct queryTerm *term, const char *where,
			     struct queryValue *value)
{
	if (queryIsNumeric(term))
		return queryFail(parser, where,
				 "a text in quotes is not a number");
	if (term->operator== QUERY_CONTAINS)
		queryWiden(value);
	return true;
}

/** Parse a value that has no quotes: a range, a number, or a pattern. */
static bool queryParseBare(struct queryParser *parser,
			   const struct queryTerm *term, const char *where,
			   struct queryValue *value)
{
	enum queryNumbers numbers = keys[term->key].numbers;

	if (term->operator!= QUERY_CONTAINS &&
	    queryParseRange(numbers, value)) {
		if (queryIsOrder(term->operator))
			return queryFail(
				parser, where,
				"the range \"%s\" needs = or !=", value->text);
		if (queryIsReversed(&value->low, &value->high))
			return queryFail(parser, where,
					 "the range \"%s\" ends before it "
					 "begins",
					 value->text);
		value->form = QUERY_RANGE;
		return true;
	}
	if (term->operator!= QUERY_CONTAINS &&
	    queryParseOne(numbers, value->text, &value->low)) {
		value->form = QUERY_NUMBER;
		return true;
	}
	if (term->operator!= QUERY_CONTAINS && numbers == QUERY_COUNTS &&
	    strstr(value->text, ".."))
		return queryFail(parser, where,
				 "invalid range \"%s\"; use N..M", value->text);
	value->form =
		queryIsLiteral(value->text) ? QUERY_LITERAL : QUERY_PATTERN;
	if (term->operator== QUERY_CONTAINS)
		queryWiden(value);
	else if (queryIsNumeric(term))
		return queryFailNumber(parser, where, numbers, value->text);
	return true;
}

/** Take a text in quotes; parser->at is behind the first one. */
static bool queryTakeQuoted(struct queryParser *parser, GString *text)
{
	const char *start = parser->at - 1;

	for (; *parser->at != '"'; parser->at++) {
		if (*parser->at == '\\' && parser->at[1])
			parser->at++;
		if (!*parser->at)
			return queryFail(parser, start, "quote without an end");
		g_string_append_c(text, *parser->at);
	}
	parser->at++;
	if (*parser->at && *parser->at != '|' && !queryIsBlank(*parser->at))
		return queryFail(parser, parser->at,
				 "a blank or | must follow the quote");
	return true;
}

/** Take a value without quotes, with its backslashes. */
static bool queryTakeBare(struct queryParser *parser, GString *text)
{
	while (*parser->at && *parser->at != '|' &&
	       !queryIsBlank(*parser->at)) {
		if (*parser->at == '"')
			return queryFail(parser, parser->at,
					 "quote inside a value; quote all of "
					 "it, or write \\\"");
		if (*parser->at == '\\' && !parser->at[1])
			return queryFail(parser, parser->at,
					 "no character follows the backslash");
		if (*parser->at == '\\')
			g_string_append_c(text, *parser->at++);
		g_string_append_c(text, *parser->at++);
	}
	return true;
}

static bool queryParseValue(struct queryParser *parser, struct queryTerm *term)
{
	GString *text = g_string_new(NULL);
	struct queryValue value = { .form = QUERY_LITERAL };
	const char *where = parser->at;
	bool isQuoted = *where == '"';
	bool isFine;

	parser->at += isQuoted;
	isFine = isQuoted ? queryTakeQuoted(parser, text)
			  : queryTakeBare(parser, text);
	if (isFine && !isQuoted && text->len == 0)
		isFine = queryFail(parser, where, "missing value");
	value.text = g_string_free(text, FALSE);
	if (isFine && isQuoted)
		isFine = queryParseQuoted(parser, term, where, &value);
	else if (isFine)
		isFine = queryParseBare(parser, term, where, &value);
	g_array_append_val(term->values, value);
	return isFine;
}

/* ---- Terms -------------------------------------------------------------- */

static bool queryParseKey(struct queryParser *parser, struct queryTerm *term)
{
	const char *start = parser->at;
	size_t length = strcspn(start, keyEnds);

	parser->at += length;
	if (*start == '@') {
		term->key = QUERY_ATTRIBUTE;
		term->attribute = g_strndup(start + 1, length - 1);
		return length > 1 ||
		       queryFail(parser, start,
				 "missing name of an attribute after @");
	}
	for (size_t i = 0; i < QUERY_ATTRIBUTE; i++) {
		if (strlen(keys[i].name) != length ||
		    strncmp(keys[i].name, start, length) != 0)
			continue;
		term->key = (enum queryKey)i;
		return true;
	}
	return queryFail(parser, start,
			 "unknown key \"%.*s\"; use name, node, rank, thread, "
			 "group, duration, from, to, wait or @ATTRIBUTE",
			 (int)length, start);
}

static bool queryParseOperator(struct queryParser *parser,
			       struct queryTerm *term)
{
	const char *start = parser->at;

	for (size_t i = 0; i < G_N_ELEMENTS(operators); i++) {
		if (!g_str_has_prefix(start, operators[i].text))
			continue;
		term->operator= operators[i].operator;
		parser->at += strlen(operators[i].text);
		if (queryIsOrder(term->operator) &&
		    keys[term->key].numbers == QUERY_NO_NUMBERS)
			return queryFail(parser, start,
					 "%s compares numbers, but %s is text",
					 operators[i].text,
					 keys[term->key].name);
		if (term->operator== QUERY_CONTAINS && !keys[term->key].isText)
			return queryFail(parser, start,
					 "~ compares text, but %s is a time",
					 keys[term->key].name);
		return true;
	}
	return queryFail(parser, start,
			 "missing operator; use =, !=, <, <=, >, >= or ~");
}

static bool queryParseTerm(struct queryParser *parser, struct queryTerm *term)
{
	if (!queryParseKey(parser, term) || !queryParseOperator(parser, term))
		return false;
	while (queryParseValue(parser, term)) {
		if (*parser->at != '|')
			return true;
		parser->at++;
	}
	return false;
}

static void querySkipBlanks(struct queryParser *parser)
{
	parser->at += strspn(parser->at, blanks);
}

static bool queryParseTerms(struct queryParser *parser, GArray *terms)
{
	const char *end;

	if (!g_utf8_validate(parser->text, -1, &end))
		return queryFail(parser, end, "not UTF-8");
	querySkipBlanks(parser);
	if (!*parser->at)
		return queryFail(parser, parser->text, "empty query");
	while (*parser->at) {
		struct queryTerm *term;

		g_array_set_size(terms, terms->len + 1);
		term = &g_array_index(terms, struct queryTerm, terms->len - 1);
		term->values =
			g_array_new(FALSE, FALSE, sizeof(struct queryValue));
		g_array_set_clear_func(term->values, queryClearValue);
		if (!queryParseTerm(parser, term))
			return false;
		querySkipBlanks(parser);
	}
	return true;
}

int queryParse(const char *text, struct query **query, struct queryError *error)
{
	struct queryParser parser = { .text = text, .at = text };
	struct query *self = g_new0(struct query, 1);

	self->terms = g_array_new(FALSE, TRUE, sizeof(struct queryTerm));
	g_array_set_clear_func(self->terms, queryClearTerm);
	if (queryParseTerms(&parser, self->terms)) {
		*query = self;
		return 0;
	}
	queryFree(self);
	error->column =
		1 + (size_t)g_utf8_strlen(text, (gssize)(parser.where - text));
	error->message = parser.message;
	return -EINVAL;
}
