// What may not be written, and what to write instead: the table in tools/lint/banned_words.txt.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"
#include "tools/lint/source_file.h"

namespace naval::lint {

class BannedWords {
 public:
  // Reads the table. INVALID_ARGUMENT names the line of a mistake in it.
  static absl::StatusOr<BannedWords> Parse(absl::string_view table);

  std::vector<Finding> Check(const SourceFile& file) const;

 private:
  enum class Where { kCode, kStrings, kText };

  struct Entry {
    std::shared_ptr<const RE2> pattern;
    Where where = Where::kCode;
    std::vector<std::string> only;  // empty: everywhere
    std::vector<std::string> except;
    std::string instead;
  };

  static bool Applies(const Entry& entry, absl::string_view path);

  std::vector<Entry> entries_;
};

}  // namespace naval::lint
