/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The layout of --help: texts and options within the width of the terminal.
 */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/parser.h"
#include "common/duration.h"

/** Columns: at most, and where the output is not a terminal. */
#define HELP_WIDTH 100
/** Narrower terminals are taken to have this width. */
#define HELP_WIDTH_MIN 40
/** Options that are longer have their description in the next line. */
#define HELP_OPTION_MAX 36
/** Between an option and its description. */
#define HELP_GAP 2

/** Words that are put into lines. */
struct lines {
	FILE *file;
	int width;
	int column; /**< Of the current line. */
	int indent; /**< Of further lines. */
	bool hasWord;
};

static int helpWidth(FILE *file)
{
	struct winsize size;

	if (!isatty(fileno(file)) ||
	    ioctl(fileno(file), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return HELP_WIDTH;
	return CLAMP(size.ws_col, HELP_WIDTH_MIN, HELP_WIDTH);
}

static void helpWord(struct lines *lines, const char *word, int length)
{
	int columns = (int)g_utf8_strlen(word, length);

	if (lines->hasWord && lines->column + 1 + columns > lines->width) {
		fprintf(lines->file, "\n%*s", lines->indent, "");
		lines->column = lines->indent;
		lines->hasWord = false;
	}
	fprintf(lines->file, "%s%.*s", lines->hasWord ? " " : "", length, word);
	lines->column += columns + lines->hasWord;
	lines->hasWord = true;
}

/** Put the words of a text into lines. */
static void helpWords(struct lines *lines, const char *text, int length)
{
	const char *end = text + length;

	while (text < end) {
		size_t blanks = strspn(text, " \n");
		size_t word;

		text += blanks;
		word = strcspn(text, " \n");
		if (text + word > end)
			word = text < end ? (size_t)(end - text) : 0;
		if (word)
			helpWord(lines, text, (int)word);
		text += word;
	}
}

static void helpEnd(struct lines *lines)
{
	if (lines->column > 0)
		fputc('\n', lines->file);
	lines->column = 0;
	lines->hasWord = false;
}

/** Whether a line begins with a title, such as "Exit status: ". */
static bool helpIsTitled(const char *line)
{
	size_t length = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz ");

	return isupper((unsigned char)*line) && length <= 20 &&
	       line[length] == ':';
}

/** Print a text: lines of a paragraph are joined, and wrapped; those that begin
 *  with blanks stay as they are. */
static void helpText(FILE *file, int width, const char *text)
{
	struct lines lines = { .file = file, .width = width };

	while (*text) {
		int length = (int)strcspn(text, "\n");
		int blanks = (int)strspn(text, " ");

		if (length == 0 || blanks > 0 || helpIsTitled(text))
			helpEnd(&lines);
		lines.indent = blanks > 0 ? blanks + 4 : 0;
		if (blanks > 0 && length > width) {
			fprintf(file, "%*s", blanks, "");
			lines.column = blanks;
			helpWords(&lines, text, length);
			helpEnd(&lines);
		} else if (blanks > 0 || length == 0) {
			fprintf(file, "%.*s\n", length, text);
		} else {
			helpWords(&lines, text, length);
		}
		text += length + (text[length] == '\n');
	}
	helpEnd(&lines);
}

/* ---- Options ----------------------------------------------------------- */

/** "  -n, --node=PATTERN" */
static char *helpOption(const GOptionEntry *entry)
{
	GString *text = g_string_new("  ");
	bool isOptional = entry->flags & G_OPTION_FLAG_OPTIONAL_ARG;

	if (entry->short_name)
		g_string_append_printf(text, "-%c, ", entry->short_name);
	g_string_append_printf(text, "--%s", entry->long_name);
	if (entry->arg_description)
		g_string_append_printf(text, "%s=%s%s", isOptional ? "[" : "",
				       entry->arg_description,
				       isOptional ? "]" : "");
	return g_string_free(text, FALSE);
}

static void helpPrintOption(struct lines *lines, const GOptionEntry *entry)
{
	char *option = helpOption(entry);
	int columns = (int)g_utf8_strlen(option, -1);

	fputs(option, lines->file);
	if (columns + HELP_GAP > lines->indent)
		fprintf(lines->file, "\n%*s", lines->indent, "");
	else
		fprintf(lines->file, "%*s", lines->indent - columns, "");
	lines->column = lines->indent;
	helpWords(lines, entry->description, (int)strlen(entry->description));
	helpEnd(lines);
	g_free(option);
}

static void helpOptions(const struct parser *parser, FILE *file, int width)
{
	struct lines lines = { .file = file, .width = width };
	int most = MIN(HELP_OPTION_MAX, width * 2 / 5);

	for (guint i = 0; i < parser->entries->len; i++) {
		char *option = helpOption(parser->entries->pdata[i]);
		int columns = (int)g_utf8_strlen(option, -1);

		if (columns <= most)
			lines.indent = MAX(lines.indent, columns + HELP_GAP);
		g_free(option);
	}
	fputs("\nOptions:\n", file);
	for (guint i = 0; i < parser->entries->len; i++) {
		const GOptionEntry *entry = parser->entries->pdata[i];

		if (!(entry->flags & G_OPTION_FLAG_HIDDEN))
			helpPrintOption(&lines, entry);
	}
}

/* ---- Units ------------------------------------------------------------- */

/** Append "; --batch and --pause in s", if there are such options. */
static void helpUnit(const struct parser *parser, const char *unit,
		     GString *text)
{
	GPtrArray *names = g_ptr_array_new();

	for (const struct cliNumber *n = parser->command->numbers;
	     n && n->option; n++) {
		const GOptionEntry *entry =
			parserLong(parser, n->option, strlen(n->option));

		if (n->unit && strcmp(n->unit, unit) == 0 && entry &&
		    !(entry->flags & G_OPTION_FLAG_HIDDEN))
			g_ptr_array_add(names, (void *)n->option);
	}
	if (names->len > 0 && text->len > 0)
		g_string_append(text, "; ");
	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, "%s--%s",
				       i == 0                ? ""
				       : i + 1 == names->len ? " and "
							     : ", ",
				       (const char *)names->pdata[i]);
	if (names->len > 0)
		g_string_append_printf(text, " in %s", unit);
	g_ptr_array_unref(names);
}

static void helpUnits(const struct parser *parser, FILE *file, int width)
{
	GString *options = g_string_new(NULL);
	char *text;

	helpUnit(parser, "ms", options);
	helpUnit(parser, "s", options);
	if (options->len > 0) {
		text = g_strdup_printf("Units of durations: " HD_DURATION_UNITS
				       ". Without a unit: %s.",
				       options->str);
		fputc('\n', file);
		helpText(file, width, text);
		g_free(text);
	}
	g_string_free(options, TRUE);
}

void parserHelp(const struct parser *parser, FILE *file)
{
	const struct cliCommand *command = parser->command;
	int width = helpWidth(file);
	struct lines usage = {
		.file = file, .width = width, .column = 2, .indent = 6
	};

	fputs("Usage:\n  ", file);
	helpWords(&usage, command->name, (int)strlen(command->name));
	helpWord(&usage, "[OPTION...]", (int)strlen("[OPTION...]"));
	if (command->arguments)
		helpWords(&usage, command->arguments,
			  (int)strlen(command->arguments));
	helpEnd(&usage);
	if (command->description) {
		fputc('\n', file);
		helpText(file, width, command->description);
	}
	helpOptions(parser, file, width);
	helpUnits(parser, file, width);
	if (command->notes) {
		fputc('\n', file);
		helpText(file, width, command->notes);
	}
}
