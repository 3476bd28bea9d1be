/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The time stamp counter of x86 as a clock: whether it may be trusted, and how
 * fast it goes.
 *
 * It may be trusted if the processor says that it goes on at one rate in all
 * states of power (invariant, CPUID 80000007h EDX bit 8, "Invariant TSC" in the
 * Intel SDM 18.17.1), and Linux has not found the counters of its processors to
 * differ: then it offers "tsc" as a clock source.
 */
#ifndef HD_TSC_H
#define HD_TSC_H

#include <stdint.h>

/** What was found; tests make their own. */
struct hdTscFacts {
	int isX86;
	int hasCounter;   /**< CPUID 1 EDX bit 4. */
	int isInvariant;  /**< CPUID 80000007h EDX bit 8. */
	char sources[96]; /**< What Linux offers: "tsc hpet acpi_pm". */
};

/** Find out about this machine. */
void hdTscFind(struct hdTscFacts *facts);

/** @return NULL if the counter may be trusted, else why not. */
const char *hdTscRefusal(const struct hdTscFacts *facts);

/** Read the counter, after all that was before it is done; 0 if there is none.
 */
static inline uint64_t hdTscRead(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/** Read the counter, maybe some nanoseconds before all that was before it is
 *  done: this takes half as long. */
static inline uint64_t hdTscReadEarly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/**
 * Compare the counter with CLOCK_MONOTONIC; this takes as long as it is told,
 * on the processor.
 *
 * @param ns For how long, at least.
 *
 * @return Nanoseconds of a tick; 0 if the counter does not go on.
 */
double hdTscCalibrate(int64_t ns);

#endif
