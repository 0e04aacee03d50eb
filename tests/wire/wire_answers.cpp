// The C++ side of cross_check.py: a line of hex in, what protocol/ makes of it out.
//
//     type NAME HEX                ok JSON HEX
//     record OPERATION HEX...      ok JSON HEX...
//                                  no CATEGORY
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "protocol/enum_names.hpp"
#include "protocol/inspect.hpp"
#include "tools/hex_text.hpp"
#include "tools/vector_check.hpp"

namespace shunt {
namespace {

using protocol::Inspection;

protocol::DecodeContext context_of(const std::string& operation) {
    for (const auto& known : protocol::kEnumNames<protocol::MeshOperationKind>) {
        if (known.name == operation) return {.original_operation = known.value};
    }
    return {};
}

result<Inspection> inspected(std::istringstream& words) {
    std::string kind;
    std::string name;
    words >> kind >> name;
    std::vector<Bytes> frames;
    std::string why;
    for (std::string hex; words >> hex;) {
        // A frame without bytes is written as a dash.
        frames.push_back(hex == "-" ? Bytes() : tools::parse_hex(hex, &why).value());
    }
    const std::vector<ByteView> views(frames.begin(), frames.end());
    if (kind == "record") return protocol::inspect_record(views, context_of(name));
    return protocol::inspect(name, views.front());
}

void answer(std::istringstream words) {
    const result<Inspection> read = inspected(words);
    if (read.has_error()) {
        std::cout << "no\t" << tools::category_of(read.error()) << "\n";
        return;
    }
    std::cout << "ok\t" << read.value().json;
    for (const Bytes& frame : read.value().encoding) std::cout << "\t" << tools::hex_of(frame);
    std::cout << "\n";
}

}  // namespace
}  // namespace shunt

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        // An empty line asks for what was answered so far.
        if (line.empty()) {
            std::cout << std::flush;
        } else {
            shunt::answer(std::istringstream(line));
        }
    }
}
