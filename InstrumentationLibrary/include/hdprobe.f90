! SPDX-License-Identifier: LGPL-2.1-or-later
! Probes for Fortran (2008): hdProbe.h says what they mean.
!
! Modules of one compiler are not another's, so this is the source. Include it
! before the program, or compile it once:
!
!     include "hdprobe.f90"
!     program main
!       use hdprobe
!       type(hdprobe_timer) :: assign
!       integer(c_int64_t) :: start
!       assign = hdprobe_find("assign")
!       start = hdprobe_start(assign)
!       ...
!       call hdprobe_stop(assign, start)
!     end program
!
!     gfortran program.f90 $(pkg-config --cflags --libs libhdProbe)
!
! hdprobe_find() looks for the name; call it once, not where the probe is. It
! stops the program if there are more than 255 names.
module hdprobe
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: hdprobe_timer, hdprobe_span, hdprobe_find, hdprobe_find_kernel
  public :: hdprobe_find_transfer, hdprobe_find_counter
  public :: hdprobe_start, hdprobe_stop, hdprobe_stop_n
  public :: hdprobe_dispatch_start, hdprobe_body_start, hdprobe_body_stop
  public :: hdprobe_dispatch_stop, hdprobe_dispatch_stop_n, hdprobe_add
  public :: hdprobe_enable, hdprobe_set_deadline, hdprobe_set_sampling
  public :: hdprobe_set_decay, hdprobe_quantile
  public :: c_int, c_int64_t, c_double

  ! A probe of any kind.
  type :: hdprobe_timer
    type(c_ptr) :: probe = c_null_ptr
  end type

  ! struct hdProbeSpan
  type, bind(c) :: hdprobe_span
    integer(c_int64_t) :: dispatch = 0, body = 0, inside = 0
  end type

  integer(c_int), parameter :: timer = 1, kernel = 2, transfer = 3, counter = 4

  interface
    function c_find(name, to, kind) bind(c, name="hdProbe_find")
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: to
      integer(c_int), value :: kind
      type(c_ptr) :: c_find
    end function
    function c_enabled() bind(c, name="hdProbe_enabled")
      import
      integer(c_int) :: c_enabled
    end function
    function c_begin(probe) bind(c, name="hdProbe_begin")
      import
      type(c_ptr), value :: probe
      integer(c_int64_t) :: c_begin
    end function
    function c_now() bind(c, name="hdProbe_now")
      import
      integer(c_int64_t) :: c_now
    end function
    subroutine c_finish(probe, start, n) bind(c, name="hdProbe_finish")
      import
      type(c_ptr), value :: probe
      integer(c_int64_t), value :: start, n
    end subroutine
    subroutine c_observed_body(span, is_begin) &
        bind(c, name="hdProbe_observedBody")
      import
      type(hdprobe_span), intent(inout) :: span
      integer(c_int), value :: is_begin
    end subroutine
    subroutine c_finish_span(probe, span, n) bind(c, name="hdProbe_finishSpan")
      import
      type(c_ptr), value :: probe
      type(hdprobe_span), intent(inout) :: span
      integer(c_int64_t), value :: n
    end subroutine
    subroutine c_add(probe, amount) bind(c, name="hdProbe_addAmount")
      import
      type(c_ptr), value :: probe
      integer(c_int64_t), value :: amount
    end subroutine
    subroutine c_enable(is_on) bind(c, name="hdProbe_enable")
      import
      integer(c_int), value :: is_on
    end subroutine
    function c_sampling(probe, every, is_random) &
        bind(c, name="hdProbe_setSampling")
      import
      type(c_ptr), value :: probe
      integer(c_int), value :: every, is_random
      integer(c_int) :: c_sampling
    end function
    function c_deadline(probe, seconds) bind(c, name="hdProbe_setDeadline")
      import
      type(c_ptr), value :: probe
      real(c_double), value :: seconds
      integer(c_int) :: c_deadline
    end function
    function c_decay(probe, half_life) bind(c, name="hdProbe_setDecay")
      import
      type(c_ptr), value :: probe
      real(c_double), value :: half_life
      integer(c_int) :: c_decay
    end function
    function c_quantile(probe, q) bind(c, name="hdProbe_quantile")
      import
      type(c_ptr), value :: probe
      real(c_double), value :: q
      real(c_double) :: c_quantile
    end function
  end interface

contains

  function find(name, to, kind) result(found)
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in) :: to
    integer(c_int), intent(in) :: kind
    type(hdprobe_timer) :: found
    found%probe = c_find(trim(name) // c_null_char, to, kind)
    if (.not. c_associated(found%probe)) error stop "hdprobe: too many names"
  end function

  function hdprobe_find(name) result(found)
    character(len=*), intent(in) :: name
    type(hdprobe_timer) :: found
    found = find(name, c_null_ptr, timer)
  end function

  function hdprobe_find_kernel(name) result(found)
    character(len=*), intent(in) :: name
    type(hdprobe_timer) :: found
    found = find(name, c_null_ptr, kernel)
  end function

  function hdprobe_find_counter(name) result(found)
    character(len=*), intent(in) :: name
    type(hdprobe_timer) :: found
    found = find(name, c_null_ptr, counter)
  end function

  function hdprobe_find_transfer(name, to) result(found)
    character(len=*), intent(in) :: name, to
    type(hdprobe_timer) :: found
    character(kind=c_char, len=:), allocatable, target :: text
    text = trim(to) // c_null_char
    found = find(name, c_loc(text), transfer)
  end function

  function hdprobe_start(timer) result(start)
    type(hdprobe_timer), intent(in) :: timer
    integer(c_int64_t) :: start
    start = 0
    if (c_enabled() /= 0) start = c_begin(timer%probe)
  end function

  subroutine hdprobe_stop(timer, start)
    type(hdprobe_timer), intent(in) :: timer
    integer(c_int64_t), intent(in) :: start
    if (start /= 0) call c_finish(timer%probe, start, 1_c_int64_t)
  end subroutine

  subroutine hdprobe_stop_n(timer, start, n)
    type(hdprobe_timer), intent(in) :: timer
    integer(c_int64_t), intent(in) :: start, n
    if (start /= 0) call c_finish(timer%probe, start, n)
  end subroutine

  subroutine hdprobe_dispatch_start(kernel, span)
    type(hdprobe_timer), intent(in) :: kernel
    type(hdprobe_span), intent(out) :: span
    span%dispatch = hdprobe_start(kernel)
  end subroutine

  subroutine hdprobe_body_start(span)
    type(hdprobe_span), intent(inout) :: span
    if (span%dispatch < 0) call c_observed_body(span, 1_c_int)
    if (span%dispatch /= 0 .and. span%dispatch /= 1) span%body = c_now()
  end subroutine

  subroutine hdprobe_body_stop(span)
    type(hdprobe_span), intent(inout) :: span
    integer(c_int64_t) :: now
    if (span%dispatch == 0 .or. span%dispatch == 1) return
    now = c_now()
    if (now > span%body) span%inside = span%inside + (now - span%body)
    if (span%dispatch < 0) call c_observed_body(span, 0_c_int)
  end subroutine

  subroutine hdprobe_dispatch_stop(kernel, span)
    type(hdprobe_timer), intent(in) :: kernel
    type(hdprobe_span), intent(inout) :: span
    call hdprobe_dispatch_stop_n(kernel, span, 1_c_int64_t)
  end subroutine

  subroutine hdprobe_dispatch_stop_n(kernel, span, n)
    type(hdprobe_timer), intent(in) :: kernel
    type(hdprobe_span), intent(inout) :: span
    integer(c_int64_t), intent(in) :: n
    if (span%dispatch /= 0) call c_finish_span(kernel%probe, span, n)
  end subroutine

  subroutine hdprobe_add(probe, amount)
    type(hdprobe_timer), intent(in) :: probe
    integer(c_int64_t), intent(in) :: amount
    if (c_enabled() /= 0) call c_add(probe%probe, amount)
  end subroutine

  subroutine hdprobe_enable(is_on)
    logical, intent(in) :: is_on
    call c_enable(merge(1_c_int, 0_c_int, is_on))
  end subroutine

  subroutine hdprobe_set_sampling(probe, every, is_random)
    type(hdprobe_timer), intent(in) :: probe
    integer(c_int), intent(in) :: every
    logical, intent(in) :: is_random
    integer(c_int) :: ignored
    ignored = c_sampling(probe%probe, every, &
                         merge(1_c_int, 0_c_int, is_random))
  end subroutine

  subroutine hdprobe_set_deadline(probe, seconds)
    type(hdprobe_timer), intent(in) :: probe
    real(c_double), intent(in) :: seconds
    integer(c_int) :: ignored
    ignored = c_deadline(probe%probe, seconds)
  end subroutine

  subroutine hdprobe_set_decay(probe, half_life)
    type(hdprobe_timer), intent(in) :: probe
    real(c_double), intent(in) :: half_life
    integer(c_int) :: ignored
    ignored = c_decay(probe%probe, half_life)
  end subroutine

  function hdprobe_quantile(probe, q) result(seconds)
    type(hdprobe_timer), intent(in) :: probe
    real(c_double), intent(in) :: q
    real(c_double) :: seconds
    seconds = c_quantile(probe%probe, q)
  end function
end module
