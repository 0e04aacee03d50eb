#include "tools/file_limit.hpp"

#include <sys/resource.h>

namespace shunt::tools {

result<void> allow_open_files(std::size_t files, std::string* why) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return outcome::success();
    const rlim_t had = limit.rlim_cur;
    limit.rlim_cur = files;
    if (files <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) == 0) return outcome::success();
    *why = "only " + std::to_string(had) + " files may be open, and " + std::to_string(files) +
           " are needed. Raise it: ulimit -n " + std::to_string(files) + ".";
    return Errc::InvalidArgument;
}

}  // namespace shunt::tools
