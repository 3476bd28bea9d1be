/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Names and their numbers: up to 2^32 - 2 of them, in one text.
 *
 * All zero is a table without names.
 */
#ifndef HD_PREDICT_NAMES_H
#define HD_PREDICT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No name. */
#define HD_PREDICT_NONE UINT32_MAX

/** Names. */
struct hdPredictNames {
	char *text;
	uint64_t *offset; /**< count + 1 of them, from 0; NULL if count is 0. */
	uint32_t count;
	uint32_t room;
	size_t textRoom;
	uint64_t *slots; /**< Hash above, number + 1 below; 0: free. */
	uint32_t mask;
};

/**
 * Get the number of a name, a new one if it is not there.
 *
 * @retval -ENOMEM No memory.
 * @retval -EOVERFLOW Too many.
 * @return 0, or 1: it is new.
 */
int hdPredictNamesAdd(struct hdPredictNames *names, const char *name,
		      size_t length, uint32_t *number);

/** Find a name: its number, or HD_PREDICT_NONE. */
uint32_t hdPredictNamesFind(const struct hdPredictNames *names,
			    const char *name, size_t length);

/** A name; not terminated. */
static inline const char *hdPredictName(const struct hdPredictNames *names,
					uint32_t number, size_t *length)
{
	*length = (size_t)(names->offset[number + 1] - names->offset[number]);
	return names->text + names->offset[number];
}

/** Whether a text is what XML can have: UTF-8, and no control characters. */
bool hdPredictIsText(const char *text, size_t size);

/** Find a name that is there twice, in names without slots: 1 and its number, 0
 *  or -ENOMEM. */
int hdPredictNamesTwice(const struct hdPredictNames *names, uint32_t *number);

/** Forget how to find names, for less memory; they stay. */
void hdPredictNamesSeal(struct hdPredictNames *names);

/** Free what is in it. */
void hdPredictNamesFree(struct hdPredictNames *names);

/**
 * Make room for one more in an array that grows.
 *
 * @param array Address of the pointer to it.
 * @param count Elements that it has.
 * @param room Elements that it has room for; grows.
 * @param size Of an element.
 *
 * @retval 0 Success.
 * @retval -ENOMEM No memory; nothing changed.
 */
int hdPredictGrow(void *array, size_t count, size_t *room, size_t size);

/**
 * Sort the elements of an array by their groups; those of a group stay in
 * order.
 *
 * @param array Elements.
 * @param size Of an element.
 * @param field Where in it its group is, a uint32_t.
 * @param count Elements.
 * @param groups How many there are.
 * @param[out] first First of each group in the list, and the end.
 * @param[out] list Numbers of elements.
 *
 * @return 0, or -ENOMEM. What was made is to be freed in any case.
 */
int hdPredictGroup(const void *array, size_t size, size_t field, uint32_t count,
		   uint32_t groups, uint32_t **first, uint32_t **list);

#endif
