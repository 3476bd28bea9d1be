/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * There is no libdw: nothing is known of addresses.
 */
#include "config.h"

#include "HDTraceTools/sites/addresses.h"

struct addresses {
	struct addressFound nothing;
	GArray *problems;
};

struct addresses *addressesNew(void)
{
	struct addresses *self = g_new0(struct addresses, 1);

	self->nothing.places =
		g_array_new(FALSE, FALSE, sizeof(struct addressPlace));
	self->problems =
		g_array_new(FALSE, FALSE, sizeof(struct addressProblem));
	return self;
}

void addressesFree(struct addresses *self)
{
	if (!self)
		return;
	g_array_unref(self->nothing.places);
	if (self->problems->len)
		g_free(g_array_index(self->problems, struct addressProblem, 0)
			       .text);
	g_array_unref(self->problems);
	g_free(self);
}

const struct addressFound *addressesFind(struct addresses *self,
					 const char *path, const char *buildId,
					 uint64_t address)
{
	struct addressProblem problem = { .path = NULL };

	(void)path;
	(void)buildId;
	(void)address;
	if (!self->problems->len) {
		problem.text =
			g_strdup("files and lines of call sites are unknown: "
				 "hdtrace was built without libdw");
		g_array_append_val(self->problems, problem);
	}
	return &self->nothing;
}

const GArray *addressesProblems(const struct addresses *self)
{
	return self->problems;
}
