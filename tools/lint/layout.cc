#include "tools/lint/layout.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace naval::lint {
namespace {

constexpr size_t kReadmeLinesMax = 20;

bool HasReadmes(absl::string_view top) {
  return top == "lib" || top == "services" || top == "tests" || top == "tools";
}

}  // namespace

std::vector<Finding> CheckLayout(const std::vector<SourceFile>& files) {
  std::vector<Finding> findings;
  absl::btree_map<std::string, bool> has_readme;
  for (const SourceFile& file : files) {
    const std::vector<std::string> parts = absl::StrSplit(file.path, '/');
    if (parts.size() > 2 && HasReadmes(parts[0])) {
      const bool is_readme = parts.size() == 3 && parts[2] == "README.md";
      has_readme[absl::StrCat(parts[0], "/", parts[1])] |= is_readme;
      const size_t lines = LinesOf(file.text).all.size();
      if (is_readme && lines > kReadmeLinesMax) {
        findings.push_back({.path = file.path,
                            .line = static_cast<int>(kReadmeLinesMax) + 1,
                            .found = absl::StrCat(lines, " lines"),
                            .instead = "say it in 20: what it is, what it must never know, why"});
      }
    }
    if (absl::EndsWith(file.path, ".h") && !absl::StrContains(file.text, "#pragma once\n")) {
      findings.push_back({.path = file.path,
                          .line = 1,
                          .found = "a header without guard",
                          .instead = "write #pragma once below the head comment"});
    }
  }
  for (const auto& [folder, has] : has_readme) {
    if (has) continue;
    findings.push_back({.path = folder,
                        .found = "no README.md",
                        .instead = "write what it is, what it must never know, and why it is so"});
  }
  return findings;
}

}  // namespace naval::lint
