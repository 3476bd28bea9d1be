/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the numbers of a column are (doc/format/format.md).
 */
#ifndef HD_KIND_H
#define HD_KIND_H

/** Kinds of a column. */
enum hdKind {
	HD_KIND_GAUGE,   /**< A level that holds in its interval: W, %. */
	HD_KIND_COUNTER, /**< What a counter that grows shows at the end. */
	HD_KIND_DELTA, /**< An amount since the entry before: sum, and rate. */
};

/** Text of the attribute kind. */
static inline const char *hdKindName(enum hdKind kind)
{
	switch (kind) {
	case HD_KIND_COUNTER:
		return "counter";
	case HD_KIND_DELTA:
		return "delta";
	case HD_KIND_GAUGE:
		break;
	}
	return "gauge";
}

#endif
