/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes of data sets; see expression.h. Parsed by precedence into postfix. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "PredictionLibrary/model/expression.h"

/* Longest expression, in bytes, and deepest nesting. */
#define TEXT_MAX 4096
#define DEPTH_MAX 100

/* A step of the evaluation: a number, a variable, or an operator. */
struct step {
	char kind; /* '0', 'v', 'n' (negate), '+', '-', '*', '/'. */
	uint32_t variable;
	double number;
};

struct hdPredictExpression {
	size_t count;
	struct step steps[];
};

struct parser {
	const char *at;
	char *const *variables;
	size_t variableCount;
	struct hdPredictExpression *out;
	const char *error;
	unsigned int depth;
};

static void blanks(struct parser *parser)
{
	while (*parser->at && strchr(" \t\r\n", *parser->at))
		parser->at++;
}

static void expressionEmitCode(struct parser *parser, char kind,
			       uint32_t variable, double number)
{
	/* No step without a letter of its own: there is room. */
	parser->out->steps[parser->out->count++] =
		(struct step){ kind, variable, number };
}

static bool expressionIsWord(char c, bool isFirst)
{
	return g_ascii_isalpha(c) || c == '_' || (c & 0x80) ||
	       (!isFirst && (g_ascii_isdigit(c) || c == '.' || c == ':'));
}

static void expressionParseSum(struct parser *parser);

static void variable(struct parser *parser)
{
	const char *from = parser->at;
	size_t length;

	while (expressionIsWord(*parser->at, false))
		parser->at++;
	length = (size_t)(parser->at - from);
	for (size_t i = 0; i < parser->variableCount; i++) {
		const char *name = parser->variables[i];

		if (strncmp(name, from, length) == 0 && !name[length]) {
			expressionEmitCode(parser, 'v', (uint32_t)i, 0);
			return;
		}
	}
	parser->error = "unknown variable of the kernel";
}

static void expressionParseFactor(struct parser *parser)
{
	char *end;
	double number;

	blanks(parser);
	if (++parser->depth > DEPTH_MAX) {
		parser->error = "nested too deeply";
		return;
	}
	if (*parser->at == '-' || *parser->at == '+') {
		char sign = *parser->at++;

		expressionParseFactor(parser);
		if (!parser->error && sign == '-')
			expressionEmitCode(parser, 'n', 0, 0);
	} else if (*parser->at == '(') {
		parser->at++;
		expressionParseSum(parser);
		if (!parser->error && *parser->at++ != ')')
			parser->error = "unclosed parenthesis";
	} else if (g_ascii_isdigit(*parser->at) || *parser->at == '.') {
		number = g_ascii_strtod(parser->at, &end);
		/* strtod() knows hexadecimal numbers. */
		if (end == parser->at || expressionIsWord(*end, false) ||
		    g_ascii_tolower(parser->at[1]) == 'x')
			parser->error = "invalid number";
		parser->at = end;
		expressionEmitCode(parser, '0', 0, number);
	} else if (expressionIsWord(*parser->at, true)) {
		variable(parser);
	} else {
		parser->error =
			*parser->at ? "missing number, variable or parenthesis"
				    : "unexpected end";
	}
	parser->depth--;
	if (!parser->error)
		blanks(parser);
}

static void product(struct parser *parser)
{
	expressionParseFactor(parser);
	while (!parser->error && (*parser->at == '*' || *parser->at == '/')) {
		char kind = *parser->at++;

		expressionParseFactor(parser);
		if (!parser->error)
			expressionEmitCode(parser, kind, 0, 0);
	}
}

static void expressionParseSum(struct parser *parser)
{
	product(parser);
	while (!parser->error && (*parser->at == '+' || *parser->at == '-')) {
		char kind = *parser->at++;

		product(parser);
		if (!parser->error)
			expressionEmitCode(parser, kind, 0, 0);
	}
}

int hdPredictExpressionParse(const char *text, char *const *variables,
			     size_t count, struct hdPredictExpression **result,
			     const char **error)
{
	size_t length = strlen(text);
	struct parser parser = { text, variables, count, NULL, NULL, 0 };

	if (length > TEXT_MAX) {
		*error = "too long";
		return -EINVAL;
	}
	parser.out = malloc(sizeof(*parser.out) +
			    (length + 1) * sizeof(struct step));
	if (!parser.out)
		return -ENOMEM;
	parser.out->count = 0;
	expressionParseSum(&parser);
	if (!parser.error && *parser.at)
		parser.error = "unexpected text after the expression";
	if (parser.error) {
		free(parser.out);
		*error = parser.error;
		return -EINVAL;
	}
	*result = parser.out;
	return 0;
}

const char *hdPredictExpressionSize(
	const struct hdPredictExpression *expression, const double *values,
	double *size)
{
	/* Operands wait for operators no longer than what is open. */
	double stack[TEXT_MAX / 2 + 2];
	size_t top = 0;

	for (size_t i = 0; i < expression->count; i++) {
		const struct step *step = &expression->steps[i];
		double right;

		if (step->kind == '0' || step->kind == 'v') {
			stack[top++] = step->kind == '0'
					       ? step->number
					       : values[step->variable];
			continue;
		}
		right = stack[--top];
		if (step->kind == 'n') {
			stack[top++] = -right;
			continue;
		}
		if (step->kind == '/' && right == 0)
			return "division by zero";
		top--;
		switch (step->kind) {
		case '+':
			stack[top] += right;
			break;
		case '-':
			stack[top] -= right;
			break;
		case '*':
			stack[top] *= right;
			break;
		default:
			stack[top] /= right;
			break;
		}
		top++;
	}
	if (isnan(stack[0]))
		return "not a number";
	if (stack[0] < 0)
		return "negative";
	*size = ceil(stack[0]);
	if (*size > HD_PREDICT_SIZE_MAX)
		return "more than 2^53 bytes";
	*size += 0.0; /* No -0. */
	return NULL;
}
