/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration files; see ini.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ini.h"

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
