# SPDX-License-Identifier: GPL-2.0-only
"""The module stf, compared with a decoder of its own that reads record after record.

Traces are made here byte by byte, by the layouts of the specification. Prints KTAP.
"""

import contextlib
import gc
import gzip
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from struct import pack, unpack_from

import numpy

import stf

SEED = int(os.environ.get("TEST_SEED", time.time_ns()))
START = 0x10000
NOP, LOAD, C_NOP = 0x13, 0x53503, 1

# ------------------------------------------------------------------- traces as bytes


def header(features=0x80020, pc=START, generator=1):
    return (b"\x01STF" + pack("<BII", 2, 1, 6) + pack("<BI", 3, 5) + b"hello" +
            pack("<BH", 4, 1) + pack("<BH", 5, 2) + pack("<BBBBBH", 6, generator, 0, 0, 0, 0) +
            pack("<BQ", 7, features) + pack("<BQ", 9, pc) + pack("<B", 19))


def inst(opcode):
    return pack("<BI", 240, opcode) if opcode & 3 == 3 else pack("<BH", 241, opcode)


def access(address, size=8, kind=1, content=None):
    more = b"" if content is None else pack("<BQ", 61, content)
    return pack("<BQHHB", 60, address, size, 0x5a, kind) + more


def event(number, *fields):
    return pack("<BQB", 100, number, len(fields)) + pack(f"<{len(fields)}Q", *fields)


def target(pc, desc=31):
    return pack("<BQ", desc, pc)


def process(hart, pid, tid):
    return pack("<BIII", 8, hart, pid, tid)


def random_group(rng):
    group = b""
    if rng.random() < 0.1:
        group += process(*(rng.choice((1, 2, 1 << 31 | 3)) for _ in range(3)))
    if rng.random() < 0.1:
        group += target(2 * rng.choice((1, 2, 3, rng.getrandbits(40))), 9)
    if rng.random() < 0.3:
        group += target(2 * rng.getrandbits(40))
    for _ in range(rng.choice((0, 0, 0, 1, 2, 40))):
        group += access(rng.getrandbits(64), rng.getrandbits(4), rng.choice((1, 2)),
                        rng.getrandbits(64))
    for _ in range(rng.choice((0, 0, 0, 0, 1, 2, 20))):
        group += event(rng.choice((2, 8, 1 << 63 | 5)),
                       *(rng.getrandbits(64) for _ in range(rng.randrange(7))))
    return group + inst(rng.choice((NOP, LOAD, C_NOP, 0x8082)))


def random_trace(rng, count):
    return header() + b"".join(random_group(rng) for _ in range(count))


# --------------------------------------------------------------- the other decoder

# Bytes of the payload of records without a length.
SIZES = {2: 8, 4: 2, 5: 2, 7: 8, 19: 0, 1: 3}


def decode(trace):
    """Lists of instructions, accesses and events, as tuples of their fields."""
    insts, accesses, events = [], [], []
    pc, ids, flags, to, at = 0, (0, 0, 0), 0, None, 0
    before, told, led, left = None, False, 0, {}
    while at < len(trace):
        desc = trace[at]
        at += 1
        index = len(insts)
        if desc in SIZES:
            at += SIZES[desc]
            flags = 0
        elif desc == 3:
            at += 4 + unpack_from("<I", trace, at)[0]
        elif desc == 6:
            at += 6 + unpack_from("<H", trace, at + 4)[0]
        elif desc == 8:
            before, told = ids if told else None, True
            ids = unpack_from("<III", trace, at)
            flags |= stf.PROCESS
            at += 12
        elif desc == 9:
            flags |= stf.FORCE_PC
            (pc,) = unpack_from("<Q", trace, at)
            at += 8
        elif desc == 31:
            (to,) = unpack_from("<Q", trace, at)
            flags |= stf.TAKEN
            at += 8
        elif desc == 60:
            address, size, attributes, kind = unpack_from("<QHHB", trace, at)
            accesses.append([index, address, 0, size, attributes, kind, False])
            flags |= stf.MEMORY
            at += 13
        elif desc == 61:
            accesses[-1][2] = unpack_from("<Q", trace, at)[0]
            accesses[-1][6] = True
            at += 8
        elif desc == 100:
            number, n = unpack_from("<QB", trace, at)
            fields = unpack_from(f"<{n}Q", trace, at + 9)
            events.append((index, number, list((fields + (0,) * 4)[:4]), n))
            flags |= stf.EVENT
            at += 9 + 8 * n
        else:
            size = {240: 4, 241: 2}[desc]
            opcode = int.from_bytes(trace[at:at + size], "little")
            leads = pc + size if to is None else to
            places = [led]
            if flags & stf.PROCESS and index and before not in (None, ids):
                # A thread goes on where it was left, on its hart or on any, or begins.
                left[before] = left[before[1:]] = led
                places += [left[key] for key in (ids, ids[1:]) if key in left] or [pc]
            if index and pc not in places:
                flags |= stf.GAP
            insts.append((index, pc, leads, opcode, size, stf.UNKNOWN, flags) + ids)
            pc, led, flags, to = leads, leads, 0, None
            at += size
    return insts, [tuple(a) for a in accesses], events


# --------------------------------------------------------------------- the tests

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def write(data, name="trace.stf"):
    with open(name, "wb") as file:
        file.write(data)
    return name


def same(got, want):
    assert got == want, f"{got!r} is not {want!r}"


def fails(kind, words, function, *args, **options):
    try:
        function(*args, **options)
    except kind as err:
        for word in words:
            assert word in str(err), f"{err} has no {word!r}"
        return err
    raise AssertionError(f"no {kind.__name__}")


def whole(path, **options):
    """A trace as lists of tuples, like decode()."""
    blocks = list(stf.read(path, **options))
    for block in blocks:
        # Complete: no access or event belongs to an instruction of another block.
        for other in (block.accesses, block.events):
            assert not len(other) or (block.index[0] <= other["index"][0] and
                                      other["index"][-1] <= block.index[-1])
    return ([i for b in blocks for i in b.instructions.tolist()],
            [a for b in blocks for a in b.accesses.tolist()],
            [(e[0], e[1], list(e[2]), e[3]) for b in blocks for e in b.events.tolist()])


@test
def a_block_has_the_columns_of_its_instructions():
    write(header() + process(1, 2, 3) + inst(NOP) + access(0x2000, 4, 2, 7) +
          access(0x3000) + inst(0xa53023) + target(0x500) + inst(0xa001) + inst(C_NOP))
    (block,) = stf.read("trace.stf")
    same(len(block), 4)
    same(block.index.tolist(), [0, 1, 2, 3])
    same(block.pc.tolist(), [0x10000, 0x10004, 0x10008, 0x500])
    same(block.next_pc.tolist(), [0x10004, 0x10008, 0x500, 0x502])
    same(block.opcode.tolist(), [NOP, 0xa53023, 0xa001, C_NOP])
    same(block.size.tolist(), [4, 4, 2, 2])
    same(block.mode.tolist(), [stf.UNKNOWN] * 4)
    same(block.flags.tolist(), [stf.PROCESS, stf.MEMORY, stf.TAKEN, 0])
    same((block.hart[0], block.pid[3], block.tid[1]), (1, 2, 3))
    same(block.accesses.tolist(), [(1, 0x2000, 7, 4, 0x5a, stf.WRITE, True),
                                   (1, 0x3000, 0, 8, 0x5a, stf.READ, False)])
    same(len(block.events), 0)


@test
def columns_are_views_without_a_copy():
    write(header() + inst(NOP) * 10)
    (block,) = stf.read("trace.stf")
    assert numpy.shares_memory(block.pc, block.instructions)
    same(block.pc.dtype, numpy.dtype("u8"))
    same(block.instructions.itemsize, 48)


@test
def modes_and_events_are_there():
    write(header() + event(stf.MODE_CHANGE, stf.MACHINE) + inst(NOP) +
          event(8) + event(stf.MODE_CHANGE, stf.SUPERVISOR) + target(0x800, 101) +
          inst(0x73) + inst(NOP))
    (block,) = stf.read("trace.stf")
    same(block.mode.tolist(), [stf.MACHINE, stf.MACHINE, stf.SUPERVISOR])
    same(block.events["index"].tolist(), [0, 1, 1])
    same(block.events["id"].tolist(), [stf.MODE_CHANGE, 8, stf.MODE_CHANGE])
    same(block.events["fields"][:, 0].tolist(), [3, 0, 1])
    same(block.flags[1], stf.EVENT | stf.MODE | stf.EVENT_TARGET)
    same(stf.event_name(8), "USER_ECALL")
    same(stf.event_name(stf.INTERRUPT | 5), "INT_SUPERVISOR_TIMER")


@test
def of_other_bus_masters_only_the_flag_tells():
    write(header() + access(0x1000, content=7) + pack("<BQHHIB", 62, 0x2000, 8, 1, 0, 1) +
          pack("<BQ", 63, 9) + inst(LOAD))
    (block,) = stf.read("trace.stf")
    same(block.flags[0], stf.MEMORY | stf.BUS)
    same(block.accesses["address"].tolist(), [0x1000])


@test
def random_traces_are_what_the_other_decoder_reads():
    rng = random.Random(SEED)
    for size in (1, 7, 100, 16384):
        trace = random_trace(rng, 2000)
        write(trace)
        want = decode(trace)
        got = whole("trace.stf", block_size=size)
        for one, other in zip(got, want):
            same(one, other)


@test
def start_and_limit_select():
    trace = random_trace(random.Random(SEED), 300)
    write(trace)
    insts, accesses, events = decode(trace)
    got = whole("trace.stf", start=100, limit=50, block_size=16)
    same([i[:5] for i in got[0]], [i[:5] for i in insts[100:150]])
    same(got[1], [a for a in accesses if 100 <= a[0] < 150])
    same(got[2], [e for e in events if 100 <= e[0] < 150])
    same(whole("trace.stf", limit=0), ([], [], []))
    same(whole("trace.stf", start=300), ([], [], []))
    same(whole("trace.stf", start=9999), ([], [], []))


@test
def what_is_not_asked_for_is_not_there():
    write(random_trace(random.Random(SEED), 100))
    for block in stf.read("trace.stf", accesses=False, events=False):
        same((len(block.accesses), len(block.events)), (0, 0))


@test
def blocks_stay_when_the_next_one_is_read():
    write(header() + inst(NOP) * 100)
    with stf.read("trace.stf", block_size=10) as reader:
        blocks = list(reader)
    del reader
    gc.collect()
    same(numpy.concatenate([b.index for b in blocks]).tolist(), list(range(100)))


@test
def containers_are_recognized():
    trace = random_trace(random.Random(SEED), 500)
    with gzip.open("trace.stf.gz", "wb") as file:
        file.write(trace)
    same(whole("trace.stf.gz"), decode(trace))
    write(trace)
    subprocess.run([os.environ["SSCTR"], "cut", "--chunk", "64", "-o", "trace.zstf",
                    "trace.stf"], check=True)
    got = whole("trace.zstf", threads=0)
    same([i[1:5] for i in got[0]], [i[1:5] for i in decode(trace)[0]])
    same(got[1], decode(trace)[1])
    same([b.index[0] for b in stf.read("trace.zstf", start=400, limit=1)], [400])
    for start in 500, 9999:
        same(whole("trace.zstf", start=start), ([], [], []))


@test
def a_container_without_its_end_is_told():
    write(random_trace(random.Random(SEED), 500))
    subprocess.run([os.environ["SSCTR"], "cut", "--chunk", "64", "-o", "trace.zstf",
                    "trace.stf"], check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not stf.read("trace.zstf").unfinished
    with open("trace.zstf", "r+b") as file:
        file.seek(12)
        file.write(bytes(8))
        file.truncate(os.path.getsize("trace.zstf") * 2 // 3)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        reader = stf.read("trace.zstf")
    assert reader.unfinished
    assert 0 < sum(map(len, reader)) < 500
    assert "trace.zstf: the end of the trace is missing" in str(said[0].message)


@test
def a_path_can_be_of_any_kind():
    write(header() + inst(NOP))
    same(len(list(stf.read(pathlib.Path("trace.stf")))), 1)
    same(len(list(stf.read(b"trace.stf"))), 1)
    count = "import stf; print(sum(map(len, stf.read('-'))))"
    with open("trace.stf", "rb") as file:
        done = subprocess.run([sys.executable, "-c", count], stdin=file,
                              stdout=subprocess.PIPE, check=True)
    same(done.stdout, b"1\n")


@test
def the_header_tells():
    write(header(0x80020 | 0x8) + inst(NOP))
    reader = stf.read("trace.stf")
    same((reader.version, reader.xlen, reader.features), ((1, 6), 64, 0x80028))
    same((reader.vlen, reader.mem_bits), (0, False))
    reader.close()
    same(list(reader), [])
    # Also if nothing else is asked for.
    for options in ({}, {"pid": 7}, {"pc": 1}, {"start": 1}):
        reader = stf.read("trace.stf", limit=0, **options)
        same((reader.version, reader.xlen, reader.features), ((1, 6), 64, 0x80028))
        same(list(reader), [])
    # An id of 32 bits, whatever the features say.
    write(header() + pack("<BIB", 100, 1 << 31 | 5, 0) + inst(NOP))
    (block,) = stf.read("trace.stf", event_bits=32)
    same(block.events["id"].tolist(), [stf.INTERRUPT | 5])


@test
def the_program_of_the_page_does_not_take_bits_for_bytes():
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
    program = page.read_text().split("```python loads.py\n")[1].split("```")[0]
    dromajo = 12
    for generator, said in ((1, (0, f"{START:#x} 8\n0 instructions without an access\n")),
                            (dromajo, (1, ""))):
        write(header(generator=generator) + access(0x2000, 8, content=1) + inst(LOAD))
        done = subprocess.run([sys.executable, "-c", program, "trace.stf"],
                              capture_output=True, text=True, check=False)
        same((done.returncode, done.stdout), said)
    assert "trace.stf: the sizes of accesses are in bits" in done.stderr


def moding_trace(rng, count):
    """A random trace whose events also change the mode, and the mode of each instruction."""
    groups, modes, mode = [], [], None
    for _ in range(count):
        group = random_group(rng)
        new = mode
        if mode is None or rng.random() < 0.1:
            new = rng.choice((stf.USER, stf.SUPERVISOR, stf.MACHINE))
            group = event(stf.MODE_CHANGE, new) + inst(NOP)
        # That of the first group is the mode of its own instruction, too.
        modes.append(new if mode is None else mode)
        mode = new
        groups.append(group)
    return header() + b"".join(groups), modes


def passed(trace, wanted, start=0, limit=None):
    """What of decode() a naive filter of instructions lets pass, without mode and flags."""
    insts, accesses, events = decode(trace)
    insts = [i for i in insts if i[0] >= start and wanted(i)][:limit]
    numbers = {i[0] for i in insts}
    return ([i[:5] + i[7:] for i in insts], [a for a in accesses if a[0] in numbers],
            [e for e in events if e[0] in numbers])


def filtered(path, **options):
    insts, accesses, events = whole(path, **options)
    return [i[:5] + i[7:] for i in insts], accesses, events


@test
def filters_let_pass_what_a_naive_filter_does():
    rng = random.Random(SEED)
    trace = random_trace(rng, 1000)
    write(trace)
    insts = decode(trace)[0]
    hart, pid, tid = insts[len(insts) // 2][7:]
    pcs = sorted(i[1] for i in insts)
    low, high = pcs[len(pcs) // 4], pcs[len(pcs) // 2]
    for size in (1, 9, 16384):
        for start, limit in ((0, None), (100, 30)):
            more = {"block_size": size, "start": start, "limit": limit}
            same(filtered("trace.stf", hart=hart, **more),
                 passed(trace, lambda i: i[7] == hart, start, limit))
            same(filtered("trace.stf", pid=pid, tid=tid, **more),
                 passed(trace, lambda i: i[8:] == (pid, tid), start, limit))
            same(filtered("trace.stf", pc=range(low, high), **more),
                 passed(trace, lambda i: low <= i[1] < high, start, limit))
            same(filtered("trace.stf", pc=[START, range(high, 1 << 64)], pid=pid, **more),
                 passed(trace, lambda i: (i[1] == START or i[1] >= high) and i[8] == pid,
                        start, limit))


@test
def user_takes_instructions_in_user_mode():
    trace, modes = moding_trace(random.Random(SEED), 500)
    write(trace)
    numbers = [n for n, mode in enumerate(modes) if mode == stf.USER]
    blocks = list(stf.read("trace.stf", user=True, block_size=33))
    same([n for b in blocks for n in b.index.tolist()], numbers)
    same({m for b in blocks for m in b.mode.tolist()} | {stf.USER}, {stf.USER})
    # Behind the start, too, although the mode was told before.
    got = [n for b in stf.read("trace.stf", user=True, start=250) for n in b.index.tolist()]
    same(got, [n for n in numbers if n >= 250])


@test
def a_filter_that_nothing_passes_gives_no_block():
    write(header() + inst(NOP) * 10)
    for options in ({"pid": 7}, {"user": True}, {"pc": 1}, {"pc": range(START + 40, 1 << 64)}):
        same(list(stf.read("trace.stf", **options)), [])
    (block,) = stf.read("trace.stf", pid=0, pc=numpy.uint64(START))
    same(block.index.tolist(), [0])
    (block,) = stf.read("trace.stf", pc=range(0, 1 << 64))
    same(len(block), 10)


@test
def filters_that_are_wrong_are_refused():
    write(header() + inst(NOP))
    for options in ({"pid": -1}, {"tid": 1 << 32}, {"hart": 1 << 40}):
        fails(ValueError, [next(iter(options)), "4294967295"], stf.read, "trace.stf", **options)
    for options in ({"pid": 1.7}, {"tid": "1"}, {"pc": [1.5]}):
        fails(ValueError, [next(iter(options)), "integer"], stf.read, "trace.stf", **options)
    for pc in (-1, 1 << 64, range(8, 8), range(8, 0), range(0, 8, 2), [3, -1], []):
        fails(ValueError, ["pc"], stf.read, "trace.stf", pc=pc)


@test
def what_does_not_fit_is_not_cut_off():
    write(header() + inst(NOP))
    for options in ({"threads": -1}, {"threads": 1 << 32}, {"event_bits": 16}, {"limit": -1},
                    {"limit": 0.5}, {"start": 1.0}, {"block_size": 2.5}):
        name = next(iter(options))
        fails(ValueError, [name + " must be "], stf.read, "trace.stf", **options)
    for path in ("trace.stf\0more", b"trace.stf\0"):
        fails(ValueError, ["path", "NUL"], stf.read, path)
    for number in (1 << 64, 1 << 70, -1, 8.0):
        fails(ValueError, ["event must be "], stf.event_name, number)
    same(stf.event_name(numpy.uint64(8)), stf.event_name(8))


@test
def errors_are_exceptions_with_the_text_of_libstf():
    err = fails(stf.Error, ["missing.stf", "No such file"], stf.read, "missing.stf")
    same(err.code, -3)
    write(b"no trace at all, but some text")
    same(fails(stf.Error, ["trace.stf"], stf.read, "trace.stf").code, -4)
    fails(ValueError, ["block_size"], stf.read, "trace.stf", block_size=0)
    fails(ValueError, ["start"], stf.read, "trace.stf", start=-1)
    fails(ValueError, ["start"], stf.read, "trace.stf", start=1 << 64)
    fails(TypeError, ["colour"], stf.read, "trace.stf", colour=1)


@test
def what_stands_before_a_fault_is_returned():
    write(header() + inst(NOP) * 25 + b"\xee" + inst(NOP))
    reader, read = stf.read("trace.stf", block_size=10), []
    err = fails(stf.Error, ["trace.stf: at byte", "238"],
                lambda: read.extend(map(len, reader)))
    same((read, err.code), ([10, 10, 5], -7))
    same(list(reader), [])


@test
def a_trace_that_is_cut_anywhere_is_read_or_is_an_error():
    trace = random_trace(random.Random(SEED), 12)
    want = decode(trace)[0]
    for size in range(len(trace)):
        write(trace[:size])
        try:
            got = whole("trace.stf", block_size=3)[0]
        except stf.Error as err:
            assert "trace.stf" in str(err)
        else:
            same(got, want[:len(got)])


@test
def a_byte_that_is_wrong_is_no_crash():
    rng = random.Random(SEED)
    trace = bytearray(random_trace(rng, 20))
    for at in range(len(trace)):
        was, trace[at] = trace[at], trace[at] ^ 1 << rng.randrange(8)
        write(trace)
        try:
            whole("trace.stf", block_size=7)
        except stf.Error:
            pass
        trace[at] = was


class Watched:
    """libstf, whose calls take long, and which notes if two of them run at a time."""

    def __init__(self, lib, inside=lambda: None):
        self._lib, self._inside = lib, inside
        self.running = self.most = 0

    def __getattr__(self, name):
        function = getattr(self._lib, name)

        def call(*args):
            self.running += 1
            self.most = max(self.most, self.running)
            time.sleep(0.001)
            if name == "stf_inst_iter_read":
                self._inside()
            result = function(*args)
            self.running -= 1
            return result
        return call


@contextlib.contextmanager
def watched(inside=lambda: None):
    lib = stf._lib
    stf._lib = Watched(lib, inside)
    try:
        yield stf._lib
    finally:
        stf._lib = lib


def in_threads(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@test
def threads_that_share_a_reader_get_each_block_once():
    write(header() + inst(NOP) * 400)
    for options in ({}, {"pc": range(0, 1 << 64)}):
        with watched() as lib:
            reader, got = stf.read("trace.stf", block_size=10, **options), []
            in_threads(*[lambda: got.extend(b.index[0] for b in reader)] * 4)
            same(sorted(got), list(range(0, 400, 10)))
            same(lib.most, 1)


@test
def a_thread_can_close_what_another_one_reads():
    write(header() + inst(NOP) * 1000)
    with watched() as lib:
        reader, got = stf.read("trace.stf", block_size=10), []
        in_threads(lambda: got.extend(b.index[0] for b in reader), reader.close)
        same(lib.most, 1)
    same(got, list(range(0, 10 * len(got), 10)))
    assert len(got) < 100, "it was read to its end"


@test
def a_signal_handler_closes_after_the_block():
    write(header() + inst(NOP) * 30)
    reader = stf.read("trace.stf", block_size=10)
    next(reader)
    with watched(lambda: fails(ValueError, ["already reading"], next, reader)):
        same(len(next(reader)), 10)
    with watched(reader.close):
        same([len(b) for b in reader], [10])
    same(list(reader), [])


def main():
    failed = 0
    print("KTAP version 1")
    for number, function in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                function()
                print("ok", number, function.__name__)
            except Exception:
                failed += 1
                print(f"# seed: {SEED}")
                print("# " + traceback.format_exc().replace("\n", "\n# "))
                print("not ok", number, function.__name__)
            os.chdir("/")
    print(f"1..{len(TESTS)}")
    return failed != 0


sys.exit(main())
