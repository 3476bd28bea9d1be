/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Options of commands.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/nearest.h"
#include "cli/options.h"
#include "cli/output.h"

/** Tables of options that are searched, and those that all commands have. */
struct parser {
	const struct cliCommand *command;
	GPtrArray *entries; /**< const GOptionEntry * */
	gboolean wantsHelp;
	gboolean wantsVersion;
	gboolean wantsDump;
};

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
	/* Who reads our output and goes away has seen enough. */
	if (errno != EPIPE)
		outSay(stderr, "%s: cannot write the output: %s", command->name,
		       errno ? strerror(errno) : "write error");
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

static const struct cliWords *optionsWords(const struct cliCommand *command,
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
	const struct cliWords *words = optionsWords(command, option);
	GPtrArray *known = g_ptr_array_new();
	char *list = optionsList(words->words);
	char *ask;
	int status = -1;

	for (*index = 0; words->words[*index]; (*index)++) {
		if (!word || strcmp(word, words->words[*index]) == 0)
			break;
		g_ptr_array_add(known, (void *)words->words[*index]);
	}
	ask = cliNearestAsk(word ? word : "", "", known);
	if (!words->words[*index])
		status = cliUsage(command, "--%s: not %s: \"%s\"%s", option,
				  list, word, ask);
	g_free(ask);
	g_free(list);
	g_ptr_array_unref(known);
	return status;
}

/* ---- Subcommands ------------------------------------------------------- */

int cliNoSubcommand(const struct cliCommand *command,
		    const struct cliSubcommand *list, const char *word)
{
	GPtrArray *known = g_ptr_array_new();
	bool isOption = word[0] == '-';
	char *ask;
	int status;

	for (; !isOption && list->name; list++)
		g_ptr_array_add(known, (void *)list->name);
	if (isOption) {
		g_ptr_array_add(known, (void *)"help");
		g_ptr_array_add(known, (void *)"version");
		ask = cliNearestAsk(word + strspn(word, "-"), "--", known);
	} else {
		ask = cliNearestAsk(word, "", known);
	}
	status = cliUsage(command, "no such %s: \"%s\"%s",
			  isOption ? "option" : "command", word, ask);
	g_free(ask);
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
	int status = cliParse(command, lists, &argc, &argv);

	if (status == 0 && wantsDump)
		return cliSubcommandsDump(list, more, run);
	if (status >= 0)
		return status;
	if (argc < 2)
		return cliUsage(command, "COMMAND is missing");
	return run(argc - 1, argv + 1);
}

/* ---- Tables of options ------------------------------------------------- */

static bool optionsTakes(const GOptionEntry *entry)
{
	return entry->arg != G_OPTION_ARG_NONE &&
	       !(entry->arg == G_OPTION_ARG_CALLBACK &&
		 entry->flags & G_OPTION_FLAG_NO_ARG);
}

static const GOptionEntry *optionsLong(const struct parser *parser,
				       const char *name, size_t length)
{
	for (guint i = 0; i < parser->entries->len; i++) {
		const GOptionEntry *entry = parser->entries->pdata[i];

		if (strlen(entry->long_name) == length &&
		    strncmp(entry->long_name, name, length) == 0)
			return entry;
	}
	return NULL;
}

static const GOptionEntry *optionsLetter(const struct parser *parser,
					 char letter)
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
	const struct cliWords *words = optionsWords(command, entry->long_name);
	const char *text = entry->arg_description;

	if (!optionsTakes(entry))
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
			optionsWords(command, entry->long_name);

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

/* ---- Before GLib sees them --------------------------------------------- */

/** Arguments that are made stay as long as the process. */
static void *optionsKeep(void *text)
{
	static GPtrArray *kept;

	if (!kept)
		kept = g_ptr_array_new();
	g_ptr_array_add(kept, text);
	return text;
}

static int optionsNone(const struct parser *parser, const char *word)
{
	GPtrArray *known = g_ptr_array_new();
	const char *start = word + strspn(word, "-");
	char *name = g_strndup(start, strcspn(start, "="));
	char *ask;
	int status;

	for (guint i = 0; i < parser->entries->len; i++) {
		const GOptionEntry *entry = parser->entries->pdata[i];

		if (!(entry->flags & G_OPTION_FLAG_HIDDEN))
			g_ptr_array_add(known, (void *)entry->long_name);
	}
	ask = cliNearestAsk(strlen(name) > 1 ? name : "", "--", known);
	status = cliUsage(parser->command, "no such option: \"%s\"%s", word,
			  ask);
	g_free(ask);
	g_free(name);
	g_ptr_array_unref(known);
	return status;
}

static bool optionsIsWord(const struct cliCommand *command, const char *option,
			  const char *value)
{
	const struct cliWords *words = optionsWords(command, option);

	return words && g_strv_contains(words->words, value);
}

/** The option that a letter meant once, if it is meant here. */
static const char *optionsOld(const struct parser *parser, char letter,
			      const char *value)
{
	const struct cliOldLetter *old = parser->command->oldLetters;

	while (old && old->option && old->letter != letter)
		old++;
	if (!old || !old->option ||
	    !optionsLong(parser, old->option, strlen(old->option)))
		return NULL;
	if (!optionsLetter(parser, letter))
		return old->option;
	if (!value)
		return NULL;
	if (old->isMeant)
		return old->isMeant(value) ? old->option : NULL;
	return optionsIsWord(parser->command, old->option, value) ? old->option
								  : NULL;
}

/**
 * Take letters apart, "-abc": old ones become long options.
 *
 * @param next The argument after them, or NULL.
 *
 * @retval 0 They were added to out.
 * @retval 1 The next argument, too.
 * @retval -1 A letter is none.
 */
static int optionsTakeLetters(const struct parser *parser, const char *word,
			      char *next, GPtrArray *out)
{
	GString *letters = g_string_new("-");
	bool tookNext = false;
	int ret = 0;

	for (const char *at = word + 1; *at && ret == 0; at++) {
		const char *value = at[1] ? at + 1 : next;
		const char *old = optionsOld(parser, *at, value);
		const GOptionEntry *entry = optionsLetter(parser, *at);

		if (old) {
			entry = optionsLong(parser, old, strlen(old));
			if (letters->len > 1)
				g_ptr_array_add(out, optionsKeep(g_strdup(
							     letters->str)));
			g_string_assign(letters, "-");
			g_ptr_array_add(
				out,
				optionsKeep(optionsTakes(entry) && value
						    ? g_strdup_printf("--%s=%s",
								      old,
								      value)
						    : g_strdup_printf("--%s",
								      old)));
		} else if (entry) {
			g_string_append_c(letters, *at);
		} else {
			ret = -1;
		}
		if (ret < 0 || !optionsTakes(entry))
			continue;
		/* The rest is its argument, or the next word is. */
		tookNext = !at[1] && next;
		if (!old)
			g_string_append(letters, at + 1);
		if (tookNext && old)
			next = NULL;
		break;
	}
	if (letters->len > 1)
		g_ptr_array_add(out, optionsKeep(g_strdup(letters->str)));
	if (tookNext && next)
		g_ptr_array_add(out, next);
	g_string_free(letters, TRUE);
	return ret < 0 ? ret : tookNext;
}

/** Make arguments that GLib takes; -1, or the exit status. */
static int optionsPrepare(const struct parser *parser, int argc, char **argv,
			  GPtrArray *out)
{
	for (int i = 1; i < argc; i++) {
		char *word = argv[i];
		char *next = i + 1 < argc ? argv[i + 1] : NULL;
		const GOptionEntry *entry;
		int ret = 0;

		if (strcmp(word, "--") == 0 ||
		    (parser->command->isPrefix && word[0] != '-')) {
			while (i < argc)
				g_ptr_array_add(out, argv[i++]);
			break;
		}
		if (word[0] != '-' || !word[1]) {
			g_ptr_array_add(out, word);
			continue;
		}
		if (word[1] != '-') {
			ret = optionsTakeLetters(parser, word, next, out);
			if (ret < 0)
				return optionsNone(parser, word);
			i += ret;
			continue;
		}
		entry = optionsLong(parser, word + 2, strcspn(word + 2, "="));
		if (!entry || (strchr(word, '=') && !optionsTakes(entry)))
			return optionsNone(parser, word);
		g_ptr_array_add(out, word);
		if (next && optionsTakes(entry) && !strchr(word, '=')) {
			g_ptr_array_add(out, next);
			i++;
		}
	}
	return -1;
}

/* ---- Parsing ----------------------------------------------------------- */

static void optionsPrintHelp(GOptionContext *context, const char *notes)
{
	char *text = g_option_context_get_help(context, TRUE, NULL);
	/* GLib writes the ellipsis in UTF-8, whatever the terminal takes. */
	char **parts = g_strsplit(text, "\342\200\246", -1);
	char *plain = g_strjoinv("...", parts);

	fputs(plain, stdout);
	if (notes)
		printf("%s\n", notes);
	g_free(plain);
	g_strfreev(parts);
	g_free(text);
}

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
	*argv = optionsKeep(g_malloc(words->len * sizeof(**argv)));
	memcpy(*argv, words->pdata, words->len * sizeof(**argv));
	if (!g_option_context_parse(context, argc, argv, &error)) {
		status = cliUsage(parser->command, "%s", error->message);
		g_error_free(error);
	} else if (parser->wantsHelp) {
		optionsPrintHelp(context, parser->command->notes);
		status = cliFinish(parser->command);
	} else if (parser->wantsVersion) {
		printf("%s " PACKAGE_VERSION "\n", parser->command->name);
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
	g_option_context_set_summary(context, command->description);
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
	status = optionsPrepare(&parser, *argc, *argv, words);
	if (status < 0)
		status = optionsRun(&parser, context, words, argc, argv);
	g_option_context_free(context);
	g_ptr_array_unref(words);
	g_ptr_array_unref(parser.entries);
	return status;
}
