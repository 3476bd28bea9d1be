/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether a level is reached, and the probable reason if it is not.
 */
#ifndef HD_LOAD_JUDGE_H
#define HD_LOAD_JUDGE_H

#include "LoadLevels/core/levels.h"

/** Compare the reached load with the target, and set isReached. */
void hdLevelJudgeShare(struct hdLevelResult *result);

/** Compare the rate of operations with the target, a fraction of @p maximum per
 *  second, and set isReached. */
void hdLevelJudgeRate(struct hdLevelResult *result, double maximum);

/** Find why a level is not reached; @p throttled is what hdLoadThrottled() was
 *  at the start. Call it in a thread that is not pinned. */
void hdLevelFindReason(const struct hdLevelJob *job, int64_t throttled,
		       struct hdLevelResult *result);

#endif
