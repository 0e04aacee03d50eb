#pragma once
// Holds protocol/ to files of wire vectors: what `shunt decode --vectors` does, and the tests.

#include <string>
#include <vector>

#include "tools/vector_file.hpp"

namespace shunt::tools {

/// What a file of vectors came to.
struct VectorReport {
    std::size_t checked = 0;
    /// Vectors of kinds that are no wire bytes (store records): left to the store's own tests.
    std::size_t other_kinds = 0;
    /// One sentence each, the vector's name first.
    std::vector<std::string> mismatches;
};

/// Accepted vectors must decode to their fields, encode to the same bytes and be refused at every
/// cut; refused ones must fail with their category.
VectorReport check_vectors(const VectorFile& file);

/// The category of spec/wire.md section 14 that `code` is.
std::string category_of(std::error_code code);

}  // namespace shunt::tools
