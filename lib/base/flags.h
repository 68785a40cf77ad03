#pragma once

#include <vector>

#include "absl/strings/string_view.h"

namespace naval::base {

// Reads the flags of the command line and returns its other words. --help prints `usage` and the
// program's own flags, not those of the libraries that it uses; a flag that there is not ends the
// process.
std::vector<char*> ParseFlags(int argc, char** argv, absl::string_view usage);

}  // namespace naval::base
