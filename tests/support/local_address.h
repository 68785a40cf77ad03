#pragma once

#include <string>

#include "absl/strings/str_cat.h"

namespace naval::testing {

// The address of a port of this machine. 0: any port that is free, to listen on.
inline std::string LocalAddress(int port) { return absl::StrCat("127.0.0.1:", port); }

}  // namespace naval::testing
