/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Arguments before GLib parses them: unknown options, old letters, values.
 */
#include "config.h"

#include <string.h>

#include "cli/errors.h"
#include "cli/nearest.h"
#include "cli/parser.h"

/** The arguments of a command, and those for GLib. */
struct words {
	const struct parser *parser;
	int argc;
	char **argv;
	int next; /**< The one after the current one. */
	GPtrArray *out;
	GPtrArray *last; /**< Words that go behind all other options. */
};

void *parserKeep(void *text)
{
	static GPtrArray *kept;

	if (!kept)
		kept = g_ptr_array_new();
	g_ptr_array_add(kept, text);
	return text;
}

static int prepareUnknown(const struct parser *parser, const char *word)
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
	status = cliUsage(parser->command, CLI_TEXT_UNKNOWN_OPTION "%s", word,
			  ask);
	g_free(ask);
	g_free(name);
	g_ptr_array_unref(known);
	return status;
}

static bool prepareIsWord(const struct cliCommand *command, const char *option,
			  const char *value)
{
	const struct cliWords *words = parserWords(command, option);

	return words && g_strv_contains(words->words, value);
}

/** The option that a letter meant once, if it is meant here. */
static const GOptionEntry *prepareOld(const struct parser *parser, char letter,
				      const char *value)
{
	const struct cliOldLetter *old = parser->command->oldLetters;
	const GOptionEntry *entry;
	bool isMeant;

	while (old && old->option && old->letter != letter)
		old++;
	if (!old || !old->option)
		return NULL;
	entry = parserLong(parser, old->option, strlen(old->option));
	if (!entry || !parserLetter(parser, letter))
		return entry;
	if (!value)
		return NULL;
	isMeant = old->isMeant
			  ? old->isMeant(value)
			  : prepareIsWord(parser->command, old->option, value);
	return isMeant ? entry : NULL;
}

/** Take the next argument as a value; NULL: there is none. */
static const char *prepareTakeNext(struct words *words)
{
	return words->next < words->argc ? words->argv[words->next++] : NULL;
}

/** Add an option with its value; NULL: that is missing. */
static int prepareAdd(struct words *words, const GOptionEntry *entry,
		      const char *value)
{
	int status;

	if (!value)
		return cliUsage(words->parser->command, CLI_TEXT_MISSING_VALUE,
				entry->long_name, entry->arg_description);
	status = parserValue(words->parser, entry, value, &value);
	if (status < 0)
		g_ptr_array_add(words->out,
				parserKeep(g_strdup_printf(
					"--%s=%s", entry->long_name, value)));
	return status;
}

/** Take letters apart: "-qi10" is --quiet and --interval=10. */
static int prepareLetters(struct words *words, const char *word)
{
	const char *next =
		words->next < words->argc ? words->argv[words->next] : NULL;

	for (const char *at = word + 1; *at; at++) {
		const GOptionEntry *entry =
			prepareOld(words->parser, *at, at[1] ? at + 1 : next);

		if (!entry)
			entry = parserLetter(words->parser, *at);
		if (!entry)
			return prepareUnknown(words->parser, word);
		if (parserTakes(entry))
			return prepareAdd(words, entry,
					  at[1] ? at + 1
						: prepareTakeNext(words));
		g_ptr_array_add(words->out, parserKeep(g_strdup_printf(
						    "--%s", entry->long_name)));
	}
	return -1;
}

static int prepareLong(struct words *words, char *word)
{
	const char *equals = strchr(word, '=');
	const GOptionEntry *entry =
		parserLong(words->parser, word + 2, strcspn(word + 2, "="));

	if (!entry || (equals && !parserTakes(entry)))
		return prepareUnknown(words->parser, word);
	/* Glib takes the next argument for a value that was left out, if there
	 * is one: these come last. */
	if (parserTakes(entry) && !equals &&
	    entry->flags & G_OPTION_FLAG_OPTIONAL_ARG) {
		g_ptr_array_add(words->last, word);
		return -1;
	}
	if (!parserTakes(entry) || entry->flags & G_OPTION_FLAG_OPTIONAL_ARG) {
		g_ptr_array_add(words->out, word);
		return -1;
	}
	return prepareAdd(words, entry,
			  equals ? equals + 1 : prepareTakeNext(words));
}

/** Add what was put off. */
static void prepareLast(struct words *words)
{
	for (guint i = 0; i < words->last->len; i++)
		g_ptr_array_add(words->out, words->last->pdata[i]);
	g_ptr_array_set_size(words->last, 0);
}

int parserPrepare(const struct parser *parser, int argc, char **argv,
		  GPtrArray *out)
{
	struct words words = { parser, argc, argv, 1, out, g_ptr_array_new() };
	int status = -1;

	while (status < 0 && words.next < argc) {
		char *word = argv[words.next];

		if (strcmp(word, "--") == 0 ||
		    (parser->command->isPrefix && word[0] != '-')) {
			prepareLast(&words);
			while (words.next < argc)
				g_ptr_array_add(out, argv[words.next++]);
			break;
		}
		words.next++;
		if (word[0] != '-' || !word[1])
			g_ptr_array_add(out, word);
		else if (word[1] == '-')
			status = prepareLong(&words, word);
		else
			status = prepareLetters(&words, word);
	}
	prepareLast(&words);
	g_ptr_array_unref(words.last);
	return status;
}
