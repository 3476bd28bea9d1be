/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict generate: task graphs. */
#include "config.h"

#include <errno.h>

#include "PredictionLibrary/command/hdpredict.h"

int generateRun(struct predict *predict, int argc, char **argv)
{
	static const char *const kinds[] = { "cholesky", "stencil", "random",
					     NULL };
	int tiles = 10, tileSize = 1024, width = 32, steps = 10, inputs = 3;
	gint64 seed = 1;
	char *form = NULL, *output = NULL;
	const GOptionEntry entries[] = {
		{ "tiles", 0, 0, G_OPTION_ARG_INT, &tiles,
		  "cholesky: rows of tiles (10)", "N" },
		{ "tile-size", 0, 0, G_OPTION_ARG_INT, &tileSize,
		  "Rows of a tile, or of a cell (1024)", "N" },
		{ "width", 0, 0, G_OPTION_ARG_INT, &width,
		  "stencil: rows of cells; random: tasks of a layer (32)",
		  "N" },
		{ "steps", 0, 0, G_OPTION_ARG_INT, &steps,
		  "stencil: steps; random: layers (10)", "N" },
		{ "inputs", 0, 0, G_OPTION_ARG_INT, &inputs,
		  "random: most inputs of a task (3)", "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &seed,
		  "random: which graph (1)", "N" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &form,
		  "Form: xml (the default) or binary", "FORM" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"cholesky|stencil|random",
		"Example:\n  hdpredict generate cholesky --tiles 80 "
		"--tile-size 128 -o ch80.xml\n",
		1, 1
	};
	hdPGraph *graph = NULL;
	int status = predictParse(predict, &argc, &argv, entries, &help);
	int kind, ret;

	if (status >= 0)
		return status;
	kind = predictChoose(predict, "graph", argv[1], kinds);
	if (kind < 0)
		return PREDICT_FAILED;
	if (tiles < 1 || tileSize < 1 || width < 1 || steps < 1 || inputs < 0)
		return predictUsage(predict, "numbers have to be more than 0");
	if (kind == 0)
		ret = hdP_generateCholesky((uint32_t)tiles, (uint32_t)tileSize,
					   &graph);
	else if (kind == 1)
		ret = hdP_generateStencil((uint32_t)width, (uint32_t)steps,
					  (uint32_t)tileSize, &graph);
	else
		ret = hdP_generateRandom((uint32_t)steps, (uint32_t)width,
					 (uint32_t)inputs, (uint64_t)seed,
					 &graph);
	if (ret == -EINVAL)
		return predictUsage(predict, "that would be too many tasks");
	if (ret < 0)
		return predictError(predict, "%s", g_strerror(-ret));
	status = predictWrite(predict, graph, output ? output : "-",
			      form ? form : "xml", NULL);
	hdP_destroyGraph(graph);
	return status;
}

int convertRun(struct predict *predict, int argc, char **argv)
{
	char *form = NULL, *output = NULL;
	const GOptionEntry entries[] = {
		{ "to", 0, 0, G_OPTION_ARG_STRING, &form,
		  "Form: xml or binary (the default)", "FORM" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"GRAPH|-", "GRAPH may be in either form.\n", 1, 1
	};
	hdPGraph *graph = NULL;
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	status = predictRead(predict, argv[1], &graph, NULL, NULL, NULL, NULL);
	if (status == PREDICT_OK)
		status = predictWrite(predict, graph, output ? output : "-",
				      form ? form : "binary", NULL);
	hdP_destroyGraph(graph);
	return status;
}

int validateRun(struct predict *predict, int argc, char **argv)
{
	char *platformPath = NULL, *resourcesPath = NULL;
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &platformPath,
		  "Check a platform, too", "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &resourcesPath,
		  "Check a resource model, too", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"[GRAPH|-]",
		"Exit status: 0 all is valid, 1 something is not, 2 something "
		"cannot be read.\n",
		0, 1
	};
	hdPGraph *graph = NULL;
	hdPPlatform *platform = NULL;
	hdPResources *resources = NULL;
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	if (argc < 2 && !platformPath && !resourcesPath)
		return predictUsage(predict, "there is nothing to check");
	status = predictRead(predict, argv[1], argc > 1 ? &graph : NULL,
			     platformPath, platformPath ? &platform : NULL,
			     resourcesPath, resourcesPath ? &resources : NULL);
	if (graph)
		printf("%s: %" PRId64 " tasks, %" PRId64
		       " dependencies, %d kernels\n",
		       argv[1], hdP_getTaskCount(graph),
		       hdP_getDependencyCount(graph),
		       hdP_getKernelCount(graph));
	if (platform)
		printf("%s: %" PRId64 " servers, %" PRId64 " PEs\n",
		       platformPath, hdP_getServerCount(platform),
		       hdP_getPeCount(platform));
	if (resources)
		printf("%s: valid\n", resourcesPath);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
	return status;
}
