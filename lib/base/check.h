#pragma once

#include <cstdlib>

#include "lib/base/log.h"

namespace naval::base {

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  Log(LogLevel::kError, "check_failed", {{"condition", condition}, {"file", file}, {"line", line}});
  std::abort();
}

}  // namespace naval::base

// Logs and ends the process unless `condition` holds. For what only a bug can cause: whatever comes
// from outside (a request, a peer) is answered with an error instead.
#define NAVAL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::naval::base::CheckFailed(#condition, __FILE__, __LINE__))
