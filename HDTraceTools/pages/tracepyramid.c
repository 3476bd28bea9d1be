/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A trace at several degrees of detail, called zooms, for the viewer.
 *
 * A zoom is made from the one below, which is kept in a temporary file while
 * that is done. Both are in the order of time, so no more than two steps are
 * open at any moment.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/pages/traceitems.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/pages/tracepyramid.h"

#define EVENT_DEPTH UINT16_MAX

/** The first width is 4 to the power of this, in ns, at least. */
#define WIDTH_MIN 5

/** Traces with less than this need no further zoom. */
#define ITEMS_MIN 512

void tracePyramidNoteError(struct tracePyramid *self, int ret)
{
	if (ret < 0 && self->error == 0)
		self->error = ret;
}

/* ---- Zooms 0 and 1 ---------------------------------------------------- */

static void tracePyramidPutText(struct tracePyramid *self, const char *path,
				const char *name, const char *value)
{
	const char *const pieces[] = { path, name, "\x1f", value, "\x1e" };

	for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++)
		g_byte_array_append(self->textBytes, (const guint8 *)pieces[i],
				    (guint)strlen(pieces[i]));
}

static void tracePyramidPutAttributes(struct tracePyramid *self,
				      const char *path,
				      const hdIAttribute *attributes,
				      size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		tracePyramidPutText(self, path, attributes[i].name,
				    attributes[i].value);
	if (text && *text)
		tracePyramidPutText(self, path, "", text);
}

static void tracePyramidPutElements(struct tracePyramid *self, const char *path,
				    const hdIElement *elements, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const hdIElement *element = &elements[i];
		char *inner = g_strconcat(path, element->name, "/", NULL);

		if (!element->attributeCount && !*element->text)
			tracePyramidPutText(self, inner, "", "");
		tracePyramidPutAttributes(self, inner, element->attributes,
					  element->attributeCount,
					  element->text);
		tracePyramidPutElements(self, inner, element->children,
					element->childCount);
		g_free(inner);
	}
}

/** Instead of the number of a call site, what that is. */
static void putSite(struct tracePyramid *self, const struct orderedStep *step)
{
	char *place;

	pthread_mutex_lock(&self->places->mutex);
	if (!self->places->addresses)
		self->places->addresses = addressesNew();
	place = siteText(step->site, self->places->addresses);
	pthread_mutex_unlock(&self->places->mutex);
	tracePyramidPutText(self, "", "site", place);
	g_free(place);
}

static void addTexts(struct tracePyramid *self, const struct orderedStep *step)
{
	const hdIRecord *record = step->record;
	guint start = self->textBytes->len;
	int64_t length;

	if (!self->isStored)
		return;
	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *attribute = &record->attributes[i];

		if (step->site && strcmp(attribute->name, "site") == 0)
			putSite(self, step);
		else
			tracePyramidPutAttributes(self, "", attribute, 1, NULL);
	}
	tracePyramidPutAttributes(self, "", NULL, 0, record->text);
	for (size_t i = 0; i < record->elementCount; i++) {
		if (!step->site || !siteIsElement(&record->elements[i]))
			tracePyramidPutElements(self, "", &record->elements[i],
						1);
	}
	length = self->textBytes->len - start;
	g_array_append_val(self->texts, length);
}

static int lengthClass(int64_t length)
{
	int class = 0;

	while (class < WIDTH_MAX && length >> 2 * (class + 1) > 0)
		class ++;
	return class;
}

/** How many states of a name are open. */
static guint *openOf(const struct tracePyramid *self, uint32_t name)
{
	if (name >= self->openOf->len)
		g_array_set_size(self->openOf, name + 1);
	return &g_array_index(self->openOf, guint, name);
}

/** The state around what happens now; NULL if there is none. */
static const struct item *around(const struct tracePyramid *self)
{
	return self->open->len ? &g_array_index(self->open, struct item,
						self->open->len - 1)
			       : NULL;
}

/** Describe what starts now; it does not outlast the state around it. */
static struct item makeItem(struct tracePyramid *self,
			    const struct orderedStep *step)
{
	const struct item *outer = around(self);
	int64_t end = MAX(step->record->end, step->time);
	struct item item = {
		.start = step->time,
		.name = trackAddName(self->track, self->names,
				     step->record->name),
		.depth = (uint16_t)MIN(self->open->len, EVENT_DEPTH - 1),
		.isEvent = step->kind == ORDERED_EVENT,
	};

	if (outer) {
		end = MIN(end, outer->start + outer->length);
		item.parent = outer->name + 1;
	}
	item.isNested = *openOf(self, item.name) > 0;
	item.length = item.isEvent ? 0 : MAX(end - item.start, 0);
	if (item.length > 0 && step->spanEnd - step->spanStart > item.length &&
	    step->spanEnd - step->spanStart >
		    step->record->end - step->record->start) {
		item.from = item.start;
		item.spanFrom = step->spanStart;
		item.stretch = (double)(step->spanEnd - step->spanStart) /
			       (double)item.length;
	}
	return item;
}

static void tracePyramidAddItem(struct tracePyramid *self,
				const struct item *item)
{
	int64_t end = item->start + item->length;

	traceListMakeRoom(self, item->start);
	traceListAdd(&self->states, item, end);
	traceItemsAdd(self, &self->items, item);
	if (!item->isEvent)
		self->lengths[lengthClass(item->length)]++;
	self->first = MIN(self->first, item->start);
	self->end = MAX(self->end, end);
	if (item->depth >= self->track->depth) {
		pthread_mutex_lock(&self->track->mutex);
		self->track->depth = item->depth + 1U;
		pthread_mutex_unlock(&self->track->mutex);
	}
}

int tracePyramidAdd(struct tracePyramid *self, const struct orderedStep *step)
{
	struct item item;

	if (step->kind == ORDERED_LEAVE) {
		--*openOf(self, around(self)->name);
		g_array_set_size(self->open, self->open->len - 1);
		return self->error;
	}
	item = makeItem(self, step);
	tracePyramidAddItem(self, &item);
	addTexts(self, step);
	if (step->kind == ORDERED_ENTER) {
		g_array_append_val(self->open, item);
		++*openOf(self, item.name);
	}
	return self->error;
}

int tracePyramidAddWait(struct tracePyramid *self, const struct traceWait *wait)
{
	static const int64_t noText;
	const struct item item = {
		.start = wait->start,
		.length = wait->end - wait->start,
		.name = trackAddName(self->track, self->names, wait->state),
		.parent =
			trackAddName(self->track, self->names, wait->kind) + 1,
		.depth = (uint16_t)MIN(wait->depth, EVENT_DEPTH - 1),
		.isNested = wait->isOutermost,
	};

	tracePyramidAddItem(self, &item);
	g_array_append_val(self->texts, noText);
	return self->error;
}

/* ---- Zooms above ------------------------------------------------------ */

/** Reduces a zoom to the next one. */
struct reduction {
	struct tracePyramid *zooms;
	struct items out;
	int64_t width;
	/** Sums of the step that is open, and of the one behind. */
	GHashTable *steps[2];
	int64_t step; /**< Start of the first one. */
};

static guint hashItem(gconstpointer data)
{
	const struct item *item = data;

	return (item->name * 31 + item->parent) * 31 + item->depth;
}

static gboolean isSameItem(gconstpointer a, gconstpointer b)
{
	const struct item *x = a;
	const struct item *y = b;

	return x->name == y->name && x->parent == y->parent &&
	       x->depth == y->depth && x->isNested == y->isNested;
}

static gint compareItems(gconstpointer a, gconstpointer b)
{
	const struct item *x = *(const struct item *const *)a;
	const struct item *y = *(const struct item *const *)b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->isNested - y->isNested;
}

static void tracePyramidEmitItem(struct reduction *self,
				 const struct item *item)
{
	struct tracePyramid *zooms = self->zooms;
	struct list *list = item->isSum ? &zooms->sums : &zooms->states;

	traceItemsAdd(zooms, &self->out, item);
	traceListMakeRoom(zooms, item->start);
	traceListAdd(list, item,
		     item->start + (item->isSum ? self->width : item->length));
}

/** The first open step is over. */
static void tracePyramidEndStep(struct reduction *self)
{
	GHashTable *table = self->steps[0];
	GPtrArray *list = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_ptr_array_add(list, value);
	g_ptr_array_sort(list, compareItems);
	for (guint i = 0; i < list->len; i++)
		tracePyramidEmitItem(self, list->pdata[i]);
	g_ptr_array_unref(list);
	g_hash_table_remove_all(table);
	self->steps[0] = self->steps[1];
	self->steps[1] = table;
	self->step += self->width;
}

static int64_t floorTo(int64_t time, int64_t width)
{
	int64_t rest = time % width;

	return time - (rest < 0 ? rest + width : rest);
}

/** What follows starts at this time or later. */
static void tracePyramidAdvance(struct reduction *self, int64_t time)
{
	int64_t step = floorTo(time, self->width);

	for (int i = 0; i < 2 && self->step < step; i++)
		tracePyramidEndStep(self);
	self->step = MAX(self->step, step);
}

/** Add to a sum, in the first or the second open step, what lies in it whole.
 */
static void tracePyramidAddTo(struct reduction *self, const struct item *part)
{
	GHashTable *table =
		self->steps[part->start >= self->step + self->width ? 1 : 0];
	struct item *sum = g_hash_table_lookup(table, part);

	if (!sum) {
		sum = g_memdup2(part, sizeof(*part));
		sum->start = floorTo(part->start, self->width);
		g_hash_table_add(table, sum);
		return;
	}
	sum->length += part->length;
	sum->count += part->count;
	sum->amount.energy += part->amount.energy;
	sum->amount.node += part->amount.node;
	sum->amount.measured += part->amount.measured;
}

/** Add a piece of a state: how much of it is in a step, and what that cost. */
static void tracePyramidAddPiece(struct reduction *self,
				 const struct item *like, int64_t start,
				 int64_t length, uint32_t count)
{
	struct item piece = *like;

	piece.isSum = false;
	piece.start = start;
	piece.length = length;
	piece.count = count;
	if (self->zooms->power)
		piece.amount = tracePyramidAmountOf(self->zooms, &piece);
	piece.isSum = true;
	tracePyramidAddTo(self, &piece);
}

static void tracePyramidSumUp(struct reduction *self, const struct item *item)
{
	struct item like = *item;
	int64_t border = self->step + self->width;
	int64_t end = item->start + item->length;

	if (item->isEvent) {
		like.depth = EVENT_DEPTH;
		like.parent = 0;
		like.isNested = false;
	}
	tracePyramidAddPiece(self, &like, item->start,
			     MIN(end, border) - item->start, 1);
	if (end > border)
		tracePyramidAddPiece(self, &like, border, end - border, 0);
}

static void reduceItem(const struct item *item, void *data)
{
	struct reduction *self = data;

	tracePyramidAdvance(self, item->start);
	if (item->isSum) {
		tracePyramidAddTo(self, item);
		return;
	}
	if (!item->isEvent && item->length >= self->width)
		tracePyramidEmitItem(self, item);
	else
		tracePyramidSumUp(self, item);
}

/** Make a zoom of those items; they become its own. */
static void reduce(struct tracePyramid *self, int64_t width)
{
	struct reduction reduction = {
		.zooms = self,
		.width = width,
		.out.spool = spoolNew(),
		.step = INT64_MIN / 2,
	};

	for (int i = 0; i < 2; i++)
		reduction.steps[i] = g_hash_table_new_full(hashItem, isSameItem,
							   NULL, g_free);
	traceItemsEach(self, &self->items, reduceItem, &reduction);
	for (int i = 0; i < 2; i++)
		tracePyramidEndStep(&reduction);
	for (int i = 0; i < 2; i++)
		g_hash_table_destroy(reduction.steps[i]);
	spoolFree(self->items.spool);
	self->items = reduction.out;
}

/** About so many items are in a zoom of that width. */
static uint64_t estimate(const struct tracePyramid *self, int class)
{
	uint64_t shorter = self->total;
	uint64_t steps = ((uint64_t)(self->end - self->first) >> 2 * class) + 1;
	uint64_t longer = 0;

	for (int i = class; i <= WIDTH_MAX; i++)
		longer += self->lengths[i];
	shorter -= longer;
	return longer + MIN(shorter, 2 * steps);
}

/** Make the zooms above those of the states; at least one if it is needed. */
static void makeZooms(struct tracePyramid *self, bool isNeeded)
{
	uint64_t below = self->items.count;

	for (int class = WIDTH_MIN; class <= WIDTH_MAX && !self->error;
	     class ++) {
		int64_t width = INT64_C(1) << 2 * class;

		bool isFew = below < ITEMS_MIN;

		if (isFew && !isNeeded)
			break;
		if (!isFew && estimate(self, class) > below / 2 &&
		    width <= self->end - self->first)
			continue;
		self->zoom = trackAddZoom(
			self->track, self->power ? PARTS : PART_ENERGY, width);
		self->written = 0;
		reduce(self, width);
		tracePyramidWriteChunk(self);
		if (width > self->end - self->first)
			break;
		below = self->items.count;
		isNeeded = false;
	}
}

int tracePyramidFinish(struct tracePyramid *self,
		       const struct powerSeries *power,
		       const struct attributionShare *share, bool isShared)
{
	tracePyramidWriteChunk(self);
	self->total = self->items.count;
	self->power = power ? powerCursorNew(power) : NULL;
	self->charge = power ? attributionCursorNew(power, share) : NULL;
	makeZooms(self, isShared && self->total);
	if (self->power) {
		tracePyramidNoteError(self, powerCursorError(self->power));
		tracePyramidNoteError(self,
				      attributionCursorError(self->charge));
	}
	powerCursorFree(self->power);
	attributionCursorFree(self->charge);
	self->power = NULL;
	self->charge = NULL;
	return self->error;
}

/* ---- Begin and end ----------------------------------------------------- */

struct tracePyramid *tracePyramidNew(struct track *track,
				     struct trackPlaces *places, bool isStored)
{
	struct tracePyramid *self = g_new0(struct tracePyramid, 1);

	self->places = places;
	self->track = track;
	self->isStored = isStored;
	self->names = g_hash_table_new(g_str_hash, g_str_equal);
	self->items.spool = spoolNew();
	self->first = INT64_MAX;
	self->end = INT64_MIN;
	self->open = g_array_new(FALSE, FALSE, sizeof(struct item));
	self->openOf = g_array_new(FALSE, TRUE, sizeof(guint));
	self->texts = g_array_new(FALSE, FALSE, sizeof(int64_t));
	self->textBytes = g_byte_array_new();
	self->states.items = g_array_new(FALSE, FALSE, sizeof(struct item));
	self->sums.items = g_array_new(FALSE, FALSE, sizeof(struct item));
	traceListEmpty(&self->states);
	traceListEmpty(&self->sums);
	self->columns = g_byte_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(self->parts); i++)
		self->parts[i] = g_byte_array_new();
	trackAddZoom(track, 1, 0);
	self->zoom = trackAddZoom(track, 1, 0);
	return self;
}

void tracePyramidFree(struct tracePyramid *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->names);
	spoolFree(self->items.spool);
	g_array_unref(self->open);
	g_array_unref(self->openOf);
	g_array_unref(self->texts);
	g_byte_array_unref(self->textBytes);
	g_array_unref(self->states.items);
	g_array_unref(self->sums.items);
	g_byte_array_unref(self->columns);
	for (size_t i = 0; i < G_N_ELEMENTS(self->parts); i++)
		g_byte_array_unref(self->parts[i]);
	g_free(self);
}
