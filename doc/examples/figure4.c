/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures the power of two parts of a program: figure 4 of the paper that
 * describes pmlib, unchanged. kernels.h has the parts that the figure omits:
 * dgemm, dsyrk and the variables that it calls "some other". In the directory
 * of the examples, compile it with
 *
 *     cc figure4.c $(pkg-config --static --cflags --libs libpm) -o figure4
 *
 * The program uses two servers. Power comes from another machine, so the
 * measurement does not disturb the program. C-states come from this machine.
 * The addresses are the addresses of the paper; PM_SERVERS replaces them.
 *
 * The program writes the power of "set 0". In today's pmlib this is the first
 * set, dgemm. When the paper was written, it meant all sets: dgemm and dsyrk,
 * and the time between them. PM_SETS=1 in the environment selects this meaning.
 */
#include <stdio.h>

#include <pmlib.h>

#include "kernels.h"

/* As printed. */
/* clang-format off */
int main (int argc, char *argv[])
{
    server_t  server1, server2;
    counter_t counter1, counter2;
    line_t    lines1, lines2;
    device_t  disp;
    char      **list;
    int       i, num_devices,
              freq1=0, freq2=0, aggr1=1, aggr2=1;
    // ... Some other variables...
    SOME_OTHER_VARIABLES

    // Initializes the servers' structures
    pm_set_server ("150.128.82.30", 6526, &server1);
    pm_set_server ("127.0.0.1", 6526, &server2);

    // Query on #devices connected to server1,
    // and obtain handles. Then, output information,
    // e.g., for device[0]
    pm_get_devices (server1, &list, &num_devices);
    pm_get_device_info (server1, list[0], &disp);
    printf ("Name: %s\n", disp.name);
    printf ("Max freq: %d\n", disp.max_frecuency);
    printf ("Number of lines: %d\n", disp.n_lines);

    // Selects the lines to measure
    pm_set_lines ("0-11", &lines1);
    pm_set_lines ("0-31", &lines2);

    // Creates a counter for powermeter DCMeter1
    pm_create_counter ("DCMeter1", lines1, !aggr1,
                       freq1, server1, &counter1);

    // Creates a counter for C-states
    pm_create_counter ("Cstates", lines2, !aggr2,
                       freq2, server2, &counter2);

    // Starts to collect samples: power, C-states
    pm_start_counter (&counter1);
    pm_start_counter (&counter2);

    // Sampled application code fragment
    dgemm( &transa, &transb, &m, &n, &k,
           &alpha, &A[k*lda+i], &lda,
                   &B[j*ldb+k], &ldb,
           &beta,  &C[j*ldc+i], &ldc );

    // Stops to collect samples
    pm_stop_counter (&counter1);
    pm_stop_counter (&counter2);

    // ... Some other nonsampled
    // ... aplication code fragment

    // Continue to collect samples: only power
    pm_continue_counter (&counter1);

    // Sampled application code fragment
    dsyrk (&transa, &transb, &m, &n,
           &alpha, &A[k*lda+i], &lda,
           &beta,  &C[i*ldc+i], &ldc);

    //Stops to collect samples
    pm_stop_counter (&counter1);

    // Dumps collected data onto memory
    pm_get_counter_data (&counter1);
    pm_get_counter_data (&counter2);

    // Prints power data in Paraver format
    pm_print_data_paraver ("out.prv", counter1,
                           lines1, 0, "us");
    // Prints c-states data in Paraver format
    pm_print_data_paraver_cstates ("cstates.prv",
                                   counter2, lines2,
                                   0, "us");

    //Finalizes the counters
    pm_finalize_counter (&counter1);
    pm_finalize_counter (&counter2);
    return 0;
}
