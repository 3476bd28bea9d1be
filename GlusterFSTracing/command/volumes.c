/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Volume files as a graph. */
#include "config.h"

#include <string.h>

#include "GlusterFSTracing/command/volumes.h"

struct parser {
	struct volumes *volumes;
	gsize at;
	long line;
	char *why;
};

static void volumeParserFail(struct parser *parser, long line,
			     const char *format, ...) G_GNUC_PRINTF(3, 4);

static void volumeParserFail(struct parser *parser, long line,
			     const char *format, ...)
{
	va_list list;
	char *text;

	if (parser->why)
		return;
	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	parser->why = g_strdup_printf("%ld: %s", line, text);
	g_free(text);
}

static void volumeFree(gpointer data)
{
	struct volume *volume = data;

	g_free(volume->name.text);
	g_free(volume->type.text);
	g_ptr_array_unref(volume->below);
	g_ptr_array_unref(volume->above);
	for (guint i = 0; i < volume->belowWords->len; i++)
		g_free(g_array_index(volume->belowWords, struct volumeWord, i)
			       .text);
	g_array_unref(volume->belowWords);
	g_hash_table_unref(volume->options);
	g_free(volume);
}

void volumesFree(struct volumes *volumes)
{
	if (!volumes)
		return;
	g_hash_table_unref(volumes->names);
	g_ptr_array_unref(volumes->all);
	g_free(volumes->text);
	g_free(volumes);
}

/* ---- Words ----------------------------------------------------------------
 */

static void volumeParserSkipBlanks(struct parser *parser)
{
	const struct volumes *all = parser->volumes;

	for (; parser->at < all->length; parser->at++) {
		char c = all->text[parser->at];

		if (c == '#') {
			const char *end = memchr(all->text + parser->at, '\n',
						 all->length - parser->at);

			if (!end) {
				parser->at = all->length;
				return;
			}
			parser->at = (gsize)(end - all->text);
			c = '\n';
		}
		if (c == '\n')
			parser->line++;
		else if (c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

/* Move behind a quoted text; false if it does not end. */
static bool skipQuoted(struct parser *parser, char mark)
{
	const struct volumes *all = parser->volumes;

	for (; parser->at < all->length; parser->at++) {
		char c = all->text[parser->at];

		if (c == mark)
			return true;
		if (c == '\n')
			parser->line++;
		else if (c == '\\' && parser->at + 1 < all->length)
			parser->at++;
	}
	return false;
}

/* Get the next word; false at the end, and if something is wrong. */
static bool volumeParserNextWord(struct parser *parser, struct volumeWord *word)
{
	const struct volumes *all = parser->volumes;
	char mark;

	volumeParserSkipBlanks(parser);
	if (parser->at >= all->length)
		return false;
	mark = all->text[parser->at];
	word->line = parser->line;
	word->begin = parser->at;
	if (mark == '"' || mark == '`') {
		word->begin = ++parser->at;
		if (!skipQuoted(parser, mark)) {
			volumeParserFail(parser, word->line,
					 "missing closing %c", mark);
			return false;
		}
		word->end = parser->at++;
	} else {
		while (parser->at < all->length &&
		       !g_ascii_isspace(all->text[parser->at]) &&
		       all->text[parser->at] != '"')
			parser->at++;
		word->end = parser->at;
	}
	word->text =
		g_strndup(all->text + word->begin, word->end - word->begin);
	return true;
}

/* Get a word that has to be there: what follows WHAT. */
static bool volumeParserNeedWord(struct parser *parser, struct volumeWord *word,
				 const char *what)
{
	if (volumeParserNextWord(parser, word))
		return true;
	volumeParserFail(parser, parser->line,
			 "unexpected end of file after \"%s\"", what);
	return false;
}

/* ---- Volumes --------------------------------------------------------------
 */

static bool isKeyword(const char *word)
{
	static const char *const words[] = { "volume", "type", "option",
					     "subvolumes", "end-volume" };

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

static bool takeType(struct parser *parser, struct volume *volume)
{
	struct volumeWord word;

	if (!volumeParserNeedWord(parser, &word, "type"))
		return false;
	if (volume->type.text) {
		volumeParserFail(parser, word.line,
				 "volume \"%s\" has two types",
				 volume->name.text);
		g_free(word.text);
		return false;
	}
	volume->type = word;
	if (isKeyword(word.text) || !strchr(word.text, '/')) {
		volumeParserFail(parser, word.line, "invalid type \"%s\"",
				 word.text);
		return false;
	}
	return true;
}

static bool volumeParserParseOption(struct parser *parser,
				    struct volume *volume)
{
	struct volumeWord key, value;

	if (!volumeParserNeedWord(parser, &key, "option"))
		return false;
	if (!volumeParserNeedWord(parser, &value, key.text)) {
		g_free(key.text);
		return false;
	}
	g_hash_table_replace(volume->options, key.text, value.text);
	return true;
}

static bool volumeParserParseBelow(struct parser *parser, struct volume *volume)
{
	for (;;) {
		struct parser before = *parser;
		struct volumeWord word;
		struct volume *below;

		if (!volumeParserNeedWord(parser, &word, "subvolumes"))
			return false;
		if (isKeyword(word.text)) {
			g_free(word.text);
			parser->at = before.at;
			parser->line = before.line;
			if (volume->below->len)
				return true;
			volumeParserFail(
				parser, word.line,
				"volume \"%s\": subvolumes without names",
				volume->name.text);
			return false;
		}
		below = g_hash_table_lookup(parser->volumes->names, word.text);
		if (!below) {
			volumeParserFail(
				parser, word.line,
				"unknown subvolume \"%s\"; define it above "
				"this line",
				word.text);
			g_free(word.text);
			return false;
		}
		g_ptr_array_add(volume->below, below);
		g_array_append_val(volume->belowWords, word);
		g_ptr_array_add(below->above, volume);
	}
}

/* Parse what follows "volume NAME". */
static bool takeBody(struct parser *parser, struct volume *volume)
{
	for (;;) {
		struct volumeWord word;
		bool isGood;

		if (!volumeParserNextWord(parser, &word)) {
			volumeParserFail(parser, parser->line,
					 "volume \"%s\": missing end-volume",
					 volume->name.text);
			return false;
		}
		if (strcmp(word.text, "end-volume") == 0) {
			g_free(word.text);
			volume->end = parser->at;
			if (volume->type.text)
				return true;
			volumeParserFail(parser, word.line,
					 "volume \"%s\": missing type",
					 volume->name.text);
			return false;
		}
		if (strcmp(word.text, "type") == 0) {
			isGood = takeType(parser, volume);
		} else if (strcmp(word.text, "option") == 0) {
			isGood = volumeParserParseOption(parser, volume);
		} else if (strcmp(word.text, "subvolumes") == 0) {
			isGood = volumeParserParseBelow(parser, volume);
		} else {
			volumeParserFail(
				parser, word.line,
				"unknown keyword \"%s\"; expected type, "
				"option, "
				"subvolumes or end-volume",
				word.text);
			isGood = false;
		}
		g_free(word.text);
		if (!isGood)
			return false;
	}
}

/* GlusterFS runs what is in `...`, and takes what that prints: names that
 * nobody knows. */
static bool volumeParserIsName(struct parser *parser,
			       const struct volumeWord *word)
{
	if (parser->volumes->text[word->end] != '`')
		return true;
	volumeParserFail(parser, word->line,
			 "volume name \"%s\" contains a command", word->text);
	return false;
}

static struct volume *volumeParserAddVolume(struct parser *parser, gsize begin)
{
	struct volume *volume = g_new0(struct volume, 1);

	volume->begin = begin;
	volume->below = g_ptr_array_new();
	volume->above = g_ptr_array_new();
	volume->belowWords =
		g_array_new(FALSE, FALSE, sizeof(struct volumeWord));
	volume->options =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_ptr_array_add(parser->volumes->all, volume);
	return volume;
}

static const struct volume *lowestOf(const struct volume *volume)
{
	if (!volume->below->len)
		return volume;
	for (guint i = 1; i < volume->below->len; i++) {
		if (volumeBelow(volume, i)->lowest !=
		    volumeBelow(volume, 0)->lowest)
			return NULL;
	}
	return volumeBelow(volume, 0)->lowest;
}

static bool takeVolume(struct parser *parser, const struct volumeWord *word)
{
	struct volume *volume;

	if (strcmp(word->text, "volume") != 0) {
		volumeParserFail(parser, word->line,
				 "unexpected \"%s\"; expected volume",
				 word->text);
		return false;
	}
	volume = volumeParserAddVolume(parser, word->begin);
	if (!volumeParserNeedWord(parser, &volume->name, "volume") ||
	    !volumeParserIsName(parser, &volume->name) ||
	    !takeBody(parser, volume))
		return false;
	/* Not before: no volume stands below itself. */
	if (g_hash_table_contains(parser->volumes->names, volume->name.text)) {
		volumeParserFail(parser, volume->name.line,
				 "duplicate volume \"%s\"", volume->name.text);
		return false;
	}
	g_hash_table_insert(parser->volumes->names, volume->name.text, volume);
	volume->lowest = lowestOf(volume);
	return true;
}

struct volumes *volumesParse(char *text, gsize length, char **why)
{
	struct volumes *volumes = g_new0(struct volumes, 1);
	struct parser parser = { .volumes = volumes, .line = 1 };
	struct volumeWord word;

	volumes->text = text;
	volumes->length = length;
	volumes->all = g_ptr_array_new_with_free_func(volumeFree);
	volumes->names = g_hash_table_new(g_str_hash, g_str_equal);
	if (memchr(text, 0, length))
		volumeParserFail(&parser, 1, "not a text file");
	while (!parser.why && volumeParserNextWord(&parser, &word)) {
		takeVolume(&parser, &word);
		g_free(word.text);
	}
	if (!parser.why && !volumes->all->len)
		volumeParserFail(&parser, 1, "the file contains no volumes");
	if (!parser.why)
		return volumes;
	*why = parser.why;
	volumesFree(volumes);
	return NULL;
}

/* ---- The graph ------------------------------------------------------------
 */

struct volume *volumeBelow(const struct volume *volume, guint number)
{
	return g_ptr_array_index(volume->below, number);
}

bool volumeIs(const struct volume *volume, const char *type)
{
	size_t length = strlen(type);

	if (type[length - 1] == '/')
		return strncmp(volume->type.text, type, length) == 0;
	return strcmp(volume->type.text, type) == 0;
}

bool volumesHave(const struct volumes *volumes, const char *type)
{
	for (guint i = 0; i < volumes->all->len; i++) {
		if (volumeIs(g_ptr_array_index(volumes->all, i), type))
			return true;
	}
	return false;
}

struct volume *volumesTop(const struct volumes *volumes)
{
	return g_ptr_array_index(volumes->all, volumes->all->len - 1);
}
