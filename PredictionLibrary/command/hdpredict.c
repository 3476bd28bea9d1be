/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict: its subcommands, and what they share. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "PredictionLibrary/command/hdpredict.h"

static const struct {
	const char *name, *summary;
	int (*run)(struct predict *predict, int argc, char **argv);
} commands[] = {
#define COMMAND(name, summary) { #name, summary, name##Run },
	PREDICT_COMMANDS(COMMAND)
};

static int complain(const struct predict *predict, const char *hint,
		    const char *format, va_list list)
{
	char *text = g_strdup_vprintf(format, list);

	outSay(stderr, "hdpredict%s%s: %s", predict->command ? " " : "",
	       predict->command ? predict->command : "", text);
	if (hint)
		fprintf(stderr, "Try 'hdpredict%s%s --help'.\n",
			predict->command ? " " : "",
			predict->command ? predict->command : "");
	g_free(text);
	return PREDICT_FAILED;
}

int predictError(const struct predict *predict, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain(predict, NULL, format, list);
	va_end(list);
	return PREDICT_FAILED;
}

int predictUsage(const struct predict *predict, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain(predict, "", format, list);
	va_end(list);
	return PREDICT_FAILED;
}

int predictParse(struct predict *predict, int *argc, char ***argv,
		 const GOptionEntry *entries, const struct predictHelp *help)
{
	GOptionContext *context = g_option_context_new(help->arguments);
	char **copy = g_new0(char *, (gsize)*argc + 1);
	GError *error = NULL;
	int status = -1;

	/* What GLib writes before "[OPTION...]". */
	memcpy(copy, *argv, (gsize)*argc * sizeof(*copy));
	copy[0] = g_strdup_printf("hdpredict %s", predict->command);
	g_set_prgname(copy[0]);
	*argv = copy;
	g_option_context_set_description(context, help->description);
	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, argc, argv, &error)) {
		status = predictUsage(predict, "%s", error->message);
		g_error_free(error);
	} else if (*argc - 1 < help->minArguments) {
		status = predictUsage(predict, "an argument is missing: %s",
				      help->arguments);
	} else if (help->maxArguments >= 0 && *argc - 1 > help->maxArguments) {
		status = predictUsage(predict, "too many arguments: %s",
				      (*argv)[help->maxArguments + 1]);
	}
	g_option_context_free(context);
	return status;
}

void predictTake(const hdPMessage *message, void *data)
{
	struct predict *predict = data;
	uint64_t *count =
		message->isWarning ? &predict->warnings : &predict->errors;
	GString *line;

	if (++*count > PREDICT_SHOWN)
		return;
	line = g_string_new(NULL);
	if (message->file)
		g_string_append_printf(line, "%s:", message->file);
	if (message->line)
		g_string_append_printf(line, "%" PRId64 ":", message->line);
	g_string_append_printf(line, "%s%s: ", line->len ? " " : "",
			       message->isWarning ? "warning" : "error");
	if (message->id)
		g_string_append_printf(line, "%s: ", message->id);
	g_string_append(line, message->text);
	outSay(stderr, "%s", line->str);
	g_string_free(line, TRUE);
}

static void more(uint64_t count, const char *what)
{
	if (count > PREDICT_SHOWN)
		fprintf(stderr,
			"hdpredict: %" PRIu64 " %s in all; the first %d are "
			"shown\n",
			count, what, PREDICT_SHOWN);
}

int predictStatus(struct predict *predict, int ret, const char *what)
{
	more(predict->warnings, "warnings");
	more(predict->errors, "errors");
	predict->warnings = 0;
	if (ret == 0)
		return PREDICT_OK;
	if (ret == -EINVAL && !predict->errors)
		return predictError(predict, "%s: not possible", what);
	if (ret == -EINVAL || ret == -EDEADLK || ret == -ENOSPC)
		return PREDICT_INVALID;
	if (ret != -EBADMSG || !predict->errors)
		predictError(predict, "%s: %s", what, g_strerror(-ret));
	return PREDICT_FAILED;
}

int predictRead(struct predict *predict, const char *graphPath,
		hdPGraph **graph, const char *platformPath,
		hdPPlatform **platform, const char *resourcesPath,
		hdPResources **resources)
{
	int status = PREDICT_OK, ret;

	/* All of them, so that all that is wrong is said; the worst counts. */
	if (graph) {
		ret = hdP_readGraph(graphPath, graph, predictTake, predict);
		status = MAX(status, predictStatus(predict, ret, graphPath));
		predict->errors = 0;
	}
	if (platform) {
		ret = hdP_readPlatform(platformPath, platform, predictTake,
				       predict);
		status = MAX(status, predictStatus(predict, ret, platformPath));
		predict->errors = 0;
	}
	if (resources) {
		ret = hdP_readResources(resourcesPath, resources, predictTake,
					predict);
		status =
			MAX(status, predictStatus(predict, ret, resourcesPath));
		predict->errors = 0;
	}
	return status;
}

int predictChoose(struct predict *predict, const char *option, const char *word,
		  const char *const *words)
{
	GString *all = g_string_new(NULL);

	for (int i = 0; words[i]; i++) {
		if (strcmp(word, words[i]) == 0) {
			g_string_free(all, TRUE);
			return i;
		}
		g_string_append_printf(all, "%s%s", i ? ", " : "", words[i]);
	}
	predictUsage(predict, "%s: \"%s\" is none of: %s", option, word,
		     all->str);
	g_string_free(all, TRUE);
	return -1;
}

int predictWrite(struct predict *predict, const hdPGraph *graph,
		 const char *path, const char *form, const hdPResult *result)
{
	static const char *const forms[] = { "xml", "binary", NULL };
	int number = predictChoose(predict, "--to", form, forms);
	int ret;

	if (number < 0)
		return PREDICT_FAILED;
	ret = hdP_writeGraph(graph, path, number ? HDP_BINARY : HDP_XML,
			     result);
	if (ret < 0)
		return predictError(predict, "%s: %s", path, g_strerror(-ret));
	return PREDICT_OK;
}

int predictFinish(struct predict *predict, int status)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return predictError(predict, "standard output: %s",
				    g_strerror(errno ? errno : EIO));
	return status;
}

static int help(void)
{
	printf("Usage: hdpredict COMMAND [OPTION...] [ARGUMENT...]\n\n"
	       "Predict time, energy and power of a task graph on a platform.\n"
	       "\nCommands:\n");
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	printf("\n'hdpredict COMMAND --help' says more; so does "
	       "hdpredict(1).\n");
	return PREDICT_OK;
}

int main(int argc, char **argv)
{
	struct predict predict = { NULL, 0, 0 };

	setlocale(LC_ALL, "");
	if (argc < 2)
		return predictUsage(&predict, "a command is missing");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return predictFinish(&predict, help());
	if (strcmp(argv[1], "--version") == 0) {
		printf("hdpredict (HDTrace) %s\n", PACKAGE_VERSION);
		return predictFinish(&predict, PREDICT_OK);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[1], commands[i].name) != 0)
			continue;
		predict.command = commands[i].name;
		return predictFinish(
			&predict,
			commands[i].run(&predict, argc - 1, argv + 1));
	}
	return predictUsage(&predict, "there is no command \"%s\"", argv[1]);
}
