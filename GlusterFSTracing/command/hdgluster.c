/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The hdgluster command: finds and runs a subcommand.
 */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "GlusterFSTracing/command/hdgluster.h"
#include "GlusterFSTracing/xlator/label.h"
#include "common/format/projectname.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, summary) { #name, name##Run },
	GLUSTER_COMMANDS(COMMAND)
};

static const struct cliSubcommand subcommands[] = {
#define SUBCOMMAND(name, summary) { #name, summary },
	GLUSTER_COMMANDS(SUBCOMMAND){ NULL, NULL },
};

static struct cliCommand hdgluster = {
	.name = "hdgluster",
	.arguments = "COMMAND [OPTION...] [ARGUMENT...]",
	.description = "Trace GlusterFS layer by layer.",
	.usageStatus = GLUSTER_FAILED,
	.isPrefix = true,
};

char *glusterLabel(const char *text)
{
	char *label = g_strdup(text + strspn(text, "/"));

	hdProjectMakePlain(label);
	return label;
}

char *glusterHost(void)
{
	char name[HD_PROJECT_PATH_MAX];

	hdProjectHost(NULL, name, sizeof(name));
	return g_strdup(name);
}

bool glusterIsWord(const char *text)
{
	return *text && *text != '#' && !strpbrk(text, " \t\r\n\"\\`");
}

int glusterCheckProject(const struct cliCommand *command, const char *project)
{
	if (!project || labelIsProject(project))
		return -1;
	return cliUsage(
		command,
		"--project: invalid name \"%s\"; expected " LABEL_PROJECT_RULE,
		project, LABEL_PROJECT_MAX - 1);
}

static int hdglusterRun(int argc, char **argv)
{
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].run(argc, argv);
	}
	return cliNoSubcommand(&hdgluster, subcommands, argv[0]);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	hdgluster.notes = cliSubcommandsNotes(
		"Commands:\n", subcommands,
		"\n'hdgluster COMMAND --help' describes a command; see also "
		"hdgluster(1).");
	return cliSubcommandsMain(&hdgluster, subcommands, NULL, hdglusterRun,
				  argc, argv);
}
