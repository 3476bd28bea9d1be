/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which states are functions of MPI.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/model/causes/mpifunctions.h"

static const char *const mpiFunctions[] = {
#define MPI_FUNCTION(name) name,
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/mpi/functions.h"
};

static gpointer mpiMakeSet(gpointer data)
{
	GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);

	for (size_t i = 0; i < G_N_ELEMENTS(mpiFunctions); i++)
		g_hash_table_add(set, (gpointer)mpiFunctions[i]);
	(void)data;
	return set;
}

bool mpiIsFunction(const char *name)
{
	static GOnce once = G_ONCE_INIT;

	return g_hash_table_contains(g_once(&once, mpiMakeSet, NULL), name);
}
