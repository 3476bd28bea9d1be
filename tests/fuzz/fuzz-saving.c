/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what hdpower and hdpowerd read. The first byte says of what the
 * rest is: hdpower.conf, a journal, what clients say to the service, what a
 * service says to hdpower, a file of usage, or a list of settings.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerSaving/command/hdpower.h"
#include "PowerSaving/command/plan.h"
#include "PowerSaving/daemon/client.h"
#include "net/logger.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

#define CPU "/sys/devices/system/cpu/cpufreq/policy0/"
#define STEPS 64

/* The machine: a directory. */
static char root[] = "/tmp/hdtrace-fuzz-saving-XXXXXX";
/* Another one, of the service: it keeps its journal open. */
static char serverRoot[sizeof(root) + 8];

static FILE *quiet;

static const struct {
	const char *path, *text;
} files[] = {
	{ "/etc/hdtrace/hdpower.conf", "[user *]\nallow = max_freq\n" },
	{ "/run/hdtrace/hdpower/journal", "" },
	{ CPU "scaling_max_freq", "2400000\n" },
	{ CPU "scaling_min_freq", "800000\n" },
	{ CPU "cpuinfo_max_freq", "2400000\n" },
	{ CPU "cpuinfo_min_freq", "800000\n" },
	{ CPU "scaling_governor", "powersave\n" },
	{ CPU "scaling_available_governors", "performance powersave\n" },
};
enum { CONFIGURATION, JOURNAL, FILES = sizeof(files) / sizeof(files[0]) };

static void putIn(const char *machine, size_t number, const void *bytes,
		  size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s%s", machine, files[number].path);
	for (char *at = path + sizeof(root); *at; at++) {
		if (*at == '/') {
			*at = '\0';
			mkdir(path, 0700);
			*at = '/';
		}
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static void put(size_t number, const void *bytes, size_t size)
{
	putIn(root, number, bytes, size);
}

static void removeMachine(void)
{
	char command[sizeof(root) + 16];

	strcpy(command, "rm -rf ");
	strcat(command, root);
	if (system(command) != 0)
		abort();
}

static void makeMachine(void)
{
	must(mkdtemp(root) != NULL);
	atexit(removeMachine);
	snprintf(serverRoot, sizeof(serverRoot), "%s/server", root);
	for (size_t i = 0; i < FILES; i++) {
		put(i, files[i].text, strlen(files[i].text));
		putIn(serverRoot, i, files[i].text, strlen(files[i].text));
	}
	hdLogSetLevel(hdNetLogger, HD_LOG_NONE);
	quiet = fopen("/dev/null", "we");
	must(quiet != NULL);
}

/* ---- Files --------------------------------------------------------------- */

static void fuzzConfiguration(const uint8_t *data, size_t size)
{
	struct hdSettingValues values = { .of = { [HD_SETTING_RAPL] = "1" } };
	struct permissions permissions;

	put(CONFIGURATION, data, size);
	if (permissionsRead(&permissions, root) == 0) {
		int refused = permissionsRefuse(&permissions, 12345, &values);

		must(refused == -1 || refused == HD_SETTING_RAPL);
		must(permissions.count > 0 || refused == HD_SETTING_RAPL);
	} else {
		must(permissions.count == 0);
	}
	permissionsClear(&permissions);
	put(CONFIGURATION, files[CONFIGURATION].text,
	    strlen(files[CONFIGURATION].text));
}

static void fuzzJournal(const uint8_t *data, size_t size)
{
	struct hdJournalEntry *entries;
	struct hdJournal journal;
	size_t count;

	put(JOURNAL, data, size);
	must(hdJournalLook(root, &entries, &count) == 0);
	for (size_t i = 0; i < count; i++) {
		must(hdSettingKindOf(entries[i].path) >= 0);
		must(!strstr(entries[i].path, ".."));
		must(hdSettingIsValue(entries[i].old));
		must(hdSettingIsValue(entries[i].now));
	}
	free(entries);
	must(hdJournalOpen(&journal, root) == 0);
	must(journal.count == count);
	hdJournalRestoreAll(&journal, NULL, NULL);
	must(hdJournalClean(&journal) == 0);
	hdJournalClose(&journal);
	put(JOURNAL, "", 0);
}

static void fuzzUsage(const uint8_t *data, size_t size)
{
	const struct powerPolicy policies[] = {
		{ .slowdown = 0.1 }, { .isMinTime = true, .limit = 100 }
	};
	const double clocks[] = { 800, 1600, 2400 };
	FILE *own = stderr;
	GPtrArray *usage;

	/* What is said of errors goes nowhere. */
	stderr = quiet;
	usage = powerUsageRead("fuzz", memoryFile(data, size));
	stderr = own;

	for (int i = 0; usage && i < 2; i++) {
		struct powerPlan plan;

		powerPlanMake(usage, &policies[i], clocks, 3, &plan);
		must(plan.count == usage->len);
		for (size_t k = 0; k < plan.count; k++)
			must(plan.phases[k].mhz > 0 && plan.phases[k].time > 0);
		powerPlanClear(&plan);
	}
	if (usage)
		g_ptr_array_unref(usage);
}

static void fuzzSettings(const uint8_t *data, size_t size)
{
	char *text = g_strndup((const char *)data, size), plain[1024];
	struct hdSettingValues values, again;
	const char *why = NULL;

	if (hdSettingsParse(text, &values, &why) == 0) {
		hdSettingsText(&values, plain, sizeof(plain));
		must(hdSettingsParsePlain(plain, &again) == 0);
		for (int i = 0; i < HD_SETTING_KINDS; i++)
			must(strcmp(values.of[i], again.of[i]) == 0);
	} else {
		must(why && *why);
	}
	g_free(text);
}

/* ---- Connections --------------------------------------------------------- */

static struct powerServer *serverBegin(void)
{
	static struct powerServer server;
	static char path[sizeof(root) + 32];

	if (!*path) {
		snprintf(path, sizeof(path), "unix:%s/socket", root);
		must(powerServerOpen(&server, serverRoot, path) == 0);
	}
	return &server;
}

/* All that is answered are lines, and the last one is whole. */
static void checkAnswers(int fd)
{
	static char answers[1 << 20];
	size_t got = 0;
	ssize_t more;

	while ((more = recv(fd, answers + got, sizeof(answers) - got,
			    MSG_DONTWAIT)) > 0)
		got += (size_t)more;
	must(got == 0 || answers[got - 1] == '\n');
	for (size_t i = 0; i < got; i++)
		must(answers[i] != '\0');
}

static void fuzzServer(const uint8_t *data, size_t size)
{
	static const struct sockaddr here = { .sa_family = AF_UNIX };
	struct powerServer *server = serverBegin();
	int fds[2];

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
			fds) == 0);
	size = size < 16384 ? size : 16384;
	must(send(fds[1], data, size, MSG_NOSIGNAL) == (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
	powerClientOpen(server, fds[0], &here);
	for (int i = 0; i < STEPS && server->clients; i++)
		hdLoopStep(&server->loop, 0);
	checkAnswers(fds[1]);
	close(fds[1]);
	while (server->clients)
		powerClientClose(server->clients);
	while (server->dead) {
		struct powerClient *client = server->dead;

		server->dead = client->next;
		powerClientFree(client);
	}
	/* A lease ends with its client. */
	must(!server->leases.first && server->leases.journal.count == 0);
	must(server->places.admitted == 0);
}

static void takeLine(void *context, const char *line)
{
	(void)context;
	must(line && !strchr(line, '\n'));
}

static void fuzzClient(const uint8_t *data, size_t size)
{
	struct powerLink link = { .in = g_string_new(NULL) };
	char *error = NULL;
	int fds[2], ret;

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	link.fd = fds[0];
	size = size < 16384 ? size : 16384;
	must(send(fds[1], data, size, MSG_NOSIGNAL) == (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
	ret = powerLinkAsk(&link, "status", takeLine, NULL, &error);
	must(ret <= 0 && (ret == -EREMOTEIO) == (error != NULL));
	g_free(error);
	powerLinkClose(&link);
	close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(const uint8_t *, size_t) = {
		fuzzConfiguration, fuzzJournal, fuzzServer,
		fuzzClient,        fuzzUsage,   fuzzSettings,
	};
	static bool isMade;

	if (!isMade)
		makeMachine();
	isMade = true;
	if (size > 0)
		targets[data[0] % G_N_ELEMENTS(targets)](data + 1, size - 1);
	return 0;
}
