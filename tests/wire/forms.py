"""Composite forms of the wire (spec/wire.md section 2.1): structs of parts, unions, vectors, tlv.

A codec turns one value into bytes and back. A part does so for members of a struct, which is a
dict; Field makes a part of a codec. Every codec and part can also make random values.
"""

from codec import Bool, Reader, refuse


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


def decode_whole(codec, data):
    """A value to the exact end of `data`, with its rules."""
    reader = Reader(data)
    value = codec.decode(reader)
    reader.finish()
    check(codec, value)
    return value
