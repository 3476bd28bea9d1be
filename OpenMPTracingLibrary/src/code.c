/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of code; see code.h. */
#include "config.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "OpenMPTracingLibrary/src/code.h"

static const char *codeFind(const void *address, char *text)
{
	Dl_info info;
	const char *name;
	uintptr_t offset;

	if (!dladdr(address, &info) || !info.dli_fname)
		return NULL;
	name = strrchr(info.dli_fname, '/');
	name = name ? name + 1 : info.dli_fname;
	/* The call, not what comes after it. */
	offset = (uintptr_t)address - (uintptr_t)info.dli_fbase - 1;
	snprintf(text, OMP_CODE_MAX, "%.200s+0x%llx", name,
		 (unsigned long long)offset);
	return text;
}

const char *ompCode(struct ompCodes *codes, const void *address)
{
	size_t at = ((uintptr_t)address >> 2) % OMP_CODE_KNOWN;

	if (!address)
		return NULL;
	if (codes->known[at].address != address) {
		codes->known[at].address = NULL;
		if (!codeFind(address, codes->known[at].text))
			return NULL;
		codes->known[at].address = address;
	}
	return codes->known[at].text;
}
