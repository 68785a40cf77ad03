#include "lib/wire/test_golden.h"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace naval::wire {

std::map<std::string, GoldenEntry> ReadGolden(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << "the test must run in the root of the repository";
  std::map<std::string, GoldenEntry> entries;
  GoldenEntry* entry = nullptr;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (parts.first == "entry") {
      entry = &entries[std::string(parts.second)];
    } else if (parts.first == "hex") {
      entry->bytes += absl::HexStringToBytes(parts.second);
    } else {
      EXPECT_EQ(parts.first, "text");
      absl::StrAppend(&entry->text, entry->text.empty() ? "" : " ", parts.second);
    }
  }
  return entries;
}

}  // namespace naval::wire
