! SPDX-License-Identifier: LGPL-2.1-or-later
! A program of Fortran 2008 that records by hdtrace.f90.
program p
  use hdtrace
  implicit none
  type(hd_topology) :: topology
  type(hd_trace) :: trace
  type(hd_group) :: group
  topology = hd_create_topology('run', ['Host   ', 'Process'])
  trace = hd_create_trace(topology, ['host0', '0    '])
  if (.not. hd_is_valid(trace)) stop 1
  call hd_state_start(trace, 'solve')
  call hd_attribute(trace, 'n', 3)
  call hd_attribute(trace, 'x', 0.5d0)
  call hd_attribute(trace, 't', 'a b')
  call hd_state_end(trace)
  call hd_event(trace, 'tick')
  group = hd_create_group('Losses', topology, ['host0'])
  if (.not. hd_add_value(group, 'loss', HD_DOUBLE, 'J')) stop 2
  if (.not. hd_commit(group)) stop 3
  call hd_write(group, 0.5d0)
  call hd_finalize(group)
  call hd_finalize(trace)
  call hd_finalize(topology)
  if (hd_is_valid(trace)) stop 4
end program
