"""Runs the second implementation and protocol/ against each other on random values.

Usage: cross_check.py PROGRAM [--values N] [--seed S] [--only NAME]

For every structure N random values are made and encoded here. protocol/ must decode them to the
same fields and encode these to the same bytes; its bytes must decode here to the same fields. As
many damaged encodings, and values that break the rules of section 15.1, go the same way: both must
refuse them with one category, or read the same.
"""

import argparse
import json
import subprocess
import sys

import records
import stored
from codec import Refused, generator
from forms import decode_whole

BATCH = 500


class TypeSubject:
    """One layout on its own."""

    def __init__(self, name):
        self.name, self.codec, self.question = name, stored.TYPES[name], f'type {name}'

    def make(self, rng, careless=False):
        mend = getattr(self.codec, 'mend', None)
        if not careless or mend is None:
            return self.codec.make(rng)
        self.codec.mend = None
        value = self.codec.make(rng)
        self.codec.mend = mend
        return value

    def encode(self, value):
        return [self.codec.encode(value)]

    def decode(self, frames):
        return decode_whole(self.codec, frames[0])


class RecordSubject:
    """One command as a record; replies once per tail."""

    def __init__(self, command, operation='none'):
        self.name = command if operation == 'none' else f'{command}/{operation}'
        self.command, self.operation = command, operation
        self.question = f'record {operation}'

    def make(self, rng, careless=False):
        return records.make_record(rng, self.command, self.operation, careless)

    def encode(self, value):
        return records.encode_record({**value, 'operationAnswered': self.operation})

    def decode(self, frames):
        return records.decode_record(frames, self.operation)


def subjects():
    for name in stored.TYPES:
        yield TypeSubject(name)
    for command in records.COMMANDS:
        if command.name != 'reply':
            yield RecordSubject(command.name)
    for operation in records.reply_operations():
        yield RecordSubject('reply', operation)


class Peer:
    """protocol/ behind a pipe, asked in batches."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding='utf-8')

    def ask(self, subject, encodings):
        lines = [' '.join([subject.question, *(frame.hex() or '-' for frame in frames)])
                 for frames in encodings]
        answers = []
        for start in range(0, len(lines), BATCH):
            batch = lines[start:start + BATCH]
            # The program answers at the empty line, so neither side waits on a full pipe.
            self.process.stdin.write('\n'.join(batch) + '\n\n')
            self.process.stdin.flush()
            answers += [self.process.stdout.readline().rstrip('\n').split('\t') for _ in batch]
        return answers

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def damaged(rng, frames):
    """One encoding with a byte changed, cut, added or doubled, or a frame too many."""
    frames = [bytearray(frame) for frame in frames]
    frame = rng.choice(frames)
    at = rng.randrange(len(frame)) if frame else 0
    kind = rng.randrange(7)
    if kind == 0 and frame:
        frame[at] ^= 1 << rng.randrange(8)
    elif kind == 1 and frame:
        frame[at] = rng.choice([0, 1, 2, 0x7F, 0x80, 0xFF])
    elif kind == 2:
        del frame[at:]
    elif kind == 3:
        frame.insert(at, rng.randrange(256))
    elif kind == 4:
        frame.extend(frame[at:at + rng.randint(1, 9)])
    elif kind == 5:
        frames = frames[:-1] or frames * 2
    else:
        del frame[at:at + rng.randint(1, 4)]
    return [bytes(frame) for frame in frames]


def verdict(subject, frames):
    """What this implementation says about bytes, in the form of an answer."""
    try:
        value = subject.decode(frames)
    except Refused as refused:
        return ['no', refused.category]
    return ['ok', value, *[frame.hex() for frame in subject.encode(value)]]


def differs(subject, frames, answer):
    """One sentence where the two disagree about bytes; None where they do not."""
    mine = verdict(subject, frames)
    theirs = answer if answer[0] == 'no' else ['ok', json.loads(answer[1]), *answer[2:]]
    if mine == theirs:
        return None
    return (f"{subject.name}: {' '.join(frame.hex() for frame in frames)}\n"
            f'  second implementation: {mine}\n  protocol/: {theirs}')


def problems_of(subject, peer, rng, count):
    values = [subject.make(rng) for _ in range(count)]
    good = [subject.encode(value) for value in values]
    bad = [damaged(rng, frames) for frames in good]
    # Readable, but what must go together does not.
    bad += [subject.encode(subject.make(rng, careless=True)) for _ in range(count // 2)]
    problems = []
    for value, frames, answer in zip(values, good, peer.ask(subject, good)):
        if answer[0] != 'ok' or json.loads(answer[1]) != value:
            problems.append(f'{subject.name}: {value}\n  protocol/: {answer}')
        elif [bytes.fromhex(frame) for frame in answer[2:]] != frames:
            problems.append(f'{subject.name}: {value}\n  encoded to {answer[2:]}')
        else:
            problems.append(differs(subject, frames, answer))
    problems += [differs(subject, frames, answer)
                 for frames, answer in zip(bad, peer.ask(subject, bad))]
    return [problem for problem in problems if problem]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--values', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='')
    options = parser.parse_args()
    peer, failed, checked = Peer(options.program), 0, 0
    for subject in subjects():
        if options.only not in subject.name:
            continue
        rng = generator(f'{options.seed}/{subject.name}')
        problems = problems_of(subject, peer, rng, options.values)
        checked += 1
        failed += len(problems)
        for problem in problems[:3]:
            print(problem)
    code = peer.close()
    print(f'{checked} structures, {options.values} values and as many damaged ones each: '
          f'{failed} disagreements')
    return 1 if failed or code else 0


if __name__ == '__main__':
    sys.exit(main())
