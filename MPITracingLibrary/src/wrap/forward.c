/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a call of a Fortran procedure goes; see forward.h. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/wrap/forward.h"
#include "MPITracingLibrary/src/wrap/objects.h"

static hdmpiCode *forwardLook(void *handle, const char *name)
{
	hdmpiCode *found;

	*(void **)&found = dlsym(handle, name);
	return found;
}

/* ---- When the program starts ------------------------------------------- */

static void forwardDecide(struct hdmpiForward *entry)
{
	hdmpiCode *next = forwardLook(RTLD_NEXT, entry->name);

	if (!next) {
		entry->to = entry->actual ? entry->wrapper : hdmpiForwardLater;
		return;
	}
	if (!entry->actual) {
		entry->to = next;
	} else if (hdmpiObjectsAreOne(next, entry->actual) ||
		   hdmpiObjectDefines(next, entry->actualName) ||
		   hdmpiObjectIsOurs(next)) {
		entry->to = entry->wrapper;
	} else if (hdmpiObjectIsTool(next)) {
		entry->actual = next;
		entry->to = entry->wrapper;
	} else {
		entry->to = next;
	}
}

void hdmpiForwardsBegin(struct hdmpiForward *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (entries[i].wrapper)
			forwardDecide(&entries[i]);
}

/* ---- Later --------------------------------------------------------------- */

/* The object that called, as dlsym() wants it; to be closed. */
static void *forwardCaller(const void *caller)
{
	struct link_map *map = NULL;
	Dl_info info;

	if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return NULL;
	return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

/* What the loader does, which would have said it before. */
static hdmpiCode *forwardFail(const struct hdmpiForward *entry)
{
	fprintf(stderr, "%s: symbol lookup error: undefined symbol: %s\n",
		program_invocation_name, entry->name);
	abort();
}

/* Such an object may have both procedures of MPI, or one of its own. */
hdmpiCode *hdmpiForwardFind(struct hdmpiForward *entry, const void *caller)
{
	void *handle = forwardCaller(caller);
	hdmpiCode *next = NULL, *actual = NULL;

	if (handle) {
		next = forwardLook(handle, entry->name);
		actual = forwardLook(handle, entry->actualName);
		dlclose(handle);
	}
	if (!next || hdmpiObjectIsOurs(next))
		return forwardFail(entry);
	if (!actual || !hdmpiObjectsAreOne(next, actual))
		return next;
	entry->actual = actual;
	return entry->wrapper;
}

#if defined(__x86_64__) && defined(__LP64__)
/* All that may hold an argument is kept: integers, vectors, and how many of
 * these there are. Each XMM register's upper half is memory's, as of the ABI.
 */
__asm__(".pushsection .text\n"
	"\t.p2align 4\n"
	"\t.hidden hdmpiForwardLater\n"
	"\t.globl hdmpiForwardLater\n"
	"\t.type hdmpiForwardLater, @function\n"
	"hdmpiForwardLater:\n"
	"\t.cfi_startproc\n"
	"\tendbr64\n"
	"\tpushq %rbp\n"
	"\t.cfi_def_cfa_offset 16\n"
	"\t.cfi_offset %rbp, -16\n"
	"\tmovq %rsp, %rbp\n"
	"\t.cfi_def_cfa_register %rbp\n"
	"\tsubq $192, %rsp\n"
	"\tmovq %rdi, (%rsp)\n"
	"\tmovq %rsi, 8(%rsp)\n"
	"\tmovq %rdx, 16(%rsp)\n"
	"\tmovq %rcx, 24(%rsp)\n"
	"\tmovq %r8, 32(%rsp)\n"
	"\tmovq %r9, 40(%rsp)\n"
	"\tmovq %rax, 48(%rsp)\n"
	"\tmovq %r10, 56(%rsp)\n"
	"\tmovaps %xmm0, 64(%rsp)\n"
	"\tmovaps %xmm1, 80(%rsp)\n"
	"\tmovaps %xmm2, 96(%rsp)\n"
	"\tmovaps %xmm3, 112(%rsp)\n"
	"\tmovaps %xmm4, 128(%rsp)\n"
	"\tmovaps %xmm5, 144(%rsp)\n"
	"\tmovaps %xmm6, 160(%rsp)\n"
	"\tmovaps %xmm7, 176(%rsp)\n"
	"\tmovq %r11, %rdi\n"
	"\tmovq 8(%rbp), %rsi\n"
	"\tcall hdmpiForwardFind\n"
	"\tmovq %rax, %r11\n"
	"\tmovq (%rsp), %rdi\n"
	"\tmovq 8(%rsp), %rsi\n"
	"\tmovq 16(%rsp), %rdx\n"
	"\tmovq 24(%rsp), %rcx\n"
	"\tmovq 32(%rsp), %r8\n"
	"\tmovq 40(%rsp), %r9\n"
	"\tmovq 48(%rsp), %rax\n"
	"\tmovq 56(%rsp), %r10\n"
	"\tmovaps 64(%rsp), %xmm0\n"
	"\tmovaps 80(%rsp), %xmm1\n"
	"\tmovaps 96(%rsp), %xmm2\n"
	"\tmovaps 112(%rsp), %xmm3\n"
	"\tmovaps 128(%rsp), %xmm4\n"
	"\tmovaps 144(%rsp), %xmm5\n"
	"\tmovaps 160(%rsp), %xmm6\n"
	"\tmovaps 176(%rsp), %xmm7\n"
	"\tleave\n"
	"\t.cfi_def_cfa %rsp, 8\n"
	"\tjmp *%r11\n"
	"\t.cfi_endproc\n"
	"\t.size hdmpiForwardLater, . - hdmpiForwardLater\n"
	"\t.popsection\n");
#else
/* Where that is not known is looked up by the entries themselves. */
void hdmpiForwardLater(void)
{
}
#endif
