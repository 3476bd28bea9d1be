/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading .info files: lines that a traced program wrote for the merger.
 *
 *     File name="NAME" Size=N id=N
 *     Comm map='W->L;W->L;..' id=N name='NAME'
 *     Type id='N' combiner='MPI_COMBINER_X' name='NAME'
 *         [integers='i;..' addresses='a;..' types='t;..']
 *     Clock time=T offset=O error=E method='NAME'
 *     ClockStep time=T by=S
 *
 * Values are in single or double quotes or bare; escapes are those of C.
 */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/edit/content.h"
#include "HDTraceTools/edit/infofile.h"
#include "cli/errors.h"
#include "common/format/seconds.h"

#define COMBINER_PREFIX "MPI_COMBINER_"
/** Ranks that a communicator can have. */
#define INFO_GROUP_MAX (INT64_C(1) << 31)

/** Position in a file. */
struct parser {
	struct tool *tool;
	const char *file;
	const char *start; /**< Of the file. */
	const char *at;
	const char *end; /**< Of the line. */
	int64_t line;
	bool hasFailed; /**< This line was reported. */
};

/** The keys of a line, decoded; NULL where a key is missing. */
struct keys {
	GString *name;
	GString *id;
	GString *size;
	GString *map;
	GString *remote;
	GString *groupSize;
	GString *remoteSize;
	GString *uid;
	GString *order;
	GString *distribs;
	GString *combiner;
	GString *integers;
	GString *addresses;
	GString *types;
	GString *time;
	GString *offset;
	GString *error;
	GString *method;
	GString *by;
};

static void infoFileReport(struct parser *parser, const char *rule,
			   const char *format, ...) G_GNUC_PRINTF(3, 4);

static void infoFileReport(struct parser *parser, const char *rule,
			   const char *format, ...)
{
	va_list arguments;
	char *text;

	if (parser->hasFailed)
		return;
	parser->hasFailed = true;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	toolReport(parser->tool, rule, parser->file, parser->at - parser->start,
		   parser->line, "line %" PRId64 ": %s; the line is ignored",
		   parser->line, text);
	g_free(text);
}

static void freeLine(void *data)
{
	struct infoLine *line = data;

	g_free(line->name);
	g_free(line->combiner);
	g_free(line->method);
	g_free(line->uid);
	g_free(line->order);
	g_free(line->distribs);
	if (line->ranks)
		g_array_unref(line->ranks);
	if (line->remote)
		g_array_unref(line->remote);
	if (line->integers)
		g_array_unref(line->integers);
	if (line->addresses)
		g_array_unref(line->addresses);
	if (line->types)
		g_array_unref(line->types);
	g_free(line);
}

static bool infoFileIsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void infoFileSkipBlanks(struct parser *parser)
{
	while (parser->at < parser->end && infoFileIsBlank(*parser->at))
		parser->at++;
}

static int infoFileDigitOf(char c, int base)
{
	int digit = g_ascii_xdigit_value(c);

	return digit < base ? digit : -1;
}

/** Read up to a number of digits as a byte; parser->at stands on the first. */
static bool numericEscape(struct parser *parser, int base, int digits,
			  GString *out)
{
	int value = 0;
	int count = 0;

	while (count < digits && parser->at < parser->end &&
	       infoFileDigitOf(*parser->at, base) >= 0) {
		value = value * base + infoFileDigitOf(*parser->at, base);
		parser->at++;
		count++;
	}
	if (count == 0 || value == 0 || value > 255)
		return false;
	g_string_append_c(out, (char)value);
	return true;
}

/** Decode what stands behind a backslash. */
static bool escape(struct parser *parser, GString *out)
{
	static const char from[] = "abfnrtv\\'\"?";
	static const char to[] = "\a\b\f\n\r\t\v\\'\"?";
	const char *found;

	if (parser->at == parser->end)
		return false;
	if (infoFileDigitOf(*parser->at, 8) >= 0)
		return numericEscape(parser, 8, 3, out);
	if (*parser->at == 'x') {
		parser->at++;
		return numericEscape(parser, 16, 2, out);
	}
	found = *parser->at ? strchr(from, *parser->at) : NULL;
	if (!found)
		return false;
	g_string_append_c(out, to[found - from]);
	parser->at++;
	return true;
}

/** Decode a value, quoted or bare; NULL after a diagnostic. */
static GString *infoFileParseValue(struct parser *parser)
{
	GString *value = g_string_new(NULL);
	char quote = '\0';

	if (parser->at < parser->end &&
	    (*parser->at == '\'' || *parser->at == '"'))
		quote = *parser->at++;
	while (parser->at < parser->end &&
	       (quote ? *parser->at != quote : !infoFileIsBlank(*parser->at))) {
		char c = *parser->at++;

		if (c == '\0') {
			infoFileReport(parser, "info.syntax",
				       "unexpected zero byte");
		} else if (c != '\\') {
			g_string_append_c(value, c);
		} else if (!escape(parser, value)) {
			infoFileReport(
				parser, "info.escape",
				"escape sequence that is not valid in C");
			break;
		}
	}
	if (quote && (parser->at == parser->end || *parser->at != quote))
		infoFileReport(parser, "info.quote", "missing closing quote");
	else if (quote)
		parser->at++;
	if (parser->hasFailed) {
		g_string_free(value, TRUE);
		return NULL;
	}
	return value;
}

static GString **keySlot(struct keys *keys, const char *name, size_t length)
{
	const struct {
		const char *name;
		GString **slot;
	} known[] = {
		{ "name", &keys->name },
		{ "id", &keys->id },
		{ "Size", &keys->size },
		{ "map", &keys->map },
		{ "remote", &keys->remote },
		{ "groupSize", &keys->groupSize },
		{ "remoteSize", &keys->remoteSize },
		{ "uid", &keys->uid },
		{ "order", &keys->order },
		{ "distribs", &keys->distribs },
		{ "combiner", &keys->combiner },
		{ "integers", &keys->integers },
		{ "addresses", &keys->addresses },
		{ "types", &keys->types },
		{ "time", &keys->time },
		{ "offset", &keys->offset },
		{ "error", &keys->error },
		{ "method", &keys->method },
		{ "by", &keys->by },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strlen(known[i].name) == length &&
		    g_ascii_strncasecmp(known[i].name, name, length) == 0)
			return known[i].slot;
	}
	return NULL;
}

static void parseKeys(struct parser *parser, struct keys *keys)
{
	infoFileSkipBlanks(parser);
	while (parser->at < parser->end && !parser->hasFailed) {
		const char *name = parser->at;
		GString **slot;
		GString *value;
		size_t length;

		while (parser->at < parser->end && *parser->at != '=' &&
		       !infoFileIsBlank(*parser->at))
			parser->at++;
		length = (size_t)(parser->at - name);
		if (length == 0 || parser->at == parser->end ||
		    *parser->at != '=') {
			parser->at = name;
			infoFileReport(parser, "info.syntax",
				       "expected KEY=VALUE");
			return;
		}
		parser->at++;
		value = infoFileParseValue(parser);
		if (!value)
			return;
		slot = keySlot(keys, name, length);
		if (slot && !*slot) {
			*slot = value;
		} else {
			if (slot)
				infoFileReport(parser, "info.key-twice",
					       "%.*s occurs twice", (int)length,
					       name);
			/* Unknown keys are for others. */
			g_string_free(value, TRUE);
		}
		infoFileSkipBlanks(parser);
	}
}

static void freeKeys(struct keys *keys)
{
	GString *const all[] = {
		keys->name,       keys->id,       keys->size,
		keys->map,        keys->remote,   keys->groupSize,
		keys->remoteSize, keys->uid,      keys->order,
		keys->distribs,   keys->combiner, keys->integers,
		keys->addresses,  keys->types,    keys->time,
		keys->offset,     keys->error,    keys->method,
		keys->by
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		if (all[i])
			g_string_free(all[i], TRUE);
	}
}

static bool has(struct parser *parser, const GString *value, const char *key)
{
	if (!value)
		infoFileReport(parser, "info.key-missing", "%s is missing",
			       key);
	return value;
}

static bool infoFileParseNumber(const char *text, int64_t *number)
{
	return g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX, number,
					NULL);
}

static int64_t toNumber(struct parser *parser, const GString *value,
			const char *key)
{
	int64_t number = 0;

	if (has(parser, value, key) &&
	    !infoFileParseNumber(value->str, &number))
		infoFileReport(parser, "info.number", "%s is not a number",
			       key);
	return number;
}

/** "1;2;3;" or "1;2;3"; a missing list is empty. */
static GArray *toList(struct parser *parser, const GString *value,
		      const char *key)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(int64_t));
	char **parts = g_strsplit(value ? value->str : "", ";", -1);

	for (size_t i = 0; parts[i]; i++) {
		int64_t number;

		if (!*parts[i] && !parts[i + 1])
			break;
		if (!infoFileParseNumber(parts[i], &number)) {
			infoFileReport(parser, "info.number",
				       "%s is not a list of numbers", key);
			break;
		}
		g_array_append_val(list, number);
	}
	g_strfreev(parts);
	return list;
}

static gint infoFileCompareRanks(gconstpointer a, gconstpointer b)
{
	const struct infoRank *x = a;
	const struct infoRank *y = b;

	return (x->global > y->global) - (x->global < y->global);
}

/** Parse "W->L" from a part of a map. */
static bool parseRank(char *part, struct infoRank *rank)
{
	char *arrow = strstr(part, "->");

	if (!arrow)
		return false;
	*arrow = '\0';
	return infoFileParseNumber(part, &rank->global) &&
	       infoFileParseNumber(arrow + 2, &rank->local);
}

static GArray *toMap(struct parser *parser, const GString *value,
		     const char *key)
{
	GArray *ranks = g_array_new(FALSE, FALSE, sizeof(struct infoRank));
	char **parts;

	if (!has(parser, value, key))
		return ranks;
	parts = g_strsplit(value->str, ";", -1);
	for (size_t i = 0; parts[i]; i++) {
		struct infoRank rank;

		if (!*parts[i] && !parts[i + 1])
			break;
		if (!parseRank(parts[i], &rank)) {
			infoFileReport(parser, "info.map",
				       "%s does not have the form W->L;W->L;..",
				       key);
			break;
		}
		g_array_append_val(ranks, rank);
	}
	g_strfreev(parts);
	g_array_sort(ranks, infoFileCompareRanks);
	for (guint i = 1; i < ranks->len; i++) {
		if (g_array_index(ranks, struct infoRank, i).global ==
		    g_array_index(ranks, struct infoRank, i - 1).global)
			infoFileReport(parser, "info.map",
				       "a rank occurs twice in %s", key);
	}
	return ranks;
}

/** Upper case, without the prefix; must be good as the name of an element. */
static char *toCombiner(struct parser *parser, const GString *value)
{
	const char *text;
	char *name;

	if (!has(parser, value, "combiner"))
		return g_strdup("");
	text = value->str;
	if (g_str_has_prefix(text, COMBINER_PREFIX))
		text += strlen(COMBINER_PREFIX);
	name = g_ascii_strup(text, -1);
	for (const char *c = name; *c || c == name; c++) {
		if (g_ascii_isupper(*c) ||
		    (c > name && (g_ascii_isdigit(*c) || *c == '_')))
			continue;
		infoFileReport(parser, "info.combiner",
			       "combiner is not a name");
		break;
	}
	return name;
}

static char *toName(struct parser *parser, const GString *value)
{
	return g_strdup(has(parser, value, "name") ? value->str : "");
}

/** "1.5", "-0.25": in ns. */
static int64_t toTime(struct parser *parser, const GString *value,
		      const char *key)
{
	int64_t time = 0;

	if (has(parser, value, key) && hdSecondsParse(value->str, &time) < 0)
		infoFileReport(parser, "info.number",
			       "%s is not a number of seconds", key);
	return time;
}

static void toClock(struct parser *parser, const struct keys *keys,
		    struct infoLine *line)
{
	line->clock.time = toTime(parser, keys->time, "time");
	line->clock.offset = toTime(parser, keys->offset, "offset");
	line->clock.error = toTime(parser, keys->error, "error");
	if (has(parser, keys->method, "method"))
		line->method = g_strdup(keys->method->str);
	if (line->clock.error < 0)
		infoFileReport(parser, "info.number", "error is negative");
}

/** How many processes a group has: at least those of its map. */
static int64_t toGroupSize(struct parser *parser, const GString *value,
			   const GArray *ranks, const char *key)
{
	int64_t size = value ? toNumber(parser, value, key) : 0;

	if (size < 0 || size > INFO_GROUP_MAX)
		infoFileReport(parser, "info.number",
			       "%s is not a number of ranks", key);
	return MAX(size, ranks->len);
}

static void toComm(struct parser *parser, const struct keys *keys,
		   struct infoLine *line)
{
	line->ranks = toMap(parser, keys->map, "map");
	line->groupSize =
		toGroupSize(parser, keys->groupSize, line->ranks, "groupSize");
	if (keys->uid && *keys->uid->str)
		line->uid = g_strdup(keys->uid->str);
	if (!keys->remote)
		return;
	line->remote = toMap(parser, keys->remote, "remote");
	line->remoteSize = toGroupSize(parser, keys->remoteSize, line->remote,
				       "remoteSize");
}

static void parseFields(struct parser *parser, struct infoLine *line)
{
	struct keys keys = { .name = NULL };

	parseKeys(parser, &keys);
	if (parser->hasFailed) {
		freeKeys(&keys);
		return;
	}
	parser->at = parser->start + line->offset;
	if (line->kind != INFO_CLOCK && line->kind != INFO_STEP) {
		line->name = toName(parser, keys.name);
		line->id = toNumber(parser, keys.id, "id");
	}
	switch (line->kind) {
	case INFO_FILE:
		line->size = toNumber(parser, keys.size, "Size");
		break;
	case INFO_COMM:
		toComm(parser, &keys, line);
		break;
	case INFO_TYPE:
		line->combiner = toCombiner(parser, keys.combiner);
		line->integers = toList(parser, keys.integers, "integers");
		line->addresses = toList(parser, keys.addresses, "addresses");
		line->types = toList(parser, keys.types, "types");
		if (keys.order)
			line->order = g_strdup(keys.order->str);
		if (keys.distribs)
			line->distribs = g_strdup(keys.distribs->str);
		break;
	case INFO_CLOCK:
		toClock(parser, &keys, line);
		break;
	case INFO_STEP:
		line->clock.time = toTime(parser, keys.time, "time");
		line->clock.offset = toTime(parser, keys.by, "by");
		break;
	case INFO_COMM_NAME:
	case INFO_PROCESS:
		break;
	}
	freeKeys(&keys);
}

/** Parse a line; NULL if it is blank or wrong. */
static struct infoLine *parseLine(struct parser *parser)
{
	static const char *const kinds[] = {
		[INFO_FILE] = "File",          [INFO_COMM] = "Comm",
		[INFO_TYPE] = "Type",          [INFO_CLOCK] = "Clock",
		[INFO_COMM_NAME] = "CommName", [INFO_PROCESS] = "Process",
		[INFO_STEP] = "ClockStep",
	};
	struct infoLine *line;
	const char *word;
	size_t length;
	size_t kind = 0;

	infoFileSkipBlanks(parser);
	word = parser->at;
	while (parser->at < parser->end && !infoFileIsBlank(*parser->at))
		parser->at++;
	length = (size_t)(parser->at - word);
	if (length == 0)
		return NULL;
	while (kind < G_N_ELEMENTS(kinds) &&
	       (strlen(kinds[kind]) != length ||
		memcmp(kinds[kind], word, length) != 0))
		kind++;
	if (kind == G_N_ELEMENTS(kinds)) {
		parser->at = word;
		infoFileReport(parser, "info.kind",
			       "expected File, Comm, CommName, Type, Clock, "
			       "ClockStep or Process");
		return NULL;
	}
	line = g_new0(struct infoLine, 1);
	line->kind = (enum infoKind)kind;
	line->line = parser->line;
	line->offset = word - parser->start;
	parseFields(parser, line);
	if (parser->hasFailed) {
		freeLine(line);
		return NULL;
	}
	return line;
}

GPtrArray *infoParse(struct tool *tool, const char *file, const char *text,
		     size_t size)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(freeLine);
	const char *end;
	struct parser parser = {
		.tool = tool,
		.file = file,
		.start = text,
	};

	/* Of an empty file there may be no text at all. */
	if (!size)
		return lines;
	end = text + size;
	for (const char *at = text; at < end; at = parser.end + 1) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct infoLine *line;

		parser.at = at;
		parser.end = newline ? newline : end;
		parser.line++;
		parser.hasFailed = false;
		line = parseLine(&parser);
		if (line)
			g_ptr_array_add(lines, line);
		if (!newline) {
			toolReport(tool, "info.cut", file, at - text,
				   parser.line,
				   "line %" PRId64
				   " is incomplete: the file may be truncated",
				   parser.line);
			break;
		}
	}
	return lines;
}

GPtrArray *infoRead(struct tool *tool, const char *file)
{
	GPtrArray *lines;
	char *text;
	size_t size;
	int ret = contentText(file, &text, &size);

	if (ret < 0) {
		toolError(tool, CLI_TEXT_READ, file, plainFileError(ret));
		return NULL;
	}
	lines = infoParse(tool, file, text, size);
	g_free(text);
	return lines;
}

bool infoIsOfHost(const GPtrArray *lines)
{
	for (guint i = 0; i < lines->len; i++) {
		const struct infoLine *line = lines->pdata[i];

		if (line->kind != INFO_CLOCK && line->kind != INFO_PROCESS &&
		    line->kind != INFO_STEP)
			return false;
	}
	return lines->len > 0;
}
