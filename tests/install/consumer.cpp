// A program outside the project: it sees installed headers and `pkg-config shunt`, nothing else.
// Its output is checked, so a stale library or a header that lies about its version shows.

#include <cstdio>
#include <shunt/base/ids.hpp>
#include <shunt/base/version.hpp>
#include <shunt/store/location_store.hpp>

int main() {
    // is_valid_id and make_error_code live in the library, so this links or it does not.
    const bool good = shunt::is_valid_id("room-1") && !shunt::is_valid_id("");
    std::printf("shunt %.*s %s\n", static_cast<int>(shunt::kVersion.size()), shunt::kVersion.data(),
                good ? "works" : "is broken");
    return good ? 0 : 1;
}
