/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Phases of a run, in the order of time.
 */
#include "config.h"

#include "HDTraceTools/model/phases.h"

void phasesInit(struct phases *phases)
{
	*phases = (struct phases){
		.names = g_ptr_array_new_with_free_func(g_free),
		.index = g_hash_table_new(g_str_hash, g_str_equal),
	};
}

void phasesFree(struct phases *phases)
{
	g_free(phases->list);
	g_hash_table_destroy(phases->index);
	g_ptr_array_free(phases->names, TRUE);
}

static size_t nameIndex(struct phases *phases, const char *name)
{
	size_t found =
		GPOINTER_TO_SIZE(g_hash_table_lookup(phases->index, name));
	char *copy;

	if (found)
		return found - 1;
	copy = g_strdup(name);
	g_ptr_array_add(phases->names, copy);
	g_hash_table_insert(phases->index, copy,
			    GSIZE_TO_POINTER(phases->names->len));
	return phases->names->len - 1;
}

void phasesAdd(struct phases *phases, int64_t start, int64_t end,
	       const char *name)
{
	if (phases->count == phases->size) {
		phases->size = phases->size ? 2 * phases->size : 64;
		phases->list =
			g_renew(struct phase, phases->list, phases->size);
	}
	phases->list[phases->count++] = (struct phase){
		.start = start,
		.end = end,
		.name = nameIndex(phases, name),
	};
}

/* ---- Windows ----------------------------------------------------------- */

void phasesSetWindows(struct phases *phases, int64_t length, int64_t origin,
		      int64_t start, int64_t end, bool isOpen)
{
	__int128 number = ((__int128)start - origin) / length;
	__int128 last = ((__int128)end - origin - 1) / length;

	phases->count = 0;
	/* What has no length has a window, unless it is no time at all. */
	if (end > start)
		phases->count = (size_t)(last - number + 1);
	else if (end == start && isOpen)
		phases->count = 1;
	phases->windows = (struct phaseWindows){
		.length = length,
		.origin = origin,
		.start = start,
		.end = end,
		.isOpen = isOpen,
		.number = (uint64_t)number,
	};
}

struct phase phasesAt(const struct phases *phases, size_t i)
{
	const struct phaseWindows *windows = &phases->windows;
	__int128 start =
		(__int128)windows->length * (__int128)(windows->number + i) +
		windows->origin;
	__int128 end = start + windows->length;

	if (!windows->length)
		return phases->list[i];
	return (struct phase){
		.start = i == 0 && windows->isOpen
				 ? INT64_MIN
				 : (int64_t)MAX(start, windows->start),
		.end = (int64_t)MIN(end, windows->end),
		.name = windows->number + i,
	};
}

size_t phasesWindowAt(const struct phases *phases, int64_t time)
{
	const struct phaseWindows *windows = &phases->windows;
	__int128 number =
		((__int128)time - windows->origin - 1) / windows->length;

	return (size_t)CLAMP(number - windows->number, 0,
			     (__int128)phases->count);
}

void phasesClip(struct phases *phases, int64_t start, int64_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < phases->count; i++) {
		struct phase phase = phases->list[i];

		phase.start = MAX(phase.start, start);
		phase.end = MIN(phase.end, end);
		if (phase.start < phase.end ||
		    (phase.start == phase.end && phase.start > start &&
		     phase.start == phases->list[i].end))
			phases->list[count++] = phase;
	}
	phases->count = count;
}
