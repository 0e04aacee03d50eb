"""Inputs of the fuzz targets: a line of hex each in fixtures/corpus/TARGET.txt.

Usage: corpus.py unpack FILE FOLDER     a file per line, named by its content
       corpus.py pack FOLDER FILE      the other way round, small inputs first
       corpus.py seeds TARGET FOLDER FILE...   what wire vectors in FILE... are to TARGET
"""

import hashlib
import json
import pathlib
import sys

OPERATIONS = ['none', 'nodeRequest', 'channelRequest', 'spotRequest', 'actorRequest',
              'actorLookup', 'actorDestroy', 'actorJoin', 'actorLeave', 'streamBind',
              'streamUnbind', 'streamClose', 'instanceSpotRequest', 'userSpotCreate',
              'userSpotClose', 'actorCreate']
STORED = ['durable:authority-payload-v1', 'durable:instance-activation-recovery-v1',
          'durable:relocation-data-chunk-v1', 'durable:relocation-manifest-v1']
INPUT_BYTES_MAX = 4096
HEAD = '# Made by `./dev fuzz --keep`: one input of the target per line, in hex.\n'


def unpack(file, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        return
    for line in file.read_text().splitlines():
        if not line.startswith('#'):
            put(folder, bytes.fromhex(line.strip('-')))


def put(folder, data):
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(folder, file):
    """Inputs above the bound stay out: a corpus is read by people and by every test run."""
    inputs = {path.read_bytes() for path in folder.iterdir()}
    small = sorted((data for data in inputs if len(data) <= INPUT_BYTES_MAX),
                   key=lambda data: (len(data), data))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HEAD + ''.join((data.hex() or '-') + '\n' for data in small))


def as_record(vector):
    operation = vector.get('context', {}).get('originalOperationKind', 'none')
    data = bytes([OPERATIONS.index(operation)])
    for frame in map(bytes.fromhex, vector.get('frames', [vector['hex']])):
        data += len(frame).to_bytes(2, 'big') + frame
    return data


def as_stream(vector):
    """The record's parts as ZMP frames."""
    frames = [bytes.fromhex(frame) for frame in vector.get('frames', [vector['hex']])]
    return b''.join(bytes([0x5A, 1, 1 if frame is not frames[-1] else 0, 0]) +
                    len(frame).to_bytes(4, 'big') + frame for frame in frames)


HANDSHAKE = bytes.fromhex(
    '5a010200000000090106066e6f64652d62'
    '5a0102000000009b040b536f636b65742d5479706500000006524f555445520a526f7574696e672d496400000006'
    '6e6f64652d62165a6c696e6b2d4d61782d4d6573736167652d53697a650000000800000000000000000d5a6c696e'
    '6b2d506169722d496400000008112233445566778815' '5a6c696e6b2d506169722d47656e65726174696f6e'
    '0000000800000000000000010a5a6c696e6b2d4c616e650000000100'
    '5a0102000000000a5745494748540000012c5a01020000000010050' '10d696e76616c6964206d61676963')
TRACE = (b'#t_ms\troom\tuser\tkind\tbytes\n5\tr1\tu1\tsay\t3\n6\tr1\tu1\task\t9\n'
         b'7\tr1\tu2\ttell:u1\t4\n')


def seeds_of(target, vectors):
    if target == 'frames':
        yield b'\x06\x01' + HANDSHAKE
    if target == 'trace':
        yield TRACE
    if target == 'capture':
        yield HANDSHAKE
    for vector in vectors:
        kind, layout = vector['kind'], vector.get('type', '')
        if kind == 'command':
            data = {'record': as_record, 'capture': as_stream,
                    'frames': lambda one: b'\x03\x00' + as_stream(one)}.get(target)
            if data:
                yield data(vector)
        elif target == 'envelope' and layout == 'relocation-envelope-v1':
            yield bytes.fromhex(vector['hex'])
        elif target == 'stored' and layout in STORED:
            data = bytes.fromhex(vector['hex'])
            yield bytes([STORED.index(layout)]) + data
            yield bytes([0x80 + STORED.index(layout)]) + data[11:-4]
        elif target == 'layout' and layout and 'hex' in vector and \
                not layout.startswith('relocation-transfer'):
            yield bytes([len(layout)]) + layout.encode() + bytes.fromhex(vector['hex'])


def seeds(target, folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        for data in seeds_of(target, json.loads(file.read_text())['vectors']):
            put(folder, data)


def main(arguments):
    command, *rest = arguments or ['']
    if command == 'seeds' and len(rest) >= 2:
        seeds(rest[0], pathlib.Path(rest[1]), [pathlib.Path(file) for file in rest[2:]])
    elif command in ('pack', 'unpack') and len(rest) == 2:
        {'pack': pack, 'unpack': unpack}[command](*map(pathlib.Path, rest))
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(sys.argv[1:])
