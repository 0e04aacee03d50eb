#include <string>

#include "store/location_store.hpp"

namespace shunt::store {
namespace {

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.store"; }

    std::string message(int code) const override {
        switch (static_cast<Errc>(code)) {
            case Errc::Transient:
                return "The store did not take the operation. It was not applied; try again.";
            case Errc::Indeterminate:
                return "The store's answer was lost, so the write may or may not have happened. "
                       "Read the keys before trying again.";
            case Errc::Unavailable:
                return "The store cannot serve now. Check that it runs, accepts this client and "
                       "has memory left.";
            case Errc::InvalidArgument:
                return "The request breaks the store's limits (key 1..1024 bytes, value at most "
                       "1 MiB, batch at most 2,048 keys and 4 MiB, no key twice). Fix the caller.";
            case Errc::Corrupt:
                return "A stored record breaks its format. Look for another writer of this key "
                       "prefix; nothing was changed.";
        }
        return "Unknown store error.";
    }
};

}  // namespace

std::error_code make_error_code(Errc code) noexcept {
    static const Category category;
    return {static_cast<int>(code), category};
}

}  // namespace shunt::store
