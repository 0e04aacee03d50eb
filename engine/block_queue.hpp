#pragma once
// First in, first out, in fixed blocks: elements never move, which the kernel demands of the bytes
// it is sending, and a drained queue keeps one block, so steady traffic does not allocate.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "base/assert.hpp"

namespace shunt::engine {

template <class T, std::size_t BlockCount>
class BlockQueue {
  public:
    BlockQueue() = default;
    BlockQueue(const BlockQueue&) = delete;
    BlockQueue& operator=(const BlockQueue&) = delete;
    ~BlockQueue() {
        while (!empty()) pop_front();
        // One by one: a long chain would recurse in its destructors.
        while (first_ != nullptr) first_ = std::move(first_->next);
    }

    bool empty() const noexcept { return count_ == 0; }
    std::size_t size() const noexcept { return count_; }

    /// A new last element. The reference stays good until it is popped.
    T& emplace_back() {
        if (first_ == nullptr) {
            first_ = take_block();
            last_ = first_.get();
            begin_ = 0;
            end_ = 0;
        } else if (end_ == BlockCount) {
            last_->next = take_block();
            last_ = last_->next.get();
            end_ = 0;
        }
        T* element = ::new (last_->room + end_ * sizeof(T)) T();
        ++end_;
        ++count_;
        return *element;
    }

    T& front() noexcept {
        SHUNT_ASSERT(count_ > 0);
        return *first_->at(begin_);
    }

    void pop_front() noexcept {
        front().~T();
        --count_;
        ++begin_;
        if (count_ == 0) {
            begin_ = 0;
            end_ = 0;
            return;
        }
        if (begin_ < BlockCount) return;
        std::unique_ptr<Block> spent = std::move(first_);
        first_ = std::move(spent->next);
        begin_ = 0;
        if (spare_ == nullptr) spare_ = std::move(spent);
    }

    /// Calls `visit(element)` from the front on until it answers false.
    template <class Visit>
    void visit_while(Visit&& visit) {
        Block* block = first_.get();
        std::size_t index = begin_;
        for (std::size_t left = count_; left > 0; --left) {
            if (index == BlockCount) {
                block = block->next.get();
                index = 0;
            }
            if (!visit(*block->at(index++))) return;
        }
    }

  private:
    struct Block {
        alignas(T) std::byte room[BlockCount * sizeof(T)];
        std::unique_ptr<Block> next;
        T* at(std::size_t index) noexcept {
            return std::launder(reinterpret_cast<T*>(room + index * sizeof(T)));
        }
    };

    std::unique_ptr<Block> take_block() {
        if (spare_ != nullptr) return std::move(spare_);
        return std::unique_ptr<Block>(new Block);
    }

    std::unique_ptr<Block> first_;
    std::unique_ptr<Block> spare_;
    Block* last_ = nullptr;
    std::size_t begin_ = 0;  // In the first block.
    std::size_t end_ = 0;    // In the last block.
    std::size_t count_ = 0;
};

}  // namespace shunt::engine
