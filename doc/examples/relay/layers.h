/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the relay records of itself: for each of its layers how many operations
 * are pending (a gauge), and what caused each of them (relations).
 *
 * The topology is Host > Process > Part: a process has a gauge for each layer,
 * and a node below it with the layer's relations. All functions may be called
 * by any thread. Where nothing is recorded all tokens are NULL, and nothing
 * costs more than a branch.
 */
#ifndef LAYERS_H
#define LAYERS_H

#include <hdRelation.h>
#include <hdStats.h>

enum layer {
	LAYER_CLIENT, /* Calls of the client that are under way. */
	LAYER_REQ,    /* Requests that a server works on. */
	LAYER_BREQ,   /* Requests that have to wait for others. */
	LAYER_BMI,    /* Messages that are to be received or sent. */
	LAYER_FLOW,   /* Data on its way between network and storage. */
	LAYER_TROVE,  /* Operations that the storage has been asked for. */
	LAYER_DISK,   /* Those of them that are under way. */
	LAYERS
};

/* Sets of layers. */
#define LAYERS_CLIENT (1u << LAYER_CLIENT | 1u << LAYER_BMI | 1u << LAYER_FLOW)
#define LAYERS_SERVER                                           \
	(1u << LAYER_REQ | 1u << LAYER_BREQ | 1u << LAYER_BMI | \
	 1u << LAYER_FLOW | 1u << LAYER_TROVE | 1u << LAYER_DISK)

/* Begin to record: into PROJECT, or nothing if that is NULL. What fails is said
 * on stderr; the program goes on without it. Labels hold no `_`. */
void layersOpen(const char *project, const char *host, const char *process,
		unsigned int set);
void layersClose(void);

/* Print how many operations are pending in each layer. */
void layersPrint(void);

/* An operation begins, or has ended. */
void layerEnter(enum layer layer);
void layerLeave(enum layer layer, size_t bytes);

/* A relation of a layer: caused by the one whose token the hints carry, or by
 * nothing that is known. */
hdR_token layerRelate(enum layer layer, const hdR_hints *hints);

/* The same, but NULL where the hints carry none; with a state in it if NAME is
 * not NULL. */
hdR_token layerRelateOnly(enum layer layer, const hdR_hints *hints,
			  const char *name);

/* End that state, which is called failed if ERROR is not 0, and the relation.
 */
void layerEnd(hdR_token *token, int error, size_t size,
	      const long long *offset);

#endif
