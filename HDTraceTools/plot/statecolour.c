/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The colour of a state, by its name alone.
 */
#include "config.h"

#include <glib.h>
#include <string.h>

#include "HDTraceTools/plot/statecolour.h"

static const struct {
	const char *name;
	uint32_t colour;
} known[] = {
#define STATE_NAME(name, colour) { name, colour },
#include "HDTraceTools/plot/statecolours.h"
#undef STATE_NAME
};

static const uint32_t others[] = {
#define STATE_OTHER(colour) colour,
#include "HDTraceTools/plot/statecolours.h"
#undef STATE_OTHER
};

/** FNV-1a of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint32_t stateColourHashOf(const char *name)
{
	uint32_t hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619U;
	return hash;
}

uint32_t stateColour(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strcmp(known[i].name, name) == 0)
			return known[i].colour;
	}
	return others[stateColourHashOf(name) % G_N_ELEMENTS(others)];
}
