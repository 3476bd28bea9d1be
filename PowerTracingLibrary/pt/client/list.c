/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which devices can be traced, and which of them are here. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/client/core/explain.h"
#include "PowerTracingLibrary/pt/core/ptcommand.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "cli/output.h"

/* What was printed of a driver. */
struct listing {
	FILE *file;
	gboolean isFirst;
};

static void listHere(void *context, const char *label, const char *description,
		     bool works)
{
	struct listing *listing = context;

	const char *title = listing->isFirst ? "inputs" : "";

	/* A label of "-" says why there is none. */
	if (strcmp(label, "-") == 0)
		outSay(listing->file, "  %-9s none: %s", title, description);
	else
		outSay(listing->file, "  %-9s %-20s %s%s", title, label,
		       description, works ? "" : " (not usable)");
	listing->isFirst = FALSE;
}

static void listCycle(FILE *file, const struct ptDriver *driver)
{
	const char *who =
		driver->timing == PT_TIMED_BY_METER ? "the meter" : "this host";

	fprintf(file, "  %-9s %g", "cycle", driver->minCycleMs);
	if (driver->maxCycleMs > driver->minCycleMs)
		fprintf(file, " to %g", driver->maxCycleMs);
	fprintf(file, " ms, determined by %s\n", who);
}

/* Keys of [Trace] that say what raw numbers mean. */
static void listScales(FILE *file, const struct ptDriver *driver)
{
	static const struct {
		enum ptScaleTerm term;
		const char *text;
	} terms[] = {
		{ PT_SCALE_VOLTAGE, " voltage=" },
		{ PT_SCALE_SLOPE, " slope=" },
		{ PT_SCALE_OFFSET, " offset=" },
	};

	if (!driver->scales)
		return;
	fprintf(file, "  %-9s", "scale");
	for (size_t i = 0; i < G_N_ELEMENTS(terms); i++)
		if (driver->scales & terms[i].term)
			fputs(terms[i].text, file);
	fputc('\n', file);
}

static void listDriver(FILE *file, const struct ptDriver *driver,
		       const struct ptSetup *setup)
{
	struct listing listing = { file, TRUE };
	const char *title = "values";

	fprintf(file, "%s: %s\n", driver->name, driver->description);
	listCycle(file, driver);
	if (driver->addressForm)
		fprintf(file, "  %-9s %s\n", "port", driver->addressForm);
	for (const struct ptQuantity *q = driver->quantities; q->name; q++) {
		fprintf(file, "  %-9s %-10s %-4s %s\n", title, q->name,
			q->unit && *q->unit ? q->unit : "-", q->description);
		title = "";
	}
	listScales(file, driver);
	title = "options";
	for (const char *const *o = driver->options; o && *o; o++) {
		fprintf(file, "  %-9s %s\n", title, *o);
		title = "";
	}
	if (!driver->list)
		return;
	driver->list(setup, listHere, &listing);
	if (listing.isFirst)
		fprintf(file, "%-9s none on this machine\n", "inputs");
}

void listPrint(FILE *file, const char *root)
{
	static const char *const none[] = { NULL };

	for (const struct ptDriver *const *d = ptDrivers; *d; d++) {
		const struct ptSetup setup = {
			.cycleNs = (int64_t)((*d)->minCycleMs * 1e6),
			.root = root,
			.wakeFd = -1,
			.options = none,
		};

		if (d != ptDrivers)
			fputc('\n', file);
		listDriver(file, *d, &setup);
	}
}

static const struct cliCommand command = {
	.name = "pt list",
	.description = "List the supported devices and the meters of this "
		       "machine, as pt --list does.",
	.notes = "Examples:\n"
		 "  pt list --explain\n"
		 "  pt list --explain --root=TREE\n\n"
		 "Exit status: 0, or 2 after a usage error.",
	.usageStatus = 2,
};

int commandList(int argc, char **argv)
{
	gboolean isExplained = FALSE;
	char *root = NULL;
	const GOptionEntry entries[] = {
		{ "explain", 0, 0, G_OPTION_ARG_NONE, &isExplained,
		  "List the inputs that make up the power of the node, with "
		  "reasons",
		  NULL },
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &root,
		  "Read /sys and /proc below DIR, such as a copy of another "
		  "machine",
		  "DIR" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int result = cliParse(&command, lists, &argc, &argv);

	if (result < 0 && argc > 1)
		result = cliErrorUnexpected(&command, argv[1]);
	if (result < 0 && cliErrorRoot(command.name, root))
		result = command.usageStatus;
	if (result < 0) {
		(isExplained ? ptExplain : listPrint)(stdout, root ? root : "");
		result = cliFinish(&command);
	}
	g_free(root);
	return result;
}
