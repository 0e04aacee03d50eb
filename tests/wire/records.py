"""Service records of spec/wire.md sections 1, 5, 14 and 15.1, a second time."""

from codec import (
    NONZERO, OPTIONAL_TEXT8, ORDINAL, RID, TEXT4096, TEXT8, U32, ZERO_ID, Bool, Number, Opaque,
    Reader, refuse)
from enums import (
    BINDING_STATE, ERROR_CODE, INSTANCE_OPERATION, OPERATION_KIND, REJECT_REASON, RELAY_ACK, ROLE,
    TERMINAL, is_paired, pair_up)
from forms import Body, Case, Field, Group, Parts, Struct, Version, When, check, decode_whole
from layouts import (
    ACTOR_FENCE, ACTOR_REF, ADMISSION, COORDINATOR, FROZEN_RECORD, INSTANCE_ROUTE, MEMBERSHIP,
    MESSAGE_FOLLOW, METADATA, OBJECT, OPERATION_ID, OPERATION_OR_ZERO, OPTIONAL_MEMBERSHIP,
    PAYLOAD, RELAY_CONTEXT_UNION, RELOCATION_ID, REPLY_TAILS, REQUEST_SOURCE, SESSION_ROUTE,
    SESSION_TAIL, SPOT_FENCE, SPOT_REF, TARGET, OptionalActorRef)

METADATA_FLAG, SESSION_FLAGS = 0x01, 0x06


class SessionTail:
    """Present exactly when the flags say so; the caller has put them into the struct."""

    def put(self, struct):
        tail = struct['boundSessionTail']
        return b'' if tail is None else SESSION_TAIL.encode(tail)

    def get(self, reader, struct):
        there = struct['flags'] & SESSION_FLAGS
        struct['boundSessionTail'] = SESSION_TAIL.decode(reader) if there else None

    def fill(self, rng, struct):
        there = rng.random() < 0.5
        struct['boundSessionTail'] = SESSION_TAIL.make(rng) if there else None

    def check(self, struct):
        pass


class PairedTerminal(Parts):
    """Result and code of a reply; random ones go together, for the tail depends on them."""

    def __init__(self):
        super().__init__(*[Field(*pair) for pair in TERMINAL])

    def fill(self, rng, struct):
        pair_up(rng, struct)


class ReplyTail(Parts):
    """Section 4.8: selected by the operation that the caller has put into the struct."""

    def __init__(self):
        super().__init__()
        self.tails = {operation: When(lambda reply: reply['terminalResult'] == 'ok', *given)
                      for operation, given in REPLY_TAILS.items()}

    def _tail(self, struct):
        return self.tails.get(struct['operationAnswered'], Parts())

    def put(self, struct):
        return self._tail(struct).put(struct)

    def get(self, reader, struct):
        self._tail(struct).get(reader, struct)

    def fill(self, rng, struct):
        self._tail(struct).fill(rng, struct)

    def check(self, struct):
        self._tail(struct).check(struct)


class Command:
    """One row of section 5; payload is 'r', 'o' or '-'."""

    def __init__(self, number, name, payload, flags, *given, rule=None, mend=None):
        self.number, self.name, self.payload, self.flags = number, name, payload, flags
        self.body = Struct(*given, rule=rule, mend=mend)


CORRELATION = ('correlation', NONZERO)
SPOT_MESSAGE = (('operation', OPERATION_ID), ('messageFollowHopCount', Number(1, 0, 8)),
                ('sourceSpotId', TEXT8), ('targetSpot', SPOT_FENCE))
ACTOR_MESSAGE = (('operation', OPERATION_ID), ('messageFollowHopCount', Number(1, 0, 8)),
                 ('sourceActor', OptionalActorRef()), ('targetActor', ACTOR_FENCE), SessionTail())
MOVE = (('relocation', RELOCATION_ID), ('targetAttemptGeneration', NONZERO),
        ('coordinator', COORDINATOR))
SESSION = (('sessionOwnerNodeRid', RID), ('sessionOwnerNodeGeneration', NONZERO),
           ('sessionOwnerId', TEXT8), ('sessionOwnerLeaseGeneration', NONZERO),
           ('sessionRid', RID))
RESERVATION = Struct(
    ('reservationId', TEXT8), ('expectedStoreVersion', TEXT4096), ('objectGeneration', NONZERO),
    ('authorityOwnerGeneration', NONZERO), ('targetNodeRid', RID),
    ('targetNodeGeneration', NONZERO), ('targetOwnerId', TEXT8),
    ('targetOwnerLeaseGeneration', NONZERO), ('pendingCapacityDelta', Number(4, 1)))
CALLER = (CORRELATION, ('operation', OPERATION_ID), ('sourceNodeRid', RID),
          ('sourceNodeGeneration', NONZERO))
CLOSE_FENCE = Struct(Version(), Body(
    2, ('spot', SPOT_REF), ('targetNodeRid', RID), ('targetNodeGeneration', NONZERO),
    ('expectedAuthorityOwnerGeneration', NONZERO), ('expectedStoreVersion', TEXT4096)))


def sent_by(role, key='senderRole'):
    """The check of the sender's role, and how a random value keeps it."""
    return {'rule': lambda value: value[key] == role,
            'mend': lambda rng, value: value.update({key: role})}


def data_rule(value):
    return value['senderRole'] == 'source' and \
        value['record']['recordKind'] not in ('sendReady', 'relocationControl')


def data_mend(rng, value):
    value['senderRole'] = 'source'
    while not data_rule(value):
        value['record'] = FROZEN_RECORD.make(rng)


def prepare_rule(value):
    length, count = int(value['payloadTotalLength']), value['payloadChunkCount']
    return value['initiatorRole'] == 'source' and (length == 0) == (count == 0) and count <= length


def prepare_mend(rng, value):
    value['initiatorRole'] = 'source'
    length = int(value['payloadTotalLength'])
    value['payloadChunkCount'] = rng.randint(1, min(length, 4096)) if length else 0


def failed_rule(value):
    return value['senderRole'] == 'target' and value['failureCode'] != 'none'


def failed_mend(rng, value):
    value['senderRole'] = 'target'
    while value['failureCode'] == 'none':
        value['failureCode'] = ERROR_CODE.make(rng)


def route_rule(value):
    return value['senderRole'] == {'commit': 'target', 'abort': 'source'}[value['route']['action']]


def route_mend(rng, value):
    value['senderRole'] = 'target' if value['route']['action'] == 'commit' else 'source'


def instance_rule(value):
    one_way = value['operationKind'] == 'send' and value['route']['routeKind'] == 'ready'
    return (value['operation'] == ZERO_ID) == one_way


def instance_mend(rng, value):
    one_way = value['operationKind'] == 'send' and value['route']['routeKind'] == 'ready'
    value['operation'] = dict(ZERO_ID) if one_way else OPERATION_ID.make(rng)


TERMINAL_RULE = {'rule': is_paired, 'mend': pair_up}

COMMANDS = [
    Command(1, 'hello', '-', 0, ('admission', ADMISSION)),
    Command(2, 'admit', '-', 0, ('admission', ADMISSION)),
    Command(3, 'reject', '-', 0, ('reason', REJECT_REASON)),
    Command(4, 'update', '-', 0, ('admission', ADMISSION)),
    Command(5, 'livenessProbe', '-', 0, ('probeId', NONZERO)),
    Command(6, 'livenessAck', '-', 0, ('probeId', NONZERO)),
    Command(16, 'nodeSend', 'r', 1),
    Command(17, 'nodeRequest', 'r', 1, CORRELATION),
    Command(18, 'channelSend', 'r', 1, ('channelName', TEXT8)),
    Command(19, 'channelRequest', 'r', 1, CORRELATION, ('channelName', TEXT8)),
    Command(20, 'reply', 'o', 0, CORRELATION, PairedTerminal(), Group('tail', ReplyTail()),
            rule=is_paired),
    Command(21, 'spotSend', 'r', 1, *SPOT_MESSAGE),
    Command(22, 'spotRequest', 'r', 1, CORRELATION, *SPOT_MESSAGE),
    Command(23, 'logicalMulticast', 'r', 1, ('channelName', TEXT8), ('topic', TEXT8),
            ('sourceSpotId', TEXT8)),
    Command(24, 'actorSend', 'r', 7, *ACTOR_MESSAGE),
    Command(25, 'actorRequest', 'r', 7, CORRELATION, *ACTOR_MESSAGE),
    Command(26, 'actorLookup', '-', 0, CORRELATION, ('actorId', TEXT8)),
    Command(27, 'actorDestroy', '-', 0, CORRELATION, ('actor', ACTOR_FENCE)),
    Command(28, 'actorJoin', 'o', 0, CORRELATION, ('actor', ACTOR_FENCE), ('entry', Bool()),
            ('targetSpot', SPOT_FENCE)),
    Command(29, 'actorLeft', '-', 0, ('actor', ACTOR_REF), ('previousMembership', MEMBERSHIP),
            ('currentAuthorityOwnerGeneration', NONZERO)),
    Command(30, 'relocationReady', '-', 0, *MOVE, ('target', TARGET), ('object', OBJECT),
            ('senderRole', ROLE), **sent_by('target')),
    Command(31, 'relocationData', '-', 0, *MOVE, ('senderRole', ROLE), ('object', OBJECT),
            ('record', FROZEN_RECORD), rule=data_rule, mend=data_mend),
    Command(33, 'replyRelay', 'o', 0, ('operation', OPERATION_ID), ('replyRouteId', NONZERO),
            ('context', RELAY_CONTEXT_UNION), *TERMINAL, **TERMINAL_RULE),
    Command(34, 'relocationCutover', '-', 0, *MOVE, ('senderRole', ROLE), ('object', OBJECT),
            ('boundaryRecordCount', ORDINAL), ('boundaryChecksumCrc32c', U32),
            **sent_by('source')),
    Command(36, 'boundSessionSend', 'r', 0, ('actor', ACTOR_FENCE),
            ('expectedBindingGeneration', NONZERO)),
    Command(37, 'actorJoined', '-', 0, ('actor', ACTOR_REF),
            ('previousMembership', OPTIONAL_MEMBERSHIP), ('currentMembership', MEMBERSHIP),
            ('currentAuthorityOwnerGeneration', NONZERO)),
    Command(38, 'boundSessionBind', '-', 0, CORRELATION, ('actor', ACTOR_FENCE),
            ('sessionRid', RID), ('binding', Struct(Case('bindingState', BINDING_STATE, 2, {
                'active': [('bindingGeneration', NONZERO)],
                'tombstone': [('retiredBindingGeneration', NONZERO)]})))),
    Command(39, 'instanceSpot', 'r', 1, ('route', INSTANCE_ROUTE),
            ('sourceNodeGeneration', NONZERO), ('sourceNodeRid', RID),
            ('sourceSpotId', OPTIONAL_TEXT8),
            ('operationKind', INSTANCE_OPERATION), ('operation', OPERATION_OR_ZERO),
            Group('replyRoute', When(lambda value: value['operationKind'] == 'request',
                                     ('replyRouteId', NONZERO))),
            rule=instance_rule, mend=instance_mend),
    Command(40, 'relocationPrepare', '-', 0, *MOVE, ('target', TARGET), ('initiatorRole', ROLE),
            ('object', OBJECT), ('sourceNodeRid', RID), ('sourceNodeGeneration', NONZERO),
            ('payloadTotalLength', Number(8, 0, 274_877_906_944)),
            ('payloadChunkCount', Number(4, 0, 4096)), ('payloadChecksumCrc32c', U32),
            ('applicationVersion', ORDINAL), rule=prepare_rule, mend=prepare_mend),
    Command(42, 'sessionRelocationSeal', '-', 0, ('relocation', RELOCATION_ID),
            ('coordinator', COORDINATOR), ('senderRole', ROLE), ('actor', ACTOR_FENCE), *SESSION,
            ('bindingGeneration', NONZERO), **sent_by('source')),
    Command(43, 'sessionRelocationSealed', '-', 0, ('relocation', RELOCATION_ID),
            ('coordinator', COORDINATOR), ('actor', ACTOR_FENCE), *SESSION,
            ('bindingGeneration', NONZERO)),
    Command(44, 'sessionRelocationRoute', '-', 0, ('relocation', RELOCATION_ID),
            ('coordinator', COORDINATOR), ('senderRole', ROLE), ('actor', ACTOR_REF), *SESSION,
            ('bindingGeneration', NONZERO), ('route', SESSION_ROUTE), rule=route_rule,
            mend=route_mend),
    Command(46, 'replyRelayAck', '-', 0, ('relocation', RELOCATION_ID),
            ('coordinator', COORDINATOR), ('operation', OPERATION_ID), ('replyRouteId', NONZERO),
            ('requestSource', REQUEST_SOURCE), ('status', RELAY_ACK)),
    Command(47, 'userSpotCreate', '-', 0, *CALLER, ('spotId', TEXT8), ('stableType', TEXT8),
            ('reservation', RESERVATION), ('deadlineUnixMs', NONZERO)),
    Command(48, 'userSpotClose', '-', 0, *CALLER, ('target', CLOSE_FENCE),
            ('deadlineUnixMs', NONZERO)),
    Command(49, 'actorCreate', '-', 0, *CALLER, ('actorId', TEXT8), ('stableType', TEXT8),
            ('reservation', RESERVATION), ('deadlineUnixMs', NONZERO)),
    Command(50, 'messageFollow', '-', 0, ('route', MESSAGE_FOLLOW)),
    Command(51, 'boundSessionReplaced', '-', 0, ('actorAuthority', ACTOR_FENCE),
            ('retiredSession', Struct(*SESSION, ('retiredBindingGeneration', NONZERO)))),
    Command(52, 'relocationState', '-', 0, *MOVE, ('senderRole', ROLE), ('object', OBJECT),
            ('chunkOrdinal', U32), ('chunkData', Opaque(4, 0, 67_108_864)), **sent_by('source')),
    Command(53, 'relocationFailed', '-', 0, *MOVE, ('target', TARGET), ('object', OBJECT),
            ('senderRole', ROLE), ('failureCode', ERROR_CODE), rule=failed_rule,
            mend=failed_mend),
]
BY_NUMBER = {command.number: command for command in COMMANDS}
BY_NAME = {command.name: command for command in COMMANDS}
HIDDEN = ('operationAnswered',)


def encode_record(value):
    """The frames of a field tree."""
    command = BY_NAME[value['command']]
    head = bytes([0x5A, 0x4D, 1, command.number, value['flags']])
    frames = [head + command.body.encode(value)]
    if value['metadata'] is not None:
        frames.append(METADATA.encode(value['metadata']))
    if value['payload'] is not None:
        frames.append(PAYLOAD.encode(value['payload']))
    return frames


def _head(data):
    if len(data) < 5:
        refuse('truncated-field')
    if data[:2] != b'ZM':
        refuse('invalid-magic')
    if data[2] != 1:
        refuse('unsupported-major')
    if data[3] not in BY_NUMBER:
        refuse('unknown-command')
    command, flags = BY_NUMBER[data[3]], data[4]
    if flags & ~command.flags or (flags & SESSION_FLAGS) not in (0, SESSION_FLAGS):
        refuse('forbidden-flag')
    return command, flags


def decode_record(frames, operation='none'):
    """The field tree of a record, in the order of section 14."""
    command, flags = _head(frames[0])
    reader = Reader(frames[0])
    reader.take(5)
    value = {'command': command.name, 'flags': flags, 'operationAnswered': operation}
    command.body.parts.get(reader, value)
    reader.finish()
    has_metadata = flags & METADATA_FLAG
    rest = frames[1 + has_metadata:]
    if len(frames) < 1 + has_metadata or len(rest) > 1 or \
            (command.payload == 'r' and not rest) or (command.payload == '-' and rest):
        refuse('frame-count')
    if has_metadata and len(frames[1]) > 1024:
        refuse('limit-exceeded')
    value['metadata'] = decode_whole(METADATA, frames[1]) if has_metadata else None
    value['payload'] = decode_whole(PAYLOAD, rest[0]) if rest else None
    check(command.body, value)
    if rest and value.get('terminalResult', 'ok') != 'ok':
        refuse('semantic')
    return {key: member for key, member in value.items() if key not in HIDDEN}


def make_record(rng, name, operation='none', careless=False):
    """A random field tree of one command; a careless one may break the rules of section 15.1."""
    command = BY_NAME[name]
    value = {'command': name, 'flags': 0, 'operationAnswered': operation}
    command.body.parts.fill(rng, value)
    if command.body.mend and not careless:
        command.body.mend(rng, value)
    metadata = METADATA.make(rng) if command.flags and rng.random() < 0.5 else None
    wants_payload = command.payload == 'r' or command.payload == 'o' and rng.random() < 0.5
    if value.get('terminalResult', 'ok') != 'ok' and not careless:
        wants_payload = False
    value['metadata'] = metadata
    value['payload'] = PAYLOAD.make(rng) if wants_payload else None
    value['flags'] = (METADATA_FLAG if metadata is not None else 0) | \
        (SESSION_FLAGS if value.get('boundSessionTail') else 0)
    return {key: member for key, member in value.items() if key not in HIDDEN}


def reply_operations():
    """Operations whose replies differ: those with a tail, and one without."""
    assert set(REPLY_TAILS) < set(OPERATION_KIND.numbers)
    return ['nodeRequest', *REPLY_TAILS]
