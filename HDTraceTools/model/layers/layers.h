/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The layers of a project: how many operations were pending in each, in what
 * order they lie, and which of them held the time.
 *
 * A layer is *held* by as many operations as were pending in it and in none
 * below it, on average. Where relations tell all of its operations, that is the
 * time of these without what they caused; else what is pending, less what is
 * pending in the layers right below at the same node, which it is at least.
 * That relations tell all is known by Little's law: what is pending is how many
 * come, times how long each stays.
 *
 * Time of an operation that caused others, in one other process only, is time
 * *on the way* to the node there: of the network, and of what waits for it. It
 * is held on the way to that node, and not where the operation is.
 *
 * All means are over the same time: that in which anything was pending
 * anywhere. An object belongs to one thread at a time, but for
 * layerGaugeTake().
 */
#ifndef HD_MODEL_LAYERS_LAYERS_H
#define HD_MODEL_LAYERS_LAYERS_H

#include "HDTraceTools/model/layers/gauge.h"
#include "HDTraceTools/model/relations/forest.h"

/** By so much pending operations and relations may differ from each other. */
#define LAYERS_LITTLE 0.2

/** Into so many parts the time is divided, to see what lasts. */
#define LAYERS_PARTS 10

/** What relations tell of the operations of a layer. */
struct layerOperations {
	double count;       /**< In the time; a part of those at its ends. */
	long double lasted; /**< All of them, in ns; */
	long double self;   /**< without what they caused. */
	/** Of that, what is held at the layer, and not on a way. */
	long double here;
	double parts[LAYERS_PARTS]; /**< The same, in each part of the time. */
	uint64_t unended;
};

/** A layer of a node. */
struct layer {
	const hdINode *node;
	const char *name;
	uint32_t rank;    /**< Its place in the order of layers. */
	const char *role; /**< The first layer of its node: nodes with the same
			   *   one are alike. */
	struct layerGauge gauge;
	int64_t shift; /**< To be added to its times. */
	int64_t known; /**< For how long the number is known, in ns. */
	double mean;   /**< Of pending operations; NaN: not known. */
	double idle;   /**< Share of time in which nothing was, or NaN; */
	double bytes;  /**< NaN: not known. */
	bool hasOperations;
	struct layerOperations operations;
	double little; /**< How many are pending by relations; or NaN. */
	bool isTold;   /**< Relations tell all operations. */
	double held;   /**< NaN: not known. */
	bool isLeast;  /**< It is that at least. */
	double parts[LAYERS_PARTS]; /**< Held in each part of the time. */
};

/** The way to a node, as an operation of a layer elsewhere takes it. */
struct layerWay {
	const hdINode *node; /**< Where it goes to. */
	const char *name;    /**< Layer of the operations that went. */
	uint32_t rank;
	const char *role; /**< Of the node. */
	bool isTold;
	double count;
	long double self; /**< In ns. */
	double held;
	double parts[LAYERS_PARTS]; /**< In ns; then as it is held. */
};

/** A host: a node of the first level. */
struct layersHost {
	const hdINode *node;
	int64_t shift; /**< To be added to its times, in ns. */
	bool isKnown;  /**< While these are found. */
};

struct layers {
	const hdIProject *project;
	struct layer *list; /**< By node, and then in their order. */
	size_t count;
	GHashTable *firsts; /**< Of a node the place of its first layer, + 1. */
	GArray *ways;       /**< struct layerWay, after layersEnd(). */
	GPtrArray *order;   /**< Names, the uppermost first. */
	struct extent time; /**< That means are of; none: nothing was
			     *   pending. */
	GArray *hosts;  /**< struct layersHost: those whose clock was looked at.
			 */
	uint64_t early; /**< Relations that began before their cause did. */
	/** How many relations lead from a layer to another, by their numbers
	 *  in the order in which names were met; and those names. */
	uint64_t *edges;
	GPtrArray *names;
};

/** Told whether a group is wanted. */
typedef bool layersWants(const hdIGroup *group, void *data);

/**
 * Start with what is pending in no layer.
 *
 * @param wants Chooses among the layers; NULL: all.
 * @param from, to Only ]from, to] is wanted.
 */
struct layers *layersNew(const hdIProject *project, layersWants *wants,
			 void *data, int64_t from, int64_t to);
/** Free it; NULL does nothing. */
void layersFree(struct layers *self);

/** The gauge of a group, which takes its entries; NULL: it is none. */
struct layerGauge *layersGauge(struct layers *self, const hdIGroup *group);

/** All gauges were read: find out all else.
 *
 * @param forest Relations, all of which were read; NULL: there are none. */
void layersEnd(struct layers *self, const struct forest *forest);

/** The first layer of a node, which its others follow; NULL: it has none. */
struct layer *layersFirst(const struct layers *self, const hdINode *node);

/** Whether a layer of a node is one of the list. */
static inline bool layersHas(const struct layers *self, const hdINode *node,
			     const struct layer *layer)
{
	return layer && layer < self->list + self->count && layer->node == node;
}

/** The layer of a node; NULL if there is none. */
struct layer *layersFind(const struct layers *self, const hdINode *node,
			 const char *name);

/** Length of the time that means are of, in ns. */
static inline int64_t layersLength(const struct layers *self)
{
	return self->time.end > self->time.start
		       ? self->time.end - self->time.start
		       : 0;
}

/** When a part of the time begins; the next begins where it ends. */
static inline int64_t layersPart(const struct layers *self, int part)
{
	return self->time.start +
	       (int64_t)((__int128)layersLength(self) * part / LAYERS_PARTS);
}

static inline struct layerWay *layersWayAt(const struct layers *self, guint i)
{
	return &g_array_index(self->ways, struct layerWay, i);
}

/** What is to be added to the times of a node, so that nothing begins before
 * its cause; the time that means are of is that of who asks. */
int64_t layersShift(const struct layers *self, const hdINode *node);

/* ---- clocks.c: for layers.c ------------------------------------------- */

/** Find by how much clocks of hosts differ. */
void layersFindClocks(struct layers *self, const struct forest *forest);

/* ---- operations.c: for layers.c --------------------------------------- */

/** Count what leads where, for the order of layers. */
void layersCountEdges(struct layers *self, const struct forest *forest);

/** Find what relations tell of layers and ways. */
void layersAddOperations(struct layers *self, const struct forest *forest);

/** The layer that the relations of a file are of; NULL: none of ours. */
struct layer *layersOfRelations(const struct layers *self,
				const hdIRelationFile *file);

/** The number of a name among the names; SIZE_MAX if it is none. */
size_t layersNameNumber(const struct layers *self, const char *name);

/* ---- order.c: for layers.c -------------------------------------------- */

/** Put the names in order. */
void layersFindOrder(struct layers *self);

/** Whether what lies below a layer is at other nodes, which only relations tell
 *  apart. */
bool layersIsWire(const struct layers *self, const struct layer *layer);

/** Whether a layer lies right below another one at the same node. */
bool layersIsBelow(const struct layers *self, const struct layer *upper,
		   const struct layer *lower);

#endif
