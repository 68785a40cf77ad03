// What the files of the repository look like as a whole.
#pragma once

#include <vector>

#include "tools/lint/source_file.h"

namespace naval::lint {

// Each second-level folder (lib/rules, services/match, ...) has a README.md of at most 20 lines,
// and each header has #pragma once. `files` are all text files of the repository.
std::vector<Finding> CheckLayout(const std::vector<SourceFile>& files);

}  // namespace naval::lint
