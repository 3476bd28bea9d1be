/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes as a graph for METIS: what kernels take, and what they send. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "InstrumentationLibrary/command/print.h"
#include "cli/metis.h"
#include "cli/output.h"

/* Greatest weight: sums of all probes of a page stay finite. */
#define WEIGHT_MAX 1e200

/* A graph that is being made. */
struct making {
	GHashTable *byName; /* Numbers of vertices + 1. */
	GPtrArray *names;
	GArray *weights; /* double */
	GArray *edges;   /* struct metisEdge */
};

/* The vertex with a name, which is new or not. */
static guint probeMetisVertex(struct making *self, const char *name)
{
	guint number =
		GPOINTER_TO_UINT(g_hash_table_lookup(self->byName, name));
	double none = 0;

	if (number)
		return number - 1;
	g_ptr_array_add(self->names, g_strdup(name));
	g_array_append_val(self->weights, none);
	g_hash_table_insert(
		self->byName,
		g_ptr_array_index(self->names, self->names->len - 1),
		GUINT_TO_POINTER(self->names->len));
	return self->names->len - 1;
}

static void probeMetisAdd(struct making *self, const struct hdProbeFigures *is)
{
	/* 0 where it is unknown. */
	double amount = is->body_s > 0 ? fmin(is->body_s, WEIGHT_MAX) : 0;
	guint vertex = probeMetisVertex(self, is->name);

	if (is->kind == HDPROBE_KIND_TRANSFER) {
		struct metisEdge edge = { vertex,
					  probeMetisVertex(self, is->to),
					  amount };

		g_array_append_val(self->edges, edge);
	} else {
		g_array_index(self->weights, double, vertex) += amount;
	}
}

void printMetis(const struct probeTable *table, const struct printing *how)
{
	struct making self = {
		.byName = g_hash_table_new(g_str_hash, g_str_equal),
		.names = g_ptr_array_new_with_free_func(g_free),
		.weights = g_array_new(FALSE, FALSE, sizeof(double)),
		.edges = g_array_new(FALSE, FALSE, sizeof(struct metisEdge)),
	};
	struct metisGraph graph;
	int ret;

	for (guint i = 0; i < table->rows->len; i++) {
		const struct probeRow *row =
			&g_array_index(table->rows, struct probeRow, i);

		if (row->figures.kind != HDPROBE_KIND_COUNTER &&
		    !row->isUnknown)
			probeMetisAdd(&self, &row->figures);
	}
	printf("%% process %d; vertices:\n", how->pid);
	for (guint i = 0; i < self.names->len; i++)
		outSay(stdout, "%% %u %s", i + 1,
		       (const char *)g_ptr_array_index(self.names, i));
	graph = (struct metisGraph){
		.count = self.names->len,
		.weights = (const double *)self.weights->data,
		.edges = (struct metisEdge *)self.edges->data,
		.edgeCount = self.edges->len,
		.vertexUnit = "time in s",
		.edgeUnit = "bytes",
	};
	ret = metisPrint(stdout, &graph);
	if (ret < 0)
		g_error("metis: %s", g_strerror(-ret));
	g_hash_table_destroy(self.byName);
	g_ptr_array_unref(self.names);
	g_array_unref(self.weights);
	g_array_unref(self.edges);
}
