! SPDX-License-Identifier: LGPL-2.1-or-later
! As sites.c, in Fortran, for mpif.h, "use mpi" or mpi_f08: the site of a call is
! a line of the program, whatever lies between it and the MPI library.
!
! gfortran 12 says of MPI_Init and MPI_Finalize of "use mpi", which have nothing but
! an optional argument, that they are at the first line of the procedure.
program sites
  implicit none

  call run()

contains

  subroutine run()
#if defined(F08)
    use mpi_f08
    implicit none
#elif defined(MPIF)
    implicit none
    include 'mpif.h'
#else
    use mpi
    implicit none
#endif
    integer :: ierror
    call MPI_Init(ierror)
    call exchange()
    call MPI_Finalize(ierror)
  end subroutine

  subroutine exchange()
#if defined(F08)
    use mpi_f08
    implicit none
#elif defined(MPIF)
    implicit none
    include 'mpif.h'
#else
    use mpi
    implicit none
#endif
    integer :: values(4), rank, ierror, i
    values = 1
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    do i = 1, 3
      call MPI_Bcast(values, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror) ! at Bcast exchange 3
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierror) ! at Barrier exchange 1
    if (rank == 0) then
      call MPI_Send(values, 4, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierror) ! at Send exchange 1 of one
    else if (rank == 1) then
      call MPI_Recv(values, 4, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror) ! at Recv exchange 1 of one
    end if
  end subroutine
end program
