/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where a call of a Fortran procedure goes.
 *
 * A preloaded library is the first one that a name is looked up in, so it gets
 * calls that belong to others: libraries have functions of their own with names
 * such as mpi_bcast_, with other arguments and results. So each name of MPI
 * that we export is an entry of a few instructions, which changes no argument
 * and jumps to
 *
 * - our wrapper, if the definition that follows ours is that of the MPI
 * library, or of a tool that wraps it, too (it uses MPI's names for profiling);
 * - else to the definition that follows ours, as if we were not there.
 *
 * Where there is none when the program starts, it belongs to what dlopen()
 * brings: it is looked up where the caller would have found it.
 *
 * Only the spelling of the usual compilers is exported, in lower case and with
 * one underscore at the end. It is weak: a program that is linked with libhdMPI
 * may have a function of that name itself.
 */
#ifndef HDMPI_FORWARD_H
#define HDMPI_FORWARD_H

#include <stddef.h>

/** Any function. */
typedef void hdmpiCode(void);

/** An entry. */
struct hdmpiForward {
	hdmpiCode *to;      /**< Where calls go. The first member; see below. */
	hdmpiCode *actual;  /**< What the wrapper calls; NULL: not loaded. */
	hdmpiCode *wrapper; /**< NULL: there is no such entry. */
	const char *name;
	const char *actualName;
};

/** Decide where the calls of @p count entries go. */
void hdmpiForwardsBegin(struct hdmpiForward *entries, size_t count);

/** Where calls go for which that is not decided yet. */
hdmpiCode hdmpiForwardLater __attribute__((__visibility__("hidden")));

/** Find out for one call, by its return address. */
hdmpiCode *hdmpiForwardFind(struct hdmpiForward *entry, const void *caller)
	__attribute__((__visibility__("hidden")));

#if defined(__x86_64__) && defined(__LP64__)
/* The entry is in a register that has no argument. */
_Static_assert(sizeof(struct hdmpiForward) == 40, "HDMPI_ENTRY says so");
#define HDMPI_ENTRY_OF(table, at, symbol)                        \
	__asm__(".pushsection .text\n"                           \
		"\t.p2align 4\n"                                 \
		"\t.weak " #symbol "\n"                          \
		"\t.type " #symbol ", @function\n" #symbol ":\n" \
		"\tendbr64\n"                                    \
		"\tleaq " #table " + 40 * " #at "(%rip), %r11\n" \
		"\tjmp *(%r11)\n"                                \
		"\t.size " #symbol ", . - " #symbol "\n"         \
		"\t.popsection\n");
#define HDMPI_ENTRY_IN(table, at, symbol) HDMPI_ENTRY_OF(table, at, symbol)
#define HDMPI_ENTRY(at, symbol, parameters, arguments) \
	HDMPI_ENTRY_IN(HDMPI_TABLE, at, symbol)
#else
/* All arguments that MPI knows are passed on. */
#define HDMPI_ENTRY(at, symbol, parameters, arguments)                      \
	void symbol parameters __attribute__((__weak__));                   \
	void symbol parameters                                              \
	{                                                                   \
		struct hdmpiForward *entry = &HDMPI_TABLE[at];              \
		hdmpiCode *to = entry->to;                                  \
                                                                            \
		if (to == hdmpiForwardLater)                                \
			to = hdmpiForwardFind(entry,                        \
					      __builtin_return_address(0)); \
		((__typeof__(&wrapped_##symbol))to) arguments;              \
	}
#endif

/** The function that a wrapper wraps. */
#define HDMPI_ACTUAL(at, symbol) ((__typeof__(&symbol))HDMPI_TABLE[at].actual)

#define HDMPI_ROW(at, symbol, actualSymbol)                                \
	[at] = { (hdmpiCode *)wrapped_##symbol, (hdmpiCode *)actualSymbol, \
		 (hdmpiCode *)wrapped_##symbol, #symbol, #actualSymbol }

#endif
