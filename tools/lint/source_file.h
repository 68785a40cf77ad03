// A file of the repository as the lints see it, and what they say about it.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace naval::lint {

struct SourceFile {
  std::string path;  // from the root of the repository: "lib/rules/sea.cc"
  std::string text;
};

// One complaint. `line` counts from 1; 0 means the file as a whole.
struct Finding {
  std::string path;
  int line = 0;
  std::string found;
  std::string instead;  // what to do, as the end of the sentence "found X: ..."
};

// "lib/rules/sea.cc:12: found std::string_view: use absl::string_view"
std::string ToText(const Finding& finding);

// The lines of C++ source, three ways, all with equal line numbers and columns.
struct SourceLines {
  std::vector<std::string> all;
  std::vector<std::string> no_comments;  // comments blanked
  std::vector<std::string>
      code;  // comments and the insides of string and character literals blanked
};

SourceLines LinesOf(absl::string_view text);

// .cc or .h.
bool IsCpp(absl::string_view path);

// Anything under tests/, and what stands for tests beside their files: sea_test.cc, test_match.h,
// fake_match_service.h.
bool IsTest(absl::string_view path);

// Whether `path` is `prefix` itself or lies in the folder `prefix`.
bool IsUnder(absl::string_view path, absl::string_view prefix);

}  // namespace naval::lint
