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

std::string answer(std::istringstream words) {
    const result<Inspection> read = inspected(words);
    if (read.has_error()) return "no\t" + tools::category_of(read.error()) + "\n";
    std::string line = "ok\t" + read.value().json;
    for (const Bytes& frame : read.value().encoding) line += "\t" + tools::hex_of(frame);
    return line + "\n";
}

}  // namespace
}  // namespace shunt

int main() {
    std::ios::sync_with_stdio(false);
    // Answers are kept until an empty line asks for them: the asker writes a whole batch before it
    // reads, and two full pipes would wait for each other.
    std::string answers;
    for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty()) {
            answers += shunt::answer(std::istringstream(line));
            continue;
        }
        std::cout << answers << std::flush;
        answers.clear();
    }
}
