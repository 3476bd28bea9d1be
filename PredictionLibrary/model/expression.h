/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sizes of data sets: numbers, variables of a kernel, + - * / and parentheses.
 */
#ifndef HD_PREDICT_EXPRESSION_H
#define HD_PREDICT_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

/** Largest size of a data set, in bytes; whole numbers are exact up to it. */
#define HD_PREDICT_SIZE_MAX 9007199254740992.0
/** Largest priority of a task: a double has all up to it. */
#define HD_PREDICT_PRIORITY_MAX (INT64_C(1) << 53)

/** An expression, ready to be evaluated. */
struct hdPredictExpression;

/**
 * Parse an expression.
 *
 * @param text The expression.
 * @param variables Names of variables, in the order of their values.
 * @param count Number of these.
 * @param[out] result The expression, to be freed with free().
 * @param[out] error What is wrong, a static text, if -EINVAL.
 *
 * @retval 0 Success.
 * @retval -EINVAL Not an expression; @p error says why.
 * @retval -ENOMEM No memory.
 */
int hdPredictExpressionParse(const char *text, char *const *variables,
			     size_t count, struct hdPredictExpression **result,
			     const char **error);

/**
 * Get a size: a fraction of a byte counts as a byte.
 *
 * @param expression The expression.
 * @param values Of the variables.
 * @param[out] size In bytes, a whole number.
 *
 * @retval NULL Success.
 * @return Why there is no size: a static text.
 */
const char *hdPredictExpressionSize(
	const struct hdPredictExpression *expression, const double *values,
	double *size);

#endif
