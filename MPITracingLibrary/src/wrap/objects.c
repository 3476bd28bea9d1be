/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program and its libraries; see objects.h. */
#include "config.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "MPITracingLibrary/src/wrap/objects.h"

/* Where the object of a function begins; NULL: not known. */
static const void *objectBase(hdmpiCode *function)
{
	Dl_info info;

	return dladdr((const void *)(uintptr_t)function, &info) ? info.dli_fbase
								: NULL;
}

bool hdmpiObjectsAreOne(hdmpiCode *a, hdmpiCode *b)
{
	return objectBase(a) == objectBase(b);
}

bool hdmpiObjectDefines(hdmpiCode *function, const char *name)
{
	struct link_map *map = NULL;
	hdmpiCode *found = NULL;
	void *handle = NULL;
	Dl_info info;

	if (dladdr1((const void *)(uintptr_t)function, &info, (void **)&map,
		    RTLD_DL_LINKMAP) &&
	    map)
		handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return false;
	*(void **)&found = dlsym(handle, name);
	dlclose(handle);
	return found && hdmpiObjectsAreOne(found, function);
}

/* The first function of a name that is not in the object that asks. */
static hdmpiCode *objectNext(const char *name)
{
	hdmpiCode *found;

	*(void **)&found = dlsym(RTLD_NEXT, name);
	return found;
}

bool hdmpiObjectIsOurs(hdmpiCode *function)
{
	hdmpiCode *other = objectNext("hdMPI_enable");

	return hdmpiObjectsAreOne(function, (hdmpiCode *)hdmpiObjectIsOurs) ||
	       (other && hdmpiObjectsAreOne(function, other));
}

/* ---- What an object needs ---------------------------------------------- */

/* Its table of symbols. Those that it needs are before those in the table of
 * hash values. */
struct objectNames {
	const ElfW(Sym) * symbols;
	const char *texts;
	size_t count;
};

/* An address in the dynamic section, which the loader has made absolute on most
 * machines. */
static const void *objectAddress(const struct link_map *map, ElfW(Addr) value)
{
	return (const void *)(value < map->l_addr ? map->l_addr + value
						  : value);
}

static void objectNames(const struct link_map *map, struct objectNames *names)
{
	*names = (struct objectNames){ .count = 0 };
	for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++) {
		const void *address = objectAddress(map, at->d_un.d_ptr);

		if (at->d_tag == DT_SYMTAB)
			names->symbols = address;
		else if (at->d_tag == DT_STRTAB)
			names->texts = address;
		else if (at->d_tag == DT_GNU_HASH)
			names->count = ((const uint32_t *)address)[1];
		else if (at->d_tag == DT_HASH && names->count == 0)
			names->count = ((const uint32_t *)address)[1];
	}
}

static bool objectNeeds(const struct objectNames *names, size_t at)
{
	const ElfW(Sym) *symbol = &names->symbols[at];
	const char *name = names->texts + symbol->st_name;

	return symbol->st_shndx == SHN_UNDEF &&
	       (strncmp(name, "PMPI_", 5) == 0 ||
		strncmp(name, "pmpi", 4) == 0);
}

bool hdmpiObjectIsTool(hdmpiCode *function)
{
	struct link_map *map = NULL;
	struct objectNames names;
	Dl_info info;

	if (!dladdr1((const void *)(uintptr_t)function, &info, (void **)&map,
		     RTLD_DL_LINKMAP) ||
	    !map || !map->l_ld)
		return false;
	objectNames(map, &names);
	for (size_t i = 0; names.symbols && names.texts && i < names.count; i++)
		if (objectNeeds(&names, i))
			return true;
	return false;
}
