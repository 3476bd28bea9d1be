/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdnode advise: what nodes are, as lines of Slurm's slurm.conf.
 *
 * Features are what jobs may ask for: the architecture, the vendor, extensions
 * of the instruction set, kinds of disks, the speed of the network, GPUs. The
 * weight is what a node is worth, so that Slurm, which takes the lowest first,
 * keeps large nodes for jobs that need them: 1 a thread, 1 for each 4 GiB, 100
 * a GPU.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "NodeStatus/command/hdnode.h"
#include "cli/output.h"

#define GPU_WEIGHT 100
#define GIGABIT (1000 * INT64_C(1000000))
#define GIB_OF_A_POINT 4

static const struct cliNumber numbers[] = {
	{ "timeout", CLI_ABOVE_ZERO, 86400, "s" },
	{ NULL, 0, 0, NULL },
};

static const struct cliCommand command = {
	.name = "hdnode advise",
	.arguments = "[HOST[:PORT]...]",
	.description = "Print nodes as lines of slurm.conf (Slurm), with "
		       "features and weights that match their hardware.",
	.notes = "Exit status: 0 all nodes answered, 1 some did not, 2 usage "
		 "error.\n\n"
		 "Examples:\n"
		 "  hdnode advise node01 node02\n"
		 "  hdnode advise --token=tokens --nodes=nodes.txt "
		 ">>slurm.conf",
	.usageStatus = NODE_FAILED,
	.numbers = numbers,
};

/* Extensions of the instruction set that programs are built for. */
static const char *const extensions[] = { "avx2",  "avx512f", "amx_tile",
					  "asimd", "sve",     "sve2" };

static json_int_t adviseNumberOf(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *adviseTextOf(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Add a feature, once; what Slurm would take for an operator becomes '-'. */
static void addFeature(GPtrArray *features, const char *text)
{
	char *name = g_ascii_strdown(text, -1);

	g_strcanon(name, G_CSET_a_2_z G_CSET_DIGITS "_.-", '-');
	if (*name && !g_ptr_array_find_with_equal_func(features, name,
						       g_str_equal, NULL))
		g_ptr_array_add(features, name);
	else
		g_free(name);
}

static bool hasFlag(const json_t *capabilities, const char *flag)
{
	const json_t *flags = json_object_get(capabilities, "flags");
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)flags, i, one)
	{
		const char *text = json_string_value(one);

		if (text && strcmp(text, flag) == 0)
			return true;
	}
	return false;
}

static void addVendor(GPtrArray *features, const json_t *capabilities)
{
	const char *vendor = adviseTextOf(capabilities, "vendor");

	if (strcmp(vendor, "GenuineIntel") == 0)
		vendor = "intel";
	else if (strcmp(vendor, "AuthenticAMD") == 0)
		vendor = "amd";
	if (!g_str_has_prefix(vendor, "0x"))
		addFeature(features, vendor);
}

static void addDisks(GPtrArray *features, const json_t *capabilities)
{
	const json_t *disk;
	size_t i;

	json_array_foreach(json_object_get(capabilities, "disks"), i, disk)
	{
		const json_t *rotates = json_object_get(disk, "rotates");

		if (json_is_boolean(rotates))
			addFeature(features,
				   json_is_true(rotates) ? "hdd" : "ssd");
	}
}

/* The speed of the fastest interface. */
static void addNetwork(GPtrArray *features, const json_t *capabilities)
{
	json_int_t fastest = 0;
	const json_t *nic;
	char *text;
	size_t i;

	json_array_foreach(json_object_get(capabilities, "nics"), i, nic)
	{
		if (json_is_true(json_object_get(nic, "is_hardware")))
			fastest =
				MAX(fastest, adviseNumberOf(nic, "bits_per_s"));
	}
	if (fastest < GIGABIT)
		return;
	text = g_strdup_printf("net%" JSON_INTEGER_FORMAT "g",
			       fastest / GIGABIT);
	addFeature(features, text);
	g_free(text);
}

static GPtrArray *featuresOf(const json_t *capabilities)
{
	GPtrArray *features = g_ptr_array_new_with_free_func(g_free);

	addFeature(features, adviseTextOf(capabilities, "architecture"));
	addVendor(features, capabilities);
	for (size_t i = 0; i < G_N_ELEMENTS(extensions); i++)
		if (hasFlag(capabilities, extensions[i]))
			addFeature(features, extensions[i]);
	addDisks(features, capabilities);
	addNetwork(features, capabilities);
	if (json_array_size(json_object_get(capabilities, "gpus")) > 0)
		addFeature(features, "gpu");
	if (json_is_true(json_object_get(capabilities, "is_virtual")))
		addFeature(features, "virtual");
	return features;
}

/* Slurm wants a product that is the number of CPUs. */
static void addCpus(GString *line, const json_t *capabilities)
{
	json_int_t cpus = adviseNumberOf(capabilities, "cpus");
	json_int_t sockets = adviseNumberOf(capabilities, "packages");
	json_int_t cores = adviseNumberOf(capabilities, "cores");
	json_int_t threads = adviseNumberOf(capabilities, "threads_per_core");

	g_string_append_printf(line, " CPUs=%" JSON_INTEGER_FORMAT, cpus);
	if (sockets < 1 || threads < 1 || cores % sockets != 0 ||
	    cores * threads != cpus)
		return;
	g_string_append_printf(line,
			       " Sockets=%" JSON_INTEGER_FORMAT
			       " CoresPerSocket=%" JSON_INTEGER_FORMAT
			       " ThreadsPerCore=%" JSON_INTEGER_FORMAT,
			       sockets, cores / sockets, threads);
}

static void advisePrintNode(const char *name, const json_t *capabilities)
{
	json_int_t memory = adviseNumberOf(capabilities, "memory_bytes");
	json_int_t gpus = (json_int_t)json_array_size(
		json_object_get(capabilities, "gpus"));
	json_int_t weight = adviseNumberOf(capabilities, "cpus") +
			    memory / (GIB_OF_A_POINT * INT64_C(1073741824)) +
			    GPU_WEIGHT * gpus;
	GPtrArray *features = featuresOf(capabilities);
	GString *line = g_string_new("NodeName=");
	char *list;

	g_string_append(line, name);
	addCpus(line, capabilities);
	g_string_append_printf(line, " RealMemory=%" JSON_INTEGER_FORMAT,
			       memory / 1048576);
	if (gpus > 0)
		g_string_append_printf(line, " Gres=gpu:%" JSON_INTEGER_FORMAT,
				       gpus);
	g_ptr_array_add(features, NULL);
	list = g_strjoinv(",", (char **)features->pdata);
	if (*list)
		g_string_append_printf(line, " Feature=%s", list);
	g_string_append_printf(line, " Weight=%" JSON_INTEGER_FORMAT,
			       MAX(weight, 1));
	outSay(stdout, "%s", line->str);
	g_free(list);
	g_string_free(line, TRUE);
	g_ptr_array_free(features, TRUE);
}

/* The name of a node in Slurm: as it calls itself, else its host, without port.
 */
static char *adviseNameOf(const hdNode_Info *info)
{
	size_t length = strlen(info->name);

	if (strcmp(info->name, info->address) == 0 && *info->name != '[')
		length = strcspn(info->name, ":");
	return g_strndup(info->name, length);
}

/* Whether it is a name of a node for Slurm, and nothing else: blanks would be
 * the end of it, brackets stand for many, and DEFAULT for all. */
static bool adviseIsName(const char *name)
{
	return *name && *name != '-' &&
	       strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-") ==
		       strlen(name) &&
	       g_ascii_strcasecmp(name, "DEFAULT") != 0;
}

/* Whether a node has the name that it was asked by: up to the domain, and if it
 * was not asked by an address, as this host, or by a socket. */
static bool adviseIsAsked(const hdNode_Info *info, const char *name)
{
	const char *address = info->address;
	size_t length = strcspn(address, ":.");

	if (*address == '[' || g_str_has_prefix(address, "unix:") ||
	    (length == strlen("localhost") &&
	     g_str_has_prefix(address, "localhost")) ||
	    strspn(address, "0123456789.") >= strcspn(address, ":"))
		return true;
	return length == strcspn(name, ".") &&
	       g_ascii_strncasecmp(address, name, length) == 0;
}

/* Why a node gets no line, or NULL. */
static const char *adviseWhyNot(GHashTable *names, const hdNode_Info *info,
				const char *name)
{
	if (!adviseIsName(name))
		return "the name of the node is not valid in Slurm";
	if (!adviseIsAsked(info, name))
		return "the node has another name than it was asked by";
	if (!g_hash_table_add(names, g_ascii_strdown(name, -1)))
		return "another node has the same name";
	return NULL;
}

static bool adviseOne(hdNode_Collector *collector, GHashTable *names, size_t i)
{
	const char *text = hdNode_section(collector, i, HDNODE_CAPABILITIES);
	json_t *capabilities;
	hdNode_Info info;
	const char *why;
	char *name;

	hdNode_info(collector, i, &info);
	capabilities = text && info.state == HDNODE_OK
			       ? json_loads(text, 0, NULL)
			       : NULL;
	if (!capabilities || adviseNumberOf(capabilities, "cpus") < 1) {
		outSay(stdout, "# %s: %s", info.address, info.word);
		json_decref(capabilities);
		return false;
	}
	name = adviseNameOf(&info);
	why = adviseWhyNot(names, &info, name);
	if (why)
		outSay(stdout, "# %s: %s: %s", info.address, name, why);
	else
		advisePrintNode(name, capabilities);
	g_free(name);
	json_decref(capabilities);
	return !why;
}

static int advise(hdNode_Collector *collector)
{
	int status, answered = hdNode_pull(collector, HDNODE_CAPABILITIES, 0);
	bool isWhole = true;
	GHashTable *names;

	if (answered < 0) {
		outSay(stderr, "%s: %s", command.name, g_strerror(-answered));
		return NODE_FAILED;
	}
	names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (size_t i = 0; i < hdNode_count(collector); i++)
		isWhole &= adviseOne(collector, names, i);
	g_hash_table_unref(names);
	status = cliFinish(&command);
	return status == 0 && !isWhole ? NODE_SOME : status;
}

int adviseRun(int argc, char **argv)
{
	struct nodeAsk ask = { .timeout = 5 };
	const GOptionEntry entries[] = {
		NODE_ASK_OPTIONS(&ask),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const GOptionEntry *lists[] = { entries, NULL };
	hdNode_Collector *collector;
	int status = cliParse(&command, lists, &argc, &argv);

	if (status < 0)
		status = nodeAskBegin(&command, &ask, argc, argv, &collector);
	if (status < 0) {
		status = advise(collector);
		hdNode_destroy(collector);
	}
	nodeAskClear(&ask);
	return status;
}
