#pragma once
// A move-only callable. std::function demands copyable captures; completions own their state and
// run once, so they cannot be copied.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

namespace shunt {

template <class Signature>
class UniqueFunction;

/// Holds any callable of that signature; small ones (64 bytes, nothrow-movable) without allocating.
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
  public:
    UniqueFunction() noexcept = default;
    UniqueFunction(std::nullptr_t) noexcept {}

    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> &&
             std::is_invocable_r_v<R, std::remove_cvref_t<F>&, Args...>)
        UniqueFunction(F&& callable) {
        using Callable = std::remove_cvref_t<F>;
        if constexpr (kFits<Callable>) {
            ::new (static_cast<void*>(room_)) Callable(std::forward<F>(callable));
            vtable_ = &kInPlace<Callable>;
        } else {
            ::new (static_cast<void*>(room_)) Callable*(new Callable(std::forward<F>(callable)));
            vtable_ = &kOnHeap<Callable>;
        }
    }

    UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
    UniqueFunction& operator=(UniqueFunction&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    UniqueFunction(const UniqueFunction&) = delete;
    UniqueFunction& operator=(const UniqueFunction&) = delete;
    ~UniqueFunction() { reset(); }

    explicit operator bool() const noexcept { return vtable_ != nullptr; }

    R operator()(Args... args) {
        SHUNT_ASSERT(vtable_ != nullptr);
        return vtable_->call(room_, std::forward<Args>(args)...);
    }

  private:
    static constexpr std::size_t kRoomBytes = 64;

    struct VTable {
        R (*call)(std::byte*, Args&&...);
        void (*move)(std::byte* from, std::byte* to) noexcept;
        void (*destroy)(std::byte*) noexcept;
    };

    template <class F>
    static constexpr bool kFits =
        sizeof(F) <= kRoomBytes &&
        alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

    template <class F>
    static F& in_place(std::byte* room) noexcept {
        return *std::launder(reinterpret_cast<F*>(room));
    }

    template <class F>
    static constexpr VTable kInPlace = {
        [](std::byte* room, Args&&... args) -> R {
            return in_place<F>(room)(std::forward<Args>(args)...);
        },
        [](std::byte* from, std::byte* to) noexcept {
            ::new (static_cast<void*>(to)) F(std::move(in_place<F>(from)));
            in_place<F>(from).~F();
        },
        [](std::byte* room) noexcept { in_place<F>(room).~F(); },
    };

    template <class F>
    static constexpr VTable kOnHeap = {
        [](std::byte* room, Args&&... args) -> R {
            return (*in_place<F*>(room))(std::forward<Args>(args)...);
        },
        [](std::byte* from, std::byte* to) noexcept {
            ::new (static_cast<void*>(to)) F*(in_place<F*>(from));
        },
        [](std::byte* room) noexcept { delete in_place<F*>(room); },
    };

    void take(UniqueFunction& other) noexcept {
        if (other.vtable_ == nullptr) return;
        other.vtable_->move(other.room_, room_);
        vtable_ = std::exchange(other.vtable_, nullptr);
    }

    void reset() noexcept {
        if (vtable_ == nullptr) return;
        std::exchange(vtable_, nullptr)->destroy(room_);
    }

    const VTable* vtable_ = nullptr;
    alignas(std::max_align_t) std::byte room_[kRoomBytes];
};

}  // namespace shunt
