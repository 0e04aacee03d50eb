"""Enumerations of spec/wire.md section 3 and the pairing of terminals, a second time."""

from codec import Enum


def numbered(first, *names, width=1):
    return Enum(width, **{name: first + index for index, name in enumerate(names)})


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
