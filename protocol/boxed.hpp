#pragma once
// A value kept outside of the struct that holds it. A rare and large alternative of a variant would
// otherwise size every one of them, and a decoder's memory per byte of input with it.

#include <memory>
#include <utility>

#include "base/assert.hpp"

namespace shunt::protocol {

/// Behaves as a T: copies copy the value, comparison compares it. Only assignment and destruction
/// are left to one that was moved from.
template <class T>
class Boxed {
  public:
    Boxed() : value_(std::make_unique<T>()) {}
    Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Boxed(const Boxed& other) : value_(std::make_unique<T>(*other)) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(const Boxed& other) {
        value_ = std::make_unique<T>(*other);
        return *this;
    }
    Boxed& operator=(Boxed&&) noexcept = default;
    ~Boxed() = default;

    T& operator*() noexcept {
        SHUNT_ASSERT(value_ != nullptr);
        return *value_;
    }
    const T& operator*() const noexcept {
        SHUNT_ASSERT(value_ != nullptr);
        return *value_;
    }
    bool operator==(const Boxed& other) const { return **this == *other; }

  private:
    std::unique_ptr<T> value_;
};

}  // namespace shunt::protocol
