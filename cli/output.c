/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Numbers, safe text, CSV and JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/output.h"
#include "common/clock.h"
#include "common/number.h"

/* ---- Numbers and text -------------------------------------------------- */

/** NaN and infinities, as other tools write them, too. */
static const char *special(char *buffer, double value)
{
	strcpy(buffer, isnan(value) ? "NaN" : value > 0 ? "Inf" : "-Inf");
	return buffer;
}

const char *outDouble(char *buffer, double value)
{
	if (!isfinite(value))
		return special(buffer, value);
	hdNumberPrepare();
	*hdNumberDouble(buffer, value) = '\0';
	return buffer;
}

const char *outFloat(char *buffer, float value)
{
	if (!isfinite(value))
		return special(buffer, (double)value);
	hdNumberPrepare();
	*hdNumberFloat(buffer, value) = '\0';
	return buffer;
}

static int outDigits = OUT_PRECISION;

void outSetPrecision(int digits)
{
	outDigits = CLAMP(digits, 1, OUT_PRECISION_MAX);
}

int outPrecision(void)
{
	return outDigits;
}

/** Write a number with an exponent; returns the exponent. */
static int outExponent(char *buffer, double value)
{
	snprintf(buffer, OUT_NUMBER_SIZE, "%.*e", outDigits - 1, value);
	return (int)strtol(strchr(buffer, 'e') + 1, NULL, 10);
}

int outDecimals(double value)
{
	char buffer[OUT_NUMBER_SIZE];

	/* The exponent after rounding: 99.9999 is 100.0. */
	return isfinite(value) ? outDigits - 1 - outExponent(buffer, value) : 0;
}

/** Whether a number is an integer, up to what computing it in doubles left
 * over. */
static bool outIsInteger(double value)
{
	double off = fabs(value - round(value));

	return off == 0 || (outDigits <= 12 && off <= 1e-13 * fabs(value));
}

const char *outRounded(char *buffer, double value)
{
	int exponent;

	if (!isfinite(value))
		return special(buffer, value);
	exponent = outExponent(buffer, value);
	if (exponent >= 12 || exponent < -4)
		return buffer;
	snprintf(buffer, OUT_NUMBER_SIZE, "%.*f",
		 outIsInteger(value) ? 0 : MAX(outDigits - 1 - exponent, 0),
		 value);
	return buffer;
}

const char *outInteger(char *buffer, outInt128 value)
{
	const uint64_t base = UINT64_C(1000000000000000000);
	unsigned __int128 rest = value < 0 ? -(unsigned __int128)value
					   : (unsigned __int128)value;
	uint64_t parts[3];
	size_t count = 0;
	char *end = buffer;

	if (value >= INT64_MIN && value <= INT64_MAX) {
		*hdNumberInt64(buffer, (int64_t)value) = '\0';
		return buffer;
	}
	do {
		parts[count++] = (uint64_t)(rest % base);
		rest /= base;
	} while (rest);
	if (value < 0)
		*end++ = '-';
	end = hdNumberUint64(end, parts[--count]);
	while (count) {
		uint64_t part = parts[--count];

		for (int i = 17; i >= 0; i--) {
			end[i] = (char)('0' + part % 10);
			part /= 10;
		}
		end += 18;
	}
	*end = '\0';
	return buffer;
}

const char *outSeconds(char *buffer, int64_t ns)
{
	char *end = buffer;

	/* That of the smallest number does not fit into an integer. */
	if (ns == INT64_MIN)
		return strcpy(buffer, "-9223372036.854775808");
	if (ns < 0)
		*end++ = '-';
	hdNumberPrepare();
	*hdNumberTime(end, ns < 0 ? -ns : ns) = '\0';
	return buffer;
}

const char *outDate(char *buffer, int64_t ns, int decimals)
{
	int64_t seconds = ns / HD_NS_PER_S;
	int64_t rest = ns % HD_NS_PER_S;
	time_t when;
	struct tm tm;
	size_t length;

	if (rest < 0) {
		rest += HD_NS_PER_S;
		seconds--;
	}
	when = (time_t)seconds;
	if (!gmtime_r(&when, &tm))
		return outSeconds(buffer, ns);
	length = strftime(buffer, OUT_NUMBER_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
	length += (size_t)snprintf(buffer + length, OUT_NUMBER_SIZE - length,
				   ".%09" PRId64, rest);
	buffer[length - 9 + (size_t)decimals] = '\0';
	return buffer;
}

const char *outDuration(char *buffer, int64_t ns)
{
	int64_t ms;

	if (ns < 0 || ns >= INT64_MAX - 500000)
		return outSeconds(buffer, ns);
	if (ns < 1000)
		snprintf(buffer, OUT_NUMBER_SIZE, "%" PRId64 " ns", ns);
	else if (ns < 1000000)
		snprintf(buffer, OUT_NUMBER_SIZE, "%.3f us", (double)ns / 1e3);
	else if (ns < HD_NS_PER_S)
		snprintf(buffer, OUT_NUMBER_SIZE, "%.3f ms", (double)ns / 1e6);
	else {
		ms = (ns + 500000) / 1000000;
		snprintf(buffer, OUT_NUMBER_SIZE, "%" PRId64 ".%03" PRId64 " s",
			 ms / 1000, ms % 1000);
	}
	return buffer;
}

const char *outSize(char *buffer, int64_t bytes)
{
	static const char *const units[] = {
		"kB", "MB", "GB", "TB", "PB", "EB"
	};
	double size = (double)bytes / 1000;
	size_t unit = 0;

	if (bytes < 1000) {
		snprintf(buffer, OUT_NUMBER_SIZE, "%" PRId64 " B", bytes);
		return buffer;
	}
	while (size >= 999.95 && unit + 1 < G_N_ELEMENTS(units)) {
		size /= 1000;
		unit++;
	}
	snprintf(buffer, OUT_NUMBER_SIZE, "%.1f %s", size, units[unit]);
	return buffer;
}

/* Control characters, C1 among them, what changes the direction of text, and
 * ends of lines and paragraphs. */
static bool isHarmful(gunichar c)
{
	GUnicodeType type;

	if (c < 0x80)
		return c < 0x20 || c == 0x7f;
	type = g_unichar_type(c);
	return !g_unichar_isprint(c) || type == G_UNICODE_LINE_SEPARATOR ||
	       type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

/** How many bytes at the beginning are printable ASCII, which most texts are
 *  wholly. */
static size_t countPrintable(const char *text, size_t length)
{
	size_t count = 0;

	while (count < length && text[count] >= ' ' && text[count] <= '~')
		count++;
	return count;
}

bool outIsPlain(const char *text, size_t length)
{
	return countPrintable(text, length) == length;
}

void outAppendPrintable(GString *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		size_t count = countPrintable(text, (size_t)(end - text));
		unsigned char byte;
		gunichar c;

		if (count) {
			g_string_append_len(out, text, (gssize)count);
			text += count;
			continue;
		}
		c = g_utf8_get_char_validated(text, end - text);
		byte = (unsigned char)*text;
		if (byte == '\n') {
			g_string_append(out, "\\n");
			text++;
		} else if (byte == '\t') {
			g_string_append(out, "\\t");
			text++;
		} else if (byte == '\0' || c == (gunichar)-1 ||
			   c == (gunichar)-2 || (c < 0x80 && isHarmful(c))) {
			g_string_append_printf(out, "\\x%02x", byte);
			text++;
		} else if (isHarmful(c)) {
			g_string_append_printf(out, "\\u%04x", c);
			text = g_utf8_next_char(text);
		} else {
			const char *next = g_utf8_next_char(text);

			g_string_append_len(out, text, next - text);
			text = next;
		}
	}
}

void outPrintableTo(FILE *file, const char *text)
{
	size_t length = strlen(text);
	GString *out;

	if (outIsPlain(text, length)) {
		fwrite(text, 1, length, file);
		return;
	}
	out = g_string_new(NULL);
	outAppendPrintable(out, text, length);
	fputs(out->str, file);
	g_string_free(out, TRUE);
}

void outPrintable(const char *text)
{
	outPrintableTo(stdout, text);
}

void outSay(FILE *file, const char *format, ...)
{
	GString *out = g_string_new(NULL);
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	outAppendPrintable(out, text, strlen(text));
	g_string_append_c(out, '\n');
	fputs(out->str, file);
	g_string_free(out, TRUE);
	g_free(text);
}

/* ---- CSV --------------------------------------------------------------- */

/* What all CSV is for; no cell knows more. */
static bool csvIsSafe;

static FILE *csvFile(const struct outCsv *csv)
{
	return csv->file ? csv->file : stdout;
}

/** Start a field. Who writes CSV is the only one to write to its file, so none
 *  of this takes a lock: there are many short fields. */
static void csvStart(struct outCsv *csv)
{
	if (csv->hasField)
		putc_unlocked(',', csvFile(csv));
	csv->hasField = true;
}

/** Whether a text needs quotes around it. */
static bool needsQuotes(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '"' || bytes[i] == ',' || bytes[i] == '\n' ||
		    bytes[i] == '\r')
			return true;
	}
	return false;
}

void outCsvPlain(struct outCsv *csv, const char *text)
{
	csvStart(csv);
	if (*text)
		fputs_unlocked(text, csvFile(csv));
}

void outCsvSetSafe(bool isSafe)
{
	csvIsSafe = isSafe;
}

/** Whether it is a number as JSON has it, but for a plus: no program takes that
 *  for a formula. */
static bool outputIsNumber(const char *bytes, size_t length)
{
	const char *p = bytes;
	const char *end = bytes + length;
	size_t digits = 0;

	p += p < end && (*p == '-' || *p == '+');
	for (; p < end && g_ascii_isdigit(*p); p++)
		digits++;
	if (p < end && *p == '.')
		p++;
	for (; p < end && g_ascii_isdigit(*p); p++)
		digits++;
	if (digits == 0)
		return false;
	if (p == end || (*p != 'e' && *p != 'E'))
		return p == end;
	p++;
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return false;
	while (p < end && g_ascii_isdigit(*p))
		p++;
	return p == end;
}

/** Whether a spreadsheet could take a text for a formula: as OWASP lists it,
 *  "CSV Injection". */
static bool isFormula(const char *bytes, size_t length)
{
	return length > 0 && bytes[0] && strchr("=+-@\t\r\n", bytes[0]) &&
	       !outputIsNumber(bytes, length);
}

void outCsvBytes(struct outCsv *csv, const char *bytes, size_t length)
{
	FILE *file = csvFile(csv);
	bool isEscaped = csvIsSafe && isFormula(bytes, length);

	csvStart(csv);
	if (length == 0)
		return;
	if (!isEscaped && !needsQuotes(bytes, length)) {
		fwrite_unlocked(bytes, 1, length, file);
		return;
	}
	putc('"', file);
	if (isEscaped)
		putc('\'', file);
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '"')
			putc('"', file);
		putc(bytes[i], file);
	}
	putc('"', file);
}

void outCsvText(struct outCsv *csv, const char *text)
{
	outCsvBytes(csv, text, strlen(text));
}

void outCsvEnd(struct outCsv *csv)
{
	putc_unlocked('\n', csvFile(csv));
	csv->hasField = false;
}

void outCsvLine(struct outCsv *csv, const char *line)
{
	outCsvPlain(csv, line);
	outCsvEnd(csv);
}

/* ---- JSON -------------------------------------------------------------- */

static FILE *jsonFile(const struct outJson *json)
{
	return json->file ? json->file : stdout;
}

/** Write a character beyond ASCII, or an escape for it. */
static const char *jsonBeyondAscii(FILE *file, const char *text)
{
	const char *next = g_utf8_next_char(text);
	gunichar c = g_utf8_get_char(text);

	if (!isHarmful(c))
		fwrite(text, 1, (size_t)(next - text), file);
	else if (c < 0x10000)
		fprintf(file, "\\u%04x", c);
	else
		fprintf(file, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
			0xdc00 + ((c - 0x10000) & 0x3ff));
	return next;
}

/** Whether a text stands in JSON as it is, between quotes. */
static bool isJsonPlain(const struct outJson *json, const char *bytes,
			size_t length)
{
	return outIsPlain(bytes, length) && !memchr(bytes, '"', length) &&
	       !memchr(bytes, '\\', length) &&
	       !(json->isInPage && memchr(bytes, '<', length));
}

static void jsonQuoted(const struct outJson *json, const char *bytes,
		       size_t length)
{
	FILE *file = jsonFile(json);
	char *valid;

	if (isJsonPlain(json, bytes, length)) {
		putc('"', file);
		fwrite(bytes, 1, length, file);
		putc('"', file);
		return;
	}
	valid = g_utf8_make_valid(bytes, (gssize)length);
	putc('"', file);
	for (const char *c = valid; *c; c++) {
		if ((unsigned char)*c >= 0x80) {
			c = jsonBeyondAscii(file, c) - 1;
			continue;
		}
		switch (*c) {
		case '"':
			fputs("\\\"", file);
			break;
		case '\\':
			fputs("\\\\", file);
			break;
		case '\n':
			fputs("\\n", file);
			break;
		case '\t':
			fputs("\\t", file);
			break;
		case '\r':
			fputs("\\r", file);
			break;
		default:
			if ((unsigned char)*c < 0x20 || *c == 0x7f ||
			    (json->isInPage && *c == '<'))
				fprintf(file, "\\u%04x", (unsigned int)*c);
			else
				putc(*c, file);
		}
	}
	putc('"', file);
	g_free(valid);
}

static void jsonIndent(const struct outJson *json)
{
	FILE *file = jsonFile(json);

	putc('\n', file);
	for (unsigned int i = 0; i < json->depth; i++)
		fputs("  ", file);
}

/** What stands before a value: comma, line break, key. */
static void jsonStart(struct outJson *json, const char *key)
{
	FILE *file = jsonFile(json);

	if (json->depth == 0)
		return;
	if (json->hasMember[json->depth])
		fputs(json->isFlat[json->depth] ? ", " : ",", file);
	else if (json->isFlat[json->depth] && !json->isArray[json->depth])
		putc(' ', file);
	json->hasMember[json->depth] = true;
	if (!json->isFlat[json->depth])
		jsonIndent(json);
	if (key) {
		jsonQuoted(json, key, strlen(key));
		fputs(": ", file);
	}
}

static void jsonOpen(struct outJson *json, const char *key, bool isFlat,
		     bool isArray)
{
	jsonStart(json, key);
	g_assert(json->depth + 1 < OUT_JSON_DEPTH);
	json->depth++;
	json->hasMember[json->depth] = false;
	json->isFlat[json->depth] = isFlat || json->isFlat[json->depth - 1];
	json->isArray[json->depth] = isArray;
	putc(isArray ? '[' : '{', jsonFile(json));
}

void outJsonObject(struct outJson *json, const char *key, bool isFlat)
{
	jsonOpen(json, key, isFlat, false);
}

void outJsonDocument(struct outJson *json, const char *schema)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "schema", schema);
	outJsonInteger(json, "version", OUT_JSON_VERSION);
}

void outJsonArray(struct outJson *json, const char *key, bool isFlat)
{
	jsonOpen(json, key, isFlat, true);
}

void outJsonEnd(struct outJson *json)
{
	FILE *file = jsonFile(json);
	bool hasMember = json->hasMember[json->depth];
	bool isFlat = json->isFlat[json->depth];
	bool isArray = json->isArray[json->depth];

	json->depth--;
	if (hasMember && !isFlat)
		jsonIndent(json);
	else if (hasMember && !isArray)
		putc(' ', file);
	putc(isArray ? ']' : '}', file);
	if (json->depth == 0)
		putc('\n', file);
}

void outJsonPlain(struct outJson *json, const char *key, const char *text)
{
	jsonStart(json, key);
	fputs(text, jsonFile(json));
}

void outJsonBytes(struct outJson *json, const char *key, const char *bytes,
		  size_t length)
{
	jsonStart(json, key);
	jsonQuoted(json, bytes, length);
}

void outJsonText(struct outJson *json, const char *key, const char *text)
{
	if (text)
		outJsonBytes(json, key, text, strlen(text));
	else
		outJsonPlain(json, key, "null");
}

void outJsonInteger(struct outJson *json, const char *key, int64_t value)
{
	char buffer[OUT_NUMBER_SIZE];

	outJsonPlain(json, key, outInteger(buffer, value));
}

void outJsonBool(struct outJson *json, const char *key, bool value)
{
	outJsonPlain(json, key, value ? "true" : "false");
}

static const char *jsonSpecial(double value)
{
	return isnan(value) ? "null" : value > 0 ? "1e999" : "-1e999";
}

void outJsonDouble(struct outJson *json, const char *key, double value)
{
	char buffer[OUT_NUMBER_SIZE];
	const char *text = jsonSpecial(value);

	/* Who reads -0 as an integer reads 0. */
	if (value == 0 && signbit(value))
		text = "-0.0";
	else if (isfinite(value))
		text = outDouble(buffer, value);
	outJsonPlain(json, key, text);
}

void outJsonSeconds(struct outJson *json, const char *key, int64_t ns)
{
	char buffer[OUT_NUMBER_SIZE];

	outSeconds(buffer, ns);
	if (json->isInPage)
		outJsonText(json, key, buffer);
	else
		outJsonPlain(json, key, buffer);
}
