"""Makes fixtures/wire/*.json: our own vectors in the published format (spec/wire.md section 16).

Usage: make_vectors.py FOLDER

Per structure: two accepted values, the smallest of several random ones and a larger one, and
refused encodings, one per category that damage to the accepted ones brings about. Scenarios are
built from one random payload. Nothing here knows protocol/, which must agree with every vector.
"""

import json
import pathlib
import sys

import layouts
import records
from codec import crc32c, generator
from cross_check import RecordSubject, TypeSubject, damaged, subjects, verdict

NOTES = 'Made by tests/wire/make_vectors.py fixtures/wire; not edited by hand.'
DAMAGE_TRIES = 300
REFUSALS_MOST = 5


def described(subject, frames, name):
    """The members that every vector of one subject has."""
    if isinstance(subject, RecordSubject):
        vector = {'name': name, 'kind': 'command', 'command': subject.command,
                  'hex': frames[0].hex()}
        if len(frames) > 1:
            vector['frames'] = [frame.hex() for frame in frames]
        if subject.operation != 'none':
            vector['context'] = {'originalOperationKind': subject.operation}
        return vector
    kind = 'logical' if subject.name == 'relocation-envelope-v1' else 'type'
    return {'name': name, 'kind': kind, 'type': subject.name, 'hex': frames[0].hex()}


def vectors_of(subject):
    rng = generator(f'vectors/{subject.name}')
    values = sorted((subject.make(rng) for _ in range(12)),
                    key=lambda value: sum(map(len, subject.encode(value))))
    seen = set()
    for label, value in (('small', values[0]), ('larger', values[len(values) // 2])):
        frames = subject.encode(value)
        yield {**described(subject, frames, f'{subject.name}-{label}'), 'expect': 'accept',
               'origin': 'constructed', 'decoded': value}
        for turn in range(DAMAGE_TRIES):
            bad = damaged(rng, frames) if turn % 4 else \
                subject.encode(subject.make(rng, careless=True))
            answer = verdict(subject, bad)
            if answer[0] == 'ok' or answer[1] in seen or len(seen) == REFUSALS_MOST:
                continue
            seen.add(answer[1])
            yield {**described(subject, bad, f'{subject.name}-{answer[1]}'), 'expect': 'reject',
                   'error': answer[1], 'origin': 'derived'}


# --- scenarios --------------------------------------------------------------------------------


def move_of(rng):
    """What 31, 34, 40 and 52 of one move share."""
    prepare = records.make_record(rng, 'relocationPrepare')
    shared = {name: prepare[name] for name in
              ('relocation', 'targetAttemptGeneration', 'coordinator', 'object')}
    return prepare, shared


def encoded(value):
    return records.encode_record(value)[0]


def transfers(rng):
    payload = layouts.ENVELOPE.encode(layouts.ENVELOPE.make(rng))
    prepare, shared = move_of(rng)
    size = max(1, len(payload) // 3)
    pieces = [payload[at:at + size] for at in range(0, len(payload), size)]
    prepare.update(payloadTotalLength=str(len(payload)), payloadChunkCount=len(pieces),
                   payloadChecksumCrc32c=crc32c(payload))

    def chunk(ordinal, data, **changed):
        base = records.make_record(rng, 'relocationState')
        return encoded({**base, **shared, **changed, 'senderRole': 'source',
                        'chunkOrdinal': ordinal, 'chunkData': data.hex()})

    good = [chunk(ordinal, piece) for ordinal, piece in enumerate(pieces)]
    other = {**shared, 'targetAttemptGeneration': '1'
             if shared['targetAttemptGeneration'] != '1' else '2'}
    cases = [
        ('in-order', prepare, good, None),
        ('identical-repetition', prepare, [good[0], *good], None),
        ('other-attempt-dropped', prepare, [chunk(0, b'other', **other), *good], None),
        ('conflicting-repetition', prepare, [good[0], chunk(0, b'x'), *good[1:]], 'semantic'),
        ('gap', prepare, [good[0], *good[2:]], 'semantic'),
        ('surplus', prepare, [*good, chunk(len(good), b'x')], 'semantic'),
        ('missing-last', prepare, good[:-1], 'truncated-field'),
        ('wrong-length', {**prepare, 'payloadTotalLength': str(len(payload) + 1)}, good,
         'checksum-mismatch'),
        ('wrong-checksum', {**prepare, 'payloadChecksumCrc32c':
                            prepare['payloadChecksumCrc32c'] ^ 1}, good, 'checksum-mismatch'),
    ]
    for name, head, chunks, error in cases:
        yield scenario('relocation-transfer', name, error, hex=payload.hex(),
                       prepare=encoded(head).hex(), chunks=[item.hex() for item in chunks])


def boundaries(rng):
    _, shared = move_of(rng)
    base = [records.make_record(rng, 'relocationData') for _ in range(3)]
    relay = [{**value, **shared} for value in base]
    frozen = [layouts.FROZEN_RECORD.encode(value['record']) for value in relay]
    frames = [encoded(value) for value in relay]
    stranger = encoded({**relay[0], 'relocation': {'high': '1', 'low': '1'}})

    def cutover(count, checksum):
        value = records.make_record(rng, 'relocationCutover')
        return encoded({**value, **shared, 'boundaryRecordCount': str(count),
                        'boundaryChecksumCrc32c': checksum})

    proof = crc32c(b''.join(frozen))
    cases = [
        ('none', [], cutover(0, 0), None),
        ('three', frames, cutover(3, proof), None),
        ('another-order', frames[::-1], cutover(3, proof), 'checksum-mismatch'),
        ('one-missing', frames[:2], cutover(3, proof), 'checksum-mismatch'),
        ('over-whole-frames', frames, cutover(3, crc32c(b''.join(frames))), 'checksum-mismatch'),
        ('of-another-move', [stranger], cutover(1, crc32c(frozen[0])), 'semantic'),
    ]
    for name, sent, end, error in cases:
        yield scenario('relocation-boundary', name, error, hex=end.hex(),
                       records=[item.hex() for item in sent])


def scenario(kind, name, error, **members):
    vector = {'name': f'{kind}-{name}', 'kind': 'logical', 'type': kind, **members}
    if error:
        return {**vector, 'expect': 'reject', 'error': error, 'stage': 'validate',
                'origin': 'constructed'}
    return {**vector, 'expect': 'accept', 'origin': 'constructed', 'decoded': None}


# --- files ------------------------------------------------------------------------------------


def write(folder, name, vectors):
    """A vector per line, so that a change shows as the vectors it touches."""
    lines = ',\n'.join(json.dumps(vector, ensure_ascii=True) for vector in vectors)
    text = f'{{"notes": {json.dumps(NOTES)},\n"format": "{name}",\n"vectors": [\n{lines}\n]}}\n'
    (folder / f'{name}.json').write_text(text)


def main(folder):
    every = list(subjects())
    write(folder, 'records', [vector for subject in every if isinstance(subject, RecordSubject)
                              for vector in vectors_of(subject)])
    write(folder, 'layouts', [vector for subject in every if isinstance(subject, TypeSubject)
                              for vector in vectors_of(subject)])
    rng = generator('vectors/scenarios')
    write(folder, 'scenarios', [*transfers(rng), *boundaries(rng)])


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
