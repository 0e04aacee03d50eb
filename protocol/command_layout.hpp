#pragma once
// Every command's layout and facts, for the code that walks the Command variant.

#include "protocol/command.hpp"
#include "protocol/command_admission_layout.hpp"
#include "protocol/command_creation_layout.hpp"
#include "protocol/command_messaging_layout.hpp"
#include "protocol/command_relocation_layout.hpp"
#include "protocol/command_reply_layout.hpp"
#include "protocol/command_session_layout.hpp"
