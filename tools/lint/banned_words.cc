#include "tools/lint/banned_words.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace naval::lint {
namespace {

// "tests" is one word for the tests beside their files as well, "*.md" is an ending.
bool Matches(absl::string_view path, const std::vector<std::string>& patterns) {
  return absl::c_any_of(patterns, [&](absl::string_view pattern) {
    if (absl::ConsumePrefix(&pattern, "*")) return absl::EndsWith(path, pattern);
    return pattern == "tests" ? IsTest(path) : IsUnder(path, pattern);
  });
}

// At most the first 40 characters.
std::string Quoted(re2::StringPiece found) {
  const bool is_long = found.size() > 40;
  return absl::StrCat("'", std::string(found.substr(0, 40)), is_long ? "..." : "", "'");
}

}  // namespace

absl::StatusOr<BannedWords> BannedWords::Parse(absl::string_view table) {
  BannedWords words;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(table, '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    const absl::string_view key = parts.first;
    const std::string value(absl::StripAsciiWhitespace(parts.second));
    if (key == "forbid") {
      words.entries_.push_back({.pattern = std::make_shared<RE2>(value)});
      if (words.entries_.back().pattern->ok()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", line_number, ": bad pattern: ", words.entries_.back().pattern->error()));
    }
    if (words.entries_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": an entry begins with 'forbid'"));
    }
    Entry& entry = words.entries_.back();
    if (key == "instead") {
      entry.instead = value;
    } else if (key == "only") {
      entry.only = absl::StrSplit(value, ' ', absl::SkipEmpty());
    } else if (key == "except") {
      entry.except = absl::StrSplit(value, ' ', absl::SkipEmpty());
    } else if (key == "where" && value == "strings") {
      entry.where = Where::kStrings;
    } else if (key == "where" && value == "text") {
      entry.where = Where::kText;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": unknown line '", line, "'"));
    }
  }
  return words;
}

bool BannedWords::Applies(const Entry& entry, absl::string_view path) {
  if (entry.where != Where::kText && !IsCpp(path)) return false;
  if (!entry.only.empty() && !Matches(path, entry.only)) return false;
  return !Matches(path, entry.except);
}

std::vector<Finding> BannedWords::Check(const SourceFile& file) const {
  std::vector<Finding> findings;
  const SourceLines lines = LinesOf(file.text);
  for (const Entry& entry : entries_) {
    if (!Applies(entry, file.path)) continue;
    const std::vector<std::string>& view = entry.where == Where::kCode      ? lines.code
                                           : entry.where == Where::kStrings ? lines.no_comments
                                                                            : lines.all;
    for (size_t i = 0; i < view.size(); ++i) {
      re2::StringPiece found;
      if (!entry.pattern->Match(view[i], 0, view[i].size(), RE2::UNANCHORED, &found, 1)) continue;
      findings.push_back({.path = file.path,
                          .line = static_cast<int>(i) + 1,
                          .found = Quoted(found),
                          .instead = entry.instead});
    }
  }
  return findings;
}

}  // namespace naval::lint
