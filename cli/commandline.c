/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Options of commands.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/errors.h"
#include "cli/nearest.h"
#include "cli/output.h"
#include "cli/parser.h"

/* ---- Messages ---------------------------------------------------------- */

static int optionsSay(const struct cliCommand *command, const char *text)
{
	outSay(stderr, "%s: %s", command->name, text);
	fprintf(stderr, "Try '%s --help'.\n", command->name);
	return command->usageStatus;
}

int cliUsage(const struct cliCommand *command, const char *format, ...)
{
	va_list arguments;
	char *text;
	int status;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	status = optionsSay(command, text);
	g_free(text);
	return status;
}

int cliFinish(const struct cliCommand *command)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	/* A reader that closes the pipe has all that it needs. */
	if (errno != EPIPE)
		cliErrorWrite(command->name, CLI_STDOUT, errno ? errno : EIO);
	return command->usageStatus;
}

/** "a, b or c" */
static char *optionsList(const char *const *words)
{
	GString *text = g_string_new(words[0]);

	for (size_t i = 1; words[i]; i++)
		g_string_append_printf(text, "%s%s",
				       words[i + 1] ? ", " : " or ", words[i]);
	return g_string_free(text, FALSE);
}

/* ---- Words ------------------------------------------------------------- */

const struct cliWords *parserWords(const struct cliCommand *command,
				   const char *option)
{
	for (const struct cliWords *w = command->words; w && w->option; w++) {
		if (strcmp(w->option, option) == 0)
			return w;
	}
	return NULL;
}

int cliChoose(const struct cliCommand *command, const char *option,
	      const char *word, int *index)
{
	const struct cliWords *words = parserWords(command, option);
	char *list;
	int status;

	for (*index = 0; words->words[*index]; (*index)++) {
		if (!word || strcmp(word, words->words[*index]) == 0)
			return -1;
	}
	list = optionsList(words->words);
	status = cliErrorValue(command, option, word, list);
	g_free(list);
	return status;
}

/* ---- Subcommands ------------------------------------------------------- */

int cliNoSubcommand(const struct cliCommand *command,
		    const struct cliSubcommand *list, const char *word)
{
	GPtrArray *known = g_ptr_array_new();
	const char *nearest;
	int status;

	for (; list->name; list++)
		g_ptr_array_add(known, (void *)list->name);
	nearest = cliNearest(word, known);
	status = cliUsage(command, CLI_TEXT_UNKNOWN_COMMAND "%s%s%s", word,
			  nearest ? "; did you mean \"" : "",
			  nearest ? nearest : "", nearest ? "\"?" : "");
	g_ptr_array_unref(known);
	return status;
}

const char *cliSubcommandsNotes(const char *before,
				const struct cliSubcommand *list,
				const char *after)
{
	static char text[4096];
	GString *out = g_string_new(before);
	size_t width = 0;

	for (const struct cliSubcommand *s = list; s->name; s++)
		width = MAX(width, strlen(s->name));
	for (const struct cliSubcommand *s = list; s->name; s++)
		g_string_append_printf(out, "  %-*s  %s\n", (int)width, s->name,
				       s->summary);
	g_string_append(out, after);
	g_strlcpy(text, out->str, sizeof(text));
	g_string_free(out, TRUE);
	return text;
}

int cliSubcommandsDump(const struct cliSubcommand *list, const char *more,
		       cliRun *run)
{
	int status = 0;

	for (size_t i = 0; list[i].name; i++)
		printf("subcommand\t%s\t%s\n", list[i].name, list[i].summary);
	if (more)
		puts(more);
	for (size_t i = 0; status == 0 && list[i].name; i++) {
		char *argv[] = { (char *)list[i].name, (char *)"--dump-options",
				 NULL };

		status = run(2, argv);
	}
	return status;
}

int cliSubcommandsMain(const struct cliCommand *command,
		       const struct cliSubcommand *list, const char *more,
		       cliRun *run, int argc, char **argv)
{
	static const GOptionEntry none[] = {
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { none, NULL };
	bool wantsDump = argc > 1 && strcmp(argv[1], "--dump-options") == 0;
	struct cliCommand parsed = *command;
	int status;

	parsed.needsArguments = true;
	status = cliParse(&parsed, lists, &argc, &argv);

	if (status == 0 && wantsDump)
		return cliSubcommandsDump(list, more, run);
	if (status >= 0)
		return status;
	if (argc < 2)
		return cliErrorMissing(command, "COMMAND");
	return run(argc - 1, argv + 1);
}

/* ---- Tables of options ------------------------------------------------- */

bool parserTakes(const GOptionEntry *entry)
{
	return entry->arg != G_OPTION_ARG_NONE &&
	       !(entry->arg == G_OPTION_ARG_CALLBACK &&
		 entry->flags & G_OPTION_FLAG_NO_ARG);
}

const GOptionEntry *parserLong(const struct parser *parser, const char *name,
			       size_t length)
{
	for (guint i = 0; i < parser->entries->len; i++) {
		const GOptionEntry *entry = parser->entries->pdata[i];

		if (strlen(entry->long_name) == length &&
		    strncmp(entry->long_name, name, length) == 0)
			return entry;
	}
	return NULL;
}

const GOptionEntry *parserLetter(const struct parser *parser, char letter)
{
	for (guint i = 0; i < parser->entries->len; i++) {
		const GOptionEntry *entry = parser->entries->pdata[i];

		if (entry->short_name == letter)
			return entry;
	}
	return NULL;
}

/* ---- For shells -------------------------------------------------------- */

/** What a shell offers for the argument of an option. */
static const char *optionsKind(const struct cliCommand *command,
			       const GOptionEntry *entry)
{
	const struct cliWords *words = parserWords(command, entry->long_name);
	const char *text = entry->arg_description;

	if (!parserTakes(entry))
		return "none";
	if (words)
		return words->isList ? "list" : "words";
	if (g_strcmp0(text, "FILE") == 0 || g_strcmp0(text, "PATH") == 0 ||
	    strcmp(entry->long_name, "project") == 0)
		return "file";
	if (g_strcmp0(text, "DIR") == 0 || g_strcmp0(text, "DIRECTORY") == 0)
		return "directory";
	return g_strcmp0(text, "PID") == 0 ? "pid" : "text";
}

/** Print the table: fields are separated by tabs. */
static void optionsDump(const struct parser *parser)
{
	const struct cliCommand *command = parser->command;

	printf("command\t%s\t%s\t%s\n", command->name,
	       command->isPrefix ? "prefix" : "plain",
	       command->arguments ? command->arguments : "");
	for (guint i = 0; i < parser->entries->len; i++) {
		const GOptionEntry *entry = parser->entries->pdata[i];
		const struct cliWords *words =
			parserWords(command, entry->long_name);

		if (entry->flags & G_OPTION_FLAG_HIDDEN)
			continue;
		printf("option\t%s\t%c\t%s\t%s\t", entry->long_name,
		       entry->short_name ? entry->short_name : '-',
		       optionsKind(command, entry),
		       entry->arg_description ? entry->arg_description : "");
		for (size_t j = 0; words && words->words[j]; j++)
			printf("%s%s", j ? " " : "", words->words[j]);
		printf("\t%s\n", entry->description);
	}
}

/* ---- Parsing ----------------------------------------------------------- */

/** Let GLib parse; -1, or the exit status. */
static int optionsRun(const struct parser *parser, GOptionContext *context,
		      GPtrArray *words, int *argc, char ***argv)
{
	GError *error = NULL;
	int status = -1;

	/* As --help shows it. */
	g_set_prgname(parser->command->name);
	g_ptr_array_add(words, NULL);
	*argc = (int)words->len - 1;
	*argv = parserKeep(g_malloc(words->len * sizeof(**argv)));
	memcpy(*argv, words->pdata, words->len * sizeof(**argv));
	if (!g_option_context_parse(context, argc, argv, &error)) {
		status = cliUsage(parser->command, "%s", error->message);
		g_error_free(error);
	} else if (parser->wantsHelp) {
		parserHelp(parser, stdout);
		status = cliFinish(parser->command);
	} else if (parser->wantsVersion) {
		printf("%s " PACKAGE_VERSION "\n%s", parser->command->name,
		       parser->command->build ? parser->command->build : "");
		status = cliFinish(parser->command);
	} else if (parser->wantsDump) {
		optionsDump(parser);
		status = cliFinish(parser->command);
	} else if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
		/* GOption leaves it in place. */
		(*argv)[1] = (*argv)[0];
		(*argv)++;
		(*argc)--;
	}
	return status;
}

int cliParse(const struct cliCommand *command, const GOptionEntry *const *lists,
	     int *argc, char ***argv)
{
	struct parser parser = { .command = command };
	const GOptionEntry common[] = {
		{ "help", 'h', 0, G_OPTION_ARG_NONE, &parser.wantsHelp,
		  "Print this help", NULL },
		{ "version", 0, 0, G_OPTION_ARG_NONE, &parser.wantsVersion,
		  "Print the version", NULL },
		{ "dump-options", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,
		  &parser.wantsDump, "Print this table, for completions",
		  NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	GOptionContext *context = g_option_context_new(command->arguments);
	GPtrArray *words = g_ptr_array_new();
	int status;

	parser.entries = g_ptr_array_new();
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_strict_posix(context, command->isPrefix);
	for (; *lists; lists++) {
		g_option_context_add_main_entries(context, *lists, NULL);
		for (const GOptionEntry *e = *lists; e->long_name; e++)
			g_ptr_array_add(parser.entries, (void *)e);
	}
	g_option_context_add_main_entries(context, common, NULL);
	for (const GOptionEntry *e = common; e->long_name; e++)
		g_ptr_array_add(parser.entries, (void *)e);
	g_ptr_array_add(words, (*argv)[0]);
	if (command->needsArguments && *argc < 2) {
		parserHelp(&parser, stderr);
		status = command->usageStatus;
		goto end;
	}
	status = parserPrepare(&parser, *argc, *argv, words);
	if (status < 0)
		status = optionsRun(&parser, context, words, argc, argv);
end:
	g_option_context_free(context);
	g_ptr_array_unref(words);
	g_ptr_array_unref(parser.entries);
	return status;
}
