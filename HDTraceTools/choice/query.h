/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Queries for states, events, entries and relations, as users write them:
 * "name=MPI_Recv @size>1M rank=3..7". doc/query.md defines the language.
 */
#ifndef HD_CHOICE_QUERY_H
#define HD_CHOICE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query;

/**
 * Finds an attribute of an item.
 *
 * @return Its text, valid until the next call; NULL: the item has none.
 */
typedef const char *queryAttribute(const void *data, const char *name);

/** An item that a query is asked of; NULL stands for what it has not. */
struct queryItem {
	const char *name;
	const char *group;
	const char *rank;   /**< Label. */
	const char *thread; /**< Label. */
	/** Paths from its node to the root; they end with NULL. */
	const char *const *nodes;
	int64_t start; /**< In ns. */
	int64_t end;
	/** Kinds of the waits in it; they end with NULL. */
	const char *const *waits;
	int64_t waited; /**< Time of these, in ns. */
	queryAttribute *attribute;
	const void *data; /**< For attribute. */
};

/** An error of a query. */
struct queryError {
	size_t column; /**< From 1, in characters. */
	char *message; /**< To be freed with g_free(). */
};

/**
 * Parse a query.
 *
 * @param[out] query To be freed with queryFree(); set on success only.
 * @param[out] error Set on failure only.
 *
 * @retval 0 Success.
 * @retval -EINVAL It is not a query.
 */
int queryParse(const char *text, struct query **query,
	       struct queryError *error);

/** Free a query; NULL does nothing. */
void queryFree(struct query *self);

/**
 * Set the start of the project, from which times in the query count.
 *
 * @param start In ns; times of items count from the same moment as this one.
 */
void querySetStart(struct query *self, int64_t start);

/** Whether the query has a term on waits. */
bool queryHasWaits(const struct query *self);

/** Whether the query has a time that counts from the start of the project. */
bool queryNeedsStart(const struct query *self);

/** Whether an item matches. */
bool queryMatches(const struct query *self, const struct queryItem *item);

/** Whether the node, rank, thread and group of an item match; the rest of the
 *  item is not read. */
bool queryMatchesPlace(const struct query *self, const struct queryItem *item);

#endif
