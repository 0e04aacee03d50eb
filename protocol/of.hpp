#pragma once
// A name for a type without a value of it: how declarations about a type (its layout, its enum
// names, its command facts) are found by argument lookup.

namespace shunt::protocol {

template <class T>
struct Of {};

}  // namespace shunt::protocol
