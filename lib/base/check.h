#pragma once

#include <cstdio>
#include <cstdlib>

namespace naval::base {

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace naval::base

// Ends the process unless `condition` holds. For what only a bug can cause: whatever comes from outside
// (a request, a peer, a file) is answered with an error instead. Name nothing secret in it.
#define NAVAL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::naval::base::CheckFailed(#condition, __FILE__, __LINE__))
