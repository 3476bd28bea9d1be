/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hosts of a platform, as SimGrid itself reads it: its library is opened in
 * a process of its own, since it ends the process if a platform is wrong. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/replay/links.h"

static const char *const machineLibraries[] = { "libsimgrid.so.3.32",
						"libsimgrid.so" };

static bool machineOpen(struct machineApi *api)
{
	const struct {
		const char *name;
		void *place; /* A pointer to a function. */
	} all[] = {
		{ "sg_version_get", &api->version },
		{ "simgrid_init", &api->init },
		{ "simgrid_load_platform", &api->load },
		{ "sg_host_count", &api->count },
		{ "sg_host_list", &api->list },
		{ "sg_host_get_name", &api->name },
		{ "sg_host_get_pstate_speed", &api->speedOf },
		{ "sg_host_core_count", &api->cores },
		{ "sg_host_get_pstate", &api->pstate },
		{ "sg_host_get_property_value", &api->property },
		{ "sg_host_by_name", &api->byName },
		{ "sg_host_get_nb_pstates", &api->states },
		{ "sg_host_get_route", &api->route },
		{ "sg_host_get_route_latency", &api->routeLatency },
		{ "sg_link_get_name", &api->linkName },
		{ "sg_link_get_bandwidth", &api->linkBandwidth },
		{ "sg_link_get_latency", &api->linkLatency },
		{ "sg_link_is_shared", &api->linkIsShared },
		{ "xbt_dynar_new", &api->dynarNew },
		{ "xbt_dynar_reset", &api->dynarReset },
		{ "xbt_dynar_length", &api->dynarLength },
		{ "xbt_dynar_get_ptr", &api->dynarGet },
	};
	void *library = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(machineLibraries) && !library; i++)
		library = dlopen(machineLibraries[i], RTLD_NOW);
	if (!library)
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		void *function = dlsym(library, all[i].name);

		if (!function)
			return false;
		memcpy(all[i].place, &function, sizeof(function));
	}
	*(void **)&api->options = dlsym(library, "smpi_init_options");
	return true;
}

/* Print what is known of hosts, for machineTakeLine(). */
static int machinePrint(const struct machineApi *api, const struct replay *self)
{
	size_t count = api->count();
	void **hosts = api->list();
	int version[3] = { 0, 0, 0 };

	(void)self;
	api->version(&version[0], &version[1], &version[2]);
	printf("version\t%d.%d\n", version[0], version[1]);
	for (size_t i = 0; i < count; i++) {
		const char *watts =
			api->property(hosts[i], "wattage_per_state");

		if (!watts)
			watts = api->property(hosts[i], "watt_per_state");
		printf("host\t%.17g\t%.17g\t%d\t%lu\t%s\t%s\n",
		       api->speedOf(hosts[i], 0),
		       api->speedOf(hosts[i], api->pstate(hosts[i])),
		       api->cores(hosts[i]), api->pstate(hosts[i]),
		       watts ? watts : "", api->name(hosts[i]));
	}
	return 0;
}

static void machineRun(const struct replay *self, const char *output,
		       int (*run)(const struct machineApi *api,
				  const struct replay *self))
{
	char name[] = "hdpredict";
	char option[] = "--log=root.fmt:%m%n";
	char *words[] = { name, option, NULL };
	struct machineApi api;
	int count = 2, status;

	if (chdir(self->place) != 0 || !freopen(output, "we", stdout) ||
	    !freopen("log", "we", stderr))
		_exit(126);
	/* It ends by abort() after it has written why. */
	setvbuf(stderr, NULL, _IONBF, 0);
	if (!machineOpen(&api))
		_exit(127);
	/* It reads numbers. */
	setenv("LC_ALL", "C", 1);
	api.init(&count, words);
	/* A platform may have a <config> with some. */
	if (api.options)
		api.options();
	api.load("platform.xml");
	status = run(&api, self);
	fflush(stdout);
	_exit(ferror(stdout) ? 126 : status);
}

int machineInChild(struct replay *self, const char *output,
		   int (*run)(const struct machineApi *api,
			      const struct replay *self))
{
	int state = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		machineRun(self, output, run);
	if (pid < 0)
		return -1;
	workdirChild(pid);
	while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
		;
	workdirChild(0);
	return state;
}

/* Watts of a state: IDLE:EPSILON:ALL, IDLE:ALL, or one for all. */
static struct replayWatts machineWatts(const char *text, gint64 state)
{
	char **states = g_strsplit(text, ",", -1);
	struct replayWatts watts = { .isKnown = false };
	double numbers[3] = { 0, 0, 0 };
	guint count = 0;
	char **parts;

	if (*text && state < (gint64)g_strv_length(states)) {
		parts = g_strsplit(states[state], ":", -1);
		for (; parts[count] && count < 3; count++) {
			char *end;

			numbers[count] = g_ascii_strtod(parts[count], &end);
			if (end == parts[count] || !isfinite(numbers[count]))
				break;
		}
		watts.isKnown = count > 0 && !parts[count];
		g_strfreev(parts);
	}
	g_strfreev(states);
	watts.idle = numbers[0];
	watts.epsilon = count > 2 ? numbers[1] : numbers[0];
	watts.all = count > 0 ? numbers[count - 1] : 0;
	return watts;
}

static void machineTakeLine(struct replay *self, char **fields, double cpu)
{
	struct replayHost host = { .name = NULL };
	guint count = g_strv_length(fields);
	double first;

	if (count == 2 && strcmp(fields[0], "version") == 0)
		self->version = g_strdup(fields[1]);
	if (count != 7 || strcmp(fields[0], "host") != 0)
		return;
	first = g_ascii_strtod(fields[1], NULL);
	host.speed = g_ascii_strtod(fields[2], NULL);
	host.clock = first > 0 ? host.speed / first * cpu : cpu;
	host.cores = MAX(g_ascii_strtoll(fields[3], NULL, 10), 1);
	host.watts =
		machineWatts(fields[5], g_ascii_strtoll(fields[4], NULL, 10));
	host.watts.isKnown |= self->model != NULL;
	host.name = g_strdup(fields[6]);
	g_array_append_val(self->hosts, host);
}

static int machineByName(const void *a, const void *b)
{
	const struct replayHost *x = a, *y = b;
	size_t i = strlen(x->name), k = strlen(y->name);

	/* n2 comes before n10. */
	return i != k ? (i > k) - (i < k) : strcmp(x->name, y->name);
}

static void machineReadHosts(struct replay *self, double cpu)
{
	char *path = replayFile(self, "hosts"), *text = NULL;
	char **lines;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		lines = g_strsplit(text, "\n", -1);
		for (char **line = lines; *line; line++) {
			char **fields = g_strsplit(*line, "\t", 7);

			machineTakeLine(self, fields, cpu);
			g_strfreev(fields);
		}
		g_strfreev(lines);
	}
	g_free(text);
	g_free(path);
	g_array_sort(self->hosts, machineByName);
}

/* Why SimGrid does not read the platform: the first line that says it. */
static int machineSayWrong(const struct replay *self)
{
	char *path = replayFile(self, "log"), *text = NULL;
	char **lines = NULL;
	const char *reason = "unknown reason";

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		lines = g_strsplit(text, "\n", -1);
		for (char **line = lines; *line; line++) {
			if (!**line || g_str_has_prefix(*line, "Configuration"))
				continue;
			reason = *line;
			break;
		}
	}
	predictError(self->predict, "platform: SimGrid cannot read it: %s",
		     reason);
	g_strfreev(lines);
	g_free(text);
	g_free(path);
	return PREDICT_INVALID;
}

int machineFind(struct replay *self, double cpu)
{
	int state = machineInChild(self, "hosts", machinePrint);

	if (state == -1)
		return predictError(self->predict, "fork: %s",
				    g_strerror(errno));
	if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
		return predictError(self->predict,
				    "SimGrid is missing or too old (tried: "
				    "%s); install the Debian package "
				    "libsimgrid-dev",
				    REPLAY_TRIED);
	machineReadHosts(self, cpu);
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
		return machineSayWrong(self);
	if (self->hosts->len == 0) {
		predictError(self->predict, "platform: has no hosts");
		return PREDICT_INVALID;
	}
	if (g_strcmp0(self->version, REPLAY_TRIED) != 0)
		outSay(stderr,
		       "hdpredict replay: warning: SimGrid %s was not tried; "
		       "tried: %s",
		       self->version, REPLAY_TRIED);
	return PREDICT_OK;
}

/* ---- Hosts of ranks ---------------------------------------------------- */

static void machinePut(struct replay *self, size_t rank, guint host)
{
	self->ranks[rank].host = host;
	replayHostAt(self, host)->ranks++;
}

/* As many to each as it has cores, or more if these are too few. */
static void machinePlaceBlock(struct replay *self)
{
	size_t all = 0, rounds, rank = 0;

	for (guint i = 0; i < self->hosts->len; i++)
		all += (size_t)replayHostAt(self, i)->cores;
	rounds = (self->count + all - 1) / all;
	for (guint i = 0; i < self->hosts->len; i++) {
		size_t fits = (size_t)replayHostAt(self, i)->cores * rounds;

		for (; fits > 0 && rank < self->count; fits--)
			machinePut(self, rank++, i);
	}
}

static void machinePlaceCyclic(struct replay *self)
{
	for (size_t i = 0; i < self->count; i++)
		machinePut(self, i, (guint)(i % self->hosts->len));
}

static int machinePlaceLine(struct replay *self, const char *path, size_t rank,
			    const char *name)
{
	for (guint i = 0; i < self->hosts->len; i++) {
		if (strcmp(replayHostAt(self, i)->name, name) != 0)
			continue;
		machinePut(self, rank, i);
		return PREDICT_OK;
	}
	predictError(self->predict,
		     "%s: line %zu: the platform has no host \"%s\"", path,
		     rank + 1, name);
	return PREDICT_INVALID;
}

/* As in the run. */
static int machinePlaceOwn(struct replay *self)
{
	int status = PREDICT_OK;

	for (size_t i = 0; i < self->count && status == PREDICT_OK; i++)
		status = machinePlaceLine(self, self->project->file, i,
					  self->ownHosts->pdata[i]);
	return status;
}

static int machinePlaceFile(struct replay *self, const char *path)
{
	char *text = NULL;
	GError *error = NULL;
	int status = PREDICT_OK;
	size_t rank = 0;
	char **lines;

	if (!g_file_get_contents(path, &text, NULL, &error)) {
		status = predictError(self->predict,
				      "--ranks: %s is not block, cyclic or a "
				      "file: %s",
				      path, error->message);
		g_error_free(error);
		return status;
	}
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line && status == PREDICT_OK; line++) {
		if (*g_strstrip(*line) && rank < self->count)
			status = machinePlaceLine(self, path, rank++, *line);
	}
	if (status == PREDICT_OK && rank < self->count) {
		predictError(self->predict, "%s: has hosts of %zu ranks of %zu",
			     path, rank, self->count);
		status = PREDICT_INVALID;
	}
	g_strfreev(lines);
	g_free(text);
	return status;
}

static int machineWriteHosts(const struct replay *self)
{
	char *path = replayFile(self, "hostfile");
	FILE *file = fopen(path, "we");
	int status = PREDICT_OK;

	for (size_t i = 0; file && i < self->count; i++)
		fprintf(file, "%s\n",
			replayHostAt(self, self->ranks[i].host)->name);
	if (!file || ferror(file) | (fclose(file) != 0))
		status = predictErrorWrite(self->predict, path, errno);
	g_free(path);
	return status;
}

int machinePlace(struct replay *self, const char *how)
{
	int status = PREDICT_OK;

	if (!how && self->ownHosts)
		status = machinePlaceOwn(self);
	else if (!how || strcmp(how, "block") == 0)
		machinePlaceBlock(self);
	else if (strcmp(how, "cyclic") == 0)
		machinePlaceCyclic(self);
	else
		status = machinePlaceFile(self, how);
	return status == PREDICT_OK ? machineWriteHosts(self) : status;
}
