/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The CPU time of this process, beside its MPI calls.
 */
#ifndef HDMPI_CPU_H
#define HDMPI_CPU_H

#include <stdatomic.h>
#include <stdint.h>

#include <hdTopology.h>

/** From when on an entry is due. */
extern _Atomic int64_t hdmpiCpuDue;

/** Begin to record it. @p rank is the node of this process. */
void hdmpiCpuStart(hdTopoNode *rank, int64_t nowNs);

/** Slow part of hdmpiCpuMark(). */
void hdmpiCpuTake(int64_t nowNs);

/** A call has ended. */
static inline void hdmpiCpuMark(int64_t nowNs)
{
	if (__builtin_expect(nowNs >=
				     atomic_load_explicit(&hdmpiCpuDue,
							  memory_order_relaxed),
			     0))
		hdmpiCpuTake(nowNs);
}

/** End it, with what was used until now. */
void hdmpiCpuEnd(void);

#endif
