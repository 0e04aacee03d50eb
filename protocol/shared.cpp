#include "protocol/shared.hpp"

#include "protocol/shared_layout.hpp"

namespace shunt::protocol {

SHUNT_LAYOUT_HERE(ActorRef)
SHUNT_LAYOUT_HERE(SpotRef)
SHUNT_LAYOUT_HERE(ActorRouteFence)
SHUNT_LAYOUT_HERE(SpotRouteFence)
SHUNT_LAYOUT_HERE(RelocationCoordinatorFence)
SHUNT_LAYOUT_HERE(RelocationTargetFence)
SHUNT_LAYOUT_HERE(RequestSourceFence)
SHUNT_LAYOUT_HERE(AuthorityGenerationFence)
SHUNT_LAYOUT_HERE(BoundSessionTail)
SHUNT_LAYOUT_HERE(SpotMembership)
SHUNT_LAYOUT_HERE(ActorMembershipSnapshot)
SHUNT_LAYOUT_HERE(RelocationObjectIdentity)
SHUNT_LAYOUT_HERE(InstanceRoute)
SHUNT_LAYOUT_HERE(MessageFollowNotice)
SHUNT_LAYOUT_HERE(DescriptorExtension)
SHUNT_LAYOUT_HERE(ServiceAdmission)

}  // namespace shunt::protocol
