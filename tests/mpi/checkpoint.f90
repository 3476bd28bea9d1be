! SPDX-License-Identifier: LGPL-2.1-or-later
! checkpoint N ITERATIONS EVERY: heat that spreads in a plate of N x N cells,
! which is cut into columns among the processes (Jacobi). Every so many
! iterations all is written into a file, checkpoint.NUMBER: two integers, N and
! the iteration, and the columns. In the end the last one is read and compared.
program checkpoint
  use mpi
  implicit none
  include 'hdMPI.inc'
  integer, parameter :: dp = kind(1d0), header = 8
  real(dp), allocatable :: plate(:, :), next(:, :), saved(:, :)
  real(dp) :: change, largest
  integer :: n, iterations, every, columns, first, step, file, ierror
  integer :: rank, ranks, left, right
  integer :: status(MPI_STATUS_SIZE)

  n = argument(1)
  iterations = argument(2)
  every = argument(3)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  left = rank - 1
  right = rank + 1
  if (rank == 0) left = MPI_PROC_NULL
  if (rank == ranks - 1) right = MPI_PROC_NULL
  ! The first processes have a column more where it does not come out even.
  columns = n / ranks + merge(1, 0, rank < mod(n, ranks))
  first = rank * (n / ranks) + min(rank, mod(n, ranks))
  allocate(plate(n, 0:columns + 1), next(n, columns), saved(n, columns))
  plate = 0
  plate(1, :) = 100

  do step = 1, iterations
    call hdMPI_regionStart('Iteration')
    call hdMPI_attributeInt('number', step)
    call exchange()
    change = compute()
    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                       MPI_COMM_WORLD, ierror)
    call hdMPI_attributeDouble('change', largest)
    call hdMPI_regionEnd()
    if (mod(step, every) == 0) call save(step)
  end do
  call restore(iterations / every * every)
  call MPI_Finalize(ierror)

contains

  integer function argument(number)
    integer, intent(in) :: number
    character(len=20) :: text
    call get_command_argument(number, text)
    read(text, *) argument
  end function

  subroutine exchange()
    call MPI_Sendrecv(plate(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, &
                      plate(1, columns + 1), n, MPI_DOUBLE_PRECISION, right, &
                      1, MPI_COMM_WORLD, status, ierror)
    call MPI_Sendrecv(plate(1, columns), n, MPI_DOUBLE_PRECISION, right, 2, &
                      plate(1, 0), n, MPI_DOUBLE_PRECISION, left, 2, &
                      MPI_COMM_WORLD, status, ierror)
  end subroutine

  ! The borders of the plate stay as they are.
  real(dp) function compute()
    integer :: i, j, from, to
    from = merge(2, 1, rank == 0)
    to = merge(columns - 1, columns, rank == ranks - 1)
    next = plate(:, 1:columns)
    do j = from, to
      do i = 2, n - 1
        next(i, j) = (plate(i - 1, j) + plate(i + 1, j) + plate(i, j - 1) + &
                      plate(i, j + 1)) / 4
      end do
    end do
    compute = maxval(abs(next - plate(:, 1:columns)))
    plate(:, 1:columns) = next
  end function

  character(len=30) function name(number)
    integer, intent(in) :: number
    write(name, '(a,i0)') 'checkpoint.', number
  end function

  ! Where this process' part of a file begins.
  integer(kind=MPI_OFFSET_KIND) function place()
    place = header + int(first, MPI_OFFSET_KIND) * n * dp
  end function

  subroutine save(number)
    integer, intent(in) :: number
    call hdMPI_regionStart('Checkpoint')
    call MPI_File_open(MPI_COMM_WORLD, name(number), &
                       MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, &
                       file, ierror)
    if (rank == 0) then
      call MPI_File_write(file, n, 1, MPI_INTEGER, status, ierror)
      call MPI_File_write(file, number, 1, MPI_INTEGER, status, ierror)
    end if
    call MPI_File_write_at_all(file, place(), plate(1, 1), n * columns, &
                               MPI_DOUBLE_PRECISION, status, ierror)
    call MPI_File_close(file, ierror)
    call hdMPI_regionEnd()
  end subroutine

  subroutine restore(number)
    integer, intent(in) :: number
    integer(kind=MPI_OFFSET_KIND) :: beginning = 0
    integer :: numbers(2)
    call hdMPI_regionStart('Restore')
    call MPI_File_open(MPI_COMM_WORLD, name(number), MPI_MODE_RDONLY, &
                       MPI_INFO_NULL, file, ierror)
    call MPI_File_read_at(file, beginning, numbers, 2, MPI_INTEGER, status, &
                          ierror)
    call MPI_File_read_at_all(file, place(), saved, n * columns, &
                              MPI_DOUBLE_PRECISION, status, ierror)
    call MPI_File_close(file, ierror)
    call hdMPI_regionEnd()
    if (numbers(1) /= n .or. numbers(2) /= number .or. &
        (number == iterations .and. any(saved /= plate(:, 1:columns)))) &
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine
end program
