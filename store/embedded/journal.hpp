#pragma once
// The embedded store's file: written ahead of every commit and synced, read again at the next
// start, rewritten as a snapshot when it has grown (journal_format.hpp says what is in it).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "store/embedded/embedded_core.hpp"

namespace shunt::store {

/// Blocks its caller for every write to the disk. One thread at a time, as the core it serves.
class Journal final : public EmbeddedCommitLog {
  public:
    /// Restores into `core`, which must be fresh, what the file at `path` holds, creates the file
    /// when there is none, and becomes the commit log of `core`. `core` must outlive the journal's
    /// use, not its destruction. A torn last append is dropped: it never became a commit.
    /// Errors: Errc::Corrupt, or the system's; `resource_unavailable_try_again` when another
    /// process holds `path` + ".lock".
    [[nodiscard]] static result<std::unique_ptr<Journal>> open(const std::string& path,
                                                               EmbeddedCore& core, UnixMillis now);
    ~Journal() override;
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Errc::Unavailable when nothing reached the file, so the commit certainly did not happen;
    /// Errc::Indeterminate when the disk failed while it was asked to keep the record, and
    /// Unavailable ever after: only a new start can tell what the file holds.
    [[nodiscard]] result<void> before_commit(const std::vector<EmbeddedChange>& changes,
                                             UnixMillis now) override;

    /// Replaces the file by a snapshot of what lives; on failure the old file stays in use.
    [[nodiscard]] result<void> rewrite(UnixMillis now);

    std::uint64_t file_bytes() const noexcept { return file_bytes_; }
    /// Growth since the last snapshot at which before_commit() makes another.
    void set_growth_bytes_max(std::uint64_t bytes) noexcept { growth_bytes_max_ = bytes; }

  private:
    Journal(std::string path, EmbeddedCore& core, int lock_fd)
        : path_(std::move(path)), core_(core), lock_fd_(lock_fd) {}

    result<void> load(UnixMillis now);
    result<void> append(ByteView bytes);

    std::string path_;
    EmbeddedCore& core_;
    int lock_fd_;
    int fd_ = -1;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t snapshot_bytes_ = 0;
    std::uint64_t growth_bytes_max_ = std::uint64_t{64} * 1024 * 1024;
    bool failed_ = false;  // A sync failed: the file's end is unknown.
};

}  // namespace shunt::store
