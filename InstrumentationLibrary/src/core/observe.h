/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who is called at measurements, besides their being counted.
 *
 * That a probe is observed stands beside its sampling, and in the result of its
 * begin; so it costs nothing where nobody observes.
 */
#ifndef HD_PROBE_OBSERVE_H
#define HD_PROBE_OBSERVE_H

#include "InstrumentationLibrary/src/core/page.h"

/** What a begin says in its result, beside the time: that somebody is called or
 *  events are counted at its end; and that somebody is called. */
#define HD_PROBE_BEGUN_RARE (UINT64_C(1) << 63)
#define HD_PROBE_BEGUN_OBSERVED (UINT64_C(1) << 62)
#define HD_PROBE_BEGUN_MORE (HD_PROBE_BEGUN_RARE | HD_PROBE_BEGUN_OBSERVED)

/** Change the bits of a mask in a probe's sampling. */
void hdProbeSetEvery(struct hdProbeEntry *entry, uint64_t bits, uint64_t mask);

/** A probe has got its number and name. */
void hdProbeObserveNew(struct hdProbeEntry *entry);

void hdProbeObserveBegin(const struct hdProbeEntry *entry);
void hdProbeObserveEnd(const struct hdProbeEntry *entry);

#endif
