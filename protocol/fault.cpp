#include "protocol/fault.hpp"

namespace shunt::protocol {

void Fault::place(std::size_t start) {
    if (placed_) return;
    offset_bytes = start;
    placed_ = true;
}

void Fault::within(const char* name, std::size_t start) {
    place(start);
    if (name == nullptr) return;
    const bool direct = field.empty() || field.front() == '[';
    field = std::string(name) + (direct ? "" : ".") + field;
}

void Fault::within_item(std::size_t index, std::size_t start) {
    place(start);
    const std::string item = "[" + std::to_string(index) + "]";
    field = item + (field.empty() ? "" : ".") + field;
}

void Fault::blame(const char* name, std::size_t start) {
    placed_ = false;
    field.clear();
    within(name, start);
}

}  // namespace shunt::protocol
