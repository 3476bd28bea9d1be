/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that read the configuration share; see parse.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/parse.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

static void parsePrint(struct ptParse *parse, const char *name, long line,
		       const char *format, va_list arguments)
{
	char text[900];

	vsnprintf(text, sizeof(text), format, arguments);
	/* What came from the file may be anything. */
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	parse->errors++;
	if (name)
		ptMessage(HD_LOG_ERROR, "%s: %s", name, text);
	else if (line > 0)
		ptMessage(HD_LOG_ERROR, "%s:%ld: %s", parse->request->file,
			  line, text);
	else
		ptMessage(HD_LOG_ERROR, "%s: %s", parse->request->file, text);
}

void ptParseFail(struct ptParse *parse, const struct hdIniKey *key,
		 const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	parsePrint(parse, key->line == 0 ? key->name : NULL, key->line, format,
		   arguments);
	va_end(arguments);
}

void ptParseFailAt(struct ptParse *parse, long line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	parsePrint(parse, NULL, line, format, arguments);
	va_end(arguments);
}

void ptParseReport(void *context, long line, const char *text)
{
	ptParseFailAt(context, line, "%s", text);
}

bool ptParseGot(struct ptParse *parse, const void *memory)
{
	if (!memory)
		parse->isOutOfMemory = true;
	return memory != NULL;
}

void ptParseList(char *list, size_t size, const char *name)
{
	size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

const struct hdIniKey *ptParseNeed(struct ptParse *parse,
				   const struct hdIniSection *section,
				   const char *name)
{
	const struct hdIniKey *key = hdIniFind(section, name);

	if (!key) {
		ptParseFailAt(parse, section->line,
			      "[%s]: missing key %s=", section->name, name);
		return NULL;
	}
	if (*key->value)
		return key;
	ptParseFail(parse, key, "%s= is empty", name);
	return NULL;
}

bool ptParseIsIn(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

void ptParseOldNames(struct ptParse *parse, struct hdIni *ini)
{
	static const char *const names[][2] = { { "channel", "input" },
						{ "channels", "inputs" } };

	for (size_t i = 0; i < ini->count; i++) {
		struct hdIniSection *section = &ini->sections[i];

		for (size_t k = 0; k < section->count; k++) {
			struct hdIniKey *key = &section->keys[k];
			const char *name = NULL;

			for (size_t n = 0; n < 2; n++)
				if (strcmp(key->name, names[n][0]) == 0)
					name = names[n][1];
			if (name && hdIniFind(section, name))
				ptParseFail(parse, key,
					    "%s= is the old name of %s=; "
					    "remove one of them",
					    key->name, name);
			if (name)
				key->name = name;
		}
	}
}

void ptParseUnknown(struct ptParse *parse, const struct hdIniSection *section,
		    const char *const *known, const char *const *options)
{
	char list[400] = "";

	for (const char *const *name = known; *name; name++)
		ptParseList(list, sizeof(list), *name);
	for (const char *const *name = options; name && *name; name++)
		ptParseList(list, sizeof(list), *name);
	for (size_t i = 0; i < section->count; i++) {
		const struct hdIniKey *key = &section->keys[i];

		if (!ptParseIsIn(known, key->name) &&
		    !ptParseIsIn(options, key->name))
			ptParseFail(parse, key,
				    "unknown key \"%.60s\" in [%s]; expected "
				    "one of %s",
				    key->name, section->name, list);
	}
}

char **ptParseSplit(struct ptParse *parse, const char *text, char separator,
		    size_t *count)
{
	size_t parts = 1, length = strlen(text) + 1;
	char **list, *at;

	for (const char *c = text; *c; c++)
		parts += *c == separator;
	list = malloc(parts * sizeof(*list) + length);
	if (!ptParseGot(parse, list))
		return NULL;
	at = memcpy(list + parts, text, length);
	for (size_t i = 0; i < parts; i++) {
		char *end = strchr(at, separator), *next;

		if (!end)
			end = at + strlen(at);
		next = end + 1;
		while (*at == ' ' || *at == '\t')
			at++;
		while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		*end = '\0';
		list[i] = at;
		at = next;
	}
	*count = parts;
	return list;
}

bool ptParseLabels(struct ptParse *parse, const struct hdIniKey *key,
		   char *const *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = labels[i];

		while ((*at >= 'a' && *at <= 'z') ||
		       (*at >= 'A' && *at <= 'Z') ||
		       (*at >= '0' && *at <= '9') || *at == '.' || *at == '-')
			at++;
		if (*at || at == labels[i]) {
			ptParseFail(
				parse, key,
				"\"%.60s\": invalid name; labels between \"_\" "
				"consist of letters, digits, \".\" and \"-\"",
				key->value);
			return false;
		}
	}
	return true;
}
