! SPDX-License-Identifier: LGPL-2.1-or-later
!
! States, events and statistics of Fortran programs: the functions of hdTopology.h,
! hdTrace.h and hdStats.h, which describe them. Module files belong to one version of
! one compiler, so compile this file with the program:
!
!     gfortran -o heat PREFIX/include/hdtrace.f90 heat.f90 -lhdTracing -lpthread
!
!     use hdtrace
!     type(hd_topology) :: topology
!     type(hd_trace) :: trace
!     topology = hd_create_topology('run', ['Host   ', 'Process'])
!     trace = hd_create_trace(topology, ['host0', '0    '])
!     call hd_state_start(trace, 'solve')
!     call hd_attribute(trace, 'unknowns', n)
!     call hd_state_end(trace)
!     call hd_finalize(trace)
!
! Blanks at the end of texts do not count. Functions that make something print nothing
! if they fail: hd_is_valid() tells. Calls with an object that is not valid do nothing.
!
module hdtrace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: hd_topology, hd_trace, hd_group
  public :: hd_create_topology, hd_create_trace, hd_create_group
  public :: hd_state_start, hd_state_end, hd_event, hd_attribute
  public :: hd_add_value, hd_commit, hd_write
  public :: hd_is_valid, hd_flush, hd_finalize
  public :: HD_INT32, HD_INT64, HD_FLOAT, HD_DOUBLE

  ! enum hdStatsValueType
  integer(c_int), parameter :: HD_INT32 = 0, HD_INT64 = 1, HD_FLOAT = 2, HD_DOUBLE = 3

  type :: hd_topology
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: hd_trace
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type :: hd_group
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  interface hd_attribute
    module procedure attribute_int32, attribute_int64, attribute_double, attribute_text
  end interface
  interface hd_write
    module procedure write_int32, write_int64, write_float, write_double
  end interface
  interface hd_is_valid
    module procedure is_topology, is_trace, is_group
  end interface
  interface hd_flush
    module procedure flush_trace, flush_group
  end interface
  interface hd_finalize
    module procedure finalize_topology, finalize_trace, finalize_group
  end interface

  interface
    function c_create_topology(project, levels, count) bind(c, name='hdT_createTopology')
      import :: c_ptr, c_int, c_char
      character(kind=c_char), intent(in) :: project(*)
      type(c_ptr), intent(in) :: levels(*)
      integer(c_int), value :: count
      type(c_ptr) :: c_create_topology
    end function
    function c_create_node(topology, path, length) bind(c, name='hdT_createTopoNode')
      import :: c_ptr, c_int
      type(c_ptr), value :: topology
      type(c_ptr), intent(in) :: path(*)
      integer(c_int), value :: length
      type(c_ptr) :: c_create_node
    end function
    function c_destroy_node(node) bind(c, name='hdT_destroyTopoNode')
      import :: c_ptr, c_int
      type(c_ptr), value :: node
      integer(c_int) :: c_destroy_node
    end function
    function c_destroy_topology(topology) bind(c, name='hdT_destroyTopology')
      import :: c_ptr, c_int
      type(c_ptr), value :: topology
      integer(c_int) :: c_destroy_topology
    end function
    function c_create_trace(node) bind(c, name='hdT_createTrace')
      import :: c_ptr
      type(c_ptr), value :: node
      type(c_ptr) :: c_create_trace
    end function
    function c_state_start(trace, name) bind(c, name='hdT_logStateStart')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: c_state_start
    end function
    function c_state_end(trace) bind(c, name='hdT_logStateEnd')
      import :: c_ptr, c_int
      type(c_ptr), value :: trace
      integer(c_int) :: c_state_end
    end function
    function c_event(trace, name) bind(c, name='hdT_logEvent')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: c_event
    end function
    function c_attribute_int64(trace, key, number) bind(c, name='hdT_logAttributeInt64')
      import :: c_ptr, c_int, c_char, c_int64_t
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: number
      integer(c_int) :: c_attribute_int64
    end function
    function c_attribute_double(trace, key, number) bind(c, name='hdT_logAttributeDouble')
      import :: c_ptr, c_int, c_char, c_double
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: key(*)
      real(c_double), value :: number
      integer(c_int) :: c_attribute_double
    end function
    function c_attribute_text(trace, key, text) bind(c, name='hdT_logAttributeString')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: key(*)
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: c_attribute_text
    end function
    function c_flush_trace(trace) bind(c, name='hdT_flush')
      import :: c_ptr, c_int
      type(c_ptr), value :: trace
      integer(c_int) :: c_flush_trace
    end function
    function c_finalize_trace(trace) bind(c, name='hdT_finalize')
      import :: c_ptr, c_int
      type(c_ptr), value :: trace
      integer(c_int) :: c_finalize_trace
    end function
    function c_create_group(name, node, level) bind(c, name='hdS_createGroup')
      import :: c_ptr, c_int, c_char
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: node
      integer(c_int), value :: level
      type(c_ptr) :: c_create_group
    end function
    function c_add_value(group, name, kind, unit, grouping) bind(c, name='hdS_addValue')
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: kind
      character(kind=c_char), intent(in) :: unit(*)
      type(c_ptr), value :: grouping
      integer(c_int) :: c_add_value
    end function
    function c_commit(group) bind(c, name='hdS_commitGroup')
      import :: c_ptr, c_int
      type(c_ptr), value :: group
      integer(c_int) :: c_commit
    end function
    function c_enable(group) bind(c, name='hdS_enableGroup')
      import :: c_ptr, c_int
      type(c_ptr), value :: group
      integer(c_int) :: c_enable
    end function
    function c_write_int32(group, number) bind(c, name='hdS_writeInt32Value')
      import :: c_ptr, c_int, c_int32_t
      type(c_ptr), value :: group
      integer(c_int32_t), value :: number
      integer(c_int) :: c_write_int32
    end function
    function c_write_int64(group, number) bind(c, name='hdS_writeInt64Value')
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: group
      integer(c_int64_t), value :: number
      integer(c_int) :: c_write_int64
    end function
    function c_write_float(group, number) bind(c, name='hdS_writeFloatValue')
      import :: c_ptr, c_int, c_float
      type(c_ptr), value :: group
      real(c_float), value :: number
      integer(c_int) :: c_write_float
    end function
    function c_write_double(group, number) bind(c, name='hdS_writeDoubleValue')
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: group
      real(c_double), value :: number
      integer(c_int) :: c_write_double
    end function
    function c_flush_group(group) bind(c, name='hdS_flush')
      import :: c_ptr, c_int
      type(c_ptr), value :: group
      integer(c_int) :: c_flush_group
    end function
    function c_finalize_group(group) bind(c, name='hdS_finalize')
      import :: c_ptr, c_int
      type(c_ptr), value :: group
      integer(c_int) :: c_finalize_group
    end function
  end interface

contains

  ! A text as C has it.
  pure function c_text(text)
    character(len=*), intent(in) :: text
    character(len=len_trim(text) + 1, kind=c_char) :: c_text
    c_text = trim(text) // c_null_char
  end function

  ! Texts one after the other, each as C has it, and where each begins.
  subroutine c_texts(texts, bytes, list)
    character(len=*), intent(in) :: texts(:)
    character(kind=c_char, len=len(texts) + 1), allocatable, target, intent(out) :: bytes(:)
    type(c_ptr), allocatable, intent(out) :: list(:)
    integer :: i
    allocate(bytes(size(texts)), list(size(texts) + 1))
    do i = 1, size(texts)
      bytes(i) = trim(texts(i)) // c_null_char
      list(i) = c_loc(bytes(i))
    end do
    list(size(texts) + 1) = c_null_ptr
  end subroutine

  function hd_create_topology(project, levels) result(topology)
    character(len=*), intent(in) :: project, levels(:)
    type(hd_topology) :: topology
    character(kind=c_char, len=len(levels) + 1), allocatable, target :: bytes(:)
    type(c_ptr), allocatable :: list(:)
    call c_texts(levels, bytes, list)
    topology%handle = c_create_topology(c_text(project), list, size(levels, kind=c_int))
  end function

  function create_node(topology, path) result(node)
    type(hd_topology), intent(in) :: topology
    character(len=*), intent(in) :: path(:)
    type(c_ptr) :: node
    character(kind=c_char, len=len(path) + 1), allocatable, target :: bytes(:)
    type(c_ptr), allocatable :: list(:)
    call c_texts(path, bytes, list)
    node = c_create_node(topology%handle, list, size(path, kind=c_int))
  end function

  function hd_create_trace(topology, path) result(trace)
    type(hd_topology), intent(in) :: topology
    character(len=*), intent(in) :: path(:)
    type(hd_trace) :: trace
    type(c_ptr) :: node
    integer(c_int) :: ignored
    node = create_node(topology, path)
    if (.not. c_associated(node)) return
    trace%handle = c_create_trace(node)
    ignored = c_destroy_node(node)
  end function

  function hd_create_group(name, topology, path) result(group)
    character(len=*), intent(in) :: name, path(:)
    type(hd_topology), intent(in) :: topology
    type(hd_group) :: group
    type(c_ptr) :: node
    integer(c_int) :: ignored
    node = create_node(topology, path)
    if (.not. c_associated(node)) return
    group%handle = c_create_group(c_text(name), node, size(path, kind=c_int))
    ignored = c_destroy_node(node)
  end function

  subroutine hd_state_start(trace, name)
    type(hd_trace), intent(in) :: trace
    character(len=*), intent(in) :: name
    integer(c_int) :: ignored
    ignored = c_state_start(trace%handle, c_text(name))
  end subroutine

  subroutine hd_state_end(trace)
    type(hd_trace), intent(in) :: trace
    integer(c_int) :: ignored
    ignored = c_state_end(trace%handle)
  end subroutine

  subroutine hd_event(trace, name)
    type(hd_trace), intent(in) :: trace
    character(len=*), intent(in) :: name
    integer(c_int) :: ignored
    ignored = c_event(trace%handle, c_text(name))
  end subroutine

  subroutine attribute_int32(trace, key, number)
    type(hd_trace), intent(in) :: trace
    character(len=*), intent(in) :: key
    integer(c_int32_t), intent(in) :: number
    call attribute_int64(trace, key, int(number, c_int64_t))
  end subroutine

  subroutine attribute_int64(trace, key, number)
    type(hd_trace), intent(in) :: trace
    character(len=*), intent(in) :: key
    integer(c_int64_t), intent(in) :: number
    integer(c_int) :: ignored
    ignored = c_attribute_int64(trace%handle, c_text(key), number)
  end subroutine

  subroutine attribute_double(trace, key, number)
    type(hd_trace), intent(in) :: trace
    character(len=*), intent(in) :: key
    real(c_double), intent(in) :: number
    integer(c_int) :: ignored
    ignored = c_attribute_double(trace%handle, c_text(key), number)
  end subroutine

  subroutine attribute_text(trace, key, text)
    type(hd_trace), intent(in) :: trace
    character(len=*), intent(in) :: key, text
    integer(c_int) :: ignored
    ignored = c_attribute_text(trace%handle, c_text(key), c_text(text))
  end subroutine

  function hd_add_value(group, name, kind, unit) result(is_added)
    type(hd_group), intent(in) :: group
    character(len=*), intent(in) :: name, unit
    integer(c_int), intent(in) :: kind
    logical :: is_added
    is_added = c_add_value(group%handle, c_text(name), kind, c_text(unit), c_null_ptr) == 0
  end function

  function hd_commit(group) result(is_ready)
    type(hd_group), intent(in) :: group
    logical :: is_ready
    is_ready = c_commit(group%handle) == 0
    if (is_ready) is_ready = c_enable(group%handle) >= 0
  end function

  subroutine write_int32(group, number)
    type(hd_group), intent(in) :: group
    integer(c_int32_t), intent(in) :: number
    integer(c_int) :: ignored
    ignored = c_write_int32(group%handle, number)
  end subroutine

  subroutine write_int64(group, number)
    type(hd_group), intent(in) :: group
    integer(c_int64_t), intent(in) :: number
    integer(c_int) :: ignored
    ignored = c_write_int64(group%handle, number)
  end subroutine

  subroutine write_float(group, number)
    type(hd_group), intent(in) :: group
    real(c_float), intent(in) :: number
    integer(c_int) :: ignored
    ignored = c_write_float(group%handle, number)
  end subroutine

  subroutine write_double(group, number)
    type(hd_group), intent(in) :: group
    real(c_double), intent(in) :: number
    integer(c_int) :: ignored
    ignored = c_write_double(group%handle, number)
  end subroutine

  function is_topology(object) result(is_valid)
    type(hd_topology), intent(in) :: object
    logical :: is_valid
    is_valid = c_associated(object%handle)
  end function

  function is_trace(object) result(is_valid)
    type(hd_trace), intent(in) :: object
    logical :: is_valid
    is_valid = c_associated(object%handle)
  end function

  function is_group(object) result(is_valid)
    type(hd_group), intent(in) :: object
    logical :: is_valid
    is_valid = c_associated(object%handle)
  end function

  subroutine flush_trace(object)
    type(hd_trace), intent(in) :: object
    integer(c_int) :: ignored
    ignored = c_flush_trace(object%handle)
  end subroutine

  subroutine flush_group(object)
    type(hd_group), intent(in) :: object
    integer(c_int) :: ignored
    ignored = c_flush_group(object%handle)
  end subroutine

  subroutine finalize_topology(object)
    type(hd_topology), intent(inout) :: object
    integer(c_int) :: ignored
    ignored = c_destroy_topology(object%handle)
    object%handle = c_null_ptr
  end subroutine

  subroutine finalize_trace(object)
    type(hd_trace), intent(inout) :: object
    integer(c_int) :: ignored
    ignored = c_finalize_trace(object%handle)
    object%handle = c_null_ptr
  end subroutine

  subroutine finalize_group(object)
    type(hd_group), intent(inout) :: object
    integer(c_int) :: ignored
    ignored = c_finalize_group(object%handle)
    object%handle = c_null_ptr
  end subroutine

end module hdtrace
