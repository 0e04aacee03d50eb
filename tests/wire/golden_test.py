"""Holds the second implementation to files of vectors (spec/wire.md section 16).

Usage: golden_test.py FILE-OR-FOLDER... - folders that are not there are named and skipped.
"""

import json
import pathlib
import sys

import records
import stored
from codec import Reader, Refused
from forms import decode_whole


def read(vector):
    """What the vector's bytes decode to and encode back to."""
    if vector['kind'] == 'command':
        frames = [bytes.fromhex(frame) for frame in vector.get('frames', [vector['hex']])]
        operation = vector.get('context', {}).get('originalOperationKind', 'none')
        value = records.decode_record(frames, operation)
        again = {**value, 'operationAnswered': operation}
        return value, records.encode_record(again) == frames
    codec, data = stored.TYPES[vector['type']], bytes.fromhex(vector['hex'])
    limit = vector.get('context', {}).get('effectiveMaxBytes')
    if limit is not None and Reader(data).number(4) > limit:
        raise Refused('limit-exceeded')
    value = decode_whole(codec, data)
    return value, codec.encode(value) == data


def mismatch(vector):
    wanted = None if vector['expect'] == 'accept' else vector['error']
    try:
        value, same = read(vector)
    except Refused as refused:
        if refused.category == wanted:
            return None
        return f'refused with {refused.category}, expected {wanted}'
    if wanted:
        return f'accepted, expected {wanted}'
    if vector['decoded'] is not None and value != vector['decoded']:
        return f"decoded to {json.dumps(value)}, expected {json.dumps(vector['decoded'])}"
    return None if same else 'encodes to other bytes'


def is_layout(vector):
    """Scenarios and store records are judged elsewhere."""
    return vector['kind'] in ('command', 'type') or vector.get('type') in stored.TYPES


def main(paths):
    checked = failed = 0
    for path in map(pathlib.Path, paths):
        if not path.exists():
            print(f'{path.name} is not at hand: nothing compared')
            continue
        for file in sorted(path.glob('*.json')) if path.is_dir() else [path]:
            for vector in json.loads(file.read_text())['vectors']:
                if not is_layout(vector):
                    continue
                checked += 1
                problem = mismatch(vector)
                if problem:
                    failed += 1
                    print(f"{file.name}/{vector['name']}: {problem}")
    print(f'{checked} vectors, {failed} mismatches')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
