/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdgluster volfile, hdgluster filter: the translator in volume files. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "GlusterFSTracing/command/hdgluster.h"
#include "GlusterFSTracing/command/places.h"
#include "GlusterFSTracing/xlator/label.h"
#include "cli/errors.h"
#include "cli/output.h"

struct change {
	char *project, *directory, *node, *layers;
	char **extra; /* KEY=VALUE */
	gboolean isRemoval, isQuiet;
	bool isFilter; /* A file without places is left as it is. */
	const struct cliCommand *command;
};

static void changeClear(struct change *change)
{
	g_free(change->project);
	g_free(change->directory);
	g_free(change->node);
	g_free(change->layers);
	g_strfreev(change->extra);
}

static void volfileReport(const struct change *change, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

static void volfileReport(const struct change *change, const char *format, ...)
{
	va_list list;
	char *text;

	if (change->isQuiet)
		return;
	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	outSay(stderr, "hdgluster: %s", text);
	g_free(text);
}

static int volfileFail(int status, const char *path, const char *text)
{
	outSay(stderr, "hdgluster: %s: %s", path, text);
	return status;
}

/* ---- Nodes ----------------------------------------------------------------
 */

/* The bricks of a volume of glusterd have storages of one name; the name of
 * their path tells them apart. */
static const char *brickPath(const struct volume *storage)
{
	for (const struct volume *i = storage; i->above->len == 1;) {
		i = g_ptr_array_index(i->above, 0);
		if (volumeIs(i, "debug/io-stats") && i->name.text[0] == '/')
			return i->name.text;
	}
	return NULL;
}

/* The lowest volume below a place, or the top where there are several. */
static char *idOf(const struct volumes *volumes, const struct place *place)
{
	const struct volume *lowest = place->below->lowest;
	const char *path = lowest ? brickPath(lowest) : NULL;
	char *whole = g_strdup_printf("%s%s",
				      lowest ? lowest->name.text
					     : volumesTop(volumes)->name.text,
				      path ? path : "");
	char *id = glusterLabel(whole);

	g_free(whole);
	return id;
}

/* The translator takes no longer ones: these have a sum in their middle, so
 * that they still differ. Takes the label. */
static char *shortened(char *label)
{
	const int kept = 40;
	char *sum, *result;

	if (strlen(label) < LABEL_GIVEN_MAX)
		return label;
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, label, -1);
	result = g_strdup_printf("%.*s-%.8s-%s", kept, label, sum,
				 label + strlen(label) - kept);
	g_free(sum);
	g_free(label);
	return result;
}

static void nameNodes(const struct change *change,
		      const struct volumes *volumes, struct places *places)
{
	char *host = glusterHost();
	char *node = change->node ? glusterLabel(change->node) : NULL;
	/* By the lowest volume, and each once. */
	GHashTable *found = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	GHashTable *ids = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < places->all->len; i++) {
		const struct place *place = g_ptr_array_index(places->all, i);
		gpointer lowest = (gpointer)place->below->lowest;

		if (!g_hash_table_contains(found, lowest))
			g_hash_table_insert(found, lowest,
					    idOf(volumes, place));
		g_hash_table_add(ids, g_hash_table_lookup(found, lowest));
	}
	for (guint i = 0; i < places->all->len; i++) {
		struct place *place = g_ptr_array_index(places->all, i);
		const char *id =
			g_hash_table_lookup(found, place->below->lowest);

		if (node &&
		    (g_hash_table_size(ids) == 1 || !place->below->lowest))
			place->node = g_strdup(node);
		else
			place->node = g_strdup_printf("%s-%s",
						      node ? node : host, id);
		place->node = shortened(place->node);
	}
	g_hash_table_unref(ids);
	g_hash_table_unref(found);
	g_free(node);
	g_free(host);
}

/* ---- Changing -------------------------------------------------------------
 */

static char *volfileOptionsText(const struct change *change)
{
	GString *out = g_string_new(NULL);
	char *directory = g_canonicalize_filename(
		change->directory ? change->directory : ".", NULL);

	g_string_append_printf(out, "    option project %s\n",
			       change->project ? change->project : "gluster");
	g_string_append_printf(out, "    option directory %s\n", directory);
	for (char **i = change->extra; i && *i; i++) {
		char *value = strchr(*i, '=');

		g_string_append_printf(out, "    option %.*s %s\n",
				       (int)(value - *i), *i, value + 1);
	}
	g_free(directory);
	return g_string_free(out, FALSE);
}

static void sayPlaces(const struct change *change, const struct places *places)
{
	for (guint i = 0; i < places->all->len; i++) {
		const struct place *place = g_ptr_array_index(places->all, i);
		const struct volume *of =
			place->above && strcmp(place->what, "below") == 0
				? place->above
				: place->below;

		volfileReport(change, "%s%s%s %s %s (%s), node %s",
			      place->layer, place->side ? " " : "",
			      place->side ? place->side : "", place->what,
			      of->name.text, of->type.text, place->node);
		if (place->takesName)
			volfileReport(change,
				      "%s takes the name \"%s\", which clients "
				      "request; "
				      "that volume is now \"%s.hdtrace\"",
				      place->layer, place->name, place->name);
	}
	for (guint i = 0; i < places->missing->len; i++) {
		const struct placeMissing *missing =
			&g_array_index(places->missing, struct placeMissing, i);

		volfileReport(change, "no %s: %s", missing->layer,
			      missing->why);
	}
}

/* Parse a text, which is taken. */
static struct volumes *volfileParse(const char *path, char *text)
{
	char *why = NULL;
	struct volumes *volumes = volumesParse(text, strlen(text), &why);

	if (!volumes) {
		outSay(stderr, "hdgluster: %s:%s", path, why);
		g_free(why);
	}
	return volumes;
}

/* The text without translators of ours, or NULL. */
static char *cleaned(const char *path, char *text, guint *count)
{
	struct volumes *volumes = volfileParse(path, text);
	char *why = NULL, *result;

	if (!volumes)
		return NULL;
	result = placesRemove(volumes, count, &why);
	volumesFree(volumes);
	if (!result) {
		outSay(stderr, "hdgluster: %s:%s", path, why);
		g_free(why);
	}
	return result;
}

static char *written(const struct change *change, const char *path, char *text)
{
	struct volumes *volumes = volfileParse(path, text);
	char **layers =
		change->layers ? g_strsplit(change->layers, ",", 0) : NULL;
	struct places *places;
	char *options, *result = NULL;

	if (!volumes) {
		g_strfreev(layers);
		return NULL;
	}
	places = placesFind(volumes, layers);
	nameNodes(change, volumes, places);
	if (places->all->len) {
		options = volfileOptionsText(change);
		result = placesWrite(volumes, places, options);
		sayPlaces(change, places);
		g_free(options);
	} else if (change->isFilter) {
		volfileReport(
			change,
			"%s: no place for a translator; file left unchanged",
			path);
		result = g_strdup(volumes->text);
	} else {
		volfileFail(0, path, "no place for a translator");
	}
	placesFree(places);
	volumesFree(volumes);
	g_strfreev(layers);
	return result;
}

/* What a volume file becomes, or NULL: what is wrong was said. The text is
 * taken. */
static char *volfileChangedText(const struct change *change, const char *path,
				char *text)
{
	guint count;
	char *clean = cleaned(path, text, &count);

	if (!clean)
		return NULL;
	if (change->isRemoval || count > 0)
		volfileReport(change, "removed %u HDTrace translators", count);
	return change->isRemoval ? clean : written(change, path, clean);
}

/* ---- Files ----------------------------------------------------------------
 */

char *volfileTrace(const char *project, const char *directory, const char *node,
		   char *text)
{
	const struct change change = {
		.project = (char *)project,
		.directory = (char *)directory,
		.node = (char *)node,
		.isQuiet = TRUE,
	};

	return volfileChangedText(&change, "volume", text);
}

/* Read a file, or "-"; NULL after a message, with the status. */
static char *volfileReadFile(const char *path, int *status)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	GString *text = g_string_new(NULL);
	char part[65536];
	size_t size;
	int error = file ? 0 : errno;

	*status = GLUSTER_FAILED;
	while (file && (size = fread(part, 1, sizeof(part), file)) > 0 &&
	       text->len <= VOLUMES_MAX)
		g_string_append_len(text, part, (gssize)size);
	if (file && ferror(file))
		error = errno;
	if (file && file != stdin)
		fclose(file);
	if (error) {
		cliErrorRead("hdgluster", path, error);
	} else if (text->len > VOLUMES_MAX) {
		volfileFail(0, path, "file exceeds the size limit");
	} else if (strlen(text->str) != text->len) {
		*status = volfileFail(GLUSTER_WRONG, path, "not a text file");
	} else {
		return g_string_free(text, FALSE);
	}
	g_string_free(text, TRUE);
	return NULL;
}

/* Also of the current directory, which is the default. */
static int checkDirectory(const struct change *change)
{
	char *directory = g_canonicalize_filename(
		change->directory ? change->directory : ".", NULL);
	int status = -1;

	if (!glusterIsWord(directory) && !change->isRemoval)
		status = cliUsage(change->command,
				  "--directory: invalid value \"%s\"; blanks "
				  "and quotes are not valid in volume files",
				  directory);
	g_free(directory);
	return status;
}

static int checkWords(const struct change *change)
{
	if (change->node && (!glusterIsWord(change->node) ||
			     !change->node[strspn(change->node, "/")]))
		return cliUsage(change->command,
				"--node: invalid value \"%s\"; blanks and "
				"quotes are not valid in volume files",
				change->node);
	for (char **i = change->extra; i && *i; i++) {
		const char *value = strchr(*i, '=');

		if (!value || value == *i || !glusterIsWord(*i) ||
		    !glusterIsWord(value + 1))
			return cliErrorValue(change->command, "option", *i,
					     "KEY=VALUE");
	}
	return checkDirectory(change);
}

static int checkLayers(const struct change *change)
{
	char **layers =
		change->layers ? g_strsplit(change->layers, ",", 0) : NULL;
	int status = -1;

	for (char **i = layers; status < 0 && i && *i; i++) {
		if (!placesHasLayer(*i))
			status = cliErrorValue(
				change->command, "layers", *i,
				"CLIENT, FLOW, BMI, REQ, BREQ or TROVE");
	}
	g_strfreev(layers);
	return status;
}

static int volfileCheck(const struct change *change, int argc, char **argv)
{
	int status;

	if (argc < 2)
		return cliErrorMissing(change->command, "FILE");
	if (argc > 2)
		return cliErrorUnexpected(change->command, argv[2]);
	if (change->isRemoval &&
	    (change->project || change->directory || change->node ||
	     change->layers || change->extra))
		return cliUsage(change->command,
				"--remove: cannot be combined with other "
				"options");
	status = checkWords(change);
	if (status < 0)
		status = glusterCheckProject(change->command, change->project);
	return status >= 0 ? status : checkLayers(change);
}

static const char *const layerWords[] = { "CLIENT", "FLOW",  "BMI", "REQ",
					  "BREQ",   "TROVE", NULL };
static const struct cliWords words[] = {
	{ "layers", layerWords, true },
	{ NULL, NULL, false },
};

/* Parse the options; -1: go on. */
static int parseOptions(struct change *change, int *argc, char ***argv)
{
	const GOptionEntry entries[] = {
		{ "project", 'p', 0, G_OPTION_ARG_STRING, &change->project,
		  "Name of the project (default: gluster)", "NAME" },
		{ "directory", 0, 0, G_OPTION_ARG_FILENAME, &change->directory,
		  "Directory of the project (default: the current directory)",
		  "DIRECTORY" },
		{ "node", 'n', 0, G_OPTION_ARG_STRING, &change->node,
		  "Name of the node (default: HOST-ID, where ID is the name of "
		  "the lowest volume)",
		  "NAME" },
		{ "layers", 0, 0, G_OPTION_ARG_STRING, &change->layers,
		  "Select only these layers: CLIENT,FLOW,BMI,REQ,BREQ,TROVE",
		  "LIST" },
		{ "option", 0, 0, G_OPTION_ARG_STRING_ARRAY, &change->extra,
		  "Set another option of the translator, repeatable",
		  "KEY=VALUE" },
		{ "remove", 0, 0, G_OPTION_ARG_NONE, &change->isRemoval,
		  "Remove the translators and restore the original file",
		  NULL },
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &change->isQuiet,
		  "Print no summary", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	int status = cliParse(change->command, lists, argc, argv);

	return status >= 0 ? status : volfileCheck(change, *argc, *argv);
}

int volfileRun(int argc, char **argv)
{
	static const struct cliCommand command = {
		.name = "hdgluster volfile",
		.arguments = "FILE",
		.description =
			"Print a GlusterFS volume file with an HDTrace "
			"translator at each layer. Everything else in the file "
			"stays unchanged. \"-\" reads standard input.",
		.notes = "Examples:\n"
			 "  hdgluster volfile --project=run brick.vol "
			 ">traced.vol\n"
			 "  hdgluster volfile --remove traced.vol >brick.vol",
		.usageStatus = GLUSTER_FAILED,
		.words = words,
	};
	struct change change = { .command = &command };
	int status = parseOptions(&change, &argc, &argv);
	char *text;

	if (status < 0) {
		text = volfileReadFile(argv[1], &status);
		if (text) {
			text = volfileChangedText(&change, argv[1], text);
			status = GLUSTER_WRONG;
		}
		if (text) {
			fputs(text, stdout);
			status = cliFinish(&command);
		}
		g_free(text);
	}
	changeClear(&change);
	return status;
}

/* ---- Files of glusterd ----------------------------------------------------
 */

/* Whether a file is of a brick, or of what a mount asks for; others are of the
 * daemons that heal, rebalance and so on, which are left alone. A mount may
 * have no translators for performance, but then has the name of one. */
static bool isTraced(const struct volumes *volumes, const char *path)
{
	return volumesHave(volumes, "protocol/server") ||
	       volumesHave(volumes, "performance/") ||
	       g_str_has_suffix(path, "-fuse.vol");
}

static int volfileWriteFile(const char *path, const char *text)
{
	GError *error = NULL;
	struct stat about;
	int status = GLUSTER_OK;

	/* As it is of glusterd's, who reads passwords in it. */
	if (stat(path, &about) < 0)
		about.st_mode = 0600;
	if (!g_file_set_contents_full(path, text, -1,
				      G_FILE_SET_CONTENTS_CONSISTENT,
				      about.st_mode & 0777, &error)) {
		status = volfileFail(GLUSTER_FAILED, path, error->message);
		g_error_free(error);
	}
	return status;
}

static int filterFile(const struct change *change, const char *path)
{
	int status;
	char *text = volfileReadFile(path, &status), *result;
	struct volumes *volumes;
	bool wanted;

	if (!text)
		return status;
	volumes = volfileParse(path, g_strdup(text));
	wanted = volumes && (change->isRemoval || isTraced(volumes, path));
	if (volumes && !wanted && !change->isQuiet)
		outSay(stderr,
		       "hdgluster: %s: neither a brick nor a mount "
		       "(NAME-fuse.vol); file left unchanged",
		       path);
	status = volumes ? GLUSTER_OK : GLUSTER_WRONG;
	volumesFree(volumes);
	if (!wanted) {
		g_free(text);
		return status;
	}
	result = volfileChangedText(change, path, text);
	status = result ? volfileWriteFile(path, result) : GLUSTER_WRONG;
	g_free(result);
	return status;
}

int filterRun(int argc, char **argv)
{
	static const struct cliCommand command = {
		.name = "hdgluster filter",
		.arguments = "FILE",
		.description =
			"Add translators to a volume file in place, if it "
			"belongs to a brick or a mount. This command is for "
			"scripts in the filter directory of glusterd.",
		.notes = "hdgluster(1) describes the setup, the cost and the "
			 "removal.\n\n"
			 "Examples:\n"
			 "  hdgluster filter --option=enable=none brick.vol\n"
			 "  hdgluster filter --quiet --layers=REQ,TROVE "
			 "brick.vol",
		.usageStatus = GLUSTER_FAILED,
		.words = words,
	};
	struct change change = { .command = &command, .isFilter = true };
	int status = parseOptions(&change, &argc, &argv);

	if (status < 0)
		status = filterFile(&change, argv[1]);
	changeClear(&change);
	return status;
}
