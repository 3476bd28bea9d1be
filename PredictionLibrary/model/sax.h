/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading a model as XML, element by element, without network, DTDs, entities
 * and output.
 */
#ifndef HD_PREDICT_SAX_H
#define HD_PREDICT_SAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "PredictionLibrary/model/report.h"

/** Deepest element. */
#define HD_PREDICT_DEPTH 200

/** Where bytes come from. */
struct hdPredictSource {
	int fd;
	const char *head; /**< Bytes that were read already. */
	size_t headSize;
	const char *memory; /**< Instead of fd, if not NULL. */
	size_t memorySize;
	int error; /**< Negative errno value of reading. */
	/** Is told how many bytes were read; or NULL. */
	void (*progress)(uint64_t done, void *data);
	void *progressData;
	uint64_t done, told; /**< Bytes, and those that it knows. */
};

/** Attributes of an element, as libxml2 gives them. */
struct hdPredictAttributes {
	const unsigned char **list;
	int count;
};

/** An element: its parser decides what may be in it. */
struct hdPredictSax {
	const char *root;
	/** An element begins; @p parent is the depth above, 0 is the root's.
	 *  Returns a number for the element, which is the @p parent of those in
	 *  it, or a negative errno value that ends it all. */
	int (*begin)(struct hdPredictSax *sax, int parent, const char *name,
		     const struct hdPredictAttributes *attributes);
	/** An element ends. Negative errno value, or 0. May be NULL. */
	int (*end)(struct hdPredictSax *sax, int element);
	void *data;
	struct hdPredictReport *report;
	int64_t line; /**< Where the element begins. */

	/* What follows is sax.c's. */
	void *parser;
	int status;
	unsigned int depth;
	int stack[HD_PREDICT_DEPTH + 1];
	bool isRootWrong;
	char error[256];
	int64_t errorLine;
};

/** In a stack: the element is unknown, and so is what is in it. */
#define HD_PREDICT_SKIP INT32_MAX

/**
 * Read.
 *
 * @retval 0 It was XML; the report knows about errors of the model.
 * @retval -EBADMSG It is not XML; reported.
 * @return Another negative errno value: of begin() or end(), or of reading.
 */
int hdPredictSaxRead(struct hdPredictSax *sax, struct hdPredictSource *source);

/** Value of an attribute; NULL: there is none. Not terminated. */
const char *hdPredictAttribute(const struct hdPredictAttributes *attributes,
			       const char *name, size_t *length);

/** Copy of an attribute, to be freed with free(); NULL: there is none, or no
 *  memory (*ret is -ENOMEM then). */
char *hdPredictAttributeCopy(const struct hdPredictAttributes *attributes,
			     const char *name, int *ret);

/** Report an unknown element; what is in it is skipped. */
int hdPredictUnknown(struct hdPredictSax *sax, const char *name,
		     const char *where);

/** Warn of attributes that are not in a list, which ends with NULL. */
void hdPredictOnly(struct hdPredictSax *sax, const char *element,
		   const struct hdPredictAttributes *attributes,
		   const char *const *names);

/**
 * Get a number from an attribute; reports what is wrong with it.
 *
 * @param isNeeded Whether it is an error if there is none.
 * @param[in,out] value Stays if there is none.
 * @return Whether it is there and good.
 */
bool hdPredictNumber(struct hdPredictSax *sax,
		     const struct hdPredictAttributes *attributes,
		     const char *element, const char *name, bool isNeeded,
		     double *value);

/** Parse all of a text as a finite number. */
bool hdPredictToNumber(const char *text, size_t length, double *value);

/** Open what a path names; "-" is the standard input. 0 or negative errno. */
int hdPredictOpen(const char *path, struct hdPredictSource *source);

/** Close it. */
void hdPredictClose(struct hdPredictSource *source);

#endif
