"""Field types and forms of the wire (spec/wire.md sections 1, 2, 12, 14), a second time.

Written from the reference, not from protocol/: the two must agree on every byte and on every
refusal. Values are the field trees of section 16: 64-bit integers are decimal strings, opaque
bytes are hex strings, enumerations are names, what is absent is None.

A codec turns one value into bytes and back. A part does so for members of a struct, which is a
dict; Field makes a part of a codec. Every codec can also make a random value.
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


# --- structs ----------------------------------------------------------------------------------

class Field:
    """A member of a struct."""

    def __init__(self, name, codec):
        self.name, self.codec = name, codec

    def put(self, struct):
        return self.codec.encode(struct[self.name])

    def get(self, reader, struct):
        struct[self.name] = self.codec.decode(reader)

    def fill(self, rng, struct):
        struct[self.name] = self.codec.make(rng)

    def check(self, struct):
        check(self.codec, struct[self.name])


def check(codec, value):
    """Section 15.1 for what is inside `value`; Refused('semantic')."""
    if hasattr(codec, 'check'):
        codec.check(value)


class Version:
    """A constant that prints as nothing."""

    def put(self, struct):
        return b'\1'

    def get(self, reader, struct):
        if reader.number(1) != 1:
            refuse('invalid-field')

    def fill(self, rng, struct):
        pass

    def check(self, struct):
        pass


class Parts:
    """Parts one after the other; itself a part."""

    def __init__(self, *parts):
        self.parts = parts

    def put(self, struct):
        return b''.join(part.put(struct) for part in self.parts)

    def get(self, reader, struct):
        for part in self.parts:
            part.get(reader, struct)

    def fill(self, rng, struct):
        for part in self.parts:
            part.fill(rng, struct)

    def check(self, struct):
        for part in self.parts:
            part.check(struct)


def parts_of(given):
    """`Name=codec` pairs and parts, mixed in order."""
    return Parts(*[Field(*item) if isinstance(item, tuple) else item for item in given])


class Body(Parts):
    """A length of `width` bytes that covers exactly the parts."""

    def __init__(self, width, *given, limit=None):
        super().__init__(*parts_of(given).parts)
        self.width, self.limit = width, limit

    def put(self, struct):
        content = super().put(struct)
        return len(content).to_bytes(self.width, 'big') + content

    def get(self, reader, struct):
        declared = reader.number(self.width)
        if self.limit is not None and declared > self.limit:
            refuse('limit-exceeded')
        reader.body(declared, lambda: super(Body, self).get(reader, struct))


class When(Parts):
    """Parts that exist only where the members before them say so."""

    def __init__(self, condition, *given):
        super().__init__(*parts_of(given).parts)
        self.condition = condition

    def put(self, struct):
        return super().put(struct) if self.condition(struct) else b''

    def get(self, reader, struct):
        if self.condition(struct):
            super().get(reader, struct)

    def fill(self, rng, struct):
        if self.condition(struct):
            super().fill(rng, struct)

    def check(self, struct):
        if self.condition(struct):
            super().check(struct)


class Group(Parts):
    """Parts that print as one object under a name."""

    def __init__(self, name, *given):
        super().__init__(*parts_of(given).parts)
        self.name = name

    def put(self, struct):
        return super().put({**struct, **struct[self.name]})

    def get(self, reader, struct):
        scope = Overlay(struct)
        super().get(reader, scope)
        struct[self.name] = scope.own

    def fill(self, rng, struct):
        scope = Overlay(struct)
        super().fill(rng, scope)
        struct[self.name] = scope.own

    def check(self, struct):
        super().check({**struct, **struct[self.name]})


class Overlay(dict):
    """A struct within another: reads see both, writes stay inside."""

    def __init__(self, outer):
        super().__init__(outer)
        self.own = {}

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.own[key] = value


class Flagged:
    """bool8, then the member if it is true."""

    def __init__(self, flag, name, codec):
        self.flag, self.name, self.codec = flag, name, codec

    def put(self, struct):
        value = struct[self.name]
        return b'\0' if value is None else b'\1' + self.codec.encode(value)

    def get(self, reader, struct):
        struct[self.flag] = Bool().decode(reader)
        struct[self.name] = self.codec.decode(reader) if struct[self.flag] else None

    def fill(self, rng, struct):
        struct[self.flag] = rng.random() < 0.5
        struct[self.name] = self.codec.make(rng) if struct[self.flag] else None

    def check(self, struct):
        if struct[self.name] is not None:
            check(self.codec, struct[self.name])


class Case:
    """A discriminator, a body length if `width`, then the parts of the selected case.

    `before` are parts of every case inside the body. `names` puts cases' members under a name.
    """

    def __init__(self, name, enum, width, cases, before=(), limit=None, names=None):
        self.name, self.enum, self.width, self.limit = name, enum, width, limit
        self.before = parts_of(before)
        self.cases = {kind: Group(names[kind], *given) if kind in (names or {}) else
                      parts_of(given) for kind, given in cases.items()}

    def _parts(self, struct):
        content = Parts(self.before, self.cases[struct[self.name]])
        return Body(self.width, content, limit=self.limit) if self.width else content

    def put(self, struct):
        return self.enum.encode(struct[self.name]) + self._parts(struct).put(struct)

    def get(self, reader, struct):
        struct[self.name] = self.enum.decode(reader)
        self._parts(struct).get(reader, struct)

    def fill(self, rng, struct):
        struct[self.name] = rng.choice(list(self.cases))
        self._parts(struct).fill(rng, struct)

    def check(self, struct):
        self._parts(struct).check(struct)


class Choose:
    """The parts that a member read earlier selects."""

    def __init__(self, name, cases):
        self.name = name
        self.cases = {kind: parts_of(given) for kind, given in cases.items()}

    def put(self, struct):
        return self.cases[struct[self.name]].put(struct)

    def get(self, reader, struct):
        self.cases[struct[self.name]].get(reader, struct)

    def fill(self, rng, struct):
        self.cases[struct[self.name]].fill(rng, struct)

    def check(self, struct):
        self.cases[struct[self.name]].check(struct)


class Must:
    """A constraint of the field kind over the members before it."""

    def __init__(self, holds):
        self.holds = holds

    def put(self, struct):
        return b''

    def get(self, reader, struct):
        if not self.holds(struct):
            refuse('invalid-field')

    def fill(self, rng, struct):
        pass

    def check(self, struct):
        pass


class Struct:
    """Parts in order; `rule` is a check of section 15.1, `mend` makes a random value keep it."""

    def __init__(self, *given, rule=None, mend=None, limit=None):
        self.parts, self.rule, self.mend, self.limit = parts_of(given), rule, mend, limit

    def encode(self, value):
        return self.parts.put(value)

    def decode(self, reader):
        start, value = reader.at, {}
        self.parts.get(reader, value)
        if self.limit is not None and reader.at - start > self.limit:
            refuse('limit-exceeded')
        return value

    def make(self, rng):
        value = {}
        self.parts.fill(rng, value)
        if self.mend:
            self.mend(rng, value)
        return value

    def check(self, value):
        self.parts.check(value)
        if self.rule and not self.rule(value):
            refuse('semantic')


class Wrapped:
    """bool8, a body length, then the value if it is true; beside the flag without a name."""

    def __init__(self, width, flag, name, codec, limit=None):
        self.width, self.flag, self.name = width, flag, name
        self.codec, self.limit = codec, limit

    def _inner(self, value):
        if self.name:
            return value[self.name]
        return {key: member for key, member in value.items() if key != self.flag}

    def encode(self, value):
        content = self.codec.encode(self._inner(value)) if value[self.flag] else b''
        flag = b'\1' if value[self.flag] else b'\0'
        return flag + len(content).to_bytes(self.width, 'big') + content

    def decode(self, reader):
        present = Bool().decode(reader)
        declared = reader.number(self.width)
        if self.limit is not None and declared > self.limit:
            refuse('limit-exceeded')
        value = {self.flag: present}
        inner = reader.body(declared, lambda: self.codec.decode(reader) if present else None)
        if present:
            value.update({self.name: inner} if self.name else inner)
        return value

    def make(self, rng):
        value = {self.flag: rng.random() < 0.7}
        if value[self.flag]:
            inner = self.codec.make(rng)
            value.update({self.name: inner} if self.name else inner)
        return value

    def check(self, value):
        if value[self.flag]:
            check(self.codec, self._inner(value))


class Vector:
    """A count, then items; `key` orders them strictly, or makes them unique with `order=False`."""

    def __init__(self, width, item, key=None, order=True, most=None):
        self.width, self.item, self.key, self.order, self.most = width, item, key, order, most

    def encode(self, value):
        return len(value).to_bytes(self.width, 'big') + b''.join(map(self.item.encode, value))

    def decode(self, reader):
        count = reader.number(self.width)
        if self.most is not None and count > self.most:
            refuse('invalid-field')
        items, keys = [], []
        for _ in range(count):
            items.append(self.item.decode(reader))
            if not self.key:
                continue
            key = self.key(items[-1])
            if self.order and keys and not keys[-1] < key or not self.order and key in keys:
                refuse('invalid-field')
            keys.append(key)
        return items

    def make(self, rng):
        items = [self.item.make(rng) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        if not self.key:
            return items
        unique = {self.key(item): item for item in items}
        return [unique[key] for key in (sorted(unique) if self.order else unique)]

    def check(self, value):
        for item in value:
            check(self.item, item)


class Tlv:
    """`tlv32`: (id, name, codec, required) ascending; a missing optional one is not printed."""

    def __init__(self, limit, *fields):
        self.limit = limit
        self.fields = {number: (name, codec, needed) for number, name, codec, needed in fields}

    def put(self, struct):
        chunks = {item['id']: bytes.fromhex(item['value']) for item in struct.get('unknown', [])}
        for number, (name, codec, _) in self.fields.items():
            if name in struct:
                chunks[number] = codec.encode(struct[name])
        content = b''.join(bytes([number]) + len(raw).to_bytes(4, 'big') + raw
                           for number, raw in sorted(chunks.items()))
        return len(content).to_bytes(4, 'big') + content

    def get(self, reader, struct):
        declared = reader.number(4)
        if declared > self.limit:
            refuse('limit-exceeded')
        reader.body(declared, lambda: self._fields(reader, struct, declared))

    def _fields(self, reader, struct, declared):
        start, last, unknown = reader.at, -1, []
        while reader.at - start < declared:
            number = reader.number(1)
            if number <= last:
                refuse('invalid-field')
            last = number
            size = reader.number(4)
            if number in self.fields:
                name, codec, _ = self.fields[number]
                struct[name] = reader.body(size, lambda: codec.decode(reader))
            else:
                unknown.append({'id': number, 'value': reader.take(size).hex()})
        if any(needed and name not in struct for name, _, needed in self.fields.values()):
            refuse('invalid-field')
        if unknown:
            struct['unknown'] = unknown

    def fill(self, rng, struct):
        for name, codec, needed in self.fields.values():
            if needed or rng.random() < 0.6:
                struct[name] = codec.make(rng)
        if rng.random() < 0.3:
            struct['unknown'] = [{'id': 200, 'value': rng.randbytes(rng.randrange(9)).hex()}]

    def check(self, struct):
        for name, codec, _ in self.fields.values():
            if name in struct:
                check(codec, struct[name])


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


def decode_whole(codec, data):
    """A value to the exact end of `data`, with its rules."""
    reader = Reader(data)
    value = codec.decode(reader)
    reader.finish()
    check(codec, value)
    return value


def generator(seed):
    return random.Random(seed)
