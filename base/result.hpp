#pragma once
// The error type of the whole project: Outcome's basic_result over std::error_code. Reading the
// value of a failed result terminates (policy::terminate), it never throws.

#include <system_error>

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/success_failure.hpp>
#include <boost/outcome/try.hpp>

namespace shunt {

namespace outcome = BOOST_OUTCOME_V2_NAMESPACE;

/// A value or a std::error_code; every folder brings its own `Errc` and error category.
template <class T>
using result = outcome::basic_result<T, std::error_code, outcome::policy::terminate>;

}  // namespace shunt
