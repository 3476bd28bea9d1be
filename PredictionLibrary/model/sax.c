/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a model as XML; see sax.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "PredictionLibrary/model/sax.h"

/* So many bytes are one step of progress. */
#define TOLD_BYTES 65536

static pthread_once_t initOnce = PTHREAD_ONCE_INIT;

static void saxStop(struct hdPredictSax *sax, int status)
{
	if (!sax->status)
		sax->status = status;
	xmlStopParser(sax->parser);
}

/* The line of the tag that the parser is at: its '<' cannot be in it. */
static int64_t lineOfTag(xmlParserCtxtPtr parser)
{
	const xmlParserInput *input = parser->input;
	const xmlChar *from;
	int64_t line;

	if (!input)
		return 0;
	line = input->line;
	from = memrchr(input->base, '<', (size_t)(input->cur - input->base));
	while (from &&
	       (from = memchr(from, '\n', (size_t)(input->cur - from)))) {
		line--;
		from++;
	}
	return line;
}

/* Whether the tag ends where its last attribute does. Else the file does, or
 * the parser says what is wrong: that comes after this. */
static bool saxIsWhole(xmlParserCtxtPtr parser)
{
	const xmlParserInput *input = parser->input;

	return !input || (input->cur < input->end &&
			  (*input->cur == '>' || *input->cur == '/'));
}

static void saxOnStart(void *data, const xmlChar *name, const xmlChar *prefix,
		       const xmlChar *uri, int namespaceCount,
		       const xmlChar **namespaces, int count, int defaulted,
		       const xmlChar **list)
{
	struct hdPredictSax *sax = data;
	struct hdPredictAttributes attributes = { list, count };
	int element;

	(void)prefix;
	(void)uri;
	(void)namespaceCount;
	(void)namespaces;
	(void)defaulted;
	if (sax->status || !saxIsWhole(sax->parser))
		return;
	sax->line = lineOfTag(sax->parser);
	if (sax->depth >= HD_PREDICT_DEPTH) {
		hdPredictError(sax->report, sax->line, NULL, 0,
			       "elements are nested too deeply");
		saxStop(sax, -EINVAL);
		return;
	}
	if (sax->depth == 0) {
		element = 0;
		if (strcmp((const char *)name, sax->root) != 0) {
			hdPredictError(sax->report, sax->line, NULL, 0,
				       "the root element is <%.100s>, not <%s>",
				       name, sax->root);
			saxStop(sax, -EINVAL);
			return;
		}
	} else if (sax->stack[sax->depth - 1] == HD_PREDICT_SKIP) {
		element = HD_PREDICT_SKIP;
	} else {
		element = sax->begin(sax, sax->stack[sax->depth - 1],
				     (const char *)name, &attributes);
		if (element < 0) {
			saxStop(sax, element);
			return;
		}
	}
	sax->stack[sax->depth++] = element;
}

static void saxOnEnd(void *data, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri)
{
	struct hdPredictSax *sax = data;
	int ret;

	(void)name;
	(void)prefix;
	(void)uri;
	if (sax->status || !sax->depth)
		return;
	sax->depth--;
	if (!sax->end || sax->stack[sax->depth] == HD_PREDICT_SKIP)
		return;
	ret = sax->end(sax, sax->stack[sax->depth]);
	if (ret < 0)
		saxStop(sax, ret);
}

static void saxRefuseDoctype(void *data, const xmlChar *name,
			     const xmlChar *externalId, const xmlChar *systemId)
{
	struct hdPredictSax *sax = data;

	(void)name;
	(void)externalId;
	(void)systemId;
	strcpy(sax->error, "a DOCTYPE is not accepted");
	sax->errorLine = ((xmlParserCtxtPtr)sax->parser)->input->line;
	saxStop(sax, -EBADMSG);
}

static void saxOnError(void *data, xmlErrorPtr error)
{
	struct hdPredictSax *sax = data;

	if (error->level < XML_ERR_ERROR || sax->error[0])
		return;
	if (error->code == XML_ERR_NO_MEMORY) {
		sax->status = -ENOMEM;
		return;
	}
	/* Undeclared prefixes are no error for us. */
	if (error->domain == XML_FROM_NAMESPACE)
		return;
	snprintf(sax->error, sizeof(sax->error), "%s",
		 error->message ? error->message : "not well-formed");
	sax->error[strcspn(sax->error, "\n")] = '\0';
	sax->errorLine = error->line;
}

static void saxReportBytes(struct hdPredictSource *source, uint64_t bytes)
{
	source->done += bytes;
	if (!source->progress || source->done < source->told + TOLD_BYTES)
		return;
	source->told = source->done;
	source->progress(source->done, source->progressData);
}

static int give(void *data, char *buffer, int size)
{
	struct hdPredictSource *source = data;
	size_t part = (size_t)size;
	ssize_t got;

	if (source->headSize) {
		if (part > source->headSize)
			part = source->headSize;
		memcpy(buffer, source->head, part);
		source->head += part;
		source->headSize -= part;
		return (int)part;
	}
	if (source->memory) {
		if (part > source->memorySize)
			part = source->memorySize;
		memcpy(buffer, source->memory, part);
		source->memory += part;
		source->memorySize -= part;
		return (int)part;
	}
	do
		got = read(source->fd, buffer, part);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		source->error = -errno;
	else
		saxReportBytes(source, (uint64_t)got);
	return (int)got;
}

static int done(void *data)
{
	(void)data;
	return 0;
}

int hdPredictSaxRead(struct hdPredictSax *sax, struct hdPredictSource *source)
{
	xmlStructuredErrorFunc before;
	xmlParserCtxtPtr parser;
	void *context;

	pthread_once(&initOnce, xmlInitParser);
	parser = xmlNewParserCtxt();
	if (!parser)
		return -ENOMEM;
	memset(parser->sax, 0, sizeof(*parser->sax));
	parser->sax->initialized = XML_SAX2_MAGIC;
	parser->sax->startElementNs = saxOnStart;
	parser->sax->endElementNs = saxOnEnd;
	parser->sax->internalSubset = saxRefuseDoctype;
	parser->sax->serror = saxOnError;
	parser->userData = sax;
	sax->parser = parser;
	/* Conversions and input know no parser; they would print. The handler
	 * is one of this thread. */
	before = xmlStructuredError;
	context = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(sax, saxOnError);
	/* Entities: the five of XML, which would not be put in otherwise. */
	xmlFreeDoc(xmlCtxtReadIO(parser, give, done, source, NULL, NULL,
				 XML_PARSE_NONET | XML_PARSE_NOENT));
	xmlSetStructuredErrorFunc(context, before);
	if (!sax->status && source->error)
		sax->status = source->error;
	if (!sax->status && (!parser->wellFormed || sax->error[0]))
		sax->status = -EBADMSG;
	if (sax->status == -EBADMSG)
		hdPredictError(sax->report, sax->errorLine, NULL, 0, "%s",
			       sax->error[0] ? sax->error : "not XML");
	xmlFreeParserCtxt(parser);
	return sax->status == -EINVAL ? 0 : sax->status;
}

/* ---- Attributes -------------------------------------------------------- */

const char *hdPredictAttribute(const struct hdPredictAttributes *attributes,
			       const char *name, size_t *length)
{
	for (int i = 0; i < attributes->count; i++) {
		const unsigned char **one = attributes->list + 5 * i;

		if (one[1] || strcmp((const char *)one[0], name) != 0)
			continue;
		*length = (size_t)(one[4] - one[3]);
		return (const char *)one[3];
	}
	return NULL;
}

char *hdPredictAttributeCopy(const struct hdPredictAttributes *attributes,
			     const char *name, int *ret)
{
	size_t length;
	const char *value = hdPredictAttribute(attributes, name, &length);
	char *copy;

	if (!value)
		return NULL;
	copy = strndup(value, length);
	if (!copy)
		*ret = -ENOMEM;
	return copy;
}

int hdPredictUnknown(struct hdPredictSax *sax, const char *name,
		     const char *where)
{
	hdPredictError(sax->report, sax->line, NULL, 0,
		       "<%.100s> is unknown in <%s>", name, where);
	return HD_PREDICT_SKIP;
}

void hdPredictOnly(struct hdPredictSax *sax, const char *element,
		   const struct hdPredictAttributes *attributes,
		   const char *const *names)
{
	for (int i = 0; i < attributes->count; i++) {
		const unsigned char **one = attributes->list + 5 * i;
		const char *const *name = names;

		while (*name && strcmp(*name, (const char *)one[0]) != 0)
			name++;
		if (!*name && !one[1])
			hdPredictWarn(sax->report, sax->line, NULL, 0,
				      "attribute %.100s of <%s> is unknown, "
				      "and ignored",
				      one[0], element);
	}
}

bool hdPredictToNumber(const char *text, size_t length, double *value)
{
	char buffer[64], *end;

	while (length && g_ascii_isspace(*text)) {
		text++;
		length--;
	}
	while (length && g_ascii_isspace(text[length - 1]))
		length--;
	if (!length || length >= sizeof(buffer) || memchr(text, 'x', length) ||
	    memchr(text, 'X', length))
		return false;
	memcpy(buffer, text, length);
	buffer[length] = '\0';
	*value = g_ascii_strtod(buffer, &end);
	return end == buffer + length && isfinite(*value);
}

bool hdPredictNumber(struct hdPredictSax *sax,
		     const struct hdPredictAttributes *attributes,
		     const char *element, const char *name, bool isNeeded,
		     double *value)
{
	size_t length, idLength = 0;
	const char *text = hdPredictAttribute(attributes, name, &length);
	const char *id = hdPredictAttribute(attributes, "id", &idLength);

	if (!text) {
		if (isNeeded)
			hdPredictError(sax->report, sax->line, id, idLength,
				       "<%s> has no attribute %s", element,
				       name);
		return false;
	}
	if (hdPredictToNumber(text, length, value))
		return true;
	hdPredictError(sax->report, sax->line, id, idLength,
		       "%s=\"%.*s\" of <%s> is not a finite number", name,
		       (int)(length > 100 ? 100 : length), text, element);
	return false;
}

/* ---- Files ------------------------------------------------------------- */

int hdPredictOpen(const char *path, struct hdPredictSource *source)
{
	memset(source, 0, sizeof(*source));
	source->fd = STDIN_FILENO;
	if (strcmp(path, "-") == 0)
		return 0;
	source->fd = open(path, O_RDONLY | O_CLOEXEC);
	return source->fd < 0 ? -errno : 0;
}

void hdPredictClose(struct hdPredictSource *source)
{
	if (source->fd > STDIN_FILENO)
		close(source->fd);
}
