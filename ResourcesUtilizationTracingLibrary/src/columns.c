/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of values; see source.h. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

int rutColumnsAdd(struct rutColumns *columns, const struct rutColumn *column,
		  const char *format, ...)
{
	va_list arguments;
	char *name;
	int ret;

	if (columns->count == columns->size) {
		size_t size = columns->size ? 2 * columns->size : 32;
		struct rutColumn *list =
			realloc(columns->list, size * sizeof(*list));

		if (!list)
			return -ENOMEM;
		columns->list = list;
		columns->size = size;
	}
	va_start(arguments, format);
	ret = vasprintf(&name, format, arguments);
	va_end(arguments);
	if (ret < 0)
		return -ENOMEM;
	columns->list[columns->count] = *column;
	columns->list[columns->count++].name = name;
	return 0;
}

void rutColumnsTruncate(struct rutColumns *columns, size_t count)
{
	while (columns->count > count)
		free(columns->list[--columns->count].name);
	if (count == 0) {
		free(columns->list);
		*columns = (struct rutColumns){ 0 };
	}
}
