"""Enumerations and structures of spec/wire.md sections 3, 4, 6, 7 and 10, a second time."""

from codec import (
    NONZERO, NONZERO_U32, OPTIONAL_RID, OPTIONAL_TEXT8, ORDINAL, ORDINAL_MAX, RID, SHA256, TEXT8,
    TEXT4096, U8, U32, U64, ZERO_ID, Body, Bool, Case, Choose, Enum, Flagged, Group, Must, Number,
    Opaque, Reader, Struct, Text, Tlv, Vector, Version, When, Wide, Wrapped, crc32c, decode_whole,
    refuse)


def numbered(first, *names, width=1):
    return Enum(width, **{name: first + index for index, name in enumerate(names)})


# --- section 3 --------------------------------------------------------------------------------

RUNTIME_STATE = numbered(0, 'preparing', 'serving', 'draining', 'stopped', 'error')
STATEFUL_KIND = numbered(1, 'actor', 'userSpot', 'instanceSpot')
AUTHORITY_KIND = numbered(1, 'actor', 'spot')
SPOT_KIND = numbered(1, 'entry', 'user', 'instance')
ACTOR_SPOT_KIND = numbered(1, 'entry', 'user')
OBJECT_ROLE = numbered(0, 'none', 'client', 'server')
ROLE = numbered(1, 'source', 'target', 'coordinator')
PHASE = numbered(0, 'none', 'preparing', 'captured', 'prepared', 'committed', 'activating',
                 'activated', 'cleaning', 'completed', 'aborted')
POLICY = numbered(0, 'disabled', 'recreate', 'snapshot')
CLEANUP = numbered(0, 'pending', 'completed', 'sourceLeaseExpired')
OVERRUN = numbered(1, 'skipLateTicks', 'catchUpBounded', 'delayNextTick')
LIFECYCLE = numbered(1, 'created', 'joined', 'left', 'disconnected', 'destroyed')
SOURCE_KIND = numbered(1, 'node', 'spot', 'actor', 'boundSession')
RECORD_KIND = numbered(1, 'nodeSend', 'nodeRequest', 'channelSend', 'channelRequest', 'spotSend',
                       'spotRequest', 'spotMulticast', 'spotControl', 'actorSend', 'actorRequest',
                       'completion', 'sendReady', 'relocationControl', 'instanceSpotActivation')
DESTINATION_KIND = numbered(1, 'node', 'channel', 'spot', 'actor', 'boundSession')
OPERATION_KIND = numbered(0, 'none', 'nodeRequest', 'channelRequest', 'spotRequest',
                          'actorRequest', 'actorLookup', 'actorDestroy', 'actorJoin', 'actorLeave',
                          'streamBind', 'streamUnbind', 'streamClose', 'instanceSpotRequest',
                          'userSpotCreate', 'userSpotClose', 'actorCreate', width=4)
JOIN_RESULT = numbered(0, 'accepted', 'rejected', width=4)
ROUTE_ACTION = numbered(1, 'commit', 'abort')
BINDING_STATE = numbered(1, 'active', 'tombstone')
RELAY_CONTEXT = numbered(1, 'coldActivation', 'maintenanceRelocation')
COLD_COMPLETION = numbered(1, 'readyBarrier', 'activationFailure')
RELAY_ACK = numbered(1, 'terminalReceived', 'alreadyTerminal')
INSTANCE_OPERATION = numbered(1, 'send', 'request')
INSTANCE_ROUTE_KIND = numbered(1, 'ready', 'coldActivation')
CREATE_RESULT = numbered(1, 'existing', 'created', 'rejected')
TOPOLOGY = numbered(1, 'routeMesh', 'clientServer')
CLIENT_ROLE = numbered(1, 'client', 'server')
DIRECTION = numbered(1, 'clientToServer')
AUTHORITY_OPERATION = numbered(0, 'steady', 'coldActivation', 'maintenanceRelocation', 'close')
SPOT_STATE = numbered(0, 'creating', 'ready', 'closing', 'relocating')
ACTOR_STATE = numbered(0, 'creating', 'ready')
INSTANCE_STATE = numbered(1, 'coldActivating', 'ready', 'closing', 'relocating')
REJECT_REASON = numbered(1, 'protocolVersionUnsupported', 'topologyMismatch', 'identityMismatch',
                         'securityIdentityMismatch', 'channelMismatch', 'lifecycleGenerationStale',
                         'descriptorRevisionStale', 'capabilityMismatch', 'runtimeNotServing',
                         'duplicateConnection', 'invalidDescriptor', 'resourceLimit', width=4)
TERMINAL_RESULT = Enum(
    4, ok=0, timedOut=101, notFound=102, terminated=103, protocolError=104, internalError=105,
    rejected=106, conflict=107, busy=108, notConnected=109, invalidArgument=110, invalidState=111,
    notSupported=112, backpressured=113)

# Section 3.2: the code, then the only result it goes with.
PAIRING = {
    'actorRouteNotFound': (1, 'notFound'), 'actorCreateFailed': (2, 'internalError'),
    'actorAlreadyExists': (3, 'conflict'), 'actorTypeMismatch': (4, 'conflict'),
    'spotCreateFailed': (5, 'internalError'), 'spotRouteNotFound': (6, 'notFound'),
    'spotTypeMismatch': (7, 'conflict'), 'actorSessionNotBound': (8, 'notFound'),
    'handlerNotFound': (9, 'notFound'), 'routeHandlerNotFound': (10, 'notFound'),
    'actorDispatchHandlerNotFound': (11, 'notFound'), 'payloadDecodeFailed': (12, 'protocolError'),
    'routeNotConnected': (13, 'internalError'), 'requestTargetNotFound': (14, 'notFound'),
    'requestRejected': (15, 'rejected'), 'requestProtocolError': (16, 'protocolError'),
    'requestFailed': (17, 'internalError'), 'workerQueueFull': (18, 'rejected'),
    'workerTimedOut': (19, 'internalError'), 'workerFailed': (20, 'internalError'),
    'actorLocationStale': (21, 'conflict'), 'actorCreateRejected': (22, 'rejected'),
    'spotGenerationStale': (33, 'conflict'), 'spotMoving': (34, 'conflict'),
    'relocationDataLost': (35, 'internalError'),
}
ERROR_CODE = Enum(4, none=0, **{name: number for name, (number, _) in PAIRING.items()})


def is_paired(value):
    """Section 3.3."""
    needs_code = {result for _, result in PAIRING.values()}
    if value['failureCode'] == 'none':
        return value['terminalResult'] not in needs_code
    return PAIRING[value['failureCode']][1] == value['terminalResult']


def pair_up(rng, value):
    """Makes a random terminal a legal one, half of the time `ok`."""
    value['terminalResult'] = 'ok' if rng.random() < 0.5 else TERMINAL_RESULT.make(rng)
    codes = [code for code, (_, result) in PAIRING.items() if result == value['terminalResult']]
    value['failureCode'] = rng.choice(codes) if codes else 'none'


TERMINAL = (('terminalResult', TERMINAL_RESULT), ('failureCode', ERROR_CODE))

# --- section 1 --------------------------------------------------------------------------------

METADATA_ENTRY = Struct(('key', TEXT8), ('value', Text(2, 0, 1024)))


class Metadata:
    """Prints as the list of its entries alone."""

    entries = Vector(1, METADATA_ENTRY, key=lambda entry: entry['key'].encode(), order=False)

    def encode(self, value):
        return b'\1' + self.entries.encode(value)

    def decode(self, reader):
        start = reader.at
        if reader.number(1) != 1:
            refuse('invalid-field')
        value = self.entries.decode(reader)
        if reader.at - start > 1024:
            refuse('limit-exceeded')
        return value

    def make(self, rng):
        return self.entries.make(rng)


METADATA = Metadata()
PAYLOAD_MAX = 4_294_966_774
PAYLOAD = Struct(Version(), Body(
    4, ('packetName', TEXT8), ('contentType', TEXT8),
    ('payload', Opaque(4, 0, PAYLOAD_MAX, over='limit-exceeded'))))

# --- section 4 --------------------------------------------------------------------------------

OPERATION_ID = Wide()
OPERATION_OR_ZERO = Wide(zero=True)
RELOCATION_ID = Wide()
ACTOR_REF = Struct(('actorId', TEXT8), ('objectGeneration', NONZERO))
SPOT_REF = Struct(('spotId', TEXT8), ('objectGeneration', NONZERO))
ROUTE = (('targetNodeRid', RID), ('targetNodeGeneration', NONZERO),
         ('expectedAuthorityOwnerGeneration', NONZERO), ('expectedOwnerLeaseGeneration', NONZERO))
ACTOR_FENCE = Struct(('actor', ACTOR_REF), *ROUTE)
SPOT_FENCE = Struct(('spot', SPOT_REF), *ROUTE)


class OptionalActorRef:
    """An id of length zero stands for the whole reference."""

    def encode(self, value):
        present = value['actorId'] is not None
        return OPTIONAL_TEXT8.encode(value['actorId']) + \
            (NONZERO.encode(value['generation']) if present else b'')

    def decode(self, reader):
        actor = OPTIONAL_TEXT8.decode(reader)
        return {'actorId': actor, 'generation': None if actor is None else NONZERO.decode(reader)}

    def make(self, rng):
        actor = OPTIONAL_TEXT8.make(rng)
        return {'actorId': actor, 'generation': None if actor is None else NONZERO.make(rng)}


COORDINATOR = Struct(
    ('coordinatorOwnerId', TEXT8), ('coordinatorLeaseGeneration', NONZERO),
    ('coordinatorNodeRid', RID), ('coordinatorNodeGeneration', NONZERO),
    ('expectedAuthorityStoreVersion', TEXT4096))
TARGET = Struct(('targetNodeRid', RID), ('targetNodeGeneration', NONZERO),
                ('targetOwnerId', TEXT8), ('targetOwnerLeaseGeneration', NONZERO))
REQUEST_SOURCE = Struct(('sourceOwnerId', TEXT8), ('sourceOwnerLeaseGeneration', NONZERO),
                        ('sourceNodeRid', RID), ('sourceNodeGeneration', NONZERO))
AUTHORITY_FENCE = Struct(
    ('objectGeneration', NONZERO), ('ownerId', TEXT8), ('authorityOwnerGeneration', NONZERO),
    ('leaseGeneration', NONZERO), ('storeVersion', TEXT4096))
SESSION_TAIL = Struct(('sourceSessionRid', RID), ('sourceBindingGeneration', NONZERO),
                      ('sourceSessionSequence', NONZERO))
MEMBERSHIP = Struct(('spot', SPOT_REF))
SNAPSHOT = Struct(('actor', ACTOR_REF), ('membership', MEMBERSHIP))
OBJECT = Struct(Case('objectKind', STATEFUL_KIND, 2, {
    'actor': [('actor', ACTOR_REF), ('expectedAuthorityOwnerGeneration', NONZERO)],
    'userSpot': [('spot', SPOT_REF), ('expectedAuthorityOwnerGeneration', NONZERO)],
    'instanceSpot': [('instanceType', TEXT8), ('spotId', TEXT8), ('objectGeneration', NONZERO)],
}))
OPTIONAL_SPOT_REF = Wrapped(2, 'hasSpot', 'spot', SPOT_REF)
OPTIONAL_MEMBERSHIP = Wrapped(2, 'hasMembership', 'membership', MEMBERSHIP)
OPTIONAL_SNAPSHOT = Wrapped(2, 'hasSnapshot', 'snapshot', SNAPSHOT)
SESSION_ROUTE = Struct(Case('action', ROUTE_ACTION, 2, {
    'commit': [('previousAuthorityOwnerGeneration', NONZERO),
               ('targetAuthorityOwnerGeneration', NONZERO), ('targetNodeRid', RID),
               ('targetNodeGeneration', NONZERO), ('targetOwnerLeaseGeneration', NONZERO)],
    'abort': [('currentAuthorityOwnerGeneration', NONZERO)],
}))
RELAY_CONTEXT_UNION = Struct(Case('contextKind', RELAY_CONTEXT, 2, {
    'coldActivation': [Case('completionKind', COLD_COMPLETION, 2, {
        kind: [('authority', AUTHORITY_FENCE)] for kind in COLD_COMPLETION.numbers})],
    'maintenanceRelocation': [
        ('relocation', RELOCATION_ID), ('targetAttemptGeneration', NONZERO),
        ('coordinator', COORDINATOR), ('participantId', NONZERO), ('sequence', NONZERO)],
}))
INSTANCE_ROUTE = Struct(Case('routeKind', INSTANCE_ROUTE_KIND, 2, {
    'ready': [('authority', AUTHORITY_FENCE), ('instanceIntent', Bool())],
    'coldActivation': [('targetMeshName', TEXT8), ('stableType', TEXT8),
                       ('targetDescriptorVersion', TEXT8), ('deadlineUnixMs', NONZERO)],
}, before=[('targetNodeRid', RID), ('targetNodeGeneration', NONZERO), ('targetSpotId', TEXT8)]))

FOLLOW_ROUTE = Struct(Case('objectKind', AUTHORITY_KIND, 2, {
    'actor': [('actor', ACTOR_FENCE)], 'spot': [('spot', SPOT_FENCE)]}))


def names_one_object(notice):
    source, target = notice['source'], notice['target']
    kind = source['objectKind']
    return kind == target['objectKind'] and source[kind][kind] == target[kind][kind]


def follow_one_object(rng, notice):
    kind = notice['source']['objectKind']
    notice['target'] = {'objectKind': kind, kind: dict(
        (ACTOR_FENCE if kind == 'actor' else SPOT_FENCE).make(rng))}
    notice['target'][kind][kind] = notice['source'][kind][kind]


MESSAGE_FOLLOW = Struct(Version(), Body(
    4, ('source', FOLLOW_ROUTE), ('target', FOLLOW_ROUTE), ('hopCount', Number(1, 1, 8)),
    ('queuedMessages', U32), ('queuedBytes', U32), ('originalOperation', OPERATION_ID),
    ('originalReplyRouteId', U64), limit=16_777_216 - 5),
    rule=names_one_object, mend=follow_one_object)

NAMES = Vector(2, TEXT8, key=str.encode, most=1024)
WEIGHT = Number(4, 0, 100)
ACTIVE_LIMIT = Number(4, 1, 2_147_483_647)
PENDING_LIMIT = Number(4, 0, 2_147_483_647)
CAPABILITY = Struct(
    ('objectKind', STATEFUL_KIND), ('type', TEXT8), ('relocationPolicy', POLICY),
    ('activeCapacityLimit', ACTIVE_LIMIT), ('pendingCapacityLimit', PENDING_LIMIT),
    ('hasSnapshotAdapter', Bool()), ('available', ORDINAL),
    rule=lambda item: item['hasSnapshotAdapter'] == (item['relocationPolicy'] == 'snapshot'),
    mend=lambda rng, item: item.update(
        hasSnapshotAdapter=item['relocationPolicy'] == 'snapshot'))
SERVICE = 'framework-service-v13'


class Capabilities:
    """A sorted list of names that holds the service capability when it is made here."""

    def encode(self, value):
        return NAMES.encode(value)

    def decode(self, reader):
        return NAMES.decode(reader)

    def make(self, rng):
        return sorted({*NAMES.make(rng), SERVICE}, key=str.encode)


EXTENSION = Struct(
    Tlv(1_048_576 - 4,
        (1, 'runtimeState', RUNTIME_STATE, True), (2, 'applicationVersion', ORDINAL, True),
        (3, 'spotTypes', NAMES, False),
        (4, 'statefulCapabilities', Vector(2, CAPABILITY, most=1024, key=lambda item: (
            STATEFUL_KIND.numbers[item['objectKind']], item['type'].encode())), False),
        (5, 'maintenanceWave', OPTIONAL_TEXT8, False),
        (6, 'protocolCapabilities', Capabilities(), True), (7, 'objectRole', OBJECT_ROLE, True),
        (8, 'placementWeight', WEIGHT, True), (9, 'activeCapacityLimit', ACTIVE_LIMIT, True),
        (10, 'pendingCapacityLimit', PENDING_LIMIT, True), (11, 'activeCapacityUsed', U32, True),
        (12, 'pendingCapacityUsed', U32, True)),
    Must(lambda extension: SERVICE in extension['protocolCapabilities']))
ROUTE_MESH = [
    ('meshName', TEXT8), ('securityIdentity', TEXT8), ('lifecycleGeneration', NONZERO),
    ('descriptorRevision', NONZERO), ('advertisedEndpoint', TEXT4096),
    ('channels', Vector(2, Struct(('channelName', TEXT8), ('weight', WEIGHT)),
                        key=lambda channel: channel['channelName'].encode())),
    ('extension', EXTENSION)]
CLIENT_SERVER = [Case('role', CLIENT_ROLE, 2, {
    'client': [('securityIdentity', TEXT8), ('normalizedEffectiveMaxMessageBytes', NONZERO_U32)],
    'server': [('serverRid', RID), ('lifecycleGeneration', NONZERO),
               ('descriptorRevision', NONZERO), ('weight', WEIGHT),
               ('runtimeState', RUNTIME_STATE), ('securityIdentity', TEXT8),
               ('normalizedEffectiveMaxMessageBytes', NONZERO_U32),
               ('advertisedEndpoint', TEXT4096)],
}, before=[('channelName', TEXT8), ('direction', DIRECTION)])]
ADMISSION = Struct(Case('topologyKind', TOPOLOGY, 4, {
    'routeMesh': ROUTE_MESH, 'clientServer': CLIENT_SERVER}, limit=1_048_576 - 5,
    names={'routeMesh': 'routeMesh', 'clientServer': 'clientServer'}))

# Section 4.8, by the operation a reply answers; every other operation has no tail.
CREATION = Struct(Case('createResult', CREATE_RESULT, 2, {
    'existing': [('actor', ACTOR_REF)], 'created': [('actor', ACTOR_REF)], 'rejected': []}))
REPLY_TAILS = {
    'actorLookup': [('actor', ACTOR_REF), ('spotId', TEXT8), ('spotGeneration', NONZERO),
                    ('membershipEpoch', NONZERO), ('authorityOwnerGeneration', NONZERO)],
    'actorJoin': [('join', Struct(Case('joinResult', JOIN_RESULT, 2, {
        'accepted': [('spot', SPOT_REF), ('membershipEpoch', NONZERO),
                     ('receiveChunkLimitBytes', Number(4, 0, 67_108_864))],
        'rejected': [('spot', OPTIONAL_SPOT_REF)]})))],
    'streamBind': [('bindingGeneration', NONZERO), ('authorityOwnerGeneration', NONZERO)],
    'userSpotCreate': [('createResult', CREATE_RESULT), ('spot', SPOT_REF)],
    'userSpotClose': [('closed', Bool())],
    'actorCreate': [('creation', CREATION)],
}

# --- section 6 --------------------------------------------------------------------------------

SOURCE = Struct(Case('sourceKind', SOURCE_KIND, 2, {
    'node': [], 'spot': [('sourceSpotId', TEXT8)], 'actor': [('sourceActor', ACTOR_REF)],
    'boundSession': [('sourceActor', ACTOR_REF), ('sourceSessionRid', RID),
                     ('sourceBindingGeneration', NONZERO), ('sourceSessionSequence', NONZERO)],
}, before=[('sourceNodeRid', RID), ('sourceNodeGeneration', NONZERO), ('sourceOwnerId', TEXT8),
           ('sourceOwnerLeaseGeneration', NONZERO)]))
ACTOR_CONTROL = Struct(Case('lifecycleKind', LIFECYCLE, 2, {
    'created': [('current', SNAPSHOT)],
    'joined': [('previous', OPTIONAL_SNAPSHOT), ('current', SNAPSHOT)],
    'left': [('previous', SNAPSHOT), ('current', SNAPSHOT)],
    'disconnected': [('current', SNAPSHOT)], 'destroyed': [('previous', SNAPSHOT)]}))
RELOCATION_CONTROL = Struct(
    ('phase', PHASE), ('role', ROLE), ('relocation', RELOCATION_ID), ('object', OBJECT), *TERMINAL,
    rule=is_paired, mend=pair_up)
DESTINATION = Struct(Case('destinationKind', DESTINATION_KIND, 2, {
    'node': [('targetNodeRid', RID)], 'channel': [('channelName', TEXT8)],
    'spot': [('targetSpot', SPOT_FENCE)], 'actor': [('targetActor', ACTOR_FENCE)],
    'boundSession': [('targetActor', ACTOR_FENCE), ('bindingGeneration', NONZERO)]}))
FROZEN_BODIES = {
    'nodeSend': [('payload', PAYLOAD)], 'nodeRequest': [('payload', PAYLOAD)],
    'channelSend': [('channelName', TEXT8), ('payload', PAYLOAD)],
    'channelRequest': [('channelName', TEXT8), ('payload', PAYLOAD)],
    'spotSend': [('targetSpot', SPOT_FENCE), ('payload', PAYLOAD)],
    'spotRequest': [('targetSpot', SPOT_FENCE), ('payload', PAYLOAD)],
    'spotMulticast': [('channelName', TEXT8), ('topic', TEXT8), ('payload', PAYLOAD)],
    'spotControl': [('control', ACTOR_CONTROL)],
    'actorSend': [('targetActor', ACTOR_FENCE), ('payload', PAYLOAD)],
    'actorRequest': [('targetActor', ACTOR_FENCE), ('payload', PAYLOAD)],
    'completion': [*TERMINAL, Flagged('hasPayload', 'payload', PAYLOAD)],
    'sendReady': [('destination', DESTINATION)],
    'relocationControl': [('control', RELOCATION_CONTROL)],
    'instanceSpotActivation': [('route', INSTANCE_ROUTE), ('sourceNodeGeneration', NONZERO),
                               ('operationKind', INSTANCE_OPERATION), ('payload', PAYLOAD)],
}
REQUESTS = ('nodeRequest', 'channelRequest', 'spotRequest', 'actorRequest', 'instanceSpotRequest')
# Kinds with one operation: whether their operation id is zero.
ONE_WAY_ZERO = ('nodeSend', 'channelSend', 'spotMulticast', 'sendReady', 'relocationControl')
NODE_ONLY = ('spotControl', 'completion', 'sendReady', 'relocationControl')


def operation_of(record):
    """The operation kinds a record may have, and whether its id is zero."""
    kind = record['recordKind']
    if kind == 'spotControl':
        changes = ('none', 'actorJoin', 'actorLeave', 'actorDestroy')
        return changes, record['operationKind'] == 'none'
    if kind == 'completion':
        return tuple(name for name in OPERATION_KIND.numbers if name != 'none'), False
    if kind == 'instanceSpotActivation':
        request = record['body']['operationKind'] == 'request'
        return ('instanceSpotRequest' if request else 'none',), not request
    return (kind if kind in REQUESTS else 'none',), kind in ONE_WAY_ZERO


def fits_matrix(record):
    """Section 6: what goes with what."""
    kinds, zero = operation_of(record)
    node_only = record['recordKind'] in NODE_ONLY
    completion = record['body'] if record['recordKind'] == 'completion' else None
    return (record['operationKind'] in kinds and (record['operationId'] == ZERO_ID) == zero and
            not (node_only and (record['hasMetadata'] or
                                record['source']['sourceKind'] != 'node')) and
            (completion is None or is_paired(completion) and (
                completion['terminalResult'] == 'ok' or not completion['hasPayload'])))


def fit_matrix(rng, record):
    kind = record['recordKind']
    if kind == 'completion':
        pair_up(rng, record['body'])
        if record['body']['terminalResult'] != 'ok':
            record['body'].update(hasPayload=False, payload=None)
    if kind in NODE_ONLY:
        record.update(hasMetadata=False, metadata=None)
        while record['source']['sourceKind'] != 'node':
            record['source'] = SOURCE.make(rng)
    record['operationKind'] = rng.choice(operation_of(record)[0])
    zero = operation_of(record)[1]
    record['operationId'] = dict(ZERO_ID) if zero else OPERATION_ID.make(rng)
    request = record['operationKind'] in REQUESTS
    record['replyRoute'] = {'replyRouteId': NONZERO.make(rng)} if request else {}


FROZEN_RECORD = Struct(
    ('recordKind', RECORD_KIND), ('source', SOURCE), Flagged('hasMetadata', 'metadata', METADATA),
    ('operationId', OPERATION_OR_ZERO), ('operationKind', OPERATION_KIND),
    Group('replyRoute', Body(2, When(lambda record: record['operationKind'] in REQUESTS,
                                     ('replyRouteId', NONZERO)))),
    Group('body', Choose('recordKind', FROZEN_BODIES)), rule=fits_matrix, mend=fit_matrix)

# --- section 7 --------------------------------------------------------------------------------


def by_order(item):
    return int(item['participantId']), int(item['order'])


APPLICATION_STATE = Wrapped(8, 'hasState', 'payload', Opaque(8, 0, 67_108_864))
STATE_ENTRY = Struct(('participantId', NONZERO), ('applicationState', APPLICATION_STATE))
SAVED_WORK = Struct(('participantId', NONZERO), ('order', NONZERO), ('record', FROZEN_RECORD))
TIMER = Struct(
    ('participantId', NONZERO), ('name', TEXT8), ('handlerType', TEXT8),
    ('periodMilliseconds', NONZERO), ('overrunPolicy', OVERRUN), ('maxCatchUpTicks', NONZERO),
    ('stopOnUnhandledException', Bool()), ('lastCompletedDeliveryIndex', ORDINAL),
    ('lastCompletedScheduledIndex', ORDINAL), ('nextScheduledAtUnixMilliseconds', U64))
TICK = Struct(
    ('participantId', NONZERO), ('order', NONZERO), ('timerName', TEXT8),
    ('deliveryIndex', NONZERO), ('scheduledIndex', NONZERO), ('scheduledAtUnixMilliseconds', U64),
    ('skippedTicks', ORDINAL))
WORK_VECTOR = Vector(4, SAVED_WORK, key=by_order)


def knows_participants(envelope):
    known = {entry['participantId'] for entry in envelope['applicationStates']}
    lists = ('savedWork', 'timerRegistrations', 'pendingTimerTicks')
    orders = [{by_order(item) for item in envelope[name]} for name in
              ('savedWork', 'pendingTimerTicks')]
    return all(item['participantId'] in known for name in lists for item in envelope[name]) and \
        not orders[0] & orders[1]


def know_participants(rng, envelope):
    count = rng.randint(1, 3)
    envelope['applicationStates'] = [
        {**STATE_ENTRY.make(rng), 'participantId': str(index + 1)} for index in range(count)]
    for name in ('savedWork', 'timerRegistrations', 'pendingTimerTicks'):
        for item in envelope[name]:
            item['participantId'] = str(rng.randint(1, count))
    for step, name in enumerate(('savedWork', 'pendingTimerTicks')):
        for index, item in enumerate(envelope[name]):
            item['order'] = str(1 + 2 * index + step)
        envelope[name].sort(key=by_order)
    timers = {(int(item['participantId']), item['name'].encode()): item
              for item in envelope['timerRegistrations']}
    envelope['timerRegistrations'] = [timers[key] for key in sorted(timers)]


ENVELOPE = Struct(
    ('relocation', RELOCATION_ID), ('object', OBJECT), ('applicationVersion', ORDINAL),
    ('applicationStates', Vector(4, STATE_ENTRY, key=lambda item: int(item['participantId']))),
    ('savedWork', WORK_VECTOR),
    ('timerRegistrations', Vector(4, TIMER, key=lambda item: (
        int(item['participantId']), item['name'].encode()))),
    ('pendingTimerTicks', Vector(4, TICK, key=by_order)),
    rule=knows_participants, mend=know_participants)

# --- section 11 -------------------------------------------------------------------------------

UNRESERVED = b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'


def authority_key(kind, raw):
    escaped = ''.join(chr(byte) if byte in UNRESERVED else f'%{byte:02X}' for byte in raw)
    return f'zla1:{kind}:{len(raw)}:{escaped}'.encode()


class AuthorityKey:
    kinds = {'actor': 'a', 'spot': 's'}

    def encode(self, value):
        return authority_key(self.kinds[value['objectKind']], bytes.fromhex(value['id']))

    def decode(self, reader):
        """Only the one spelling of an id is a key: read it loosely, write it, compare."""
        text = reader.take(reader.left())
        pieces = text.split(b':', 3)
        if len(pieces) != 4:
            refuse('invalid-field')
        raw, at = b'', 0
        while at < len(pieces[3]):
            if pieces[3][at:at + 1] == b'%':
                try:
                    raw += bytes.fromhex(pieces[3][at + 1:at + 3].decode())
                except ValueError:
                    refuse('invalid-field')
                at += 3
            else:
                raw += pieces[3][at:at + 1]
                at += 1
        value = {'objectKind': {b'a': 'actor', b's': 'spot'}.get(pieces[1]), 'id': raw.hex()}
        try:
            legal = bool(raw) and len(raw) <= 255 and '\0' not in raw.decode('utf-8', 'strict')
        except UnicodeDecodeError:
            legal = False
        if not legal or not value['objectKind'] or self.encode(value) != text:
            refuse('invalid-field')
        return value

    def make(self, rng):
        return {'objectKind': rng.choice(['actor', 'spot']),
                'id': TEXT8.make(rng).encode().hex()}


def key_of_object(value):
    kind = value['objectKind']
    if kind == 'instanceSpot':
        return authority_key('s', value['spotId'].encode())
    ref = value['actor' if kind == 'actor' else 'spot']
    return authority_key('a' if kind == 'actor' else 's',
                         ref['actorId' if kind == 'actor' else 'spotId'].encode())


# --- section 10 -------------------------------------------------------------------------------

RELOCATION_STATE = Wrapped(4, 'hasRelocation', None, Struct(
    ('relocation', RELOCATION_ID), ('aggregateGeneration', Number(8, 0, ORDINAL_MAX - 1)),
    ('targetAttemptGeneration', ORDINAL), ('relocationReference', TEXT4096),
    ('relocationChecksumCrc32c', U32), ('sourceNodeRid', RID), ('sourceNodeGeneration', NONZERO),
    ('sourceOwnerId', TEXT8), ('sourceOwnerLeaseGeneration', NONZERO),
    ('targetNodeRid', OPTIONAL_RID), ('targetNodeGeneration', ORDINAL),
    ('targetOwnerId', OPTIONAL_TEXT8), ('targetOwnerLeaseGeneration', ORDINAL),
    ('coordinatorOwnerId', TEXT8), ('coordinatorLeaseGeneration', NONZERO),
    ('coordinatorNodeRid', RID), ('coordinatorNodeGeneration', NONZERO),
    ('coordinatorExpectedStoreVersion', OPTIONAL_TEXT8), ('phase', PHASE),
    ('applicationVersion', ORDINAL), ('sourceCleanupState', CLEANUP)), limit=1_048_576 - 5)
ACTIVATION_STATE = Wrapped(4, 'hasActivationRecovery', None, Struct(
    ('reference', TEXT4096), ('sha256', SHA256), ('encodedSize', Number(4, 0, 1_048_576)),
    ('inboxSequence', NONZERO), ('replayCursor', U64),
    Must(lambda state: int(state['replayCursor']) <= int(state['inboxSequence'])),
    mend=lambda rng, state: state.update(
        replayCursor=str(rng.randint(0, int(state['inboxSequence']))))), limit=1_048_576 - 5)
SPOT_AUTHORITY = [('spotId', TEXT8), ('spotType', TEXT8), ('state', SPOT_STATE)]
AUTHORITY_OBJECT = Struct(Case('objectKind', AUTHORITY_KIND, 2, {
    'actor': [('actorType', TEXT8), ('actorId', TEXT8), ('state', ACTOR_STATE),
              ('currentSpot', SPOT_REF), ('currentSpotKind', ACTOR_SPOT_KIND)],
    'spot': [Case('spotKind', SPOT_KIND, 2, {
        'entry': SPOT_AUTHORITY, 'user': SPOT_AUTHORITY,
        'instance': [Case('authorityState', INSTANCE_STATE, 2, {
            state: [('instanceType', TEXT8), ('spotId', TEXT8)]
            for state in INSTANCE_STATE.numbers})]}, names={'instance': 'instance'})],
}, names={'actor': 'actor', 'spot': 'spot'}))
AUTHORITY_PAYLOAD = Struct(
    ('operationKind', AUTHORITY_OPERATION), ('object', AUTHORITY_OBJECT), ('ownerId', TEXT8),
    ('ownerLeaseGeneration', NONZERO), ('ownerMeshName', TEXT8), ('ownerNodeRid', RID),
    ('ownerNodeGeneration', NONZERO), ('relocationState', RELOCATION_STATE),
    ('activationRecoveryState', ACTIVATION_STATE))
DATA_CHUNK = Struct(('order', U32), ('data', Opaque(4, 0, 67_108_864)))
MANIFEST = Struct(
    ('logicalFormatVersion', Number(1, 1, 1)), ('totalLength', Number(8, 0, 274_877_906_944)),
    ('totalChecksumCrc32c', U32), ('inventoryDigestSha256', SHA256),
    ('chunks', Vector(4, Struct(('order', U32), ('reference', TEXT4096), ('length', NONZERO),
                                ('checksumCrc32c', U32)), key=lambda item: item['order'],
                      most=4096)))
RECOVERY = Struct(
    ('targetSpotId', TEXT8), ('stableType', TEXT8), ('targetMeshName', TEXT8),
    ('targetNodeRid', RID), ('targetNodeGeneration', NONZERO),
    ('targetDescriptorVersion', TEXT8), ('sourceNodeRid', RID), ('sourceNodeGeneration', NONZERO),
    Flagged('hasSourceSpotId', 'sourceSpotId', TEXT8), ('operationKind', INSTANCE_OPERATION),
    ('operation', OPERATION_ID),
    Group('replyRoute', When(lambda recovery: recovery['operationKind'] == 'request',
                             ('replyRouteId', NONZERO))),
    ('deadlineUnixMs', NONZERO), Flagged('hasMetadata', 'metadata', METADATA),
    ('applicationPayload', PAYLOAD))
PARTICIPANTS = Vector(
    2, Struct(('object', OBJECT), ('expectedStoreVersion', TEXT4096),
              ('mutation', Opaque(4, 1, 1_048_576))),
    key=lambda item: key_of_object(item['object']), most=1024)
AGGREGATE = Struct(Version(), Body(
    4, ('aggregateId', Wide()), ('aggregateGeneration', NONZERO), ('ownerSpot', SPOT_REF),
    ('participants', PARTICIPANTS), ('inventoryDigestSha256', SHA256), limit=1_048_576 - 5))


def is_creation_terminal(value):
    if not is_paired(value):
        return False
    if value['terminalResult'] != 'ok':
        return not value['hasCreation'] and not value['hasApplicationPayload']
    return value['hasCreation'] and not (
        value['creation']['createResult'] == 'existing' and value['hasApplicationPayload'])


def make_creation_terminal(rng, value):
    pair_up(rng, value)
    ok = value['terminalResult'] == 'ok'
    value.update(hasCreation=ok, creation=CREATION.make(rng) if ok else None)
    if not ok or value['creation']['createResult'] == 'existing':
        value.update(hasApplicationPayload=False, applicationPayload=None)


CREATION_TERMINAL = Struct(
    Version(),
    Body(4, *TERMINAL, Flagged('hasCreation', 'creation', CREATION),
         Flagged('hasApplicationPayload', 'applicationPayload', PAYLOAD), limit=1_048_576 - 5),
    rule=is_creation_terminal, mend=make_creation_terminal)


class Durable:
    """Header and checksum around a body; everything but the body is verified first."""

    def __init__(self, magic, limit, codec):
        self.magic, self.limit, self.codec = magic, limit, codec

    def encode(self, value):
        body = self.codec.encode(value)
        covered = self.magic + b'\1\0\0' + len(body).to_bytes(4, 'big') + body
        return covered + crc32c(covered).to_bytes(4, 'big')

    def decode(self, reader):
        data = reader.data
        if len(data) > self.limit:
            refuse('limit-exceeded')
        header = reader.take(7)
        if header != self.magic + b'\1\0\0':
            refuse('invalid-header')
        size = reader.number(4)
        reader.take(size)
        stored = reader.number(4)
        reader.finish()
        if stored != crc32c(data[:-4]):
            refuse('checksum-mismatch')
        inner = Reader(data[11:])
        return inner.body(size, lambda: self.codec.decode(inner))

    def make(self, rng):
        return self.codec.make(rng)

    def check(self, value):
        if hasattr(self.codec, 'check'):
            self.codec.check(value)


class Multipart:
    """Section 1.5: message parts inside the typed payload envelope."""

    parts = Struct(('parts', Vector(4, Opaque(4, 0, PAYLOAD_MAX + 1000))),
                   Must(lambda value: value['parts']))

    def encode(self, value):
        return PAYLOAD.encode({'packetName': 'ZLinkFrameworkMultipart',
                               'contentType': 'application/x-zlink-multipart',
                               'payload': self.parts.encode(value).hex()})

    def decode(self, reader):
        outer = PAYLOAD.decode(reader)
        reader.finish()
        if outer['packetName'] != 'ZLinkFrameworkMultipart' or \
                outer['contentType'] != 'application/x-zlink-multipart':
            refuse('invalid-field')
        return decode_whole(self.parts, bytes.fromhex(outer['payload']))

    def make(self, rng):
        return {'parts': [rng.randbytes(rng.randrange(30)).hex()
                          for _ in range(rng.randint(1, 4))]}


# Every layout that stands on its own, by its name in the reference.
TYPES = {
    'u8': U8, 'u16': Number(2), 'u32': U32, 'u64': U64, 'nonzero-u32': NONZERO_U32,
    'nonzero-u64': NONZERO,
    'ordinal-or-zero': ORDINAL, 'application-version': ORDINAL, 'bool8': Bool(), 'rid': RID,
    'optional-rid': OPTIONAL_RID, 'text8': TEXT8, 'optional-text8': OPTIONAL_TEXT8,
    'relocation-logical-length': Number(8, 0, 274_877_906_944),
    'relocation-chunk-count': Number(4, 0, 4096), 'endpoint': TEXT4096,
    'authority-store-version': TEXT4096, 'sha256-bytes': SHA256,
    'sorted-text8-vector': Vector(2, TEXT8, key=str.encode),
    'application-payload-bytes': Opaque(4, 0, PAYLOAD_MAX, over='limit-exceeded'),
    'framework-error-code': ERROR_CODE, 'request-terminal-result': TERMINAL_RESULT,
    'reject-reason': REJECT_REASON, 'relocation-id': RELOCATION_ID, 'operation-id': OPERATION_ID,
    'operation-id-or-zero': OPERATION_OR_ZERO, 'actor-ref': ACTOR_REF, 'spot-ref': SPOT_REF,
    'optional-actor-ref': OptionalActorRef(), 'optional-spot-ref': OPTIONAL_SPOT_REF,
    'actor-route-fence': ACTOR_FENCE,
    'spot-route-fence': SPOT_FENCE, 'relocation-coordinator-fence': COORDINATOR,
    'relocation-target-fence': TARGET, 'relocation-object-identity': OBJECT,
    'message-follow-route-v1': MESSAGE_FOLLOW, 'service-admission': ADMISSION,
    'descriptor-extension': EXTENSION, 'metadata-frame': METADATA,
    'framework-multipart-v1': Multipart(), 'application-payload-envelope-v1': PAYLOAD,
    'frozen-source-identity': SOURCE, 'frozen-record': FROZEN_RECORD,
    'saved-work-vector': WORK_VECTOR, 'relocation-application-state': APPLICATION_STATE,
    'relocation-envelope-v1': ENVELOPE, 'authority-relocation-state': RELOCATION_STATE,
    'authority-activation-recovery-state': ACTIVATION_STATE,
    'aggregate-participant-vector': PARTICIPANTS, 'maintenance-aggregate-v1': AGGREGATE,
    'creation-operation-terminal-v1': CREATION_TERMINAL,
    'durable:authority-payload-v1': Durable(b'ZLAU', 1_048_576, AUTHORITY_PAYLOAD),
    'durable:instance-activation-recovery-v1': Durable(b'ZLIA', 1_048_576, RECOVERY),
    'durable:relocation-data-chunk-v1': Durable(b'ZLTC', 67_108_887, DATA_CHUNK),
    'durable:relocation-manifest-v1': Durable(b'ZLTM', 33_554_432, MANIFEST),
    'authority-key-v1': AuthorityKey(),
}
