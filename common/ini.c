/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration files; see ini.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ini.h"
#include "common/number.h"

struct iniParser {
	struct hdIni *ini;
	hdIniReport *report;
	void *context;
	long line;
	/* Keys are not taken: the line that begins the section is wrong. */
	int isLost;
};

static void iniReport(const struct iniParser *parser, const char *text)
{
	parser->report(parser->context, parser->line, text);
}

/* Room for one more element of an array that doubles: NULL without memory. */
static void *iniGrow(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * count : 1, size);
}

static int iniIsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Cut the blanks at both ends. */
static char *iniTrim(char *text)
{
	size_t length;

	while (iniIsBlank(*text))
		text++;
	length = strlen(text);
	while (length > 0 && iniIsBlank(text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

static int iniSection(struct iniParser *parser, char *text)
{
	struct hdIni *ini = parser->ini;
	size_t length = strlen(text);
	struct hdIniSection *list;

	parser->isLost = 1;
	if (text[length - 1] != ']') {
		iniReport(parser, "invalid section; expected [Name]");
		return 0;
	}
	text[length - 1] = '\0';
	text = iniTrim(text + 1);
	if (!*text) {
		iniReport(parser, "section without a name");
		return 0;
	}
	list = iniGrow(ini->sections, ini->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	ini->sections = list;
	list[ini->count++] = (struct hdIniSection){
		.name = text,
		.line = parser->line,
	};
	parser->isLost = 0;
	return 0;
}

static int iniKey(struct iniParser *parser, char *text)
{
	struct hdIni *ini = parser->ini;
	struct hdIniSection *section;
	const struct hdIniKey *other;
	char *equal = strchr(text, '=');
	struct hdIniKey *list;

	if (parser->isLost)
		return 0;
	if (!equal) {
		iniReport(parser, "neither [Section] nor key=value");
		return 0;
	}
	if (ini->count == 0) {
		iniReport(parser, "key before the first [Section]");
		return 0;
	}
	section = &ini->sections[ini->count - 1];
	*equal = '\0';
	text = iniTrim(text);
	if (!*text) {
		iniReport(parser, "value without a key");
		return 0;
	}
	other = hdIniFind(section, text);
	if (other) {
		char message[200];

		snprintf(message, sizeof(message),
			 "%.100s is set twice; first in line %ld", text,
			 other->line);
		iniReport(parser, message);
		return 0;
	}
	list = iniGrow(section->keys, section->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	section->keys = list;
	list[section->count++] = (struct hdIniKey){
		.name = text,
		.value = iniTrim(equal + 1),
		.line = parser->line,
	};
	return 0;
}

static int iniLine(struct iniParser *parser, char *line, size_t length)
{
	char *text;

	parser->line++;
	if (memchr(line, '\0', length)) {
		iniReport(parser, "a NUL byte: not a text file");
		return 0;
	}
	text = iniTrim(line);
	if (*text == '\0' || *text == '#' || *text == ';')
		return 0;
	return *text == '[' ? iniSection(parser, text) : iniKey(parser, text);
}

/* Parse a text that ends with a zero and belongs to ini. */
static int iniParseOwned(struct iniParser *parser, size_t length)
{
	char *at = parser->ini->text, *end = at + length;
	int ret = 0;

	if (length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (ret == 0 && at < end) {
		char *next = memchr(at, '\n', (size_t)(end - at));

		if (!next)
			next = end;
		*next = '\0';
		ret = iniLine(parser, at, (size_t)(next - at));
		at = next + 1;
	}
	if (ret < 0)
		hdIniClear(parser->ini);
	return ret;
}

int hdIniParse(const char *text, size_t length, hdIniReport *report,
	       void *context, struct hdIni *ini)
{
	struct iniParser parser = { ini, report, context, 0, 0 };

	*ini = (struct hdIni){ .text = malloc(length + 1) };
	if (!ini->text)
		return -ENOMEM;
	memcpy(ini->text, text, length);
	ini->text[length] = '\0';
	return iniParseOwned(&parser, length);
}

int hdIniRead(const char *path, hdIniReport *report, void *context,
	      struct hdIni *ini)
{
	struct iniParser parser = { ini, report, context, 0, 0 };
	size_t length = 0;
	int fd, ret = 0;

	*ini = (struct hdIni){ .text = malloc(HD_INI_MAX + 2) };
	if (!ini->text)
		return -ENOMEM;
	/* A pipe without a writer must not hold us up. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		ret = -errno;
	while (ret == 0 && length <= HD_INI_MAX) {
		ssize_t got =
			read(fd, ini->text + length, HD_INI_MAX + 1 - length);

		if (got == 0)
			break;
		if (got > 0)
			length += (size_t)got;
		else if (errno != EINTR)
			ret = -errno;
	}
	if (fd >= 0)
		close(fd);
	if (ret == 0 && length > HD_INI_MAX)
		ret = -EFBIG;
	if (ret < 0) {
		hdIniClear(ini);
		return ret;
	}
	ini->text[length] = '\0';
	return iniParseOwned(&parser, length);
}

const struct hdIniKey *hdIniFind(const struct hdIniSection *section,
				 const char *name)
{
	for (size_t i = 0; i < section->count; i++)
		if (strcmp(section->keys[i].name, name) == 0)
			return &section->keys[i];
	return NULL;
}

void hdIniClear(struct hdIni *ini)
{
	for (size_t i = 0; i < ini->count; i++)
		free(ini->sections[i].keys);
	free(ini->sections);
	free(ini->text);
	*ini = (struct hdIni){ 0 };
}

/* ---- Tables of sections and keys ----------------------------------------- */

void hdIniSay(hdIniReport *report, void *context, long line, const char *format,
	      ...)
{
	char text[700];
	va_list arguments;

	if (!report)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	report(context, line, text);
}

static bool iniIsOf(const struct hdIniPart *part, const char *name)
{
	size_t length = strlen(part->name);

	return strncmp(part->name, name, length) == 0 &&
	       (!name[length] || part->name[length - 1] == ' ');
}

/* The first section of a part, or NULL. */
static const struct hdIniSection *iniFirst(const struct hdIni *ini,
					   const struct hdIniPart *part)
{
	for (size_t i = 0; i < ini->count; i++)
		if (iniIsOf(part, ini->sections[i].name))
			return &ini->sections[i];
	return NULL;
}

/* The part of a section; NULL if there is none or the section is a duplicate,
 * which is reported unless @p report is NULL. */
static const struct hdIniPart *iniPartOf(const struct hdIni *ini,
					 const struct hdIniSection *section,
					 const struct hdIniPart *part,
					 const char *expected,
					 hdIniReport *report, void *context)
{
	while (part->name && !iniIsOf(part, section->name))
		part++;
	if (!part->name)
		hdIniSay(report, context, section->line,
			 "unknown section [%.60s]; expected %s", section->name,
			 expected);
	else if (part->isOnce && iniFirst(ini, part) != section)
		hdIniSay(report, context, section->line,
			 "duplicate section [%.60s]; the first one is in line "
			 "%ld",
			 section->name, iniFirst(ini, part)->line);
	else
		return part;
	return NULL;
}

void hdIniSections(const struct hdIni *ini, const struct hdIniPart *parts,
		   const char *expected, hdIniReport *report, void *context)
{
	const struct hdIniPart *part;

	for (size_t i = 0; i < ini->count; i++)
		iniPartOf(ini, &ini->sections[i], parts, expected, report,
			  context);
	for (part = parts; part->name; part++)
		if (part->isNeeded && !iniFirst(ini, part))
			hdIniSay(report, context, 0, "missing section [%s%s]",
				 part->name,
				 part->name[strlen(part->name) - 1] == ' '
					 ? "NAME"
					 : "");
	for (size_t i = 0; i < ini->count; i++) {
		part = iniPartOf(ini, &ini->sections[i], parts, expected, NULL,
				 context);
		if (part && part->take)
			part->take(&ini->sections[i], context);
	}
}

int hdIniNumbers(const char *text, double *values, size_t most, size_t *count)
{
	char number[64];

	*count = 0;
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t length = strcspn(text, " \t");

		if (*count == most || length >= sizeof(number))
			return -EINVAL;
		memcpy(number, text, length);
		number[length] = '\0';
		if (hdNumberParse(number, &values[*count]) < 0)
			return -EINVAL;
		(*count)++;
		text += length;
	}
	return 0;
}

/* Whether a value was read. */
static bool iniTakeNumber(const struct hdIniField *field, const char *text,
			  void *target)
{
	bool isWhole = field->type == HD_INI_WHOLE;
	double value;

	if (hdNumberParse(text, &value) < 0 ||
	    (isWhole && text[strspn(text, "-0123456789")]) ||
	    (field->min != field->max &&
	     (value < field->min || value > field->max)))
		return false;
	if (isWhole)
		*(int64_t *)target = (int64_t)value * field->unit;
	else
		*(double *)target = value;
	return true;
}

static void iniTakeKey(const struct hdIniField *field,
		       const struct hdIniKey *key, void *target,
		       hdIniReport *report, void *context)
{
	char limits[80] = "";

	if (field->type == HD_INI_TEXT) {
		*(const char **)target = key->value;
		if (!*key->value)
			hdIniSay(report, context, key->line, "%s= is empty",
				 key->name);
	} else if (field->type != HD_INI_OTHER &&
		   !iniTakeNumber(field, key->value, target)) {
		if (field->min != field->max)
			snprintf(limits, sizeof(limits),
				 isinf(field->max)
					 ? "; expected at least %.10g"
					 : "; expected %.10g to %.10g",
				 field->min, field->max);
		hdIniSay(report, context, key->line,
			 "%s=%.60s: invalid number%s", key->name, key->value,
			 limits);
	}
}

void hdIniTake(const struct hdIniSection *section,
	       const struct hdIniField *fields, void *target,
	       hdIniReport *report, void *context)
{
	const struct hdIniField *field;
	char list[400] = "";

	for (field = fields; field->name; field++) {
		const struct hdIniKey *key = hdIniFind(section, field->name);
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s",
			 used ? ", " : "", field->name);
		if (key)
			iniTakeKey(field, key, (char *)target + field->offset,
				   report, context);
		else if (field->isNeeded)
			hdIniSay(report, context, section->line,
				 "[%.60s]: missing key %s=", section->name,
				 field->name);
	}
	for (size_t i = 0; i < section->count; i++) {
		const struct hdIniKey *key = &section->keys[i];

		for (field = fields; field->name; field++)
			if (strcmp(field->name, key->name) == 0)
				break;
		if (!field->name)
			hdIniSay(report, context, key->line,
				 "unknown key \"%.60s\" in [%.60s]; expected "
				 "one of %s",
				 key->name, section->name, list);
	}
}
