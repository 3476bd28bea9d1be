/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links: a time before the first packet and one for each packet.
 *
 * Between two architectures of hosts t = a + n b is fitted by medians of
 * slopes (Theil and Sen), which a third of bad values does not move. A message
 * takes a = out(source) + in(destination), of which only sums are known: of all
 * solutions the least one is taken, whose outs and ins have the same sum. And
 * b = max(out(source), in(destination)): the least of each source, and of each
 * destination, is what it can be itself. See Walter 2020, sections 10.4.3 and
 * 13.2.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"

/** So many values at most make slopes, evenly taken. */
#define SLOPE_VALUES 1000

/* ---- Pairs -------------------------------------------------------------- */

/* A message: its packets, and the time that it takes. */
struct message {
	double packets;
	double time;
};

static const char *learntLinksKindOf(const struct learnt *self, size_t host)
{
	return learntHostOf(self, host)->architecture;
}

static double packetsOf(const struct learnt *self, double bytes)
{
	return ceil(bytes / self->choice.packetSize);
}

static GArray *messagesOf(const struct learnt *self,
			  const struct learntPair *pair)
{
	GArray *messages = g_array_new(FALSE, FALSE, sizeof(struct message));

	for (guint i = 0; i < self->transfers->len; i++) {
		const struct learntTransfer *transfer = &g_array_index(
			self->transfers, struct learntTransfer, i);
		struct message message = {
			packetsOf(self, transfer->bytes),
			(double)(transfer->end - transfer->start) / 1e9 /
				transfer->times,
		};

		if (strcmp(learntLinksKindOf(self, transfer->from),
			   pair->from) == 0 &&
		    strcmp(learntLinksKindOf(self, transfer->to), pair->to) ==
			    0)
			g_array_append_val(messages, message);
	}
	return messages;
}

/* Slopes between any two messages of different size. */
static GArray *slopesOf(const GArray *messages)
{
	GArray *slopes = g_array_new(FALSE, FALSE, sizeof(double));
	guint step = 1 + messages->len / SLOPE_VALUES;

	for (guint i = 0; i < messages->len; i += step) {
		const struct message *a =
			&g_array_index(messages, struct message, i);

		for (guint j = i + step; j < messages->len; j += step) {
			const struct message *b =
				&g_array_index(messages, struct message, j);
			double slope =
				(b->time - a->time) / (b->packets - a->packets);

			if (a->packets != b->packets)
				g_array_append_val(slopes, slope);
		}
	}
	return slopes;
}

/* The error of a median of values that are away from it by that, usually. */
static double medianError(double away, double count)
{
	return count > 1 ? 1.96 * 1.2533 * 1.4826 * away / sqrt(count) : NAN;
}

static void fitPair(const GArray *messages, struct learntPair *pair)
{
	GArray *slopes = slopesOf(messages);
	double *rest = g_new(double, messages->len + 1);
	double n = (double)messages->len, mean = 0, squares = 0;

	pair->count = messages->len;
	pair->latency =
		slopes->len ? fmax(learntMedian((double *)(void *)slopes->data,
						slopes->len),
				   0)
			    : NAN;
	for (guint i = 0; i < messages->len; i++) {
		const struct message *message =
			&g_array_index(messages, struct message, i);

		rest[i] = message->time -
			  (isnan(pair->latency)
				   ? 0
				   : pair->latency * message->packets);
		mean += message->packets / n;
	}
	pair->init = fmax(learntMedian(rest, messages->len), 0);
	for (guint i = 0; i < messages->len; i++) {
		const struct message *message =
			&g_array_index(messages, struct message, i);

		rest[i] = fabs(rest[i] - pair->init);
		squares +=
			(message->packets - mean) * (message->packets - mean);
	}
	pair->spread = learntMedian(rest, messages->len);
	pair->initError = medianError(
		pair->spread * sqrt(1 + n * mean * mean / fmax(squares, 1)), n);
	pair->latencyError =
		slopes->len ? medianError(pair->spread * sqrt(n / squares), n)
			    : NAN;
	g_free(rest);
	g_array_unref(slopes);
}

static void findPairs(struct learnt *self)
{
	for (guint i = 0; i < self->transfers->len; i++) {
		const struct learntTransfer *transfer = &g_array_index(
			self->transfers, struct learntTransfer, i);
		struct learntPair pair = {
			.from = learntLinksKindOf(self, transfer->from),
			.to = learntLinksKindOf(self, transfer->to)
		};
		bool isThere = false;

		for (guint j = 0; j < self->pairs->len && !isThere; j++) {
			const struct learntPair *other = &g_array_index(
				self->pairs, struct learntPair, j);

			isThere = strcmp(other->from, pair.from) == 0 &&
				  strcmp(other->to, pair.to) == 0;
		}
		if (!isThere)
			g_array_append_val(self->pairs, pair);
	}
	for (guint i = 0; i < self->pairs->len; i++) {
		struct learntPair *pair =
			&g_array_index(self->pairs, struct learntPair, i);
		GArray *messages = messagesOf(self, pair);

		fitPair(messages, pair);
		g_array_unref(messages);
	}
}

/* ---- Bridges ------------------------------------------------------------ */

static guint bridgeOf(struct learnt *self, const char *architecture, bool isOut)
{
	struct learntBridge bridge = { .architecture = architecture,
				       .isOut = isOut,
				       .latency = NAN,
				       .energy = learntMean(NULL, 0) };

	for (guint i = 0; i < self->bridges->len; i++) {
		const struct learntBridge *other =
			&g_array_index(self->bridges, struct learntBridge, i);

		if (strcmp(other->architecture, architecture) == 0 &&
		    other->isOut == isOut)
			return i;
	}
	g_array_append_val(self->bridges, bridge);
	return self->bridges->len - 1;
}

static struct learntBridge *bridgeAt(const struct learnt *self, guint number)
{
	return &g_array_index(self->bridges, struct learntBridge, number);
}

/* An equation: out + in = a. */
struct equation {
	guint out;
	guint in;
	double right;
};

/* Conjugate gradients from 0 on: of all solutions the least one. */
static void solveLeast(const GArray *equations, double *x, guint count)
{
	double *r = g_new(double, equations->len + 1);
	double *s = g_new0(double, count), *p = g_new0(double, count);
	double gamma = 0;

	for (guint i = 0; i < equations->len; i++) {
		const struct equation *e =
			&g_array_index(equations, struct equation, i);

		r[i] = e->right;
		s[e->out] += r[i];
		s[e->in] += r[i];
	}
	for (guint j = 0; j < count; j++) {
		p[j] = s[j];
		gamma += s[j] * s[j];
	}
	for (guint round = 0; round < 4 * count && gamma > 1e-36; round++) {
		double squares = 0, before = gamma, step;

		for (guint i = 0; i < equations->len; i++) {
			const struct equation *e =
				&g_array_index(equations, struct equation, i);
			double q = p[e->out] + p[e->in];

			squares += q * q;
		}
		if (!(squares > 0))
			break;
		step = gamma / squares;
		memset(s, 0, count * sizeof(*s));
		for (guint i = 0; i < equations->len; i++) {
			const struct equation *e =
				&g_array_index(equations, struct equation, i);

			r[i] -= step * (p[e->out] + p[e->in]);
			s[e->out] += r[i];
			s[e->in] += r[i];
		}
		gamma = 0;
		for (guint j = 0; j < count; j++) {
			x[j] += step * p[j];
			gamma += s[j] * s[j];
		}
		for (guint j = 0; j < count; j++)
			p[j] = s[j] + gamma / before * p[j];
	}
	g_free(r);
	g_free(s);
	g_free(p);
}

static void findInits(struct learnt *self)
{
	GArray *equations = g_array_new(FALSE, FALSE, sizeof(struct equation));
	double *x;

	for (guint i = 0; i < self->pairs->len; i++) {
		const struct learntPair *pair =
			&g_array_index(self->pairs, struct learntPair, i);
		struct equation equation = {
			bridgeOf(self, pair->from, true),
			bridgeOf(self, pair->to, false),
			pair->init,
		};

		g_array_append_val(equations, equation);
	}
	x = g_new0(double, self->bridges->len + 1);
	solveLeast(equations, x, self->bridges->len);
	for (guint j = 0; j < self->bridges->len; j++)
		bridgeAt(self, j)->init = fmax(x[j], 0);
	g_free(x);
	g_array_unref(equations);
}

static void lower(struct learntBridge *bridge, double latency)
{
	if (!isnan(latency) &&
	    (isnan(bridge->latency) || latency < bridge->latency))
		bridge->latency = latency;
}

static void findLatencies(struct learnt *self)
{
	for (guint i = 0; i < self->pairs->len; i++) {
		const struct learntPair *pair =
			&g_array_index(self->pairs, struct learntPair, i);

		lower(bridgeAt(self, bridgeOf(self, pair->from, true)),
		      pair->latency);
		lower(bridgeAt(self, bridgeOf(self, pair->to, false)),
		      pair->latency);
	}
	for (guint i = 0; i < self->pairs->len; i++) {
		const struct learntPair *pair =
			&g_array_index(self->pairs, struct learntPair, i);
		struct learntBridge *out =
			bridgeAt(self, bridgeOf(self, pair->from, true));
		struct learntBridge *in =
			bridgeAt(self, bridgeOf(self, pair->to, false));
		double misfit =
			fabs(fmax(out->latency, in->latency) - pair->latency) /
			pair->latency;

		if (isfinite(misfit)) {
			out->misfit = fmax(out->misfit, misfit);
			in->misfit = fmax(in->misfit, misfit);
		}
	}
}

/* ---- Energy of packets -------------------------------------------------- */

/* The meter of a host in the project of another one. */
static const struct learntMeter *meterBeside(const struct learnt *self,
					     size_t meter, size_t host)
{
	const struct learntMeter *one = learntMeterOf(self, meter);

	for (guint i = 0; i < self->meters->len; i++) {
		const struct learntMeter *other = learntMeterOf(self, i);

		if (other->host == host && other->project == one->project)
			return other;
	}
	return NULL;
}

/* Dynamic energy of a packet at one end; NaN: not known. Of exchanges each end
 * sends and receives half of the messages. */
static double packetEnergy(const struct learnt *self,
			   const struct learntTransfer *transfer, size_t host)
{
	const struct learntMeter *meter =
		meterBeside(self, transfer->meter, host);
	struct learntRun run = { .start = transfer->start,
				 .end = transfer->end,
				 .energy = NAN };
	double packets = transfer->times * packetsOf(self, transfer->bytes);

	if (!meter || packets <= 0 ||
	    learnMeasure(self, meter, &run) != RUN_GOOD)
		return NAN;
	return run.energy * learntHostOf(self, host)->scale / packets;
}

/* The most packets of a message: small ones tell more of waiting. */
static double largestOf(const struct learnt *self)
{
	double largest = 0;

	for (guint i = 0; i < self->transfers->len; i++)
		largest = fmax(
			largest,
			packetsOf(self, g_array_index(self->transfers,
						      struct learntTransfer, i)
						.bytes));
	return largest;
}

static void findPacketEnergies(struct learnt *self, guint number,
			       double largest)
{
	struct learntBridge *bridge = bridgeAt(self, number);
	GArray *energies = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < self->transfers->len; i++) {
		const struct learntTransfer *transfer = &g_array_index(
			self->transfers, struct learntTransfer, i);
		size_t host = bridge->isOut ? transfer->from : transfer->to;
		double energy;

		if (strcmp(learntLinksKindOf(self, host),
			   bridge->architecture) != 0 ||
		    packetsOf(self, transfer->bytes) < largest / 2)
			continue;
		energy = packetEnergy(self, transfer, host);
		if (!isnan(energy))
			g_array_append_val(energies, energy);
	}
	bridge->energy = learntMean((const double *)(void *)energies->data,
				    energies->len);
	g_array_unref(energies);
}

/* One size has one sum of both, and all of it is taken for the first. */
static void warnOfOneSize(const struct learnt *self)
{
	for (guint i = 0; i < self->pairs->len; i++) {
		const struct learntPair *pair =
			&g_array_index(self->pairs, struct learntPair, i);

		if (isnan(pair->latency))
			learntSay(self, true, NULL, pair->from,
				  "all data sets to %s have the same size; "
				  "cannot separate initial latency and packet "
				  "latency",
				  pair->to);
	}
}

void learnLinks(struct learnt *self)
{
	double largest = largestOf(self);

	findPairs(self);
	warnOfOneSize(self);
	findInits(self);
	findLatencies(self);
	for (guint i = 0; i < self->bridges->len; i++)
		findPacketEnergies(self, i, largest);
	if (self->transfers->len && !self->choice.isTimeOnly) {
		for (guint i = 0; i < self->bridges->len; i++) {
			if (bridgeAt(self, i)->energy.count)
				continue;
			learntSay(self, true, NULL,
				  bridgeAt(self, i)->architecture,
				  "energy of packets unknown: no exchange has "
				  "both power and pauses around it");
		}
	}
}
