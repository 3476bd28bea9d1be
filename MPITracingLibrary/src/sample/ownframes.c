/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks that were sampled in this library; see ownframes.h. */
/* dl_iterate_phdr() is not of POSIX. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include <link.h>
#include <string.h>

#include "MPITracingLibrary/src/core/sites.h"
#include "MPITracingLibrary/src/sample/ownframes.h"

/* Code, and the object that it is of. */
struct ownFramesPart {
	uintptr_t address; /* One in it. */
	uintptr_t begin, end;
	bool isOurs;  /* Of the preloaded library. */
	bool isOfMpi; /* Or of the MPI library. */
};

/* The code of this library; empty: not known. */
static struct ownFramesPart ownFrames;

static int ownFramesLook(struct dl_phdr_info *info, size_t size, void *data)
{
	static const char begin[] = "libhdMPI-";
	struct ownFramesPart *part = data;
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD ||
		    part->address - at >= header->p_memsz)
			continue;
		part->begin = at;
		part->end = at + header->p_memsz;
		part->isOurs = strncmp(name, begin, sizeof(begin) - 1) == 0;
		part->isOfMpi =
			!part->isOurs && hdmpiSiteIsOfMpi(info->dlpi_name);
		return 1;
	}
	return 0;
}

void hdmpiOwnFramesStart(void)
{
	struct ownFramesPart part = { .address =
					      (uintptr_t)hdmpiOwnFramesStart };

	dl_iterate_phdr(ownFramesLook, &part);
	if (part.isOurs)
		ownFrames = part;
}

bool hdmpiOwnFramesAre(const uintptr_t *frames, size_t count)
{
	size_t own = 0;

	/* The call is before the address, and may end the code. */
	while (own < count && frames[own] - 1 - ownFrames.begin >=
				      ownFrames.end - ownFrames.begin)
		own++;
	if (own == count)
		return false;
	/* A call that is not recorded: MPI was at work. */
	for (size_t i = 0; i < own; i++) {
		struct ownFramesPart part = { .address = frames[i] - 1 };

		dl_iterate_phdr(ownFramesLook, &part);
		if (part.isOfMpi)
			return false;
	}
	return true;
}
