/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Volume files of a trial. */
#include "config.h"

#include "GlusterFSTracing/command/graph.h"
#include "GlusterFSTracing/command/hdgluster.h"

static void appendDelay(GString *out, const struct trial *trial,
			const char *name, const char *below)
{
	g_string_append_printf(out,
			       "volume %s\n"
			       "    type debug/delay-gen\n"
			       "    option delay-percentage 100\n"
			       "    option delay-duration %d\n"
			       "    option enable WRITE,READ,FSYNC\n"
			       "    subvolumes %s\n"
			       "end-volume\n\n",
			       name, trial->delayMs * 1000, below);
}

static char *graphFinishText(const struct trial *trial, const char *node,
			     GString *out)
{
	char *text = g_string_free(out, FALSE);

	return trial->isTraced ? volfileTrace(trial->project, trial->directory,
					      node, text)
			       : text;
}

char *graphOfBrick(const struct trial *trial, int number, const char *volumeId,
		   int port)
{
	bool isSlow = trial->slow == number && trial->fault == TRIAL_DISK;
	GString *out = g_string_new(NULL);
	char *node = g_strdup_printf("brick%d", number), *text;

	g_string_append_printf(out,
			       "volume posix\n"
			       "    type storage/posix\n"
			       "    option directory %s/brick%d\n"
			       "    option volume-id %s\n"
			       "end-volume\n\n",
			       trial->place, number, volumeId);
	if (isSlow)
		appendDelay(out, trial, "slow", "posix");
	g_string_append_printf(out,
			       "volume locks\n"
			       "    type features/locks\n"
			       "    subvolumes %s\n"
			       "end-volume\n\n"
			       "volume brick\n"
			       "    type performance/io-threads\n"
			       "    subvolumes locks\n"
			       "end-volume\n\n"
			       "volume server\n"
			       "    type protocol/server\n"
			       "    option transport-type tcp\n"
			       "    option transport.socket.bind-address "
			       "127.0.0.1\n"
			       "    option transport.socket.listen-port %d\n"
			       "    option auth.addr.brick.allow *\n"
			       "    subvolumes brick\n"
			       "end-volume\n",
			       isSlow ? "slow" : "posix", port);
	text = graphFinishText(trial, node, out);
	g_free(node);
	return text;
}

/* A connection; returns the name of its top. */
static void appendLink(GString *out, const struct trial *trial, int number,
		       int port)
{
	char *name = g_strdup_printf("brick%d", number);
	char *slow = g_strdup_printf("slow%d", number);

	g_string_append_printf(out,
			       "volume %s\n"
			       "    type protocol/client\n"
			       "    option transport-type tcp\n"
			       "    option remote-host 127.0.0.1\n"
			       "    option remote-port %d\n"
			       "    option remote-subvolume brick\n"
			       "end-volume\n\n",
			       name, port);
	/* It sleeps in who calls it, so others would wait, too. */
	if (trial->slow == number && trial->fault == TRIAL_NETWORK) {
		appendDelay(out, trial, slow, name);
		g_string_append_printf(out,
				       "volume threads\n"
				       "    type performance/io-threads\n"
				       "    subvolumes %s\n"
				       "end-volume\n\n",
				       slow);
	}
	g_free(slow);
	g_free(name);
}

char *graphOfClient(const struct trial *trial, const int *ports)
{
	GString *out = g_string_new(NULL);

	for (int i = 1; i <= trial->bricks; i++)
		appendLink(out, trial, i, ports[i - 1]);
	g_string_append(out, "volume distribute\n"
			     "    type cluster/distribute\n"
			     "    subvolumes");
	for (int i = 1; i <= trial->bricks; i++) {
		if (trial->slow == i && trial->fault == TRIAL_NETWORK)
			g_string_append(out, " threads");
		else
			g_string_append_printf(out, " brick%d", i);
	}
	g_string_append(out, "\nend-volume\n\n"
			     "volume try\n"
			     "    type features/shard\n"
			     "    option shard-block-size 4MB\n"
			     "    subvolumes distribute\n"
			     "end-volume\n");
	return graphFinishText(trial, "client", out);
}
