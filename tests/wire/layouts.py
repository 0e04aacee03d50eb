"""Structures of spec/wire.md sections 1, 4, 6 and 7, a second time."""

from codec import (
    NONZERO, NONZERO_U32, OPTIONAL_TEXT8, ORDINAL, RID, TEXT4096, TEXT8, U32, U64, ZERO_ID, Bool,
    Number, Opaque, Text, Wide, refuse)
from enums import (
    AUTHORITY_KIND, CLIENT_ROLE, COLD_COMPLETION, CREATE_RESULT, DESTINATION_KIND, DIRECTION,
    INSTANCE_OPERATION, INSTANCE_ROUTE_KIND, JOIN_RESULT, LIFECYCLE, OBJECT_ROLE, OPERATION_KIND,
    OVERRUN, PHASE, POLICY, RECORD_KIND, RELAY_CONTEXT, ROLE, ROUTE_ACTION, RUNTIME_STATE,
    SOURCE_KIND, STATEFUL_KIND, TERMINAL, TOPOLOGY, is_paired, pair_up)
from forms import (
    Body, Case, Choose, Flagged, Group, Must, Struct, Tlv, Vector, Version, When, Wrapped)

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
