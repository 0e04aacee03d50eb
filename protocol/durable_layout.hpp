#pragma once
// Every value that is stored in a durable envelope.

#include "protocol/authority_payload_layout.hpp"
#include "protocol/store_values_layout.hpp"
