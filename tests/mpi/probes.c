/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program of MPI with probes, whose measurements are states of its traces,
 * and kernels with joules; see probes.sh. */
#include <hdProbe.h>
#include <hdProbeTrace.h>
#include <mpi.h>
#include <time.h>

static void work(void)
{
	const struct timespec length = { 0, 20000000 };

	HDPROBE_SCOPE("work");
	nanosleep(&length, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	hdProbe_traceStart(NULL);
	for (int i = 0; i < 10; i++)
		work();
	hdProbe_traceStop();
	MPI_Finalize();
	return 0;
}
