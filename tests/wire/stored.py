"""Authority keys and stored values of spec/wire.md sections 10 and 11, and every layout by name."""

from codec import (
    NONZERO, NONZERO_U32, OPTIONAL_RID, OPTIONAL_TEXT8, ORDINAL, ORDINAL_MAX, RID, SHA256,
    TEXT4096, TEXT8, U32, U64, U8, Bool, Number, Opaque, Reader, Wide, crc32c, refuse)
from enums import (
    ACTOR_SPOT_KIND, ACTOR_STATE, AUTHORITY_KIND, AUTHORITY_OPERATION, CLEANUP, ERROR_CODE,
    INSTANCE_OPERATION, INSTANCE_STATE, PHASE, REJECT_REASON, SPOT_KIND, SPOT_STATE, TERMINAL,
    TERMINAL_RESULT, is_paired, pair_up)
from forms import (
    Body, Case, Flagged, Group, Must, Struct, Vector, Version, When, Wrapped, check, decode_whole)
from layouts import (
    ACTOR_FENCE, ACTOR_REF, ADMISSION, APPLICATION_STATE, COORDINATOR, CREATION, ENVELOPE,
    EXTENSION, FROZEN_RECORD, MESSAGE_FOLLOW, METADATA, OBJECT, OPERATION_ID, OPERATION_OR_ZERO,
    OPTIONAL_SPOT_REF, PAYLOAD, PAYLOAD_MAX, RELOCATION_ID, SOURCE, SPOT_FENCE, SPOT_REF, TARGET,
    WORK_VECTOR, OptionalActorRef)

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
