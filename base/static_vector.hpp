#pragma once
// A vector whose room is part of the object: bounded by construction, never allocates. Used where
// a bound is part of the contract, such as the effects of one machine step.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

namespace shunt {

/// Up to `Capacity` elements in place. Growing past the capacity is a broken invariant.
template <class T, std::size_t Capacity>
class StaticVector {
  public:
    StaticVector() noexcept = default;
    StaticVector(const StaticVector& other) {
        for (const T& item : other) push_back(item);
    }
    StaticVector(StaticVector&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        for (T& item : other) push_back(std::move(item));
        other.clear();
    }
    StaticVector& operator=(StaticVector other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        clear();
        for (T& item : other) push_back(std::move(item));
        return *this;
    }
    ~StaticVector() { clear(); }

    T& push_back(T item) { return emplace_back(std::move(item)); }

    template <class... Args>
    T& emplace_back(Args&&... args) {
        SHUNT_ASSERT(size_ < Capacity);
        T* slot =
            ::new (static_cast<void*>(storage_ + size_ * sizeof(T))) T(std::forward<Args>(args)...);
        ++size_;
        return *slot;
    }

    void clear() noexcept {
        while (size_ > 0) data()[--size_].~T();
    }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    bool full() const noexcept { return size_ == Capacity; }
    static constexpr std::size_t capacity() noexcept { return Capacity; }

    T* data() noexcept { return std::launder(reinterpret_cast<T*>(storage_)); }
    const T* data() const noexcept { return std::launder(reinterpret_cast<const T*>(storage_)); }
    T* begin() noexcept { return data(); }
    T* end() noexcept { return data() + size_; }
    const T* begin() const noexcept { return data(); }
    const T* end() const noexcept { return data() + size_; }

    T& operator[](std::size_t index) noexcept {
        SHUNT_ASSERT(index < size_);
        return data()[index];
    }
    const T& operator[](std::size_t index) const noexcept {
        SHUNT_ASSERT(index < size_);
        return data()[index];
    }

  private:
    std::size_t size_ = 0;
    alignas(T) std::byte storage_[Capacity * sizeof(T)];
};

}  // namespace shunt
