# SPDX-License-Identifier: BSD-2-Clause
"""Read STF instruction traces into NumPy arrays.

    import stf

    for block in stf.read("trace.zstf"):
        taken = block.flags & stf.TAKEN != 0
        print(len(block), block.pc[taken], block.accesses["address"])

A block has up to 16384 instructions. libstf fills its arrays, so the work of Python
does not grow with each instruction. All containers of STF are read: .zstf, plain, .gz, .xz.
"""

import ctypes
import operator
import os
import threading
import warnings

try:
    import numpy
except ModuleNotFoundError:
    raise ImportError("stf needs NumPy: install Debian's package python3-numpy, "
                      "or run `pip install numpy`") from None

__all__ = ["Block", "Error", "Reader", "event_name", "read"]

# The flags of an instruction, which say what records its group has (enum stf_inst_flags).
TAKEN = 1 << 0  # INST_PC_TARGET: a taken branch or a jump
EVENT = 1 << 1  # an EVENT that is not a MODE_CHANGE
EVENT_TARGET = 1 << 2
MODE = 1 << 3  # MODE_CHANGE
FORCE_PC = 1 << 4
GAP = 1 << 5  # instructions are missing before this one
PROCESS = 1 << 6  # PROCESS_ID_EXT
MEMORY = 1 << 7  # INST_MEM_ACCESS
BUS = 1 << 8  # BUS_MASTER_ACCESS
COMMENT = 1 << 9
OTHER = 1 << 10

# The privilege modes.
USER, SUPERVISOR, HYPERVISOR, MACHINE, UNKNOWN = range(5)

# The directions of an access.
READ, WRITE = 1, 2

# Bits of the id of an event, and the event whose first field is the new mode.
INTERRUPT, SPECIAL = 1 << 63, 1 << 62
MODE_CHANGE = SPECIAL


class Error(Exception):
    """What is wrong with a trace, in the words of libstf. `code` is its number in stf.h."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


# ------------------------------------------------------------- the structures of stf.h

class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 320)]


class _ReaderOpts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t),
                ("spec_initiators", ctypes.c_bool),
                ("event_bits", ctypes.c_uint),
                ("max_buffer", ctypes.c_uint64),
                ("threads", ctypes.c_uint),
                ("name", ctypes.c_char_p)]


class _Params(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32),
                ("minor", ctypes.c_uint32),
                ("isa", ctypes.c_uint16),
                ("iem", ctypes.c_uint16),
                ("features", ctypes.c_uint64),
                ("vlen", ctypes.c_uint32),
                ("protocol", ctypes.c_uint8),
                ("header_ended", ctypes.c_bool),
                ("mem_bits", ctypes.c_bool)]


class _Stats(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t),
                ("container", ctypes.c_int),
                ("counts", ctypes.c_uint64 * 6),
                ("recovered", ctypes.c_bool)]


class _Block(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t),
                ("insts", ctypes.c_void_p),
                ("max_insts", ctypes.c_size_t),
                ("accesses", ctypes.c_void_p),
                ("max_accesses", ctypes.c_size_t),
                ("events", ctypes.c_void_p),
                ("max_events", ctypes.c_size_t),
                ("n_insts", ctypes.c_size_t),
                ("n_accesses", ctypes.c_size_t),
                ("n_events", ctypes.c_size_t)]


class _Range(ctypes.Structure):
    _fields_ = [("start", ctypes.c_uint64), ("size", ctypes.c_uint64)]


class _Place(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint32), ("value", ctypes.c_uint64)]


class _SelectOpts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t),
                ("modes", ctypes.c_uint),
                ("by_hart", ctypes.c_bool),
                ("by_pid", ctypes.c_bool),
                ("by_tid", ctypes.c_bool),
                ("hart", ctypes.c_uint32),
                ("pid", ctypes.c_uint32),
                ("tid", ctypes.c_uint32),
                ("ranges", ctypes.POINTER(_Range)),
                ("n_ranges", ctypes.c_size_t),
                ("start", ctypes.c_uint64),
                ("limit", ctypes.c_uint64),
                ("every", ctypes.c_uint64),
                ("from_", _Place),
                ("to", _Place),
                ("first_window", ctypes.c_uint64),
                ("last_window", ctypes.c_uint64)]


# The elements of the arrays: aligned, as a C compiler lays them out.
INSTRUCTION = numpy.dtype([("index", "u8"), ("pc", "u8"), ("next_pc", "u8"),
                           ("opcode", "u4"), ("size", "u1"), ("mode", "u1"),
                           ("flags", "u2"), ("hart", "u4"), ("pid", "u4"),
                           ("tid", "u4")], align=True)
ACCESS = numpy.dtype([("index", "u8"), ("address", "u8"), ("content", "u8"),
                      ("size", "u2"), ("attributes", "u2"), ("access", "u1"),
                      ("has_content", "?")], align=True)
EVENT_RECORD = numpy.dtype([("index", "u8"), ("id", "u8"), ("fields", "u8", 4),
                            ("n_fields", "u1")], align=True)

_NO_THREADS = 2 ** (8 * ctypes.sizeof(ctypes.c_uint)) - 1


def _load():
    """libstf, with the types of the functions that are used here."""
    name = "libstf.so.0"
    try:
        lib = ctypes.CDLL(name)
    except OSError as err:
        raise ImportError(f"stf cannot load the library libstf ({err}): install Debian's "
                          "package libstf0, or name the folder of "
                          f"{name} in LD_LIBRARY_PATH") from None
    pointer, size, path = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    types = {
        "stf_reader_open": (pointer, [path, ctypes.POINTER(_ReaderOpts),
                                      ctypes.POINTER(_Error)]),
        "stf_reader_error": (path, [pointer]),
        "stf_reader_params": (ctypes.POINTER(_Params), [pointer]),
        "stf_reader_stats": (None, [pointer, ctypes.POINTER(_Stats)]),
        "stf_reader_close": (None, [pointer]),
        "stf_inst_iter_new": (pointer, [pointer, size]),
        "stf_inst_iter_read": (ctypes.c_int, [pointer, ctypes.POINTER(_Block)]),
        "stf_inst_iter_seek": (ctypes.c_int, [pointer, ctypes.c_uint64]),
        "stf_inst_iter_free": (None, [pointer]),
        "stf_select_new": (pointer, [ctypes.POINTER(_SelectOpts),
                                     ctypes.POINTER(_Error)]),
        "stf_select_read": (ctypes.c_int, [pointer, pointer, ctypes.POINTER(_Block)]),
        "stf_select_free": (None, [pointer]),
        "stf_event_name": (path, [ctypes.c_uint64, path]),
    }
    for function, (result, arguments) in types.items():
        if not hasattr(lib, function):
            raise ImportError(f"the library libstf is older than the module stf, which "
                              f"needs {function}(): install a newer libstf")
        getattr(lib, function).restype = result
        getattr(lib, function).argtypes = arguments
    return lib


_lib = _load()


def _integer(name, value, least=0, most=None):
    """The value of an argument. ctypes would cut off what does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        range_of = f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{name} must be an integer, {range_of}")
    return number


def _path(path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("path must not contain a NUL byte")
    return encoded


def event_name(event):
    """The name of the id of an event: "USER_ECALL", "INT_SUPERVISOR_TIMER", ..."""
    event = _integer("event", event, most=(1 << 64) - 1)
    return _lib.stf_event_name(event, ctypes.create_string_buffer(40)).decode()


def _ranges(pc):
    """The ranges of the option pc, as an array for libstf."""
    wanted = [pc] if isinstance(pc, (int, numpy.integer, range)) else list(pc)
    ranges = (_Range * len(wanted))()
    for to, one in zip(ranges, wanted):
        if not isinstance(one, range):
            address = _integer("pc", one, most=(1 << 64) - 1)
            one = range(address, address + 1)
        if one.step != 1 or not 0 <= one.start < one.stop <= 1 << 64:
            raise ValueError("pc must be an address, a range of addresses with step 1, "
                             "or a list of these")
        # The size of all addresses does not fit in. The last one is odd, and no PC.
        to.start, to.size = one.start, min(one.stop - one.start, (1 << 64) - 1)
    if not wanted:
        raise ValueError("pc is an empty list")
    return ranges


def _select_opts(user, hart, pid, tid, pc):
    """The options of a selection, or None if there are no filters.

    Also returns whether they need what the trace tells before an instruction.
    """
    opts = _SelectOpts(size=ctypes.sizeof(_SelectOpts), modes=1 << USER if user else 0)
    for name, number in (("hart", hart), ("pid", pid), ("tid", tid)):
        if number is None:
            continue
        setattr(opts, name, _integer(name, number, most=(1 << 32) - 1))
        setattr(opts, "by_" + name, True)
    if pc is not None:
        ranges = _ranges(pc)
        opts.ranges, opts.n_ranges = ranges, len(ranges)
    needs_state = bool(opts.modes or opts.by_hart or opts.by_pid or opts.by_tid)
    return (opts if needs_state or opts.n_ranges else None), needs_state


def _column(name, text):
    return property(lambda block: block.instructions[name], doc=text)


class Block:
    """Some instructions, with all their accesses and events.

    They are consecutive, unless filters were given to read().

    `instructions`, `accesses` and `events` are structured arrays. The arrays stay valid
    after the next block is read. Each field of `instructions` is also an attribute.
    """

    __slots__ = ("instructions", "accesses", "events")

    def __init__(self, instructions, accesses, events):
        self.instructions = instructions
        self.accesses = accesses
        self.events = events

    def __len__(self):
        return len(self.instructions)

    index = _column("index", "the number of the instruction in the trace, from 0")
    pc = _column("pc", "the address of the instruction")
    next_pc = _column("next_pc", "the PC that the instruction leads to")
    opcode = _column("opcode", "the bits of the instruction")
    size = _column("size", "the size of the instruction in bytes")
    mode = _column("mode", "the privilege mode: USER, SUPERVISOR, ... or UNKNOWN")
    flags = _column("flags", "what records the group has: TAKEN, EVENT, ...")
    hart = _column("hart", "the hart; 0 before the trace tells it")
    pid = _column("pid", "the process; 0 before the trace tells it")
    tid = _column("tid", "the thread; 0 before the trace tells it")


class Reader:
    """The blocks of a trace, one after the other; read() makes it.

    `version`, `features`, `xlen`, `vlen` and `mem_bits` are what the header tells (struct
    stf_params in stf.h). xlen is 32, 64, or 0 if the header does not tell it.
    `unfinished` is true if the writer of a .zstf was killed, so that its end is missing.

    Threads can share a reader. Each block goes to one of them.
    """

    _reader = _iter = _select = _first = None
    _busy = _closed = False

    def __init__(self, path, start=0, limit=None, block_size=16384, accesses=True,
                 events=True, threads=None, event_bits=0, user=False, hart=None,
                 pid=None, tid=None, pc=None):
        self._lock = threading.RLock()
        self._block_size = block_size = _integer("block_size", block_size, least=1)
        self._left = None if limit is None else _integer("limit", limit)
        start = _integer("start", start, most=(1 << 64) - 1)
        self._accesses = block_size if accesses else 0
        self._events = block_size if events else 0
        wanted, needs_state = _select_opts(user, hart, pid, tid, pc)
        self._open(path, threads, event_bits)
        if self._left == 0:
            self._fill(1)  # The header comes before the first instruction.
        if wanted:
            # Who jumps into the trace does not know the mode and the process.
            wanted.start = start if needs_state else 0
            self._make_selection(wanted)
        if self._left != 0:
            self._first = self._begin(0 if needs_state else start)
        self._take_params()

    def _open(self, path, threads, event_bits):
        count = 0
        if threads is not None:
            count = _integer("threads", threads, most=_NO_THREADS - 1) or _NO_THREADS
        if event_bits not in (0, 32, 64):
            raise ValueError("event_bits must be 32 or 64")
        opts = _ReaderOpts(size=ctypes.sizeof(_ReaderOpts), threads=count,
                           event_bits=int(event_bits))
        err = _Error()
        self._reader = _lib.stf_reader_open(_path(path), opts, err)
        if not self._reader:
            raise Error(err.code, err.text.decode(errors="replace"))
        stats = _Stats(size=ctypes.sizeof(_Stats))
        _lib.stf_reader_stats(self._reader, stats)
        self.unfinished = stats.recovered
        if self.unfinished:
            warnings.warn(f"{os.fsdecode(path)}: the end of the trace is missing, because its "
                          "writer was killed; what it has written is used", stacklevel=4)
        self._iter = _lib.stf_inst_iter_new(self._reader, INSTRUCTION.itemsize)
        if not self._iter:
            self._fail(-2)

    def _make_selection(self, wanted):
        err = _Error()
        self._select = _lib.stf_select_new(wanted, err)
        if not self._select:
            self._free()
            raise Error(err.code, err.text.decode(errors="replace"))

    def _begin(self, start):
        """The first block, which is read at once, as the header comes before it."""
        if start:
            more = _lib.stf_inst_iter_seek(self._iter, start)
            if more < 0:
                self._fail(more)
            if not more:
                return None
        return self._next()

    def _take_params(self):
        params = _lib.stf_reader_params(self._reader).contents
        self.version = (params.major, params.minor)
        self.features = params.features
        self.xlen = {1: 32, 2: 64}.get(params.iem, 0)
        self.vlen = params.vlen
        self.mem_bits = params.mem_bits

    def _fail(self, code):
        text = _lib.stf_reader_error(self._reader).decode(errors="replace")
        self._free()
        raise Error(code, text)

    def _fill(self, max_insts):
        """The next block, which may lack accesses and events of its last instruction.

        Returns None at the end of the trace, and whether an array became full.
        """
        insts = numpy.empty(max_insts, INSTRUCTION)
        accesses = numpy.empty(self._accesses, ACCESS)
        events = numpy.empty(self._events, EVENT_RECORD)
        block = _Block(size=ctypes.sizeof(_Block), insts=insts.ctypes.data,
                       max_insts=max_insts,
                       accesses=accesses.ctypes.data if self._accesses else None,
                       max_accesses=self._accesses,
                       events=events.ctypes.data if self._events else None,
                       max_events=self._events)
        if self._select:
            more = _lib.stf_select_read(self._select, self._iter, block)
        else:
            more = _lib.stf_inst_iter_read(self._iter, block)
        if more < 0:
            self._fail(more)
        if not more:
            return None, False
        full = (self._accesses and block.n_accesses == self._accesses or
                self._events and block.n_events == self._events)
        return Block(insts[:block.n_insts], accesses[:block.n_accesses],
                     events[:block.n_events]), full

    def _next(self):
        room = self._block_size
        if self._left is not None:
            room = min(room, self._left)
        if not room:
            return None
        block, full = self._fill(room)
        if block is None:
            return None
        while full:
            rest, full = self._fill(0)
            if rest is not None:
                block.accesses = numpy.concatenate((block.accesses, rest.accesses))
                block.events = numpy.concatenate((block.events, rest.events))
        if self._left is not None:
            self._left -= len(block)
        return block

    def __iter__(self):
        return self

    def __next__(self):
        # ctypes releases the interpreter's lock while libstf runs, and only one thread at
        # a time can use the objects of libstf.
        with self._lock:
            if self._busy:  # by a signal handler that runs inside this very function
                raise ValueError("this thread is already reading a block")
            self._busy = True
            try:
                block = self._take()
            finally:
                self._busy = False
                if self._closed:
                    self._free()
        if block is None:
            raise StopIteration
        return block

    def _take(self):
        block, self._first = self._first, None
        if block is None and self._iter:
            block = self._next()
        if block is None:
            self._free()
        return block

    def _free(self):
        select, iterator, reader = self._select, self._iter, self._reader
        self._reader = self._iter = self._select = self._first = None
        if select:
            _lib.stf_select_free(select)
        if iterator:
            _lib.stf_inst_iter_free(iterator)
        if reader:
            _lib.stf_reader_close(reader)

    def close(self):
        """Close the trace. Blocks that were read stay valid.

        If another thread is reading a block, close() waits until it has the block. In a
        signal handler, close() does not wait, and the trace is closed after the block.
        """
        # A thread that reads block after block leaves the lock to nobody.
        self._closed = True
        with self._lock:
            if not self._busy:
                self._free()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __del__(self):
        self._free()  # No thread has the reader any more.


def read(path, **options):
    """Read a trace in blocks: `for block in stf.read("trace.zstf"):`

    path is a file, or "-" for standard input. The options are:

    start       the number of the first instruction (0). The index of a .zstf is used,
                unless user, hart, pid or tid is given.
    limit       the most instructions (all), of those that the filters let pass
    block_size  the most instructions in a block (16384). A block has fewer at the end of
                the trace, and if it has very many accesses or events.
    accesses    whether to read INST_MEM_ACCESS (True)
    events      whether to read EVENT (True)
    threads     how many threads decompress a .zstf. None: libstf decides. 0: none.
    event_bits  32 or 64: the size of event ids, whatever the header says

    These options are filters. Each one leaves out instructions:

    user        True: only instructions that the trace says are in user mode
    hart, pid, tid
                only instructions of this hart, process or thread
    pc          only instructions at these addresses: an address, a range such as
                range(0x10000, 0x20000), or a list of these

    Raises Error if the trace cannot be read. All blocks before the fault are returned
    before.
    """
    return Reader(path, **options)
