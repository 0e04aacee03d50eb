"""Field types and forms of the wire (spec/wire.md sections 1, 2, 12, 14), a second time.

Written from the reference, not from protocol/: the two must agree on every byte and on every
refusal. Values are the field trees of section 16: 64-bit integers are decimal strings, opaque
bytes are hex strings, enumerations are names, what is absent is None.

A codec turns one value into bytes and back, and can make a random value. forms.py puts codecs
together.
"""

import random


class Refused(Exception):
    """Bytes that break a rule; `category` is one of section 14."""

    def __init__(self, category):
        super().__init__(category)
        self.category = category


def refuse(category):
    raise Refused(category)


class Reader:
    """Cursor that never looks beyond the end of the innermost body."""

    def __init__(self, data):
        self.data, self.at, self.end = data, 0, len(data)

    def left(self):
        return self.end - self.at

    def take(self, size):
        if size > self.left():
            refuse('truncated-field')
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, width):
        return int.from_bytes(self.take(width), 'big')

    def finish(self):
        if self.left():
            refuse('trailing-byte')

    def body(self, declared, read):
        """The body-length rule of section 14."""
        outer, present, start = self.end, self.left(), self.at
        self.end = self.at + min(declared, present)
        try:
            value = read()
        except Refused as refused:
            if refused.category == 'truncated-field' and declared <= present:
                refuse('invalid-body-length')
            raise
        finally:
            self.end = outer
        if self.at - start != declared:
            refuse('invalid-body-length')
        return value


# --- numbers ----------------------------------------------------------------------------------

class Number:
    """A fixed-width unsigned integer within bounds."""

    def __init__(self, width, low=0, high=None):
        self.width, self.low = width, low
        self.high = (1 << (8 * width)) - 1 if high is None else high

    def encode(self, value):
        return int(value).to_bytes(self.width, 'big')

    def decode(self, reader):
        value = reader.number(self.width)
        if not self.low <= value <= self.high:
            refuse('invalid-field')
        return str(value) if self.width == 8 else value

    def make(self, rng):
        value = rng.choice([self.low, self.high, rng.randint(self.low, self.high),
                            min(self.high, self.low + rng.randrange(300))])
        return str(value) if self.width == 8 else value


U8, U16, U32, U64 = Number(1), Number(2), Number(4), Number(8)
ORDINAL_MAX = (1 << 63) - 1
NONZERO = Number(8, 1, ORDINAL_MAX)
NONZERO_U32 = Number(4, 1)
ORDINAL = Number(8, 0, ORDINAL_MAX)


class Bool:
    def encode(self, value):
        return b'\1' if value else b'\0'

    def decode(self, reader):
        raw = reader.number(1)
        if raw > 1:
            refuse('invalid-field')
        return raw == 1

    def make(self, rng):
        return rng.random() < 0.5


class Enum:
    """Names to numbers; anything undeclared is refused."""

    def __init__(self, width, **names):
        self.width, self.numbers = width, names
        self.names = {number: name for name, number in names.items()}

    def encode(self, value):
        return self.numbers[value].to_bytes(self.width, 'big')

    def decode(self, reader):
        raw = reader.number(self.width)
        if raw not in self.names:
            refuse('invalid-field')
        return self.names[raw]

    def make(self, rng):
        return rng.choice(list(self.numbers))


class Wide:
    """128 bits as two words; not both zero unless `zero` says so."""

    def __init__(self, zero=False):
        self.zero = zero

    def encode(self, value):
        return U64.encode(value['high']) + U64.encode(value['low'])

    def decode(self, reader):
        value = {'high': U64.decode(reader), 'low': U64.decode(reader)}
        if not self.zero and value == ZERO_ID:
            refuse('invalid-field')
        return value

    def make(self, rng):
        if self.zero and rng.random() < 0.3:
            return dict(ZERO_ID)
        return {'high': U64.make(rng), 'low': str(rng.randint(1, (1 << 64) - 1))}


ZERO_ID = {'high': '0', 'low': '0'}


# --- texts and bytes --------------------------------------------------------------------------

_LETTERS = 'abcXYZ019-_.:~ \u00e9\u0301\u20ac\ufeff\U0001f600\x01\x7f"\\'


class Text:
    """A length, then UTF-8 without NUL. `absent`: an empty one is None."""

    def __init__(self, width, low, high, absent=False):
        self.width, self.low, self.high, self.absent = width, low, high, absent

    def encode(self, value):
        raw = (value or '').encode()
        return len(raw).to_bytes(self.width, 'big') + raw

    def decode(self, reader):
        size = reader.number(self.width)
        if not self.low <= size <= self.high:
            refuse('invalid-field')
        raw = reader.take(size)
        try:
            text = raw.decode('utf-8', 'strict')
        except UnicodeDecodeError:
            refuse('invalid-field')
        if '\0' in text:
            refuse('invalid-field')
        return None if self.absent and not text else text

    def make(self, rng):
        size = rng.choice([self.low, rng.randint(1, 12), rng.randint(1, 12)])
        if rng.random() < 0.01:
            size = min(self.high, 255)
        text = ''
        while len(text.encode()) < size:
            text += rng.choice(_LETTERS if len(text.encode()) + 4 <= size else 'abcdef')
        return None if self.absent and not text else text


TEXT8 = Text(1, 1, 255)
OPTIONAL_TEXT8 = Text(1, 0, 255, absent=True)
TEXT4096 = Text(2, 1, 4096)


class Opaque:
    """A length, then bytes; `over` is the category of one that is too long."""

    def __init__(self, width, low, high, absent=False, over='invalid-field'):
        self.width, self.low, self.high = width, low, high
        self.absent, self.over = absent, over

    def encode(self, value):
        raw = bytes.fromhex(value or '')
        return len(raw).to_bytes(self.width, 'big') + raw

    def decode(self, reader):
        size = reader.number(self.width)
        if size > self.high:
            refuse(self.over)
        if size < self.low:
            refuse('invalid-field')
        raw = reader.take(size).hex()
        return None if self.absent and not raw else raw

    def make(self, rng):
        size = rng.choice([self.low, rng.randint(1, 12), rng.randint(1, 40)])
        if self.high >= 400 and rng.random() < 0.02:
            size = 400
        raw = rng.randbytes(max(self.low, min(size, self.high))).hex()
        return None if self.absent and not raw else raw


RID = Opaque(1, 1, 255)
OPTIONAL_RID = Opaque(1, 0, 255, absent=True)
SHA256 = Opaque(1, 32, 32)


# --- CRC-32C (section 12) ---------------------------------------------------------------------

_TABLE = []
for _index in range(256):
    _crc = _index
    for _ in range(8):
        _crc = _crc >> 1 ^ (0x82F63B78 if _crc & 1 else 0)
    _TABLE.append(_crc)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def generator(seed):
    return random.Random(seed)
