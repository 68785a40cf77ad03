#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/secret.h"

namespace naval::cli {

// Reads a password: the first line of `file`, of standard input where that is "-"; where it is
// empty, what is typed at a prompt without being shown, twice if it is to be `repeated`. An error
// of UsageError when there is none to be had; CANCELLED, see InterruptedBy, when a signal came.
absl::StatusOr<base::Secret> ReadPassword(const std::string& file, bool repeated);

}  // namespace naval::cli
