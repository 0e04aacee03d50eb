#include "tests/sim/store_watch.hpp"

#include "store/keys.hpp"

namespace shunt::sim {

void StoreWatch::applied(const LoggedWrite& write) {
    static const std::string prefix = store::authority_prefix();
    for (const store::Mutation& mutation : write.batch.mutations) {
        if (const auto* gone = std::get_if<store::Delete>(&mutation)) rows_.erase(gone->key);
        const auto* put = std::get_if<store::Put>(&mutation);
        if (put == nullptr || put->key.compare(0, prefix.size(), prefix) != 0) continue;
        const auto row = store::decode_authority_row(put->value);
        if (row) {
            row_written(put->key, row.value(), write);
        } else {
            findings_.add("a row was written that cannot be read");
        }
    }
}

void StoreWatch::row_written(const std::string& key, const store::AuthorityRow& row,
                             const LoggedWrite& write) {
    const auto found = rows_.find(key);
    const auto say = [&](const std::string& what) {
        findings_.add(what + ": run " + std::to_string(write.lifecycle) + " at " +
                      std::to_string(write.at.count() / 1000) + " us, row of " +
                      row.owner.owner_id.value + " at generation " +
                      std::to_string(row.authority_owner_generation.value));
    };
    if (found != rows_.end()) {
        const store::AuthorityRow& before = found->second;
        const std::uint64_t was = before.authority_owner_generation.value;
        const std::uint64_t is = row.authority_owner_generation.value;
        if (row.object_generation != before.object_generation) say("the incarnation changed");
        if (is != was && is != was + 1) say("the owner generation jumped");
        if (is == was && row.owner != before.owner) say("the owner changed without a generation");
        if (is == was + 1) ++owner_changes_;
    }
    // Whoever creates, takes over or steadies a row writes itself as the owner.
    if (owners_[write.lifecycle] != row.owner.owner_id) say("another than the owner wrote the row");
    rows_.insert_or_assign(key, row);
}

}  // namespace shunt::sim
