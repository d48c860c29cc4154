#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judges profiles by the published schemas, and receives them.

    export.py check pprof|otlp FILE...
        Decodes each FILE by the schema, checks what the schema demands, and prints what the
        profile has, a line for each value.
    export.py serve DIR [--tls PEM] ANSWER...
        Takes POST requests and gives these answers, one after the other, and 200 after
        them. DIR/port tells the port, and DIR/log the requests. DIR/body-N is what came
        with the Nth. It ends when DIR is gone, or after two minutes.

An ANSWER is STATUS[:TEXT], 429 or 503 with +SECONDS for Retry-After, partial:N:TEXT (OTLP's
partial success), hang, close (without an answer), halfSTATUS (of an answer with this status), or
chunks (200, and chunks that are wrong).
"""

import functools
import gzip
import http.server
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time

PPROF = '/usr/share/gocode/src/github.com/google/pprof/proto'
OTLP = '/usr/include'
OTLP_SERVICE = 'opentelemetry/proto/collector/profiles/v1development/profiles_service.proto'
MASK = 2**64 - 1


def schema(root, file, name):
    """The class of a message, by the schema that protoc reads. None if there is none."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    if not os.path.exists(os.path.join(root, file)):
        return None
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(['protoc', '-I', root, '--include_imports',
                        '--descriptor_set_out=' + out.name, file], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read())
    pool = descriptor_pool.DescriptorPool()
    for description in files.file:
        pool.Add(description)
    make = getattr(message_factory, 'GetMessageClass', None) or \
        message_factory.MessageFactory(pool).GetPrototype
    return make(pool.FindMessageTypeByName(name))


@functools.cache
def pprof_class():
    return schema(PPROF, 'profile.proto', 'perftools.profiles.Profile')


@functools.cache
def otlp_class():
    path = os.path.join(OTLP, OTLP_SERVICE)
    if not os.path.exists(path) or 'stack_table' not in open(os.path.join(
            OTLP, 'opentelemetry/proto/profiles/v1development/profiles.proto')).read():
        return None
    return schema(OTLP, OTLP_SERVICE,
                  'opentelemetry.proto.collector.profiles.v1development.'
                  'ExportProfilesServiceRequest')


def read(path):
    data = open(path, 'rb').read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def parse(message, data):
    """No field that the schema does not have."""
    message.ParseFromString(data)
    size = message.ByteSize()
    message.DiscardUnknownFields()
    assert message.ByteSize() == size, 'fields that the schema does not have'
    return message


def place(address, start, limit, offset):
    """The offset in the file, or the address in the kernel."""
    assert start <= address < limit or limit == 0, hex(address)
    if start >= 2**63:
        return address
    return (address - start + offset) & MASK


def check_pprof(data):
    p = parse(pprof_class()(), data)
    text = p.string_table
    assert text[0] == '' and len(set(text)) == len(text)
    mappings = {m.id: m for m in p.mapping}
    functions = {f.id: f for f in p.function}
    locations = {l.id: l for l in p.location}
    assert len(mappings) == len(p.mapping) and 0 not in mappings
    assert len(functions) == len(p.function) and 0 not in functions
    assert len(locations) == len(p.location) and 0 not in locations
    named = {}
    for l in p.location:
        lines = [(text[functions[n.function_id].name], text[functions[n.function_id].filename],
                  n.line) for n in l.line]
        if not l.mapping_id:
            named[l.id] = lines[0][0]
            continue
        m = mappings[l.mapping_id]
        named[l.id] = '%s|%s|%x' % (text[m.filename], text[m.build_id], place(
            l.address, m.memory_start, m.memory_limit, m.file_offset))
        for line in lines:
            print('line %s %s %s:%d' % ((named[l.id],) + line))
    for f in functions.values():
        print('start %s %d' % (text[f.name], f.start_line))
    types = [text[t.type] for t in p.sample_type]
    print('types', *types)
    print('units', *[text[t.unit] for t in p.sample_type])
    print('default', text[p.default_sample_type])
    print('time', p.time_nanos, p.duration_nanos)
    print('period', text[p.period_type.type], text[p.period_type.unit], p.period)
    for c in p.comment:
        print('comment', text[c])
    for m in p.mapping:
        print('mapping %s %s names %d %d %d %d' % (
            text[m.filename], text[m.build_id], m.has_functions, m.has_filenames,
            m.has_line_numbers, m.has_inline_frames))
        print('mapped %s %x %x' % (text[m.filename], m.memory_start, m.file_offset))
    for s in p.sample:
        assert len(s.value) == len(types) and s.location_id
        for kind, value in zip(types, s.value):
            assert value >= 0
            if value:
                print(kind, ';'.join(named[l] for l in s.location_id), value)
    used = {l for s in p.sample for l in s.location_id}
    assert used == set(locations), 'locations that no sample has'
    for s in p.sample:
        lines = [locations[l].line for l in s.location_id]
        if len(lines) == 2 and all(lines):
            callee, caller = [functions[l[0].function_id] for l in lines]
            print('call %s+%d %s %d' % (text[caller.name], lines[1][0].line - caller.start_line,
                                        text[callee.name], s.value[0]))


def attributes(o):
    """Key and value of each attribute of the dictionary."""
    d = o.dictionary
    found = []
    for a in d.attribute_table:
        v = a.value
        value = [x.string_value for x in v.array_value.values] \
            if v.HasField('array_value') else v.string_value
        found.append((d.string_table[a.key_strindex], value))
    return found


def check_tables(d):
    """The first element says nothing, and no two are equal."""
    for table in (d.mapping_table, d.location_table, d.function_table, d.attribute_table,
                  d.stack_table):
        assert table[0].ByteSize() == 0
        assert len({e.SerializeToString() for e in table}) == len(table)
    assert d.string_table[0] == '' and len(set(d.string_table)) == len(d.string_table)
    assert len(d.link_table) == 1
    assert d.link_table[0].trace_id == bytes(16) and d.link_table[0].span_id == bytes(8)


def check_references(o, profiles):
    """Each element is used, and each that is used is there."""
    d = o.dictionary
    stacks = {s.stack_index for p in profiles for s in p.samples}
    locations = {l for s in d.stack_table for l in s.location_indices}
    mappings = {l.mapping_index for l in d.location_table}
    functions = {n.function_index for l in d.location_table for n in l.lines}
    used = {a for p in profiles for a in p.attribute_indices}
    used |= {a for l in d.location_table for a in l.attribute_indices}
    used |= {a for m in d.mapping_table for a in m.attribute_indices}
    assert stacks | {0} == set(range(len(d.stack_table)))
    assert locations | {0} == set(range(len(d.location_table)))
    assert mappings | {0} == set(range(len(d.mapping_table)))
    assert functions | {0} == set(range(len(d.function_table)))
    assert used | {0} == set(range(len(d.attribute_table)))


def otlp_places(o, found):
    d = o.dictionary
    text = d.string_table
    named = []
    for l in d.location_table:
        m = d.mapping_table[l.mapping_index]
        if not l.mapping_index:
            named.append(text[d.function_table[l.lines[0].function_index].name_strindex]
                         if l.lines else '')
            continue
        ids = [found[a][1] for a in m.attribute_indices
               if found[a][0] == 'process.executable.build_id.gnu']
        kinds = [found[a][1] for a in l.attribute_indices
                 if found[a][0] == 'profile.frame.type']
        assert kinds in (['native'], ['kernel'])
        named.append('%s|%s|%x' % (text[m.filename_strindex], ''.join(ids), place(
            l.address, m.memory_start, m.memory_limit, m.file_offset)))
        for n in l.lines:
            f = d.function_table[n.function_index]
            print('line %s %s %s:%d' % (named[-1], text[f.name_strindex],
                                        text[f.filename_strindex], n.line))
        print('kind', named[-1], kinds[0])
    for f in d.function_table[1:]:
        print('start %s %d' % (text[f.name_strindex], f.start_line))
    return named


def check_otlp(data):
    o = parse(otlp_class()(), data)
    d = o.dictionary
    text = d.string_table
    resource, = o.resource_profiles
    scope, = resource.scope_profiles
    check_tables(d)
    check_references(o, scope.profiles)
    found = attributes(o)
    for a in resource.resource.attributes:
        print('resource', a.key, a.value.string_value)
    print('scope', scope.scope.name, scope.scope.version)
    named = otlp_places(o, found)
    assert len({p.profile_id for p in scope.profiles}) == len(scope.profiles)
    for p in scope.profiles:
        kind = text[p.sample_type.type_strindex]
        assert len(p.profile_id) == 16 and any(p.profile_id)
        print('profile', kind, text[p.sample_type.unit_strindex], p.time_unix_nano,
              p.duration_nano, text[p.period_type.type_strindex], p.period)
        print('id', kind, p.profile_id.hex())
        for a in p.attribute_indices:
            assert found[a][0] == 'pprof.profile.comment'
            for c in found[a][1]:
                print('comment', c)
        for s in p.samples:
            value, = s.values
            assert value > 0
            print(kind, ';'.join(named[l] for l in d.stack_table[
                s.stack_index].location_indices), value)


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def next_answer(self, body):
        s = self.server
        with s.lock:
            s.nr += 1
            answer = s.answers.pop(0) if s.answers else '200'
            with open(os.path.join(s.folder, 'body-%d' % s.nr), 'wb') as f:
                f.write(body)
            with open(os.path.join(s.folder, 'log'), 'a') as f:
                f.write('%s %s type=%s coding=%s auth=%s answer=%s\n' % (
                    self.command, self.path, self.headers.get('Content-Type'),
                    self.headers.get('Content-Encoding'),
                    self.headers.get('Authorization'), answer))
        return answer

    def do_POST(self):
        size = int(self.headers['Content-Length'])
        body = self.rfile.read(size)
        if len(body) < size:  # the sender was killed
            self.close_connection = True
            return
        answer = self.next_answer(body)
        if answer == 'hang':
            while self.connection.recv(1):
                pass
        if answer in ('hang', 'close'):
            self.close_connection = True
            return
        if answer.startswith('half'):
            self.wfile.write(b'HTTP/1.1 %s Half\r\nContent-Length: 100\r\n\r\nhalf'
                             % answer[4:].encode())
        if answer == 'chunks':
            self.wfile.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nwrong\r\n')
        if answer.startswith('half') or answer == 'chunks':
            self.close_connection = True
            return
        self.answer(answer)

    def answer(self, answer):
        status, _, said = answer.partition(':')
        status, _, after = status.partition('+')
        body = said.encode()
        if status == 'partial':
            number, _, why = said.partition(':')
            inner = b'\x08' + bytes([int(number)]) + b'\x12' + bytes([len(why)]) + why.encode()
            status, body = '200', b'\x0a' + bytes([len(inner)]) + inner
        self.send_response(int(status))
        if after:
            self.send_header('Retry-After', after)
        if status == '302':
            self.send_header('Location', 'http://127.0.0.1:1/')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(folder, words):
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Receiver)
    server.daemon_threads = True
    server.folder, server.lock, server.nr = folder, threading.Lock(), 0
    if words[:1] == ['--tls']:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(words[1])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        words = words[2:]
    server.answers = list(words)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(os.path.join(folder, 'port.new'), 'w') as f:
        f.write('%d\n' % server.server_address[1])
    os.rename(os.path.join(folder, 'port.new'), os.path.join(folder, 'port'))
    # A test that was killed leaves the folder.
    end = time.monotonic() + 3600
    while os.path.isdir(folder) and time.monotonic() < end:
        time.sleep(0.1)


def main():
    if sys.argv[1:2] == ['serve']:
        serve(sys.argv[2], sys.argv[3:])
        return 0
    kind, paths = sys.argv[2], sys.argv[3:]
    try:
        if not (pprof_class if kind == 'pprof' else otlp_class)():
            raise ImportError('there is no schema of ' + kind)
    except (ImportError, FileNotFoundError) as error:
        print(error)
        return 77
    for path in paths:
        (check_pprof if kind == 'pprof' else check_otlp)(read(path))
    return 0


if __name__ == '__main__':
    sys.exit(main())
