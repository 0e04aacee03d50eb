#include "tools/errc.hpp"

#include <string>

namespace shunt::tools {
namespace {

class Category final : public std::error_category {
  public:
    const char* name() const noexcept override { return "shunt.tools"; }

    std::string message(int code) const override {
        switch (static_cast<Errc>(code)) {
            case Errc::InputUnreadable:
                return "The input cannot be read. Check that the file exists and is readable.";
            case Errc::InputMalformed:
                return "The input breaks its format. Mend the named line.";
            case Errc::OutputFailed:
                return "The output cannot be written. Check the directory, the permissions and "
                       "the free space.";
            case Errc::InvalidArgument:
                return "An option is outside of its bounds. Choose a value inside them.";
        }
        return "Unknown tools error.";
    }
};

}  // namespace

std::error_code make_error_code(Errc code) noexcept {
    static const Category category;
    return {static_cast<int>(code), category};
}

}  // namespace shunt::tools
