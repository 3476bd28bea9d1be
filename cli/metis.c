/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs for METIS; see metis.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <glib.h>

#include "cli/metis.h"

/* Largest sum of weights. METIS adds the weights of each edge twice, in 31
 * bits; rounding may add to it. */
#define VERTEX_SUM ((double)(UINT32_C(1) << 30))
#define EDGE_SUM ((double)(UINT32_C(1) << 29))
/* Greatest power of ten by which weights are multiplied. */
#define POWER_MAX 300

static int metisByEnds(const void *a, const void *b)
{
	const struct metisEdge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Each pair of vertices once, the lower one first. */
static void metisMerge(struct metisGraph *graph)
{
	struct metisEdge *edges = graph->edges;
	size_t count = 0;

	for (size_t i = 0; i < graph->edgeCount; i++) {
		struct metisEdge edge = edges[i];

		if (edge.from == edge.to)
			continue;
		if (edge.from > edge.to) {
			edge.from = edges[i].to;
			edge.to = edges[i].from;
		}
		edges[count++] = edge;
	}
	if (count)
		qsort(edges, count, sizeof(*edges), metisByEnds);
	graph->edgeCount = 0;
	for (size_t i = 0; i < count; i++) {
		struct metisEdge *last =
			graph->edgeCount ? &edges[graph->edgeCount - 1] : NULL;

		if (last && metisByEnds(last, &edges[i]) == 0)
			last->weight += edges[i].weight;
		else
			edges[graph->edgeCount++] = edges[i];
	}
}

/* Sum of weights, and whether all are whole numbers. */
struct sum {
	double all;
	bool isWhole;
};

static void metisAdd(struct sum *sum, double weight)
{
	sum->all += weight;
	sum->isWhole = sum->isWhole && weight == floor(weight);
}

/* A power of ten that makes the most of the bits; 1 if that is exact. */
static double metisScale(const struct sum *sum, double most)
{
	char text[16];
	double power;

	if ((sum->isWhole && sum->all <= most) || !(sum->all > 0))
		return 1;
	power = floor(log10(most) - log10(sum->all));
	/* By its digits, which are those that are printed. */
	g_snprintf(text, sizeof(text), "1e%.0f", fmin(power, POWER_MAX));
	return g_ascii_strtod(text, NULL);
}

static uint32_t metisRound(double weight, double scale, uint32_t least)
{
	double rounded = round(weight * scale);

	return rounded > least ? (uint32_t)rounded : least;
}

/* Where the edges of each vertex begin, and the edges, each twice. */
struct adjacency {
	size_t *first;
	uint32_t *edges;
};

static int metisFindEdges(const struct metisGraph *graph,
			  struct adjacency *adjacency)
{
	size_t *next;

	adjacency->first =
		calloc((size_t)graph->count + 2, sizeof(*adjacency->first));
	adjacency->edges =
		malloc((2 * graph->edgeCount + 1) * sizeof(*adjacency->edges));
	if (!adjacency->first || !adjacency->edges)
		return -ENOMEM;
	/* Counted one further on, so that filling leaves the starts. */
	next = adjacency->first + 1;
	for (size_t i = 0; i < graph->edgeCount; i++) {
		next[graph->edges[i].from + 1]++;
		next[graph->edges[i].to + 1]++;
	}
	for (size_t v = 1; v <= graph->count; v++)
		next[v] += next[v - 1];
	for (size_t i = 0; i < graph->edgeCount; i++) {
		adjacency->edges[next[graph->edges[i].from]++] = (uint32_t)i;
		adjacency->edges[next[graph->edges[i].to]++] = (uint32_t)i;
	}
	return 0;
}

static void metisPrintUnit(FILE *file, const char *what, const char *unit,
			   double scale)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (unit)
		fprintf(file, "%% weights of %s: %s, multiplied by %s\n", what,
			unit, g_ascii_formatd(text, sizeof(text), "%g", scale));
}

static void metisPrintVertex(FILE *file, const struct metisGraph *graph,
			     const struct adjacency *adjacency, uint32_t vertex)
{
	double weight = graph->weights ? graph->weights[vertex] : 1;

	fprintf(file, "%" PRIu32, metisRound(weight, graph->vertexScale, 0));
	for (size_t i = adjacency->first[vertex];
	     i < adjacency->first[vertex + 1]; i++) {
		const struct metisEdge *edge =
			&graph->edges[adjacency->edges[i]];

		fprintf(file, " %" PRIu32 " %" PRIu32,
			(edge->from == vertex ? edge->to : edge->from) + 1,
			metisRound(edge->weight, graph->edgeScale, 1));
	}
	fputc('\n', file);
}

int metisPrint(FILE *file, struct metisGraph *graph)
{
	struct sum vertices = { 0, true }, edges = { 0, true };
	struct adjacency adjacency = { NULL, NULL };
	int ret;

	metisMerge(graph);
	if (graph->count > METIS_VERTICES_MAX ||
	    graph->edgeCount > METIS_EDGES_MAX)
		return -EOVERFLOW;
	for (uint32_t v = 0; v < graph->count; v++)
		metisAdd(&vertices, graph->weights ? graph->weights[v] : 1);
	/* An edge without a weight has the least one. */
	for (size_t i = 0; i < graph->edgeCount; i++)
		metisAdd(&edges, graph->edges[i].weight);
	if (!isfinite(vertices.all) || !isfinite(edges.all))
		return -ERANGE;
	/* Without any weight, or with none that would be seen, all vertices
	 * are alike. */
	if (!(vertices.all * 1e300 >= 1)) {
		graph->weights = NULL;
		graph->vertexUnit =
			graph->vertexUnit ? "1, since all are 0" : NULL;
		vertices = (struct sum){ graph->count, true };
	}
	graph->vertexScale = metisScale(&vertices, VERTEX_SUM);
	graph->edgeScale = metisScale(&edges, EDGE_SUM);
	ret = metisFindEdges(graph, &adjacency);
	if (ret == 0) {
		metisPrintUnit(file, "vertices", graph->vertexUnit,
			       graph->vertexScale);
		metisPrintUnit(file, "edges", graph->edgeUnit,
			       graph->edgeScale);
		fprintf(file, "%" PRIu32 " %zu 011\n", graph->count,
			graph->edgeCount);
		for (uint32_t v = 0; v < graph->count && !ferror(file); v++)
			metisPrintVertex(file, graph, &adjacency, v);
	}
	free(adjacency.first);
	free(adjacency.edges);
	return ret;
}
