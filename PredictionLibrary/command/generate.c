/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hdpredict generate: task graphs. */
#include "config.h"

#include <errno.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/hdpredict.h"
#include "PredictionLibrary/command/made.h"
#include "PredictionLibrary/command/writegraph.h"

const char *const generationKinds[] = { "cholesky", "stencil", "random",
					"lu",       "ring",    NULL };

char *generationWrong(const struct generation *self)
{
	const struct {
		const char *option;
		int value, least;
	} numbers[] = {
		{ "tiles", self->tiles, 1 },
		{ "tile-size", self->tileSize, 1 },
		{ "width", self->width, 1 },
		{ "steps", self->steps, 1 },
		{ "inputs", self->inputs, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (numbers[i].value < numbers[i].least)
			return g_strdup_printf("%s: invalid number \"%d\"; "
					       "expected %d or more",
					       numbers[i].option,
					       numbers[i].value,
					       numbers[i].least);
	return NULL;
}

static int generateMakeGraph(const struct generation *self, hdPGraph **graph)
{
	uint32_t tiles = (uint32_t)self->tiles, size = (uint32_t)self->tileSize;
	uint32_t width = (uint32_t)self->width, steps = (uint32_t)self->steps;

	switch (self->kind) {
	case 0:
		return hdP_generateCholesky(tiles, size, graph);
	case 1:
		return hdP_generateStencil(width, steps, size, graph);
	case 2:
		return hdP_generateRandom(steps, width, (uint32_t)self->inputs,
					  (uint64_t)self->seed, graph);
	case 3:
		return hdP_generateLu(tiles, size, graph);
	default:
		return hdP_generateRing(width, steps, size, graph);
	}
}

/* Tasks go to the PEs of a list one after the other, and again from its
 * beginning. */
static int generatePlaceTasks(const char *list, hdPGraph *graph)
{
	char **pes = g_strsplit(list, ",", -1);
	guint count = g_strv_length(pes);
	int64_t tasks = hdP_getTaskCount(graph);
	int ret = count ? 0 : -EINVAL;

	for (int64_t t = 0; t < tasks && ret == 0; t++)
		ret = *pes[t % count]
			      ? hdP_setMapping(graph, t, pes[t % count], t)
			      : -EINVAL;
	g_strfreev(pes);
	return ret;
}

int generationMake(const struct generation *self, hdPGraph **graph)
{
	int ret = generateMakeGraph(self, graph);

	if (ret == 0 && self->on) {
		ret = generatePlaceTasks(self->on, *graph);
		if (ret < 0) {
			hdP_destroyGraph(*graph);
			*graph = NULL;
		}
	}
	return ret;
}

int generateRun(struct predict *predict, int argc, char **argv)
{
	struct generation self = GENERATION_DEFAULT;
	char *form = NULL, *output = NULL;
	const GOptionEntry entries[] = {
		{ "tiles", 0, 0, G_OPTION_ARG_INT, &self.tiles,
		  "For cholesky and lu: number of rows of tiles (default: 10)",
		  "N" },
		{ "tile-size", 0, 0, G_OPTION_ARG_INT, &self.tileSize,
		  "Rows of a tile or cell; for ring: bytes to send "
		  "(default: 1024)",
		  "N" },
		{ "width", 0, 0, G_OPTION_ARG_INT, &self.width,
		  "Rows of cells in a stencil, or tasks in a layer or round "
		  "(default: 32)",
		  "N" },
		{ "steps", 0, 0, G_OPTION_ARG_INT, &self.steps,
		  "Number of steps in a stencil, of layers, or of rounds in "
		  "a ring (default: 10)",
		  "N" },
		{ "on", 0, 0, G_OPTION_ARG_STRING, &self.on,
		  "Map tasks to these PEs in turn", "PE,..." },
		{ "inputs", 0, 0, G_OPTION_ARG_INT, &self.inputs,
		  "For random: maximum number of inputs of a task (default: 3)",
		  "N" },
		{ "seed", 0, 0, G_OPTION_ARG_INT64, &self.seed,
		  "For random: seed of the graph (default: 1)", "N" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &form,
		  PREDICT_FORMS "(default: xml)", "FORM" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write to FILE instead of standard output", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"cholesky|lu|stencil|ring|random", "Generate a task graph.",
		"Examples:\n"
		"  hdpredict generate cholesky --tiles 80 --tile-size 128 -o "
		"ch80.xml\n"
		"  hdpredict generate ring --width 2 --steps 10 --on n0.0,n1.0 "
		"-o ring.xml\n",
		1, 1
	};
	hdPGraph *graph = NULL;
	int status = predictParse(predict, &argc, &argv, entries, &help);
	char *wrong;
	int ret;

	if (status >= 0)
		return status;
	self.kind = predictChoose(predict, "graph", argv[1], generationKinds);
	if (self.kind < 0 || predictForm(predict, "--to", form) < 0)
		return PREDICT_FAILED;
	wrong = generationWrong(&self);
	if (wrong) {
		status = predictUsage(predict, "--%s", wrong);
		g_free(wrong);
		return status;
	}
	ret = generationMake(&self, &graph);
	if (ret == -EINVAL)
		return predictUsage(predict,
				    "too many tasks, or a PE without a name");
	if (ret < 0)
		return predictError(predict, "%s", g_strerror(-ret));
	status = predictWrite(predict, graph, output ? output : "-",
			      form ? form : "xml", NULL, NULL);
	hdP_destroyGraph(graph);
	return status;
}

int validateRun(struct predict *predict, int argc, char **argv)
{
	char *platformPath = NULL, *resourcesPath = NULL;
	const GOptionEntry entries[] = {
		{ "platform", 0, 0, G_OPTION_ARG_FILENAME, &platformPath,
		  "Also check this platform", "FILE" },
		{ "resources", 0, 0, G_OPTION_ARG_FILENAME, &resourcesPath,
		  "Also check this resource model", "FILE" },
		{ NULL }
	};
	static const struct predictHelp help = {
		"[GRAPH|-]",
		"Validate task graphs, platforms and resource models.",
		"Exit status: 0 all models are valid; 1 a model is invalid; 2 "
		"a file cannot be read.\n"
		"\n"
		"Examples:\n"
		"  hdpredict validate ch80.xml\n"
		"  hdpredict validate --platform p.xml --resources r.xml\n",
		0, 1
	};
	hdPGraph *graph = NULL;
	hdPPlatform *platform = NULL;
	hdPResources *resources = NULL;
	int status = predictParse(predict, &argc, &argv, entries, &help);

	if (status >= 0)
		return status;
	if (argc < 2 && !platformPath && !resourcesPath)
		return predictMissing(predict,
				      "GRAPH, --platform or --resources");
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
