/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict: its subcommands, and what they share. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "cli/precision.h"

static const struct {
	const char *name, *summary;
	int (*run)(struct predict *predict, int argc, char **argv);
} commands[] = {
#define COMMAND(name, summary) { #name, summary, name##Run },
	PREDICT_COMMANDS(COMMAND){ PREDICT_COMPARE, predictCompareRun },
	{ PREDICT_REPLAY, predictReplayRun },
	{ PREDICT_CALIBRATE, predictCalibrateRun },
};

static const struct cliSubcommand subcommands[] = {
#define SUBCOMMAND(name, summary) { #name, summary },
	PREDICT_COMMANDS(SUBCOMMAND){ PREDICT_COMPARE },
	{ PREDICT_REPLAY },
	{ PREDICT_CALIBRATE },
	{ NULL, NULL },
};

static int hdpredictReportError(const struct predict *predict, const char *hint,
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
	hdpredictReportError(predict, NULL, format, list);
	va_end(list);
	return PREDICT_FAILED;
}

int predictUsage(const struct predict *predict, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	hdpredictReportError(predict, "", format, list);
	va_end(list);
	return PREDICT_FAILED;
}

int predictParse(struct predict *predict, int *argc, char ***argv,
		 const GOptionEntry *entries, const struct predictHelp *help)
{
	static char name[64];
	static struct cliCommand command;
	const GOptionEntry *lists[] = { entries,
					help->hasNumbers ? cliPrecision : NULL,
					NULL };
	int status;

	g_snprintf(name, sizeof(name), "hdpredict %s", predict->command);
	command = (struct cliCommand){
		.name = name,
		.arguments = help->arguments,
		.description = help->description,
		.notes = help->notes,
		.usageStatus = PREDICT_FAILED,
		.numbers = help->numbers,
	};
	status = cliParse(&command, lists, argc, argv);
	cliProgressInit(&predict->progress, false);
	for (const GOptionEntry *i = entries; i->long_name; i++) {
		if (i->arg == G_OPTION_ARG_STRING ||
		    i->arg == G_OPTION_ARG_FILENAME)
			g_ptr_array_add(predict->texts, *(char **)i->arg_data);
	}
	if (status < 0 && *argc - 1 < help->minArguments)
		status = predictMissing(
			predict, cliArgumentName(help->arguments, *argc - 1));
	if (status < 0 && help->maxArguments >= 0 &&
	    *argc - 1 > help->maxArguments)
		status = predictUnexpected(predict,
					   (*argv)[help->maxArguments + 1]);
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
	cliProgressHide(&predict->progress);
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

void predictShow(uint64_t done, void *data)
{
	struct predict *predict = data;

	cliProgressAt(&predict->progress, (int64_t)done);
}

static void more(uint64_t count, const char *what)
{
	if (count > PREDICT_SHOWN)
		fprintf(stderr,
			"hdpredict: %" PRIu64 " %s; only the first %d are "
			"shown\n",
			count, what, PREDICT_SHOWN);
}

int predictStatus(struct predict *predict, int ret, const char *what)
{
	cliProgressEnd(&predict->progress);
	more(predict->warnings, "warnings");
	more(predict->errors, "errors");
	predict->warnings = 0;
	if (ret == 0)
		return PREDICT_OK;
	if (ret == -EINVAL && !predict->errors)
		return predictError(predict, "%s: invalid model", what);
	/* Without a message it is not the model: a disk is full, say. */
	if (predict->errors && (ret == -EINVAL || ret == -EDEADLK ||
				ret == -ENOSPC || ret == -ERANGE))
		return PREDICT_INVALID;
	if (ret != -EBADMSG || !predict->errors)
		predictError(predict, "%s: %s", what, g_strerror(-ret));
	return PREDICT_FAILED;
}

/* Bytes of a file; 0: unknown, as for a pipe. */
static int64_t hdpredictSizeOf(const char *path)
{
	struct stat about;
	int ret = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &about)
					 : stat(path, &about);

	return ret == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

int predictOpens(const struct predict *predict, const char *path)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO
					: open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return predictErrorOpen(predict, path, errno);
	if (fd != STDIN_FILENO)
		close(fd);
	return PREDICT_OK;
}

/* As predictStatus(), for a model that was read from a file: the worse status.
 */
static int readStatus(struct predict *predict, int status, int ret,
		      const char *path)
{
	int found;

	if (ret == 0 || ret == -EINVAL || ret == -EBADMSG || predict->errors) {
		found = predictStatus(predict, ret, path);
	} else {
		cliProgressEnd(&predict->progress);
		found = ret == -ENOENT || ret == -EACCES || ret == -ENOTDIR
				? predictErrorOpen(predict, path, ret)
				: predictErrorRead(predict, path, ret);
	}
	predict->errors = 0;
	return MAX(status, found);
}

int predictRead(struct predict *predict, const char *graphPath,
		hdPGraph **graph, const char *platformPath,
		hdPPlatform **platform, const char *resourcesPath,
		hdPResources **resources)
{
	int status = PREDICT_OK, ret;

	/* All of them, so that all problems are reported; the worst counts. */
	if (graph) {
		cliProgressStart(&predict->progress,
				 hdpredictSizeOf(graphPath));
		ret = hdP_readGraphTelling(graphPath, graph, predictShow,
					   predict, predictTake, predict);
		status = readStatus(predict, status, ret, graphPath);
	}
	if (platform) {
		ret = hdP_readPlatform(platformPath, platform, predictTake,
				       predict);
		status = readStatus(predict, status, ret, platformPath);
	}
	if (resources) {
		ret = hdP_readResources(resourcesPath, resources, predictTake,
					predict);
		status = readStatus(predict, status, ret, resourcesPath);
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
		g_string_append_printf(all, "%s%s",
				       i == 0         ? ""
				       : words[i + 1] ? ", "
						      : " or ",
				       words[i]);
	}
	predictUsage(predict, CLI_TEXT_VALUE_OF, option, word, all->str);
	g_string_free(all, TRUE);
	return -1;
}

int predictFinish(struct predict *predict, int status)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return predictErrorWrite(predict, CLI_STDOUT,
					 errno ? errno : EIO);
	return status;
}

static struct cliCommand hdpredict = {
	.name = "hdpredict",
	.arguments = "COMMAND [OPTION...] [ARGUMENT...]",
	.description = "Predict time, energy and power of a task graph on a "
		       "platform.",
	.usageStatus = PREDICT_FAILED,
	.isPrefix = true,
};

static int hdpredictRun(int argc, char **argv)
{
	struct predict predict = { NULL, 0, 0, NULL };
	int status;

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[0], commands[i].name) != 0)
			continue;
		predict.command = commands[i].name;
		predict.texts = g_ptr_array_new_with_free_func(g_free);
		status = predictFinish(&predict,
				       commands[i].run(&predict, argc, argv));
		g_ptr_array_unref(predict.texts);
		return status;
	}
	return cliNoSubcommand(&hdpredict, subcommands, argv[0]);
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	/* Times are those of a simulation: no clock is read for them. */
	unsetenv("HDTRACE_CLOCK");
	hdpredict.notes = cliSubcommandsNotes(
		"Commands:\n", subcommands,
		"\nSee 'hdpredict COMMAND --help' and hdpredict(1) for "
		"details.");
	return cliSubcommandsMain(&hdpredict, subcommands, NULL, hdpredictRun,
				  argc, argv);
}
