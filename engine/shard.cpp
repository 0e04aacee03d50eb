#include "engine/shard.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <pthread.h>
#include <sched.h>

#include "base/assert.hpp"
#include "engine/errc.hpp"
#include "engine/probe.hpp"

namespace shunt::engine {
namespace {

using namespace std::chrono_literals;

// Bounds of one turn: no source of work keeps the others waiting for long.
constexpr std::size_t kCompletionsPerTurn = 256;
constexpr std::size_t kInboxPerTurn = 256;
// While stopping nothing rings the doorbell, so the loop looks at its deadline now and then.
constexpr Duration kStoppingNap = 10ms;
constexpr Duration kLongestSleep = 1h;

constexpr std::uint16_t kBulkGroup = 0;
constexpr std::uint16_t kSmallGroup = 1;

thread_local const Shard* current_shard = nullptr;

TimePoint read_clock() noexcept {
    return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

void block_signals() noexcept {
    // Signals belong to the program's own threads; a shard must not run foreign handlers.
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

bool pin_to(unsigned cpu) noexcept {
    if (cpu >= CPU_SETSIZE) return false;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
}

}  // namespace

// Reads the inbox's eventfd: its completion is what ends a sleep when a foreign thread posts.
class Shard::Doorbell final : public IoTarget {
  public:
    Doorbell(Shard& shard, int wake_fd) noexcept : shard_(shard), wake_fd_(wake_fd) {}

    void arm() {
        shard_.submit(*this, OpKind::Wake, [this](io_uring_sqe& sqe) {
            io_uring_prep_read(&sqe, wake_fd_, &count_, sizeof(count_), 0);
        });
    }
    void on_completion(const Completion& completion) override {
        if (completion.kind() == OpKind::Wake && !retiring()) arm();
    }
    void shut_down() override {
        shard_.submit_cancel(*this, OpKind::Wake);
        shard_.retire(*this);
    }

  private:
    Shard& shard_;
    int wake_fd_;
    std::uint64_t count_ = 0;
};

Shard::Shard(ShardOptions options) : options_(std::move(options)) {}

Shard::~Shard() {
    stop();
}

result<void> Shard::start(UniqueFunction<void()> init) {
    SHUNT_ASSERT(!thread_.joinable());
    BOOST_OUTCOME_TRY(require_ring());
    if (!inbox_.ok()) return Errc::ShardNotStarted;
    spin_ = options_.spin.value_or(
        default_spin(options_.shards_in_process, capabilities().usable_cpus));
    // Set-up happens on the shard's thread, because who creates the ring owns it.
    try {
        thread_ = std::thread([this, init = std::move(init)]() mutable {
            current_shard = this;
            block_signals();
            const result<void> ready = set_up();
            if (ready && init) init();
            if (!ready) start_error_ = ready.error();
            started_.count_down();
            if (ready) loop();
            current_shard = nullptr;
        });
    } catch (const std::system_error&) {
        return Errc::ShardNotStarted;
    }
    started_.wait();
    if (!start_error_) return outcome::success();
    thread_.join();
    return start_error_;
}

void Shard::stop() {
    if (!thread_.joinable()) return;
    SHUNT_ASSERT(!on_this_thread());
    post([this] { begin_stop(); });
    thread_.join();
}

void Shard::post(UniqueFunction<void()> fn) {
    if (on_this_thread()) {
        posted_.push_back(std::move(fn));
    } else {
        inbox_.push(std::move(fn));
    }
}

bool Shard::on_this_thread() const noexcept {
    return current_shard == this;
}

TimerId Shard::arm(TimePoint deadline, UniqueFunction<void()> fn) {
    return wheel_->arm(deadline, std::move(fn));
}

void Shard::cancel(TimerId timer) noexcept {
    wheel_->cancel(timer);
}

ShardCounters Shard::counters() const noexcept {
    ShardCounters out = counters_;
    out.cq_overflows = ring_->overflow_count();
    out.buffers_starved = bulk_buffers_->starved_count() + small_buffers_->starved_count();
    return out;
}

void Shard::submit_cancel(IoTarget& target, OpKind kind) {
    submit(target, OpKind::Cancel, [&](io_uring_sqe& sqe) {
        io_uring_prep_cancel64(&sqe, user_data_of(target.id_, kind), 0);
    });
}

void Shard::request_flush(IoTarget& target) {
    if (std::exchange(target.flush_requested_, true)) return;
    flush_list_.push_back(&target);
}

void Shard::retire(IoTarget& target) {
    if (std::exchange(target.retiring_, true)) return;
    retiring_.push_back(&target);
}

BufferRing& Shard::buffers(OpKind receive_kind) noexcept {
    SHUNT_ASSERT(receive_kind == OpKind::ReceiveBulk || receive_kind == OpKind::ReceiveSmall);
    return receive_kind == OpKind::ReceiveBulk ? *bulk_buffers_ : *small_buffers_;
}

result<void> Shard::set_up() {
    (void)pthread_setname_np(pthread_self(), options_.name.substr(0, 15).c_str());
    if (options_.pin_cpu && !pin_to(*options_.pin_cpu)) return Errc::ShardNotStarted;
    BOOST_OUTCOME_TRY(ring_, Ring::create(options_.ring));
    BOOST_OUTCOME_TRY(bulk_buffers_, BufferRing::create(*ring_, kBulkGroup, options_.bulk_buffers));
    BOOST_OUTCOME_TRY(small_buffers_,
                      BufferRing::create(*ring_, kSmallGroup, options_.small_buffers));
    now_ = read_clock();
    wheel_ = std::make_unique<TimerWheel>(now_);
    adopt(std::make_unique<Doorbell>(*this, inbox_.wake_fd())).arm();
    return outcome::success();
}

void Shard::loop() {
    while (!stopping_ || (target_count_ > 0 && now_ < stop_deadline_)) {
        now_ = read_clock();
        const bool useful = turn();
        if (stopping_ && target_count_ == 0) break;
        rest(useful);
    }
    end_operations();
    // Their captures may belong to this thread, so they end here and not in the destructor.
    posted_.clear();
    wheel_.reset();
    leak_what_is_busy();
    small_buffers_.reset();
    bulk_buffers_.reset();
    ring_.reset();
}

// One turn: handlers only queue output; the end of the turn is the flush point, so everything a
// turn produced for a connection leaves in one gather.
bool Shard::turn() {
    ++counters_.turns;
    std::size_t work = drain_completions();
    work += inbox_.run(kInboxPerTurn);
    work += run_posted();
    work += wheel_->run_due(now_);
    if (stopping_) shut_down_targets();
    if (retire_idle()) ++work;
    bulk_buffers_->wake_waiting();
    small_buffers_->wake_waiting();
    flush_requested();
    return work > 0;
}

std::size_t Shard::drain_completions() {
    std::array<Completion, kCompletionsPerTurn> batch;
    const std::size_t count = ring_->collect(batch);
    for (std::size_t i = 0; i < count; ++i) dispatch(batch[i]);
    counters_.completions += count;
    return count;
}

void Shard::dispatch(const Completion& completion) {
    const TargetId id = completion.target();
    IoTarget* target = nullptr;
    if (id.index < slots_.size() &&
        (slots_[id.index].generation & kGenerationMask) == id.generation) {
        target = slots_[id.index].target.get();
    }
    if (target == nullptr) {
        ++counters_.stale_completions;
        if (!completion.has_buffer()) return;
        BufferRing& ring = buffers(completion.kind());
        (void)ring.lease(completion.buffer_id(), 0);
        ring.give_back(completion.buffer_id());
        return;
    }
    if (completion.terminal()) {
        SHUNT_ASSERT(target->ops_in_kernel_ > 0);
        --target->ops_in_kernel_;
        --ops_in_kernel_;
    }
    target->on_completion(completion);
}

std::size_t Shard::run_posted() {
    std::vector<UniqueFunction<void()>> batch = std::move(posted_);
    posted_.clear();
    for (UniqueFunction<void()>& fn : batch) fn();
    const std::size_t count = batch.size();
    batch.clear();
    if (posted_.empty()) posted_ = std::move(batch);  // Keeps the room.
    return count;
}

void Shard::flush_requested() {
    // flush() only prepares sends; it requests no further flush, so one pass empties the list.
    for (std::size_t i = 0; i < flush_list_.size(); ++i) {
        IoTarget& target = *flush_list_[i];
        target.flush_requested_ = false;
        target.flush();
    }
    flush_list_.clear();
}

bool Shard::retire_idle() {
    bool any = false;
    for (std::size_t i = 0; i < retiring_.size();) {
        IoTarget& target = *retiring_[i];
        if (target.ops_in_kernel_ > 0) {
            ++i;
            continue;
        }
        retiring_.erase(retiring_.begin() + static_cast<std::ptrdiff_t>(i));
        target.on_retired();
        destroy_target(target);
        any = true;
    }
    return any;
}

bool Shard::has_work() const noexcept {
    const auto idle = [](const IoTarget* target) { return target->ops_in_kernel_ == 0; };
    return ring_->has_completions() || inbox_.has_work() || !posted_.empty() ||
           !flush_list_.empty() || std::any_of(retiring_.begin(), retiring_.end(), idle);
}

void Shard::rest(bool was_useful) {
    if (was_useful) last_useful_ = now_;
    const bool spinning = spin_ > Duration::zero() && now_ - last_useful_ < spin_;
    Duration wait = Duration::zero();
    if (!spinning && !has_work()) {
        wait = stopping_ ? kStoppingNap : kLongestSleep;
        const TimePoint wake = wheel_->next_wake();
        if (wake <= now_) {
            wait = Duration::zero();
        } else if (wake != kNever) {
            wait = std::min(wait, wake - now_);
        }
    }
    if (wait == Duration::zero() || !inbox_.prepare_sleep()) {
        ring_->enter(Duration::zero());
        return;
    }
    ++counters_.sleeps;
    ring_->enter(wait);
    inbox_.awake();
}

void Shard::begin_stop() {
    stopping_ = true;
    stop_deadline_ = deadline_after(now_, options_.stop_grace);
}

// Each turn while stopping, because what ends may still adopt something new.
void Shard::shut_down_targets() {
    // By index: shutting one down may adopt others.
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        IoTarget* target = slots_[i].target.get();
        if (target != nullptr && !target->retiring_) target->shut_down();
    }
}

// What did not end by itself within the grace period is cancelled. Each target still learns of
// its end through on_completion() and on_retired().
void Shard::end_operations() {
    if (target_count_ == 0) return;
    ring_->cancel_all(1s);
    const TimePoint deadline = deadline_after(read_clock(), 1s);
    while (target_count_ > 0 && read_clock() < deadline) {
        drain_completions();
        shut_down_targets();
        retire_idle();
        if (target_count_ > 0) ring_->enter(kStoppingNap);
    }
}

// The kernel may still write to these, so their memory is given up rather than reused.
void Shard::leak_what_is_busy() {
    if (ops_in_kernel_ == 0) return;
    std::fprintf(stderr,
                 "shunt: shard %s stops with %u operations in the kernel; their memory is "
                 "left allocated\n",
                 options_.name.c_str(), ops_in_kernel_);
    for (Slot& slot : slots_) {
        if (slot.target != nullptr && slot.target->ops_in_kernel_ > 0) (void)slot.target.release();
    }
    bulk_buffers_->leak();
    small_buffers_->leak();
}

void Shard::register_target(std::unique_ptr<IoTarget> target) {
    std::uint32_t index = 0;
    if (free_slots_.empty()) {
        index = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
        free_slots_.reserve(slots_.size());
    } else {
        index = free_slots_.back();
        free_slots_.pop_back();
    }
    Slot& slot = slots_[index];
    target->id_ = {.index = index, .generation = slot.generation & kGenerationMask};
    slot.target = std::move(target);
    ++target_count_;
}

void Shard::destroy_target(IoTarget& target) noexcept {
    SHUNT_ASSERT(target.ops_in_kernel_ == 0);
    if (target.flush_requested_) std::erase(flush_list_, &target);
    bulk_buffers_->stop_waiting(target);
    small_buffers_->stop_waiting(target);
    const std::uint32_t index = target.id_.index;
    Slot& slot = slots_[index];
    const std::unique_ptr<IoTarget> doomed = std::move(slot.target);
    ++slot.generation;
    free_slots_.push_back(index);
    --target_count_;
}

}  // namespace shunt::engine
