#include "tests/support/environment.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace naval::testing {

std::uint64_t NumberFromEnvironment(const char* name, std::uint64_t otherwise,
                                    std::uint64_t least) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::uint64_t number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= least) return number;
  absl::FPrintF(stderr, "%s must be a number of at least %d, not '%s'\n", name, least, text);
  std::exit(1);
}

}  // namespace naval::testing
