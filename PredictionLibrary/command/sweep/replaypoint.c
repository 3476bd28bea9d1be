/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A point of a sweep that is a replay: the command itself runs it, since
 * SimGrid and the directory of a replay belong to one process. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/sweep/point.h"

/* It ends with us, and takes its directory away. */
static void replayPointSetup(gpointer data)
{
	(void)data;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static char *replayPointFactor(double factor)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	return g_strdup(g_ascii_dtostr(text, sizeof(text), factor));
}

static GPtrArray *replayPointWords(const struct setting *setting)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
	char *factors[3] = { replayPointFactor(setting->cpu),
			     replayPointFactor(setting->bandwidth),
			     replayPointFactor(setting->latency) };

	g_ptr_array_add(words, g_strdup("/proc/self/exe"));
	g_ptr_array_add(words, g_strdup("replay"));
	g_ptr_array_add(words, g_strdup("--format=json"));
	g_ptr_array_add(words,
			g_strconcat("--platform=", setting->platform, NULL));
	g_ptr_array_add(
		words, g_strdup_printf("--scale=cpu=%s,bandwidth=%s,latency=%s",
				       factors[0], factors[1], factors[2]));
	g_ptr_array_add(words,
			g_strconcat("--waiting=",
				    setting->waiting ? "idle" : "busy", NULL));
	if (setting->ranks)
		g_ptr_array_add(words,
				g_strconcat("--ranks=", setting->ranks, NULL));
	if (setting->powerModel)
		g_ptr_array_add(words, g_strconcat("--power-model=",
						   setting->powerModel, NULL));
	g_ptr_array_add(words, g_strdup("--"));
	g_ptr_array_add(words, g_strdup(setting->run));
	g_ptr_array_add(words, NULL);
	for (int i = 0; i < 3; i++)
		g_free(factors[i]);
	return words;
}

/* A number of the document itself, not of what is in it; NaN: null. */
static double replayPointNumber(const char *json, const char *key)
{
	char *start = g_strdup_printf("\n  \"%s\": ", key), *end;
	const char *found = strstr(json, start);
	double number = NAN;

	if (found) {
		found += strlen(start);
		number = g_ascii_strtod(found, &end);
		if (end == found)
			number = NAN;
	}
	g_free(start);
	return number;
}

/* All points are of one run: what the first one leaves out is printed. */
static void replayPointWarn(char *errors)
{
	static const char name[] = "hdpredict replay: ";
	static gint isDone;
	char *line;

	if (!g_atomic_int_compare_and_exchange(&isDone, 0, 1))
		return;
	while ((line = strsep(&errors, "\n"))) {
		if (g_str_has_prefix(line, name) &&
		    g_str_has_prefix(line + strlen(name), PREDICT_WARNING))
			fprintf(stderr, "hdpredict sweep: %s\n",
				line + strlen(name));
	}
}

/* The first line of the errors that is no warning, without the name of the
 * command. */
static char *replayPointWhy(char *errors)
{
	static const char name[] = "hdpredict replay: ";
	char *line;

	while ((line = strsep(&errors, "\n"))) {
		if (g_str_has_prefix(line, name))
			line += strlen(name);
		if (*line && !g_str_has_prefix(line, PREDICT_WARNING))
			return g_strdup(line);
	}
	return g_strdup("the replay failed");
}

int replayPointRun(const struct setting *setting, double values[POINT_VALUES],
		   char **wrong)
{
	GPtrArray *words = replayPointWords(setting);
	char *output = NULL, *errors = NULL;
	GError *error = NULL;
	int state = 0, ret = 0;

	if (!g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_DEFAULT,
			  replayPointSetup, NULL, &output, &errors, &state,
			  &error)) {
		*wrong = g_strdup(error->message);
		g_error_free(error);
		ret = -EIO;
	} else if (WIFEXITED(state) && WEXITSTATUS(state) == 0) {
		values[POINT_TIME] = replayPointNumber(output, "time_s");
		values[POINT_TOTAL] = replayPointNumber(output, "energy_j");
		replayPointWarn(errors);
	} else {
		*wrong = replayPointWhy(errors);
		/* The run or the platform: other points may be right. */
		ret = WIFEXITED(state) && WEXITSTATUS(state) == 1 ? 0 : -EIO;
	}
	g_ptr_array_unref(words);
	g_free(output);
	g_free(errors);
	return ret;
}
