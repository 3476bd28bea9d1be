/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What LTTng-UST records of the works. LTTng includes this file again and again
 * by itself.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hdbench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/bench/bench-lttng.h"

/* clang-format off */
#if !defined(BENCH_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(hdbench, enter,
	LTTNG_UST_TP_ARGS(uint32_t, region),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, region, region)))

LTTNG_UST_TRACEPOINT_EVENT(hdbench, leave,
	LTTNG_UST_TP_ARGS(uint32_t, region),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, region, region)))

LTTNG_UST_TRACEPOINT_EVENT(hdbench, send,
	LTTNG_UST_TP_ARGS(uint32_t, region, int64_t, size, int64_t, count,
		int64_t, tid, int64_t, rank, int64_t, tag, int64_t, cid),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, region, region)
		lttng_ust_field_integer(int64_t, size, size)
		lttng_ust_field_integer(int64_t, count, count)
		lttng_ust_field_integer(int64_t, tid, tid)
		lttng_ust_field_integer(int64_t, toRank, rank)
		lttng_ust_field_integer(int64_t, toTag, tag)
		lttng_ust_field_integer(int64_t, cid, cid)))

LTTNG_UST_TRACEPOINT_EVENT(hdbench, mixture,
	LTTNG_UST_TP_ARGS(uint32_t, region, int64_t, size, int64_t, rank,
		int64_t, tag, int64_t, cid, double, residuum,
		const char *, file),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, region, region)
		lttng_ust_field_integer(int64_t, size, size)
		lttng_ust_field_integer(int64_t, toRank, rank)
		lttng_ust_field_integer(int64_t, toTag, tag)
		lttng_ust_field_integer(int64_t, cid, cid)
		lttng_ust_field_float(double, residuum, residuum)
		lttng_ust_field_string(file, file)))

LTTNG_UST_TRACEPOINT_EVENT(hdbench, entry,
	LTTNG_UST_TP_ARGS(const double *, values),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_float(double, v0, values[0])
		lttng_ust_field_float(double, v1, values[1])
		lttng_ust_field_float(double, v2, values[2])
		lttng_ust_field_float(double, v3, values[3])
		lttng_ust_field_float(double, v4, values[4])
		lttng_ust_field_float(double, v5, values[5])
		lttng_ust_field_float(double, v6, values[6])
		lttng_ust_field_float(double, v7, values[7])
		lttng_ust_field_float(double, v8, values[8])
		lttng_ust_field_float(double, v9, values[9])
		lttng_ust_field_float(double, v10, values[10])
		lttng_ust_field_float(double, v11, values[11])
		lttng_ust_field_float(double, v12, values[12])
		lttng_ust_field_float(double, v13, values[13])
		lttng_ust_field_float(double, v14, values[14])))

#endif
#include <lttng/tracepoint-event.h>
