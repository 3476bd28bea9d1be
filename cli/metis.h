/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Undirected weighted graphs as METIS reads them: weights are whole numbers,
 * whose sums fit into 31 bits.
 */
#ifndef HD_CLI_METIS_H
#define HD_CLI_METIS_H

#include <stdint.h>
#include <stdio.h>

/** Most vertices, and most edges. */
#define METIS_VERTICES_MAX (UINT32_C(1) << 29)
#define METIS_EDGES_MAX (UINT32_C(1) << 28)

/** An edge between two vertices, which are numbered from 0. */
struct metisEdge {
	uint32_t from, to;
	double weight; /**< 0 or more. */
};

/** A graph. */
struct metisGraph {
	uint32_t count;          /**< Vertices. */
	const double *weights;   /**< Of vertices, 0 or more; NULL: all 1. */
	struct metisEdge *edges; /**< Sorted, and merged where parallel. */
	size_t edgeCount;
	const char *vertexUnit; /**< "s"; NULL: none. */
	const char *edgeUnit;
	double vertexScale, edgeScale; /**< Factors of what was printed. */
};

/**
 * Print a graph, after lines with the units and factors of its weights. Edges
 * from a vertex to itself are left out, and parallel edges become one.
 *
 * @retval 0 Success; errors of the file are for the caller to find.
 * @retval -EOVERFLOW Too many vertices or edges.
 * @retval -ERANGE The sum of the weights exceeds the range of a double.
 * @retval -ENOMEM No memory.
 */
int metisPrint(FILE *file, struct metisGraph *graph);

#endif
