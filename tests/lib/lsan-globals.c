/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * LeakSanitizer ends each program by looking for pointers in all global
 * variables. The largest of these are tables of AddressSanitizer itself, 6 MB
 * that hold no memory of the program. To read them takes 40 % of the CPU time
 * of a short program, and tests start a command ten thousand times.
 * ./check links this file into programs with AddressSanitizer: of the library
 * of the sanitizer only what is in its file is looked through, not what is zero
 * at the start.
 *
 * Nobody else sees a difference: libgcc and libhdMPI's own unwinding, which
 * list libraries by the same function, get what the loader says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

typedef int listCallback(struct dl_phdr_info *info, size_t size, void *data);

/* What the loader has. */
static int (*listAll)(listCallback *callback, void *data);

/* The library of the sanitizer: its code, and its headers without zeroes. */
static struct {
	uintptr_t start, end;
	const ElfW(Phdr) * headers;
	ElfW(Phdr) cut[16];
} runtime;

struct lsanCall {
	listCallback *callback;
	void *data;
};

static int lsanFindRuntime(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = strrchr(info->dlpi_name, '/');

	(void)size;
	(void)data;
	if (!name || strncmp(name, "/libasan.", strlen("/libasan.")) != 0 ||
	    info->dlpi_phnum > sizeof(runtime.cut) / sizeof(runtime.cut[0]))
		return 0;
	runtime.headers = info->dlpi_phdr;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		ElfW(Phdr) *header = &runtime.cut[i];

		*header = info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD)
			continue;
		if (header->p_flags & PF_W)
			header->p_memsz = header->p_filesz;
		if (header->p_flags & PF_X) {
			runtime.start = info->dlpi_addr + header->p_vaddr;
			runtime.end = runtime.start + header->p_memsz;
		}
	}
	return 1;
}

/* The sanitizer may ask before this is called. */
static void __attribute__((constructor)) lsanPrepare(void)
{
	if (listAll)
		return;
	*(void **)&listAll = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	listAll(lsanFindRuntime, NULL);
}

static int lsanCut(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct lsanCall *call = data;
	struct dl_phdr_info cut = *info;

	if (info->dlpi_phdr == runtime.headers)
		cut.dlpi_phdr = runtime.cut;
	return call->callback(&cut, size, call->data);
}

/* In the place of that of the C library. */
int dl_iterate_phdr(listCallback *callback, void *data)
{
	struct lsanCall call = { callback, data };

	lsanPrepare();
	if ((uintptr_t)callback < runtime.start ||
	    (uintptr_t)callback >= runtime.end)
		return listAll(callback, data);
	return listAll(lsanCut, &call);
}
