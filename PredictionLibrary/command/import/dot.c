/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs in DOT, read by Graphviz's cgraph; see import.h.
 *
 * As in SimGrid, size is the number of operations of a node, and the number of
 * bytes of an edge. An edge of 0 bytes or fewer is an order of two tasks.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cgraph.h>

#include "PredictionLibrary/command/import/import.h"
#include "PredictionLibrary/model/sax.h"

/* Kernel of nodes that do not name one. */
#define KERNEL "exec"
/* Most edges; cgraph needs about 300 bytes for each. */
#define EDGES_MAX (UINT64_C(1) << 20)

/* Bytes that cgraph has not got yet. */
struct input {
	const char *at;
	size_t left;
};

struct dot {
	struct import *import;
	struct hdPredictReport *report;
	Agraph_t *graph;
	uint64_t withoutSize; /* Nodes. */
	uint64_t unused;      /* Nodes with attributes of old schedules. */
};

/* Edges of all graphs that are being read: {a b} -> {c d} makes many of a few
 * bytes. */
static uint64_t dotEdges;

/* Refuse edges that are too many. */
static long dotMap(void *state, int type, char *text, IDTYPE *id, int isNew)
{
	if (isNew && type == AGEDGE && ++dotEdges > EDGES_MAX)
		return 0;
	return AgIdDisc.map(state, type, text, id, isNew);
}

/* Messages of cgraph, in pieces; it has one place for all readers. */
static GString *dotSaid;

static int dotListen(char *text)
{
	g_string_append(dotSaid, text);
	return 0;
}

static int dotGive(void *channel, char *buffer, int size)
{
	struct input *input = channel;
	size_t part = MIN(input->left, (size_t)MAX(size, 0));

	memcpy(buffer, input->at, part);
	input->at += part;
	input->left -= part;
	return (int)part;
}

/* Report the first line of these messages, without the words before it. */
static void dotReport(struct hdPredictReport *report, const char *otherwise)
{
	const char *text = dotSaid->str;
	const char *colon = strstr(text, "Error: ");
	const char *line;
	char *first;

	if (colon)
		text = colon + strlen("Error: ");
	/* The name of the file, which is known. */
	if (g_str_has_prefix(text, "input: "))
		text += strlen("input: ");
	first = g_strndup(text, strcspn(text, "\n"));
	line = strstr(first, "in line ");
	if (!*first || !g_utf8_validate(first, -1, NULL)) {
		g_free(first);
		first = g_strdup(otherwise);
		line = NULL;
	}
	hdPredictError(report, line ? (int64_t)strtol(line + 8, NULL, 10) : 0,
		       NULL, 0, "%.300s", first);
	g_free(first);
}

/* ---- Nodes and edges ---------------------------------------------------- */

/* An attribute; NULL: none, or empty. */
static const char *dotAttribute(void *object, const char *name)
{
	const char *value = agget(object, (char *)name);

	return value && *value ? value : NULL;
}

static void dotFail(struct dot *self, const char *id, const char *to,
		    const char *what, const char *value)
{
	char *name = to ? g_strdup_printf("%s -> %s", id, to) : g_strdup(id);
	char *valid = g_utf8_make_valid(name, -1);

	if (value)
		hdPredictError(self->report, 0, valid, strlen(valid),
			       "size \"%.100s\" %s", value, what);
	else
		hdPredictError(self->report, 0, valid, strlen(valid), "%s",
			       what);
	g_free(valid);
	g_free(name);
}

/* Whether SimGrid would use more than the size. */
static bool dotHasUnused(Agnode_t *node)
{
	static const char *const names[] = { "performer", "order", "alpha",
					     "category" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (dotAttribute(node, names[i]))
			return true;
	}
	return false;
}

static void dotNode(struct dot *self, Agnode_t *node)
{
	const char *id = agnameof(node);
	const char *size = dotAttribute(node, "size");
	const char *kernel = dotAttribute(node, "kernel");
	double flops = 0;
	const char *wrong;
	uint32_t task;

	if (size &&
	    (!hdPredictToNumber(size, strlen(size), &flops) || flops < 0)) {
		dotFail(self, id, NULL, "is not a number of 0 or more", size);
		return;
	}
	self->withoutSize += !size;
	self->unused += dotHasUnused(node);
	wrong = importTask(self->import, id, kernel ? kernel : KERNEL, flops,
			   NAN, &task);
	if (wrong)
		dotFail(self, id, NULL, wrong, NULL);
}

static int dotByNumber(const void *a, const void *b)
{
	const Agedge_t *x = *(Agedge_t *const *)a, *y = *(Agedge_t *const *)b;

	return (AGSEQ(x) > AGSEQ(y)) - (AGSEQ(x) < AGSEQ(y));
}

static void dotEdge(struct dot *self, Agedge_t *edge)
{
	const char *from = agnameof(agtail(edge)), *to = agnameof(aghead(edge));
	const char *size = dotAttribute(edge, "size");
	double bytes = 0;
	uint32_t before, after, data;

	if (size && (!hdPredictToNumber(size, strlen(size), &bytes) ||
		     bytes > IMPORT_SIZE_MAX)) {
		dotFail(self, from, to, "is not a number up to 2^53", size);
		return;
	}
	if (!importFind(self->import, from, &before) ||
	    !importFind(self->import, to, &after))
		return; /* Said of the node. */
	data = bytes > 0 ? importData(self->import, before, ceil(bytes))
			 : importSignal(self->import, before);
	importLink(self->import, data, after);
}

static int dotGraph(struct dot *self)
{
	GPtrArray *edges = g_ptr_array_new();
	Agnode_t *node;

	for (node = agfstnode(self->graph); node;
	     node = agnxtnode(self->graph, node)) {
		Agedge_t *edge;

		dotNode(self, node);
		for (edge = agfstout(self->graph, node); edge;
		     edge = agnxtout(self->graph, edge))
			g_ptr_array_add(edges, edge);
	}
	/* In the order of the file. */
	g_ptr_array_sort(edges, dotByNumber);
	for (guint i = 0; i < edges->len; i++)
		dotEdge(self, edges->pdata[i]);
	g_ptr_array_unref(edges);
	if (self->withoutSize)
		hdPredictWarn(self->report, 0, NULL, 0,
			      "nodes without a size take no time: %" PRIu64,
			      self->withoutSize);
	if (self->unused)
		hdPredictWarn(self->report, 0, NULL, 0,
			      "the attributes performer, order, alpha and "
			      "category of nodes are ignored: %" PRIu64,
			      self->unused);
	return self->report->errors ? -EINVAL : 0;
}

/* ---- The file ----------------------------------------------------------- */

/* Read a graph; NULL: there is none, or it is reported. */
static Agraph_t *dotParse(struct input *input, struct hdPredictReport *report,
			  bool *isWrong)
{
	static Agiodisc_t io = { .afread = dotGive };
	static Agdisc_t discipline = { .io = &io };
	static Agiddisc_t id;
	Agraph_t *graph;

	id = AgIdDisc;
	id.map = dotMap;
	discipline.id = &id;
	g_string_truncate(dotSaid, 0);
	agreseterrors();
	graph = agread(input, &discipline);
	*isWrong = agerrors() > AGWARN || dotEdges > EDGES_MAX;
	if (*isWrong) {
		if (dotEdges > EDGES_MAX)
			hdPredictError(report, 0, NULL, 0,
				       "more than %" PRIu64 " edges",
				       EDGES_MAX);
		else
			dotReport(report, "not DOT");
		if (graph)
			agclose(graph);
		graph = NULL;
	}
	return graph;
}

/* The only graph of a file. */
static int dotRead(struct dot *self, struct input *input)
{
	Agraph_t *other;
	bool isWrong;

	self->graph = dotParse(input, self->report, &isWrong);
	if (isWrong)
		return -EBADMSG;
	if (!self->graph) {
		hdPredictError(self->report, 0, NULL, 0,
			       "not DOT: no graph in the file");
		return -EBADMSG;
	}
	if (!agisdirected(self->graph)) {
		hdPredictError(self->report, 0, NULL, 0,
			       "the graph is undirected; expected \"digraph\"");
		return -EINVAL;
	}
	other = dotParse(input, self->report, &isWrong);
	if (other) {
		agclose(other);
		hdPredictError(self->report, 0, NULL, 0,
			       "more than one graph in the file");
		return -EINVAL;
	}
	return isWrong ? -EBADMSG : dotGraph(self);
}

int importDot(const char *text, size_t length, struct import *import,
	      struct hdPredictReport *report)
{
	struct dot self = { .import = import, .report = report };
	struct input input = { text, length };
	agusererrf before;
	int ret;

	if (memchr(text, '\0', length)) {
		hdPredictError(
			report, 0, NULL, 0,
			"not DOT: a zero byte at offset %zu",
			(size_t)((const char *)memchr(text, '\0', length) -
				 text));
		return -EBADMSG;
	}
	dotEdges = 0;
	dotSaid = g_string_new(NULL);
	before = agseterrf(dotListen);
	agsetfile((char *)"input");
	ret = dotRead(&self, &input);
	agseterrf(before);
	if (self.graph)
		agclose(self.graph);
	g_string_free(dotSaid, TRUE);
	dotSaid = NULL;
	return ret;
}
